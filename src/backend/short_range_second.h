/* short_range_second.h - second pass over rows with close pairs, and classes of pairs by size. Neither is hot. See
 * short_range.h. */
#ifndef MYR_BACKEND_SHORT_RANGE_SECOND_H
#define MYR_BACKEND_SHORT_RANGE_SECOND_H

/* All that is known of one window. */
typedef struct {
    lane c[PAIR_CONSTANTS];
    window_distance from;
    pair_values at;
    lane term[MYR_SHORT_RANGE_SUMS];
    real_int units[3][LANES];
} window_values;

/* Integers of the pair in lane l. */
static void second_integers(const window_values *v, int l, int sums, double grid, myr_short_range_pair *pair)
{
    static const int a[MYR_SHORT_RANGE_SUMS] = {0, 0, 1, 2, 1, 0, 0}, b[MYR_SHORT_RANGE_SUMS] = {0, 0, 1, 2, 2, 2, 1};
    double d[3], c[PAIR_CONSTANTS], force[3], energy;
    (void)l; /* a vector of one lane has no index */
    for (int k = 0; k < 3; k++)
        d[k] = (double)LANE_AT(v->from.d[k], l);
    for (int k = 0; k < PAIR_CONSTANTS; k++)
        c[k] = (double)LANE_AT(v->c[k], l);
    if (pair_in_double(d, (double)LANE_AT(v->at.y, l), c, sums, force, &energy)) {
        for (int k = 0; k < 3; k++)
            pair->force[k] = rint(force[k]);
        pair->sum[0] = rint(energy * grid);
        for (int k = 1; k < MYR_SHORT_RANGE_SUMS; k++)
            pair->sum[k] = rint(d[a[k]] * force[b[k]] * grid);
        return;
    }
    for (int k = 0; k < 3; k++)
        pair->force[k] = rint((double)LANE_AT(v->at.force[k], l));
    for (int k = 0; k < MYR_SHORT_RANGE_SUMS; k++)
        pair->sum[k] = rint((double)LANE_AT(v->term[k], l) * grid);
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

/* Returns 1 if the pair in lane l interacts. */
static int second_acts(const pair_values *at, int l)
{
    (void)l;
    return LANE_AT(at->force[0], l) != 0 || LANE_AT(at->force[1], l) != 0 || LANE_AT(at->force[2], l) != 0 ||
           LANE_AT(at->energy, l) != 0;
}

MYR_FN void second_window(myr_short_range_second *w, const window_kind kind, const window_fixture *f, const ilane *xi,
                          window_state *row, int32_t target, int64_t s)
{
    window_values v;
    memset(&v, 0, sizeof v); /* constants that this kind of loop does not read have no value */
    v.from = window_look(f, xi, s);
    v.at = window_pair(w->job, kind, w->job->particles.n - s < LANES, f, row, &v.from, v.c);
    for (int k = 0; k < 3; k++)
        ilane_store(v.units[k], lane_to_int(v.at.force[k]));
    box_terms(v.at.energy, v.from.d, v.at.force, v.term);
    const uint32_t close = mask_bits(lane_lt(f->limit, v.at.y));
    for (int l = 0; l < LANES; l++)
        if (close >> l & 1 && second_acts(&v.at, l))
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

/* Sizes of the pairs of a window; 0 for pairs that do not count. */
MYR_FN lane measure_window(const myr_short_range_job *job, const window_kind kind, const window_fixture *f,
                           const ilane *xi, const window_state *row, int64_t s)
{
    lane d[3], c[PAIR_CONSTANTS];
    const lane r2 = window_delta(f->x, f->unit, xi, s, d);
    window_constants(job, kind, f, row, s, c);
    const lane size = pair_size(d, r2, c);
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
