/* test_box_cutoffs.c - one cutoff per pair of types in a box: forces and energies against a plain double loop over all
 * pairs, with sizes of up to 10:1; equal cutoffs have the bits of one cutoff; a restart keeps them. */
#include <unistd.h>

#include "physics/liquid.h"

enum { TYPES = 3, COLLOIDS = 3, MIDDLES = 12, SOLVENTS = 600, ALL = COLLOIDS + MIDDLES + SOLVENTS };
#define EDGE 30.0

/* types: 0 solvent, 1 of a middle size, 2 colloid */
static const double diameter[TYPES] = {1, 3, 10}, weight[TYPES] = {1, 27, 1000};
static const double depth[TYPES * TYPES] = {1, 0.8, 1.5, 0.8, 2, 1, 1.5, 1, 1.2};
static const double reach[TYPES * TYPES] = {2.5, 3.5, 7, 3.5, 4, 8, 7, 8, 12.5};
static const double within[TYPES * TYPES] = {1.7, 2.5, 6, 2.5, 3.2, 7.2, 6, 7.2, 11};

static double size_of(int a, int b)
{
    return 0.5 * (diameter[a] + diameter[b]);
}

static double image(double d)
{
    return d - EDGE * round(d / EDGE);
}

/* Particles at random places, none nearer to another than 0.95 sigma of the two. */
static myr_particles *mixture(myr_context *context)
{
    static double x[3 * ALL], mass[ALL];
    static int32_t type[ALL];
    uint64_t seed = 12345;
    myr_particles *p = NULL;
    for (int i = 0; i < ALL;) {
        int free_place = 1;
        type[i] = i < COLLOIDS ? 2 : i < COLLOIDS + MIDDLES ? 1 : 0;
        mass[i] = weight[type[i]];
        for (int c = 0; c < 3; c++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            x[3 * i + c] = EDGE * (double)(seed >> 11) * 0x1p-53;
        }
        for (int j = 0; j < i && free_place; j++) {
            double r2 = 0;
            for (int c = 0; c < 3; c++)
                r2 += pow(image(x[3 * i + c] - x[3 * j + c]), 2);
            free_place = sqrt(r2) > 0.95 * size_of(type[i], type[j]);
        }
        i += free_place;
    }
    expect_ok(context, myr_particles_create(context, ALL, &p));
    expect_ok(context, myr_particles_set(p, "position", 3, x));
    expect_ok(context, myr_particles_set(p, "mass", 1, mass));
    expect_ok(context, myr_particles_set_types(p, type));
    return p;
}

static myr_simulation *new_mixture(myr_context *context, const char *arithmetic, const char *cut, const double *cutoffs,
                                   int check)
{
    double sigma[TYPES * TYPES];
    myr_interaction *f = NULL;
    myr_simulation *s = NULL;
    myr_molecular_options o = myr_molecular_defaults();
    for (int k = 0; k < TYPES * TYPES; k++)
        sigma[k] = size_of(k / TYPES, k % TYPES);
    expect_ok(context, myr_interaction_create(context, "lennard_jones", &f));
    expect_ok(context, myr_interaction_choose(f, "method", "neighbour"));
    expect_ok(context, myr_interaction_choose(f, "arithmetic", arithmetic));
    expect_ok(context, myr_interaction_set_pair(f, "epsilon", TYPES, depth));
    expect_ok(context, myr_interaction_set_pair(f, "sigma", TYPES, sigma));
    if (cutoffs)
        expect_ok(context, myr_interaction_set_pair(f, "cutoff", TYPES, cutoffs));
    else
        expect_ok(context, myr_interaction_set(f, "cutoff", 12.5));
    expect_ok(context, myr_interaction_set_pair(f, "inner", TYPES, within));
    expect_ok(context, myr_simulation_create(context, mixture(context), f, &s));
    expect_ok(context, myr_simulation_choose(s, "verlet"));
    expect_ok(context, myr_simulation_set(s, "dt", 0.001));
    for (int c = 0; c < 3; c++)
        o.box[c] = EDGE;
    o.cut = liquid_cut(cut);
    o.check = check;
    o.skin = 0.15;
    expect_ok(context, myr_simulation_set_molecular(s, &o));
    return s;
}

