/* test_grid_restart.c - runs of stars with binaries, whose bodies are down to 1e-6 apart, keep their bits across
 * restarts before and after their grids of `fixed` sums are chosen again, on other numbers of threads and, in portable
 * arithmetic, with other instruction sets. */
#include "unit/scratch.h"

#include <math.h>

#include "conformance/scene.h"
#include "core/hash.h"
#include "interaction/interaction.h"

enum { N = 48, BINARIES = 3, COARSER = 9 };
#define STEP 0x1p-10 /* of leapfrog, whose steps do not follow the binaries */

/* How a run is cut: after `first` steps it goes on with other threads and another instruction set; 0 = it is not. */
typedef struct {
    const char *integrator, *arithmetic, *isa, *later_isa;
    int threads, later_threads;
    int64_t first;
    double separation; /* of the binaries */
} course;

typedef struct {
    uint64_t position, velocity;
    int64_t steps, changed; /* changed: step after which the grid of the accelerations was another one */
} outcome;

/* Stars with circular binaries, and a first grid as that of a denser cluster. */
static myr_simulation *start(scratch *s, const course *c)
{
    myr_particles *p;
    myr_interaction *f;
    myr_simulation *m;
    const int jerk = myr_integrator_find(c->integrator)->needs_jerk;
    const double speed = sqrt(2 / (N * c->separation));
    assert_int_equal(myr_model_create(s->context, "plummer", N, 4, &p), MYR_OK);
    for (int64_t i = 0; i < 2 * (int64_t)BINARIES; i += 2)
        for (int k = 0; k < 3; k++) {
            static const double along[3] = {0.6, 0.48, 0.64}, across[3] = {0.8, -0.36, -0.48};
            double *x = myr_particles_component(p, "position", k), *v = myr_particles_component(p, "velocity", k);
            const double mean = (v[i] + v[i + 1]) / 2;
            x[i + 1] = x[i] + c->separation * along[k];
            v[i] = mean - 0.5 * speed * across[k];
            v[i + 1] = mean + 0.5 * speed * across[k];
        }
    assert_int_equal(myr_interaction_create(s->context, jerk ? "gravity_jerk" : "gravity", &f), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", c->arithmetic), MYR_OK);
    scene_choose_isa(f, c->isa);
    assert_int_equal(myr_simulation_create(s->context, p, f, &m), MYR_OK);
    assert_int_equal(myr_simulation_choose(m, c->integrator), MYR_OK);
    if (!jerk)
        assert_int_equal(myr_simulation_set(m, "dt", STEP), MYR_OK);
    assert_int_equal(myr_simulation_step(m, 1), MYR_OK);
    for (int k = 0; k < 2 + jerk; k++)
        myr_simulation_interaction(m)->grid[k].exponent += COARSER;
    return m;
}

static void advance(scratch *s, myr_simulation *m, int64_t to, int64_t *changed)
{
    int before, after;
    while (myr_simulation_steps(m) < to) {
        assert_int_equal(myr_interaction_scale(myr_simulation_interaction(m), "acceleration", &before), MYR_OK);
        if (myr_simulation_step(m, 1))
            fail_msg("step %lld: %s", (long long)myr_simulation_steps(m), myr_context_message(s->context));
        assert_int_equal(myr_interaction_scale(myr_simulation_interaction(m), "acceleration", &after), MYR_OK);
        if (after != before)
            *changed = myr_simulation_steps(m);
    }
}

static outcome go(const course *c, int64_t steps)
{
    scratch s;
    outcome o = {0};
    const myr_particles *p;
    scratch_begin(&s);
    assert_int_equal(myr_context_set_threads(s.context, c->threads), MYR_OK);
    myr_simulation *m = start(&s, c);
    if (c->first) {
        advance(&s, m, c->first, &o.changed);
        const char *path = scratch_path(&s, "checkpoint.myr");
        assert_int_equal(myr_simulation_save(m, path), MYR_OK);
        myr_simulation_destroy(&m);
        assert_int_equal(myr_context_set_threads(s.context, c->later_threads), MYR_OK);
        assert_int_equal(myr_simulation_load(s.context, path, &m), MYR_OK);
        scene_choose_isa(myr_simulation_interaction(m), c->later_isa);
    }
    advance(&s, m, steps, &o.changed);
    assert_int_equal(myr_simulation_particles(m, &p), MYR_OK);
    assert_int_equal(myr_particles_hash(p, "position", &o.position), MYR_OK);
    assert_int_equal(myr_particles_hash(p, "velocity", &o.velocity), MYR_OK);
    o.steps = myr_simulation_steps(m);
    myr_simulation_destroy(&m);
    scratch_end(&s);
    return o;
}

/* Uninterrupted on one thread; then stopped before, at and after the change of the grid. */
static void check_restarts(const char *integrator, const char *arithmetic, double separation, int64_t steps)
{
    const char *best = myr_backend_best()->name;
    course c = {.integrator = integrator,
                .arithmetic = arithmetic,
                .isa = best,
                .later_isa = best,
                .threads = 1,
                .separation = separation};
    const outcome right = go(&c, steps);
    if (!(right.changed > 2 && right.changed < steps))
        fail_msg("%s: no grid was changed within %lld steps", integrator, (long long)steps);
    print_message("    %s, %s: the grid changes after step %lld of %lld\n", integrator, arithmetic,
                  (long long)right.changed, (long long)steps);
    const int portable = strcmp(arithmetic, "portable") == 0;
    const int64_t cuts[] = {right.changed / 2, right.changed - 1, right.changed};
    for (int k = 0; k < 3; k++)
        for (int way = 0; way < 2; way++) {
            c.first = cuts[k];
            c.threads = 1 + way;
            c.later_threads = 2 - way;
            c.isa = portable && way ? "scalar" : best;
            c.later_isa = portable && !way ? "scalar" : best;
            const outcome got = go(&c, steps);
            if (got.position != right.position || got.velocity != right.velocity || got.changed != right.changed)
                fail_msg("%s, %s, stopped after step %lld (%d threads, %s) and continued (%d, %s): other bits, grid "
                         "changed after step %lld, not %lld",
                         integrator, arithmetic, (long long)cuts[k], c.threads, c.isa, c.later_threads, c.later_isa,
                         (long long)got.changed, (long long)right.changed);
        }
}

static void test_leapfrog(void **state)
{
    (void)state;
    check_restarts("leapfrog", "portable", 1e-6, 300);
    check_restarts("leapfrog", "mixed", 1e-6, 300);
}

/* Wider binaries: grids are chosen when all bodies step together, which those of 1e-6 do every 10^6 steps. */
static void test_hermite(void **state)
{
    (void)state;
    check_restarts("hermite4", "portable", 2e-3, 3000);
    check_restarts("hermite4", "mixed", 2e-3, 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_leapfrog), cmocka_unit_test(test_hermite)};
    if (!myr_hash_available()) {
        printf("this build has no xxHash, which checkpoints need\n");
        return TEST_SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
