/* test_model_options.c - what models share: mass functions, scales, centring, motion, binaries; names and bounds; and
 * the same particles whatever the number of threads. */
#include "physics/group.h"

/* The number of stars per mass for a Salpeter function from 0.1 to 100 and below m. */
static double salpeter_number(double m)
{
    return (pow(0.1, -1.35) - pow(m, -1.35)) / (pow(0.1, -1.35) - pow(100, -1.35));
}

/* Part of a mass function: factor times the integral of m^(power) from a to b. */
static double piece(double factor, double power, double a, double b)
{
    return a < b ? factor * (pow(b, power + 1) - pow(a, power + 1)) / (power + 1) : 0;
}

/* The integral of m^moment dN below m, from 0.01: slopes 0.3, 1.3, 2.3 that meet at 0.08 and 0.5. */
static double kroupa_integral(double m, int moment)
{
    const double second = 0.08, third = 0.08 * 0.5;
    return piece(1, moment - 0.3, 0.01, fmin(m, 0.08)) + piece(second, moment - 1.3, 0.08, fmin(m, 0.5)) +
           piece(third, moment - 2.3, 0.5, m);
}

static double kroupa_number(double m)
{
    return kroupa_integral(m, 0) / kroupa_integral(100, 0);
}

/* The sample has the distribution, its mean is the analytic one, and total masses are as asked for. The mean of a power
 * law converges slowly: the variance is ruled by the heaviest stars. */
static void test_mass_functions(void **state)
{
    (void)state;
    enum { N = 100000 };
    const struct {
        const char *name;
        double low, mean, (*cumulative)(double m);
    } law[] = {{"salpeter", 0.1, piece(1, -1.35, 0.1, 100) / piece(1, -2.35, 0.1, 100), salpeter_number},
               {"kroupa", 0.01, kroupa_integral(100, 1) / kroupa_integral(100, 0), kroupa_number}};
    for (int k = 0; k < 2; k++) {
        myr_particles *p = make_model(context, "uniform", N, 3,
                                      SETTINGS({"mass_function", 0, law[k].name}, {"mass_low", law[k].low, NULL},
                                               {"mass_high", 100, NULL}, {"mass_scale", 0, NULL}));
        const double *m = result(p, "mass", 0);
        double *sorted = malloc(N * sizeof *sorted), sum = 0;
        for (int i = 0; i < N; i++) {
            sorted[i] = m[i];
            sum += m[i];
        }
        qsort(sorted, N, sizeof *sorted, ascending);
        expect_about("distribution", smirnov(N, sorted, law[k].cumulative), 0, 1.63);
        expect_about("mean mass", sum / N, law[k].mean, 0.015); /* seen 0.0044 and 0.0048: one standard error */
        free(sorted);
        myr_particles_destroy(&p);
    }
}

/* The most likely slope above 1 solar mass: 1 + n/sum(ln m), from samples without an upper bound to speak of. */
static void test_slope(void **state)
{
    (void)state;
    enum { N = 100000 };
    const char *const name[] = {"salpeter", "kroupa"};
    const double slope[] = {2.35, 2.3};
    for (int k = 0; k < 2; k++) {
        myr_particles *p = make_model(context, "uniform", N, 3,
                                      SETTINGS({"mass_function", 0, name[k]}, {"mass_low", 1, NULL},
                                               {"mass_high", 1e6, NULL}, {"mass_scale", 0, NULL}));
        const double *m = result(p, "mass", 0);
        double sum = 0;
        for (int i = 0; i < N; i++)
            sum += log(m[i]);
        expect_about("slope", 1 + N / sum, slope[k], 0.001); /* seen 2e-4; standard error 0.004 */
        myr_particles_destroy(&p);
    }
}

static double total(const bodies *b, const double *const field[3], int c)
{
    double sum = 0;
    for (int64_t i = 0; i < b->n; i++)
        sum += b->m[i] * (field ? field[c][i] : 1);
    return sum;
}

