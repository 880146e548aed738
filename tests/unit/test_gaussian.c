/* test_gaussian.c - Gaussian sums beside plain ones, alone in space and in boxes that repeat, and strengths from the
 * linear system beside those that Fourier transforms give on a periodic lattice. */
#include "isas.h"
#include "method/gaussian/gaussian_inside.h"
#include "method/spectral/fourier.h"
#include "physics/group.h"

#include "core/random.h"

#define CUTOFF 5.6

enum { SOURCES = 300, PLACES = 40 };

typedef struct {
    double x[3][SOURCES], weight[3][SOURCES], width[SOURCES], at[3][PLACES], sum[3][PLACES];
} scene;

static double draw(int64_t id, uint32_t which)
{
    double u[2];
    myr_random_uniform(7, 1, (uint64_t)id, which, u);
    return u[0];
}

/* Sources in a box of edge 1; places in and around it. */
static void make_scene(scene *s, double width)
{
    for (int i = 0; i < SOURCES; i++) {
        for (int c = 0; c < 3; c++) {
            s->x[c][i] = draw(i, (uint32_t)c);
            s->weight[c][i] = draw(i, (uint32_t)c + 3) - 0.5;
        }
        s->width[i] = width * (0.7 + 0.3 * draw(i, 6));
    }
    for (int i = 0; i < PLACES; i++)
        for (int c = 0; c < 3; c++)
            s->at[c][i] = 2 * draw(i + 1000, (uint32_t)c) - 0.5;
}

/* The sum as it stands, with images within two boxes; *size: of the sizes of the contributions. */
static void plain_sum(const scene *s, const double edge[3], int laplacian, const double at[3], double sum[3],
                      double *size)
{
    const int images[3] = {edge[0] > 0 ? 2 : 0, edge[1] > 0 ? 2 : 0, edge[2] > 0 ? 2 : 0};
    sum[0] = sum[1] = sum[2] = *size = 0;
    for (int j = 0; j < SOURCES; j++)
        for (int a = -images[0]; a <= images[0]; a++)
            for (int b = -images[1]; b <= images[1]; b++)
                for (int c = -images[2]; c <= images[2]; c++) {
                    const double w2 = s->width[j] * s->width[j];
                    const double d[3] = {s->x[0][j] + a * edge[0] - at[0], s->x[1][j] + b * edge[1] - at[1],
                                         s->x[2][j] + c * edge[2] - at[2]};
                    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                    double value = exp(-0.5 * r2 / w2) / (2 * PI * w2 * sqrt(2 * PI * w2));
                    if (laplacian)
                        value *= (r2 / w2 - 3) / w2;
                    for (int k = 0; k < 3; k++)
                        sum[k] += value * s->weight[k][j];
                    *size += fabs(value);
                }
}

/* equal: one width for all sources; cutoff: of the sums. */
static void check_sums_of(const double edge[3], double width, int equal, double cutoff, int laplacian, double bar)
{
    static scene s;
    myr_gaussian *g = NULL;
    double worst = 0, most = 0;
    make_scene(&s, width);
    for (int i = 0; i < SOURCES && equal; i++)
        s.width[i] = width;
    const double *x[3] = {s.x[0], s.x[1], s.x[2]}, *w[3] = {s.weight[0], s.weight[1], s.weight[2]};
    const double *at[3] = {s.at[0], s.at[1], s.at[2]};
    double *sum[3] = {s.sum[0], s.sum[1], s.sum[2]};
    expect_ok(context, myr_gaussian_create_in(context, SOURCES, x, s.width, cutoff, edge, &g));
    expect_ok(context, (laplacian ? myr_gaussian_laplacian : myr_gaussian_sum)(g, w, PLACES, at, sum));
    for (int i = 0; i < PLACES; i++) {
        double right[3], size;
        plain_sum(&s, edge, laplacian, (const double[3]){at[0][i], at[1][i], at[2][i]}, right, &size);
        keep_largest(&most, size);
        for (int c = 0; c < 3; c++)
            keep_largest(&worst, fabs(sum[c][i] - right[c]));
    }
    expect_below(laplacian ? "Laplacians" : "sums", worst / most, bar);
    myr_gaussian_destroy(&g);
}

