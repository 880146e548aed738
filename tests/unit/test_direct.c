/* test_direct.c - the direct method against a plain double loop: every small number of targets and sources, bodies at
 * the same place, few targets against many sources, what myr_interaction_last tells. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conformance/scene.h"
#include "unit/alone.h"

static myr_interaction *choose(myr_context *context, const char *kernel, const char *accumulator,
                               const char *arithmetic, const char *isa)
{
    myr_interaction *f;
    assert_int_equal(myr_interaction_create(context, kernel, &f), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "accumulator", accumulator), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", arithmetic), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "isa", isa), MYR_OK);
    return f;
}

/* a_i and phi_i as anybody would write them, and the sums of |contributions|; pairs at no distance left out. */
typedef struct {
    double value[4], size[4];
} plain;

static plain plain_gravity(const myr_particles *targets, int64_t i, const myr_particles *sources, double eps)
{
    plain sum = {{0}, {0}};
    const double *m = myr_particles_component_const(sources, "mass", 0);
    for (int64_t j = 0; j < myr_particles_count(sources); j++) {
        double d[3], r2 = eps * eps;
        for (int c = 0; c < 3; c++) {
            d[c] = myr_particles_component_const(sources, "position", c)[j] -
                   myr_particles_component_const(targets, "position", c)[i];
            r2 += d[c] * d[c];
        }
        if ((targets == sources && i == j) || r2 == 0)
            continue;
        const double f[4] = {m[j] * d[0] / (r2 * sqrt(r2)), m[j] * d[1] / (r2 * sqrt(r2)),
                             m[j] * d[2] / (r2 * sqrt(r2)), -m[j] / sqrt(r2)};
        for (int k = 0; k < 4; k++) {
            sum.value[k] += f[k];
            sum.size[k] += fabs(f[k]);
        }
    }
    return sum;
}

static void plain_check(const char *what, myr_particles *targets, const myr_particles *sources, double eps, double bar)
{
    for (int64_t i = 0; i < myr_particles_count(targets); i++) {
        const plain want = plain_gravity(targets, i, sources, eps);
        for (int k = 0; k < 4; k++) {
            const double got = k < 3 ? myr_particles_component(targets, "acceleration", k)[i]
                                     : myr_particles_component(targets, "potential", 0)[i];
            if (!(fabs(got - want.value[k]) <= bar * want.size[k]))
                fail_msg("%s: %lld targets, %lld sources: output %d of target %lld is %.17g, not %.17g", what,
                         (long long)myr_particles_count(targets), (long long)myr_particles_count(sources), k,
                         (long long)i, got, want.value[k]);
        }
    }
}

static const double bars[2] = {20 * 0x1p-24, 1e-14}; /* as in the conformance suite */

/* 0 to 34 targets and sources: every remainder of every lane width, every replication. */
static void sizes_check(myr_context *context, const char *isa, const char *accumulator)
{
    static const char *const arithmetics[] = {"mixed", "double"};
    for (int a = 0; a < 2; a++)
        for (int64_t nt = 0; nt <= 34; nt++)
            for (int64_t ns = 0; ns <= 34; ns += nt < 3 ? 1 : 3) {
                myr_particles *sources = scene_particles(context, "gravity", ns, 1, 0, 0);
                myr_particles *targets = nt == ns ? sources : scene_particles(context, "gravity", nt, 2, 1, 0);
                myr_interaction *f = choose(context, "gravity_potential", accumulator, arithmetics[a], isa);
                myr_evaluation last;
                assert_int_equal(myr_interaction_set(f, "eps", 0.25), MYR_OK);
                scene_evaluate(context, f, targets, sources);
                plain_check(isa, targets, sources, 0.25, bars[a]);
                assert_int_equal(myr_interaction_last(f, &last), MYR_OK);
                assert_int_equal(last.targets, nt);
                assert_int_equal(last.sources, ns);
                assert_int_equal(last.pairs, nt * ns);
                assert_int_equal(last.skipped, 0);
                assert_int_equal(last.repeats, 0);
                assert_true(last.splits >= 1 && last.seconds >= 0 && last.seconds_all >= last.seconds);
                assert_int_equal(last.net_exact, strcmp(accumulator, "fixed") == 0);
                myr_interaction_destroy(&f);
                if (nt != ns)
                    myr_particles_destroy(&targets);
                myr_particles_destroy(&sources);
            }
}

static void test_all_sizes(void **state)
{
    for (int i = 0; myr_isa(i); i++)
        if (isas_tested(myr_backend_isa(i))) {
            sizes_check(*state, myr_isa(i)->name, "fixed");
            sizes_check(*state, myr_isa(i)->name, "double");
        }
}