/* Total mass 1 and the centre at rest, with unequal masses; then the same in other units: speeds go as sqrt(G M/R). */
static void test_scales(void **state)
{
    (void)state;
    enum { N = 1000 };
    myr_particles *p = make_model(context, "plummer", N, 3, SETTINGS({"mass_function", 0, "kroupa"}));
    myr_particles *q = make_model(context, "plummer", N, 3,
                                  SETTINGS({"mass_function", 0, "kroupa"}, {"G", 0.0045, NULL},
                                           {"length_scale", 2, NULL}, {"mass_scale", 700, NULL}));
    const bodies a = bodies_of(p), b = bodies_of(q);
    expect_about("mass", total(&a, NULL, 0), 1, 3e-15);
    for (int c = 0; c < 3; c++) {
        expect_about("centre", total(&a, a.x, c), 0, 5e-16);
        expect_about("momentum", total(&a, a.v, c), 0, 3e-16);
    }
    const double speed = sqrt(0.0045 * 700 / 2);
    for (int64_t i = 0; i < N; i++) {
        expect_near("scaled mass", b.m[i], 700 * a.m[i], 1e-13 * a.m[i] * 700);
        expect_near("scaled position", b.x[1][i], 2 * a.x[1][i], 1e-13);
        expect_near("scaled velocity", b.v[2][i], speed * a.v[2][i], 1e-13);
    }
    myr_particles_destroy(&p);
    myr_particles_destroy(&q);
}

/* The virial ratio and exact units hold for the sample, not only in the mean, also with other scales: to rounding,
 * 3e-16 here and up to 2e-15 for other samples. */
static void test_virial(void **state)
{
    (void)state;
    enum { N = 2000 };
    for (int k = 0; k < 2; k++) {
        const double G = k ? 0.0045 : 1, L = k ? 3 : 1, M = k ? 500 : 1;
        myr_particles *p = make_model(context, "king", N, 1,
                                      SETTINGS({"virial_ratio", 0.3, NULL}, {"mass_function", 0, "salpeter"},
                                               {"standard_units", 0, k ? "exact" : "mean"}, {"G", G, NULL},
                                               {"length_scale", L, NULL}, {"mass_scale", M, NULL}));
        const bodies b = bodies_of(p);
        const double kinetic = kinetic_energy(&b), potential = G * potential_energy(p);
        expect_about("virial ratio", 2 * kinetic / -potential, 0.3, 5e-15);
        if (k)
            expect_about("energy", (kinetic + potential) / (G * M * M / L), -0.25, 5e-15);
        myr_particles_destroy(&p);
    }
    myr_model_spec *spec;
    myr_particles *p;
    expect_ok(context, myr_model_spec_create(context, "uniform", &spec));
    expect_ok(context, myr_model_spec_set(spec, "virial_ratio", 1));
    assert_int_equal(myr_model_spec_make(spec, 10, 1, &p), MYR_ERROR_VALUE); /* at rest: nothing to scale */
    expect_ok(context, myr_model_spec_set(spec, "virial_ratio", 0));
    expect_ok(context, myr_model_spec_make(spec, 10, 1, &p));
    myr_particles_destroy(&p);
    myr_model_spec_destroy(&spec);
}

static double angular_momentum(const bodies *b)
{
    double sum = 0;
    for (int64_t i = 0; i < b->n; i++)
        sum += b->m[i] * (b->x[0][i] * b->v[1][i] - b->x[1][i] * b->v[0][i]);
    return sum;
}

/* Spin adds the moment of inertia times its rate. Reversal leaves energies as they are and brings <|L_z|> instead of
 * about 0; half of it brings half. */
static void test_rotation(void **state)
{
    (void)state;
    enum { N = 10000 };
    myr_particles *p = make_model(context, "plummer", N, 1, NULL);
    const bodies b = bodies_of(p);
    double inertia = 0, all = 0;
    for (int64_t i = 0; i < N; i++) {
        inertia += b.m[i] * (b.x[0][i] * b.x[0][i] + b.x[1][i] * b.x[1][i]);
        all += b.m[i] * fabs(b.x[0][i] * b.v[1][i] - b.x[1][i] * b.v[0][i]);
    }
    const double alone = angular_momentum(&b), kinetic = kinetic_energy(&b);
    myr_particles *q = make_model(context, "plummer", N, 1, SETTINGS({"spin", 0.7, NULL}));
    bodies s = bodies_of(q);
    expect_about("angular momentum of a spin", angular_momentum(&s), alone + 0.7 * inertia, 2e-15);
    myr_particles_destroy(&q);
    for (int k = 0; k < 2; k++) {
        q = make_model(context, "plummer", N, 1, SETTINGS({"reverse", k ? 1 : 0.5, NULL}));
        s = bodies_of(q);
        expect_about("angular momentum reversed", angular_momentum(&s), k ? all : 0.5 * (all + alone),
                     k ? 1e-15 : 0.0025);
        expect_about("kinetic energy", kinetic_energy(&s), kinetic, 1e-16);
        myr_particles_destroy(&q);
    }
    myr_particles_destroy(&p);
}

