/* test_bits.c - what is promised about bits.
 *
 * Order-independent accumulators (`fixed`, `narumi`; the catalogue says which), every kernel, every instruction set by
 * itself: the same bits under shuffled sources, any bag, any splits, the careful loop, a subset of the targets, and a
 * net force of exactly 0. `fixed` in portable arithmetic: the same bits on all instruction sets. Every accumulator: the
 * same bits on 1 to 8 threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conformance/scene.h"

enum { TARGETS = 29, SOURCES = 130, SAME = 97, MOST = 131 };

typedef struct {
    double value[SCENE_OUTPUTS * MOST]; /* [outputs][n] */
    int outputs;
    int64_t n;
} bits;

/* What is being compared, for messages. */
typedef struct {
    myr_context *context;
    const char *kernel, *accumulator, *arithmetic, *isa;
} chosen;

static bits bits_of(const chosen *c, myr_particles *targets)
{
    bits b;
    memset(&b, 0, sizeof b);
    b.n = myr_particles_count(targets);
    assert_true(b.n <= MOST);
    b.outputs = scene_copy(c->kernel, targets, b.value);
    return b;
}

static void bits_same(const chosen *c, const bits *a, const bits *b, const char *what)
{
    assert_int_equal(a->outputs, b->outputs);
    assert_int_equal(a->n, b->n);
    for (int64_t i = 0; i < a->n * a->outputs; i++)
        if (memcmp(&a->value[i], &b->value[i], sizeof a->value[i]) != 0)
            fail_msg("%s %s %s %s, %s: output %lld of target %lld is %a, was %a", c->kernel, c->accumulator,
                     c->arithmetic, c->isa, what, (long long)(i / a->n), (long long)(i % a->n), b->value[i],
                     a->value[i]);
}

static myr_interaction *chosen_interaction(const chosen *c)
{
    myr_interaction *f = scene_interaction(c->context, c->kernel);
    assert_int_equal(myr_interaction_choose(f, "accumulator", c->accumulator), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", c->arithmetic), MYR_OK);
    scene_choose_isa(f, c->isa);
    return f;
}

/* Calls `check` for every kernel x instruction set x arithmetic of the order-independent accumulators. */
static void for_each_ordered(void (*check)(const chosen *c))
{
    chosen c;
    const myr_accumulator_info *acc;
    int ran = 0;
    assert_int_equal(myr_context_create(&c.context), MYR_OK);
    assert_int_equal(myr_context_set_threads(c.context, 1), MYR_OK);
    for (int k = 0; scene_kernel(k); k++)
        for (int a = 0; (acc = myr_accumulator(a)); a++)
            for (int r = 0; acc->order_independent && myr_arithmetic(r); r++)
                for (int i = 0; strstr(acc->arithmetics, myr_arithmetic(r)->name) && scene_isa(i); i++) {
                    c.kernel = scene_kernel(k)->name;
                    c.accumulator = acc->name;
                    c.arithmetic = myr_arithmetic(r)->name;
                    c.isa = scene_isa(i);
                    check(&c);
                    ran++;
                }
    assert_true(ran >= 2);
    myr_context_destroy(&c.context);
}

/* The same particles in another order: new particle order[i] is old particle i. */
static myr_particles *shuffled(const myr_particles *p, const int64_t *order)
{
    myr_particles *q;
    const int64_t n = myr_particles_count(p);
    int32_t type[MOST];
    assert_int_equal(myr_particles_create(myr_particles_context(p), n, &q), MYR_OK);
    for (int f = 0; f < myr_particles_fields(p); f++) {
        const char *name = myr_particles_field_name(p, f);
        const int components = myr_particles_field_components(p, f);
        assert_int_equal(myr_particles_add_field(q, name, components), MYR_OK);
        for (int c = 0; c < components; c++)
            for (int64_t i = 0; i < n; i++)
                myr_particles_component(q, name, c)[order[i]] = myr_particles_component_const(p, name, c)[i];
    }
    for (int64_t i = 0; i < n; i++)
        type[order[i]] = myr_particles_types(p)[i];
    assert_int_equal(myr_particles_set_types(q, type), MYR_OK);
    return q;
}

static void make_order(int64_t n, uint64_t seed, int64_t *order)
{
    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t j = (int64_t)(scene_uniform(seed, 9, i) * (double)(i + 1));
        const int64_t keep = order[i];
        order[i] = order[j];
        order[j] = keep;
    }
}

