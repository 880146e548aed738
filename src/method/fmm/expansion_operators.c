/* expansion_operators.c - translation operators of one order, stored in the reals (float or double) of the lanes. */
#include "method/fmm/expansion_operators.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/elementary.h"
#include "core/memory.h"

enum { DEGREES = MYR_EXPANSION_DEGREES };

/* Allocates memory that is freed together with the expansion. */
static void *expansion_take(myr_expansion *e, int64_t count, size_t size)
{
    if (e->pieces == e->room) {
        const int room = 2 * e->room + 64;
        void **piece = realloc(e->piece, (size_t)room * sizeof *piece);
        if (!piece)
            return NULL;
        e->piece = piece;
        e->room = room;
    }
    void *p = myr_memory_zeros(count, size);
    if (p)
        e->piece[e->pieces++] = p;
    return p;
}

static void *expansion_reals(myr_expansion *e, int64_t count)
{
    return expansion_take(e, count, (size_t)e->ops->real_bytes);
}

static void put(const myr_expansion *e, void *reals, int64_t at, double value)
{
    if (e->ops->real_bytes == (int)sizeof(float))
        ((float *)reals)[at] = (float)value;
    else
        ((double *)reals)[at] = value;
}

void myr_expansion_destroy(myr_expansion **expansion)
{
    if (!expansion || !*expansion)
        return;
    for (int k = 0; k < (*expansion)->pieces; k++)
        free((*expansion)->piece[k]);
    free((*expansion)->piece);
    free(*expansion);
    *expansion = NULL;
}

/* --- harmonics ---------------------------------------------------------------------------------------------------- */

static int make_recurrence(myr_expansion *e)
{
    myr_harmonics *h = &e->harmonics;
    h->real_bytes = e->ops->real_bytes;
    h->first = expansion_reals(e, DEGREES);
    h->up = expansion_reals(e, DEGREES * DEGREES);
    h->down = expansion_reals(e, DEGREES * DEGREES);
    if (!h->first || !h->up || !h->down)
        return 0;
    for (int m = 0; m < DEGREES; m++) {
        put(e, h->first, m, m < 2 ? 1 : sqrt((2.0 * m - 1) / (2.0 * m)));
        for (int n = m; n < DEGREES; n++) {
            const double all = sqrt((n + 1.0) * (n + 1) - m * m);
            put(e, h->up, n * DEGREES + m, (2 * n + 1) / all);
            put(e, h->down, n * DEGREES + m, sqrt((double)(n * n - m * m)) / all);
        }
    }
    return 1;
}

static void derivative_add(myr_expansion *e, int axis, int n, int m, int to, double factor, int *at)
{
    myr_derivative *d = &e->harmonics.derivative[axis];
    d->from[*at] = (int16_t)myr_expansion_at(n, m);
    d->to[*at] = (int16_t)myr_expansion_at(n - 1, to);
    put(e, d->factor, (*at)++, factor);
}

/* d/dz H_nm = sqrt(n^2 - m^2) H_n-1,m; d/dx and d/dy lead to m - 1 and m + 1. */
static void derivative_degree(myr_expansion *e, int n, int at[3])
{
    for (int m = 0; m <= n; m++) {
        const double z = sqrt((double)(n * n - m * m));
        const double low = m ? 0.5 * sqrt((double)(n + m) * (n + m - 1)) * (m == 1 ? sqrt(2.0) : 1) : 0;
        const double high = m + 2 <= n ? 0.5 * sqrt((double)(n - m) * (n - m - 1)) * (m == 0 ? sqrt(2.0) : 1) : 0;
        if (m < n) {
            derivative_add(e, 2, n, m, m, z, &at[2]);
            if (m)
                derivative_add(e, 2, n, -m, -m, z, &at[2]);
        }
        if (m) {
            derivative_add(e, 0, n, m, m - 1, low, &at[0]);
            derivative_add(e, 1, n, -m, m - 1, low, &at[1]);
        }
        if (m > 1) {
            derivative_add(e, 0, n, -m, 1 - m, low, &at[0]);
            derivative_add(e, 1, n, m, 1 - m, -low, &at[1]);
        }
        if (m + 2 <= n) {
            derivative_add(e, 0, n, m, m + 1, -high, &at[0]);
            derivative_add(e, 1, n, m, -m - 1, -high, &at[1]);
            if (m) {
                derivative_add(e, 0, n, -m, -m - 1, -high, &at[0]);
                derivative_add(e, 1, n, -m, m + 1, high, &at[1]);
            }
        }
    }
}

