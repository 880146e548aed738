/* Isotropic turbulence: the spectrum asked for, no divergence, the same eddies on any mesh, vortex elements that have
 * the vorticity of the velocities, and a decay that follows the dissipation. */
#include "physics/group.h"
#include "unit/scratch.h"

/* The spectrum, and the largest difference from `wanted`, scaled to the same sum, relative to its largest value. */
static void expect_spectrum(const myr_particles *p, double (*wanted)(double k), int shells)
{
    double wave[64], energy[64], sum = 0, all = 0, most = 0, worst = 0;
    int64_t found;
    expect_ok(context, myr_flow_spectrum(p, 64, wave, energy, &found));
    for (int s = 0; s < found; s++)
        sum += energy[s];
    for (int s = 0; s < shells; s++) {
        all += wanted(wave[s]);
        most = fmax(most, wanted(wave[s]));
    }
    for (int s = 0; s < found; s++)
        keep_largest(&worst, fabs(energy[s] * all / sum - (s < shells ? wanted(wave[s]) : 0)) / most);
    expect_below("spectrum", worst, 3e-15); /* measured: 6e-16 */
}

static double shape_k4(double k)
{
    return pow(k, 4) * exp(-2 * pow(k / 3, 2));
}

static double shape_pao(double k)
{
    const double x = k / 2 * sqrt(12.0 / 5);
    return pow(x, 4) * pow(1 + x * x, -17.0 / 6) * exp(-2.25 * pow(0.2 * k, 4.0 / 3));
}

/* A table with a power law between its entries, and nothing beyond. */
static double shape_table(double k)
{
    return k < 1.9 || k > 6.1 ? 0 : k <= 4 ? 100 * pow(k / 2, 2) : 400 * pow(k / 4, -1);
}

static void test_spectra(void **state)
{
    (void)state;
    enum { SIDE = 16, SHELLS = SIDE / 2 - 1 };
    const struct {
        const char *name;
        double (*shape)(double k);
        double peak, kolmogorov;
    } kind[] = {{"k4", shape_k4, 3, 0}, {"von_karman_pao", shape_pao, 2, 0.2}, {"table", shape_table, 1, 0}};
    scratch files;
    scratch_begin(&files);
    FILE *file = fopen(scratch_path(&files, "spectrum.txt"), "w");
    assert_non_null(file);
    fprintf(file, "# k, nothing, E\n1 0 0\n2 1 100\n4\t1\t400\n6 1 %.17g\n7 1 0\n", 400 * 4.0 / 6);
    fclose(file);
    for (int k = 0; k < 3; k++) {
        myr_model_spec *spec;
        myr_particles *p;
        myr_flow flow;
        expect_ok(context, myr_model_spec_create(context, "isotropic_turbulence", &spec));
        expect_ok(context, myr_model_spec_choose(spec, "spectrum", kind[k].name));
        expect_ok(context, myr_model_spec_set(spec, "peak", kind[k].peak));
        expect_ok(context, myr_model_spec_set(spec, "kolmogorov", kind[k].kolmogorov));
        expect_ok(context, myr_model_spec_set(spec, "column", 2));
        expect_ok(context, myr_model_spec_set(spec, "speed", 0.5));
        expect_ok(context, myr_model_spec_read_table(spec, scratch_path(&files, "spectrum.txt")));
        expect_ok(context, myr_model_spec_make(spec, SIDE * SIDE * SIDE, 3, &p));
        expect_spectrum(p, kind[k].shape, SHELLS);
        expect_ok(context, myr_flow_measure(p, 0, &flow));
        expect_near("u'", flow.speed, 0.5, 1e-14);
        expect_below("divergence", flow.divergence, 1e-14);
        myr_particles_destroy(&p);
        myr_model_spec_destroy(&spec);
    }
    scratch_end(&files);
}

/* A finer mesh has the same eddies, at the points that both have. */
static void test_same_eddies(void **state)
{
    (void)state;
    const setting settings[] = {{"peak", 2, NULL}, {0}};
    myr_particles *coarse = make_model(context, "isotropic_turbulence", 16 * 16 * 16, 8, settings);
    myr_particles *fine = make_model(context, "isotropic_turbulence", 32 * 32 * 32, 8, settings);
    const bodies a = bodies_of(coarse), b = bodies_of(fine);
    double worst = 0;
    for (int z = 0; z < 16; z++)
        for (int y = 0; y < 16; y++)
            for (int x = 0; x < 16; x++)
                for (int c = 0; c < 3; c++)
                    keep_largest(&worst, fabs(a.v[c][(z * 16 + y) * 16 + x] - b.v[c][(z * 64 + 2 * y) * 32 + 2 * x]));
    expect_below("velocities on two meshes", worst, 8e-5); /* measured: 1.6e-5, the shells beyond 7 */
    myr_particles_destroy(&coarse);
    myr_particles_destroy(&fine);
}