static double plain(int k, double r, double *slope)
{
    const double y6 = pow(size_of(k / TYPES, k % TYPES) / r, 6);
    *slope = -24 * depth[k] * y6 * (2 * y6 - 1) / r;
    return 4 * depth[k] * y6 * (y6 - 1);
}

/* Potential and slope of a pair by the definitions of the treatments at the cutoff. */
static double treated(const char *cut, int k, double r, double *slope)
{
    double end_slope, u = plain(k, r, slope);
    const double rc = reach[k], end = plain(k, rc, &end_slope);
    if (strcmp(cut, "shifted") == 0)
        return u - end;
    if (strcmp(cut, "smooth") == 0) { /* c2 r^2 takes the slope off */
        *slope -= end_slope * r / rc;
        return u - end - end_slope / (2 * rc) * (r * r - rc * rc);
    }
    if (strcmp(cut, "force") == 0) {
        *slope -= end_slope;
        return u - end - end_slope * (r - rc);
    }
    if (strcmp(cut, "spline") == 0 && r > within[k]) { /* Hermite cubic to 0 with slope 0 */
        double first;
        const double h = rc - within[k], t = (r - within[k]) / h, at = plain(k, within[k], &first);
        *slope = (at * (6 * t * t - 6 * t) + h * first * (3 * t * t - 4 * t + 1)) / h;
        return at * (1 + t * t * (2 * t - 3)) + h * first * t * (t - 1) * (t - 1);
    }
    return u;
}

/* Energy and forces [3][ALL] of all pairs. */
static double all_pairs(const char *cut, const myr_particles *p, double *force)
{
    const int32_t *type = myr_particles_types(p);
    double energy = 0;
    memset(force, 0, 3 * ALL * sizeof *force);
    for (int i = 0; i < ALL; i++)
        for (int j = 0; j < i; j++) {
            double d[3], r2 = 0, slope;
            const int k = type[i] * TYPES + type[j];
            for (int c = 0; c < 3; c++) {
                d[c] = image(result(p, "position", c)[i] - result(p, "position", c)[j]);
                r2 += d[c] * d[c];
            }
            if (!(r2 < reach[k] * reach[k]))
                continue;
            energy += treated(cut, k, sqrt(r2), &slope);
            for (int c = 0; c < 3; c++) {
                force[c * ALL + i] -= slope * d[c] / sqrt(r2);
                force[c * ALL + j] += slope * d[c] / sqrt(r2);
            }
        }
    return energy;
}

static void forces_are_those_of_all_pairs(void **state)
{
    (void)state;
    static const char *const cuts[] = {"truncated", "shifted", "smooth", "spline", "force"};
    static const char *const arithmetic_names[] = {"double", "single", "portable"};
    /* measured: double 4.6e-14 and 8.8e-13, single 7.3e-7 and 1.6e-6, portable 7.2e-7 and 1.7e-6 */
    static const double bound[][2] = {{2e-13, 3e-12}, {3e-6, 6e-6}, {3e-6, 6e-6}};
    static double force[3 * ALL];
    myr_context *context = liquid_context();
    for (int k = 0; k < 15; k++) {
        const myr_particles *now;
        double off = 0, size = 0;
        myr_simulation *s = new_mixture(context, arithmetic_names[k / 5], cuts[k % 5], reach, 1);
        const myr_thermodynamics t = liquid_state(context, s);
        expect_ok(context, myr_simulation_particles(s, &now));
        const double energy = all_pairs(cuts[k % 5], now, force);
        for (int i = 0; i < 3 * ALL; i++) {
            off += pow(result(now, "force", i / ALL)[i % ALL] - force[i], 2);
            size += force[i] * force[i];
        }
        expect_below("forces", sqrt(off / size), bound[k / 5][0]);
        expect_below("energy", fabs(t.potential / energy - 1), bound[k / 5][1]);
        myr_simulation_destroy(&s);
    }
    myr_context_destroy(&context);
}

