/* test_hermite.c - Hermite block steps on star clusters: energy, against shared steps, the slow contraction of a core.
 */
#include "physics/group.h"

static double median(int n, double *values)
{
    qsort(values, (size_t)n, sizeof *values, ascending);
    return values[n / 2];
}

/* Median over seeds of |dE/E| of a Plummer model with eta = 0.01, eps = 1/256. */
static double plummer_error(int64_t n, const char *arithmetic, double end, int seeds)
{
    double error[8];
    for (int k = 0; k < seeds; k++) {
        myr_particles *p = make_model(context, "plummer", n, (uint64_t)k + 1, NULL);
        myr_simulation *s = new_motion(p, arithmetic, 1.0 / 256, "hermite4", SETTINGS({"eta", 0.01, NULL}));
        const double before = energy_now(context, s);
        run_to(context, s, end);
        error[k] = fabs(energy_now(context, s) / before - 1);
        if (getenv("MYRIAD_SHOW_ERRORS"))
            fprintf(stderr, "plummer %lld %s seed %d: %.3g, %lld blocks, %.3g pairs\n", (long long)n, arithmetic, k + 1,
                    error[k], (long long)progress_of(context, s).steps, (double)progress_of(context, s).pairs);
        myr_simulation_destroy(&s);
    }
    return median(seeds, error);
}

/* MYRIAD_TEST_LONG: the whole of it, N = 1024 to t = 10, below 1e-7 in double and 1e-6 in mixed arithmetic. */
static void test_plummer(void **state)
{
    (void)state;
    const int whole = getenv("MYRIAD_TEST_LONG") != NULL;
    const int64_t n = whole ? 1024 : 256;
    const double end = whole ? 10 : 1;
    expect_below("double arithmetic", plummer_error(n, "double", end, 5), whole ? 1e-7 : 6e-8); /* seen 1.6e-8 */
    expect_below("mixed arithmetic", plummer_error(n, "mixed", end, 5), whole ? 1e-6 : 6e-8);   /* seen 1.5e-8 */
}

/* A concentrated cluster: the core's steps are short, the halo's long. Blocks reach the same place with far fewer
 * pairs, and no energy is lost by it. */
static void test_block_against_shared(void **state)
{
    (void)state;
    const char *const kind[] = {"hermite4", "hermite4_shared"};
    myr_simulation *s[2];
    myr_progress done[2];
    bodies b[2];
    double error[2];
    for (int k = 0; k < 2; k++) {
        myr_particles *p = make_model(context, "king", 1024, 1, SETTINGS({"W0", 9, NULL}));
        s[k] = new_motion(p, "double", 1.0 / 1024, kind[k], NULL);
        const double before = energy_now(context, s[k]);
        run_to(context, s[k], 0x1p-4);
        b[k] = bodies_now(context, s[k]);
        done[k] = progress_of(context, s[k]);
        error[k] = fabs(energy_now(context, s[k]) / before - 1);
    }
    expect_below("block against shared, distance", farthest(&b[0], &b[1]), 5e-8);                 /* seen 1.0e-8 */
    expect_below("block, energy", error[0], 1.5e-8);                                              /* seen 3.3e-9 */
    expect_below("shared, energy", error[1], 6e-9);                                               /* seen 1.2e-9 */
    expect_below("pairs, block over shared", (double)done[0].pairs / (double)done[1].pairs, 0.2); /* seen 1/21 */
    for (int k = 0; k < 2; k++)
        myr_simulation_destroy(&s[k]);
}

/* Radius from the centre of mass with a fraction of all (equal) masses inside, of bound stars' density centre: here the
 * mean of the innermost half, found by iteration. */
static void lagrangian(const bodies *b, double *tenth, double *half)
{
    double centre[3] = {0}, *r = malloc((size_t)b->n * sizeof *r), *sorted = malloc((size_t)b->n * sizeof *r);
    assert_true(r && sorted);
    for (int round = 0; round < 12; round++) {
        for (int64_t i = 0; i < b->n; i++)
            r[i] = sorted[i] =
                sqrt(pow(b->x[0][i] - centre[0], 2) + pow(b->x[1][i] - centre[1], 2) + pow(b->x[2][i] - centre[2], 2));
        qsort(sorted, (size_t)b->n, sizeof *r, ascending);
        *tenth = sorted[b->n / 10];
        *half = sorted[b->n / 2];
        double next[3] = {0}, count = 0;
        for (int64_t i = 0; i < b->n; i++)
            if (r[i] <= *half) {
                count++;
                for (int c = 0; c < 3; c++)
                    next[c] += b->x[c][i];
            }
        for (int c = 0; c < 3; c++)
            centre[c] = next[c] / count;
    }
    free(r);
    free(sorted);
}

