/* near.c - lists of sources near targets: every pair is compared in double, by the threads of the processor or by the
 * kernels of near.cuh, which add and multiply in the same order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/near_args.h"
#include "backend/gpu.h"
#include "core/memory.h"
#include "interaction/interaction.h"

struct myr_near {
    int64_t sources, targets;
    double *source, *target; /* columns as in near_args.h */
    int is_by_mass;          /* 1 = the last column of the sources has masses */
    int64_t *offset;         /* [targets + 1] */
    int32_t *list;
    int64_t room, listed; /* entries for which there is room; targets whose lists are there */
    const myr_gpu *gpu;   /* of the finder */
    myr_cuda_near_finder *finder;
};

static void near_close_gpu(struct myr_near *n)
{
    if (n->finder)
        n->gpu->plugin->near_close(n->finder);
    n->finder = NULL;
    n->gpu = NULL;
}

void myr_near_destroy(struct myr_near **near)
{
    if (!*near)
        return;
    near_close_gpu(*near);
    free((*near)->source);
    free((*near)->target);
    free((*near)->offset);
    free((*near)->list);
    free(*near);
    *near = NULL;
}

/* --- particles ---------------------------------------------------------------------------------------------------- */

/* Copies position and velocity of a set (0 where there is none) to columns 0 to 5. */
static int near_columns(const myr_particles *set, double *column)
{
    const int64_t n = myr_particles_count(set);
    for (int k = 0; k < 6; k++) {
        const double *from = myr_particles_component_const(set, k < 3 ? "position" : "velocity", k % 3);
        if (!from && k < 3 && n > 0)
            return 0;
        if (from)
            memcpy(column + k * n, from, (size_t)n * sizeof *column);
        else
            memset(column + k * n, 0, (size_t)n * sizeof *column);
    }
    return 1;
}

static myr_status near_field(const myr_interaction *f, const char *field)
{
    return myr_context_fail(f->context, MYR_ERROR_FIELD, "near lists need the field '%s' of the particles", field);
}

static myr_status near_set_sources(const myr_interaction *f, struct myr_near *n, const myr_particles *sources,
                                   int by_mass)
{
    const int64_t count = myr_particles_count(sources);
    const double *mass = myr_particles_component_const(sources, "mass", 0);
    free(n->source);
    n->sources = 0;
    n->source = myr_memory_zeros(count * MYR_NEAR_SOURCE, sizeof *n->source);
    if (!n->source)
        return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for %lld sources", (long long)count);
    if (!near_columns(sources, n->source))
        return near_field(f, "position");
    if (by_mass && !mass && count > 0)
        return near_field(f, "mass");
    for (int64_t j = 0; j < count; j++)
        n->source[6 * count + j] = by_mass ? mass[j] : 1;
    n->is_by_mass = by_mass;
    n->sources = count;
    return MYR_OK;
}

