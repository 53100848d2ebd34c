/* zone_tzif.h: the tables of a TZif file, where they stand in its bytes. */
#ifndef CALENDAR_ZONE_TZIF_H
#define CALENDAR_ZONE_TZIF_H

#include <timerbench/zone.h>

static inline uint32_t tb_zone_number(const unsigned char *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static inline int64_t tb_zone_number_of(const unsigned char *b, uint32_t width)
{
    if (width == 4)
        return (int32_t)tb_zone_number(b);
    return (int64_t)((uint64_t)tb_zone_number(b) << 32 | tb_zone_number(b + 4));
}

/* A transition's time as the file has it: with leap seconds, if the file has any. */
static inline int64_t tb_zone_raw_time(const tb_zone *z, uint32_t i)
{
    return tb_zone_number_of(z->times + (size_t)i * z->width, z->width);
}

static inline int64_t tb_zone_leap_time(const tb_zone *z, uint32_t i)
{
    return tb_zone_number_of(z->leaps + (size_t)i * (z->width + 4), z->width);
}

/* How many leap seconds there have been, from that one on. */
static inline int32_t tb_zone_leap_sum(const tb_zone *z, uint32_t i)
{
    return (int32_t)tb_zone_number(z->leaps + (size_t)i * (z->width + 4) + z->width);
}

#endif