static void check_sums(const double edge[3], double width, int laplacian)
{
    check_sums_of(edge, width, 0, CUTOFF, laplacian, laplacian ? 4e-6 : 3e-7); /* measured: 9e-7 and 6.3e-8 */
}

/* Equal widths in a box, by way of a mesh. */
static void test_split(void **state)
{
    (void)state;
    const double edge[3] = {1, 0.8, 1.2};
    for (int laplacian = 0; laplacian < 2; laplacian++) {
        const double bar = laplacian ? 2.5e-5 : 1.5e-6; /* measured: 5.4e-6 and 3.2e-7 */
        check_sums_of(edge, 0.097, 1, 5.5, laplacian, bar);
        check_sums_of(edge, 0.1, 1, 5.5, laplacian, bar);
    }
}

/* They have the same bits on any number of threads: 40 points along an axis are cut into blocks. */
static void test_split_threads(void **state)
{
    (void)state;
    enum { MANY = 8000 };
    static double x[3][MANY], weight[3][MANY], width[MANY], sum[2][3][MANY];
    const double *at[3] = {x[0], x[1], x[2]}, *w[3] = {weight[0], weight[1], weight[2]};
    const double edge[3] = {1, 1, 1};
    for (int i = 0; i < MANY; i++) {
        width[i] = 0.04;
        for (int c = 0; c < 3; c++) {
            x[c][i] = draw(i, (uint32_t)c);
            weight[c][i] = draw(i, (uint32_t)c + 3) - 0.5;
        }
    }
    for (int k = 0; k < 2; k++) {
        myr_gaussian *g = NULL;
        double *to[3] = {sum[k][0], sum[k][1], sum[k][2]};
        expect_ok(context, myr_context_set_threads(context, k ? 5 : 1));
        expect_ok(context, myr_gaussian_create_in(context, MANY, at, width, 4.5, edge, &g));
        expect_ok(context, myr_gaussian_sum(g, w, MANY, NULL, to));
        myr_gaussian_destroy(&g);
    }
    assert_memory_equal(sum[0], sum[1], sizeof sum[0]);
}

/* A kept mesh, in doubles and in floats: sums beside plain ones, and Laplacians of the sums before, which have the bits
 * of those of new sums. */
static void test_kept(void **state)
{
    (void)state;
    static scene s;
    static double sum[3][SOURCES], again[3][SOURCES], whole[3][SOURCES];
    make_scene(&s, 0.1);
    const double *x[3] = {s.x[0], s.x[1], s.x[2]}, *w[3] = {s.weight[0], s.weight[1], s.weight[2]};
    for (int i = 0; i < SOURCES; i++)
        s.width[i] = 0.1;
    for (int single = 0; single < 2; single++) {
        const myr_gaussian_spread_case wanted = {.tolerance = single ? 3e-5 : 1e-8,
                                                 .width = 0.1,
                                                 .edge = {1, 1, 1},
                                                 .corner = {-0.3, 0.2, 0},
                                                 .n = SOURCES,
                                                 .single = single};
        myr_gaussian_spread *g = NULL;
        double off = 0, all = 0;
        expect_ok(context, myr_gaussian_spread_create(context, &wanted, &g));
        expect_ok(context, myr_gaussian_spread_keep(g));
        expect_ok(context, myr_gaussian_spread_place(g, x));
        expect_ok(context, myr_gaussian_spread_sum(g, 0, w, SOURCES, NULL, (double *const[3]){sum[0], sum[1], sum[2]}));
        myr_gaussian_spread_laplacian_again(g, (double *const[3]){again[0], again[1], again[2]});
        expect_ok(context,
                  myr_gaussian_spread_sum(g, 1, w, SOURCES, NULL, (double *const[3]){whole[0], whole[1], whole[2]}));
        assert_memory_equal(again, whole, sizeof again);
        for (int i = 0; i < PLACES; i++) {
            double right[3], size;
            plain_sum(&s, wanted.edge, 0, (const double[3]){x[0][i], x[1][i], x[2][i]}, right, &size);
            for (int c = 0; c < 3; c++) {
                off += pow(sum[c][i] - right[c], 2);
                all += right[c] * right[c];
            }
        }
        expect_below("kept sums", sqrt(off / all), single ? 4e-5 : 2e-8); /* measured: 8.1e-6, 4.3e-9 */
        myr_gaussian_spread_destroy(&g);
    }
}

