/* lateness.c: the log-linear histogram, after HdrHistogram (Gil Tene, hdrhistogram.org): values below 128 have a bucket each;
   above, each power of two is cut into 128 buckets, so a bucket is at most 1/128 of the values in it. */
#include <timerbench/loop_lateness.h>

enum { SUB_BITS = 7 };

static unsigned bucket_of(uint64_t v)
{
    if (v < TB_LATENESS_SUB)
        return (unsigned)v;
    unsigned shift = 63 - (unsigned)__builtin_clzll(v) - SUB_BITS;
    return (shift + 1) * TB_LATENESS_SUB + (unsigned)((v >> shift) - TB_LATENESS_SUB);
}

static uint64_t least_of(unsigned bucket)
{
    if (bucket < TB_LATENESS_SUB)
        return bucket;
    unsigned shift = bucket / TB_LATENESS_SUB - 1;
    return (uint64_t)(TB_LATENESS_SUB + bucket % TB_LATENESS_SUB) << shift;
}

static uint64_t most_of(unsigned bucket) { return bucket + 1 < TB_LATENESS_BUCKETS ? least_of(bucket + 1) - 1 : UINT64_MAX >> 1; }

void tb_lateness_add(tb_lateness *h, int64_t nanos)
{
    uint64_t v = nanos > 0 ? (uint64_t)nanos : 0;
    h->min = h->count && h->min < v ? h->min : v;
    h->max = h->max > v ? h->max : v;
    h->count++;
    h->sum += (double)v;
    h->sum_squares += (double)v * (double)v;
    h->buckets[bucket_of(v)]++;
}

void tb_lateness_merge(tb_lateness *h, const tb_lateness *from)
{
    if (!from->count)
        return;
    h->min = h->count && h->min < from->min ? h->min : from->min;
    h->max = h->max > from->max ? h->max : from->max;
    h->count += from->count;
    h->sum += from->sum;
    h->sum_squares += from->sum_squares;
    for (unsigned i = 0; i < TB_LATENESS_BUCKETS; i++)
        h->buckets[i] += from->buckets[i];
}

static uint64_t within(const tb_lateness *h, uint64_t v)
{
    return v < h->min ? h->min : v > h->max ? h->max : v;
}

/* The bucket where the count reaches `rank`, and the count up to its end. */
static unsigned bucket_at(const tb_lateness *h, uint64_t rank, uint64_t *upto)
{
    uint64_t sum = 0;
    unsigned i = 0;
    for (; i < TB_LATENESS_BUCKETS; i++) {
        sum += h->buckets[i];
        if (sum >= rank)
            break;
    }
    *upto = sum;
    return i;
}

static uint64_t rank_of(const tb_lateness *h, double q)
{
    uint64_t rank = (uint64_t)((q < 0 ? 0 : q > 1 ? 1 : q) * (double)h->count + 0.5);
    return rank < 1 ? 1 : rank > h->count ? h->count : rank;
}

uint64_t tb_lateness_quantile(const tb_lateness *h, double q)
{
    uint64_t upto;
    if (!h->count)
        return 0;
    if (q >= 1)
        return h->max;
    unsigned i = bucket_at(h, rank_of(h, q), &upto);
    return within(h, least_of(i) + (most_of(i) - least_of(i)) / 2);
}

/* Newton's iteration, from above: the library does without libm. */
static double root(double x)
{
    double r = x > 1 ? x : 1;
    for (double next = (r + x / r) / 2; next < r; next = (r + x / r) / 2)
        r = next;
    return x > 0 ? r : 0;
}

bool tb_lateness_print(const tb_lateness *h, double unit, FILE *out)
{
    enum { STEPS = 5 };
    double count = h->count ? (double)h->count : 1, mean = h->sum / count;
    double variance = h->sum_squares / count - mean * mean;
    fprintf(out, "%12s %12s %12s %12s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)");
    double q = 0, left = 1; /* left: the power of two at or above 1 - q */
    while (h->count) {
        uint64_t upto;
        unsigned i = bucket_at(h, rank_of(h, q), &upto);
        double value = (double)within(h, most_of(i)) / unit;
        if (upto == h->count) {
            fprintf(out, "%12.3f %12.12f %12llu %12s\n", value, 1.0, (unsigned long long)upto, "inf");
            break;
        }
        fprintf(out, "%12.3f %12.12f %12llu %12.2f\n", value, q, (unsigned long long)upto, 1 / (1 - q));
        /* STEPS lines until what is left above q has halved. */
        if (1 - q <= left / 2)
            left /= 2;
        q += left / 2 / STEPS;
    }
    fprintf(out, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", mean / unit, root(variance) / unit);
    fprintf(out, "#[Max     = %12.3f, Total count    = %12llu]\n", (double)h->max / unit, (unsigned long long)h->count);
    return fprintf(out, "#[Buckets = %12d, SubBuckets     = %12d]\n", TB_LATENESS_BUCKETS / TB_LATENESS_SUB, TB_LATENESS_SUB) > 0 &&
           !ferror(out);
}