static double log_uniform(double a)
{
    return log(a / 1e-5) / log(1e-3 / 1e-5);
}

static double thermal(double e)
{
    return e * e;
}

/* Stars 2 s and 2 s + 1 are bound with elements from the distributions asked for; what they are together moves as the
 * systems of a model without pairs; the number of pairs is f n/(1 + f). */
static void test_binaries(void **state)
{
    (void)state;
    enum { N = 15000, PAIRS = 5000 };
    myr_particles *p =
        make_model(context, "plummer", N, 1,
                   SETTINGS({"binary_fraction", 0.5, NULL}, {"binary_smallest", 1e-5, NULL},
                            {"binary_largest", 1e-3, NULL}, {"mass_function", 0, "kroupa"}, {"G", 2, NULL}));
    const bodies b = bodies_of(p);
    static double a[PAIRS], e[PAIRS];
    for (int64_t s = 0; s < PAIRS; s++) {
        const elements o = elements_of(&b, 2 * s, 2 * s + 1, 2);
        assert_true(o.energy < 0 && o.distance <= o.a * (1 + o.e) * (1 + 1e-6));
        a[s] = o.a;
        e[s] = o.e;
    }
    qsort(a, PAIRS, sizeof *a, ascending);
    qsort(e, PAIRS, sizeof *e, ascending);
    assert_true(a[0] >= 1e-5 * (1 - 1e-6) && a[PAIRS - 1] <= 1e-3 * (1 + 1e-6));
    expect_about("semi-major axes", smirnov(PAIRS, a, log_uniform), 0, 1.63);
    expect_about("eccentricities", smirnov(PAIRS, e, thermal), 0, 1.63);
    const elements next = elements_of(&b, 2 * PAIRS, 2 * PAIRS + 1, 2);
    assert_true(next.distance > 1e-3); /* single stars */
    for (int c = 0; c < 3; c++) {
        expect_about("centre", total(&b, b.x, c), 0, 5e-16);
        expect_about("momentum", total(&b, b.v, c), 0, 7e-16);
    }
    myr_particles_destroy(&p);
}

/* Given eccentricities; and a cluster of pairs of equal stars is the cluster without pairs, each star two. */
static void test_pairs_alone(void **state)
{
    (void)state;
    enum { N = 500 };
    myr_particles *single = make_model(context, "plummer", N, 1, NULL);
    myr_particles *pairs = make_model(context, "plummer", 2 * N, 1,
                                      SETTINGS({"binary_fraction", 1, NULL}, {"binary_orbits", 0, "fixed"},
                                               {"binary_eccentricity", 0.3, NULL}, {"binary_smallest", 0.01, NULL},
                                               {"binary_largest", 0.01, NULL}));
    const bodies one = bodies_of(single), two = bodies_of(pairs);
    for (int64_t s = 0; s < N; s++) {
        const elements o = elements_of(&two, 2 * s, 2 * s + 1, 1);
        expect_near("semi-major axis", o.a, 0.01, 1e-14);
        expect_near("eccentricity", o.e, 0.3, 1e-11);
        for (int c = 0; c < 3; c++) {
            expect_near("centre of a pair", 0.5 * (two.x[c][2 * s] + two.x[c][2 * s + 1]), one.x[c][s], 1e-15);
            expect_near("velocity of a pair", 0.5 * (two.v[c][2 * s] + two.v[c][2 * s + 1]), one.v[c][s], 1e-15);
        }
    }
    myr_particles_destroy(&single);
    myr_particles_destroy(&pairs);
}

/* The hash of everything that a model makes. */
static uint64_t hash_all(const myr_particles *p)
{
    uint64_t all = 0, one;
    const char *const field[] = {"position", "velocity", "mass"};
    for (int k = 0; k < 3; k++) {
        expect_ok(context, myr_particles_hash(p, field[k], &one));
        all = all * 0x100000001b3u ^ one;
    }
    return all;
}

/* Every model: the same bits twice and on 1, 2 and 5 threads, other bits for another seed where there is anything
 * random, finite values, and a mass for every particle. */