/* Coefficient of a wave, in units of 2 pi, of sums at the points of a mesh: plain ones, transformed as it stands. */
static void plain_wave(const scene *s, const double corner[3], int side, const int k[3], double hat[3][2])
{
    const double edge[3] = {1, 1, 1};
    memset(hat, 0, sizeof(double[3][2]));
    for (int i = 0; i < side * side * side; i++) {
        const double part[3] = {i % side / (double)side, i / side % side / (double)side,
                                i / side / side / (double)side};
        const double phase = 2 * PI * (k[0] * part[0] + k[1] * part[1] + k[2] * part[2]);
        double sum[3], size;
        plain_sum(s, edge, 0, (const double[3]){corner[0] + part[0], corner[1] + part[1], corner[2] + part[2]}, sum,
                  &size);
        for (int c = 0; c < 3; c++) {
            hat[c][0] += sum[c] * cos(phase) / (side * side * side);
            hat[c][1] -= sum[c] * sin(phase) / (side * side * side);
        }
    }
}

/* The waves of sums at the points of a mesh: a coarse one, which takes short waves for long ones, and one finer than
 * the mesh of the sums. */
static void test_waves(void **state)
{
    (void)state;
    static scene s;
    static const int waves[][3] = {{0, 0, 0}, {1, 0, 0}, {0, -2, 1}, {2, 1, -1}, {1, -1, 2}};
    const int sides[] = {6, 30};
    make_scene(&s, 0.1);
    const double *x[3] = {s.x[0], s.x[1], s.x[2]}, *w[3] = {s.weight[0], s.weight[1], s.weight[2]};
    for (int i = 0; i < SOURCES; i++)
        s.width[i] = 0.1;
    const myr_gaussian_spread_case wanted = {
        .tolerance = 1e-8, .width = 0.1, .edge = {1, 1, 1}, .corner = {-0.3, 0.2, 0.7}, .n = SOURCES};
    myr_gaussian_spread *g = NULL;
    expect_ok(context, myr_gaussian_spread_create(context, &wanted, &g));
    expect_ok(context, myr_gaussian_spread_place(g, x));
    for (int m = 0; m < 2; m++) {
        const int64_t side = sides[m], numbers = myr_fourier_numbers(side);
        double *hat[3], worst = 0, most = 0;
        for (int c = 0; c < 3; c++)
            assert_non_null(hat[c] = calloc((size_t)numbers, sizeof(double)));
        myr_gaussian_spread_modes(g, w, side, hat);
        for (size_t k = 0; k < sizeof waves / sizeof *waves; k++) {
            double right[3][2];
            plain_wave(&s, wanted.corner, m ? 12 : 6, waves[k], right); /* 12 points have what 30 have to 1e-8 */
            const int64_t row = myr_fourier_place(side, waves[k][2]) * side + myr_fourier_place(side, waves[k][1]);
            for (int c = 0; c < 3; c++)
                for (int part = 0; part < 2; part++) {
                    const double here = hat[c][2 * (row * myr_fourier_half(side) + waves[k][0]) + part];
                    keep_largest(&worst, fabs(here - right[c][part]));
                    keep_largest(&most, fabs(right[c][part]));
                }
        }
        expect_below("waves", worst / most, 9e-9); /* measured: 1.8e-9 */
        for (int c = 0; c < 3; c++)
            free(hat[c]);
    }
    myr_gaussian_spread_destroy(&g);
}

/* A field of some waves, real parts of a exp(i k x), at points that a flow without divergence has moved: the fit finds
 * the waves again, up to the largest that the lattice has. */
