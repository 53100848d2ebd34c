/* Keyed sets: the caller owns the names, one timer a key. */
#include "sets.h"
#include "tests/calendar/random.h"

static void one_timer_a_key(const kind *k)
{
    subject s = make_with(k, 0, (tb_timers_options){.keys = 4});
    ok(tb_timers_arm_key(s.set, 2, instant(5 * MS)), "WHL-55 %s: arm_key(2, 5 ms)", s.name);
    ok(tb_timers_is_pending_key(s.set, 2), "WHL-55 %s: is pending", s.name);
    ok(tb_timers_arm_key(s.set, 2, instant(9 * MS)), "WHL-55 %s: arm_key(2, 9 ms) of the pending key", s.name);
    ok(counts(&s, 1, 1, 0, 0, 1) && len(&s) == 1, "WHL-55 CNT-14 %s: len 1, armed 1, rearmed 1", s.name);
    is_text(fires(&s, 5 * MS), "", "WHL-55 %s: nothing at 5 ms", s.name);
    is_text(fires(&s, 9 * MS), "2", "WHL-55 %s: token 2 at 9 ms", s.name);
    is(s.out.items[0].deadline.ns, 9 * MS, "WHL-55 %s: deadline 9 ms", s.name);
    ok(!tb_timers_is_pending_key(s.set, 2) && !tb_timers_cancel_key(s.set, 2),
       "WHL-55 %s: fired, the key names no timer", s.name);
    ok(tb_timers_arm_key(s.set, 2, instant(12 * MS)), "WHL-55 %s: arm_key(2, 12 ms)", s.name);
    ok(tb_timers_cancel_key(s.set, 2), "WHL-55 %s: cancel_key is true", s.name);
    ok(!tb_timers_cancel_key(s.set, 2), "WHL-55 %s: and again false", s.name);
    ok(counts(&s, 2, 1, 1, 1, 0), "WHL-55 %s: armed 2, cancelled 1, fired 1", s.name);
    is_text(fires(&s, SEC), "", "WHL-55 %s: nothing fires after that", s.name);
    drop(&s);

    s = make_with(k, 0, (tb_timers_options){.keys = 4});
    arm(&s, 5 * MS, 3);
    arm(&s, 5 * MS, 0);
    arm(&s, 5 * MS, 3);
    is_text(fires(&s, 5 * MS), "0 3", "WHL-55 %s: a key armed again takes a new place in arm order", s.name);
    drop(&s);

    s = make_with(k, 0, (tb_timers_options){.keys = 4});
    arm(&s, 300 * US, 1);
    ok(tb_timers_is_precise_key(s.set, 1), "WHL-55 WHL-09 %s: a near one is precise", s.name);
    arm(&s, 5500 * US, 1);
    ok(!tb_timers_is_precise_key(s.set, 1), "WHL-55 WHL-53 %s: moved to 5.5 ms it is not", s.name);
    is_text(fires(&s, 6 * MS - 1), "", "WHL-55 WHL-53 %s: and fires at its tick,", s.name);
    is_text(fires(&s, 6 * MS), "1", "WHL-55 WHL-53 %s: 6 ms", s.name);
    drop(&s);
}

static void outside_the_capacity(const kind *k)
{
    static const uint32_t outside[] = {4, 5, 1000, UINT32_MAX / 2, UINT32_MAX / 2 + 1, UINT32_MAX};
    subject s = make_with(k, 0, (tb_timers_options){.keys = 4});
    for (int full = 0; full < 2; full++) {
        tb_timers_stats before = stats_of(&s);
        for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
            errno = 0;
            ok(!tb_timers_arm_key(s.set, outside[i], instant(5 * MS)) && errno == ERANGE,
               "WHL-64 %s: capacity 4, arm_key(%" PRIu32 ") is false, ERANGE", s.name, outside[i]);
            errno = 0;
            ok(!tb_timers_arm_key_in(s.set, 1, outside[i], instant(5 * MS)) && errno == ERANGE,
               "WHL-64 %s: in a lane as well", s.name);
            ok(!tb_timers_cancel_key(s.set, outside[i]) && !tb_timers_is_pending_key(s.set, outside[i]) &&
                   !tb_timers_is_precise_key(s.set, outside[i]),
               "WHL-64 %s: it names nothing", s.name);
        }
        ok(same_stats(before, stats_of(&s)) && len(&s) == (full ? 4 : 0), "WHL-64 %s: and nothing changed", s.name);
        for (uint64_t key = 0; key < 4; key++)
            arm(&s, 5 * MS, key);
    }
    is_text(fires(&s, 5 * MS), "0 1 2 3", "WHL-64 %s: keys 0 to 3 are inside", s.name);
    drop(&s);
}

