/* cutoff_tree.c - pairs within a cutoff radius; see cutoff_tree.h. */
#include "method/cutoff_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "method/tree/results.h"
#include "method/tree/ranges.h"
#include "method/tree/ordered_problem.h"

enum {
    NEAR_LEAF = 32,                         /* sources of a leaf, targets of a group: two or more vectors */
    NEAR_STACK = 8 * (MYR_OCTREE_DEPTH + 1) /* cells that wait while a walk goes down */
};

typedef struct {
    const myr_direct *problem;
    double radius; /* a little more than the kernel's, which rounds */
    myr_octree *tree;
    myr_sorted sorted;
    myr_range *group; /* of targets, in tree order */
    int64_t groups;
    myr_parts parts;
    int64_t skipped, pairs;
    int no_memory;
    uint32_t flag;
} near_work;

/* The cuboid of a group's targets. */
typedef struct {
    double middle[3], half[3];
} near_box;

/* Whether a cell comes within the radius of the box. */
static int near_cell(const near_work *w, const near_box *box, const myr_cell *cell)
{
    const double half = myr_octree_side(w->tree, cell) / 2;
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double centre = myr_octree_centre(w->tree, cell, axis);
        const double off = fabs(centre - box->middle[axis]) - box->half[axis] - half;
        square += off > 0 ? off * off : 0;
    }
    return square <= w->radius * w->radius;
}

/* Lists the sources of all leaves near a group; 0 where memory is short. */
static int near_walk(const near_work *w, const near_box *box, myr_ranges *list)
{
    int32_t stack[NEAR_STACK], n = 0;
    list->n = list->length = 0;
    stack[n++] = 0;
    while (n) {
        const myr_cell *cell = &w->tree->cell[stack[--n]];
        if (!cell->sources || !near_cell(w, box, cell))
            continue;
        if (!cell->mask && !myr_ranges_add(list, cell->source, cell->sources))
            return 0;
        for (int32_t k = myr_octree_children(cell); cell->mask && k-- > 0;)
            stack[n++] = cell->child + k;
    }
    return 1;
}

static void near_thread(near_work *w, myr_direct_result *result)
{
    myr_listed tiles;
    myr_ranges list = {0};
    int ready = myr_listed_make(&w->sorted.problem, NEAR_LEAF, &tiles), made = ready;
#pragma omp for schedule(dynamic, 16)
    for (int64_t g = 0; g < w->groups; g++) {
        if (!ready)
            continue;
        near_box box;
        myr_sorted_cuboid(&w->sorted, &w->group[g], box.middle, box.half);
        ready = near_walk(w, &box, &list);
        if (!ready)
            continue;
        myr_listed_run(&tiles, w->group[g].first, w->group[g].count, list.range, list.n);
        for (int64_t i = 0; i < w->group[g].count; i++)
            myr_parts_put(&w->parts, g, &tiles, i, w->tree->target[w->group[g].first + i], NULL, result);
    }
#pragma omp critical(myr_near)
    {
        w->no_memory |= !ready;
        w->skipped += made ? tiles.block.skipped : 0;
        w->pairs += made ? tiles.pairs : 0;
        w->flag |= made ? tiles.block.flag : 0;
    }
    free(list.range);
    if (made)
        myr_listed_free(&tiles);
}

/* Targets of each leaf; of a leaf with more (many at one place), several groups. */
static void near_groups(near_work *w)
{
    for (int32_t c = 0; c < w->tree->cells; c++) {
        const myr_cell *cell = &w->tree->cell[c];
        for (int64_t at = 0; !cell->mask && at < cell->targets; at += NEAR_LEAF) {
            const int64_t left = cell->targets - at;
            w->group[w->groups++] = (myr_range){cell->target + at, left < NEAR_LEAF ? left : NEAR_LEAF};
        }
    }
}

static myr_status near_prepare(near_work *w)
{
    const myr_direct *p = w->problem;
    const myr_octree_options options = {.leaf = NEAR_LEAF};
    const myr_images open = {.period = 0};
    myr_status status = myr_sorted_tree(p, &open, &options, &w->tree);
    if (!status)
        status = myr_sorted_make(p, w->tree, &open, 0, 0, &w->sorted);
    if (status)
        return status;
    w->group = myr_memory_zeros(w->tree->cells + w->tree->targets / NEAR_LEAF + 1, sizeof *w->group);
    if (w->group)
        near_groups(w);
    return w->group && myr_parts_make(&w->sorted.problem, w->groups, &w->parts)
               ? MYR_OK
               : myr_context_fail(p->context, MYR_ERROR_MEMORY, "no memory for the groups of %lld targets",
                                  (long long)w->tree->targets);
}

static myr_status near_evaluate(near_work *w, myr_direct_result *result)
{
    myr_status status = near_prepare(w);
    if (status)
        return status;
    const int64_t most = myr_context_threads(w->problem->context);
    const int threads = (int)(w->groups < most ? w->groups : most);
    (void)threads;
#pragma omp parallel num_threads(threads) if (threads > 1)
    near_thread(w, result);
    if (w->no_memory)
        return myr_context_fail(w->problem->context, MYR_ERROR_MEMORY, "no memory for the work space of a thread");
    myr_parts_finish(&w->parts, w->skipped, w->flag, result);
    return MYR_OK;
}

myr_status myr_near_run(const myr_direct *problem, double radius, myr_direct_result *result, int64_t *pairs)
{
    near_work w = {.problem = problem, .radius = radius * (1 + 1e-5)};
    myr_direct_result_clear(result);
    const myr_status status = problem->targets ? near_evaluate(&w, result) : MYR_OK;
    if (pairs)
        *pairs = w.pairs;
    free(w.group);
    myr_parts_free(&w.parts);
    if (w.sorted.reals)
        myr_sorted_free(&w.sorted);
    myr_octree_destroy(&w.tree);
    return status;
}
