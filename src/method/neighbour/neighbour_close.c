/* neighbour_close.c - pairs that are closer than the limit of the fixed-point sums (neighbour_range.c). A second pass
 * over their rows takes them off the sums again, and the forces on their particles are summed in integers of 256 bits,
 * in the same unit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/neighbour/neighbour_inside.h"

/* One of the two particles of a close pair. */
typedef struct {
    int32_t particle, sign;
    const myr_short_range_pair *pair;
} close_end;

static int close_grow(neighbour_share *s)
{
    const int64_t room = 2 * s->closes_room + 65536;
    myr_short_range_pair *more = realloc(s->close, (size_t)room * sizeof *more);
    if (!more)
        return 0;
    s->close = more;
    s->closes_room = room;
    return 1;
}

/* Second pass over the rows of one thread; returns 0 if memory is short. */
static int close_find_share(myr_neighbour *list, int t)
{
    neighbour_share *s = list->share + t;
    for (int which = 0; which < NEIGHBOUR_LISTS; which++) {
        const int halo = which == NEIGHBOUR_HALO;
        if (!(halo ? s->halo : s->list + which)->closes)
            continue;
        myr_short_range_job *job = list->job + (halo ? list->threads + t : t);
        myr_neighbour_job(list, t, which, job);
        job->first = 0;
        myr_short_range_second pass = {.job = job,
                                       .halo = halo,
                                       .typed = list->set.types > 1,
                                       .root = !list->set.formula && myr_cut_needs_root(list->set.cut),
                                       .sums = list->summing};
        for (int done = 0; !done;) {
            pass.pair = s->close;
            pass.pairs = s->closes;
            pass.pairs_room = s->closes_room;
            done = list->unit[halo]->second(&pass);
            s->closes = pass.pairs;
            if (!done && !close_grow(s))
                return 0;
        }
    }
    return 1;
}

static int close_compare(const void *a, const void *b)
{
    const int32_t i = ((const close_end *)a)->particle, j = ((const close_end *)b)->particle;
    return (i > j) - (i < j);
}

/* Own particles of all close pairs, sorted. */
static int64_t close_ends(const myr_neighbour *list, close_end *end)
{
    int64_t ends = 0;
    for (int t = 0; t < list->threads; t++)
        for (int64_t k = 0; k < list->share[t].closes; k++) {
            const myr_short_range_pair *pair = list->share[t].close + k;
            end[ends++] = (close_end){pair->target, 1, pair};
            if (pair->other >= 0)
                end[ends++] = (close_end){pair->other, -1, pair};
        }
    qsort(end, (size_t)ends, sizeof *end, close_compare);
    return ends;
}

/* Sum of the pairs that are not close. */
static int64_t close_others(const myr_neighbour *list, int strips, int axis, int32_t i)
{
    uint64_t sum = 0;
    for (int t = 0; t < strips; t++) {
        const myr_short_range_strip *strip = list->strip + t;
        if (i < strip->first || i >= strip->last)
            continue;
        sum += list->unit[0]->real_bytes == 4 ? ((const uint32_t *)strip->sum[axis])[i - strip->first]
                                              : ((const uint64_t *)strip->sum[axis])[i - strip->first];
    }
    return list->unit[0]->real_bytes == 4 ? (int32_t)(uint32_t)sum : (int64_t)sum;
}

/* Sums the forces on the particle of end[0], which has `count` close pairs. */
static neighbour_exact close_particle(const myr_neighbour *list, int strips, double unit, const close_end *end,
                                      int64_t count)
{
    neighbour_exact exact = {.particle = end->particle};
    for (int axis = 0; axis < 3; axis++) {
        myr_wide small = close_others(list, strips, axis, end->particle);
        myr_integer256 large = {{0}};
        int is_large = 0;
        for (int64_t k = 0; k < count; k++) {
            const double force = end[k].sign * end[k].pair->force[axis];
            if (fabs(force) < 0x1p62) {
                small += (int64_t)force;
                continue;
            }
            large = myr_integer256_add(large, myr_integer256_from_double(force));
            is_large = 1;
        }
        large = myr_integer256_add(large, myr_integer256_from(small, 0));
        exact.force[axis] = is_large ? myr_integer256_value(large, list->exponent) : (double)small * unit;
    }
    return exact;
}

/* Energy and virial: own pairs count twice, pairs with the halo, which another domain has too, once. */
static void close_sums(myr_neighbour *list)
{
    for (int t = 0; t < list->threads; t++)
        for (int64_t i = 0; i < list->share[t].closes; i++) {
            const myr_short_range_pair *pair = list->share[t].close + i;
            for (int k = 0; k < MYR_SHORT_RANGE_SUMS; k++)
                list->close_sum[k] = myr_integer256_add(
                    list->close_sum[k], myr_integer256_from_double(pair->other < 0 ? pair->sum[k] : 2 * pair->sum[k]));
        }
}

static int close_reserve(myr_neighbour *list, int64_t count)
{
    if (count <= list->exacts_room)
        return 1;
    free(list->exact);
    list->exact = malloc((size_t)count * sizeof *list->exact);
    list->exacts_room = list->exact ? count : 0;
    return list->exact != NULL;
}

static int close_add(myr_neighbour *list, int64_t pairs)
{
    close_end *end = malloc(2 * (size_t)pairs * sizeof *end);
    if (!end || !close_reserve(list, 2 * pairs)) {
        free(end);
        return 0;
    }
    const int64_t ends = close_ends(list, end);
    const int strips = myr_neighbour_strips(list);
    const double unit = ldexp(1, list->exponent);
    for (int64_t k = 0, next; k < ends; k = next) {
        for (next = k + 1; next < ends && end[next].particle == end[k].particle;)
            next++;
        list->exact[list->exacts++] = close_particle(list, strips, unit, end + k, next - k);
    }
    free(end);
    if (list->summing)
        close_sums(list);
    return 1;
}

static myr_status close_fail(const myr_neighbour *list)
{
    return myr_context_fail(list->context, MYR_ERROR_MEMORY, "no memory for the close pairs of %d particles", list->n);
}

myr_status myr_neighbour_close_find(myr_neighbour *list)
{
    int failed = 0, any = 0;
    for (int t = 0; t < list->threads; t++) {
        const neighbour_share *s = list->share + t;
        any |= s->list[0].closes || s->list[1].closes || s->halo[0].closes;
        list->share[t].closes = 0;
    }
    if (!any)
        return MYR_OK;
#pragma omp parallel for num_threads(list->team) schedule(static, 1) reduction(| : failed)
    for (int t = 0; t < list->threads; t++)
        failed |= !close_find_share(list, t);
    return failed ? close_fail(list) : MYR_OK;
}

myr_status myr_neighbour_close_sum(myr_neighbour *list)
{
    int64_t pairs = 0;
    list->exacts = 0;
    memset(list->close_sum, 0, sizeof list->close_sum);
    for (int t = 0; t < list->threads; t++)
        pairs += list->share[t].closes;
    return pairs == 0 || close_add(list, pairs) ? MYR_OK : close_fail(list);
}

void myr_neighbour_close_put(const myr_neighbour *list, double *const force[3])
{
    for (int64_t k = 0; k < list->exacts; k++)
        for (int axis = 0; axis < 3; axis++)
            force[axis][list->exact[k].particle] = list->exact[k].force[axis];
}