/* Several blocks of targets, several bags of sources as the method chooses them, then several splits, on threads. */
static void test_large(void **state)
{
    myr_particles *sources = scene_particles(*state, "gravity", 1501, 1, 0, 0);
    myr_particles *targets = scene_particles(*state, "gravity", 1103, 2, 1, 0);
    assert_int_equal(myr_context_set_threads(*state, 3), MYR_OK);
    for (int i = 0; myr_isa(i); i++) {
        if (!isas_tested(myr_backend_isa(i)))
            continue;
        myr_interaction *f = choose(*state, "gravity_potential", "fixed", "double", myr_isa(i)->name);
        myr_evaluation last;
        assert_int_equal(myr_interaction_set(f, "eps", 0.25), MYR_OK);
        scene_evaluate(*state, f, targets, sources);
        plain_check(myr_isa(i)->name, targets, sources, 0.25, bars[1]);
        assert_int_equal(myr_interaction_tune(f, "splits", 5), MYR_OK);
        scene_evaluate(*state, f, sources, sources);
        assert_int_equal(myr_interaction_last(f, &last), MYR_OK);
        assert_int_equal(last.splits, 5);
        plain_check(myr_isa(i)->name, sources, sources, 0.25, bars[1]);
        myr_interaction_destroy(&f);
    }
    myr_particles_destroy(&targets);
    myr_particles_destroy(&sources);
}

/* Few targets: the sources are split, which changes no bit of an order-independent sum. */
static void test_few_targets(void **state)
{
    myr_particles *sources = scene_particles(*state, "gravity", 40000, 1, 0, 0);
    myr_particles *targets = scene_particles(*state, "gravity", 64, 2, 1, 0);
    myr_interaction *f = choose(*state, "gravity", "fixed", "mixed", "auto");
    myr_evaluation last;
    uint64_t split, whole;
    assert_int_equal(myr_interaction_set(f, "eps", 0.01), MYR_OK);
    scene_evaluate(*state, f, targets, sources);
    assert_int_equal(myr_interaction_last(f, &last), MYR_OK);
    assert_true(last.splits >= 2);
    assert_int_equal(myr_particles_hash(targets, "acceleration", &split), MYR_OK);
    assert_int_equal(myr_interaction_tune(f, "splits", 1), MYR_OK);
    scene_evaluate(*state, f, targets, sources);
    assert_int_equal(myr_interaction_last(f, &last), MYR_OK);
    assert_int_equal(last.splits, 1);
    assert_int_equal(myr_particles_hash(targets, "acceleration", &whole), MYR_OK);
    assert_true(split == whole);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&sources);
    myr_particles_destroy(&targets);
}

static void put_at(myr_particles *p, int64_t i, const myr_particles *q, int64_t j)
{
    for (int c = 0; c < 3; c++)
        myr_particles_component(p, "position", c)[i] = myr_particles_component_const(q, "position", c)[j];
}

/* Bodies at the same place without softening: left out, counted, and nothing else is touched. Three in one place are
 * six pairs; a target on a source of another set is one. In small bags most pairs do not meet themselves and go through
 * the fast loop, which has to notice. */
static void coincident_check(myr_context *context, const char *accumulator, const char *arithmetic, const char *isa,
                             int64_t bag)
{
    const double bar = strcmp(arithmetic, "double") == 0 ? bars[1] : bars[0];
    const int floats = strcmp(arithmetic, "single") == 0;
    myr_particles *p = scene_particles(context, "gravity", 70, 1, 0, floats);
    myr_particles *q = scene_particles(context, "gravity", 21, 2, 1, floats);
    myr_interaction *f = choose(context, "gravity_potential", accumulator, arithmetic, isa);
    myr_evaluation last;
    assert_int_equal(myr_interaction_tune(f, "bag", bag), MYR_OK);
    put_at(p, 60, p, 3);
    scene_evaluate(context, f, p, p);
    assert_int_equal(myr_interaction_last(f, &last), MYR_OK);
    assert_int_equal(last.skipped, 2);
    plain_check(isa, p, p, 0, bar);
    put_at(p, 4, p, 3);
    scene_evaluate(context, f, p, p);
    assert_int_equal(myr_interaction_last(f, &last), MYR_OK);
    assert_int_equal(last.skipped, 6);
    plain_check(isa, p, p, 0, bar);
    put_at(q, 20, p, 68);
    scene_evaluate(context, f, q, p);
    assert_int_equal(myr_interaction_last(f, &last), MYR_OK);
    assert_int_equal(last.skipped, 1);
    plain_check(isa, q, p, 0, bar);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    myr_particles_destroy(&q);
}

static void test_coincident(void **state)
{
    const myr_accumulator_info *acc;
    for (int a = 0; (acc = myr_accumulator(a)); a++)
        for (int r = 0; myr_arithmetic(r); r++)
            for (int i = 0; strstr(acc->arithmetics, myr_arithmetic(r)->name) && myr_isa(i); i++)
                for (int64_t bag = 0; isas_tested(myr_backend_isa(i)) && bag <= 8; bag += 4)
                    coincident_check(*state, acc->name, myr_arithmetic(r)->name, myr_isa(i)->name, bag);
}