/* Without softening the core contracts long before it collapses while the half-mass radius stays (Giersz and Heggie
 * 1994): means over five seeds. MYRIAD_TEST_LONG runs to t = 60 instead of 20. */
static void test_contraction(void **state)
{
    (void)state;
    const double end = getenv("MYRIAD_TEST_LONG") ? 60 : 20;
    double before[2] = {0}, after[2] = {0};
    for (int k = 0; k < 5; k++) {
        myr_simulation *s = new_motion(make_model(context, "plummer", 256, (uint64_t)k + 1, NULL), "double", 0,
                                       "hermite4", SETTINGS({"eta", 0.02, NULL}));
        double tenth, half;
        bodies b = bodies_now(context, s);
        lagrangian(&b, &tenth, &half);
        before[0] += tenth / 5;
        before[1] += half / 5;
        const double energy = energy_now(context, s);
        const int windows = 8; /* averaged over the last fifth of the time, as radii of few stars jump */
        for (int w = 1; w <= windows; w++) {
            run_to(context, s, end * (0.8 + 0.2 * w / windows));
            b = bodies_now(context, s);
            lagrangian(&b, &tenth, &half);
            after[0] += tenth / (5 * windows);
            after[1] += half / (5 * windows);
        }
        if (getenv("MYRIAD_SHOW_ERRORS"))
            fprintf(stderr, "seed %d r10 %.3f r50 %.3f dE/E %.2g steps %lld\n", k + 1, tenth, half,
                    energy_now(context, s) / energy - 1, (long long)progress_of(context, s).particle_steps);
        myr_simulation_destroy(&s);
    }
    expect_about("10 % radius, after over before", after[0] / before[0], end > 20 ? 0.65 : 0.85,
                 0.1); /* seen 0.687, 0.864 */
    expect_about("half-mass radius, after over before", after[1] / before[1], 1,
                 end > 20 ? 0.15 : 0.04); /* 1.055, 1.009 */
}

/* Blocks that count from an odd time, in steps that are no powers of two, stay blocks: the same block steps as from 0,
 * and everybody meets at the end. */
static void test_odd_times(void **state)
{
    (void)state;
    int64_t steps[2];
    for (int k = 0; k < 2; k++) {
        const double dt = k ? 0.1 : 0.125, begin = k ? 0.3 : 0; /* 0.3 + multiples of 0.1 2^-k are not exact */
        myr_simulation *s = new_motion(make_model(context, "plummer", 128, 1, NULL), "double", 1.0 / 64, "hermite4",
                                       SETTINGS({"dt_max", dt, NULL}));
        expect_ok(context, myr_simulation_set_time(s, begin));
        const double before = energy_now(context, s);
        run_to(context, s, begin + 1);
        run_to(context, s, begin + 2);
        expect_below("energy", fabs(energy_now(context, s) / before - 1), 2e-7); /* seen 4.9e-8, 5.3e-8 */
        steps[k] = progress_of(context, s).steps;
        assert_true(progress_of(context, s).largest_step <= dt);
        myr_simulation_destroy(&s);
    }
    expect_about("block steps, odd over even", (double)steps[1] / (double)steps[0], 1, 0.08); /* seen 1.02 */
}

/* Bodies at rest have no jerk: their first step comes from the second derivative. One that is at the centre of symmetry
 * has no acceleration. */
static void test_first_steps(void **state)
{
    (void)state;
    const double x[] = {0, 0, 0, 1e-3, 0, 0, 1, 0, 0, 0, 1, 0}, zeros[12] = {0};
    myr_particles *p = new_particles(context, 4);
    set_field(p, "position", 3, x);
    set_field(p, "velocity", 3, zeros);
    fill_field(p, "mass", 0.25);
    myr_simulation *s = new_motion(p, "double", 0, "hermite4", NULL);
    expect_ok(context, myr_simulation_step(s, 1));
    /* free fall from rest over d = 1e-3: sqrt(d^3/m) = 6.3e-5; far bodies: 1 */
    const myr_progress done = progress_of(context, s);
    assert_true(done.time > 6.3e-8 && done.time < 6.3e-7); /* seen 2.4e-7 */
    assert_true(done.largest_step > 1e-3);                 /* seen 0.031 */
    myr_simulation_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_steps),          cmocka_unit_test(test_odd_times),
        cmocka_unit_test(test_block_against_shared), cmocka_unit_test(test_plummer),
        cmocka_unit_test(test_contraction),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
