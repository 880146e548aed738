/* test_expansion.c - expansions one operator at a time: the formulas against 1/r, and the lane-parallel operators of
 * every instruction set against the formulas, in floats and in doubles. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <myriad/context.h>

#include "backend/backend.h"
#include "backend/units.h"
#include "isas.h"
#include "core/random.h"
#include "method/fmm/expansion_operators.h"

enum { MOST = MYR_EXPANSION_ORDER * MYR_EXPANSION_ORDER };

/* A number in [-1/2, 1/2). */
static double draw(void)
{
    static uint64_t count;
    double u[2];
    myr_random_uniform(1, 7, count++, 0, u);
    return u[0] - 0.5;
}

static void draw_place(double x[3])
{
    for (int k = 0; k < 3; k++)
        x[k] = draw();
}

static double distance(const double a[3], const double b[3])
{
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

static double product(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

/* 1/|x - a| by both addition theorems; the error of truncation is (|a|/|x|)^order. */
static void test_harmonics(void **state)
{
    (void)state;
    double regular[MOST], irregular[MOST];
    for (int t = 0; t < 20; t++) {
        double a[3], x[3];
        draw_place(a);
        draw_place(x);
        x[t % 3] += t % 2 ? 6 : -6;
        myr_expansion_regular(30, a, regular);
        myr_expansion_irregular(30, x, irregular);
        assert_true(fabs(product(regular, irregular, 900) * distance(a, x) - 1) < 4e-15); /* measured 1e-15 */
    }
}

/* Multipoles about another centre are those of the particles seen from there. */
static void test_shift(void **state)
{
    (void)state;
    for (int order = 1; order <= 30; order += order < 10 ? 3 : 10) {
        const int terms = order * order;
        double *s = malloc(sizeof *s * (size_t)terms * (size_t)terms), old[MOST], new[MOST];
        double a[3], c[3] = {0.25, -0.25, 0.25};
        draw_place(a);
        const double moved[3] = {a[0] + c[0], a[1] + c[1], a[2] + c[2]};
        myr_expansion_regular(order, a, old);
        myr_expansion_regular(order, moved, new);
        myr_expansion_shift(order, c, s);
        for (int k = 0; k < terms; k++)
            assert_true(fabs(product(s + (int64_t)k * terms, old, terms) - new[k]) < 1.5e-15); /* measured 3e-16 */
        free(s);
    }
}

/* A multipole seen from another cell: the local series gives 1/r there. */
static void test_matrix(void **state)
{
    static const double offset[][3] = {{2, 0, 0}, {0, 0, -2}, {0, 0, 3}, {2, -3, 1}, {-1, 2, 2}};
    (void)state;
    double *t = malloc(sizeof *t * MOST * MOST);
    for (size_t k = 0; k < sizeof offset / sizeof *offset; k++) {
        double a[3], y[3], far[MOST], near[MOST], local[MOST];
        draw_place(a);
        draw_place(y);
        for (int c = 0; c < 3; c++) { /* within 1/4: the series converges by a factor of 4 and more */
            a[c] *= 0.5;
            y[c] *= 0.5;
        }
        const double x[3] = {offset[k][0] + y[0], offset[k][1] + y[1], offset[k][2] + y[2]};
        myr_expansion_regular(26, a, far);
        myr_expansion_regular(26, y, near);
        myr_expansion_matrix(26, offset[k], t);
        for (int j = 0; j < 676; j++)
            local[j] = product(t + j * 676, far, 676);
        assert_true(fabs(product(local, near, 676) * distance(a, x) - 1) < 6e-15); /* measured 1.6e-15 */
    }
    free(t);
}

/* H(Qx) = D H(x) for the rotation about y, to degree 31 and at 0 and pi. */
static void test_rotation(void **state)
{
    enum { ORDER = MYR_EXPANSION_ORDER };
    (void)state;
    double *d = malloc(sizeof *d * ORDER * (2 * ORDER * ORDER + 1) / 3);
    for (int k = 0; k <= 16; k++) {
        const double angle = k * acos(-1) / 16, c = k == 16 ? -1 : cos(angle), s = k == 0 || k == 16 ? 0 : sin(angle);
        double x[3], before[MOST], after[MOST];
        draw_place(x);
        const double r = distance(x, (double[3]){0, 0, 0});
        for (int axis = 0; axis < 3; axis++)
            x[axis] /= r;
        const double turned[3] = {x[0] * c - x[2] * s, x[1], x[0] * s + x[2] * c};
        myr_expansion_regular(ORDER, x, before);
        myr_expansion_regular(ORDER, turned, after);
        assert_true(myr_expansion_rotation(ORDER, c, s, d));
        for (int n = 0; n < ORDER; n++) {
            const double *cosines = d + n * (2 * n * n + 1) / 3, *sines = cosines + (n + 1) * (n + 1);
            for (int m = 0; m <= n; m++) {
                double sum = 0, sine = 0;
                for (int i = 0; i <= n; i++) {
                    sum += cosines[m * (n + 1) + i] * before[myr_expansion_at(n, i)];
                    sine += m && i ? sines[(m - 1) * n + i - 1] * before[myr_expansion_at(n, -i)] : 0;
                }
                assert_true(fabs(sum - after[myr_expansion_at(n, m)]) < 1.5e-14); /* measured 4e-15 */
                if (m)
                    assert_true(fabs(sine - after[myr_expansion_at(n, -m)]) < 1.5e-14);
            }
        }
    }
    free(d);
}

/* --- the operators of the lanes ----------------------------------------------------------------------------------- */

static void put(const myr_expansion_ops *ops, void *reals, int64_t at, double value)
{
    if (ops->real_bytes == 4)
        ((float *)reals)[at] = (float)value;
    else
        ((double *)reals)[at] = value;
}

static double get(const myr_expansion_ops *ops, const void *reals, int64_t at)
{
    return ops->real_bytes == 4 ? (double)((const float *)reals)[at] : ((const double *)reals)[at];
}

static double unit_of(const myr_expansion_ops *ops)
{
    return ops->real_bytes == 4 ? FLT_EPSILON : DBL_EPSILON;
}

static const int orders[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 20, 30};
enum { ORDERS = (int)(sizeof orders / sizeof *orders), PLACES = 37 };

/* Calls a check for every usable instruction set and precision. */
static void each_ops(void (*check)(myr_expansion *e))
{
    myr_context *context;
    const myr_isa_table *isa;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    for (int k = 0; (isa = myr_backend_isa(k)); k++)
        for (int precision = 0; isas_tested(isa) && precision < 2; precision++)
            for (int o = 0; o < ORDERS; o++) {
                const myr_expansion_options options = {.order = orders[o], .separation = 1};
                myr_expansion *e;
                const myr_expansion_ops *ops = myr_units_expansion(context, isa, precision, options.order);
                assert_non_null(ops);
                assert_int_equal(myr_expansion_create(context, ops, &options, &e), MYR_OK);
                check(e);
                myr_expansion_destroy(&e);
            }
    myr_context_destroy(&context);
}

typedef struct {
    double place[PLACES][3], charge[PLACES];
    void *x[3], *q;
} cloud;

/* Places in the cell, or around it where the irregular harmonics are wanted. */
static cloud cloud_make(const myr_expansion_ops *ops, int outside)
{
    cloud c;
    for (int k = 0; k < 3; k++)
        c.x[k] = calloc(PLACES + 16, 8);
    c.q = calloc(PLACES + 16, 8);
    for (int i = 0; i < PLACES; i++) {
        draw_place(c.place[i]);
        if (outside)
            c.place[i][i % 3] += i % 2 ? 2 : -2;
        c.charge[i] = draw();
        for (int k = 0; k < 3; k++)
            put(ops, c.x[k], i, c.place[i][k]);
        put(ops, c.q, i, c.charge[i]);
        for (int k = 0; k < 3; k++) /* the formulas get what was rounded */
            c.place[i][k] = get(ops, c.x[k], i);
        c.charge[i] = get(ops, c.q, i);
    }
    return c;
}

static void cloud_free(cloud *c)
{
    for (int k = 0; k < 3; k++)
        free(c->x[k]);
    free(c->q);
}

static void harmonics_at(int order, int irregular, const double x[3], double *value)
{
    if (irregular)
        myr_expansion_irregular(order, x, value);
    else
        myr_expansion_regular(order, x, value);
}

static void check_collect(myr_expansion *e)
{
    for (int irregular = 0; irregular < 2; irregular++)
        for (int n = 0; n <= PLACES; n += n < 3 ? 1 : 17) {
            cloud c = cloud_make(e->ops, irregular);
            void *series = aligned_alloc(64, 8 * 1024);
            double value[MOST], sum[MOST] = {0}, size[MOST] = {0};
            memset(series, 0, 8 * 1024);
            for (int i = 0; i < n; i++) {
                harmonics_at(e->order, irregular, c.place[i], value);
                for (int k = 0; k < e->order * e->order; k++) {
                    sum[k] += c.charge[i] * value[k];
                    size[k] += fabs(c.charge[i]) * pow(irregular ? 1 : distance(c.place[i], (double[3]){0, 0, 0}),
                                                       irregular ? 0 : (int)sqrt(k));
                }
            }
            e->ops->collect(&e->harmonics, e->order, irregular, n, (const void *const *)c.x, c.q, series);
            for (int k = 0; k < e->order * e->order; k++) /* a few roundings per degree; measured 4 units */
                assert_true(fabs(get(e->ops, series, k) - sum[k]) <= (16 + 2 * e->order) * unit_of(e->ops) * size[k]);
            free(series);
            cloud_free(&c);
        }
}

static void test_collect(void **state)
{
    (void)state;
    each_ops(check_collect);
}

/* Potential and gradient of one charge, inside (local series of a far charge) and outside (multipoles of a near one).
 */
static void check_field(myr_expansion *e)
{
    const int irregular_of[] = {0, 1};
    for (int t = 0; t < 2; t++) {
        const int irregular = irregular_of[t], order = e->order + irregular;
        cloud c = cloud_make(e->ops, irregular);
        double a[3], coefficient[MOST];
        void *series[4], *out[4];
        draw_place(a);
        if (!irregular)
            a[0] += 3;
        harmonics_at(e->order, !irregular, a, coefficient);
        for (int s = 0; s < 4; s++) {
            series[s] = aligned_alloc(64, 8 * 1088);
            memset(series[s], 0, 8 * 1088);
            out[s] = calloc(PLACES + 16, 8);
        }
        for (int k = 0; k < e->order * e->order; k++)
            put(e->ops, series[0], k, coefficient[k]);
        for (int axis = 0; axis < 3; axis++)
            e->ops->derive(&e->harmonics, order, irregular, axis, series[0], series[1 + axis]);
        e->ops->field(&e->harmonics, order, irregular, PLACES, (const void *const *)c.x, 4, (const void *const *)series,
                      out);
        for (int i = 0; i < PLACES; i++) {
            const double r = distance(a, c.place[i]);
            const double near =
                irregular ? distance(a, (double[3]){0, 0, 0}) : distance(c.place[i], (double[3]){0, 0, 0});
            const double far =
                irregular ? distance(c.place[i], (double[3]){0, 0, 0}) : distance(a, (double[3]){0, 0, 0});
            const double cut = pow(near / far, e->order) / (far - near), units = 200 * unit_of(e->ops);
            assert_true(fabs(get(e->ops, out[0], i) - 1 / r) <= 1.01 * cut + units);
            for (int axis = 0; axis < 3; axis++) { /* the gradient's bound has a factor of the order and a distance */
                const double right = (a[axis] - c.place[i][axis]) / (r * r * r);
                assert_true(fabs(get(e->ops, out[1 + axis], i) - right) <=
                            2 * (e->order + 1) * cut / (near < 0.1 ? 0.1 : near) / (1 - near / far) +
                                10 * units * (1 + e->order));
            }
        }
        for (int s = 0; s < 4; s++) {
            free(series[s]);
            free(out[s]);
        }
        cloud_free(&c);
    }
}

static void test_field(void **state)
{
    (void)state;
    each_ops(check_field);
}

/* n series of random numbers, which shrink with the degree as those of cells do. */
static void **series_make(const myr_expansion *e, int n, int random)
{
    void **series = calloc((size_t)n + 1, sizeof *series);
    for (int i = 0; i < n; i++) {
        series[i] = aligned_alloc(64, 8 * (size_t)e->size);
        memset(series[i], 0, 8 * (size_t)e->size);
        for (int k = 0; random && k < e->order * e->order; k++)
            put(e->ops, series[i], k, draw() * pow(0.8, (int)sqrt(k)));
    }
    return series;
}

static void series_free(void **series)
{
    for (int i = 0; series[i]; i++)
        free(series[i]);
    free(series);
}

/* to = 1 + matrix from, coefficient by coefficient, to a few units of the sum of sizes. */
static void check_product(const myr_expansion *e, const double *matrix, int transposed, int n, void **from, void **to)
{
    const int terms = e->order * e->order;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < terms; k++) {
            double sum = 1, size = 1;
            for (int l = 0; l < terms; l++) {
                const double entry = transposed ? matrix[(int64_t)l * terms + k] : matrix[(int64_t)k * terms + l];
                sum += entry * get(e->ops, from[i], l);
                size += fabs(entry * get(e->ops, from[i], l));
            }
            const double off = fabs(get(e->ops, to[i], k) - sum);
            assert_true(off <= 40 * unit_of(e->ops) * size); /* measured 28 */
        }
}

/* All ways between parents and children. */
static void check_up_down(myr_expansion *e)
{
    const int terms = e->order * e->order, n = e->order > 10 ? 2 : 15;
    double *matrix = malloc(sizeof *matrix * (size_t)terms * (size_t)terms);
    for (int o = 0; o<8; o += e->order> 10 ? 5 : 1) {
        const double c[3] = {(o >> 2) * 0.5 - 0.25, (o >> 1 & 1) * 0.5 - 0.25, (o & 1) * 0.5 - 0.25};
        myr_expansion_shift(e->order, c, matrix);
        for (int r = 0; r < terms; r++)
            for (int k = 0; k < terms; k++)
                matrix[(int64_t)r * terms + k] *= pow(0.5, (int)sqrt(k));
        for (int down = 0; down < 2; down++) {
            void **from = series_make(e, n, 1), **to = series_make(e, n, 0);
            for (int i = 0; i < n; i++)
                for (int k = 0; k < terms; k++)
                    put(e->ops, to[i], k, 1);
            e->ops->dense(down ? &e->down[o] : &e->up[o], n, (const void *const *)from, to);
            for (int64_t k = 0; down && k < (int64_t)terms * terms; k++)
                matrix[k] *= 0.5;
            check_product(e, matrix, down, n, from, to);
            series_free(from);
            series_free(to);
        }
    }
    free(matrix);
}

static void test_up_down(void **state)
{
    (void)state;
    each_ops(check_up_down);
}

/* The translations in use against the plain O(p^4) one: all offsets of low orders, some of high ones, and numbers of
 * cells that fill lanes and do not. */
static void check_translate(myr_expansion *e)
{
    const int terms = e->order * e->order, w = e->width, step = e->order < 8 ? 7 : e->order < 14 ? 41 : 113;
    double *matrix = malloc(sizeof *matrix * (size_t)terms * (size_t)terms);
    for (int k = step / 2; k < w * w * w; k += step) {
        const myr_translate *t = &e->translate[k];
        const double d[3] = {k / (w * w) - w / 2, k / w % w - w / 2, k % w - w / 2};
        const int n = e->order > 10 ? 3 : 1 + k % 18;
        if (t->form == MYR_TRANSLATE_NONE)
            continue;
        assert_int_equal(t->form, e->order <= MYR_TRANSLATE_DENSE_MOST ? MYR_TRANSLATE_DENSE : MYR_TRANSLATE_TURNED);
        void **from = series_make(e, n, 1), **to = series_make(e, n, 0);
        for (int i = 0; i < n; i++)
            for (int c = 0; c < terms; c++)
                put(e->ops, to[i], c, 1);
        if (t->form == MYR_TRANSLATE_DENSE)
            e->ops->dense(&t->dense, n, (const void *const *)from, to);
        else
            e->ops->turned(&t->turned, n, (const void *const *)from, to);
        myr_expansion_matrix(e->order, d, matrix);
        check_product(e, matrix, 0, n, from, to);
        series_free(from);
        series_free(to);
    }
    free(matrix);
}

static void test_translate(void **state)
{
    (void)state;
    each_ops(check_translate);
}

/* Fewer degrees for far offsets: never more than the order, and never more further away. */
static void test_degrees(void **state)
{
    (void)state;
    const myr_expansion_options options = {.order = 20, .separation = 1, .relax = 0.4};
    int last = 20;
    for (double r = 2; r < 5.3; r += 0.1) {
        const int q = myr_expansion_degrees(&options, r);
        assert_in_range(q, 2, last);
        last = q;
    }
    assert_true(last < 14);
}

static void test_refused(void **state)
{
    (void)state;
    myr_context *context;
    myr_expansion *e;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    for (int order = 0; order <= MYR_EXPANSION_ORDER + 1; order += MYR_EXPANSION_ORDER + 1) {
        const myr_expansion_options options = {.order = order, .separation = 1};
        assert_int_equal(myr_expansion_create(context, myr_backend_isa(0)->expansion[0], &options, &e),
                         MYR_ERROR_VALUE);
        assert_null(e);
    }
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_harmonics), cmocka_unit_test(test_shift),
                                       cmocka_unit_test(test_matrix),    cmocka_unit_test(test_rotation),
                                       cmocka_unit_test(test_collect),   cmocka_unit_test(test_field),
                                       cmocka_unit_test(test_up_down),   cmocka_unit_test(test_translate),
                                       cmocka_unit_test(test_degrees),   cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