static void check_shuffled(const chosen *c)
{
    myr_particles *sources = scene_particles(c->context, c->kernel, SOURCES, 1, 0, 0);
    myr_particles *targets = scene_particles(c->context, c->kernel, TARGETS, 2, 1, 0);
    myr_interaction *f = chosen_interaction(c);
    scene_evaluate(c->context, f, targets, sources);
    const bits first = bits_of(c, targets);
    for (uint64_t seed = 0; seed < 3; seed++) {
        int64_t order[SOURCES];
        make_order(SOURCES, seed, order);
        myr_particles *other = shuffled(sources, order);
        myr_interaction *g = chosen_interaction(c); /* and a scale of its own */
        scene_evaluate(c->context, g, targets, other);
        const bits now = bits_of(c, targets);
        bits_same(c, &first, &now, "shuffled");
        myr_interaction_destroy(&g);
        myr_particles_destroy(&other);
    }
    myr_interaction_destroy(&f);
    myr_particles_destroy(&targets);
    myr_particles_destroy(&sources);
}

static void test_shuffled_sources(void **state)
{
    (void)state;
    for_each_ordered(check_shuffled);
}

/* Bags of any size, any number of splits, the careful loop; on one set, so that a particle meets itself. */
static void check_tiling(const chosen *c)
{
    static const struct {
        const char *key;
        int64_t value;
    } tuning[] = {{"bag", 1},     {"bag", 7},       {"bag", 100000}, {"splits", 2},  {"splits", 5},
                  {"splits", 97}, {"splits", 1000}, {"bag", 3},      {"careful", 1}, {"splits", 1}};
    myr_particles *p = scene_particles(c->context, c->kernel, SAME, 1, 0, 0);
    myr_interaction *f = chosen_interaction(c);
    scene_evaluate(c->context, f, p, p);
    const bits first = bits_of(c, p);
    for (size_t t = 0; t < sizeof tuning / sizeof *tuning; t++) { /* each stays while the next is tried */
        assert_int_equal(myr_interaction_tune(f, tuning[t].key, tuning[t].value), MYR_OK);
        scene_evaluate(c->context, f, p, p);
        const bits now = bits_of(c, p);
        bits_same(c, &first, &now, tuning[t].key);
    }
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
}

static void test_any_tiling(void **state)
{
    (void)state;
    for_each_ordered(check_tiling);
}

/* A subset of 1, 2, 5 or 40 targets is spread over the lanes in another way than all of them. */
static void check_subset(const chosen *c)
{
    myr_particles *p = scene_particles(c->context, c->kernel, SAME, 1, 0, 0);
    myr_interaction *f = chosen_interaction(c);
    scene_evaluate(c->context, f, p, p);
    const bits first = bits_of(c, p);
    static const int64_t counts[] = {1, 2, 5, 40};
    for (int n = 0; n < 4; n++) {
        const double *out[SCENE_OUTPUTS];
        int64_t index[40];
        bits want = first;
        const int outputs = scene_outputs(c->kernel, p, out);
        for (int64_t i = 0; i < counts[n]; i++)
            index[i] = (i * 31 + 5) % SAME;
        for (int k = 0; k < outputs; k++)
            for (int64_t i = 0; i < SAME; i++) {
                int listed = 0;
                for (int64_t m = 0; m < counts[n]; m++)
                    listed |= index[m] == i;
                ((double *)out[k])[i] = 12345; /* what is not listed stays */
                if (!listed)
                    want.value[k * SAME + i] = 12345;
            }
        assert_int_equal(myr_interaction_evaluate_subset(f, p, counts[n], index), MYR_OK);
        const bits now = bits_of(c, p);
        bits_same(c, &want, &now, "subset");
    }
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
}

static void test_subset(void **state)
{
    (void)state;
    for_each_ordered(check_subset);
}

/* Plain C first, then all that is asked for. */
static const char *portable_isa(int k)
{
    return k == 0 ? "scalar" : scene_isa(k - 1);
}

/* Scale and all: each instruction set finds them by itself. */
static void portable_on_all(const chosen *base, int64_t targets, int64_t sources)
{
    chosen c = *base;
    bits first = {.n = -1};
    for (int i = 0; portable_isa(i); i++) {
        c.isa = portable_isa(i);
        myr_particles *from = scene_particles(c.context, c.kernel, sources, 1, 0, 0);
        myr_particles *to = targets ? scene_particles(c.context, c.kernel, targets, 2, 1, 0) : from;
        myr_interaction *f = chosen_interaction(&c);
        scene_evaluate(c.context, f, to, from);
        const bits now = bits_of(&c, to);
        if (first.n < 0)
            first = now;
        else
            bits_same(&c, &first, &now, "portable");
        myr_interaction_destroy(&f);
        if (targets)
            myr_particles_destroy(&to);
        myr_particles_destroy(&from);
    }
}