static void test_same_bits(void **state)
{
    (void)state;
    int models = 0;
    for (int k = 0; myr_model(k); k++, models++) {
        const char *name = myr_model(k)->name;
        const int few = myr_model_bodies(k) > 0, crystal = !strcmp(name, "lattice") || !strcmp(name, "fcc");
        uint64_t first = 0;
        if (!myr_model(k)->available) /* without FFTW */
            continue;
        for (int run = 0; run < 4; run++) {
            expect_ok(context, myr_context_set_threads(context, (const int[]){2, 2, 1, 5}[run]));
            const setting exact[] = {{"standard_units", 0, "exact"}, {"mass_function", 0, "kroupa"}, {0}};
            myr_particles *p = make_model(context, name, few ? 0 : 777, 4, strcmp(name, "king") ? NULL : exact);
            const bodies b = bodies_of(p);
            for (int64_t i = 0; i < b.n; i++)
                assert_true(b.m[i] > 0 && isfinite(radius(&b, i)) && isfinite(b.v[0][i]));
            first = run ? first : hash_all(p);
            if (hash_all(p) != first)
                fail_msg("%s differs in run %d", name, run);
            myr_particles_destroy(&p);
        }
        myr_particles *p = make_model(context, name, few ? 0 : 777, 5, NULL);
        if ((hash_all(p) == first) != ((few || crystal) && strcmp(name, "isotropic_turbulence")))
            fail_msg("%s: another seed", name);
        myr_particles_destroy(&p);
    }
    assert_int_equal(models, 20);
    expect_ok(context, myr_context_set_threads(context, 2));
}

/* A particle's draws do not depend on how many there are. */
static void test_same_particle(void **state)
{
    (void)state;
    const char *const model[] = {"plummer", "king", "hernquist", "sphere", "uniform"};
    for (int k = 0; k < 5; k++) {
        myr_particles *few = make_model(context, model[k], 10, 9, SETTINGS({"centre", 0, NULL}));
        myr_particles *many = make_model(context, model[k], 1000, 9, SETTINGS({"centre", 0, NULL}));
        const bodies a = bodies_of(few), b = bodies_of(many);
        for (int i = 0; i < 10; i++)
            for (int c = 0; c < 3; c++)
                assert_true(a.x[c][i] == b.x[c][i] && a.v[c][i] == b.v[c][i]);
        myr_particles_destroy(&few);
        myr_particles_destroy(&many);
    }
}

/* Every parameter and option of every model can be read and set; the table's defaults lie within their bounds. */
static void test_names(void **state)
{
    (void)state;
    for (int k = 0; myr_model(k); k++) {
        myr_model_spec *spec;
        const myr_parameter_info *p;
        const myr_option_info *o;
        expect_ok(context, myr_model_spec_create(context, myr_model(k)->name, &spec));
        assert_string_equal(myr_model_spec_name(spec), myr_model(k)->name);
        int n = 0;
        for (; (p = myr_model_parameter(k, n)); n++) {
            assert_true(p->text && p->value >= p->lower && p->value <= p->upper);
            assert_non_null(myr_model_dimension(k, n));
            assert_true(myr_model_spec_get(spec, p->name) == p->value);
            expect_ok(context, myr_model_spec_set(spec, p->name, p->upper));
            assert_true(myr_model_spec_get(spec, p->name) == p->upper);
            for (int m = 0; m < n; m++)
                assert_string_not_equal(myr_model_parameter(k, m)->name, p->name);
        }
        assert_true(n > 0 && !myr_model_dimension(k, n));
        for (n = 0; (o = myr_model_option(k, n)); n++)
            for (int w = 0; o->word[w]; w++) {
                expect_ok(context, myr_model_spec_choose(spec, o->name, o->word[w]));
                assert_string_equal(myr_model_spec_chosen(spec, o->name), o->word[w]);
            }
        myr_model_spec_destroy(&spec);
        assert_null(spec);
    }
}