static void lanes_of_keys(const kind *k)
{
    subject s = make_with(k, 0, (tb_timers_options){.keys = 4});
    set_slop(&s, 1, 10 * MS);
    tb_timers_arm_key(s.set, 0, instant(5 * MS));
    tb_timers_arm_key_in(s.set, 1, 0, instant(3 * MS));
    tb_timers_arm_key(s.set, 0, instant(4 * MS));
    is(len(&s), 1, "WHL-65 %s: armed in lane 0, moved to lane 1, armed without a lane: one timer", s.name);
    is_text(fires(&s, 10 * MS - 1), "", "WHL-65 %s: it is in lane 1:", s.name);
    is_text(fires(&s, 10 * MS), "0", "WHL-65 %s: fires at 10 ms", s.name);
    ok(counts(&s, 1, 2, 0, 1, 0), "WHL-65 CNT-14 %s: armed 1, rearmed 2", s.name);
    tb_timers_arm_key(s.set, 0, instant(12 * MS));
    is_text(fires(&s, 12 * MS), "0", "WHL-65 %s: a key that is not pending is armed in lane 0 again", s.name);

    tb_timers_arm_key_in(s.set, 1, 2, instant(13 * MS));
    tb_timers_arm_key_in(s.set, 0, 2, instant(13 * MS));
    is_text(fires(&s, 13 * MS), "2", "WHL-65 %s: moved back to lane 0 it fires at its tick", s.name);

    /* The lane is moved also where the timer is precise, left due, or never due. */
    tb_timers_arm_key(s.set, 1, instant(13 * MS + 1));
    tb_timers_arm_key_in(s.set, 1, 1, instant(13 * MS + 2));
    tb_timers_arm_key(s.set, 1, instant(15 * MS));
    ok(wakes_at(&s, 20 * MS), "WHL-65 %s: a precise timer takes the lane, and keeps it", s.name);
    tb_timers_arm_key_in(s.set, 0, 1, instant(INT64_MAX));
    tb_timers_arm_key_in(s.set, 1, 1, instant(INT64_MAX));
    tb_timers_arm_key(s.set, 1, instant(16 * MS));
    ok(wakes_at(&s, 20 * MS), "WHL-65 %s: so does one that is never due", s.name);
    expire_max(&s, 20 * MS, 0);
    tb_timers_arm_key_in(s.set, 0, 1, instant(22 * MS));
    is_text(fires(&s, 22 * MS), "1", "WHL-65 %s: and one that a cut batch left", s.name);
    drop(&s);
}

static void refused_options(const kind *k)
{
    tb_timers_options both = {.keys = 4, .ids = true};
    errno = 0;
    ok(!tb_timers_make(k->impl, instant(0), &both), "WHL-56 %s: ids and keys in one set are refused",
       tb_impl_name(k->impl));
    is(errno, EINVAL, "WHL-56 %s: errno EINVAL", tb_impl_name(k->impl));
    tb_timers_options many = {.keys = 1u << 31};
    errno = 0;
    ok(!tb_timers_make(k->impl, instant(0), &many) && errno == EINVAL, "WHL-56 %s: so are 2^31 keys",
       tb_impl_name(k->impl));
    tb_timers_options ids = {.ids = true}, keys = {.keys = (1u << 31) - 1};
    tb_timers *by_id = tb_timers_make(k->impl, instant(0), &ids),
              *by_default = tb_timers_make(k->impl, instant(0), NULL);
    ok(by_id && !tb_timer_is_none(tb_timers_insert(by_id, instant(MS), 1)), "WHL-56 %s: ids alone make a set", k->name);
    ok(by_default && !tb_timer_is_none(tb_timers_insert(by_default, instant(MS), 1)), "WHL-56 %s: so does no option",
       k->name);
    tb_timers *by_key = tb_timers_make(k->impl, instant(0), &keys);
    ok(by_key && tb_timers_arm_key(by_key, 0, instant(MS)), "WHL-56 WHL-64 %s: and 2^31 - 1 keys", k->name);
    ok(by_key && tb_timers_bytes(by_key) < 1000000, "WHL-55 %s: whose memory is that of the keys used", k->name);
    tb_timers_destroy(by_id);
    tb_timers_destroy(by_default);
    tb_timers_destroy(by_key);
    tb_timers_destroy(NULL);
}

/* Keys in no order, sparse, each at its own deadline. */
static void any_keys(const kind *k)
{
    enum { KEYS = 3000, ROUNDS = 40000 };
    static int64_t at[KEYS];
    uint64_t random = 55;
    int wrong = 0;
    size_t live = 0;
    memset(at, 0, sizeof at);
    subject s = make_with(k, 0, (tb_timers_options){.keys = KEYS});
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t key = (uint32_t)(random_next(&random) % KEYS);
        wrong += tb_timers_is_pending_key(s.set, key) != (at[key] != 0);
        if (random_next(&random) % 3) {
            live += at[key] == 0;
            at[key] = 1 + (int64_t)(random_next(&random) % (uint64_t)(100 * SEC));
            wrong += !tb_timers_arm_key(s.set, key, instant(at[key]));
        } else {
            wrong += tb_timers_cancel_key(s.set, key) != (at[key] != 0);
            live -= at[key] != 0;
            at[key] = 0;
        }
        wrong += len(&s) != live;
    }
    for (int64_t now = SEC; now <= 100 * SEC; now += SEC) {
        expire(&s, now);
        for (size_t i = 0; i < s.out.len; i++) {
            int64_t *mine = &at[s.out.items[i].token];
            wrong += *mine == 0 || s.out.items[i].deadline.ns != *mine || *mine > now || *mine <= now - SEC - MS;
            *mine = 0;
        }
    }
    wrong += len(&s) != 0;
    none_of(wrong, "WHL-55 %s: 40000 random arms and cancels of 3000 keys: each key's last deadline fires, once",
            k->name);
    drop(&s);
}

int main(void)
{
    each_by_key(one_timer_a_key);
    each_by_key(outside_the_capacity);
    each_by_key(lanes_of_keys);
    each_by_id(refused_options);
    each_by_key(any_keys);
    return sets_done();
}