/* Every kernel, nothing softened: two bodies at the same place, then all of them. */
static void test_coincident_everywhere(void **state)
{
    enum { N = 40 };
    static const char *const defined[] = {"biot_savart",
                                          "stretching",
                                          "velocity_stretching",
                                          "velocity_stretching_transposed",
                                          "velocity_stretching_mixed",
                                          "sph_density",
                                          "sph_force",
                                          "bem_single",
                                          "bem_double",
                                          "ks",
                                          "gb_force",
                                          "gb_force_potential"};
    for (int k = 0; scene_kernel(k); k++)
        for (int r = 0; myr_arithmetic(r); r++) {
            const char *kernel = scene_kernel(k)->name;
            int64_t two = 2, all = N * (N - 1);
            for (size_t n = 0; n < sizeof defined / sizeof *defined; n++)
                if (strcmp(defined[n], kernel) == 0) /* the formula has a value there */
                    two = all = 0;
            myr_particles *p = scene_particles(*state, kernel, N, 1, 0, 1);
            myr_interaction *f = scene_interaction(*state, kernel);
            myr_evaluation last;
            assert_int_equal(myr_interaction_choose(f, "arithmetic", myr_arithmetic(r)->name), MYR_OK);
            assert_int_equal(myr_interaction_tune(f, "bag", 4), MYR_OK);
            for (int n = 0; n < 10 && scene_kernel(k)->param[n].name; n++)
                if (strcmp(scene_kernel(k)->param[n].name, "eps") == 0 ||
                    strcmp(scene_kernel(k)->param[n].name, "h") == 0)
                    assert_int_equal(myr_interaction_set(f, scene_kernel(k)->param[n].name, 0), MYR_OK);
            if (scene_kernel(k)->position_components == 3)
                put_at(p, 30, p, 3);
            scene_evaluate(*state, f, p, p);
            assert_int_equal(myr_interaction_last(f, &last), MYR_OK);
            if (last.skipped != two)
                fail_msg("%s %s skipped %lld pairs", kernel, myr_arithmetic(r)->name, (long long)last.skipped);
            for (int64_t i = 0; i < N && scene_kernel(k)->position_components == 3; i++)
                put_at(p, i, p, 3);
            scene_evaluate(*state, f, p, p);
            assert_int_equal(myr_interaction_last(f, &last), MYR_OK);
            assert_int_equal(last.skipped, all);
            const double *out[SCENE_OUTPUTS];
            const int outputs = scene_outputs(kernel, p, out);
            for (int o = 0; o < outputs; o++)
                for (int64_t i = 0; i < N; i++)
                    assert_true(isfinite(out[o][i]) && (all == 0 || out[o][i] == 0));
            myr_interaction_destroy(&f);
            myr_particles_destroy(&p);
        }
}

/* A masked pair is not a coincident one: excluded bodies at the same place are not counted. */
static void test_coincident_excluded(void **state)
{
    for (int mode = 0; mode < 2; mode++) {
        myr_particles *p = scene_particles(*state, "gravity", 40, 1, 0, 0);
        myr_interaction *f = choose(*state, "gravity_potential", "fixed", "mixed", "auto");
        myr_evaluation last;
        assert_int_equal(myr_interaction_tune(f, "bag", 4), MYR_OK);
        int64_t offset[41] = {0};
        const int64_t partner[2] = {30, 3};
        for (int i = 1; i <= 40; i++)
            offset[i] = i > 30 ? 2 : i > 3 ? 1 : 0;
        put_at(p, 30, p, 3);
        assert_int_equal(myr_interaction_set_exclusions(f, 40, offset, partner,
                                                        mode ? MYR_EXCLUDE_AFTERWARDS : MYR_EXCLUDE_ON_THE_FLY),
                         MYR_OK);
        scene_evaluate(*state, f, p, p);
        assert_int_equal(myr_interaction_last(f, &last), MYR_OK);
        assert_int_equal(last.skipped, 0);
        plain_check("excluded", p, p, 0, bars[0]);
        myr_interaction_destroy(&f);
        myr_particles_destroy(&p);
    }
}

/* A particle's pair with itself, as the kernel says: a lone particle has no force and no potential, and its own
 * density; in a set apart it is another particle. */
static void test_self(void **state)
{
    static const struct {
        const char *kernel, *output;
        int own; /* whether a lone particle has a value */
    } rows[] = {{"gravity", "acceleration", 0},  {"gravity_potential", "potential", 0},
                {"sph_density", "density", 1},   {"bem_single", "potential", 1},
                {"bem_double", "potential", 0},  {"lennard_jones_potential", "potential", 0},
                {"stretching", "stretching", 0}, {"hologram", "real", 0}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        myr_particles *p = scene_particles(*state, rows[k].kernel, 1, 1, 0, 0);
        myr_interaction *f = scene_interaction(*state, rows[k].kernel);
        myr_evaluation last;
        scene_evaluate(*state, f, p, p);
        assert_int_equal(myr_interaction_last(f, &last), MYR_OK);
        assert_int_equal(last.skipped, 0);
        assert_int_equal(myr_particles_component(p, rows[k].output, 0)[0] != 0, rows[k].own);
        myr_interaction_destroy(&f);
        myr_particles_destroy(&p);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, alone_setup, alone_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_all_sizes),
        TEST(test_large),
        TEST(test_few_targets),
        TEST(test_coincident),
        TEST(test_coincident_everywhere),
        TEST(test_coincident_excluded),
        TEST(test_self),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