static void test_errors(void **state)
{
    (void)state;
    myr_model_spec *spec = NULL;
    myr_particles *p = NULL;
    assert_int_equal(myr_model_spec_create(context, "plumer", &spec), MYR_ERROR_NAME);
    assert_non_null(strstr(myr_context_message(context), "plummer"));
    assert_int_equal(myr_model_create(context, "figure_eight", 4, 1, &p), MYR_ERROR_VALUE);
    assert_int_equal(myr_model_create(context, "plummer", -1, 1, &p), MYR_ERROR_VALUE);
    assert_null(p);
    expect_ok(context, myr_model_spec_create(context, "king", &spec));
    assert_int_equal(myr_model_spec_set(spec, "w0", 3), MYR_ERROR_NAME);
    assert_non_null(strstr(myr_context_message(context), "W0"));
    assert_int_equal(myr_model_spec_set(spec, "W0", -3), MYR_ERROR_VALUE);
    assert_int_equal(myr_model_spec_set(spec, "W0", NAN), MYR_ERROR_VALUE);
    assert_true(myr_model_spec_get(spec, "W0") == 6 && isnan(myr_model_spec_get(spec, "slope")));
    assert_int_equal(myr_model_spec_choose(spec, "mass_function", "salpetre"), MYR_ERROR_NAME);
    assert_non_null(strstr(myr_context_message(context), "salpeter"));
    assert_int_equal(myr_model_spec_choose(spec, "colour", "red"), MYR_ERROR_NAME);
    assert_null(myr_model_spec_chosen(spec, "colour"));
    expect_ok(context, myr_model_spec_set(spec, "length_scale", 1e300));
    expect_ok(context, myr_model_spec_set(spec, "mass_scale", 1e300));
    expect_ok(context, myr_model_spec_set(spec, "G", 1e300));
    assert_int_equal(myr_model_spec_make(spec, 10, 1, &p), MYR_ERROR_NONFINITE);
    assert_null(p);
    myr_model_spec_destroy(&spec);
    expect_ok(context, myr_model_create(context, "plummer", 0, 1, &p));
    assert_int_equal(myr_particles_count(p), 0);
    myr_particles_destroy(&p);
}

/* Rows have the bits that they have among all, whether they can be made by themselves or not. */
static void test_rows(void **state)
{
    static const struct {
        const char *model, *parameter;
        double value;
        int in_rows;
    } way[] = {{"fcc", "temperature", 1.5, 1}, {"fcc", "speed", 2, 1},      {"fcc", "centre", 1, 0},
               {"lattice", "spacing", 1.2, 1}, {"random", "density", 2, 1}, {"random", "distance", 0.1, 0},
               {"plummer", "G", 1, 0}};
    static const int64_t cut[] = {0, 10, 10, 173, 301};
    (void)state;
    for (size_t k = 0; k < sizeof way / sizeof *way; k++) {
        myr_model_spec *spec;
        myr_particles *all, *part;
        expect_ok(context, myr_model_spec_create(context, way[k].model, &spec));
        expect_ok(context, myr_model_spec_set(spec, way[k].parameter, way[k].value));
        assert_int_equal(myr_model_spec_in_rows(spec), way[k].in_rows);
        expect_ok(context, myr_model_spec_make(spec, 301, 7, &all));
        for (int r = 0; r < 4; r++) {
            expect_ok(context, myr_model_spec_make_rows(spec, 301, 7, cut[r], cut[r + 1], &part));
            const bodies a = bodies_of(all), b = bodies_of(part);
            assert_int_equal(b.n, cut[r + 1] - cut[r]);
            for (int64_t i = 0; i < b.n; i++) {
                assert_int_equal(myr_particles_ids(part)[i], cut[r] + i);
                assert_true(a.m[cut[r] + i] == b.m[i]);
                for (int c = 0; c < 3; c++)
                    assert_true(a.x[c][cut[r] + i] == b.x[c][i] && a.v[c][cut[r] + i] == b.v[c][i]);
            }
            myr_particles_destroy(&part);
        }
        assert_int_equal(myr_model_spec_make_rows(spec, 301, 7, 10, 302, &part), MYR_ERROR_VALUE);
        myr_particles_destroy(&all);
        myr_model_spec_destroy(&spec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mass_functions), cmocka_unit_test(test_slope),     cmocka_unit_test(test_scales),
        cmocka_unit_test(test_virial),         cmocka_unit_test(test_rotation),  cmocka_unit_test(test_binaries),
        cmocka_unit_test(test_pairs_alone),    cmocka_unit_test(test_same_bits), cmocka_unit_test(test_same_particle),
        cmocka_unit_test(test_names),          cmocka_unit_test(test_errors),    cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
