/* loop_level.c: choosing the cells of the loop's level and measuring them, in an order drawn from the seed. */
#include "bench/loop_level.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <timerbench/impl.h>

#include "bench/command/command.h"
#include "bench/random.h"
#include "bench/selection.h"

static const tb_lateness_workload workloads[] = {
    {"timers", "deadlines 50 us to 4 ms apart, 16 armed ahead: most a tick or more away, so up to 1 ms late by their meaning", 50000,
     4000000, 16},
    {"timers-near", "deadlines 50 to 950 us away, one at a time: nearer than a tick, so on time as far as the system wakes", 50000,
     950000, 1},
};
enum { WORKLOADS = sizeof workloads / sizeof *workloads };

static const char *const of_the_system[] = {"clock_nanosleep", "timerfd"};
enum { SYSTEM = 2, USUAL_POPULATION = 1 << 16 };

typedef struct cell_list {
    tb_lateness_cell *items;
    size_t count, cap;
} cell_list;

static bool add(cell_list *list, tb_lateness_cell cell)
{
    if (list->count == list->cap) {
        size_t cap = list->cap ? 2 * list->cap : 16;
        tb_lateness_cell *items = realloc(list->items, cap * sizeof *items);
        if (!items)
            return false;
        list->items = items;
        list->cap = cap;
    }
    list->items[list->count++] = cell;
    return true;
}

static bool choose(const tb_loop_level_settings *s, bool *workload, bool *impl, tb_error_text *error)
{
    tb_selectable of_workloads[WORKLOADS], *of_impls = calloc(tb_impl_count(), sizeof *of_impls);
    if (!of_impls) {
        tb_error_no_memory(error);
        return false;
    }
    for (size_t i = 0; i < WORKLOADS; i++)
        of_workloads[i] = (tb_selectable){workloads[i].name, "", true, false};
    for (size_t i = 0; i < tb_impl_count(); i++) {
        bool yardstick = tb_impl_at(i)->structure->traits & TB_YARDSTICK; /* it delivers nothing */
        of_impls[i] = (tb_selectable){yardstick ? "" : tb_impl_name(tb_impl_at(i)), "", !yardstick, yardstick};
    }
    bool done = tb_select(s->workloads, "--workload", of_workloads, WORKLOADS, workload, error) &&
                tb_select(s->impls, "--impl", of_impls, tb_impl_count(), impl, error);
    free(of_impls);
    return done;
}

/* The system's first, which have no population, then each implementation at each. */
static bool list_cells(const tb_loop_level_settings *s, const bool *workload, const bool *impl, cell_list *list)
{
    static const int64_t usual[] = {USUAL_POPULATION};
    const int64_t *sizes = s->size_count ? s->sizes : usual;
    size_t size_count = s->size_count ? s->size_count : 1;
    uint32_t deadlines = s->quick ? 100 : 1000;
    for (size_t w = 0; w < WORKLOADS; w++) {
        if (!workload[w])
            continue;
        tb_lateness_cell cell = {.workload = &workloads[w], .deadlines = deadlines, .limit = s->quick ? 0.5 : 3};
        for (size_t i = 0; i < SYSTEM; i++) {
            cell.contender = of_the_system[i];
            if (!add(list, cell))
                return false;
        }
        for (size_t i = 0; i < tb_impl_count(); i++)
            for (size_t k = 0; impl[i] && k < size_count; k++) {
                cell.contender = tb_impl_name(tb_impl_at(i));
                cell.impl = tb_impl_at(i);
                cell.population = (uint32_t)sizes[k];
                if (!add(list, cell))
                    return false;
            }
    }
    return true;
}

/* As many deadlines as the budget has time for, at least 20; and arming what is idle may take a cell's share of it. */
static void keep_to_budget(cell_list *list, double budget)
{
    double seconds = 0;
    for (size_t i = 0; i < list->count; i++) {
        const tb_lateness_workload *w = list->items[i].workload;
        seconds += (double)list->items[i].deadlines * (double)(w->least + w->most) / 2e9;
    }
    for (size_t i = 0; budget > 0 && i < list->count; i++) {
        double fewer = (double)list->items[i].deadlines * budget / seconds, share = budget / (double)list->count;
        if (seconds > budget)
            list->items[i].deadlines = fewer > 20 ? (uint32_t)fewer : 20;
        if (share < list->items[i].limit)
            list->items[i].limit = share;
    }
}

static bool measure_all(cell_list *list, uint64_t seed, tb_error_text *error)
{
    size_t *order = malloc((list->count + 1) * sizeof *order);
    tb_random random = tb_random_make(seed, 2);
    if (!order) {
        tb_error_no_memory(error);
        return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        size_t j = (size_t)(tb_random_next(&random) % (i + 1));
        order[i] = order[j];
        order[j] = i;
    }
    bool done = true, tells = isatty(STDERR_FILENO);
    for (size_t i = 0; done && i < list->count; i++) {
        if (tells)
            fprintf(stderr, "\r\033[K%zu/%zu %s", i, list->count, list->items[order[i]].contender);
        done = tb_lateness_measure(&list->items[order[i]], seed, error);
    }
    if (tells)
        fprintf(stderr, "\r\033[K");
    free(order);
    return done;
}

int tb_loop_level_run(const char *who, const tb_loop_level_settings *settings)
{
    tb_error_text error = {{0}};
    cell_list list = {NULL, 0, 0};
    bool workload[WORKLOADS], *impl = calloc(tb_impl_count(), sizeof *impl);
    int code = TB_EXIT_BAD_INPUT;
    bool done = impl != NULL;
    if (done && choose(settings, workload, impl, &error)) {
        done = list_cells(settings, workload, impl, &list);
        keep_to_budget(&list, settings->budget);
        if (done && measure_all(&list, (uint64_t)settings->seed, &error)) {
            tb_lateness_table(list.items, list.count);
            if (!settings->out || tb_lateness_write(list.items, list.count, settings, &error))
                code = TB_EXIT_OK;
        }
    }
    if (!done)
        tb_error_no_memory(&error);
    if (*error.text)
        tb_complain(who, "%s", error.text);
    for (size_t i = 0; code == TB_EXIT_OK && i < list.count; i++)
        if (list.items[i].wrong)
            code = TB_EXIT_DIFFERENT;
    free(impl);
    free(list.items);
    return code;
}
