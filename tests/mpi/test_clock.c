/* test_clock.c - what the ranks took is summed up right: who is slow, who waits, and how much steps differ. */
#include <math.h>

#include "domain/clock.h"
#include "ranks.h"

enum { STEPS = 3000 };

/* Rank p takes 1 + p ms for the forces of a step, every tenth step twice as much, and waits for the last one, with whom
 * it then speaks for 1 ms; lists take 2 ms. */
static void test_times(void **state)
{
    static myr_clock clock;
    (void)state;
    myr_clock_seconds now = {.force = 5, .list = 6, .communication = 7, .all = 8, .reductions = 9, .lists = 10};
    myr_rank_times t;
    myr_clock_start(&clock, &now);
    double forces = 0, mean_idle = 0;
    for (int k = 0; k < STEPS; k++) {
        if (k % 100 == 0) { /* an output between steps, where ranks speak too */
            now.communication += 1;
            now.reductions += 2;
            myr_clock_mark(&clock, &now);
        }
        const double factor = k % 10 == 9 ? 2e-3 : 1e-3;
        now.force += factor * (1 + me);
        now.list += 2e-3;
        now.lists += k % 50 == 0; /* three more meetings, and two for every output */
        now.reductions += k % 50 == 0 ? 4 : 1;
        now.communication += 1e-3 + factor * (ranks - 1 - me);
        forces += factor;
        mean_idle += factor * (ranks - 1) / 2.0;
        myr_clock_step(&clock, &now);
    }
    now.all += 100;
    check(myr_clock_read(&clock, context, &now, &t));
    assert_true(fabs(t.seconds - 100) < 1e-6);
    assert_true(fabs(t.force + t.list + t.communication + t.idle + t.rest - 100) < 1e-6);
    const double mean = (ranks + 1) / 2.0, difference = (ranks - 1) / mean;
    assert_true(t.ranks == ranks && t.steps == STEPS && t.shown == MYR_RANK_TIMES_SHOWN);
    assert_true(fabs(t.force - forces * mean) < 1e-6 && fabs(t.force_most - forces * ranks) < 1e-6);
    assert_true(t.meetings_kept == 1 && fabs(t.meetings - (1 + 3 / 50.0 + 2 / 100.0)) < 1e-12);
    assert_true(fabs(t.list - 2e-3 * STEPS) < 1e-6 && fabs(t.list_most - t.list) < 1e-6);
    assert_true(fabs(t.difference - difference) < 1e-5 && fabs(t.difference_most - difference) < 1e-5);
    for (int k = 0; k < t.shown; k++)
        assert_true(fabs(t.last[k] - difference) < 1e-5);
    for (int k = 0; k < ranks && me == 0; k++) {
        assert_true(fabs(t.each[k].force - forces * (1 + k)) < 1e-6 && fabs(t.each[k].list - t.list) < 1e-6);
        assert_true(fabs(t.each[k].spoken - 1e-3 * STEPS - forces * (ranks - 1 - k)) < 1e-6);
        assert_true(t.each[k].memory > 1e6 && t.each[k].memory <= t.memory_most); /* a process has a megabyte */
    }
    /* the share of waiting is that of the steps that are kept */
    assert_true(fabs(t.communication - 1e-3 * STEPS) < 2e-3 * t.communication);
    assert_true(fabs(t.idle - mean_idle) <= 2e-3 * (mean_idle + t.communication));
}

/* Before the first step. */
static void test_nothing(void **state)
{
    static myr_clock clock;
    (void)state;
    const myr_clock_seconds now = {0};
    myr_rank_times t;
    myr_clock_start(&clock, &now);
    check(myr_clock_read(&clock, context, &now, &t));
    assert_true(t.steps == 0 && t.shown == 0 && t.force == 0 && t.difference == 0 && t.communication == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_times), cmocka_unit_test(test_nothing)};
    return RANKS_MAIN(tests);
}
