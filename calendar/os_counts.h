/* os_counts.h: the counts Windows keeps time in, as nanoseconds. Pure functions, apart from the calls that read those
   counts, so that they are tested on every machine. */
#ifndef CALENDAR_OS_COUNTS_H
#define CALENDAR_OS_COUNTS_H

#include <timerbench/time.h>

/* The highest frequency, in Hz, of tb_counter_nanos: (frequency - 1) * 10^9 fits 64 bits. */
#define TB_COUNTER_FREQUENCY_MAX (UINT64_MAX / (uint64_t)TB_NANOS_PER_SECOND + 1)

/* Nanoseconds of a counter that stands at `count` and counts `frequency` times a second (1 to
   TB_COUNTER_FREQUENCY_MAX), rounded down; INT64_MAX for what is past it. Never decreases as the count grows: whole
   seconds and the rest are scaled apart, so that nothing overflows. */
static inline int64_t tb_counter_nanos(uint64_t count, uint64_t frequency)
{
    const uint64_t second = (uint64_t)TB_NANOS_PER_SECOND;
    tb_debug_assert(frequency >= 1 && frequency <= TB_COUNTER_FREQUENCY_MAX);
    uint64_t seconds = count / frequency;
    if (seconds > (uint64_t)INT64_MAX / second)
        return INT64_MAX;
    /* Below 2^63 + 10^9, since both terms are bounded. */
    uint64_t nanos = seconds * second + count % frequency * second / frequency;
    return nanos > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)nanos;
}

/* Steps of 100 ns from 1601-01-01, where a FILETIME starts, to 1970-01-01: 134774 days. */
#define TB_FILETIME_1970 UINT64_C(116444736000000000)

/* The moment of a FILETIME, a count of 100 ns since 1601-01-01 UTC; the end of a Timestamp's range for what is out of
   it. Source: Microsoft, "FILETIME structure (minwinbase.h)". */
static inline tb_timestamp tb_filetime_timestamp(uint64_t filetime)
{
    /* A FILETIME past INT64_MAX is some 29000 years past what a Timestamp holds: which one it is makes no difference. */
    int64_t since_1970 = filetime > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)filetime - (int64_t)TB_FILETIME_1970;
    return tb_timestamp_from_unix_nanos(tb_duration_mul_saturating(tb_duration_from_nanos(100), since_1970).ns);
}

#endif
