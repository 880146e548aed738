/* ordered_problem.c - a problem in tree order; see ordered_problem.h. */
#include "method/tree/ordered_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

enum { SORTED_PAD = 32 }; /* readable reals after each array, for the widest vectors */

double myr_ordered_problem_real(const myr_unit *unit, const void *array, int64_t at)
{
    return unit->real_bytes == (int)sizeof(float) ? (double)((const float *)array)[at] : ((const double *)array)[at];
}

static void sorted_put(const myr_unit *unit, void *array, int64_t at, double value)
{
    if (unit->real_bytes == (int)sizeof(float))
        ((float *)array)[at] = (float)value;
    else
        ((double *)array)[at] = value;
}

int myr_ordered_problem_field(const myr_unit *unit, const char *name)
{
    int at = unit->desc->coords * unit->coord_lanes;
    for (const myr_kernel_field *f = unit->desc->source; f < unit->desc->source + MYR_KERNEL_FIELDS && f->name;
         at += f->components, f++)
        if (strcmp(f->name, name) == 0)
            return at;
    return -1;
}

/* Returns 1 if target i is source i for all i. */
static int sorted_same(const myr_direct *problem)
{
    int same = problem->self && problem->targets == problem->source.n;
    for (int64_t i = 0; same && i < problem->targets; i++)
        same = problem->self[i] == i && (!problem->at || problem->at[i] == i);
    return same;
}

myr_status myr_ordered_problem_tree(const myr_direct *problem, const myr_images *box, const myr_octree_options *options,
                                    myr_octree **tree)
{
    myr_octree_options o = *options;
    myr_points targets = myr_points_make(problem->unit, &problem->target, problem->targets, problem->at);
    myr_points sources = myr_points_make(problem->unit, &problem->source, problem->source.n, NULL);
    if (myr_images_any(box)) {
        const myr_status status = myr_images_root(problem->context, box, &sources, &targets, o.origin);
        if (status)
            return status;
        o.root = box->period;
        myr_images_wrap(box, &sources);
        myr_images_wrap(box, &targets);
    }
    return myr_octree_build(problem->context, &sources, sorted_same(problem) ? NULL : &targets, &o, tree);
}

/* Place of each source in tree order. */
static int64_t *sorted_ranks(const myr_octree *tree)
{
    int64_t *rank = malloc(((size_t)tree->sources + 1) * sizeof *rank);
    for (int64_t i = 0; rank && i < tree->sources; i++)
        rank[tree->source[i]] = i;
    return rank;
}

static int sorted_selves(const myr_direct *problem, const myr_octree *tree, int64_t more, myr_ordered_problem *sorted)
{
    if (!problem->self)
        return 1;
    int64_t *rank = sorted_ranks(tree);
    sorted->self = malloc(((size_t)(tree->targets + more) + 1) * sizeof *sorted->self);
    if (rank && sorted->self) {
        for (int64_t i = 0; i < tree->targets; i++) {
            const int64_t self = problem->self[tree->target[i]];
            sorted->self[i] = self < 0 ? -1 : rank[self];
        }
        for (int64_t i = tree->targets; i < tree->targets + more; i++)
            sorted->self[i] = -1;
    }
    const int ready = rank && sorted->self;
    free(rank);
    sorted->problem.self = sorted->self;
    return ready;
}

/* Copies arrays into tree order. */
static void sorted_gather(const myr_unit *u, void *const *from, int components, const int64_t *order, const int64_t *at,
                          int64_t n, void *const *to)
{
    for (int c = 0; c < components; c++)
        for (int64_t i = 0; i < n; i++) {
            const int64_t k = at ? at[order[i]] : order[i];
            if (u->real_bytes == (int)sizeof(float))
                ((float *)to[c])[i] = ((const float *)from[c])[k];
            else
                ((double *)to[c])[i] = ((const double *)from[c])[k];
        }
}

static int sorted_arrays(const myr_direct *p, const myr_octree *tree, int64_t more_sources, int64_t more_targets,
                         myr_ordered_problem *s)
{
    const myr_unit *u = p->unit;
    const int64_t sources = (tree->sources + more_sources + SORTED_PAD + 15) / 16 * 16;
    const int64_t targets = (tree->targets + more_targets + SORTED_PAD + 15) / 16 * 16;
    const size_t bytes = (size_t)u->real_bytes;
    char *reals = myr_memory_zeros(sources * u->source_lanes + targets * u->target_lanes, bytes);
    s->reals = reals;
    if (!reals)
        return 0;
    for (int c = 0; c < u->source_lanes; c++, reals += (size_t)sources * bytes)
        s->problem.source.component[c] = reals;
    for (int c = 0; c < u->target_lanes; c++, reals += (size_t)targets * bytes)
        s->problem.target.component[c] = reals;
    sorted_gather(u, p->source.component, u->source_lanes, tree->source, NULL, tree->sources,
                  s->problem.source.component);
    sorted_gather(u, p->target.component, u->target_lanes, tree->target, p->at, tree->targets,
                  s->problem.target.component);
    s->problem.source.n = tree->sources + more_sources;
    s->problem.target.n = s->problem.targets = tree->targets + more_targets;
    s->problem.at = NULL;
    return 1;
}

