/* neighbour_prune.c - shorter list of the pairs that can come within the cutoff during the next few steps.
 *
 * A list with a long skin lasts for many steps, but most of its pairs are beyond the cutoff. From time to time it is
 * pruned: forces are evaluated from those of its windows that hold a pair within a shorter search length at that time.
 * A pair that is not in the pruned list is either not in the list, whose proof is in neighbour_proof.c, or was at least
 * that search length apart when the list was pruned. The second kind cannot have come within the cutoff while the sum
 * of the largest displacements of all steps since then, twice, is less than the difference of the two lengths.
 *
 * Pruning costs about as much as a pass of the force loop over all windows of the list, so that the part s of the skin
 * that is kept has an optimum. With W windows within the search length r, which grow about as r^2, and a largest
 * displacement u per step, the windows looked at per step are W(rc + s) + W(r) 2 u/s, least at s = sqrt(u r). This
 * depends on positions alone, so that runs can be repeated. */
#include <math.h>

#include "method/neighbour/neighbour_inside.h"

enum { PRUNE_BLOCK = 1024 }; /* particles of which neighbours are gathered at a time */

/* Shortest part of the skin that is kept, in cutoffs: displacements are not known before the first step. */
#define PRUNE_LEAST 0.04
/* Longest part of the skin with which pruning pays, in skins. */
#define PRUNE_MOST 0.6
/* Neighbours are counted for three prunings at once, since that makes pruning take half as long again. */
#define PRUNE_COUNT 3.15

int myr_neighbour_pruned(const myr_neighbour *list, double further)
{
    const neighbour_pruned *p = &list->pruned;
    return p->whole || p->search - list->cutoff - list->resolution > 2 * (p->travel + further);
}

/* Chooses the search length. Returns the distance by which pairs may approach while the pruned list holds: a list that
 * is not proven by displacements alone holds, at most, until a particle has moved by its skin (neighbour_proof.c). */
static double prune_lengths(myr_neighbour *list, int built)
{
    const double kept = fmax(sqrt(list->step * list->search), PRUNE_LEAST * list->cutoff);
    neighbour_pruned *p = &list->pruned;
    p->whole = built && kept > PRUNE_MOST * list->set.skin;
    p->search = p->whole ? list->search : list->cutoff + fmin(kept, list->set.skin) + list->resolution;
    p->travel = 0;
    return (p->whole ? 2 : 1) * (p->search - list->cutoff);
}

/* Prunes one list of a thread. Neighbours are counted in the memory of the sums; pointers are offset so that particle i
 * is entry i. Returns 0 if memory is short. */
static int prune_list(const myr_neighbour *list, neighbour_share *s, int which, int counts)
{
    const int64_t bytes = list->unit[0]->real_bytes;
    const int is_halo = which == NEIGHBOUR_HALO;
    const myr_short_range_list *from = is_halo ? s->wide_halo : s->wide + which;
    void *own = (char *)s->sum[0][0] - s->first * bytes;
    myr_short_range_prune job = {.particles = myr_neighbour_particles(list, is_halo ? list->n + list->halo : list->n),
                                 .search = list->pruned.search / list->sigma,
                                 .from = from,
                                 .to = is_halo ? s->halo : s->list + which,
                                 .all = (list->cutoff + list->pruned.room + list->resolution) / list->sigma,
                                 .radius2 = list->radius2,
                                 .types = list->set.types,
                                 .stride = list->stride,
                                 .own = counts ? own : NULL};
    if (!is_halo)
        job.other = which == 1 ? (char *)s->sum[1][0] - s->far * bytes : own;
    if (!myr_neighbour_room(job.to, from->rows, from->starts + 1))
        return 0;
    list->unit[0]->prune(&job);
    s->pairs += job.pairs;
    return 1;
}

/* Largest numbers of neighbours. Resets the memory of the sums to zero. */
static void prune_most(myr_neighbour *list)
{
    const int strips = myr_neighbour_strips(list);
    double near = 0, others = 0;
    const int is_plain = list->set.formula != NULL; /* a number of neighbours within the cutoff, and nothing else */
#pragma omp parallel for num_threads(list->team) schedule(static) reduction(max : near, others)
    for (int32_t b = 0; b < list->n; b += PRUNE_BLOCK) {
        double value[PRUNE_BLOCK];
        const int32_t end = list->n - b < PRUNE_BLOCK ? list->n : b + PRUNE_BLOCK;
        list->unit[0]->gather(list->strip, strips, 0, 0, b, end, 1, value - b);
        for (int32_t i = 0; i < end - b; i++) {
            const double whole = is_plain ? 0 : floor(value[i] / MYR_SHORT_RANGE_ALL);
            const double rest = value[i] - whole * MYR_SHORT_RANGE_ALL;
            near = rest > near ? rest : near;
            others = whole > others ? whole : others;
        }
    }
    const int is_exact = others * MYR_SHORT_RANGE_ALL + (is_plain ? near : 0) < 0x1p24 - MYR_SHORT_RANGE_ALL;
    list->limited = 0;
    list->near_most = is_exact ? near : (double)INFINITY;
    list->pull_most = is_exact ? others : (double)INFINITY;
}

myr_status myr_neighbour_prune(myr_neighbour *list, int built)
{
    int failed = 0;
    const double approach = prune_lengths(list, built);
    const int counts = !(list->pruned.room >= approach);
    if (counts) {
        list->pruned.room = list->pruned.whole ? approach : PRUNE_COUNT * approach;
        const myr_status status = myr_neighbour_radii(list, list->pruned.room);
        if (status)
            return status;
    }
#pragma omp parallel for num_threads(list->team) schedule(static, 1) reduction(| : failed)
    for (int t = 0; t < list->threads; t++) {
        neighbour_share *s = list->share + t;
        s->pairs = 0;
        for (int which = 0; which < NEIGHBOUR_LISTS; which++)
            failed |= !prune_list(list, s, which, counts);
    }
    if (failed)
        return myr_context_fail(list->context, MYR_ERROR_MEMORY, "no memory for the neighbours of %d particles",
                                list->n);
    if (counts)
        prune_most(list);
    list->progress.prunes++;
    list->progress.pairs = 0;
    for (int t = 0; t < list->threads; t++)
        list->progress.pairs += list->share[t].pairs;
    return MYR_OK;
}
