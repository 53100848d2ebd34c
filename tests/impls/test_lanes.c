/* Lanes and slop: rounding on the set's grid, what a change moves, and how late a timer may become. */
#include "sets.h"
#include "tests/calendar/random.h"

static void rounding(const kind *k)
{
    is(TB_LANES, 8, "SLP-01 %s: there are 8 lanes", k->name);
    static const int64_t at[] = {MS, 3 * MS, 9900 * US, 10 * MS, 10100 * US};
    static const int64_t due[] = {10 * MS, 10 * MS, 10 * MS, 10 * MS, 20 * MS};
    for (uint32_t lane = 0; lane < TB_LANES; lane++) {
        int wrong = 0;
        for (int i = 0; i < 5; i++) {
            subject s = make(k, 10300000);
            set_slop(&s, lane, 10 * MS);
            arm_in(&s, lane, 10300000 + at[i], 1);
            wrong += expire(&s, 10300000 + due[i] - 1) != 0 || expire(&s, 10300000 + due[i]) != 1;
            drop(&s);
        }
        none_of(wrong,
                "SLP-01 SLP-02 %s: slop 10 ms in lane %" PRIu32 ": 1, 3, 9.9 and 10 ms fire at 10 ms, 10.1 at 20 ms",
                k->name, lane);
    }

    subject s = make(k, 0);
    set_slop(&s, 0, 10 * MS);
    arm(&s, 3 * MS, 1);
    arm_in(&s, 1, 3 * MS, 2);
    is_text(fires(&s, 3 * MS), "2", "SLP-01 %s: insert uses lane 0: its slop does not touch lane 1", s.name);
    is_text(fires(&s, 10 * MS), "1", "SLP-01 %s: and rounds what has no lane named", s.name);
    drop(&s);

    s = make(k, 0);
    set_slop(&s, 1, 10 * MS);
    for (uint64_t i = 0; i < 9; i++)
        arm_in(&s, 1, (int64_t)(i + 1) * MS + (int64_t)i, i);
    is_text(fires(&s, 10 * MS - 1), "", "SLP-03 %s: nine neighbours in a lane", s.name);
    is_text(fires(&s, 10 * MS), "0 1 2 3 4 5 6 7 8", "SLP-03 WHL-30 %s: fire in one wake, in deadline order", s.name);
    drop(&s);
}

static void reading_it(const kind *k)
{
    subject s = make(k, 0);
    int wrong = 0;
    for (uint32_t lane = 0; lane < TB_LANES; lane++)
        wrong += tb_timers_slop_of(s.set, lane).ns != 0;
    none_of(wrong, "SLP-04 %s: every lane starts with no slop", s.name);
    set_slop(&s, 1, 10 * MS);
    is(tb_timers_slop_of(s.set, 1).ns, 10 * MS, "SLP-04 %s: set 10 ms, reads 10 ms", s.name);
    is(tb_timers_slop_of(s.set, 0).ns + tb_timers_slop_of(s.set, 2).ns, 0, "SLP-04 %s: its neighbours are as they were",
       s.name);
    set_slop(&s, 1, 1900 * US);
    is(tb_timers_slop_of(s.set, 1).ns, MS, "SLP-04 %s: set 1.9 ms, reads 1 ms", s.name);
    arm_in(&s, 1, 2500 * US, 1);
    is_text(fires(&s, 3 * MS), "1", "SLP-04 %s: which behaves as none", s.name);
    set_slop(&s, 1, 2 * MS - 1);
    arm_in(&s, 1, 5 * MS, 1);
    is_text(fires(&s, 5 * MS), "1", "SLP-04 %s: as does anything under two ticks", s.name);
    set_slop(&s, 1, 2 * MS);
    arm_in(&s, 1, 7 * MS, 1);
    is_text(fires(&s, 7 * MS), "", "SLP-04 SLP-02 %s: two ticks are a slop: 7 ms is not due at 7", s.name);
    is_text(fires(&s, 8 * MS), "1", "SLP-04 SLP-02 %s: but at 8 ms", s.name);
    static const int64_t none[] = {0, -1, -MS, -10 * MS, INT64_MIN, 999999};
    for (int i = 0; i < 6; i++) {
        set_slop(&s, 1, 10 * MS);
        set_slop(&s, 1, none[i]);
        wrong += tb_timers_slop_of(s.set, 1).ns != 0;
    }
    none_of(wrong, "SLP-04 %s: set 0, a negative one or less than a tick, reads 0", s.name);
    set_slop(&s, 7, 12345678);
    is(tb_timers_slop_of(s.set, 7).ns, 12 * MS, "SLP-04 %s: whole ticks, truncated", s.name);
    arm_in(&s, 7, 13 * MS, 1);
    is_text(fires(&s, 24 * MS - 1), "", "SLP-04 SLP-02 %s: and rounds by those: 13 ms is not due before 24", s.name);
    is_text(fires(&s, 24 * MS), "1", "SLP-04 SLP-02 %s: but then", s.name);
    drop(&s);
}

