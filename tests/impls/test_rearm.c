/* Rearming: a timer moved to another deadline keeps its name, and takes a new place in arm order. */
#include "sets.h"
#include "tests/calendar/random.h"

static void it_moves(const kind *k)
{
    subject s = make(k, 0);
    arm(&s, 5 * MS, 1);
    arm(&s, 10 * MS, 2);
    tb_timer_id a = s.ids[1];
    ok(rearm(&s, 1, 10 * MS), "WHL-52 GB-14 %s: rearm of a pending timer is true", s.name);
    is_text(fires(&s, 5 * MS), "", "WHL-52 %s: it no longer fires at 5 ms", s.name);
    is_text(fires(&s, 10 * MS), "2 1", "WHL-52 %s: but at 10 ms, after the one armed before the move", s.name);
    ok(tb_timer_same(s.out.items[1].id, a), "WHL-52 %s: with its old id", s.name);
    is(s.out.items[1].deadline.ns, 10 * MS, "WHL-52 WHL-32 %s: and its new deadline", s.name);
    ok(!rearm(&s, 1, 30 * MS), "WHL-52 %s: rearm of a fired timer is false", s.name);
    ok(counts(&s, 2, 1, 0, 2, 0), "WHL-54 %s: armed 2, rearmed 1, cancelled 0, fired 2, pending 0", s.name);
    is(expire(&s, SEC), 0, "WHL-52 %s: and changes nothing", s.name);

    arm(&s, 2 * SEC, 3);
    cancel(&s, 3);
    tb_timers_stats before = stats_of(&s);
    ok(!rearm(&s, 3, 3 * SEC), "WHL-52 %s: nor does one of a cancelled timer", s.name);
    ok(same_stats(before, stats_of(&s)) && wakes_never(&s), "WHL-52 %s: no counter, no timer", s.name);
    drop(&s);

    s = make(k, 0);
    arm(&s, 200 * MS, 1);
    rearm(&s, 1, 5 * MS);
    ok(wakes_at(&s, 5 * MS), "WHL-52 WHL-24 %s: rearmed to earlier, the next wake is earlier", s.name);
    is_text(fires(&s, 5 * MS - 1), "", "WHL-52 %s: it is not early", s.name);
    is_text(fires(&s, 5 * MS), "1", "WHL-52 %s: nor late", s.name);
    drop(&s);

    s = make(k, 0);
    arm(&s, 5 * MS, 1);
    arm(&s, 5 * MS, 2);
    rearm(&s, 1, 5 * MS);
    is_text(fires(&s, 5 * MS), "2 1", "WHL-52 %s: rearmed to the same deadline, it is behind the other", s.name);
    drop(&s);
}

static void kinds_by_id(const kind *k)
{
    subject s = make(k, 0);
    arm_precise(&s, 20 * MS, 1);
    rearm(&s, 1, 40500 * US);
    ok(precise(&s, 1), "WHL-53 %s: an insert_precise timer rearmed to 40.5 ms is precise", s.name);
    is_text(fires(&s, 40499999), "", "WHL-53 %s: 0 due at 40.499999 ms", s.name);
    is_text(fires(&s, 40500 * US), "1", "WHL-53 %s: 1 at 40.5 ms", s.name);
    drop(&s);
}

