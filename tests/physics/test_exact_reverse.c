/* test_exact_reverse.c - Verlet that is reversible bit for bit: with turned velocities, or with negative steps, as many
 * steps lead back to the first state exactly; across lists, walls, fields, threads and a restart. */
#include <unistd.h>

#include "molecular/molecular.h"
#include "physics/liquid.h"
#include "simulation/box_motion.h"

enum { MOST = 2048 };

/* Coordinates and velocities by particle. */
typedef struct {
    uint64_t q[3][MOST];
    double v[3][MOST];
} exact_state;

static void take(myr_simulation *s, double sign, exact_state *to)
{
    myr_molecular *m = s->box->engine;
    double *const *v = myr_molecular_velocities(m);
    memset(to, 0, sizeof *to);
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < m->n; i++) {
            to->q[c][m->index[i]] = m->q[c][i];
            to->v[c][m->index[i]] = sign * v[c][i] + 0.0; /* no -0 */
        }
}

static int same(const exact_state *a, const exact_state *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void steps_back(myr_context *context, myr_simulation *s, int64_t steps)
{
    const int64_t end = myr_simulation_steps(s) + steps;
    while (myr_simulation_steps(s) < end)
        expect_ok(context, myr_simulation_advance(s, -1e9, -1e9, end - myr_simulation_steps(s)));
}

/* Forward, back by turned velocities, forward again to the turning point, and back by negative steps. */
static void there_and_back(const liquid *l, int64_t steps, int threads)
{
    static exact_state first, far, now;
    myr_context *context = liquid_context();
    expect_ok(context, myr_context_set_threads(context, threads));
    myr_simulation *s = new_liquid(context, l);
    const double energy = liquid_state(context, s).conserved;
    take(s, 1, &first);
    liquid_steps(context, s, steps);
    const int64_t lists = liquid_state(context, s).rebuilds;
    take(s, 1, &far);
    assert_true(!same(&first, &far) && lists > 3);
    expect_ok(context, myr_simulation_reverse(s));
    liquid_steps(context, s, steps / 2);
    liquid_restart(context, &s);
    liquid_steps(context, s, steps - steps / 2);
    take(s, -1, &now);
    assert_true(same(&first, &now));
    assert_true(liquid_state(context, s).conserved == energy);
    expect_ok(context, myr_simulation_reverse(s));
    liquid_steps(context, s, steps);
    take(s, 1, &now);
    assert_true(same(&far, &now));
    steps_back(context, s, steps);
    take(s, 1, &now);
    assert_true(same(&first, &now));
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
}

static void liquids_go_back(void **state)
{
    (void)state;
    const char *const names[] = {"single", "double", "portable"};
    for (int k = 0; k < 3; k++) {
        const liquid l = {.n = 256,
                          .density = 0.8,
                          .temperature = 1.5,
                          .arithmetic = names[k],
                          .cut = k == 1 ? "truncated" : "smooth",
                          .settings = SETTINGS({"dt", 0.005, NULL}),
                          .box = {.exact_reverse = 1, .skin = 0.3}};
        there_and_back(&l, k == 0 ? 2000 : 300, 1);
    }
}

/* Reflections, walls 9-3, gravity, a trap, restraints and several threads. */
static void fields_go_back(void **state)
{
    (void)state;
    static const liquid_field fields[] = {
        {"uniform_field", {{"acceleration_z", -0.5, NULL}}}, {"harmonic", {{"omega_y", 0.7, NULL}}}, {0}};
    for (int k = 0; k < 2; k++) {
        const myr_wall wall = {k ? MYR_WALL_LJ93 : MYR_WALL_REFLECTING, k ? -8 : -6.5, k ? 8 : 6.5, 2, 1, 2.5};
        const liquid l = {.n = 1372,
                          .density = 0.7,
                          .temperature = 1.5,
                          .arithmetic = "single",
                          .fields = fields,
                          .settings = SETTINGS({"dt", 0.005, NULL}),
                          .box = {.exact_reverse = 1, .skin = 0.25, .wall = {[2] = wall}, .restraint = k ? 0.1 : 0}};
        there_and_back(&l, 150, 2);
    }
}

/* The grid costs no accuracy: energies are as constant as those of plain Verlet. */
static void energy_is_constant(void **state)
{
    (void)state;
    double worst[2] = {0};
    for (int k = 0; k < 2; k++) {
        myr_context *context = liquid_context();
        const liquid l = {.n = 256, .density = 0.8, .temperature = 1.5, .box = {.exact_reverse = k}};
        myr_simulation *s = new_liquid(context, &l);
        const myr_thermodynamics start = liquid_state(context, s);
        for (int n = 0; n < 20; n++) {
            liquid_steps(context, s, 50);
            const myr_thermodynamics t = liquid_state(context, s);
            worst[k] = fmax(worst[k], fabs(t.conserved - start.conserved) / t.kinetic);
        }
        myr_simulation_destroy(&s);
        myr_context_destroy(&context);
    }
    expect_below("energy of plain Verlet", worst[0], 1e-4); /* measured 2.5e-5, both */
    expect_below("energy of exact Verlet", worst[1], 1e-4);
}

/* Plain Verlet and a Nose-Hoover chain go back as well, up to rounding, which chaos amplifies. */
static void others_go_back_nearly(void **state)
{
    (void)state;
    static exact_state first, now;
    static const char *const names[] = {"verlet", "nose_hoover"};
    for (int k = 0; k < 2; k++) {
        double off = 0;
        myr_context *context = liquid_context();
        const liquid l = {.n = 256, .density = 0.8, .temperature = 1.5, .integrator = names[k]};
        myr_simulation *s = new_liquid(context, &l);
        (void)liquid_state(context, s);
        take(s, 1, &first);
        liquid_steps(context, s, 500);
        expect_ok(context, myr_simulation_reverse(s));
        liquid_steps(context, s, 500);
        take(s, -1, &now);
        for (int64_t i = 0; i < 3 * MOST; i++)
            off = fmax(off, fabs((double)(int64_t)(now.q[i / MOST][i % MOST] - first.q[i / MOST][i % MOST])) * 0x1p-64);
        expect_below(names[k], off, 1.5e-14);  /* measured 3.3e-15 */
        assert_true(k || !same(&first, &now)); /* or exact_reverse were for nothing */
        myr_simulation_destroy(&s);
        myr_context_destroy(&context);
    }
}

static void expect_refused(const liquid *l, const char *part)
{
    myr_context *context = liquid_context();
    liquid_refused(context, new_liquid(context, l), part);
}

static void refused(void **state)
{
    (void)state;
    liquid l = {.n = 256, .density = 0.8, .temperature = 1.5, .box = {.exact_reverse = 1}};
    l.accumulator = "double";
    expect_refused(&l, "exact_reverse is not possible here: sums must not depend on the order");
    l.accumulator = NULL;
    l.integrator = "langevin";
    expect_refused(&l, "the integrator must be verlet");
    l.integrator = NULL;
    l.box.centre_interval = 5;
    expect_refused(&l, "the motion of the centre must not be removed");
    l.box.centre_interval = 0;
    myr_context *context = liquid_context();
    myr_simulation *s = new_liquid(context, &l);
    assert_true(myr_simulation_advance(s, 0.0025, 0.0025, 10) == MYR_ERROR_VALUE);
    assert_non_null(strstr(myr_context_message(context), "exact_reverse makes whole steps of 0.001"));
    myr_simulation_destroy(&s);
    l.box.exact_reverse = 0;
    l.integrator = "berendsen";
    s = new_liquid(context, &l);
    assert_true(myr_simulation_reverse(s) == MYR_ERROR_COMBINATION);
    assert_non_null(strstr(myr_context_message(context), "berendsen does not go back along its path"));
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(liquids_go_back),       cmocka_unit_test(fields_go_back), cmocka_unit_test(energy_is_constant),
        cmocka_unit_test(others_go_back_nearly), cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
