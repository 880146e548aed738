/* short_range_sift.h - windows that hold a particle within the search length of their target, out of longer lists of
 * windows, and numbers of neighbours. See short_range.h. */
#ifndef MYR_BACKEND_SHORT_RANGE_SIFT_H
#define MYR_BACKEND_SHORT_RANGE_SIFT_H

/* Target and lengths of a scan, in vectors. */
typedef struct {
    const real_int *x[3];
    lane unit[3], search2;
    lane near2, middle2; /* squares of the near and the middle radius, with one type */
    lane all2;           /* of the radius within which all neighbours are counted */
    ilane xi[3];
    const real_int *type;
    const real *radius2; /* of the target's type, see myr_short_range_prune */
    int types, stride;
    int32_t n;
} window_scan;

MYR_FN window_scan window_scan_of(const myr_short_range_particles *particles, double search)
{
    window_scan scan = {.n = particles->n, .search2 = lane_set((real)(search * search)), .types = 1};
    for (int k = 0; k < 3; k++) {
        scan.x[k] = (const real_int *)particles->coordinate[k];
        scan.unit[k] = window_unit(particles->unit[k]);
    }
    scan.type = (const real_int *)particles->type;
    return scan;
}

MYR_FN void window_scan_aim(window_scan *scan, int32_t target)
{
    MYR_UNROLL
    for (int k = 0; k < 3; k++)
        scan->xi[k] = ilane_set(scan->x[k][target]);
}

/* What the particles of a window add to the number of neighbours of the target, and the target to theirs. */
MYR_FN lane window_tally(const window_scan *scan, int64_t s, lane r2)
{
    lane near2 = scan->near2, middle2 = scan->middle2;
    if (scan->types > 1) {
        const ilane type = ilane_load(scan->type + s);
        near2 = lane_lookup(scan->radius2, type, scan->types);
        middle2 = lane_lookup(scan->radius2 + scan->stride, type, scan->types);
    }
    return lane_keep(lane_lt(r2, near2), lane_set(K(1))) +
           lane_keep(lane_lt(r2, middle2), lane_set((real)PAIR_MIDDLE)) +
           lane_keep(lane_lt(r2, scan->all2), lane_set((real)PAIR_ALL));
}

/* Result of a sieve: number of windows and of pairs within the search length, and the sum of the tallies. */
typedef struct {
    int64_t windows, pairs;
    lane sum;
} window_found;

enum { WINDOW_SIEVE = 32 }; /* windows whose bits are found before they are used */

/* Bits of the particles of some windows that are within the search length. tally: 1 = count neighbours, those of the
 * particles in `other` unless that is null. */
MYR_FN void window_within(const window_scan *scan, const int tally, const int32_t *from, int windows, real *other,
                          lane *sum, uint32_t *within)
{
    for (int w = 0; w < windows; w++) {
        const int32_t s = from[w];
        lane d[3], r2 = window_delta(scan->x, scan->unit, scan->xi, s, d);
        if (scan->n - s < LANES)
            r2 = lane_select(mask_from_bits((1u << (scan->n - s)) - 1u), r2, lane_set((real)INFINITY));
        const lmask all = lane_lt(r2, scan->search2);
        within[w] = mask_bits(all);
        if (!tally)
            continue;
        const lane more = window_tally(scan, s, r2);
        *sum = *sum + more;
        if (other)
            lane_store(other + s, lane_load(other + s) + more);
    }
}

/* Goes through disjoint windows in the order of memory and moves each to the first particle within the search length
 * that the window before does not hold; windows without such a particle are left out. `to` may be `from`. There is no
 * branch on what a window holds, which could not be predicted; and the bits of many windows are found first, so that
 * the chain from one window to the next is of few operations. */
MYR_FN window_found window_sift(const window_scan *scan, const int tally, const int32_t *from, int64_t windows,
                                real *other, int32_t *to)
{
    window_found found = {0, 0, lane_set(K(0))};
    int32_t end = 0; /* end of the window kept last, of those that can reach the next one */
    for (int64_t w = 0; w < windows; w += WINDOW_SIEVE) {
        uint32_t within[WINDOW_SIEVE];
        const int count = windows - w < WINDOW_SIEVE ? (int)(windows - w) : WINDOW_SIEVE;
        window_within(scan, tally, from + w, count, other, &found.sum, within);
        for (int k = 0; k < count; k++) {
            const int32_t s = from[w + k], had = end > s ? end - s : 0;
            const uint32_t left = within[k] >> had << had;
            const int32_t first = __builtin_ctz(left | 1u << LANES);
            to[found.windows] = s + first;
            found.windows += left != 0;
            end = s + LANES + (first & (LANES - 1));
            found.pairs += __builtin_popcount(within[k]);
        }
    }
    return found;
}

/* Rows of a list that remain with a shorter search length; tally as above. */
MYR_FN void window_prune_rows(myr_short_range_prune *job, const int tally)
{
    const myr_short_range_list *from = job->from;
    myr_short_range_list *to = job->to;
    window_scan scan = window_scan_of(&job->particles, job->search);
    scan.types = job->types;
    scan.stride = job->stride;
    if (tally) {
        scan.near2 = lane_set(((const real *)job->radius2)[0]);
        scan.middle2 = lane_set(((const real *)job->radius2)[job->stride]);
        scan.all2 = lane_set((real)(job->all * job->all));
    }
    to->rows = to->starts = 0;
    for (int64_t r = 0, w = 0; r < from->rows; r++) {
        const int32_t target = from->row[r].target, end = from->row[r].end;
        window_scan_aim(&scan, target);
        if (tally && scan.types > 1)
            scan.radius2 = (const real *)job->radius2 + (int64_t)scan.type[target] * 2 * job->stride;
        const window_found found =
            window_sift(&scan, tally, from->start + w, end - w, (real *)job->other, to->start + to->starts);
        w = end;
        to->starts += found.windows;
        to->row[to->rows] = (myr_short_range_row){target, (int32_t)to->starts};
        to->rows += found.windows > 0;
        job->pairs += found.pairs;
        if (tally) {
            const lane sum[3] = {found.sum, found.sum, found.sum}; /* of which the first is used */
            real neighbours[3];
            lane_sum3(sum, neighbours);
            ((real *)job->own)[target] += neighbours[0];
        }
    }
}

static void window_prune(myr_short_range_prune *job)
{
    if (job->own)
        window_prune_rows(job, 1);
    else
        window_prune_rows(job, 0);
}

#endif
