/* result_facts.c: what a result document tells of its machine and its build. */
#include "results/result_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <timerbench/calendar.h>

#include "results/plain_text.h"

/* Google Benchmark counted a kibibyte as 1000 bytes up to 1.5, which made sizes multiples of it. */
static json_int_t kibibytes(json_int_t bytes)
{
    return bytes % 1000 == 0 ? bytes / 1000 : bytes / 1024;
}

/* "L1 Data 32 KiB, L2 Unified 512 KiB". */
static char *describe_caches(const json_t *caches)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    for (size_t i = 0; i < json_array_size(caches); i++) {
        const json_t *cache = json_array_get(caches, i);
        const char *type = json_string_value(json_object_get(cache, "type"));
        fprintf(out, "%sL%lld %s %lld KiB", i ? ", " : "", (long long)json_integer_value(json_object_get(cache, "level")),
                type ? type : "", (long long)kibibytes(json_integer_value(json_object_get(cache, "size"))));
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* A member as text. "unknown" and an empty text tell nothing: *out stays NULL. */
static bool describe(tb_result_reader *reader, const json_t *value, char **out)
{
    char number[64];
    const char *text = NULL;
    char *caches = NULL;
    if (json_is_string(value)) {
        text = json_string_value(value);
    } else if (json_is_boolean(value)) {
        text = json_is_true(value) ? "on" : "off";
    } else if (json_is_integer(value)) {
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
        text = number;
    } else if (json_is_array(value) && json_array_size(value) > 0) {
        text = caches = describe_caches(value);
        if (!caches)
            return tb_result_no_memory(reader);
    }
    if (text && *text && strcmp(text, "unknown") != 0) {
        *out = tb_plain_copy(text);
        if (!*out)
            tb_result_no_memory(reader);
    }
    bool done = *out || !text || !*text || strcmp(text, "unknown") == 0;
    free(caches);
    return done;
}

/* A moment with any offset as UTC, which is no longer; what is none stays as it is. */
static void tell_in_utc(char *date)
{
    tb_timestamp moment;
    char utc[TB_RFC3339_SIZE];
    if (date && tb_timestamp_parse_rfc3339(date, strlen(date), &moment, NULL) && tb_timestamp_rfc3339(moment, utc) <= strlen(date))
        strcpy(date, utc);
}

bool tb_result_read_facts(tb_result_reader *reader, const json_t *document)
{
#define KEY(name, key, label, kind) key,
    static const char *const keys[] = {TB_RESULT_FACTS(KEY)};
#undef KEY
    const json_t *context = json_object_get(document, "context"), *part = json_object_get(document, "timerbench");
    for (int i = 0; i < TB_FACT_COUNT; i++) {
        const json_t *value = i == TB_FACT_SEED ? json_object_get(part, "seed") : json_object_get(context, keys[i]);
        if (!describe(reader, value, &reader->out->facts[i]))
            return false;
    }
    tell_in_utc(reader->out->facts[TB_FACT_DATE]);
    return true;
}