static int make_derivatives(myr_expansion *e)
{
    int at[3] = {0, 0, 0};
    for (int axis = 0; axis < 3; axis++) {
        myr_derivative *d = &e->harmonics.derivative[axis];
        d->to = expansion_take(e, 2 * DEGREES * DEGREES, sizeof *d->to);
        d->from = expansion_take(e, 2 * DEGREES * DEGREES, sizeof *d->from);
        d->factor = expansion_reals(e, 2 * DEGREES * DEGREES);
        if (!d->to || !d->from || !d->factor)
            return 0;
    }
    for (int n = 1; n < DEGREES; n++) {
        derivative_degree(e, n, at);
        for (int axis = 0; axis < 3; axis++)
            e->harmonics.derivative[axis].end[n + 1] = at[axis];
    }
    return 1;
}

/* --- plain matrices ----------------------------------------------------------------------------------------------- */

/* Stores a matrix, or its transpose, by columns with padded rows. */
static int make_dense(myr_expansion *e, int order, const double *matrix, int transposed, myr_dense *dense)
{
    const int terms = order * order, rows = myr_expansion_size(order);
    void *reals = expansion_reals(e, (int64_t)rows * terms);
    if (!reals)
        return 0;
    for (int c = 0; c < terms; c++)
        for (int r = 0; r < terms; r++)
            put(e, reals, (int64_t)c * rows + r,
                transposed ? matrix[(int64_t)c * terms + r] : matrix[(int64_t)r * terms + c]);
    *dense = (myr_dense){rows, terms, reals};
    return 1;
}

/* M_parent = S diag(2^-n) M_child, L_child = 1/2 diag(2^-n) S^T L_parent. */
static int make_shifts(myr_expansion *e)
{
    const int terms = e->order * e->order;
    double *matrix = malloc(sizeof *matrix * (size_t)terms * (size_t)terms);
    int ready = matrix != NULL;
    for (int o = 0; ready && o < 8; o++) {
        const double c[3] = {(o >> 2) * 0.5 - 0.25, (o >> 1 & 1) * 0.5 - 0.25, (o & 1) * 0.5 - 0.25};
        myr_expansion_shift(e->order, c, matrix);
        for (int r = 0; r < terms; r++)
            for (int n = 0; n < e->order; n++)
                for (int m = -n; m <= n; m++)
                    matrix[(int64_t)r * terms + myr_expansion_at(n, m)] *= ldexp(1, -n);
        ready = make_dense(e, e->order, matrix, 0, &e->up[o]);
        for (int64_t k = 0; k < (int64_t)terms * terms; k++)
            matrix[k] *= 0.5;
        ready = ready && make_dense(e, e->order, matrix, 1, &e->down[o]);
    }
    free(matrix);
    return ready;
}

static int make_plain(myr_expansion *e, int order, const double d[3], myr_translate *t)
{
    double matrix[MYR_TRANSLATE_DENSE_MOST * MYR_TRANSLATE_DENSE_MOST * MYR_TRANSLATE_DENSE_MOST *
                  MYR_TRANSLATE_DENSE_MOST];
    myr_expansion_matrix(order, d, matrix);
    t->form = MYR_TRANSLATE_DENSE;
    return make_dense(e, order, matrix, 0, &t->dense);
}

/* --- translation in a rotated frame ------------------------------------------------------------------------------- */

/* Copies the matrices of a rotation, or their transposes, by columns. Sines are stored in reverse order, as in a
 * series. */
static const void *make_rotation(myr_expansion *e, int order, const double *matrix, int transposed)
{
    void *reals = expansion_reals(e, order * (2 * order * order + 1) / 3);
    for (int n = 0; reals && n < order; n++) {
        const double *cosines = matrix + n * (2 * n * n + 1) / 3, *sines = cosines + (n + 1) * (n + 1);
        int64_t at = n * (2 * n * n + 1) / 3;
        for (int c = 0; c <= n; c++)
            for (int r = 0; r <= n; r++)
                put(e, reals, at++, transposed ? cosines[c * (n + 1) + r] : cosines[r * (n + 1) + c]);
        for (int c = n - 1; c >= 0; c--)
            for (int r = n - 1; r >= 0; r--)
                put(e, reals, at++, transposed ? sines[c * n + r] : sines[r * n + c]);
    }
    return reals;
}

static int make_rotations(myr_expansion *e, int order, const double d[3], myr_turned *t)
{
    const double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    double *matrix = malloc(sizeof *matrix * (size_t)(order * (2 * order * order + 1) / 3 + 1));
    if (matrix && myr_expansion_rotation(order, d[2] / distance, sqrt(d[0] * d[0] + d[1] * d[1]) / distance, matrix)) {
        t->forward = make_rotation(e, order, matrix, 0);
        t->back = make_rotation(e, order, matrix, 1);
    }
    free(matrix);
    return t->forward && t->back;
}

static int make_axial(myr_expansion *e, int order, double distance, myr_turned *t)
{
    const int64_t count = order * (order + 1) * (2 * order + 1) / 6;
    double *matrix = malloc(sizeof *matrix * (size_t)count);
    void *reals = matrix ? expansion_reals(e, count) : NULL;
    if (reals) {
        myr_expansion_axial(order, distance, matrix);
        for (int64_t k = 0; k < count; k++)
            put(e, reals, k, matrix[k]);
    }
    free(matrix);
    t->axial = reals;
    return reals != NULL;
}

