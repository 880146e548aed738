/* fmm_gpu_targets.c - targets that are not all of the sources, for the fast multipole method on a GPU, whose tree has
 * one set of particles. A subset of the sources is evaluated with all of them; targets that are no sources are added as
 * sources without strength. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "method/fmm/fmm_gpu.h"

enum { PAD = 32 }; /* readable reals after each array, as myr_side requires */

/* 1 if every target is a source, and at its place. */
static int targets_are_subset(const myr_direct *p)
{
    const myr_unit *u = p->unit;
    const size_t bytes = (size_t)u->real_bytes;
    int subset = p->self != NULL;
    for (int64_t i = 0; subset && i < p->targets; i++) {
        subset = p->self[i] >= 0;
        for (int c = 0; subset && c < u->desc->coords * u->coord_lanes; c++)
            subset = memcmp((const char *)p->source.component[c] + (size_t)p->self[i] * bytes,
                            (const char *)p->target.component[c] + (size_t)(p->at ? p->at[i] : i) * bytes, bytes) == 0;
    }
    return subset;
}

static int targets_are_others(const myr_direct *p)
{
    int others = 1;
    for (int64_t i = 0; p->self && others && i < p->targets; i++)
        others = p->self[i] < 0;
    return others;
}

/* Copies n reals from the places `from_at` to the places `to_at`; null = 0, 1, .. */
static void copy_reals(const myr_unit *u, const void *from, const int64_t *from_at, int64_t n, void *to,
                       const int64_t *to_at)
{
    const size_t bytes = (size_t)u->real_bytes;
    for (int64_t i = 0; i < n; i++)
        memcpy((char *)to + (size_t)(to_at ? to_at[i] : i) * bytes,
               (const char *)from + (size_t)(from_at ? from_at[i] : i) * bytes, bytes);
}

/* Arrays of n particles, of which target i is number t->target[i]. Sources come first. Where a particle has no field of
 * the other kind it is 0, except for cores of vortex elements: all have about one size. */
static int targets_arrays(const myr_direct *p, const myr_far_field *far, int64_t n, myr_fmm_gpu_targets *t)
{
    const myr_unit *u = p->unit;
    const int coords = u->desc->coords * u->coord_lanes;
    const size_t column = (size_t)(n + PAD) * (size_t)u->real_bytes;
    char *reals = myr_memory_zeros(u->source_lanes + u->target_lanes - coords, column);
    t->reals = reals;
    for (int c = 0; reals && c < u->source_lanes; c++, reals += column) {
        t->problem.source.component[c] = reals;
        copy_reals(u, p->source.component[c], NULL, p->source.n, reals, NULL);
        if (c < coords) {
            t->problem.target.component[c] = reals;
            copy_reals(u, p->target.component[c], p->at, p->targets, reals, t->target);
        } else if (far->core && c == coords + far->core) {
            for (int64_t i = p->source.n; p->source.n > 0 && i < n; i++)
                copy_reals(u, p->source.component[c], NULL, 1, reals, &i);
        }
    }
    for (int c = coords; reals && c < u->target_lanes; c++, reals += column) {
        t->problem.target.component[c] = reals;
        copy_reals(u, p->target.component[c], p->at, p->targets, reals, t->target);
    }
    t->problem.source.n = t->problem.target.n = t->problem.targets = n;
    return reals != NULL;
}

/* A problem whose targets are all of its sources: results of target i of the given one are those of target[i]. */
static int targets_make(const myr_direct *p, const myr_far_field *far, int subset, myr_fmm_gpu_targets *t)
{
    const int64_t all = p->source.n + (subset ? 0 : p->targets);
    *t = (myr_fmm_gpu_targets){.problem = *p};
    t->self = myr_memory_some(all + 1, sizeof *t->self);
    t->target = myr_memory_some(p->targets + 1, sizeof *t->target);
    t->value = myr_memory_zeros(all * p->unit->outputs, sizeof *t->value);
    if (!t->self || !t->target || !t->value)
        return 0;
    for (int64_t i = 0; i < all; i++)
        t->self[i] = i;
    for (int64_t i = 0; i < p->targets; i++)
        t->target[i] = subset ? p->self[i] : p->source.n + i;
    t->problem.at = t->problem.original = NULL;
    t->problem.self = t->self;
    return targets_arrays(p, far, all, t);
}

myr_status myr_fmm_gpu_targets_make(const myr_direct *problem, const myr_far_field *far, myr_fmm_gpu_targets *targets)
{
    const int subset = targets_are_subset(problem);
    if (!subset && !targets_are_others(problem))
        return myr_context_fail(problem->context, MYR_ERROR_COMBINATION,
                                "far fields on a GPU need targets of which all are sources, at their places, or "
                                "none; use backend simd or ref, or method direct");
    if (targets_make(problem, far, subset, targets))
        return MYR_OK;
    myr_fmm_gpu_targets_free(targets);
    return myr_context_fail(problem->context, MYR_ERROR_MEMORY, "no memory for %lld targets and %lld sources",
                            (long long)problem->targets, (long long)problem->source.n);
}

void myr_fmm_gpu_targets_results(const myr_fmm_gpu_targets *targets, const myr_direct *problem,
                                 const myr_direct_result *all, myr_direct_result *result)
{
    result->flag = all->flag;
    result->skipped = all->skipped;
    for (int64_t i = problem->targets - 1; i >= 0; i--)
        for (int k = 0; k < problem->unit->outputs; k++) {
            const double value = all->value[k][targets->target[i]];
            if (result->value[k])
                result->value[k][i] = value;
            if (value - value != 0) /* infinite, or not a number */
                result->first_bad = i;
        }
}

void myr_fmm_gpu_targets_free(myr_fmm_gpu_targets *targets)
{
    free(targets->reals);
    free(targets->self);
    free(targets->target);
    free(targets->value);
    memset(targets, 0, sizeof *targets);
}