static void kinds(const kind *k)
{
    subject s = make(k, 0);
    arm(&s, 50 * MS, 1);
    ok(!precise(&s, 1), "WHL-53 %s: a timeout at 50 ms", s.name);
    rearm(&s, 1, 300 * US);
    ok(precise(&s, 1), "WHL-53 %s: rearmed to 300 us is precise", s.name);
    is_text(fires(&s, 300 * US - 1), "", "WHL-53 %s: not due 1 ns before", s.name);
    is_text(fires(&s, 300 * US), "1", "WHL-53 %s: fires at 300 us", s.name);
    drop(&s);

    s = make(k, 0);
    arm(&s, 700 * US, 1);
    ok(precise(&s, 1), "WHL-53 %s: a timer at 700 us is precise", s.name);
    rearm(&s, 1, 5500 * US);
    ok(!precise(&s, 1), "WHL-53 %s: rearmed to 5.5 ms it is not", s.name);
    is_text(fires(&s, 6 * MS - 1), "", "WHL-53 %s: not due before its tick", s.name);
    is_text(fires(&s, 6 * MS), "1", "WHL-53 %s: fires at 6 ms", s.name);
    drop(&s);

    s = make(k, 0);
    set_slop(&s, 1, 10 * MS);
    arm_in(&s, 1, 12 * MS, 1);
    arm_in(&s, 1, 12 * MS, 2);
    set_slop(&s, 1, 0);
    ok(wakes_at(&s, 20 * MS),
       "WHL-53 SLP-05 %s: in a lane of 10 ms slop, 12 ms is due at 20 ms, also once the slop is gone", s.name);
    rearm(&s, 1, 12 * MS);
    is_text(fires(&s, 12 * MS - 1), "", "WHL-53 %s: rearmed to 12 ms then,", s.name);
    is_text(fires(&s, 12 * MS), "1", "WHL-53 %s: it fires at 12 ms: the lane's slop is the present one", s.name);
    is_text(fires(&s, 20 * MS - 1), "", "WHL-53 %s: the one not rearmed", s.name);
    is_text(fires(&s, 20 * MS), "2", "WHL-53 %s: still at 20 ms", s.name);
    drop(&s);

    s = make(k, 0);
    arm_in(&s, 3, 12 * MS, 1);
    set_slop(&s, 3, 10 * MS);
    rearm(&s, 1, 13 * MS);
    is_text(fires(&s, 20 * MS - 1), "", "WHL-52 WHL-53 %s: a rearmed timer keeps its lane:", s.name);
    is_text(fires(&s, 20 * MS), "1", "WHL-52 WHL-53 %s: a slop set since rounds it", s.name);
    drop(&s);
}

/* From every state a timer may be in to every other: precise, timeout, left due by a cut batch, never due. */
static void from_each_to_each(const kind *k)
{
    static const int64_t places[] = {9 * MS, 10 * MS + 300 * US, 12500 * US, DAY, INT64_MAX, INT64_MIN};
    static const int64_t fires_at[] = {10 * MS, 10 * MS + 300 * US, 13 * MS, DAY, -1, 10 * MS};
    enum { N = sizeof places / sizeof *places };
    int wrong = 0;
    for (int from = 0; from <= N; from++)
        for (int to = 0; to < N; to++) {
            subject s = make(k, 0);
            arm(&s, from == N ? 9500 * US : 50 * MS, 1);
            arm(&s, 2 * DAY, 2);
            expire_max(&s, 10 * MS, 0); /* from == N: due, and left */
            if (from < N)
                wrong += !rearm(&s, 1, places[from]);
            wrong += !rearm(&s, 1, places[to]);
            wrong += precise(&s, 1) != (places[to] < 11 * MS);
            int64_t due = fires_at[to] < 0 ? INT64_MAX : fires_at[to];
            if (fires_at[to] > 10 * MS)
                wrong += expire(&s, due - 1) != 0;
            if (fires_at[to] >= 0)
                wrong += strcmp(fires(&s, due), "1") != 0;
            else
                wrong += !pending(&s, 1) || !cancel(&s, 1);
            wrong += stats_of(&s).rearmed != (from < N ? 2 : 1);
            drop(&s);
        }
    none_of(wrong, "WHL-52 WHL-53 %s: from each place a timer can be in to each other, it fires once, where it belongs",
            k->name);
}

/* What the structure does on a move must leave every other timer as it was. */
static void among_others(const kind *k)
{
    enum { N = 300, MOVES = 20000 };
    static int64_t at[N];
    uint64_t random = 52;
    int wrong = 0;
    subject s = make(k, 0);
    for (uint64_t i = 0; i < N; i++)
        arm(&s, at[i] = (int64_t)(random_next(&random) % (uint64_t)(10 * SEC)), i);
    for (int i = 0; i < MOVES; i++) {
        uint64_t which = random_next(&random) % N;
        uint64_t far = UINT64_C(1) << random_next(&random) % 40;
        wrong += !rearm(&s, which, at[which] = (int64_t)(random_next(&random) % far));
        if (i % 100 == 0)
            inspect(&s);
    }
    wrong += expire(&s, 2000 * SEC) != N;
    for (size_t i = 0; i < s.out.len; i++)
        wrong += s.out.items[i].deadline.ns != at[s.out.items[i].token] ||
                 (i > 0 && s.out.items[i].deadline.ns < s.out.items[i - 1].deadline.ns);
    none_of(wrong, "WHL-52 %s: 20000 random moves of 300 timers: each fires once, with its last deadline", k->name);
    ok(counts(&s, N, MOVES, 0, N, 0), "WHL-54 %s: and only rearmed has counted them", s.name);
    drop(&s);
}

int main(void)
{
    each_kind(it_moves);
    each_by_id(kinds_by_id);
    each_kind(kinds);
    each_kind(from_each_to_each);
    each_kind(among_others);
    return sets_done();
}
