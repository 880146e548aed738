/* short_range_second.h - second pass over rows with close pairs, and classes of pairs by size. Neither is hot. See
 * short_range.h. */
#ifndef MYR_BACKEND_SHORT_RANGE_SECOND_H
#define MYR_BACKEND_SHORT_RANGE_SECOND_H

/* Values of one window. */
typedef struct {
    lane c[CUT_CONSTANTS], force[3];
    window_distance from;
    lane term[MYR_SHORT_RANGE_SUMS];
    lennard_jones_cut at;
    real_int units[3][LANES];
} window_values;

/* Integers of the pair in lane l, by the rule of lennard_jones_close.h. */
static void second_integers(const window_values *v, int l, int sums, double grid, myr_short_range_pair *pair)
{
    (void)l; /* a vector of one lane has no index */
    if (!((double)LANE_AT(v->at.y, l) > LENNARD_JONES_CLOSE)) {
        for (int k = 0; k < 3; k++)
            pair->force[k] = rint((double)LANE_AT(v->force[k], l));
        for (int k = 0; k < MYR_SHORT_RANGE_SUMS; k++)
            pair->sum[k] = rint((double)LANE_AT(v->term[k], l) * grid);
        return;
    }
    const lane *from = v->from.d;
    const double d[3] = {(double)LANE_AT(from[0], l), (double)LANE_AT(from[1], l), (double)LANE_AT(from[2], l)};
    const lennard_jones_close at = lennard_jones_close_at(
        d, (double)LANE_AT(v->c[CUT_SIGMA2], l), (double)LANE_AT(v->c[CUT_EPSILON_48], l),
        (double)LANE_AT(v->c[CUT_EPSILON_24], l), sums ? (double)LANE_AT(v->c[CUT_EPSILON_4], l) : 0);
    static const int a[MYR_SHORT_RANGE_SUMS] = {0, 0, 1, 2, 1, 0, 0}, b[MYR_SHORT_RANGE_SUMS] = {0, 0, 1, 2, 2, 2, 1};
    for (int k = 0; k < 3; k++)
        pair->force[k] = rint(at.factor * d[k]);
    pair->sum[0] = rint(at.energy * grid);
    for (int k = 1; k < MYR_SHORT_RANGE_SUMS; k++)
        pair->sum[k] = rint(d[a[k]] * (at.factor * d[b[k]]) * grid);
}

/* Moves the pair in lane l of the window at s from the sums modulo 2^32 or 2^64 to the list of pairs. */
static void second_move(myr_short_range_second *w, const window_values *v, int32_t target, int64_t s, int l)
{
    myr_short_range_job *job = w->job;
    myr_short_range_pair *pair = w->pair + w->pairs++;
    const double y = (double)LANE_AT(v->at.y, l);
    job->most = y > job->most ? y : job->most;
    for (int k = 0; k < 3; k++) {
        ((real_uint *)job->own[k])[target] -= (real_uint)v->units[k][l];
        if (!w->halo)
            ((real_uint *)job->other[k])[s + l] += (real_uint)v->units[k][l];
    }
    pair->target = target;
    pair->other = w->halo ? -1 : (int32_t)(s + l);
    second_integers(v, l, w->sums, job->grid, pair);
}

MYR_FN void second_window(myr_short_range_second *w, const window_kind kind, const window_fixture *f, const ilane *xi,
                          window_state *row, int32_t target, int64_t s)
{
    window_values v;
    memset(&v, 0, sizeof v); /* constants that this kind of loop does not read have no value */
    v.from = window_look(f, xi, s);
    v.at = window_pair(w->job, kind, w->job->particles.n - s < LANES, f, row, &v.from, v.c);
    for (int k = 0; k < 3; k++) {
        v.force[k] = v.at.factor * v.from.d[k];
        ilane_store(v.units[k], lane_to_int(v.force[k]));
    }
    lennard_jones_cut_terms(v.at.energy, v.from.d, v.force, v.term);
    const uint32_t close = mask_bits(lane_lt(f->limit, v.at.y));
    for (int l = 0; l < LANES; l++)
        if (close >> l & 1 && LANE_AT(v.at.factor, l) != 0)
            second_move(w, &v, target, s, l);
    const lmask open = mask_from_bits(~close);
    for (int k = 0; k < MYR_SHORT_RANGE_SUMS; k++)
        v.term[k] = lane_keep(open, v.term[k]);
    if (w->sums)
        window_add_terms(kind, f->grid, row, v.term);
}

/* The variant is not a constant here, which saves the time to compile eight functions. */
static int window_second(myr_short_range_second *w)
{
    myr_short_range_job *job = w->job;
    const myr_short_range_list *list = job->list;
    const window_kind kind = {w->halo, 1, w->typed, w->root, w->sums};
    const window_fixture f = window_prepare(job);
    window_state row = {.table = 0};
    ilane xi[3];
    for (; job->first < list->closes; job->first++) {
        const int64_t r = list->close[job->first], begin = r > 0 ? list->row[r - 1].end : 0, end = list->row[r].end;
        if (w->pairs_room - w->pairs < (end - begin) * LANES)
            return 0;
        window_aim(&f, list->row[r].target, xi);
        window_begin_row(job, kind, list->row[r].target, &row);
        for (int64_t at = begin; at < end; at++)
            second_window(w, kind, &f, xi, &row, list->row[r].target, list->start[at]);
        if (w->sums)
            window_add_row(job, kind, &row);
    }
    return 1;
}

/* Repulsion of the pairs of a window; 0 for pairs that do not count. */
MYR_FN lane measure_window(const myr_short_range_job *job, const window_kind kind, const window_fixture *f,
                           const ilane *xi, const window_state *row, int64_t s)
{
    lane d[3], c[CUT_CONSTANTS];
    const lane r2 = window_delta(f->x, f->unit, xi, s, d);
    window_constants(job, kind, f, row, s, c);
    const lane y = c[CUT_SIGMA2] * (K(1) / r2), y3 = y * y * y;
    const lane size = lane_keep(lane_lt(r2, c[CUT_RADIUS2]), c[CUT_EPSILON_48] * (y3 * y3));
    return job->particles.n - s < LANES ? lane_keep(mask_from_bits((1u << (job->particles.n - s)) - 1u), size) : size;
}

static void window_measure(const myr_short_range_job *job, int typed, int lowest, int64_t count[MYR_SHORT_RANGE_SIZES])
{
    const window_kind kind = {1, 1, typed, 0, 0};
    const window_fixture f = window_prepare(job);
    const lane least = lane_set((real)ldexp(1, lowest));
    const double most = ldexp(1, lowest + MYR_SHORT_RANGE_SIZES);
    window_state row = {.table = 0};
    ilane xi[3];
    int64_t w = 0;
    for (int64_t r = 0; r < job->list->rows; r++) {
        window_aim(&f, job->list->row[r].target, xi);
        window_begin_row(job, kind, job->list->row[r].target, &row);
        for (; w < job->list->row[r].end; w++) {
            const lane size = measure_window(job, kind, &f, xi, &row, job->list->start[w]);
            for (uint32_t bits = mask_bits(lane_le(least, size)); bits; bits &= bits - 1) {
                const double one = (double)LANE_AT(size, __builtin_ctz(bits));
                count[one < most ? ilogb(one) - lowest : MYR_SHORT_RANGE_SIZES - 1]++;
            }
        }
    }
}

#endif
