/* test_nemo.c - plug-ins of NEMO as external fields: values, jerks, motions beside Myriad's own field, checkpoints, and
 * what is refused. The plug-ins are halo.c and oscillator.c, in the folder that ACCPATH names. */
#include <math.h>

#include "physics/motion.h"
#include "unit/scratch.h"

static myr_context *context;
static scratch files;

static myr_external *field_create(const char *kind)
{
    myr_external *field = NULL;
    expect_ok(context, myr_external_create(context, kind, &field));
    assert_string_equal(myr_external_name(field), kind);
    return field;
}

static myr_external *own_halo(void)
{
    myr_external *field = field_create("logarithmic");
    expect_ok(context, myr_external_set(field, "v0", 0.8));
    expect_ok(context, myr_external_set(field, "core", 0.2));
    expect_ok(context, myr_external_set(field, "qz", 0.7));
    return field;
}

/* Values beside the same field of the library; jerks, which a plug-in has not, are differences. */
static void test_values(void **state)
{
    (void)state;
    static const double places[][3] = {{0.3, -0.2, 0.05}, {1.1, 0.7, -0.4}, {-20, 3, 1.5}, {0, 0, 1e-3}, {0, 0, 0}};
    const double v[3] = {0.4, -0.9, 0.3};
    myr_external *theirs = field_create("nemo:halo:0,0.8,0.2,0.7"), *ours = own_halo();
    double worst = 0, worst_jerk = 0;
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        double a[2][3], jerk[2][3], phi[2], size = 0;
        myr_external_at(ours, places[k], v, 0, a[0], jerk[0], &phi[0]);
        myr_external_at(theirs, places[k], v, 0, a[1], jerk[1], &phi[1]);
        keep_largest(&worst, fabs(phi[1] - phi[0]));
        for (int c = 0; c < 3; c++)
            size += fabs(jerk[0][c]);
        for (int c = 0; c < 3; c++) {
            keep_largest(&worst, fabs(a[1][c] - a[0][c]));
            keep_largest(&worst_jerk, fabs(jerk[1][c] - jerk[0][c]) / size);
        }
    }
    printf("values %.1e, jerks %.1e\n", worst, worst_jerk);
    expect_below("values", worst, 1e-15);    /* seen 0 */
    expect_below("jerks", worst_jerk, 6e-8); /* seen 1.3e-8, at the centre, where the field has no length to go by */
    myr_external_destroy(&theirs);
    myr_external_destroy(&ours);
}

/* The older form, one body at a time; and a jerk by a change in time alone. */
static void test_older_form(void **state)
{
    (void)state;
    const double x[3] = {1, 2, -2}, rest[3] = {0};
    double a[3], jerk[3], phi;
    myr_external *field = field_create("nemo:oscillator:0,3,0.5");
    myr_external_at(field, x, rest, 0.7, a, jerk, &phi);
    expect_below("potential", fabs(phi - 4.5 * 3 * (1 + 0.5 * sin(0.7))), 1e-14);
    for (int c = 0; c < 3; c++) {
        expect_below("acceleration", fabs(a[c] + 3 * (1 + 0.5 * sin(0.7)) * x[c]), 1e-14);
        expect_below("jerk", fabs(jerk[c] + 3 * 0.5 * cos(0.7) * x[c]), 5e-10);
    }
    myr_external_destroy(&field);
}

/* Plug-ins keep their parameters in static variables: fields of the same plug-in do not disturb each other. */
static void test_two_fields(void **state)
{
    (void)state;
    const double x[3] = {1, 2, -2}, rest[3] = {0};
    static const char *const kinds[] = {"nemo:oscillator:0,3", "nemo:oscillator:0,5", "nemo:oscillator:0,3"};
    static const double strengths[] = {3, 5, 3};
    myr_context *other = new_context();
    myr_external *field[3] = {field_create(kinds[0]), field_create(kinds[1]), NULL};
    expect_ok(other, myr_external_create(other, kinds[2], &field[2]));
    myr_external *last = field_create("nemo:oscillator:0,7");
    for (int k = 0; k < 3; k++) {
        double phi;
        myr_external_at(field[k], x, rest, 0, NULL, NULL, &phi);
        expect_below(kinds[k], fabs(phi - 4.5 * strengths[k]), 1e-14);
        myr_external_destroy(&field[k]);
    }
    myr_external_destroy(&last);
    myr_context_destroy(&other);
}