static void changing_it(const kind *k)
{
    subject s = make(k, 0);
    expire(&s, 10 * MS);
    set_slop(&s, 1, 10 * MS);
    arm_in(&s, 1, 22500 * US, 1);
    set_slop(&s, 1, 0);
    arm_in(&s, 1, 22500 * US, 2);
    is_text(fires(&s, 23 * MS - 1), "", "SLP-05 %s: at 10 ms, +12.5 ms in a lane of 10 ms, then without:", s.name);
    is_text(fires(&s, 23 * MS), "2", "SLP-05 %s: the second fires at 23 ms", s.name);
    is_text(fires(&s, 30 * MS - 1), "", "SLP-05 %s: the first, not moved by the change,", s.name);
    is_text(fires(&s, 30 * MS), "1", "SLP-05 %s: at 30 ms", s.name);
    drop(&s);

    s = make(k, 0);
    arm_in(&s, 1, 3 * MS, 1);
    set_slop(&s, 1, 100 * MS);
    is_text(fires(&s, 3 * MS), "1", "SLP-05 %s: nor does a slop set later make an armed timer late", s.name);
    drop(&s);
}

static void not_for_the_precise(const kind *k)
{
    subject s = make(k, 0);
    set_slop(&s, 1, 10 * MS);
    set_slop(&s, 0, 10 * MS);
    arm_in(&s, 1, 400 * US, 1);
    ok(precise(&s, 1), "SLP-07 %s: 400 us off in a lane of 10 ms slop is precise", s.name);
    is_text(fires(&s, 400 * US - 1), "", "SLP-07 %s: not due before", s.name);
    is_text(fires(&s, 400 * US), "1", "SLP-07 %s: fires at 400 us", s.name);
    if (!k->keyed) {
        arm_precise(&s, 12345678, 2);
        is_text(fires(&s, 12345677), "", "SLP-07 %s: insert_precise is unaffected:", s.name);
        is_text(fires(&s, 12345678), "2", "SLP-07 %s: it fires at its nanosecond", s.name);
    }
    drop(&s);
}

/* Random slops, deadlines and presents: what each timer fires at, and what it is, by the closed form. */
static void how_late(const kind *k)
{
    uint64_t random = 9;
    int early = 0, late = 0, mistaken = 0, elsewhere = 0;
    for (int round = 0; round < 3000; round++) {
        int64_t start = random_count(&random) / 2, slop = 2 + (int64_t)(random_next(&random) % 999);
        uint32_t lane = (uint32_t)(random_next(&random) % TB_LANES);
        subject s = make(k, start);
        set_slop(&s, lane, slop * MS + (int64_t)(random_next(&random) % 1000000));
        int64_t now = start + (int64_t)(random_next(&random) % (uint64_t)(5 * SEC)), off = random_count(&random) >> 24;
        expire(&s, now);
        int64_t at = now + off;
        arm_in(&s, lane, at, 1);
        mistaken += precise(&s, 1) != (off < TICK);
        int64_t due = off < TICK ? (at > now ? at : now)
                                 : start + ((at - start + TICK - 1) / TICK + slop - 1) / slop * slop * TICK;
        if (due > now)
            early += expire(&s, due - 1) != 0;
        elsewhere += expire(&s, due) != 1;
        if (off >= TICK)
            late += due - at < 0 || due - at >= slop * MS;
        drop(&s);
    }
    none_of(early, "SLP-06 %s: slops of 2 to 1000 ticks make no timer early", k->name);
    none_of(mistaken, "SLP-06 %s: whether it is precise depends on the tick test alone", k->name);
    none_of(elsewhere, "SLP-02 EQ-03 %s: each fires at the next multiple of the slop on the set's grid", k->name);
    none_of(late, "SLP-09 %s: less than the slop late", k->name);
}

int main(void)
{
    each_kind(rounding);
    each_kind(reading_it);
    each_kind(changing_it);
    each_kind(not_for_the_precise);
    each_kind(how_late);
    return sets_done();
}
