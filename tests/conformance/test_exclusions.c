/* test_exclusions.c - pairs that do not interact, in both ways of paper 000: masked in the loop, or taken off
 * afterwards. Order-independent sums on the same grid give the same bits both ways; the others agree within the
 * rounding of the full sum; and both are what a sum over the remaining sources gives. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conformance/scene.h"

enum { N = 97, TARGETS = 13, MOST = 97 };

/* c of tests/conformance/test_conformance.c, for a sum and for what is taken off it, with the factor of its kernels */
static const double agreement = 2 * 20 * 10 * 0x1p-24;

typedef struct {
    myr_context *context;
    const char *kernel, *accumulator, *arithmetic, *isa;
    myr_particles *targets, *sources;
    double value[3][SCENE_OUTPUTS * MOST]; /* on the fly, afterwards, by the processor */
    double size;                           /* of the largest output */
    int outputs;
} both;

static myr_interaction *both_interaction(const both *b, myr_exclusion_mode mode)
{
    myr_interaction *f = scene_interaction(b->context, b->kernel);
    assert_int_equal(myr_interaction_choose(f, "accumulator", b->accumulator), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", b->arithmetic), MYR_OK);
    scene_choose_isa(f, b->isa);
    scene_exclude(f, myr_particles_count(b->targets), myr_particles_count(b->sources), mode);
    return f;
}

/* The second way with the processor beside a GPU, in portable arithmetic: no other is taken. */
static void both_processor(both *b, myr_interaction *f)
{
    const int64_t n = myr_particles_count(b->targets);
    const int portable = strcmp(b->arithmetic, "portable") == 0, cuda = strcmp(b->isa, "cuda") == 0;
    double net[2] = {1, 2};
    const char *output = myr_kernel_find(b->kernel)->output[0].name;
    assert_int_equal(myr_interaction_net(f, output, 0, &net[0]), MYR_OK);
    scene_exclude(f, n, myr_particles_count(b->sources), MYR_EXCLUDE_BY_PROCESSOR);
    if (cuda && !portable) {
        assert_int_equal(myr_interaction_evaluate(f, b->targets, b->sources), MYR_ERROR_COMBINATION);
        assert_non_null(strstr(myr_context_message(b->context), "portable"));
        return;
    }
    scene_evaluate(b->context, f, b->targets, b->sources);
    scene_copy(b->kernel, b->targets, b->value[2]);
    assert_int_equal(myr_interaction_net(f, output, 0, &net[1]), MYR_OK);
    assert_true(net[0] == net[1]);
    if (memcmp(b->value[1], b->value[2], (size_t)(b->outputs * n) * sizeof b->value[1][0]) != 0)
        fail_msg("%s %s %s %s: other bits where the processor takes exclusions off", b->kernel, b->accumulator,
                 b->arithmetic, b->isa);
}

/* Both ways on one grid: the one that fits all pairs, found by the second way. */
static void both_run(both *b)
{
    const myr_kernel_info *k = myr_kernel_find(b->kernel);
    myr_interaction *after = both_interaction(b, MYR_EXCLUDE_AFTERWARDS);
    myr_interaction *fly = both_interaction(b, MYR_EXCLUDE_ON_THE_FLY);
    scene_evaluate(b->context, after, b->targets, b->sources);
    b->outputs = scene_copy(b->kernel, b->targets, b->value[1]);
    for (int o = 0; o < 8 && k->output[o].name; o++) {
        int exponent;
        if (myr_interaction_scale(after, k->output[o].name, &exponent) == MYR_OK)
            assert_int_equal(myr_interaction_set_scale(fly, k->output[o].name, exponent), MYR_OK);
    }
    scene_evaluate(b->context, fly, b->targets, b->sources);
    scene_copy(b->kernel, b->targets, b->value[0]);
    both_processor(b, after);
    myr_interaction_destroy(&after);
    myr_interaction_destroy(&fly);
}

/* The size of the sums over all pairs, excluded ones too: what the rounding of the second way is relative to. */
static void both_size(both *b)
{
    double all[SCENE_OUTPUTS * MOST];
    myr_interaction *f = scene_interaction(b->context, b->kernel);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", "double"), MYR_OK);
    scene_evaluate(b->context, f, b->targets, b->sources);
    const int outputs = scene_copy(b->kernel, b->targets, all);
    b->size = 0;
    for (int64_t i = 0; i < outputs * myr_particles_count(b->targets); i++)
        b->size = fmax(b->size, fabs(all[i]));
    myr_interaction_destroy(&f);
}

static void both_check(const both *b, int same_bits)
{
    const int64_t n = myr_particles_count(b->targets);
    for (int64_t i = 0; i < b->outputs * n; i++) {
        const double fly = b->value[0][i], after = b->value[1][i];
        const int good = same_bits ? memcmp(&fly, &after, sizeof fly) == 0 : fabs(fly - after) <= agreement * b->size;
        if (!good)
            fail_msg("%s %s %s %s: output %lld of target %lld is %a on the fly, %a afterwards", b->kernel,
                     b->accumulator, b->arithmetic, b->isa, (long long)(i / n), (long long)(i % n), fly, after);
    }
}

/* All accumulators, arithmetics and instruction sets. */
static void both_all(both *b)
{
    const myr_accumulator_info *acc;
    both_size(b);
    for (int a = 0; (acc = myr_accumulator(a)); a++)
        for (int r = 0; myr_arithmetic(r); r++)
            for (int i = 0; strstr(acc->arithmetics, myr_arithmetic(r)->name) && scene_isa(i); i++) {
                b->accumulator = acc->name;
                b->arithmetic = myr_arithmetic(r)->name;
                b->isa = scene_isa(i);
                both_run(b);
                both_check(b, acc->order_independent);
            }
}

/* Every kernel, not only the molecular ones; one set, and 13 or 3 targets spread over the lanes. */
static void test_both_ways(void **state)
{
    (void)state;
    static both b;
    static const int64_t counts[] = {0, TARGETS, 3};
    assert_int_equal(myr_context_create(&b.context), MYR_OK);
    assert_int_equal(myr_context_set_threads(b.context, 1), MYR_OK);
    for (int k = 0; scene_kernel(k); k++)
        for (int n = 0; n < 3; n++) {
            b.kernel = scene_kernel(k)->name;
            b.sources = scene_particles(b.context, b.kernel, N, 1, 0, 0);
            b.targets = counts[n] ? scene_particles(b.context, b.kernel, counts[n], 2, 1, 0) : b.sources;
            both_all(&b);
            if (counts[n])
                myr_particles_destroy(&b.targets);
            myr_particles_destroy(&b.sources);
        }
    myr_context_destroy(&b.context);
}

/* Copies the particles that `keep` marks. */
static myr_particles *some(const myr_particles *p, const int *keep)
{
    myr_particles *q;
    int64_t n = 0, at = 0;
    int32_t type[N];
    for (int64_t i = 0; i < myr_particles_count(p); i++)
        n += keep[i];
    assert_int_equal(myr_particles_create(myr_particles_context(p), n, &q), MYR_OK);
    for (int64_t i = 0; i < myr_particles_count(p); i++) {
        if (!keep[i])
            continue;
        for (int f = 0; f < myr_particles_fields(p); f++) {
            const char *name = myr_particles_field_name(p, f);
            assert_int_equal(myr_particles_add_field(q, name, myr_particles_field_components(p, f)), MYR_OK);
            for (int c = 0; c < myr_particles_field_components(p, f); c++)
                myr_particles_component(q, name, c)[at] = myr_particles_component_const(p, name, c)[i];
        }
        type[at++] = myr_particles_types(p)[i];
    }
    assert_int_equal(myr_particles_set_types(q, type), MYR_OK);
    return q;
}

/* One target against the sources that remain, as a sum of its own. */
static void remaining_check(myr_context *context, const char *kernel, myr_particles *p, int64_t i)
{
    int keep[N], only[N] = {0};
    double want[SCENE_OUTPUTS], got[SCENE_OUTPUTS * N];
    const int counted = strcmp(myr_kernel_find(kernel)->self, "counted") == 0;
    for (int64_t j = 0; j < N; j++) /* as scene_exclude has it */
        keep[j] = i % 7 == 0 || j < i - 2 || j > i + 2 || (j == i && i % 3 != 0);
    keep[i] = keep[i] && counted;
    only[i] = 1;
    myr_particles *rest = some(p, keep), *target = some(p, only);
    myr_interaction *f = scene_interaction(context, kernel);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", "double"), MYR_OK);
    scene_choose_isa(f, scene_asked.cuda ? "cuda" : "auto");
    scene_evaluate(context, f, target, rest);
    const int outputs = scene_copy(kernel, target, want);
    for (int mode = 0; mode < 2; mode++) {
        scene_exclude(f, N, N, mode ? MYR_EXCLUDE_AFTERWARDS : MYR_EXCLUDE_ON_THE_FLY);
        for (int subset = 0; subset < 2; subset++) {
            if (subset)
                assert_int_equal(myr_interaction_evaluate_subset(f, p, 1, &i), MYR_OK);
            else
                scene_evaluate(context, f, p, p);
            scene_copy(kernel, p, got);
            for (int k = 0; k < outputs; k++) {
                double size = 0;
                for (int64_t j = 0; j < N; j++)
                    size = fmax(size, fabs(got[k * N + j]));
                assert_true(fabs(got[k * N + i] - want[k]) <= 1e-12 * size);
            }
        }
    }
    myr_interaction_destroy(&f);
    myr_particles_destroy(&rest);
    myr_particles_destroy(&target);
}

static void test_remaining_sources(void **state)
{
    (void)state;
    myr_context *context;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    assert_int_equal(myr_context_set_threads(context, 1), MYR_OK);
    for (int k = 0; scene_kernel(k); k++) {
        myr_particles *p = scene_particles(context, scene_kernel(k)->name, N, 1, 0, 0);
        for (int64_t i = 0; i < N; i += 12)
            remaining_check(context, scene_kernel(k)->name, p, i);
        remaining_check(context, scene_kernel(k)->name, p, 95);
        myr_particles_destroy(&p);
    }
    myr_context_destroy(&context);
}

/* Many partners, more than a bag holds, and a target that has them all; ids play no part. */
static void test_long_lists(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    myr_context *context;
    int64_t *offset = calloc(MANY + 1, sizeof *offset), *partner = calloc(2 * MANY, sizeof *partner);
    int64_t *ids = calloc(MANY, sizeof *ids);
    assert_true(offset && partner && ids);
    assert_int_equal(myr_context_create(&context), MYR_OK);
    myr_particles *p = scene_particles(context, "lennard_jones_potential", MANY, 1, 0, 0);
    for (int64_t i = 0; i < MANY; i++) {
        offset[i + 1] = offset[i] + (i == 400 ? MANY : i == 401 ? 700 : 0);
        partner[i] = i;              /* of 400: everybody */
        partner[MANY + i] = 300 + i; /* of 401: 300 to 999 */
        ids[i] = ((int64_t)1 << 33) - i;
    }
    assert_int_equal(myr_particles_set_ids(p, ids), MYR_OK);
    double force[2][MANY];
    for (int mode = 0; mode < 2; mode++) {
        myr_interaction *f = scene_interaction(context, "lennard_jones_potential");
        scene_choose_isa(f, scene_asked.cuda ? "cuda" : "auto");
        assert_int_equal(myr_interaction_set_scale(f, "force", 20), MYR_OK);
        assert_int_equal(myr_interaction_set_scale(f, "potential", 20), MYR_OK);
        assert_int_equal(myr_interaction_set_exclusions(f, MANY, offset, partner,
                                                        mode ? MYR_EXCLUDE_AFTERWARDS : MYR_EXCLUDE_ON_THE_FLY),
                         MYR_OK);
        assert_int_equal(myr_interaction_tune(f, "splits", 3), MYR_OK);
        scene_evaluate(context, f, p, p);
        memcpy(force[mode], myr_particles_component(p, "force", 1), sizeof force[mode]);
        assert_true(force[mode][400] == 0);
        assert_true(myr_particles_component(p, "potential", 0)[400] == 0);
        assert_true(force[mode][399] != 0);
        myr_interaction_destroy(&f);
    }
    assert_memory_equal(force[0], force[1], sizeof force[0]);
    assert_memory_equal(myr_particles_ids(p), ids, MANY * sizeof *ids);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
    free(offset);
    free(partner);
    free(ids);
}

int main(int argc, char **argv)
{
    const int skipped = scene_begin(argc, argv);
    if (skipped)
        return skipped;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ways),
        cmocka_unit_test(test_remaining_sources),
        cmocka_unit_test(test_long_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