static void test_fit(void **state)
{
    (void)state;
    enum { SIDE = 12, N = SIDE * SIDE * SIDE, WAVES = 5 };
    static const int waves[WAVES][3] = {{0, 0, 1}, {1, -2, 0}, {3, 1, 2}, {0, -4, 3}, {5, 2, -1}};
    static double x[3][N], value[3][N];
    const int64_t numbers = myr_fourier_numbers(SIDE);
    double *hat[3];
    for (int i = 0; i < N; i++) {
        const double at[3] = {i % SIDE / (double)SIDE, i / SIDE % SIDE / (double)SIDE, i / SIDE / SIDE / (double)SIDE};
        for (int c = 0; c < 3; c++) /* by up to 0.7 of a spacing, and 0.3 of it per spacing */
            x[c][i] = at[c] + 0.03 * sin(2 * PI * (at[(c + 1) % 3] + 0.1)) + 0.03 * cos(2 * PI * at[(c + 2) % 3]);
        for (int c = 0; c < 3; c++) {
            value[c][i] = 0;
            for (int k = 0; k < WAVES; k++) {
                const double phase = 2 * PI * (waves[k][0] * x[0][i] + waves[k][1] * x[1][i] + waves[k][2] * x[2][i]);
                value[c][i] += (k + 1) * cos(phase) - (c + 1) * sin(phase);
            }
        }
    }
    const double *to_x[3] = {x[0], x[1], x[2]}, *to_value[3] = {value[0], value[1], value[2]};
    const myr_gaussian_spread_case wanted = {
        .tolerance = 1e-8, .width = 1.0 / SIDE, .edge = {1, 1, 1}, .n = N, .single = 0};
    myr_gaussian_spread *g = NULL;
    myr_mesh_waves_fit fit = {.modes = SIDE, .tolerance = 1e-5, .most = 30};
    double off = 0, all = 0;
    for (int c = 0; c < 3; c++)
        assert_non_null(hat[c] = calloc((size_t)numbers, sizeof(double)));
    expect_ok(context, myr_gaussian_spread_create(context, &wanted, &g));
    expect_ok(context, myr_gaussian_spread_place(g, to_x));
    expect_ok(context, myr_gaussian_spread_fit(g, to_value, &fit, hat));
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < WAVES; k++) {
            const int64_t row = myr_fourier_place(SIDE, waves[k][2]) * SIDE + myr_fourier_place(SIDE, waves[k][1]);
            const double *here = hat[c] + 2 * (row * myr_fourier_half(SIDE) + waves[k][0]);
            off += pow(here[0] - 0.5 * (k + 1), 2) + pow(here[1] - 0.5 * (c + 1), 2);
            all += pow(0.5 * (k + 1), 2) + pow(0.5 * (c + 1), 2);
        }
    expect_below("waves of a fit", sqrt(off / all), 5e-8); /* measured: 1.0e-8 */
    expect_below("residual", fit.residual, 7e-6);          /* measured: 1.5e-6 */
    assert_in_range(fit.iterations, 1, 20);                /* 4 */
    for (int c = 0; c < 3; c++)
        free(hat[c]);
    myr_gaussian_spread_destroy(&g);
}

static void test_sums(void **state)
{
    (void)state;
    const double edges[][3] = {{0, 0, 0}, {1, 1, 1}, {1, 0, 1}};
    for (size_t k = 0; k < sizeof edges / sizeof *edges; k++)
        for (int laplacian = 0; laplacian < 2; laplacian++) {
            check_sums(edges[k], 0.03, laplacian);
            check_sums(edges[k], 0.11, laplacian);
            check_sums(edges[k], 0.3, laplacian); /* the cutoff reaches across the box more than once */
        }
}

/* Sums through cells have the same bits on any number of threads and with every instruction set. */
static void test_same_bits(void **state)
{
    (void)state;
    static scene s;
    static double first[3][SOURCES], sum[3][SOURCES];
    make_scene(&s, 0.1);
    const double *x[3] = {s.x[0], s.x[1], s.x[2]}, *w[3] = {s.weight[0], s.weight[1], s.weight[2]};
    const myr_isa_table *isa;
    for (int laplacian = 0; laplacian < 2; laplacian++)
        for (int k = 0; (isa = myr_backend_isa(k)); k++) {
            myr_gaussian *g = NULL;
            if (!isas_tested(isa))
                continue;
            expect_ok(context, myr_context_set_threads(context, k ? 3 : 1));
            expect_ok(context, myr_gaussian_create(context, SOURCES, x, s.width, CUTOFF, &g));
            g->isa = isa;
            expect_ok(context, (laplacian ? myr_gaussian_laplacian : myr_gaussian_sum)(
                                   g, w, SOURCES, NULL, (double *const[3]){sum[0], sum[1], sum[2]}));
            if (k == 0)
                memcpy(first, sum, sizeof first);
            assert_memory_equal(first, sum, sizeof first);
            assert_ptr_equal(g->isa, isa); /* and not plain code in its place */
            myr_gaussian_destroy(&g);
        }
}

