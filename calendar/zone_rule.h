/* zone_rule.h: a rule for every year, as a POSIX TZ string has it. */
#ifndef CALENDAR_ZONE_RULE_H
#define CALENDAR_ZONE_RULE_H

#include <timerbench/zone.h>

/* Offsets are within these: RFC 9636's, so that a local time is never much more than a day off. */
enum { TB_ZONE_LOWEST_OFFSET = -89999, TB_ZONE_HIGHEST_OFFSET = 93599 };

bool tb_zone_rule_read(const char *text, size_t length, tb_zone_rule *out, tb_time_error *error);
const tb_zone_period *tb_zone_rule_at(const tb_zone_rule *rule, int64_t second);
/* The first second after that one, the last one at or before it, from which another period holds; false: none. */
bool tb_zone_rule_next(const tb_zone_rule *rule, int64_t second, int64_t *at);
bool tb_zone_rule_last(const tb_zone_rule *rule, int64_t second, int64_t *at);

bool tb_zone_same_period(const tb_zone_period *a, const tb_zone_period *b);

#endif