static myr_simulation *cluster(const char *integrator, myr_external *field)
{
    myr_interaction *f = new_interaction(context, "gravity_jerk", "double");
    myr_simulation *s = NULL;
    expect_ok(context, myr_interaction_set(f, "eps", 0.05));
    expect_ok(context, myr_simulation_create(context, make_model(context, "plummer", 64, 1, NULL), f, &s));
    expect_ok(context, myr_simulation_choose(s, integrator));
    expect_ok(context, myr_simulation_add_external(s, field));
    return s;
}

/* A cluster in the halo moves as in the library's own. */
static void test_motion(void **state)
{
    (void)state;
    static const char *const integrators[] = {"leapfrog", "hermite4"};
    for (int k = 0; k < 2; k++) {
        myr_simulation *theirs = cluster(integrators[k], field_create("nemo:halo:0,0.8,0.2,0.7")),
                       *ours = cluster(integrators[k], own_halo());
        const double before = energy_now(context, theirs);
        run_to(context, theirs, 0.5);
        run_to(context, ours, 0.5);
        const bodies a = bodies_now(context, theirs), b = bodies_now(context, ours);
        printf("%s: %.1e apart, energy %.1e\n", integrators[k], farthest(&a, &b),
               fabs(energy_now(context, theirs) / before - 1));
        expect_below("positions", farthest(&a, &b), k ? 1.5e-13 : 1e-15); /* seen 3.5e-14 and 0 */
        expect_below("energy", fabs(energy_now(context, theirs) / energy_now(context, ours) - 1), 1e-12);
        myr_simulation_destroy(&theirs);
        myr_simulation_destroy(&ours);
    }
}

/* A checkpoint opens the plug-in again by itself, and goes on with the same bits. */
static void test_checkpoint(void **state)
{
    (void)state;
    FILE *zero = fopen(scratch_path(&files, "zero"), "w");
    fputs("2.5\n", zero);
    fclose(zero);
    char kind[400];
    snprintf(kind, sizeof kind, "nemo:halo:0,0.8,0.2,0.7:%s", scratch_path(&files, "zero"));
    const char *path = scratch_path(&files, "nemo.checkpoint");
    myr_simulation *whole = cluster("hermite4", field_create(kind)), *loaded = NULL;
    run_to(context, whole, 0.25);
    expect_ok(context, myr_simulation_save(whole, path));
    run_to(context, whole, 0.5);
    myr_context *other = new_context();
    expect_ok(other, myr_simulation_load(other, path, &loaded));
    assert_string_equal(myr_external_name(myr_simulation_external(loaded, 0)), kind);
    run_to(other, loaded, 0.5);
    const bodies a = bodies_now(context, whole), b = bodies_now(other, loaded);
    assert_true(farthest(&a, &b) == 0);
    assert_true(energy_now(context, whole) == energy_now(other, loaded));
    double phi;
    myr_external_at(myr_simulation_external(loaded, 0), (double[]){0, 0, 0}, NULL, 0, NULL, NULL, &phi);
    expect_below("zero point from the file", fabs(phi - 2.5 - 0.64 * log(0.2)), 1e-14);
    myr_simulation_destroy(&loaded);
    myr_context_destroy(&other);
    myr_simulation_destroy(&whole);
}

static void expect_refused(const char *kind, myr_status status, const char *words)
{
    myr_external *field = NULL;
    assert_int_equal(myr_external_create(context, kind, &field), status);
    if (!strstr(myr_context_message(context), words))
        fail_msg("'%s' does not say '%s'", myr_context_message(context), words);
}

static void test_refused(void **state)
{
    (void)state;
    expect_refused("nemo:nothing", MYR_ERROR_UNAVAILABLE, "no nothing.so in the folders");
    expect_refused("nemo:", MYR_ERROR_VALUE, "no plug-in of NEMO");
    expect_refused("nemo:plugins/halo", MYR_ERROR_VALUE, "without its folder");
    expect_refused("nemo:halo:0,1, 2", MYR_ERROR_VALUE, "without spaces");
    expect_refused("nemo:halo:0,one", MYR_ERROR_VALUE, "numbers with commas");
    expect_refused("nemo:halo:0,1,1,1,1", MYR_ERROR_COMBINATION, "needs the masses");
    expect_refused("nemo:none", MYR_ERROR_UNAVAILABLE, "neither iniacceleration()");
    expect_refused("nemo:stranger", MYR_ERROR_UNAVAILABLE, "function_of_nobody");
    expect_refused("nemo:text", MYR_ERROR_UNAVAILABLE, "could not be opened");
}

static int set_up(void **state)
{
    (void)state;
    context = new_context();
    scratch_begin(&files);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    scratch_end(&files);
    myr_context_destroy(&context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values), cmocka_unit_test(test_older_form), cmocka_unit_test(test_two_fields),
        cmocka_unit_test(test_motion), cmocka_unit_test(test_checkpoint), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
