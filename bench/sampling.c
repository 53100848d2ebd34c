/* sampling.c: running the processes. */
#include "bench/sampling.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/piped_child.h"
#include "bench/placement.h"
#include "bench/random.h"
#include "bench/steal.h"
#include "bench/stopwatch.h"
#include "results/result.h"

uint64_t tb_sampling_seed(uint64_t seed, size_t number)
{
    tb_random random = tb_random_make(seed, 0x70726f63657373 /* "process" */ + number);
    return tb_random_next(&random) >> 16;
}

/* ---- the command line -------------------------------------------------------------------------------------------- */

static bool add(tb_string_list *list, const char *text) { return tb_string_list_add(list, text, strlen(text)); }

static bool add_number(tb_string_list *list, const char *option, const char *format, double number)
{
    char text[64];
    snprintf(text, sizeof text, format, number);
    return add(list, option) && add(list, text);
}

static bool add_list(tb_string_list *list, const char *option, const tb_string_list *items)
{
    for (size_t i = 0; items && i < items->count; i++)
        if ((option && !add(list, option)) || !add(list, items->items[i]))
            return false;
    return true;
}

static bool make_words(const tb_sampling *s, const tb_sampling_task *task, uint64_t seed, tb_string_list *out)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, seed);
    return add(out, "timerbench") && add_list(out, NULL, s->words) && add(out, "--processes") && add(out, "1") &&
           add(out, "--seed") && add(out, text) && add(out, "--out") && add(out, TB_PIPED_OUTPUT) &&
           (task->tails || add(out, "--no-tails")) && (task->budget <= 0 || add_number(out, "--budget", "%.3f", task->budget)) &&
           add_list(out, "--cell", task->cells) && (!s->rest || !s->rest->count || (add(out, "--") && add_list(out, NULL, s->rest)));
}

/* ---- what came of it --------------------------------------------------------------------------------------------- */

/* "process 3", or "old/timerbench, process 3". */
static void name_process(const tb_sampling *s, size_t number, char *out, size_t size)
{
    snprintf(out, size, "%s%sprocess %zu", s->shown ? s->shown : "", s->shown ? ", " : "", number + 1);
}

/* An exit code of 0 or 1 is a result; everything else is told. */
static bool check_end(const tb_piped_report *r, const char *name, tb_error_text *error)
{
    const char *colon = *r->line ? ": " : "";
    if (r->too_long)
        tb_error_set(error, "%s: wrote more than %d MiB: expected at most that", name, TB_RESULT_MAX_MIB);
    else if (r->signal)
        tb_error_set(error, "%s: ended by signal %d (%s)%s%s", name, r->signal, strsignal(r->signal), colon, r->line);
    else if (r->code != 0 && r->code != 1)
        tb_error_set(error, "%s: exit code %d%s%s", name, r->code, colon, r->line);
    else if (r->length == 0)
        tb_error_set(error, "%s: exit code %d, and no result was written to --out%s%s", name, r->code, colon, r->line);
    else
        return true;
    return false;
}

static bool take_result(tb_sampling *s, tb_sampled_process *process, const tb_piped_report *r, const char *name,
                        tb_error_text *error)
{
    json_error_t at = {.text = ""};
    json_t *document = json_loadb(r->output, r->length, 0, &at);
    if (!document) {
        tb_error_set(error, "%s: wrote something that is not JSON (line %d: %s)", name, at.line, *at.text ? at.text : "out of memory");
        return false;
    }
    process->cells = json_array_size(json_object_get(json_object_get(document, "timerbench"), "cells"));
    bool done = tb_sampled_add(&s->sampled, process, document, name, error);
    json_decref(document);
    return done;
}

bool tb_sampling_run(tb_sampling *s, const tb_sampling_task *task, tb_error_text *error)
{
    tb_sampled_process process = {.seed = tb_sampling_seed(s->seed, task->number)};
    process.padding = tb_placement_of_environment(process.seed);
    char name[4400];
    name_process(s, task->number, name, sizeof name);
    tb_string_list words = {0};
    if (!make_words(s, task, process.seed, &words) || !tb_string_list_add(&words, "", 0)) {
        tb_error_no_memory(error);
        tb_string_list_free(&words);
        return false;
    }
    char *end = words.items[words.count - 1]; /* argv ends with NULL */
    words.items[words.count - 1] = NULL;
    tb_piped_report report;
    tb_steal steal = tb_steal_read();
    int64_t begin = tb_stopwatch_ns();
    bool done = tb_piped_run(s->path, words.items, process.padding, (size_t)TB_RESULT_MAX_MIB << 20, &report, error);
    process.seconds = (double)(tb_stopwatch_ns() - begin) * 1e-9;
    process.steal = tb_steal_since(steal);
    words.items[words.count - 1] = end;
    tb_string_list_free(&words);
    done = done && check_end(&report, name, error) && take_result(s, &process, &report, name, error);
    free(report.output);
    return done;
}