/* Values at the sources themselves, by number and not by cell. */
static void test_at_sources(void **state)
{
    (void)state;
    static scene s;
    static double own[3][SOURCES], same[3][SOURCES];
    myr_gaussian *g = NULL;
    make_scene(&s, 0.1);
    const double *x[3] = {s.x[0], s.x[1], s.x[2]}, *w[3] = {s.weight[0], s.weight[1], s.weight[2]};
    expect_ok(context, myr_gaussian_create_in(context, SOURCES, x, s.width, CUTOFF, (const double[3]){1, 1, 1}, &g));
    expect_ok(context, myr_gaussian_sum(g, w, SOURCES, NULL, (double *const[3]){own[0], own[1], own[2]}));
    expect_ok(context, myr_gaussian_sum(g, w, SOURCES, x, (double *const[3]){same[0], same[1], same[2]}));
    assert_memory_equal(own, same, sizeof own);
    myr_gaussian_destroy(&g);
}

/* The strengths of a flow's elements come from Fourier transforms (src/model/flow.c); conjugate gradients find them. */
static void check_lattice(double overlap, double bar)
{
    const setting settings[] = {{"peak", 2, NULL}, {"overlap", overlap, NULL}, {0}};
    myr_particles *p = make_model(context, "isotropic_turbulence", 12 * 12 * 12, 2, settings);
    const int64_t n = myr_particles_count(p);
    const double edge[3] = {2 * PI, 2 * PI, 2 * PI};
    double *weight = calloc((size_t)(3 * n), sizeof *weight), residual, off = 0, all = 0;
    const double *x[3], *w[3];
    int iterations;
    myr_gaussian *g = NULL;
    assert_non_null(weight);
    expect_ok(context, myr_flow_derive(p));
    for (int c = 0; c < 3; c++) {
        x[c] = result(p, "position", c);
        w[c] = result(p, "vorticity", c);
    }
    expect_ok(context, myr_gaussian_create_in(context, n, x, result(p, "core", 0), CUTOFF, edge, &g));
    expect_ok(context, myr_gaussian_solve(g, w, 1e-6, 500, (double *const[3]){weight, weight + n, weight + 2 * n},
                                          &iterations, &residual));
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < n; i++) {
            const double right = result(p, "strength", c)[i];
            off += pow(weight[c * n + i] - right, 2);
            all += right * right;
        }
    expect_below("residual", residual, 1e-6);
    expect_below("strengths", sqrt(off / all), bar);
    myr_gaussian_destroy(&g);
    myr_particles_destroy(&p);
    free(weight);
}

static void test_lattice(void **state)
{
    (void)state;
    if (!myr_flow_available())
        skip();
    check_lattice(0.8, 1e-5);   /* measured: 2.2e-6, in 19 iterations */
    check_lattice(1, 1.5e-5);   /* 3.2e-6, in 34 */
    check_lattice(1.2, 1.2e-4); /* 2.5e-5, in 55 */
}

static void test_refusals(void **state)
{
    (void)state;
    const double zero[1] = {0}, *x[3] = {zero, zero, zero};
    myr_gaussian *g = NULL;
    assert_int_equal(myr_gaussian_create(context, 1, x, zero, CUTOFF, &g), MYR_ERROR_VALUE);
    assert_int_equal(myr_gaussian_create(context, 0, x, zero, CUTOFF, &g), MYR_ERROR_VALUE);
    assert_null(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums),          cmocka_unit_test(test_split),
                                       cmocka_unit_test(test_split_threads), cmocka_unit_test(test_at_sources),
                                       cmocka_unit_test(test_same_bits),     cmocka_unit_test(test_lattice),
                                       cmocka_unit_test(test_kept),          cmocka_unit_test(test_waves),
                                       cmocka_unit_test(test_fit),           cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
