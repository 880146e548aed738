/* test_observables.c - observables against what is known: an ideal gas, a crystal's shells, ballistic and Brownian
 * motion, velocities that are forgotten as exp(-gamma t), slabs; and that order, threads and checkpoints change
 * nothing. */
#include "unit/scratch.h"

#include <math.h>

#include <myriad/observable.h>

#include "core/random.h"

enum { ROWS_MAX = 1000 };

static const double pi = 3.14159265358979323846;

/* A stream of numbers. */
typedef struct {
    uint64_t seed, at;
} stream;

static double uniform(stream *s)
{
    double u[2];
    myr_random_uniform(s->seed, 0, s->at++, 0, u);
    return u[0];
}

static double normal(stream *s)
{
    double u[2];
    myr_random_uniform(s->seed, 0, s->at++, 0, u);
    return sqrt(-2 * log(u[0])) * cos(2 * pi * u[1]);
}

static double *component(myr_particles *p, const char *name, int c)
{
    return myr_particles_component(p, name, c);
}

static myr_particles *set_of(scratch *s, int64_t n)
{
    myr_particles *p = NULL;
    assert_int_equal(myr_particles_create(s->context, n, &p), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "position", 3), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "velocity", 3), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "image", 3), MYR_OK);
    return p;
}

static myr_observable *make(scratch *s, const char *kind, const myr_observable_options *options)
{
    myr_observable *o = NULL;
    if (myr_observable_create(s->context, kind, options, &o) != MYR_OK)
        fail_msg("%s", myr_context_message(s->context));
    return o;
}

static void add(scratch *s, myr_observable *o, const myr_particles *p, double time, const double box[3])
{
    if (myr_observable_add(o, p, time, box, NULL) != MYR_OK)
        fail_msg("%s", myr_context_message(s->context));
}

/* A column by its name. */
static const double *column(const myr_observable *o, const char *name, double values[ROWS_MAX])
{
    char found[MYR_OBSERVABLE_NAME_MAX + 1];
    assert_true(myr_observable_rows(o) <= ROWS_MAX);
    for (int k = 0; k < myr_observable_columns(o); k++) {
        assert_non_null(myr_observable_column(o, k, found));
        if (strcmp(found, name) != 0)
            continue;
        assert_int_equal(myr_observable_get(o, k, values), MYR_OK);
        return values;
    }
    fail_msg("there is no column %s", name);
    return NULL;
}

/* An ideal gas of two types in a box that is no cube: every g is 1 within its error, which is that of a count. */
static void test_ideal_gas(void **state)
{
    (void)state;
    enum { N = 4000, SAMPLES = 8, ROWS = 20 };
    static const double box[3] = {10, 13, 8};
    scratch s;
    double r[ROWS_MAX], g[ROWS_MAX], worst = 0, mean = 0;
    scratch_begin(&s);
    myr_particles *p = set_of(&s, N);
    int32_t *type = calloc(N, sizeof *type);
    for (int i = 0; i < N; i++)
        type[i] = i % 4 == 0;
    myr_particles_set_types(p, type);
    free(type);
    myr_observable *o = make(&s, "rdf", &(myr_observable_options){.rows = ROWS, .reach = 3});
    stream random = {5, 0};
    for (int k = 0; k < SAMPLES; k++) {
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < N; i++) /* some lie outside: the box is periodic */
                component(p, "position", c)[i] = box[c] * (3 * uniform(&random) - 1);
        add(&s, o, p, k, box);
    }
    column(o, "r", r);
    static const struct {
        const char *name;
        double pairs;
    } of[] = {{"g", N * (N - 1) / 2.0}, {"g_0_0", 3000 * 2999 / 2.0}, {"g_0_1", 3000 * 1000.0}, {"g_1_1", 499500}};
    for (int k = 0; k < 4; k++) {
        column(o, of[k].name, g);
        for (int row = 0; row < ROWS; row++) {
            const double shell = 4 * pi / 3 * (pow(r[row] + 0.075, 3) - pow(r[row] - 0.075, 3));
            const double expected = SAMPLES * of[k].pairs * shell / (box[0] * box[1] * box[2]);
            worst = fmax(worst, fabs(g[row] - 1) * sqrt(expected));
            mean += (g[row] - 1) * sqrt(expected) / (4 * ROWS);
        }
    }
    print_message("ideal gas: largest deviation %.2f standard errors, mean %.2f\n", worst, mean);
    assert_true(worst < 4.5 && fabs(mean) < 0.5);
    /* and the neighbours up to the reach */
    column(o, "coordination", g);
    const double all = (N - 1) * 4 * pi / 3 * 27 / (box[0] * box[1] * box[2]);
    assert_true(fabs(g[ROWS - 1] / all - 1) < 4 / sqrt(SAMPLES * N * all / 2));
    myr_observable_destroy(&o);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