/* Colloids push the solvent away: the energy stays, and every list has all pairs. */
static void energy_is_constant(void **state)
{
    (void)state;
    myr_context *context = liquid_context();
    myr_simulation *s = new_mixture(context, "double", "smooth", reach, 1);
    const double before = liquid_state(context, s).conserved;
    liquid_steps(context, s, 200);
    const myr_thermodynamics t = liquid_state(context, s);
    assert_true(t.rebuilds > 1 && t.kinetic > 10);
    expect_below("change of the energy", fabs(t.conserved - before) / t.kinetic, 4e-5); /* measured 8.8e-6 */
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
}

static uint64_t hash_after(const double *cutoffs, int restart)
{
    myr_context *context = liquid_context();
    myr_simulation *s = new_mixture(context, "single", "smooth", cutoffs, 0);
    liquid_steps(context, s, 20);
    if (restart)
        liquid_restart(context, &s);
    liquid_steps(context, s, 20);
    const uint64_t hash = liquid_hash(context, s);
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
    return hash;
}

static void bits(void **state)
{
    (void)state;
    double same[TYPES * TYPES];
    for (int k = 0; k < TYPES * TYPES; k++)
        same[k] = 12.5;
    assert_true(hash_after(same, 0) == hash_after(NULL, 0));
    assert_true(hash_after(reach, 0) != hash_after(NULL, 0));
    assert_true(hash_after(reach, 1) == hash_after(reach, 0));
}

static void expect_refused(const double *cutoffs, const char *cut, const char *part)
{
    myr_context *context = liquid_context();
    myr_simulation *s = new_mixture(context, "double", cut, cutoffs, 0);
    myr_thermodynamics t;
    assert_true(myr_simulation_thermodynamics(s, &t) != MYR_OK);
    assert_non_null(strstr(myr_context_message(context), part));
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
}

static void refused(void **state)
{
    (void)state;
    double cutoffs[TYPES * TYPES];
    memcpy(cutoffs, reach, sizeof cutoffs);
    cutoffs[1] = cutoffs[3] = 0;
    expect_refused(cutoffs, "smooth", "cutoff of types 0 and 1 above 0");
    cutoffs[1] = cutoffs[3] = 2.4;
    expect_refused(cutoffs, "spline", "the spline of types 0 and 1 is 2.5; it must be between 0 and the cutoff 2.4");
    cutoffs[8] = 15.1;
    expect_refused(cutoffs, "smooth", "less than twice the cutoff 15.1");
    myr_context *context = liquid_context();
    myr_interaction *f = NULL;
    myr_particles *p = mixture(context);
    expect_ok(context, myr_interaction_create(context, "lennard_jones", &f));
    expect_ok(context, myr_interaction_set_pair(f, "epsilon", TYPES, depth));
    expect_ok(context, myr_interaction_set_pair(f, "sigma", TYPES, depth));
    expect_ok(context, myr_interaction_set_pair(f, "cutoff", TYPES, reach));
    assert_true(myr_interaction_evaluate(f, p, p) == MYR_ERROR_COMBINATION);
    assert_non_null(strstr(myr_context_message(context), "'cutoff' per pair of types is for particles in a box"));
    myr_interaction_destroy(&f);
    expect_ok(context, myr_interaction_create(context, "gravity", &f));
    assert_true(myr_interaction_set_pair(f, "cutoff", TYPES, reach) == MYR_ERROR_NAME);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_those_of_all_pairs),
        cmocka_unit_test(energy_is_constant),
        cmocka_unit_test(bits),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
