/* fmm_gpu_targets.c - targets that are not all of the sources, for the fast multipole method on a GPU, whose tree has
 * one set of particles. Targets that are sources are evaluated with all of them; the others are added as sources
 * without strength. */
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/far_args.h"
#include "core/memory.h"
#include "method/fmm/fmm_gpu.h"

enum {
    PAD = 32,  /* readable reals after each array, as myr_side requires */
    SOME = 512 /* sources that are looked at together */
};

/* Clears `acts` where a factor of the strength of sources from `first` on is 0. */
static void clear_idle(const myr_unit *u, const void *factor, int64_t first, int some, uint8_t *acts)
{
    const double *x = (const double *)factor + first;
    const float *y = (const float *)factor + first;
    for (int i = 0; u->real_bytes == (int)sizeof *x && i < some; i++)
        acts[i] = acts[i] && x[i] != 0;
    for (int i = 0; u->real_bytes == (int)sizeof *y && i < some; i++)
        acts[i] = acts[i] && y[i] != 0;
}

int myr_fmm_gpu_has_idle(const myr_direct *problem, int strength[][2], int strengths)
{
    const int64_t n = problem->source.n;
    int idle = 0;
    for (int64_t first = 0; first < n && !idle; first += SOME) {
        const int some = n - first < SOME ? (int)(n - first) : SOME;
        uint8_t acts[SOME] = {0}, has[SOME];
        for (int s = 0; s < strengths; s++) {
            memset(has, 1, sizeof has);
            for (int k = 0; k < 2 && strength[s][k] >= 0; k++)
                clear_idle(problem->unit, problem->source.component[strength[s][k]], first, some, has);
            for (int i = 0; i < some; i++)
                acts[i] |= has[i];
        }
        for (int i = 0; i < some; i++)
            idle |= !acts[i];
    }
    return idle;
}

/* Returns 1 if target i is the source that it says it is, and at its place. */
static int target_is_source(const myr_direct *p, int64_t i)
{
    const myr_unit *u = p->unit;
    const size_t bytes = (size_t)u->real_bytes;
    int same = p->self && p->self[i] >= 0;
    for (int c = 0; same && c < u->desc->coords * u->coord_lanes; c++)
        same = memcmp((const char *)p->source.component[c] + (size_t)p->self[i] * bytes,
                      (const char *)p->target.component[c] + (size_t)(p->at ? p->at[i] : i) * bytes, bytes) == 0;
    return same;
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
static int targets_make(const myr_direct *p, const myr_far_field *far, myr_fmm_gpu_targets *t)
{
    int64_t all = p->source.n;
    *t = (myr_fmm_gpu_targets){.problem = *p};
    t->target = myr_memory_some(p->targets + 1, sizeof *t->target);
    for (int64_t i = 0; t->target && i < p->targets; i++)
        t->target[i] = target_is_source(p, i) ? p->self[i] : all++;
    t->self = myr_memory_some(all + 1, sizeof *t->self);
    t->role = myr_memory_zeros(all + 1, sizeof *t->role);
    t->value = myr_memory_zeros(all * p->unit->outputs, sizeof *t->value);
    if (!t->self || !t->role || !t->target || !t->value)
        return 0;
    for (int64_t i = 0; i < all; i++) {
        t->self[i] = i;
        t->role[i] = i < p->source.n ? MYR_FAR_SOURCE : 0;
    }
    for (int64_t i = 0; i < p->targets; i++)
        t->role[t->target[i]] |= MYR_FAR_TARGET;
    t->problem.at = t->problem.original = NULL;
    t->problem.self = t->self;
    return targets_arrays(p, far, all, t);
}

myr_status myr_fmm_gpu_targets_make(const myr_direct *problem, const myr_far_field *far, myr_fmm_gpu_targets *targets)
{
    if (targets_make(problem, far, targets))
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
    free(targets->role);
    free(targets->target);
    free(targets->value);
    memset(targets, 0, sizeof *targets);
}