/* An ideal gas in a box that shrinks: each bin is a mean over the samples whose box held it. */
static void test_shrinking(void **state)
{
    (void)state;
    enum { N = 2000, SAMPLES = 6, ROWS = 10 };
    scratch s;
    double g[ROWS_MAX], count[ROWS_MAX], worst = 0;
    scratch_begin(&s);
    myr_particles *p = set_of(&s, N);
    myr_observable *o = make(&s, "rdf", &(myr_observable_options){.rows = ROWS});
    stream random = {6, 0};
    for (int k = 0; k < SAMPLES; k++) {
        const double box[3] = {10, 10 - k, 11};
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < N; i++)
                component(p, "position", c)[i] = box[c] * uniform(&random);
        add(&s, o, p, k, box);
    }
    column(o, "g", g);
    column(o, "coordination", count);
    for (int row = 1; row < ROWS; row++)
        worst = fmax(worst, fabs(g[row] - 1));
    print_message("ideal gas in a box that shrinks: g within %.4f of 1\n", worst); /* 0.0050 */
    assert_true(worst < 0.02);
    assert_true(count[ROWS - 1] > 900 && count[ROWS - 1] < 1400);
    myr_observable_destroy(&o);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

/* A face-centred cubic crystal: 12, 6, 24, 12, 24, 8 neighbours at sqrt(k / 2) edges, and nothing between. In small
 * boxes there are fewer than three cells per axis. */
static void test_crystal(void **state)
{
    (void)state;
    static const int neighbours[] = {12, 6, 24, 12, 24, 8};
    static const double site[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    scratch s;
    double r[ROWS_MAX], g[ROWS_MAX], count[ROWS_MAX];
    scratch_begin(&s);
    for (int edge = 4; edge < 12; edge += 3) {
        const double box[3] = {edge, edge, edge};
        const int64_t n = 4 * edge * edge * edge;
        myr_particles *p = set_of(&s, n);
        for (int64_t i = 0; i < n; i++)
            for (int c = 0; c < 3; c++) {
                const int64_t cell = i / 4;
                const int64_t at = c == 0 ? cell % edge : c == 1 ? cell / edge % edge : cell / edge / edge;
                component(p, "position", c)[i] = (double)at + site[i % 4][c] + 0.1;
            }
        /* bins of 0.019: no shell lies on an edge of one */
        myr_observable *o = make(&s, "rdf", &(myr_observable_options){.rows = 95, .reach = 1.805});
        add(&s, o, p, 0, box);
        column(o, "r", r);
        column(o, "g", g);
        column(o, "coordination", count);
        int inside = 0;
        for (int row = 0; row < 95; row++) {
            int here = 0;
            for (int k = 0; k < 6; k++)
                here += fabs(sqrt((k + 1) / 2.0) - r[row]) < 0.0095 ? neighbours[k] : 0;
            inside += here;
            assert_true(count[row] == inside);
            const double shell = 4 * pi / 3 * (pow(r[row] + 0.0095, 3) - pow(r[row] - 0.0095, 3));
            assert_true(fabs(g[row] - here / shell / 4 * (double)n / ((double)n - 1)) < 1e-9 * (1 + g[row]));
        }
        assert_int_equal(inside, 86);
        myr_observable_destroy(&o);
        myr_particles_destroy(&p);
    }
    scratch_end(&s);
}

/* Free flight in a periodic box: (v t)^2 exactly, whatever the box folds away; the velocity is never forgotten. */
static void test_ballistic(void **state)
{
    (void)state;
    enum { N = 50, SAMPLES = 64 };
    static const double box[3] = {1, 2, 0};
    scratch s;
    double lag[ROWS_MAX], msd[ROWS_MAX], vacf[ROWS_MAX], square = 0;
    scratch_begin(&s);
    myr_particles *p = set_of(&s, N);
    myr_observable *of_x = make(&s, "msd", &(myr_observable_options){.rows = 32, .spacing = 5});
    myr_observable *of_v = make(&s, "vacf", &(myr_observable_options){.rows = 32, .spacing = 5});
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < N; i++) {
            component(p, "velocity", c)[i] = (i - 25 + c) / 8.0;
            square += component(p, "velocity", c)[i] * component(p, "velocity", c)[i] / N;
        }
    for (int k = 0; k < SAMPLES; k++) {
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < N; i++) {
                const double x = component(p, "velocity", c)[i] * k / 4.0;
                component(p, "image", c)[i] = box[c] > 0 ? floor(x / box[c]) : 0;
                component(p, "position", c)[i] = x - box[c] * component(p, "image", c)[i];
            }
        add(&s, of_x, p, k / 4.0, box);
        add(&s, of_v, p, k / 4.0, box);
    }
    column(of_x, "lag", lag);
    column(of_x, "msd", msd);
    column(of_v, "vacf", vacf);
    for (int row = 0; row < 32; row++) {
        assert_true(lag[row] == row / 4.0);
        assert_true(fabs(msd[row] - square * lag[row] * lag[row]) <= 1e-13 * msd[row]);
        assert_true(fabs(vacf[row] - square) <= 1e-13 * square);
    }
    myr_observable_destroy(&of_x);
    myr_observable_destroy(&of_v);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