static int make_turn(myr_expansion *e, int order, const double d[3], myr_turned *t)
{
    const double across = sqrt(d[0] * d[0] + d[1] * d[1]);
    const double x = across > 0 ? d[0] / across : 1, y = across > 0 ? d[1] / across : 0;
    void *reals = expansion_reals(e, 2 * (int64_t)order);
    double c = 1, s = 0; /* cos m phi, sin m phi by addition of angles: no function of libm, whose bits vary */
    for (int m = 0; reals && m < order; m++) {
        const double next = c * x - s * y;
        put(e, reals, m, c);
        put(e, reals, order + m, s);
        s = s * x + c * y;
        c = next;
    }
    t->turn = reals;
    return reals != NULL;
}

static void offset_of(const myr_expansion *e, int number, int d[3])
{
    const int half = e->width / 2;
    d[0] = number / (e->width * e->width) - half;
    d[1] = number / e->width % e->width - half;
    d[2] = number % e->width - half;
}

/* Offsets with the same angle to z share their rotation matrices; offsets of the same length share their translation
 * along z. */
static int make_turned(myr_expansion *e, int order, int number, const double d[3], myr_translate *t)
{
    int mine[3];
    offset_of(e, number, mine);
    t->form = MYR_TRANSLATE_TURNED;
    t->turned.order = order;
    for (int k = 0; k < number; k++) {
        const myr_turned *other = &e->translate[k].turned;
        int theirs[3];
        if (e->translate[k].form != MYR_TRANSLATE_TURNED || other->order != order)
            continue;
        offset_of(e, k, theirs);
        const int across = mine[0] * mine[0] + mine[1] * mine[1] - theirs[0] * theirs[0] - theirs[1] * theirs[1];
        if (across == 0 && mine[2] == theirs[2]) {
            t->turned.forward = other->forward;
            t->turned.back = other->back;
        }
        if (across + mine[2] * mine[2] - theirs[2] * theirs[2] == 0)
            t->turned.axial = other->axial;
    }
    return (t->turned.forward || make_rotations(e, order, d, &t->turned)) &&
           (t->turned.axial || make_axial(e, order, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), &t->turned)) &&
           make_turn(e, order, d, &t->turned);
}

int myr_expansion_degrees(const myr_expansion_options *options, double distance)
{
    const int p = options->order;
    const double nearest = options->separation + 1;
    if (!(options->relax > 0))
        return p;
    /* Makes (relax/distance)^q / distance^2 equal to its value at the nearest offset. The 0.25 compensates for rounding
     * up. */
    const double log_error =
        p * myr_elementary_log(nearest / options->relax) - 2 * myr_elementary_log(distance / nearest);
    const int q = (int)ceil(log_error / myr_elementary_log(distance / options->relax) - 0.25);
    return q > p ? p : q < 2 ? 2 : q;
}

static int make_translations(myr_expansion *e, const myr_expansion_options *options)
{
    const int s = e->separation;
    e->width = 4 * s + 3;
    const int count = e->width * e->width * e->width;
    e->translate = expansion_take(e, count, sizeof *e->translate);
    for (int k = 0; e->translate && k < count; k++) {
        int at[3];
        offset_of(e, k, at);
        if (abs(at[0]) <= s && abs(at[1]) <= s && abs(at[2]) <= s)
            continue;
        const double d[3] = {at[0], at[1], at[2]};
        const int order = myr_expansion_degrees(options, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
        myr_translate *t = &e->translate[k];
        if (!(order <= MYR_TRANSLATE_DENSE_MOST ? make_plain(e, order, d, t) : make_turned(e, order, k, d, t)))
            return 0;
    }
    return e->translate != NULL;
}

myr_status myr_expansion_create(myr_context *context, const myr_expansion_ops *ops,
                                const myr_expansion_options *options, myr_expansion **expansion)
{
    *expansion = NULL;
    if (options->order < 1 || options->order > MYR_EXPANSION_ORDER || options->separation < 1)
        return myr_context_fail(context, MYR_ERROR_VALUE, "order = %d is out of range; it must be 1 to %d",
                                options->order, MYR_EXPANSION_ORDER);
    myr_expansion *e = calloc(1, sizeof *e);
    if (e) {
        e->ops = ops;
        e->order = options->order;
        e->size = myr_expansion_size(options->order);
        e->separation = options->separation;
        e->relax = options->relax;
        if (make_recurrence(e) && make_derivatives(e) && make_shifts(e) && make_translations(e, options)) {
            *expansion = e;
            return MYR_OK;
        }
    }
    myr_expansion_destroy(&e);
    return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for expansions of order %d", options->order);
}
