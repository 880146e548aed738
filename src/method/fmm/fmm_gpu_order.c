/* fmm_gpu_order.c - the translations of the processor for a GPU in portable arithmetic: one table, in which every
 * matrix is in the order in which it is read, and offsets share matrices as they do on the processor. */
#include "method/fmm/fmm_gpu_order.h"

#include <stdlib.h>
#include <string.h>

#include "backend/cuda/far_args.h"
#include "core/memory.h"

enum { ALIGN = 4 }; /* reals, of which 16 bytes are read at a time */

_Static_assert(sizeof *(myr_fmm_gpu_order){0}.place == MYR_FAR_PLACE * sizeof(int32_t), "far_args.h");

/* Room for n more reals at the end of the table; null if memory is short. */
static double *order_take(myr_fmm_gpu_order *o, int64_t n)
{
    const int64_t first = (o->count + ALIGN - 1) / ALIGN * ALIGN;
    if (first + n > o->room) {
        const int64_t room = 2 * (first + n) + 1024;
        double *reals = realloc(o->reals, (size_t)room * sizeof *reals);
        if (!reals)
            return NULL;
        memset(reals + o->room, 0, (size_t)(room - o->room) * sizeof *reals);
        o->reals = reals;
        o->room = room;
    }
    o->count = first + n;
    return o->reals + first;
}

static int32_t order_last(const myr_fmm_gpu_order *o, int64_t n)
{
    return (int32_t)(o->count - n);
}

/* Rotations of all degrees by columns, cosines m = 0, 1, .. and sines m = 1, 2, ..; those of the processor have their
 * sines in the opposite order. */
static int order_rotation(int degrees, const double *from, myr_fmm_gpu_order *o, int32_t *place)
{
    const int64_t count = degrees * (2 * degrees * degrees + 1) / 3;
    double *to = order_take(o, count);
    if (!to)
        return 0;
    *place = order_last(o, count);
    for (int n = 0; n < degrees; n++) {
        const int cosines = (n + 1) * (n + 1);
        memcpy(to, from, (size_t)cosines * sizeof *to);
        for (int k = 0; k < n * n; k++)
            to[cosines + k] = from[cosines + n * n - 1 - k];
        to += cosines + n * n;
        from += cosines + n * n;
    }
    return 1;
}

/* The matrices along z, each of which begins at a multiple of ALIGN. */
static int order_axial(int degrees, const double *from, myr_fmm_gpu_order *o, int32_t *place)
{
    for (int m = 0; m < degrees; m++) {
        const int count = (degrees - m) * (degrees - m);
        double *to = order_take(o, count);
        if (!to)
            return 0;
        if (m == 0)
            *place = order_last(o, count);
        memcpy(to, from, (size_t)count * sizeof *to);
        from += count;
    }
    return 1;
}

/* Cosines and sines of the angles about z, in rows of the whole order. */
static int order_turn(int order, const myr_turned *t, myr_fmm_gpu_order *o, int32_t *place)
{
    double *to = order_take(o, 2 * order);
    if (!to)
        return 0;
    *place = order_last(o, 2 * order);
    memcpy(to, t->turn, (size_t)t->order * sizeof *to);
    memcpy(to + order, (const double *)t->turn + t->order, (size_t)t->order * sizeof *to);
    return 1;
}

static int order_dense(const myr_dense *d, myr_fmm_gpu_order *o, int32_t *place)
{
    const int terms = d->columns;
    double *to = order_take(o, (int64_t)terms * terms);
    if (!to)
        return 0;
    *place = order_last(o, (int64_t)terms * terms);
    for (int c = 0; c < terms; c++)
        memcpy(to + (int64_t)c * terms, (const double *)d->matrix + (int64_t)c * d->rows, (size_t)terms * sizeof *to);
    return 1;
}

/* Places of the matrices that an earlier offset has. */
static void order_share(const myr_expansion *e, int number, myr_fmm_gpu_order *o)
{
    const myr_turned *mine = &e->translate[number].turned;
    int32_t *place = o->place[number];
    for (int k = 0; k < number; k++) {
        const myr_turned *theirs = &e->translate[k].turned;
        if (e->translate[k].form != MYR_TRANSLATE_TURNED)
            continue;
        if (theirs->forward == mine->forward) {
            place[MYR_FAR_FORWARD] = o->place[k][MYR_FAR_FORWARD];
            place[MYR_FAR_BACK] = o->place[k][MYR_FAR_BACK];
        }
        if (theirs->axial == mine->axial)
            place[MYR_FAR_AXIAL] = o->place[k][MYR_FAR_AXIAL];
    }
}

static int order_offset(const myr_expansion *e, int number, myr_fmm_gpu_order *o)
{
    const myr_translate *t = &e->translate[number];
    const myr_turned *turned = &t->turned;
    int32_t *place = o->place[number], none = -1;
    if (t->form == MYR_TRANSLATE_NONE)
        return 1;
    place[MYR_FAR_DENSE] = t->form == MYR_TRANSLATE_DENSE;
    place[MYR_FAR_DEGREES] = turned->order;
    if (place[MYR_FAR_DENSE]) {
        while ((place[MYR_FAR_DEGREES] + 1) * (place[MYR_FAR_DEGREES] + 1) <= t->dense.columns)
            place[MYR_FAR_DEGREES]++;
        return order_dense(&t->dense, o, &place[MYR_FAR_FORWARD]);
    }
    place[MYR_FAR_FORWARD] = place[MYR_FAR_AXIAL] = none;
    order_share(e, number, o);
    int ready = order_turn(e->order, turned, o, &place[MYR_FAR_TURN]);
    if (ready && place[MYR_FAR_FORWARD] == none)
        ready = order_rotation(turned->order, turned->forward, o, &place[MYR_FAR_FORWARD]) &&
                order_rotation(turned->order, turned->back, o, &place[MYR_FAR_BACK]);
    if (ready && place[MYR_FAR_AXIAL] == none)
        ready = order_axial(turned->order, turned->axial, o, &place[MYR_FAR_AXIAL]);
    return ready;
}

int myr_fmm_gpu_order_make(const myr_expansion *e, myr_fmm_gpu_order *order)
{
    const int offsets = e->width * e->width * e->width;
    *order = (myr_fmm_gpu_order){.place = myr_memory_zeros(offsets, sizeof *order->place)};
    int ready = order->place != NULL;
    for (int k = 0; ready && k < offsets; k++)
        ready = order_offset(e, k, order);
    if (ready)
        ready = order_take(order, ALIGN) != NULL; /* what is read behind the last matrix */
    if (!ready)
        myr_fmm_gpu_order_free(order);
    return ready;
}

void myr_fmm_gpu_order_free(myr_fmm_gpu_order *order)
{
    free(order->reals);
    free(order->place);
    *order = (myr_fmm_gpu_order){0};
}
