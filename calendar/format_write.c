/* format_write.c: date-times by a pattern, as strftime has them in the C locale (IEEE Std 1003.1, strftime; %N, %P, %:z are
   GNU date's). */
#include "calendar/format.h"

#include "calendar/digits.h"
#include "calendar/names.h"
#include "calendar/reason.h"

const tb_zone_period tb_format_utc = {.name = "UTC"};

const char *tb_format_expansion(char conversion)
{
    switch (conversion) {
    case 'F': return "%Y-%m-%d";
    case 'D':
    case 'x': return "%m/%d/%y";
    case 'T':
    case 'X': return "%H:%M:%S";
    case 'R': return "%H:%M";
    case 'r': return "%I:%M:%S %p";
    case 'c': return "%a %b %e %H:%M:%S %Y";
    default: return NULL;
    }
}

size_t tb_format_plain(const char *pattern)
{
    size_t length = 0;
    while (pattern[length] && pattern[length] != '%')
        length++;
    return length;
}

static bool is_conversion(char c)
{
    static const bool known[128] = {
        ['Y'] = true, ['C'] = true, ['y'] = true, ['m'] = true, ['b'] = true, ['h'] = true, ['B'] = true, ['d'] = true,
        ['e'] = true, ['j'] = true, ['a'] = true, ['A'] = true, ['u'] = true, ['w'] = true, ['G'] = true, ['g'] = true,
        ['V'] = true, ['U'] = true, ['W'] = true, ['H'] = true, ['k'] = true, ['I'] = true, ['l'] = true, ['p'] = true,
        ['P'] = true, ['M'] = true, ['S'] = true, ['N'] = true, ['s'] = true, ['z'] = true, ['Z'] = true, ['F'] = true,
        ['D'] = true, ['x'] = true, ['T'] = true, ['X'] = true, ['R'] = true, ['r'] = true, ['c'] = true, ['n'] = true,
        ['t'] = true, ['%'] = true,
    };
    return (unsigned char)c < sizeof known && known[(unsigned char)c];
}