static myr_status near_set_targets(const myr_interaction *f, struct myr_near *n, const myr_particles *targets,
                                   const myr_near_query *q)
{
    const int64_t count = myr_particles_count(targets);
    free(n->target);
    free(n->offset);
    n->target = myr_memory_zeros(count * MYR_NEAR_TARGET, sizeof *n->target);
    n->offset = myr_memory_zeros(count + 1, sizeof *n->offset);
    n->targets = count;
    n->listed = 0;
    if (!n->target || !n->offset)
        return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for %lld targets", (long long)count);
    if (!near_columns(targets, n->target))
        return near_field(f, "position");
    for (int64_t i = 0; i < count; i++) {
        n->target[6 * count + i] = q->radius2[i];
        n->target[7 * count + i] = q->ahead ? q->ahead[i] : 0;
        if (!isfinite(n->target[6 * count + i] + n->target[7 * count + i]))
            return myr_context_fail(f->context, MYR_ERROR_NONFINITE,
                                    "radius or time of target %lld is not a finite number", (long long)i);
    }
    return MYR_OK;
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

/* Takes the numbers of entries of the next targets, and makes room for these; 0 if there is no memory. */
static int near_take(void *user, int64_t count, const int32_t *entries)
{
    struct myr_near *n = user;
    const int64_t first = n->listed;
    for (int64_t i = 0; i < count; i++)
        n->offset[first + i + 1] = n->offset[first + i] + entries[i];
    n->listed += count;
    const int64_t all = n->offset[n->listed];
    if (all <= n->room)
        return 1;
    const int64_t room = all + all / 4 + 1024;
    int32_t *list = realloc(n->list, (size_t)room * sizeof *list);
    if (!list)
        return 0;
    n->list = list;
    n->room = room;
    return 1;
}

/* Place of the entries of the targets taken last. `first`: the first of these. */
static int32_t *near_place(void *user, int64_t first)
{
    struct myr_near *n = user;
    return n->list + n->offset[first];
}

/* Compares target i with all sources; entries may be null. Returns their number. */
static int32_t near_compare(const struct myr_near *n, int64_t i, int32_t *entries)
{
    const int64_t all = n->sources;
    const double *s = n->source, *t = n->target + i, ahead = t[7 * n->targets], radius2 = t[6 * n->targets];
    int32_t count = 0;
    for (int64_t j = 0; j < all; j++) {
        double now = 0, then = 0;
        for (int c = 0; c < 3; c++) {
            const double r = s[c * all + j] - t[c * n->targets];
            const double d = r + ahead * (s[(3 + c) * all + j] - t[(3 + c) * n->targets]);
            now += r * r;
            then += d * d;
        }
        const double bound = radius2 * s[6 * all + j];
        if (!(now < bound || then < bound))
            continue;
        if (entries)
            entries[count] = (int32_t)j;
        count++;
    }
    return count;
}

static myr_status near_here(const myr_interaction *f, struct myr_near *n)
{
    const int threads = myr_context_threads(f->context);
    int32_t *count = myr_memory_zeros(n->targets, sizeof *count);
    int ok = count != NULL;
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16) if (ok)
    for (int64_t i = 0; i < n->targets; i++)
        if (ok)
            count[i] = near_compare(n, i, NULL);
    ok = ok && near_take(n, n->targets, count);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16) if (ok)
    for (int64_t i = 0; i < n->targets; i++)
        if (ok)
            (void)near_compare(n, i, near_place(n, i));
    free(count);
    return ok ? MYR_OK : myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for near lists");
}

static myr_status near_there(const myr_interaction *f, struct myr_near *n, const myr_gpu *gpu, int are_new)
{
    myr_status status = MYR_OK;
    if (!gpu->plugin->near_open)
        return myr_context_fail(f->context, MYR_ERROR_UNAVAILABLE, "this plug-in does not find near sources");
    if (n->gpu != gpu)
        near_close_gpu(n);
    if (!n->finder) {
        status = gpu->plugin->near_open(gpu->cuda, f->context, &n->finder);
        n->gpu = status ? NULL : gpu;
        are_new = 1;
    }
    if (!status && are_new)
        status = gpu->plugin->near_sources(n->finder, n->sources, n->source);
    const myr_cuda_near_lists lists = {n, near_take, near_place};
    return status ? status : gpu->plugin->near_find(n->finder, n->targets, n->target, &lists);
}

/* --- public function ---------------------------------------------------------------------------------------------- */

myr_status myr_interaction_near(myr_interaction *interaction, const myr_particles *targets,
                                const myr_particles *sources, const myr_near_query *query, myr_near_lists *lists)
{
    myr_interaction *f = interaction;
    if (!f || !targets || !sources || !query || !lists || (!query->radius2 && myr_particles_count(targets) > 0))
        return MYR_ERROR_ARGUMENT;
    const double pairs = (double)myr_particles_count(targets) * (double)myr_particles_count(sources);
    if (myr_particles_count(sources) > INT32_MAX)
        return myr_context_fail(f->context, MYR_ERROR_VALUE, "near lists have at most %d sources", INT32_MAX);
    const myr_isa_table *isa = myr_interaction_isa(f, pairs);
    if (!isa)
        return MYR_ERROR_UNAVAILABLE;
    if (!f->near && !(f->near = calloc(1, sizeof *f->near)))
        return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for near lists");
    struct myr_near *n = f->near;
    const int are_new = !query->same_sources || !n->source || n->sources != myr_particles_count(sources) ||
                        n->is_by_mass != (query->by_mass != 0);
    myr_status status = are_new ? near_set_sources(f, n, sources, query->by_mass != 0) : MYR_OK;
    if (!status)
        status = near_set_targets(f, n, targets, query);
    if (!status)
        status = isa->gpu && pairs > 0 ? near_there(f, n, isa->gpu, are_new) : near_here(f, n);
    if (status)
        return status;
    *lists = (myr_near_lists){n->targets, n->offset, n->list};
    return MYR_OK;
}
