/* test_pipelines.c - kernels that users write, against known answers: the library's own gravity to the bit, in every
 * arithmetic and with every accumulator, and the other examples against closed forms. Needs a C compiler. */
#include "physics.h"

static myr_interaction *made(myr_context *context, const char *file, const char *arithmetic)
{
    char path[512];
    const myr_kernel_info *kernel;
    myr_interaction *f;
    snprintf(path, sizeof path, PIPELINES "/%s.pipe", file);
    expect_ok(context, myr_kernel_from_file(context, path, &kernel));
    expect_ok(context, myr_interaction_create(context, kernel->name, &f));
    expect_ok(context, myr_interaction_choose(f, "arithmetic", arithmetic));
    expect_ok(context, myr_kernel_compile(f, NULL, NULL));
    return f;
}

static void expect_close(double got, double right, double relative)
{
    if (!(fabs(got - right) <= relative * fabs(right)))
        fail_msg("%.17g is not %.17g: relative error %.3g, bar %.3g", got, right, fabs(got / right - 1), relative);
}

static uint64_t hash_of(myr_particles *p, const char *field)
{
    uint64_t hash;
    expect_ok(myr_particles_context(p), myr_particles_hash(p, field, &hash));
    return hash;
}

/* Overwrites what a field holds, so that a method that leaves it as it is cannot pass. */
static void forget(myr_particles *p, const char *field)
{
    for (int c = 0; c < 3 && myr_particles_component(p, field, c); c++)
        for (int64_t i = 0; i < myr_particles_count(p); i++)
            myr_particles_component(p, field, c)[i] = NAN;
}

/* The same bits as kernel gravity: plain, through the careful loop, for a subset, and without excluded pairs. */
static void compare_with_gravity(myr_interaction *own, myr_interaction *library, myr_particles *p)
{
    enum { SUBSET = 7 };
    const int64_t index[SUBSET] = {0, 3, 5, 17, 64, 100, 150};
    myr_context *context = myr_particles_context(p);
    myr_interaction *f[2] = {own, library};
    uint64_t hash[2][3];
    for (int k = 0; k < 2; k++) {
        expect_ok(context, myr_interaction_tune(f[k], "careful", 0));
        forget(p, "acceleration");
        expect_ok(context, myr_interaction_evaluate(f[k], p, p));
        hash[k][0] = hash_of(p, "acceleration");
        expect_ok(context, myr_interaction_tune(f[k], "careful", 1));
        forget(p, "acceleration");
        expect_ok(context, myr_interaction_evaluate(f[k], p, p));
        hash[k][1] = hash_of(p, "acceleration");
        expect_ok(context, myr_interaction_tune(f[k], "careful", 0));
        expect_ok(context, myr_interaction_evaluate_subset(f[k], p, SUBSET, index));
        hash[k][2] = hash_of(p, "acceleration");
    }
    for (int k = 0; k < 3; k++)
        if (hash[0][k] != hash[1][k])
            fail_msg("case %d of accumulator %s in %s arithmetic differs from the library's gravity", k,
                     myr_interaction_choice(own, "accumulator"), myr_interaction_choice(own, "arithmetic"));
}

static void exclude_neighbours(myr_interaction *f, int64_t n, myr_exclusion_mode mode)
{
    int64_t *offset = calloc((size_t)n + 1, sizeof *offset), *partner = calloc((size_t)n, sizeof *partner);
    assert_non_null(offset);
    assert_non_null(partner);
    for (int64_t i = 0; i < n; i++) { /* pairs 0-1, 2-3, ... */
        offset[i + 1] = i + 1;
        partner[i] = i ^ 1;
    }
    const myr_status status = myr_interaction_set_exclusions(f, n, offset, partner, mode);
    free(offset);
    free(partner);
    assert_int_equal(status, MYR_OK);
}