/* A box that breathes and carries particles along, many images away: that is no displacement. On top of it, steps of a
 * hundredth of the box along y are (edge / 100)^2 each. */
static void test_breathing(void **state)
{
    (void)state;
    enum { N = 20, SAMPLES = 40 };
    scratch s;
    double msd[ROWS_MAX];
    scratch_begin(&s);
    myr_particles *p = set_of(&s, N);
    myr_observable *o = make(&s, "msd", &(myr_observable_options){.rows = 8, .spacing = 2});
    for (int moving = 0; moving < 2; moving++) {
        for (int k = 0; k < SAMPLES; k++) {
            const double edge = k % 2 ? 11 : 9, box[3] = {edge, edge, 2 * edge}, origin[3] = {-edge / 2, 0, -edge};
            for (int c = 0; c < 3; c++)
                for (int i = 0; i < N; i++) {
                    const double at = (i + 0.5) / N / 2 + (c == 1 && moving ? 0.01 * k : 0);
                    component(p, "image", c)[i] = 7 * c - 5 + floor(at);
                    component(p, "position", c)[i] = origin[c] + box[c] * (at - floor(at));
                }
            assert_int_equal(myr_observable_add(o, p, k, box, origin), MYR_OK);
        }
        column(o, "msd", msd);
        for (int row = 0; row < 8; row++)
            assert_true(fabs(msd[row] - (moving ? 0.01 * row * row : 0)) < 1e-10);
        myr_observable_destroy(&o);
        o = make(&s, "msd", &(myr_observable_options){.rows = 8, .spacing = 2});
    }
    myr_observable_destroy(&o);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

/* Free particles of Langevin's equation, two types with other frictions, drawn from its exact solution:
 *   vacf = 3 exp(-gamma t),  msd = 6 / gamma^2 (gamma t - 1 + exp(-gamma t)),  with k T = m = 1. */
static void test_langevin(void **state)
{
    (void)state;
    enum { N = 2000, SAMPLES = 200, ROWS = 40 };
    static const double box[3] = {0, 0, 0}, dt = 0.05, friction[2] = {1, 4};
    scratch s;
    double lag[ROWS_MAX], msd[ROWS_MAX], vacf[ROWS_MAX], worst[2] = {0};
    scratch_begin(&s);
    myr_particles *p = set_of(&s, N);
    int32_t *type = calloc(N, sizeof *type);
    for (int i = 0; i < N; i++)
        type[i] = i % 2;
    myr_particles_set_types(p, type);
    stream random = {3, 0};
    myr_observable *of_x = make(&s, "msd", &(myr_observable_options){.rows = ROWS, .spacing = 10});
    myr_observable *of_v = make(&s, "vacf", &(myr_observable_options){.rows = ROWS, .spacing = 10});
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < N; i++)
            component(p, "velocity", c)[i] = normal(&random);
    for (int k = 0; k < SAMPLES; k++) {
        add(&s, of_x, p, k * dt, box);
        add(&s, of_v, p, k * dt, box);
        for (int i = 0; i < N; i++) {
            /* Uhlenbeck and Ornstein: both changes are normal, with these variances and covariance */
            const double f = friction[type[i]], e = exp(-f * dt);
            const double vv = 1 - e * e, xx = (2 * f * dt - 3 + 4 * e - e * e) / (f * f), xv = (1 - e) * (1 - e) / f;
            for (int c = 0; c < 3; c++) {
                const double a = normal(&random), b = normal(&random);
                double *x = &component(p, "position", c)[i], *v = &component(p, "velocity", c)[i];
                *x += *v * (1 - e) / f + xv / sqrt(vv) * a + sqrt(xx - xv * xv / vv) * b;
                *v = *v * e + sqrt(vv) * a;
            }
        }
    }
    column(of_x, "lag", lag);
    for (int t = 0; t < 2; t++) {
        column(of_x, t ? "msd_1" : "msd_0", msd);
        column(of_v, t ? "vacf_1" : "vacf_0", vacf);
        for (int row = 0; row < ROWS; row++) {
            const double f = friction[t], e = exp(-f * lag[row]), far = 6 / (f * f) * (f * lag[row] - 1 + e);
            worst[0] = fmax(worst[0], fabs(vacf[row] - 3 * e) / 3);
            worst[1] = fmax(worst[1], row ? fabs(msd[row] / far - 1) : 0);
        }
    }
    /* measured 0.0145 and 0.0174: 16 origins of 1000 particles, which are not independent */
    print_message("Langevin: vacf within %.4f of its start, msd within %.4f\n", worst[0], worst[1]);
    assert_true(worst[0] < 0.03 && worst[1] < 0.04);
    free(type);
    myr_observable_destroy(&of_x);
    myr_observable_destroy(&of_v);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

/* A slab in a box that does not begin at 0 and grows: the slices grow with it. */
static void test_profile(void **state)
{
    (void)state;
    enum { N = 1000 };
    scratch s;
    double z[ROWS_MAX], density[ROWS_MAX];
    scratch_begin(&s);
    myr_particles *p = set_of(&s, N);
    myr_observable *o = make(&s, "profile", &(myr_observable_options){.rows = 10, .axis = 2});
    for (int k = 0; k < 2; k++) {
        const double edge = 10 + 2 * k, box[3] = {5, 5, edge}, origin[3] = {0, 0, -edge / 2};
        for (int i = 0; i < N; i++) /* the two middle tenths, some a box away */
            component(p, "position", 2)[i] = edge * ((i + 0.5) / N - 0.5) * 0.2 + (i % 3 - 1) * edge;
        assert_int_equal(myr_observable_add(o, p, k, box, origin), MYR_OK);
    }
    column(o, "z", z);
    column(o, "density", density);
    const double filled = (N / 2 / (25 * 1.0) + N / 2 / (25 * 1.2)) / 2;
    for (int row = 0; row < 10; row++) {
        assert_true(fabs(z[row] - 11 * (row - 4.5) / 10) < 1e-12);
        assert_true(fabs(density[row] - (row == 4 || row == 5 ? filled : 0)) < 1e-9);
    }
    myr_observable_destroy(&o);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

/* A film, open along z: slices along it lie where the particles of the first sample were and around, those along x span
 * the film; who leaves is not counted. */
static void test_film(void **state)
{
    (void)state;
    enum { N = 1000 };
    static const double box[3] = {10, 5, 0};
    scratch s;
    double at[ROWS_MAX], density[ROWS_MAX];
    scratch_begin(&s);
    myr_particles *p = set_of(&s, N);
    myr_observable *along[2] = {make(&s, "profile", &(myr_observable_options){.rows = 6, .axis = 2}),
                                make(&s, "profile", &(myr_observable_options){.rows = 5, .axis = 0})};
    for (int i = 0; i < N; i++) {
        component(p, "position", 0)[i] = 10 * ((i * 7) % N + 0.5) / N;
        component(p, "position", 2)[i] = 3 + 4.0 * i / (N - 1);
    }
    for (int k = 0; k < 2; k++) { /* in the second sample the uppermost has left */
        for (int a = 0; a < 2; a++)
            add(&s, along[a], p, k, box);
        component(p, "position", 2)[N - 1] = 100;
    }
    column(along[0], "z", at);
    column(along[0], "density", density);
    const double film = N / (10 * 5 * 4.0);
    for (int row = 0; row < 6; row++) {
        assert_true(fabs(at[row] - (2.5 + row)) < 1e-12);
        assert_true(fabs(density[row] - (row == 0 || row == 5 ? 0 : film)) < 0.006 * film);
    }
    column(along[1], "density", density);
    for (int row = 0; row < 5; row++)
        assert_true(fabs(density[row] - film) < 1e-9);
    for (int a = 0; a < 2; a++)
        myr_observable_destroy(&along[a]);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

/* The same table to the bit with more threads, in another order of particles where only counts matter, and after a
 * checkpoint in between. */
static void test_bits(void **state)
{
    (void)state;
    enum { N = 600, SAMPLES = 20 };
    static const char *const kind[] = {"rdf", "msd", "vacf", "profile"};
    static const double box[3] = {9, 10, 11};
    scratch s;
    double first[ROWS_MAX], second[ROWS_MAX];
    scratch_begin(&s);
    myr_particles *p = set_of(&s, N), *turned = set_of(&s, N);
    for (int k = 0; k < 4; k++) {
        const myr_observable_options options = {.rows = 16, .spacing = 3};
        myr_observable *a = make(&s, kind[k], &options), *b = make(&s, kind[k], &options);
        for (int t = 0; t < SAMPLES; t++) {
            stream random = {17 + (uint64_t)t, 0};
            for (int c = 0; c < 3; c++)
                for (int i = 0; i < N; i++) {
                    component(p, "position", c)[i] = component(turned, "position", c)[N - 1 - i] =
                        box[c] * uniform(&random);
                    component(p, "velocity", c)[i] = component(turned, "velocity", c)[N - 1 - i] = normal(&random);
                }
            const int counted = k == 0 || k == 3;
            myr_context_set_threads(s.context, 1);
            add(&s, a, p, t, box);
            myr_context_set_threads(s.context, 3);
            add(&s, b, counted ? turned : p, t, box);
            if (t % 7)
                continue;
            const size_t size = myr_observable_save(b, NULL);
            char *bytes = malloc(size);
            assert_int_equal(myr_observable_save(b, bytes), size);
            myr_observable_destroy(&b);
            b = make(&s, kind[k], &options);
            assert_int_equal(myr_observable_load(b, bytes, size - 1), MYR_ERROR_FORMAT);
            assert_int_equal(myr_observable_load(b, bytes, size), MYR_OK);
            free(bytes);
        }
        assert_int_equal(myr_observable_samples(b), SAMPLES);
        assert_int_equal(myr_observable_columns(a), myr_observable_columns(b));
        for (int c = 0; c < myr_observable_columns(a); c++) {
            assert_int_equal(myr_observable_get(a, c, first), MYR_OK);
            assert_int_equal(myr_observable_get(b, c, second), MYR_OK);
            assert_memory_equal(first, second, 16 * sizeof *first);
        }
        myr_observable_destroy(&a);
        myr_observable_destroy(&b);
    }
    myr_particles_destroy(&p);
    myr_particles_destroy(&turned);
    scratch_end(&s);
}

static void test_refusals(void **state)
{
    (void)state;
    static const double box[3] = {4, 4, 4}, open[3] = {4, 4, 0};
    scratch s;
    scratch_begin(&s);
    myr_particles *p = set_of(&s, 5), *other = set_of(&s, 6);
    myr_observable *o = NULL;
    assert_int_equal(myr_observable_create(s.context, "rdff", NULL, &o), MYR_ERROR_NAME);
    scratch_says(&s, "did you mean 'rdf'?");
    assert_int_equal(myr_observable_create(s.context, "rdf", &(myr_observable_options){.axis = 3}, &o),
                     MYR_ERROR_VALUE);
    o = make(&s, "rdf", NULL);
    assert_int_equal(myr_observable_add(o, p, 0, open, NULL), MYR_ERROR_VALUE);
    scratch_says(&s, "periodic along all axes");
    assert_int_equal(myr_observable_columns(o), 0);
    add(&s, o, p, 0, box);
    assert_int_equal(myr_observable_add(o, other, 1, box, NULL), MYR_ERROR_VALUE);
    scratch_says(&s, "began with 5 particles; there are 6 now");
    component(p, "position", 1)[3] = NAN;
    assert_int_equal(myr_observable_add(o, p, 1, box, NULL), MYR_ERROR_NONFINITE);
    scratch_says(&s, "the position of particle 3");
    assert_int_equal(myr_observable_samples(o), 1);
    myr_observable_destroy(&o);
    myr_particles_destroy(&other);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ideal_gas), cmocka_unit_test(test_crystal),   cmocka_unit_test(test_ballistic),
        cmocka_unit_test(test_langevin),  cmocka_unit_test(test_profile),   cmocka_unit_test(test_bits),
        cmocka_unit_test(test_refusals),  cmocka_unit_test(test_shrinking), cmocka_unit_test(test_film),
        cmocka_unit_test(test_breathing),
    };
    return cmocka_run_group_tests_name("observables", tests, NULL, NULL);
}
