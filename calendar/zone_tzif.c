/* zone_tzif.c: reading a TZif file (RFC 9636, versions 1 to 4). Its tables are used where they stand, big-endian bytes; that they
   are sound is checked here, once, so that nothing that asks them later can fail. A file of version 2 and later has
   everything twice: first with 32-bit times, for old readers, then with 64-bit ones and, behind, the rule for what is
   after the last of them. */
#include <string.h>

#include "calendar/reason.h"
#include "calendar/zone_rule.h"
#include "calendar/zone_tzif.h"

enum { HEADER = 44, TYPE_BYTES = 6 };

typedef struct header {
    char version;
    uint32_t isut, isstd, leaps, times, types, names;
} header;

typedef struct file {
    const unsigned char *bytes;
    size_t size, at;
    tb_time_error *error;
} file;

static bool read_header(file *f, header *h)
{
    const unsigned char *b = f->bytes + f->at;
    if (f->size - f->at < HEADER || memcmp(b, "TZif", 4) != 0)
        return tb_refuse(f->error, f->at, "the header of a TZif file was expected");
    *h = (header){(char)b[4],          tb_zone_number(b + 20), tb_zone_number(b + 24), tb_zone_number(b + 28),
                  tb_zone_number(b + 32), tb_zone_number(b + 36), tb_zone_number(b + 40)};
    f->at += HEADER;
    return true;
}

static size_t body_size(const header *h, size_t width)
{
    return (size_t)h->times * (width + 1) + (size_t)h->types * TYPE_BYTES + h->names + (size_t)h->leaps * (width + 4) + h->isstd +
           h->isut;
}

static bool room_for_body(const file *f, const header *h, size_t width)
{
    return body_size(h, width) <= f->size - f->at || tb_refuse(f->error, f->size, "the file ends before its tables do");
}

static size_t place(const file *f, const unsigned char *table, size_t offset)
{
    return (size_t)(table - f->bytes) + offset;
}

static bool check_types(const file *f, const tb_zone *z)
{
    if (z->type_count == 0 || z->type_count > 256)
        return tb_refuse(f->error, place(f, z->types, 0), "a TZif file has 1 to 256 kinds of local time");
    for (uint32_t i = 0; i < z->type_count; i++) {
        const unsigned char *type = z->types + i * TYPE_BYTES;
        int32_t offset = (int32_t)tb_zone_number(type);
        size_t at = place(f, type, 0);
        if (offset < TB_ZONE_LOWEST_OFFSET || offset > TB_ZONE_HIGHEST_OFFSET)
            return tb_refuse_range(f->error, at, "offset in seconds", offset, TB_ZONE_LOWEST_OFFSET, TB_ZONE_HIGHEST_OFFSET);
        if (type[4] > 1)
            return tb_refuse_range(f->error, at + 4, "mark of saving time", type[4], 0, 1);
        if (type[5] >= z->name_bytes || !memchr(z->names + type[5], 0, z->name_bytes - type[5]))
            return tb_refuse(f->error, at + 5, "an abbreviation has no end within the file's");
    }
    return true;
}

static bool check_times(const file *f, const tb_zone *z)
{
    for (uint32_t i = 0; i < z->time_count; i++) {
        if (i > 0 && tb_zone_raw_time(z, i - 1) >= tb_zone_raw_time(z, i))
            return tb_refuse(f->error, place(f, z->times, (size_t)i * z->width), "transitions are not in the order of time");
        if (z->indices[i] >= z->type_count)
            return tb_refuse(f->error, place(f, z->indices, i), "a transition is to a kind of local time that is not there");
    }
    for (uint32_t i = 1; i < z->leap_count; i++)
        if (tb_zone_leap_time(z, i - 1) >= tb_zone_leap_time(z, i))
            return tb_refuse(f->error, place(f, z->leaps, (size_t)i * (z->width + 4)), "leap seconds are not in the order of time");
    return true;
}

static bool read_tables(file *f, const header *h, uint32_t width, tb_zone *z)
{
    if (!room_for_body(f, h, width))
        return false;
    z->width = width;
    z->time_count = h->times;
    z->type_count = h->types;
    z->name_bytes = h->names;
    z->leap_count = h->leaps;
    z->times = f->bytes + f->at;
    z->indices = z->times + (size_t)h->times * width;
    z->types = z->indices + h->times;
    z->names = z->types + (size_t)h->types * TYPE_BYTES;
    z->leaps = z->names + h->names;
    f->at += body_size(h, width);
    return check_types(f, z) && check_times(f, z);
}

/* "\n<rule>\n"; nothing between the two: there is none. */
static bool read_footer(file *f, tb_zone *z)
{
    if (f->at >= f->size || f->bytes[f->at] != '\n')
        return tb_refuse(f->error, f->at, "the line with the rule was expected");
    const char *text = (const char *)f->bytes + f->at + 1;
    const char *end = memchr(text, '\n', f->size - f->at - 1);
    if (!end)
        return tb_refuse(f->error, f->size, "the file ends before the line with the rule does");
    z->has_rule = end > text;
    if (!z->has_rule || tb_zone_rule_read(text, (size_t)(end - text), &z->rule, f->error))
        return true;
    if (f->error)
        f->error->at += f->at + 1;
    return false;
}

bool tb_zone_from_tzif(const void *data, size_t size, tb_zone *out, tb_time_error *error)
{
    file f = {data, size, 0, error};
    header h;
    tb_zone z = {.owned = NULL};
    if (!read_header(&f, &h))
        return false;
    if (h.version < '2') {
        if (!read_tables(&f, &h, 4, &z))
            return false;
    } else {
        if (!room_for_body(&f, &h, 4))
            return false;
        f.at += body_size(&h, 4);
        if (!read_header(&f, &h) || !read_tables(&f, &h, 8, &z) || !read_footer(&f, &z))
            return false;
    }
    *out = z;
    return true;
}