static void test_portable(void **state)
{
    (void)state;
    chosen c = {NULL, NULL, "fixed", "portable", NULL};
    assert_int_equal(myr_context_create(&c.context), MYR_OK);
    assert_int_equal(myr_context_set_threads(c.context, 1), MYR_OK);
    for (int k = 0; scene_kernel(k); k++) {
        c.kernel = scene_kernel(k)->name;
        portable_on_all(&c, 0, SAME);
        portable_on_all(&c, TARGETS, SOURCES);
        portable_on_all(&c, 3, MOST);
        portable_on_all(&c, 1, MOST);
    }
    myr_context_destroy(&c.context);
}

/* Large enough that there are more work items than threads: 3 blocks of targets, 2 splits of the sources. */
static void threads_same(const chosen *c, myr_particles *targets, const myr_particles *sources)
{
    uint64_t first = 0, now;
    myr_evaluation last;
    for (int threads = 1; threads <= 8; threads++) {
        myr_interaction *f = chosen_interaction(c);
        assert_int_equal(myr_context_set_threads(c->context, threads), MYR_OK);
        assert_int_equal(myr_context_threads(c->context), threads);
        scene_evaluate(c->context, f, targets, sources);
        assert_int_equal(myr_interaction_last(f, &last), MYR_OK);
        assert_true(last.splits >= 2);
        assert_int_equal(myr_particles_hash(targets, "acceleration", &now), MYR_OK);
        first = threads == 1 ? now : first;
        if (now != first)
            fail_msg("%s %s: other bits on %d threads", c->accumulator, c->arithmetic, threads);
        myr_interaction_destroy(&f);
    }
}

static void test_threads(void **state)
{
    (void)state;
    chosen c = {.kernel = "gravity", .isa = "auto"};
    const myr_accumulator_info *acc;
    if (scene_asked.cuda)
        return; /* a matter of the processor */
    assert_int_equal(myr_context_create(&c.context), MYR_OK);
    myr_particles *sources = scene_particles(c.context, c.kernel, 4000, 1, 0, 0);
    myr_particles *targets = scene_particles(c.context, c.kernel, 1100, 2, 1, 0);
    for (int a = 0; (acc = myr_accumulator(a)); a++)
        for (int r = 0; myr_arithmetic(r); r++)
            if (strstr(acc->arithmetics, myr_arithmetic(r)->name)) {
                c.accumulator = acc->name;
                c.arithmetic = myr_arithmetic(r)->name;
                threads_same(&c, targets, sources);
            }
    myr_particles_destroy(&targets);
    myr_particles_destroy(&sources);
    myr_context_destroy(&c.context);
}

/* Action is minus reaction to the last bit, so integer sums over all particles are exactly 0; where only equal
 * strengths promise it, mass and charge are made equal. The sum of the results themselves shows that there was
 * something to cancel. */
static void check_net(const chosen *c)
{
    const myr_kernel_info *k = myr_kernel_find(c->kernel);
    myr_particles *p = scene_particles(c->context, c->kernel, SAME, 1, 0, 0);
    myr_interaction *f = chosen_interaction(c);
    static const char *const strength[] = {"mass", "charge"};
    for (int s = 0; k->output[0].antisymmetric != 1 && s < 2; s++)
        for (int64_t i = 0; myr_particles_component(p, strength[s], 0) && i < SAME; i++)
            myr_particles_component(p, strength[s], 0)[i] = 0.0123;
    scene_evaluate(c->context, f, p, p);
    for (int o = 0; o < 8 && k->output[o].name; o++)
        for (int n = 0; k->output[o].antisymmetric && n < k->output[o].components; n++) {
            const double *value = myr_particles_component(p, k->output[o].name, n);
            double net = 1, size = 0;
            assert_int_equal(myr_interaction_net(f, k->output[o].name, n, &net), MYR_OK);
            for (int64_t i = 0; i < SAME; i++)
                size += value[i] * value[i];
            assert_true(size > 0);
            if (net != 0)
                fail_msg("%s %s %s %s: net %s[%d] is %g", c->kernel, c->accumulator, c->arithmetic, c->isa,
                         k->output[o].name, n, net);
        }
    myr_evaluation last;
    assert_int_equal(myr_interaction_last(f, &last), MYR_OK);
    assert_true(last.net_exact);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
}

static void test_net_force(void **state)
{
    (void)state;
    for_each_ordered(check_net);
}

int main(int argc, char **argv)
{
    const int skipped = scene_begin(argc, argv);
    if (skipped)
        return skipped;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shuffled_sources), cmocka_unit_test(test_any_tiling), cmocka_unit_test(test_subset),
        cmocka_unit_test(test_portable),         cmocka_unit_test(test_threads),    cmocka_unit_test(test_net_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