bool tb_format_check(const char *pattern, tb_time_error *error)
{
    for (const char *at = pattern; *at; at++) {
        if (*at != '%')
            continue;
        const char *begin = at++;
        if (*at == ':' && at[1] == 'z')
            at++;
        else if (!is_conversion(*at))
            return tb_refuse(error, (size_t)(begin - pattern), "the pattern has a conversion that is none");
    }
    return true;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static void put(tb_format_sink *s, const char *text, size_t length)
{
    for (size_t i = 0; s->expected && !s->differs && i < length; i++)
        if (s->length + i >= s->expected_length || lower(s->expected[s->length + i]) != lower(text[i])) {
            s->differs = true;
            s->differs_at = s->length; /* where the part begins */
        }
    /* By hand: pieces are of two or three bytes. */
    for (size_t i = 0; i < length && s->length + i < s->room; i++)
        s->out[s->length + i] = text[i];
    s->length += length;
}

/* At least so many digits, `pad` for leading ones. */
static void put_number(tb_format_sink *s, int64_t number, int digits, char pad)
{
    char text[24];
    if (digits == 2 && number >= 10 && number <= 99) {
        put(s, tb_digit_pairs + 2 * number, 2);
        return;
    }
    size_t at = sizeof text;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do
        text[--at] = (char)('0' + rest % 10);
    while (rest /= 10);
    while ((int)(sizeof text - at) < digits)
        text[--at] = pad;
    if (number < 0)
        text[--at] = '-';
    put(s, text + at, sizeof text - at);
}

static void put_year(tb_format_sink *s, int64_t year)
{
    char text[24];
    put(s, text, (size_t)(tb_put_year(text, year) - text));
}

static void put_offset(tb_format_sink *s, int32_t offset, const char *separator)
{
    int32_t east = offset < 0 ? -offset : offset;
    put(s, offset < 0 ? "-" : "+", 1);
    put_number(s, east / 3600, 2, '0');
    put(s, separator, strlen(separator));
    put_number(s, east / 60 % 60, 2, '0');
    if (east % 60) {
        put(s, separator, strlen(separator));
        put_number(s, east % 60, 2, '0');
    }
}

static int64_t floor_mod(int64_t n, int64_t divisor)
{
    return (n % divisor + divisor) % divisor;
}

static int64_t unix_seconds(tb_date_time local, const tb_zone_period *zone)
{
    return tb_date_unix_days(local.date) * 86400 + tb_duration_seconds(tb_time_of_day_since_midnight(local.time)) - zone->offset;
}

/* ---- conversions -------------------------------------------------------------------------------------------------- */

static void put_name(tb_format_sink *s, const char *name, bool full)
{
    put(s, name, full ? strlen(name) : TB_SHORT_NAME);
}

static const char *weekday_name(tb_date d)
{
    return tb_weekday_names[tb_date_weekday(d) - TB_MONDAY];
}

/* Those of the date. False: it is another one. */
static bool put_date_part(tb_format_sink *s, tb_date d, char conversion)
{
    int64_t year = tb_date_year(d);
    switch (conversion) {
    case 'Y': put_year(s, year); break;
    case 'C': put_number(s, (year - floor_mod(year, 100)) / 100, 2, '0'); break;
    case 'y': put_number(s, floor_mod(year, 100), 2, '0'); break;
    case 'm': put_number(s, tb_date_month(d), 2, '0'); break;
    case 'b':
    case 'h': put_name(s, tb_month_names[d.months], false); break;
    case 'B': put_name(s, tb_month_names[d.months], true); break;
    case 'd': put_number(s, tb_date_day(d), 2, '0'); break;
    case 'e': put_number(s, tb_date_day(d), 2, ' '); break;
    case 'j': put_number(s, tb_date_day_of_year(d), 3, '0'); break;
    case 'a': put_name(s, weekday_name(d), false); break;
    case 'A': put_name(s, weekday_name(d), true); break;
    case 'u': put_number(s, tb_date_iso_weekday(d), 1, '0'); break;
    case 'w': put_number(s, tb_date_iso_weekday(d) % 7, 1, '0'); break;
    case 'G': put_year(s, tb_date_iso_year(d)); break;
    case 'g': put_number(s, floor_mod(tb_date_iso_year(d), 100), 2, '0'); break;
    case 'V': put_number(s, tb_date_iso_week(d), 2, '0'); break;
    case 'U': put_number(s, (tb_date_day_of_year(d) + 6 - tb_date_iso_weekday(d) % 7) / 7, 2, '0'); break;
    case 'W': put_number(s, (tb_date_day_of_year(d) + 7 - tb_date_iso_weekday(d)) / 7, 2, '0'); break;
    default: return false;
    }
    return true;
}

static bool put_time_part(tb_format_sink *s, tb_time_of_day t, char conversion)
{
    int hour12 = (t.hour + 11) % 12 + 1;
    switch (conversion) {
    case 'H': put_number(s, t.hour, 2, '0'); break;
    case 'k': put_number(s, t.hour, 2, ' '); break;
    case 'I': put_number(s, hour12, 2, '0'); break;
    case 'l': put_number(s, hour12, 2, ' '); break;
    case 'p': put(s, t.hour < 12 ? "AM" : "PM", 2); break;
    case 'P': put(s, t.hour < 12 ? "am" : "pm", 2); break;
    case 'M': put_number(s, t.minute, 2, '0'); break;
    case 'S': put_number(s, t.second, 2, '0'); break;
    case 'N': put_number(s, t.nanosecond, 9, '0'); break;
    default: return false;
    }
    return true;
}

static void put_other(tb_format_sink *s, tb_date_time local, const tb_zone_period *zone, char conversion)
{
    const char *expansion = tb_format_expansion(conversion);
    switch (conversion) {
    case 's': put_number(s, unix_seconds(local, zone), 1, '0'); break;
    case 'z': put_offset(s, zone->offset, ""); break;
    case ':': put_offset(s, zone->offset, ":"); break;
    case 'Z': put(s, zone->name, strnlen(zone->name, TB_ZONE_NAME_SIZE)); break;
    case 'n': put(s, "\n", 1); break;
    case 't': put(s, "\t", 1); break;
    case '%': put(s, "%", 1); break;
    default:
        if (expansion) /* which has none of its own */
            tb_format_write(s, local, zone, expansion);
    }
}

void tb_format_write(tb_format_sink *sink, tb_date_time local, const tb_zone_period *zone, const char *pattern)
{
    for (const char *at = pattern; *at;) {
        size_t plain = tb_format_plain(at);
        put(sink, at, plain);
        at += plain;
        if (!*at)
            break;
        if (!put_date_part(sink, local.date, at[1]) && !put_time_part(sink, local.time, at[1]))
            put_other(sink, local, zone, at[1]);
        at += at[1] == ':' ? 3 : 2;
    }
}

int64_t tb_date_time_format(tb_date_time local, const tb_zone_period *zone, const char *pattern, char *out, size_t size,
                            tb_time_error *error)
{
    tb_format_sink sink = {.out = out, .room = size ? size - 1 : 0};
    if (!tb_format_check(pattern, error))
        return TB_FORMAT_REFUSED;
    tb_format_write(&sink, local, zone ? zone : &tb_format_utc, pattern);
    if (size)
        out[sink.length < size ? sink.length : size - 1] = '\0';
    return (int64_t)sink.length;
}