static void sorted_put_place(const myr_unit *u, void *const *component, int64_t at, const double *place)
{
    for (int axis = 0; axis < 3; axis++) {
        sorted_put(u, component[axis * u->coord_lanes], at, place[axis]);
        if (u->coord_lanes == 2)
            sorted_put(u, component[axis * 2 + 1], at, place[axis] - (double)(float)place[axis]);
    }
}

/* Positions as doubles. In a periodic box, the wrapped positions are also written back to the arrays. */
static void sorted_places(const myr_unit *u, const myr_images *box, const myr_side *side, int64_t n, double *place)
{
    myr_points points = myr_points_make(u, side, n, NULL);
    myr_images_wrap(box, &points);
    for (int64_t i = 0; i < n; i++) {
        for (int axis = 0; axis < 3; axis++)
            place[3 * i + axis] = myr_points_get(&points, axis, i);
        if (myr_images_any(box))
            sorted_put_place(u, side->component, i, place + 3 * i);
    }
}

/* Fills the double-precision copies of positions and strengths that the tree method computes with. */
static int sorted_doubles(const myr_octree *tree, const myr_images *box, myr_ordered_problem *s)
{
    const myr_unit *u = s->problem.unit;
    s->strength_of = malloc(((size_t)tree->sources * (size_t)s->strengths + 1) * sizeof *s->strength_of);
    s->place = malloc(((size_t)tree->sources * 3 + 1) * sizeof *s->place);
    s->target_place = s->same ? s->place : malloc(((size_t)tree->targets * 3 + 1) * sizeof *s->target_place);
    if (!s->strength_of || !s->place || !s->target_place)
        return 0;
    sorted_places(u, box, &s->problem.source, tree->sources, s->place);
    sorted_places(u, box, &s->problem.target, tree->targets, s->target_place);
    for (int64_t i = 0; i < tree->sources; i++)
        for (int c = 0; c < s->strengths; c++)
            s->strength_of[i * s->strengths + c] =
                myr_ordered_problem_real(u, s->problem.source.component[s->strength + c], i);
    return 1;
}

myr_status myr_ordered_problem_make(const myr_direct *problem, const myr_octree *tree, const myr_images *box,
                                    int64_t more_sources, int64_t more_targets, myr_ordered_problem *sorted)
{
    const myr_kernel_desc *desc = problem->unit->desc;
    memset(sorted, 0, sizeof *sorted);
    sorted->problem = *problem;
    sorted->problem.excluded = sorted->problem.subtracted = (myr_exclusions){0};
    sorted->problem.original = NULL;
    sorted->same = tree->same;
    sorted->strengths = myr_kernel_strengths(desc);
    sorted->strength = desc->coords * problem->unit->coord_lanes + myr_kernel_strength(desc);
    if (sorted_arrays(problem, tree, more_sources, more_targets, sorted) && sorted_doubles(tree, box, sorted) &&
        sorted_selves(problem, tree, more_targets, sorted))
        return MYR_OK;
    myr_ordered_problem_free(sorted);
    return myr_context_fail(problem->context, MYR_ERROR_MEMORY, "no memory for %lld particles in tree order",
                            (long long)tree->sources + (long long)tree->targets);
}

void myr_ordered_problem_cuboid(const myr_ordered_problem *sorted, const myr_range *range, double middle[3],
                                double half[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double low = (double)INFINITY, high = -(double)INFINITY;
        for (int64_t i = range->first; i < range->first + range->count; i++) {
            const double x = sorted->target_place[3 * i + axis];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        middle[axis] = low + (high - low) / 2;
        half[axis] = (high - low) / 2;
    }
}

int64_t myr_ordered_problem_bytes(const myr_ordered_problem *sorted)
{
    const myr_unit *u = sorted->problem.unit;
    const int64_t sources = sorted->problem.source.n, targets = sorted->problem.target.n;
    const int64_t reals = sources * u->source_lanes + targets * u->target_lanes;
    const int64_t doubles = sources * (3 + sorted->strengths) + (sorted->same ? 0 : 3 * targets);
    const int64_t numbers = (sorted->self ? targets : 0) + sources + (sorted->same ? 0 : targets);
    return reals * u->real_bytes + doubles * (int64_t)sizeof(double) + numbers * (int64_t)sizeof(int64_t);
}

void myr_ordered_problem_free(myr_ordered_problem *sorted)
{
    if (!sorted->same)
        free(sorted->target_place);
    free(sorted->place);
    free(sorted->strength_of);
    free(sorted->reals);
    free(sorted->self);
    memset(sorted, 0, sizeof *sorted);
}

void myr_ordered_problem_put_field(myr_ordered_problem *sorted, int64_t number, int component, double value)
{
    const int64_t at = number;
    sorted_put(sorted->problem.unit, sorted->problem.source.component[component], at, value);
}

void myr_ordered_problem_put_source(myr_ordered_problem *sorted, int64_t number, const double place[3],
                                    const double *strength)
{
    sorted_put_place(sorted->problem.unit, sorted->problem.source.component, number, place);
    for (int c = 0; c < sorted->strengths; c++)
        myr_ordered_problem_put_field(sorted, number, sorted->strength + c, strength[c]);
}

void myr_ordered_problem_put_target(myr_ordered_problem *sorted, int64_t number, const double place[3])
{
    sorted_put_place(sorted->problem.unit, sorted->problem.target.component, number, place);
}
