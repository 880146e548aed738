/* short_range_loop.h - hot loop over windows, a template for all variants. See short_range.h. */
#ifndef MYR_BACKEND_SHORT_RANGE_LOOP_H
#define MYR_BACKEND_SHORT_RANGE_LOOP_H

/* Variant of the loop; all members are compile-time constants. */
typedef struct {
    int halo, fixed, typed, root, sums;
} window_kind;

/* Distances of the particles of one window from a target: the first half of the work. */
typedef struct {
    int64_t start;
    lane d[3], r2, rinv2; /* vector to the target, its square, the reciprocal of that */
} window_distance;

/* Values of the pairs of one window. */
typedef struct {
    lane force[3]; /* on the target */
    lane energy;
    lane y; /* what the limit of fixed-point sums is compared with: (sigma/r)^2, or the size of the force */
} pair_values;

#ifdef MYR_KERNEL
#include "backend/short_range_formula.h"
#else
#include "backend/short_range_pair.h"
#endif

/* Constants of a job, in vectors. */
typedef struct {
    const real_int *x[3];
    lane unit[3];
    lane c[PAIR_CONSTANTS]; /* constants of the only pair of types */
    lane limit;
    double grid;
    void *other[3]; /* sums of the particles in windows */
} window_fixture;

/* State of a row from window to window. */
typedef struct {
    lane sum[3];
    ilane isum[3];
    lane most;
    lane energy[MYR_SHORT_RANGE_SUMS];
    uint64_t ienergy[MYR_SHORT_RANGE_SUMS][LANES];
    const real *table; /* constants of the target's type */
} window_state;

MYR_FN lane window_unit(double length)
{
    return lane_set((real)(length * (LANE_COORD_BITS == 32 ? 0x1p-32 : LANE_COORD_BITS == 52 ? 0x1p-52 : 0x1p-64)));
}

/* Vector from the particles at s to the target, and its square. */
MYR_FN lane window_delta(const real_int *const *x, const lane *unit, const ilane *xi, int64_t s, lane *d)
{
    MYR_UNROLL
    for (int k = 0; k < 3; k++)
        d[k] = lane_from_coord(ilane_sub(xi[k], ilane_load(x[k] + s))) * unit[k];
    return lane_madd(d[2], d[2], lane_madd(d[1], d[1], d[0] * d[0]));
}

/* Coordinates of a target in all lanes. */
MYR_FN void window_aim(const window_fixture *f, int32_t target, ilane *xi)
{
    MYR_UNROLL
    for (int k = 0; k < 3; k++)
        xi[k] = ilane_set(f->x[k][target]);
}

MYR_FN window_distance window_look(const window_fixture *f, const ilane *xi, int64_t s)
{
    window_distance at = {.start = s};
    at.r2 = window_delta(f->x, f->unit, xi, s, at.d);
    at.rinv2 = K(1) / at.r2;
    return at;
}

MYR_FN void window_constants(const myr_short_range_job *job, const window_kind kind, const window_fixture *f,
                             const window_state *row, int64_t s, lane *c)
{
    if (!kind.typed) {
        MYR_UNROLL
        for (int k = 0; k < PAIR_CONSTANTS; k++)
            c[k] = f->c[k];
        pair_simplify(c);
        return;
    }
    const ilane type = ilane_load((const real_int *)job->particles.type + s);
    MYR_UNROLL
    for (int k = 0; k < PAIR_CONSTANTS; k++)
        if (pair_reads(kind, k))
            c[k] = lane_lookup(row->table + k * job->stride, type, job->types);
}

/* Adds the terms of a window. On the fixed-point grid every term is rounded once, in double in every arithmetic: adding
 * 1.5 * 2^52 leaves the nearest integer in the low bits. */
MYR_FN void window_add_terms(const window_kind kind, double grid, window_state *row, const lane *term)
{
    MYR_UNROLL
    for (int k = 0; k < MYR_SHORT_RANGE_SUMS; k++) {
        if (!kind.fixed) {
            row->energy[k] = row->energy[k] + term[k];
            continue;
        }
        for (int l = 0; l < LANES; l++) {
            const double magic = 0x1.8p52, shifted = (double)LANE_AT(term[k], l) * grid + magic;
            uint64_t bits, base;
            memcpy(&bits, &shifted, sizeof bits);
            memcpy(&base, &magic, sizeof base);
            row->ienergy[k][l] += bits - base;
        }
    }
}

/* Pair formula of one window. tail: 1 = the window extends past the last particle. */
MYR_FN pair_values window_pair(const myr_short_range_job *job, const window_kind kind, const int tail,
                               const window_fixture *f, const window_state *row, const window_distance *from, lane *c)
{
    window_constants(job, kind, f, row, from->start, c);
    pair_values v = pair_evaluate(kind, from, c);
    if (tail) {
        const lmask there = mask_from_bits((1u << (job->particles.n - from->start)) - 1u);
        for (int k = 0; k < 3; k++)
            v.force[k] = lane_keep(there, v.force[k]);
        v.energy = lane_keep(there, v.energy);
        v.y = lane_keep(there, v.y);
    }
    return v;
}