/* Paper 004 eq. 3 with periodic images, summed as it stands, at some points of the mesh. */
static void test_elements(void **state)
{
    (void)state;
    enum { SIDE = 8, N = SIDE * SIDE * SIDE };
    for (int k = 0; k < 2; k++) {
        const setting settings[] = {{"overlap", k ? 1.3 : 1, NULL}, {0}};
        myr_particles *p = make_model(context, "isotropic_turbulence", N, 2, settings);
        const bodies b = bodies_of(p);
        const double *core = result(p, "core", 0);
        double worst = 0;
        expect_ok(context, myr_flow_derive(p));
        for (int i = 0; i < N; i += 37) {
            double sum[3] = {0};
            for (int j = 0; j < N; j++) {
                double gaussian = 1;
                for (int c = 0; c < 3; c++) {
                    double axis = 0;
                    for (int image = -2; image <= 2; image++)
                        axis += exp(-0.5 * pow((b.x[c][i] - b.x[c][j] + 2 * PI * image) / core[j], 2));
                    gaussian *= axis / (sqrt(2 * PI) * core[j]);
                }
                for (int c = 0; c < 3; c++)
                    sum[c] += gaussian * result(p, "strength", c)[j];
            }
            for (int c = 0; c < 3; c++)
                keep_largest(&worst, fabs(sum[c] - result(p, "vorticity", c)[i]));
        }
        expect_below("vorticity of the elements", worst, k ? 5e-13 : 7e-14); /* measured: 1.3e-14, 9.5e-14 */
        expect_near("volume", result(p, "volume", 0)[5] * N, pow(2 * PI, 3), 1e-10);
        myr_particles_destroy(&p);
    }
}

/* What derive gives, for a flow whose vorticity is its velocity: II = sum u_ij u_ji. */
static void test_derived(void **state)
{
    (void)state;
    myr_particles *p = make_model(context, "abc_flow", 512, 1, NULL);
    const bodies b = bodies_of(p);
    double worst = 0;
    expect_ok(context, myr_flow_derive(p));
    expect_ok(context, myr_flow_derive(p)); /* again: nothing adds up */
    for (int64_t i = 0; i < b.n; i++) {
        const double x = b.x[0][i], y = b.x[1][i], z = b.x[2][i];
        for (int c = 0; c < 3; c++)
            keep_largest(&worst, fabs(result(p, "vorticity", c)[i] - b.v[c][i]));
        /* u = sin z + cos y, v = sin x + cos z, w = sin y + cos x: 2 (u_y v_x + v_z w_y + w_x u_z) */
        const double second = -2 * (sin(y) * cos(x) + sin(z) * cos(y) + sin(x) * cos(z));
        keep_largest(&worst, fabs(result(p, "second_invariant", 0)[i] - second));
    }
    expect_below("vorticity and second invariant", worst, 1e-14);
    myr_particles_destroy(&p);
}

/* dK/dt = -dissipation, and the numbers that a flow decays by. */
static void test_decay(void **state)
{
    (void)state;
    const double viscosity = 0.02, dt = 0.02;
    myr_flow flow[3];
    myr_particles *p = make_model(context, "isotropic_turbulence", 24 * 24 * 24, 1, SETTINGS({"peak", 3, NULL}));
    myr_simulation *s = NULL;
    expect_ok(context, myr_simulation_create(context, p, NULL, &s));
    expect_ok(context, myr_simulation_choose(s, "rk4"));
    expect_ok(context, myr_simulation_set(s, "dt", dt));
    expect_ok(context, myr_simulation_set_spectral(s, viscosity));
    run_to(context, s, 0.5);
    for (int k = 0; k < 3; k++) {
        const myr_particles *now;
        expect_ok(context, myr_simulation_particles(s, &now));
        expect_ok(context, myr_flow_measure(now, viscosity, &flow[k]));
        expect_ok(context, myr_simulation_step(s, 1e300));
    }
    expect_near("dK/dt", (flow[2].kinetic - flow[0].kinetic) / (2 * dt) / flow[1].dissipation, -1,
                9e-4);                                               /* measured: 1.9e-4, of the difference */
    assert_true(flow[1].skewness < -0.3 && flow[1].skewness > -0.7); /* the turbulence has become one */
    myr_simulation_destroy(&s);
}

