/* weak_elements.c - removal of weak vortex elements: dropped, or merged into stronger neighbours. The strength of a
 * merged element is distributed over neighbours around it so that the sum of the strengths and their first moments,
 * hence the linear impulse, are conserved: two elements cannot become one with both conserved unless their strengths
 * are coplanar with the line between them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/elements.h>
#include <myriad/flow.h>

#include "core/memory.h"
#include "simulation/vortex/collocation.h"
#include "simulation/vortex/diffusion.h"
#include "simulation/merge.h"
#include "simulation/ranks/replicas.h"
#include "simulation/replace.h"

#define PRUNE_REACH 3.0 /* in cores: distance of the neighbours that receive strength */

enum { PRUNE_NEIGHBOURS = 1024 };

typedef struct {
    myr_context *context;
    const double *edge; /* edges of a periodic box */
    myr_particles *p;   /* copy of the elements */
    double *x[3], *a[3], *core;
    int64_t n;
    unsigned char *gone;
    myr_pruning *info;
} prune_state;

static double prune_size(const prune_state *s, int64_t i)
{
    return sqrt(s->a[0][i] * s->a[0][i] + s->a[1][i] * s->a[1][i] + s->a[2][i] * s->a[2][i]);
}

static int prune_is_tracer(const prune_state *s, int64_t i)
{
    return myr_particles_types(s->p)[i] == MYR_TRACER && prune_size(s, i) == 0;
}

/* Marks weak elements; returns their number. */
static int64_t prune_mark(prune_state *s, double threshold)
{
    double most = 0;
    int64_t weak = 0;
    for (int64_t i = 0; i < s->n; i++)
        most = fmax(most, prune_size(s, i));
    for (int64_t i = 0; i < s->n; i++) {
        s->gone[i] = prune_size(s, i) < threshold * most && !prune_is_tracer(s, i);
        weak += s->gone[i];
    }
    return weak;
}

/* Sorts the elements that are not weak, with their indices, for the search for neighbours. */
static myr_status prune_strong(const prune_state *s, int64_t **number, myr_gaussian **g)
{
    double *room = myr_memory_zeros(4 * s->n, sizeof *room), *x[4];
    int64_t m = 0;
    *g = NULL;
    *number = myr_memory_zeros(s->n, sizeof **number);
    myr_status status = room && *number ? MYR_OK : MYR_ERROR_MEMORY;
    for (int c = 0; c < 4; c++)
        x[c] = room + c * s->n;
    for (int64_t i = 0; !status && i < s->n; i++) {
        if (s->gone[i] || prune_is_tracer(s, i))
            continue;
        for (int c = 0; c < 3; c++)
            x[c][m] = s->x[c][i];
        x[3][m] = s->core[i];
        (*number)[m++] = i;
    }
    if (!status && m > 0)
        status = myr_gaussian_create_in(s->context, m, (const double *const *)x, x[3], PRUNE_REACH, s->edge, g);
    free(room);
    return status;
}

/* Distributes the strength of every weak element that has stronger elements on all sides. */
static myr_status prune_merge(prune_state *s)
{
    myr_gaussian *g;
    int64_t *number, *near = malloc(PRUNE_NEIGHBOURS * sizeof *near);
    double *part = malloc(4 * PRUNE_NEIGHBOURS * sizeof *part);
    myr_status status = prune_strong(s, &number, &g);
    if (!status && (!near || !part))
        status = MYR_ERROR_MEMORY;
    for (int64_t i = 0; i < s->n && !status && g; i++) {
        const double at[3] = {s->x[0][i], s->x[1][i], s->x[2][i]};
        const int count = s->gone[i] ? myr_gaussian_share(g, at, PRUNE_NEIGHBOURS, near, part) : 0;
        if (s->gone[i] && count == 0) {
            s->gone[i] = 0;
            s->info->kept++;
        }
        for (int k = 0; k < count; k++)
            for (int c = 0; c < 3; c++)
                s->a[c][number[near[k]]] += part[k] * s->a[c][i];
    }
    myr_gaussian_destroy(&g);
    free(number);
    free(near);
    free(part);
    return status == MYR_ERROR_MEMORY
               ? myr_context_fail(s->context, status, "no memory to merge %lld elements", (long long)s->n)
               : status;
}

/* Computes the differences between the old and the new elements. */
static myr_status prune_compare(const myr_vortices *before, const myr_particles *left, myr_pruning *info)
{
    myr_vortices after;
    const myr_status status = myr_flow_vortices(left, &after);
    for (int c = 0; c < 3 && !status; c++) {
        info->vorticity[c] = after.vorticity[c] - before->vorticity[c];
        info->impulse[c] = after.impulse[c] - before->impulse[c];
        info->angular[c] = after.angular[c] - before->angular[c];
    }
    return status;
}

static myr_status prune_make(prune_state *s, double threshold, int merge, myr_particles **left)
{
    myr_vortices before;
    myr_status status = myr_flow_vortices(s->p, &before);
    if (status || prune_mark(s, threshold) == 0)
        return status;
    double *size = myr_memory_zeros(s->n, sizeof *size);
    if (!size)
        return myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for %lld elements", (long long)s->n);
    for (int64_t i = 0; i < s->n; i++)
        size[i] = prune_size(s, i);
    status = merge ? prune_merge(s) : MYR_OK;
    for (int64_t i = 0; i < s->n && !status; i++)
        if (s->gone[i]) {
            s->info->gone++;
            s->info->strength += size[i];
        }
    free(size);
    if (status || s->info->gone == 0)
        return status;
    status = myr_merge_remaining(s->p, s->gone, s->n - s->info->gone, left);
    return status ? status : prune_compare(&before, *left, s->info);
}

myr_status myr_simulation_prune(myr_simulation *simulation, double threshold, int merge, myr_pruning *info)
{
    myr_simulation *s = simulation;
    const myr_particles *now;
    myr_particles *left = NULL;
    if (!s || !info)
        return MYR_ERROR_ARGUMENT;
    *info = (myr_pruning){0};
    if (myr_simulation_kind(s) != MYR_MOTION_OF_ELEMENTS)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION, "only vortex elements can be pruned");
    if (myr_replicas_check_change(s))
        return MYR_ERROR_COMBINATION;
    if (myr_collocation_on(s))
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "weak elements cannot be merged or dropped where strengths are solved for from the "
                                "vorticity");
    if (!(threshold > 0 && threshold < 1))
        return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                "weak elements cannot be those below %g of the largest strength; expected a number "
                                "between 0 and 1",
                                threshold);
    myr_status status = myr_simulation_particles(s, &now);
    if (status)
        return status;
    prune_state p = {.context = s->context,
                     .edge = s->interaction->method_state.box,
                     .p = s->synchronous,
                     .n = myr_particles_count(now),
                     .info = info};
    p.core = myr_particles_component(p.p, "core", 0);
    int whole = p.core != NULL;
    for (int c = 0; c < 3; c++) {
        p.x[c] = myr_particles_component(p.p, "position", c);
        p.a[c] = myr_particles_component(p.p, "strength", c);
        whole = whole && p.a[c];
    }
    if (!whole)
        return myr_context_fail(s->context, MYR_ERROR_FIELD, "elements to prune need a strength and a core");
    p.gone = myr_memory_zeros(p.n, 1);
    status = p.gone ? prune_make(&p, threshold, merge, &left)
                    : myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for %lld elements", (long long)p.n);
    free(p.gone);
    if (status || !left) {
        myr_particles_destroy(&left);
        return status;
    }
    return myr_replace_particles(s, left);
}