static void test_gravity(void **state)
{
    (void)state;
    enum { N = 200 };
    myr_context *context = new_context();
    myr_particles *p;
    int combinations = 0;
    expect_ok(context, myr_model_create(context, "plummer", N, 5, &p));
    for (int a = 0; a < ARITHMETICS; a++) {
        myr_interaction *own = made(context, "gravity", arithmetics[a]), *library;
        expect_ok(context, myr_interaction_create(context, "gravity", &library));
        expect_ok(context, myr_interaction_choose(library, "arithmetic", arithmetics[a]));
        expect_ok(context, myr_interaction_set(own, "eps", 0.05));
        expect_ok(context, myr_interaction_set(library, "eps", 0.05));
        for (int k = 0; myr_accumulator(k); k++) {
            if (!strstr(myr_accumulator(k)->arithmetics, arithmetics[a]))
                continue;
            expect_ok(context, myr_interaction_choose(own, "accumulator", myr_accumulator(k)->name));
            expect_ok(context, myr_interaction_choose(library, "accumulator", myr_accumulator(k)->name));
            compare_with_gravity(own, library, p);
            combinations++;
        }
        exclude_neighbours(own, N, MYR_EXCLUDE_ON_THE_FLY);
        exclude_neighbours(library, N, MYR_EXCLUDE_ON_THE_FLY);
        expect_ok(context, myr_interaction_choose(own, "accumulator", "fixed"));
        expect_ok(context, myr_interaction_choose(library, "accumulator", "fixed"));
        compare_with_gravity(own, library, p);
        exclude_neighbours(own, N, MYR_EXCLUDE_AFTERWARDS);
        exclude_neighbours(library, N, MYR_EXCLUDE_AFTERWARDS);
        compare_with_gravity(own, library, p);
        myr_interaction_destroy(&own);
        myr_interaction_destroy(&library);
    }
    assert_int_equal(combinations, 8 + 8 + 1 + 2);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

/* Two bodies at the same place: left out and counted, as in the library. */
static void test_coincident(void **state)
{
    (void)state;
    myr_context *context = new_context();
    myr_particles *p = new_particles(context, 3);
    const double x[] = {0, 0, 0, 0, 0, 0, 2, 0, 0};
    myr_evaluation last;
    set_field(p, "position", 3, x);
    fill_field(p, "mass", 1);
    myr_interaction *f = made(context, "gravity", "mixed");
    expect_ok(context, myr_interaction_evaluate(f, p, p));
    expect_ok(context, myr_interaction_last(f, &last));
    assert_int_equal(last.skipped, 2);
    expect_close(result(p, "acceleration", 0)[0], 0.25, 1e-6);
    expect_close(result(p, "acceleration", 0)[2], -0.5, 1e-6);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

/* Evaluates two particles at distance r on the x axis; value of a component of an output for the first. */
static double of_two(myr_interaction *f, myr_particles *p, double r, const char *output, int component)
{
    const double x[] = {0.5, -1, 2, 0.5 + r, -1, 2};
    myr_context *context = myr_particles_context(p);
    set_field(p, "position", 3, x);
    expect_ok(context, myr_interaction_evaluate(f, p, p));
    return result(p, output, component)[0];
}

static void test_yukawa(void **state)
{
    (void)state;
    myr_context *context = new_context();
    myr_particles *p = new_particles(context, 2);
    const double charge[] = {2, -3}, kappa = 0.7, r = 1.5;
    set_field(p, "charge", 1, charge);
    myr_interaction *f = made(context, "yukawa", "double");
    expect_ok(context, myr_interaction_set(f, "kappa", kappa));
    /* opposite charges attract: the first is pulled along +x */
    const double right = 6 * (1 + kappa * r) * exp(-kappa * r) / (r * r);
    expect_close(of_two(f, p, r, "force", 0), right, 2e-15); /* measured 6e-16 */
    expect_ok(context, myr_interaction_choose(f, "kernel", "yukawa_potential"));
    assert_true(myr_interaction_get(f, "kappa") == kappa);
    expect_close(of_two(f, p, r, "potential", 0), -6 * exp(-kappa * r) / r, 2e-15);
    /* the force is minus the gradient of the potential energy */
    const double h = 1e-5;
    const double slope = (of_two(f, p, r + h, "potential", 0) - of_two(f, p, r - h, "potential", 0)) / (2 * h);
    expect_close(slope, right, 1e-9);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

/* The values of expressions in the parameters a = 2, b = 3, which a kernel computes once, in double: eight outputs of a
 * kernel hold one each. */
static void test_values(void **state)
{
    (void)state;
    static const struct {
        const char *expression;
        double value;
    } cases[] = {
        {"a + b * 4", 14},
        {"(a + b) * 4", 20},
        {"a - b - 1", -2},
        {"-a * b", -6},
        {"a / b / 4", 2. / 12},
        {"1 / sqrt(a)", 0.70710678118654752440},
        {"pow(a, 3)", 8},
        {"powf(a, -2)", 0.25},
        {"pow(a, 1.5)", 2.8284271247461901},
        {"pow(a, -0.5)", 0.70710678118654752440},
        {"exp(-a)", exp(-2)},
        {"fmin(a, b) + 10 * max(a, b)", 32},
        {"fabs(a - b)", 1},
        {"+a", 2},
        {"1e1f * a", 20},
        {"0x10 * a", 32},
        {"a * (1 / 2)", 1},
        {"(float)a * (double)b", 6},
        {"sin(a) * sin(a) + cos(a) * cos(a)", 1},
        {"a - -b", 5},
    };
    enum { CASES = sizeof cases / sizeof *cases, OUTPUTS = 8 };
    myr_context *context = new_context();
    myr_particles *p = new_particles(context, 2);
    set_field(p, "position", 3, (const double[6]){0});
    fill_field(p, "mass", 1);
    for (int first = 0; first < CASES; first += OUTPUTS) {
        char text[4096], file[32];
        const myr_kernel_info *kernel;
        myr_interaction *f;
        snprintf(text, sizeof text, "i: x[3]\nj: x[3] m=mass\nout: v[8]=value\nparam: a = 0, b = 0\n");
        snprintf(file, sizeof file, "values_%d.pipe", first);
        for (int k = 0; k < OUTPUTS; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "out.v[%d] += j.m * (%s);\n", k,
                     first + k < CASES ? cases[first + k].expression : "a");
        expect_ok(context, myr_kernel_from_source(context, file, text, &kernel));
        expect_ok(context, myr_interaction_create(context, kernel->name, &f));
        expect_ok(context, myr_interaction_choose(f, "arithmetic", "double"));
        expect_ok(context, myr_interaction_choose(f, "accumulator", "double"));
        expect_ok(context, myr_interaction_set(f, "a", 2));
        expect_ok(context, myr_interaction_set(f, "b", 3));
        expect_ok(context, myr_interaction_evaluate(f, p, p));
        for (int k = 0; k < OUTPUTS && first + k < CASES; k++)
            expect_near(cases[first + k].expression, result(p, "value", k)[0], cases[first + k].value,
                        1e-15 * (1 + fabs(cases[first + k].value)));
        myr_interaction_destroy(&f);
    }
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

static void test_morse(void **state)
{
    (void)state;
    myr_context *context = new_context();
    myr_particles *p = new_particles(context, 2);
    const double D = 1.3, a = 2, r0 = 1.1;
    myr_interaction *f = made(context, "morse", "double");
    expect_ok(context, myr_interaction_set(f, "D", D));
    expect_ok(context, myr_interaction_set(f, "a", a));
    expect_ok(context, myr_interaction_set(f, "r0", r0));
    for (double r = 0.8; r < 2; r += 0.35) {
        const double e = exp(-a * (r - r0));
        expect_close(of_two(f, p, r, "force", 0), 2 * a * D * (1 - e) * e, 1e-13);
    }
    expect_ok(context, myr_interaction_choose(f, "kernel", "morse_potential"));
    expect_close(of_two(f, p, r0, "potential", 0), -D, 1e-14); /* the bottom of the well */
    expect_ok(context, myr_interaction_set(f, "rc", 1.5));
    assert_true(of_two(f, p, 1.49, "potential", 0) != 0);
    assert_true(of_two(f, p, 1.51, "potential", 0) == 0);
    assert_true(of_two(f, p, 1.51, "force", 0) == 0);
    assert_int_equal(myr_kernel_known(context, "morse")->has_cutoff, 1);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

/* Forces within a cutoff by lists of cells: the bits of a direct sum, for all targets, some of them (more than half of
 * the sources: fewer are summed directly), and others than the sources; with a cutoff smaller than all distances, and
 * one larger than the cluster. */
static void test_near(void **state)
{
    (void)state;
    enum { N = 1500, SUBSET = 800 };
    const double radii[] = {1e-6, 0.05, 0.4, 100};
    int64_t index[SUBSET];
    for (int k = 0; k < SUBSET; k++)
        index[k] = (int64_t)k * (N - 1) / (SUBSET - 1);
    myr_context *context = new_context();
    myr_particles *p, *few;
    expect_ok(context, myr_model_create(context, "plummer", N, 5, &p));
    expect_ok(context, myr_model_create(context, "plummer", SUBSET, 6, &few));
    for (int a = 0; a < ARITHMETICS; a++) {
        myr_interaction *f = made(context, "morse", arithmetics[a]);
        expect_ok(context, myr_interaction_choose(f, "accumulator", "fixed"));
        for (int k = 0; k < 4; k++) {
            uint64_t hash[2][3];
            expect_ok(context, myr_interaction_set(f, "rc", radii[k]));
            for (int near = 0; near < 2; near++) {
                expect_ok(context, myr_interaction_choose(f, "method", near ? "neighbour" : "direct"));
                forget(p, "force");
                forget(few, "force");
                expect_ok(context, myr_interaction_evaluate(f, p, p));
                hash[near][0] = hash_of(p, "force");
                expect_ok(context, myr_interaction_evaluate_subset(f, p, SUBSET, index));
                hash[near][1] = hash_of(p, "force");
                expect_ok(context, myr_interaction_evaluate(f, few, p));
                hash[near][2] = hash_of(few, "force");
            }
            assert_memory_equal(hash[0], hash[1], sizeof hash[0]);
            myr_far_report report;
            expect_ok(context, myr_interaction_far(f, &report));
            assert_true(k == 3 ? report.near_pairs == (int64_t)N * N : report.near_pairs < (int64_t)N * N / 2);
            assert_true(report.within_pairs >= N && report.within_pairs <= report.near_pairs);
            assert_true(k != 0 || report.within_pairs == N); /* each particle with itself */
        }
        expect_ok(context, myr_interaction_set(f, "rc", 0));
        assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_ERROR_VALUE);
        myr_interaction_destroy(&f);
    }
    myr_interaction *f = new_interaction(context, "gravity", "double");
    expect_ok(context, myr_interaction_choose(f, "method", "neighbour"));
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_ERROR_COMBINATION);
    assert_non_null(strstr(myr_context_message(context), "no cutoff"));
    myr_interaction_destroy(&f);
    myr_particles_destroy(&few);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

/* One particle is W(0); all of them are the library's density. */
static void test_sph(void **state)
{
    (void)state;
    enum { N = 300 };
    const double h = 0.3, m = 2;
    myr_context *context = new_context();
    myr_particles *one = new_particles(context, 1), *p;
    const double x[3] = {1, 2, 3};
    set_field(one, "position", 3, x);
    fill_field(one, "mass", m);
    fill_field(one, "smoothing_length", h);
    myr_interaction *f = made(context, "sph", "double"), *library;
    expect_ok(context, myr_interaction_evaluate(f, one, one));
    expect_close(result(one, "density", 0)[0], m / (PI * h * h * h), 1e-15);
    expect_ok(context, myr_model_create(context, "plummer", N, 3, &p));
    expect_ok(context, myr_model_fill(p, "sph_density", 1, 1));
    expect_ok(context, myr_interaction_create(context, "sph_density", &library));
    expect_ok(context, myr_interaction_choose(library, "arithmetic", "double"));
    double right[N];
    expect_ok(context, myr_interaction_evaluate(library, p, p));
    expect_ok(context, myr_particles_get(p, "density", right));
    expect_ok(context, myr_interaction_evaluate(f, p, p));
    for (int i = 0; i < N; i++)
        expect_close(result(p, "density", 0)[i], right[i], 1e-12);
    myr_interaction_destroy(&f);
    myr_interaction_destroy(&library);
    myr_particles_destroy(&p);
    myr_particles_destroy(&one);
    myr_context_destroy(&context);
}

/* Two vortices of strengths 1 and 2 at distance 1 turn about their centre with the period 4 pi^2 / 3. */
static void test_vortices(void **state)
{
    (void)state;
    enum { STEPS = 400 };
    myr_context *context = new_context();
    myr_particles *p = new_particles(context, 2);
    const myr_particles *now;
    myr_simulation *s;
    const double x[] = {0, 0, 0, 1, 0, 0}, gamma[] = {1, 2}, period = 4 * PI * PI / 3;
    set_field(p, "position", 3, x);
    set_field(p, "circulation", 1, gamma);
    fill_field(p, "mass", 1);
    expect_ok(context, myr_particles_add_field(p, "velocity", 3));
    myr_interaction *f = made(context, "point_vortex", "double");
    expect_ok(context, myr_simulation_create(context, p, f, &s));
    expect_ok(context, myr_simulation_choose(s, "rk4"));
    expect_ok(context, myr_simulation_set(s, "dt", period / STEPS));
    while (myr_simulation_time(s) < 0.5 * period)
        expect_ok(context, myr_simulation_step(s, 0.5 * period));
    expect_ok(context, myr_simulation_particles(s, &now)); /* on the other side of the centre, x = 2/3 */
    assert_true(fabs(result(now, "position", 0)[0] - 4. / 3) < 1.5e-8);
    while (myr_simulation_time(s) < period)
        expect_ok(context, myr_simulation_step(s, period));
    expect_ok(context, myr_simulation_particles(s, &now));
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 3; c++) /* measured 3e-9 */
            assert_true(fabs(result(now, "position", c)[i] - x[3 * i + c]) < 1.5e-8);
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
}

/* On a cubic lattice of spacing 1 the sum at a point of it is (theta(sigma))^3, nearly (2 pi)^(3/2) sigma^3. */
static void test_gauss(void **state)
{
    (void)state;
    enum { SIDE = 13, N = SIDE * SIDE * SIDE, MIDDLE = N / 2 };
    static double x[N][3];
    const double sigma = 0.8;
    myr_context *context = new_context();
    myr_particles *p = new_particles(context, N);
    double theta = 0;
    for (int k = 0; k < SIDE; k++)
        theta += exp(-(k - 6) * (k - 6) / (2 * sigma * sigma));
    for (int i = 0; i < N; i++) {
        x[i][0] = i % SIDE;
        x[i][1] = i / SIDE % SIDE;
        x[i][2] = i / (SIDE * SIDE);
    }
    set_field(p, "position", 3, x[0]);
    fill_field(p, "weight", 1);
    myr_interaction *f = made(context, "gauss", "double");
    expect_ok(context, myr_interaction_set(f, "sigma", sigma));
    expect_ok(context, myr_interaction_evaluate(f, p, p));
    expect_close(result(p, "sum", 0)[MIDDLE], theta * theta * theta, 1e-14);
    expect_close(result(p, "sum", 0)[MIDDLE], pow(2 * PI, 1.5) * pow(sigma, 3), 1e-4);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

/* A checkpoint carries the kernel: a context that never saw its file continues with the same bits. */
static void test_checkpoint(void **state)
{
    (void)state;
    char path[64] = "/tmp/myr_pipeline_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    uint64_t hash[2];
    myr_context *context = new_context(), *other = new_context();
    myr_particles *p;
    myr_simulation *s, *again;
    const myr_particles *now;
    expect_ok(context, myr_model_create(context, "plummer", 64, 5, &p));
    myr_interaction *f = made(context, "gravity", "mixed");
    expect_ok(context, myr_interaction_set(f, "eps", 0.1));
    expect_ok(context, myr_simulation_create(context, p, f, &s));
    expect_ok(context, myr_simulation_set(s, "dt", 0.01));
    for (int k = 0; k < 3; k++)
        expect_ok(context, myr_simulation_step(s, 1));
    const myr_status saved = myr_simulation_save(s, path);
    if (saved == MYR_ERROR_UNAVAILABLE) /* no xxHash in this build */
        skip();
    expect_ok(context, saved);
    expect_ok(other, myr_simulation_load(other, path, &again));
    assert_non_null(myr_kernel_source(other, "my_gravity", NULL));
    for (int k = 0; k < 3; k++) {
        expect_ok(context, myr_simulation_step(s, 1));
        expect_ok(other, myr_simulation_step(again, 1));
    }
    expect_ok(context, myr_simulation_particles(s, &now));
    expect_ok(context, myr_particles_hash(now, "position", &hash[0]));
    expect_ok(other, myr_simulation_particles(again, &now));
    expect_ok(other, myr_particles_hash(now, "position", &hash[1]));
    assert_true(hash[0] == hash[1]);
    myr_conserved conserved;
    expect_ok(other, myr_simulation_conserved(again, &conserved)); /* the optional potential gives the energy */
    assert_true(conserved.potential < 0);
    myr_simulation_destroy(&s);
    myr_simulation_destroy(&again);
    myr_context_destroy(&context);
    myr_context_destroy(&other);
    remove(path);
    char previous[80];
    snprintf(previous, sizeof previous, "%s.previous", path);
    remove(previous);
}

static void test_names(void **state)
{
    (void)state;
    static const char text[] = "i: x[3], j: x[3] m, out: a[3]\nout.a[0] += j.m * (j.x[0] - i.x[0]);";
    static const char other[] = "i: x[3], j: x[3] m, out: a[3]\nout.a[1] += j.m * (j.x[0] - i.x[0]);";
    const myr_kernel_info *first, *second;
    myr_context *context = new_context();
    assert_int_equal(myr_kernel_from_source(context, "gravity.pipe", text, &first), MYR_ERROR_NAME);
    assert_non_null(strstr(myr_context_message(context), "'name: my_gravity'"));
    assert_null(first);
    expect_ok(context, myr_kernel_from_source(context, "line.pipe", text, &first));
    expect_ok(context, myr_kernel_from_source(context, "copy/line.pipe", text, &second));
    assert_ptr_equal(first, second);
    assert_int_equal(myr_kernel_from_source(context, "line.pipe", other, &second), MYR_ERROR_NAME);
    assert_string_equal(myr_kernel_source(context, "line", NULL), text);
    assert_null(myr_kernel_source(context, "gravity", NULL));
    assert_string_equal(myr_kernel_known(context, "gravity")->name, "gravity");
    assert_null(myr_kernel_known(context, "nonsense"));
    assert_int_equal(myr_kernel_from_file(context, "/nonexistent.pipe", NULL), MYR_ERROR_FILE);
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),      cmocka_unit_test(test_gravity), cmocka_unit_test(test_coincident),
        cmocka_unit_test(test_yukawa),     cmocka_unit_test(test_values),  cmocka_unit_test(test_morse),
        cmocka_unit_test(test_near),       cmocka_unit_test(test_sph),     cmocka_unit_test(test_vortices),
        cmocka_unit_test(test_checkpoint), cmocka_unit_test(test_gauss),
    };
    if (system("${CC:-cc} --version >/dev/null 2>&1") != 0)
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
