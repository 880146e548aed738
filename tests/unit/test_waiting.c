/* test_waiting.c - how threads wait: the judgement of a crowded machine, threads by work, sleep that changes no bit. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "conformance/scene.h"
#include "core/waiting.h"

/* Feeds measurements, one every 20 ms of which the thread waited the given share, and returns the last judgement. */
static int feed(myr_waiting_record *r, int count, double share)
{
    int crowded = r->crowded;
    for (int k = 0; k < count; k++)
        crowded = myr_waiting_judge(r, r->since + 0.02, r->delay + 0.02 * share);
    return crowded;
}

static void test_judgement(void **state)
{
    (void)state;
    myr_waiting_record r = {.since = 1000};
    assert_int_equal(feed(&r, 100, 0), 0);
    assert_int_equal(feed(&r, 100, 0.2), 0); /* what daemons take */
    assert_int_equal(feed(&r, 1, 0.5), 1);   /* one program per core: half the time */
    assert_int_equal(feed(&r, 100, 0.1), 1); /* sleeping threads see less of the others */
    assert_int_equal(feed(&r, 3, 0), 1);
    assert_int_equal(feed(&r, 3, 0), 0); /* a tenth of a second without others */
}

/* On a machine that is crowded again soon after it seemed quiet, threads spin again ever later. */
static void test_patience(void **state)
{
    (void)state;
    myr_waiting_record r = {.since = 1000};
    int needed[8];
    for (int round = 0; round < 8; round++) {
        assert_int_equal(feed(&r, 1, 0.5), 1);
        for (needed[round] = 1; feed(&r, 1, 0); needed[round]++)
            assert_true(needed[round] < 1000);
    }
    for (int round = 1; round < 6; round++)
        assert_true(needed[round] > 3 * needed[round - 1] / 2);
    assert_true(needed[7] <= 251); /* five seconds at most */
    assert_int_equal(feed(&r, 1000, 0), 0);
    assert_int_equal(feed(&r, 1, 0.5), 1); /* after a long quiet time patience is short again */
    assert_int_equal(feed(&r, 6, 0), 0);
}

/* Number of threads of the program; 0 if the system does not tell. */
static int tasks(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    for (const struct dirent *entry = NULL; folder && (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return count;
}

static void test_work(void **state)
{
    (void)state;
    myr_context *context;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    assert_int_equal(myr_waiting_threads(context, 4, 0), 1);
    assert_int_equal(myr_waiting_threads(context, 4, 5e-6), 2);
    assert_int_equal(myr_waiting_threads(context, 4, 1), 4);
    assert_int_equal(myr_waiting_threads(context, 1, 1), 1);
    myr_waiting_set(context, 1);
    if (myr_waiting_asleep(context)) { /* waking a thread takes longer than 10 microseconds of work */
        assert_int_equal(myr_waiting_threads(context, 4, 10e-6), 1);
        assert_int_equal(myr_waiting_threads(context, 4, 500e-6), 2);
        assert_int_equal(myr_waiting_threads(context, 4, 1), 4);
    }
    myr_context_destroy(&context);
}

/* 1 if the program comes to have two threads (many = 0) or more (1) within a second. */
static int tasks_become(int many)
{
    for (int k = 0; k < 1000 && tasks() > 0 && (tasks() > 2) != many; k++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return tasks() == 0 || (tasks() > 2) == many;
}

/* Hash of the accelerations of 3000 particles by two threads. */
static uint64_t evaluate(myr_interaction *f, myr_particles *particles)
{
    uint64_t hash = 0;
    assert_int_equal(myr_interaction_evaluate(f, particles, particles), MYR_OK);
    assert_int_equal(myr_particles_hash(particles, "acceleration", &hash), MYR_OK);
    return hash;
}

static void test_sleep(void **state)
{
    (void)state;
    myr_context *context;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    assert_int_equal(myr_context_set_threads(context, 2), MYR_OK);
    myr_particles *particles = scene_particles(context, "gravity", 3000, 1, 0, 0);
    myr_interaction *f = scene_interaction(context, "gravity");
    const uint64_t before = evaluate(f, particles);
#ifdef __clang__
    const int sleeps = 0; /* only with the OpenMP library of GCC */
#else
    const int sleeps = myr_context_threads(context) == 2; /* without OpenMP nobody waits */
#endif
    for (int round = 0; round < 3 && sleeps; round++) {
        myr_waiting_set(context, 1);
        assert_int_equal(myr_waiting_asleep(context), 1);
        assert_true(tasks_become(1));
        assert_true(evaluate(f, particles) == before);
        myr_waiting_set(context, 0);
        assert_int_equal(myr_waiting_asleep(context), 0);
        assert_true(tasks_become(0)); /* nobody is left behind */
    }
    myr_waiting_set(context, 1); /* a context may go while threads sleep */
    myr_interaction_destroy(&f);
    myr_particles_destroy(&particles);
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judgement),
        cmocka_unit_test(test_patience),
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_sleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