/* Evaluates one window. */
MYR_FN void window_step(const myr_short_range_job *job, const window_kind kind, const int tail, const window_fixture *f,
                        window_state *row, const window_distance *from)
{
    lane c[PAIR_CONSTANTS];
    const int64_t s = from->start;
    const pair_values v = window_pair(job, kind, tail, f, row, from, c);
    row->most = lane_max(v.y, row->most); /* ignores 0 times infinity of a pair that does not interact */
    MYR_UNROLL
    for (int k = 0; k < 3; k++) {
        if (kind.fixed) {
            const ilane units = lane_to_int(v.force[k]);
            row->isum[k] = ilane_add(row->isum[k], units);
            if (kind.halo)
                continue;
            real_int *to = (real_int *)f->other[k] + s;
            ilane_store(to, ilane_sub(ilane_load(to), units));
        } else {
            row->sum[k] = row->sum[k] + v.force[k];
            if (kind.halo)
                continue;
            real *to = (real *)f->other[k] + s;
            lane_store(to, lane_load(to) - v.force[k]);
        }
    }
    if (kind.sums) {
        lane term[MYR_SHORT_RANGE_SUMS];
        box_terms(v.energy, from->d, v.force, term);
        window_add_terms(kind, f->grid, row, term);
    }
}

MYR_FN void window_begin_row(const myr_short_range_job *job, const window_kind kind, int32_t target, window_state *row)
{
    MYR_UNROLL
    for (int k = 0; k < 3; k++) {
        row->sum[k] = lane_set(K(0));
        row->isum[k] = ilane_set(0);
    }
    row->most = lane_set(K(0));
    if (kind.typed)
        row->table = (const real *)job->table +
                     (int64_t)((const real_int *)job->particles.type)[target] * PAIR_CONSTANTS * job->stride;
    if (!kind.sums)
        return;
    MYR_UNROLL
    for (int k = 0; k < MYR_SHORT_RANGE_SUMS; k++)
        row->energy[k] = lane_set(K(0));
    memset(row->ienergy, 0, sizeof row->ienergy);
}

MYR_FN void window_add_row(myr_short_range_job *job, const window_kind kind, const window_state *row)
{
    for (int k = 0; k < MYR_SHORT_RANGE_SUMS; k++)
        for (int l = 0; l < LANES; l++)
            if (kind.fixed)
                job->total[k] += (int64_t)row->ienergy[k][l];
            else
                job->sum[k] += (double)LANE_AT(row->energy[k], l);
}

/* Energy and virial of a row with a close pair are left to the second pass. */
MYR_FN void window_end_row(myr_short_range_job *job, const window_kind kind, const window_fixture *f, int64_t r,
                           int32_t target, const window_state *row)
{
    real sum[3];
    real_int isum[3];
    if (kind.fixed)
        ilane_sum3(row->isum, isum);
    else
        lane_sum3(row->sum, sum);
    MYR_UNROLL
    for (int k = 0; k < 3; k++)
        if (kind.fixed)
            ((real_uint *)job->own[k])[target] += (real_uint)isum[k];
        else
            ((real *)job->own[k])[target] += sum[k];
    if (kind.fixed && mask_bits(lane_lt(f->limit, row->most)))
        job->list->close[job->list->closes++] = (int32_t)r;
    else if (kind.sums)
        window_add_row(job, kind, row);
}

MYR_FN window_fixture window_prepare(const myr_short_range_job *job)
{
    window_fixture f;
    MYR_UNROLL
    for (int k = 0; k < 3; k++) {
        f.x[k] = (const real_int *)job->particles.coordinate[k];
        f.unit[k] = window_unit(job->particles.unit[k]);
        f.other[k] = job->other[k];
    }
    MYR_UNROLL
    for (int k = 0; k < PAIR_CONSTANTS; k++)
        f.c[k] = lane_set(((const real *)job->table)[k * job->stride]);
    f.grid = job->grid;
    f.limit = lane_set((real)job->limit);
    return f;
}

/* The distances of the next window, which may be the first one of the next row, are computed between those of a window
 * and its forces: a window is one chain of dependent operations, of which the processor would hold too few at a time
 * (measured: 40 -> 36 ns per particle). Every row has a window; only its last one can extend past the last particle. */
MYR_FN void window_rows(myr_short_range_job *job, const window_kind kind)
{
    const window_fixture f = window_prepare(job);
    const myr_short_range_list *list = job->list;
    const int32_t *start = list->start, last = job->particles.n - LANES;
    int64_t w = job->first > 0 ? list->row[job->first - 1].end : 0;
    window_state row;
    window_distance now, next;
    ilane xi[3];
    lane all = lane_set(K(0));
    if (job->first == job->last)
        return;
    window_aim(&f, list->row[job->first].target, xi);
    now = window_look(&f, xi, start[w]);
    for (int64_t r = job->first; r < job->last; r++) {
        const int32_t target = list->row[r].target, end = list->row[r].end;
        const int more = r + 1 < job->last;
        window_begin_row(job, kind, target, &row);
        while (++w < end) {
            next = window_look(&f, xi, start[w]);
            window_step(job, kind, 0, &f, &row, &now);
            now = next;
        }
        window_aim(&f, list->row[r + more].target, xi);
        next = window_look(&f, xi, start[w - !more]);
        window_step(job, kind, now.start > last, &f, &row, &now);
        now = next;
        window_end_row(job, kind, &f, r, target, &row);
        if (!kind.fixed)
            all = lane_max(row.most, all);
    }
    if (kind.fixed)
        return;
    const double most = (double)lane_most(all);
    job->most = most > job->most ? most : job->most;
}

#endif