static void expect_table(const char *text, const char *words)
{
    myr_model_spec *spec;
    scratch files;
    scratch_begin(&files);
    FILE *file = fopen(scratch_path(&files, "t"), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    expect_ok(context, myr_model_spec_create(context, "isotropic_turbulence", &spec));
    assert_int_not_equal(myr_model_spec_read_table(spec, scratch_path(&files, "t")), MYR_OK);
    if (!strstr(myr_context_message(context), words))
        fail_msg("'%s' does not say '%s'", myr_context_message(context), words);
    myr_model_spec_destroy(&spec);
    scratch_end(&files);
}

static void count_warnings(void *to, const char *sentence)
{
    *(int *)to += strstr(sentence, "only the shape of the spectrum is that of the table") != NULL;
}

/* The energies of a table: kept where asked for, otherwise replaced with a warning unless they agree. E = 16, 25,
 * ..., 100 at the wave numbers 1 to 7, which are 0.5 to 3.5 in a table whose unit is 2: K is half of the sum of E. */
static void test_table_amplitude(void **state)
{
    (void)state;
    const double sum = 16 + 25 + 36 + 49 + 64 + 81 + 100, table_speed = sqrt(0.5 * sum / 1.5);
    const struct {
        const char *amplitude;
        double speed, wanted;
        int warnings;
    } set[] = {{"table", 1, table_speed, 0}, {"speed", 1, 1, 1}, {"speed", table_speed, table_speed, 0}};
    scratch files;
    scratch_begin(&files);
    FILE *file = fopen(scratch_path(&files, "spectrum.txt"), "w");
    assert_non_null(file);
    for (int k = 0; k < 7; k++) /* k = 0.5, 1, 1.5, ... in units of 2 wave numbers */
        fprintf(file, "%g %d\n", 0.5 * (k + 1), (k + 4) * (k + 4));
    fclose(file);
    for (int k = 0; k < 3; k++) {
        myr_model_spec *spec;
        myr_particles *p;
        myr_flow flow;
        int warnings = 0;
        myr_context_set_warning(context, count_warnings, &warnings);
        expect_ok(context, myr_model_spec_create(context, "isotropic_turbulence", &spec));
        expect_ok(context, myr_model_spec_choose(spec, "spectrum", "table"));
        expect_ok(context, myr_model_spec_choose(spec, "amplitude", set[k].amplitude));
        expect_ok(context, myr_model_spec_set(spec, "table_wave", 2));
        expect_ok(context, myr_model_spec_set(spec, "speed", set[k].speed));
        expect_ok(context, myr_model_spec_read_table(spec, scratch_path(&files, "spectrum.txt")));
        expect_ok(context, myr_model_spec_make(spec, 16 * 16 * 16, 3, &p));
        expect_ok(context, myr_flow_measure(p, 0, &flow));
        expect_near("u'", flow.speed / set[k].wanted, 1, 1e-14);
        assert_int_equal(warnings, set[k].warnings);
        myr_particles_destroy(&p);
        expect_ok(context, myr_model_spec_choose(spec, "amplitude", "table"));
        expect_ok(context, myr_model_spec_choose(spec, "spectrum", "k4"));
        assert_int_equal(myr_model_spec_make(spec, 64, 1, &p), MYR_ERROR_COMBINATION);
        myr_model_spec_destroy(&spec);
    }
    myr_context_set_warning(context, NULL, NULL);
    scratch_end(&files);
}

static void test_refusals(void **state)
{
    (void)state;
    myr_model_spec *spec;
    myr_particles *p;
    expect_table("1 2\n3 x\n", ":2: not a line");
    expect_table("1 2\n1 2\n", ":2: the first number");
    expect_table("1 2\n3\n", ":2: expected as many");
    expect_table("# nothing\n", "has no table");
    expect_ok(context, myr_model_spec_create(context, "isotropic_turbulence", &spec));
    assert_int_equal(myr_model_spec_read_table(spec, "/nowhere/at/all"), MYR_ERROR_FILE);
    expect_ok(context, myr_model_spec_choose(spec, "spectrum", "table"));
    assert_int_equal(myr_model_spec_make(spec, 64, 1, &p), MYR_ERROR_VALUE);
    assert_non_null(strstr(myr_context_message(context), "needs a file"));
    myr_model_spec_destroy(&spec);
    expect_ok(context, myr_model_spec_create(context, "plummer", &spec));
    assert_int_equal(myr_model_spec_read_table(spec, "x"), MYR_ERROR_NAME);
    myr_model_spec_destroy(&spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_amplitude), cmocka_unit_test(test_spectra), cmocka_unit_test(test_same_eddies),
        cmocka_unit_test(test_elements),        cmocka_unit_test(test_derived), cmocka_unit_test(test_decay),
        cmocka_unit_test(test_refusals),
    };
    if (!myr_flow_available())
        return 77;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
