/* The counts Windows keeps time in, with a mock counter: the conversions are pure and the same on every machine. */
#include "random.h"
#include "tap.h"

#include "calendar/os_counts.h"

__extension__ typedef unsigned __int128 wide;

static const uint64_t frequencies[] = {
    1, 3, 1000, 3579545 /* ACPI timer */, 10000000 /* today's Windows */, 14318180 /* HPET */, 999999999, 1000000000,
    2399998000 /* a processor's */, 9223372037, TB_COUNTER_FREQUENCY_MAX - 1, TB_COUNTER_FREQUENCY_MAX,
};
enum { FREQUENCIES = sizeof frequencies / sizeof *frequencies };

static int64_t exact_nanos(uint64_t count, uint64_t frequency)
{
    wide exact = (wide)count * 1000000000 / frequency;
    return exact > INT64_MAX ? INT64_MAX : (int64_t)exact;
}

/* How many of the 2000 counts around `count` are converted wrongly or to less than the one before. */
static int wrong_around(uint64_t count, uint64_t frequency)
{
    int wrong = 0;
    uint64_t from = count < 1000 ? 0 : count > UINT64_MAX - 1000 ? UINT64_MAX - 2000 : count - 1000;
    int64_t last = 0;
    for (uint64_t i = 0; i <= 2000; i++) {
        int64_t n = tb_counter_nanos(from + i, frequency);
        wrong += n != exact_nanos(from + i, frequency) || n < last;
        last = n;
    }
    return wrong;
}

static void counter(void)
{
    is(tb_counter_nanos((uint64_t)1 << 56, 10000000), 7205759403792793600, "INS-10 2^56 counts at 10 MHz");
    is(tb_counter_nanos(92233720368547758, 10000000), 9223372036854775800, "INS-10 the last count at 10 MHz that fits");
    is(tb_counter_nanos(92233720368547759, 10000000), INT64_MAX, "INS-10 the one after it stops at the last instant");
    is(tb_counter_nanos(0, 10000000), 0, "INS-10 a counter at its start");
    is(tb_counter_nanos(UINT64_MAX, 1), INT64_MAX, "INS-10 the largest count at the lowest frequency");
    is(tb_counter_nanos(2, 3), 666666666, "INS-10 rounded down");

    int wrong = 0;
    for (int f = 0; f < FREQUENCIES; f++) {
        wrong += wrong_around(0, frequencies[f]) + wrong_around(UINT64_MAX, frequencies[f]);
        wrong += wrong_around(frequencies[f], frequencies[f]) + wrong_around((uint64_t)1 << 63, frequencies[f]);
        /* Where the range ends, if the counter gets there. */
        wide end = (wide)INT64_MAX * frequencies[f] / 1000000000;
        if (end < UINT64_MAX)
            wrong += wrong_around((uint64_t)end, frequencies[f]);
    }
    none_of(wrong, "INS-10 consecutive counts never decrease and are exact: at whole seconds and at the ends");

    uint64_t state = 2;
    wrong = 0;
    for (int i = 0; i < 200; i++)
        wrong += wrong_around((uint64_t)random_count(&state), frequencies[random_next(&state) % FREQUENCIES]);
    none_of(wrong, "INS-10 consecutive counts never decrease and are exact: at random ones");
}

static int64_t filetime_nanos(uint64_t filetime)
{
    return tb_filetime_timestamp(filetime).ns;
}

static void filetime(void)
{
    is(filetime_nanos(TB_FILETIME_1970), 0, "INS-02 TSP-04 the FILETIME of 1970 is the epoch");
    is(filetime_nanos(TB_FILETIME_1970 - 1), -100, "INS-02 TSP-04 one step before it");
    is(filetime_nanos(125911584000000000), 946684800 * TB_NANOS_PER_SECOND, "INS-02 TSP-04 the FILETIME of 2000-01-01");
    is(filetime_nanos(TB_FILETIME_1970 + 92233720368547758), 9223372036854775800, "TSP-11 the last FILETIME that fits");
    is(filetime_nanos(TB_FILETIME_1970 + 92233720368547759), INT64_MAX, "TSP-11 past it the end of the range");
    is(filetime_nanos(TB_FILETIME_1970 - 92233720368547758), -9223372036854775800, "TSP-11 the first that fits");
    is(filetime_nanos(0), INT64_MIN, "TSP-11 1601 is before the range");
    is(filetime_nanos(UINT64_MAX), INT64_MAX, "TSP-11 the largest FILETIME is after it");
}

int main(void)
{
    counter();
    filetime();
    return tap_done();
}
