/* cutoff_tree.c - pairs within a cutoff; see cutoff_tree.h. */
#include "method/cutoff_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/timer.h"
#include "method/tree/ordered_problem.h"
#include "method/tree/ranges.h"
#include "method/tree/results.h"

enum {
    /* largest number of sources per leaf and of targets per group: two or more vectors */
    CUTOFF_LEAF = 32,
    /* mean number of sources per leaf of a uniform distribution; with a mean of 32 many leaves would be split */
    CUTOFF_MEAN = 24,
    CUTOFF_STACK = 8 * (MYR_OCTREE_DEPTH + 1) /* capacity of the stack of a tree walk */
};

/* Kernels compare rounded distances with rounded radii. Lists therefore reach further by this fraction of the radius,
 * and by this fraction of the largest coordinate, whose rounding error enters the difference of two positions. */
#define CUTOFF_MARGIN 1e-5
#define CUTOFF_ROUNDING 1e-12

/* Bounding cuboid of particles, and their largest reach. */
typedef struct {
    double low[3], high[3], reach;
} cutoff_box;

typedef struct {
    const myr_direct *problem;
    double radius; /* cutoff radius common to all pairs */
    double slack;  /* CUTOFF_ROUNDING times the largest coordinate */
    myr_octree *tree;
    myr_ordered_problem sorted;
    double *target_reach; /* [targets], in tree order: contribution of the target to the cutoff radius */
    double *source_reach; /* [sources], in tree order: contribution of the source to the cutoff radius */
    cutoff_box *cell;     /* [cells]: bounding cuboid of the sources of each cell */
    myr_range *group;     /* groups of targets, in tree order */
    int64_t groups;
    myr_results parts;
    int64_t skipped, pairs;
    int no_memory;
    uint32_t flag;
} cutoff_work;

/* --- reaches ------------------------------------------------------------------------------------------------------ */

/* First lane component of a named field among the fields of targets or sources, or -1. */
static int cutoff_component(const myr_unit *u, const myr_kernel_field *field, const char *name)
{
    int at = u->desc->coords * u->coord_lanes;
    for (int k = 0; k < MYR_KERNEL_FIELDS && field[k].name; at += field[k].components, k++)
        if (strcmp(field[k].name, name) == 0)
            return at;
    return -1;
}

/* Values of the field that sets the cutoff, for targets or sources; null if that side does not contribute. */
static const void *cutoff_values(const myr_unit *u, const myr_kernel_field *field, double factor, const myr_side *side)
{
    return factor > 0 ? side->component[cutoff_component(u, field, u->desc->reach_field)] : NULL;
}

static myr_status cutoff_refuse(const myr_direct *p, const char *side, int64_t number)
{
    return myr_context_fail(p->context, MYR_ERROR_VALUE,
                            "%s of %s %lld is not above 0, so that it has no cutoff, which method neighbour needs; set "
                            "it, or use method direct",
                            p->unit->desc->reach_field, side, (long long)number);
}

myr_status myr_cutoff_tree_check(const myr_direct *problem)
{
    const myr_direct *p = problem;
    const myr_kernel_desc *d = p->unit->desc;
    if (!d->reach_field)
        return MYR_OK;
    const void *target = cutoff_values(p->unit, d->target, d->reach_target, &p->target);
    const void *source = cutoff_values(p->unit, d->source, d->reach_source, &p->source);
    for (int64_t i = 0; target && i < p->targets; i++)
        if (!(myr_ordered_problem_real(p->unit, target, p->at ? p->at[i] : i) > 0))
            return cutoff_refuse(p, "target", p->self ? p->self[i] : i);
    for (int64_t j = 0; source && j < p->source.n; j++)
        if (!(myr_ordered_problem_real(p->unit, source, j) > 0))
            return cutoff_refuse(p, "source", j);
    return MYR_OK;
}

/* Contribution of each particle of one side to the cutoff radius: `factor` times its field. */
static void cutoff_reaches(const myr_unit *u, const myr_kernel_field *field, double factor, const myr_side *side,
                           int64_t n, double *reach)
{
    const void *value = cutoff_values(u, field, factor, side);
    for (int64_t i = 0; value && i < n; i++)
        reach[i] = factor * myr_ordered_problem_real(u, value, i);
}

static myr_status cutoff_measure(cutoff_work *w)
{
    const myr_direct *p = &w->sorted.problem;
    const myr_kernel_desc *d = p->unit->desc;
    w->target_reach = myr_memory_zeros(w->tree->targets, sizeof *w->target_reach);
    w->source_reach = myr_memory_zeros(w->tree->sources, sizeof *w->source_reach);
    if (!w->target_reach || !w->source_reach)
        return myr_context_fail(p->context, MYR_ERROR_MEMORY, "no memory for the cutoffs of %lld particles",
                                (long long)w->tree->targets + (long long)w->tree->sources);
    for (int axis = 0; axis < 3; axis++)
        w->slack = fmax(w->slack, CUTOFF_ROUNDING * (fabs(w->tree->origin[axis]) + w->tree->side));
    if (d->reach_field) {
        cutoff_reaches(p->unit, d->target, d->reach_target, &p->target, w->tree->targets, w->target_reach);
        cutoff_reaches(p->unit, d->source, d->reach_source, &p->source, w->tree->sources, w->source_reach);
    }
    return MYR_OK;
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

static cutoff_box cutoff_nothing(void)
{
    const double inf = (double)INFINITY;
    return (cutoff_box){{inf, inf, inf}, {-inf, -inf, -inf}, 0};
}

static void cutoff_join(cutoff_box *box, const double low[3], const double high[3], double reach)
{
    for (int axis = 0; axis < 3; axis++) {
        box->low[axis] = fmin(box->low[axis], low[axis]);
        box->high[axis] = fmax(box->high[axis], high[axis]);
    }
    box->reach = fmax(box->reach, reach);
}

static cutoff_box cutoff_around(const double *place, const double *reach, int64_t first, int64_t count)
{
    cutoff_box box = cutoff_nothing();
    for (int64_t i = first; i < first + count; i++)
        cutoff_join(&box, place + 3 * i, place + 3 * i, reach[i]);
    return box;
}

/* A cell is stored before its children, so that a loop from the last cell to the first finds all children complete. */
static void cutoff_cells(cutoff_work *w)
{
    for (int32_t c = w->tree->cells - 1; c >= 0; c--) {
        const myr_cell *cell = &w->tree->cell[c];
        cutoff_box *box = &w->cell[c];
        *box = cell->mask ? cutoff_nothing()
                          : cutoff_around(w->sorted.place, w->source_reach, cell->source, cell->sources);
        for (int32_t k = 0; k < myr_octree_children(cell); k++) {
            const cutoff_box *child = &w->cell[cell->child + k];
            cutoff_join(box, child->low, child->high, child->reach);
        }
    }
}

/* Returns 1 if sources in one cuboid may be within the cutoff of targets in the other. */
static int cutoff_is_near(const cutoff_work *w, const cutoff_box *targets, const cutoff_box *sources)
{
    const double reach = (w->radius + targets->reach + sources->reach) * (1 + CUTOFF_MARGIN) + w->slack;
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double gap = fmax(sources->low[axis] - targets->high[axis], targets->low[axis] - sources->high[axis]);
        square += gap > 0 ? gap * gap : 0;
    }
    return square <= reach * reach;
}

/* Lists the sources of all leaves near a group; returns 0 if memory is short. */
static int cutoff_list(const cutoff_work *w, const myr_range *group, myr_ranges *list)
{
    const cutoff_box box = cutoff_around(w->sorted.target_place, w->target_reach, group->first, group->count);
    int32_t stack[CUTOFF_STACK], n = 0;
    list->n = list->length = 0;
    stack[n++] = 0;
    while (n) {
        const int32_t c = stack[--n];
        const myr_cell *cell = &w->tree->cell[c];
        if (!cell->sources || !cutoff_is_near(w, &box, &w->cell[c]))
            continue;
        if (!cell->mask && !myr_ranges_add(list, cell->source, cell->sources))
            return 0;
        for (int32_t k = myr_octree_children(cell); cell->mask && k-- > 0;)
            stack[n++] = cell->child + k;
    }
    return 1;
}

/* Makes a group of the targets of each leaf; a leaf with too many targets (many at one position) is divided into
 * several groups. */
static void cutoff_groups(cutoff_work *w)
{
    for (int32_t c = 0; c < w->tree->cells; c++) {
        const myr_cell *cell = &w->tree->cell[c];
        for (int64_t at = 0; !cell->mask && at < cell->targets; at += CUTOFF_LEAF) {
            const int64_t left = cell->targets - at;
            w->group[w->groups++] = (myr_range){cell->target + at, left < CUTOFF_LEAF ? left : CUTOFF_LEAF};
        }
    }
}

static myr_status cutoff_prepare(cutoff_work *w)
{
    const myr_direct *p = w->problem;
    const myr_octree_options options = {.leaf = CUTOFF_LEAF, .enlarge = myr_octree_enlarge(p->source.n, CUTOFF_MEAN)};
    const myr_images open = {.period = 0};
    myr_status status = myr_cutoff_tree_check(p);
    if (!status)
        status = myr_ordered_problem_tree(p, &open, &options, &w->tree);
    if (!status)
        status = myr_ordered_problem_make(p, w->tree, &open, 0, 0, &w->sorted);
    if (!status)
        status = cutoff_measure(w);
    if (status)
        return status;
    w->cell = myr_memory_zeros(w->tree->cells, sizeof *w->cell);
    w->group = myr_memory_zeros(w->tree->cells + w->tree->targets / CUTOFF_LEAF + 1, sizeof *w->group);
    if (!w->cell || !w->group)
        return myr_context_fail(p->context, MYR_ERROR_MEMORY, "no memory for the groups of %lld targets",
                                (long long)w->tree->targets);
    cutoff_cells(w);
    cutoff_groups(w);
    return MYR_OK;
}

static void cutoff_free(cutoff_work *w)
{
    free(w->group);
    free(w->target_reach);
    free(w->source_reach);
    free(w->cell);
    myr_results_free(&w->parts);
    if (w->sorted.reals)
        myr_ordered_problem_free(&w->sorted);
    myr_octree_destroy(&w->tree);
}

static int cutoff_threads(const cutoff_work *w)
{
    const int64_t most = myr_context_threads(w->problem->context);
    return (int)(w->groups < most ? w->groups : most);
}

static myr_status cutoff_short(const cutoff_work *w)
{
    return w->no_memory
               ? myr_context_fail(w->problem->context, MYR_ERROR_MEMORY, "no memory for the work space of a thread")
               : MYR_OK;
}

/* --- evaluation --------------------------------------------------------------------------------------------------- */

static void cutoff_thread(cutoff_work *w, myr_direct_result *result)
{
    myr_tiles tiles;
    myr_ranges list = {0};
    int ready = myr_tiles_make(&w->sorted.problem, CUTOFF_LEAF, &tiles), made = ready;
#pragma omp for schedule(dynamic, 16)
    for (int64_t g = 0; g < w->groups; g++) {
        ready = ready && cutoff_list(w, &w->group[g], &list);
        if (!ready)
            continue;
        myr_tiles_run(&tiles, w->group[g].first, w->group[g].count, list.range, list.n);
        for (int64_t i = 0; i < w->group[g].count; i++)
            myr_results_put(&w->parts, g, &tiles, i, w->tree->target[w->group[g].first + i], NULL, NULL, result);
    }
#pragma omp critical(myr_cutoff)
    {
        w->no_memory |= !ready;
        w->skipped += made ? tiles.block.skipped : 0;
        w->pairs += made ? tiles.pairs : 0;
        w->flag |= made ? tiles.block.flag : 0;
    }
    free(list.range);
    if (made)
        myr_tiles_free(&tiles);
}

static myr_status cutoff_evaluate(cutoff_work *w, myr_direct_result *result)
{
    const int threads = cutoff_threads(w);
    (void)threads;
    if (!myr_results_make(&w->sorted.problem, w->groups, &w->parts))
        return myr_context_fail(w->problem->context, MYR_ERROR_MEMORY, "no memory for the sums of %lld groups",
                                (long long)w->groups);
#pragma omp parallel num_threads(threads) if (threads > 1)
    cutoff_thread(w, result);
    if (!w->no_memory)
        myr_results_finish(&w->parts, w->skipped, w->flag, result);
    return cutoff_short(w);
}

myr_status myr_cutoff_tree_run(const myr_direct *problem, double radius, myr_direct_result *result,
                               myr_cutoff_report *report)
{
    cutoff_work w = {.problem = problem, .radius = radius};
    const double start = myr_timer_now();
    *report = (myr_cutoff_report){.leaf = CUTOFF_LEAF};
    myr_direct_result_clear(result);
    if (!problem->targets)
        return MYR_OK;
    myr_status status = cutoff_prepare(&w);
    const double built = myr_timer_now();
    if (!status)
        status = cutoff_evaluate(&w, result);
    if (!status) {
        report->pairs = w.pairs;
        report->cells = w.tree->cells;
        report->leaves = myr_octree_leaves(w.tree);
        report->levels = w.tree->levels;
        report->largest = w.tree->largest;
        report->bytes = myr_ordered_problem_bytes(&w.sorted);
        report->build_seconds = built - start;
        report->tile_seconds = myr_timer_now() - built;
    }
    cutoff_free(&w);
    return status;
}

/* --- counting ----------------------------------------------------------------------------------------------------- */

/* Number of sources of a range within the cutoff of target i. x: positions of the sources, [3][sources]. */
static int64_t cutoff_count_range(const cutoff_work *w, const double *x, int64_t i, const myr_range *range)
{
    const int64_t n = w->tree->sources;
    const double *at = w->sorted.target_place + 3 * i, *y = x + n, *z = y + n;
    const double reach_i = w->radius + w->target_reach[i];
    int64_t count = 0;
    for (int64_t j = range->first; j < range->first + range->count; j++) {
        const double dx = x[j] - at[0], dy = y[j] - at[1], dz = z[j] - at[2], reach = reach_i + w->source_reach[j];
        count += dx * dx + dy * dy + dz * dz < reach * reach;
    }
    return count;
}

static void cutoff_count_thread(cutoff_work *w, const double *x, int64_t *within)
{
    myr_ranges list = {0};
    int64_t count = 0;
    int ready = 1;
#pragma omp for schedule(dynamic, 16)
    for (int64_t g = 0; g < w->groups; g++) {
        ready = ready && cutoff_list(w, &w->group[g], &list);
        for (int64_t i = 0; ready && i < w->group[g].count; i++)
            for (int64_t r = 0; r < list.n; r++)
                count += cutoff_count_range(w, x, w->group[g].first + i, &list.range[r]);
    }
#pragma omp critical(myr_cutoff)
    {
        w->no_memory |= !ready;
        *within += count;
    }
    free(list.range);
}

static myr_status cutoff_count(cutoff_work *w, int64_t *within)
{
    const int64_t n = w->tree->sources;
    const int threads = cutoff_threads(w);
    double *x = myr_memory_zeros(3 * n, sizeof *x);
    (void)threads;
    w->no_memory = !x;
    for (int64_t j = 0; x && j < n; j++)
        for (int axis = 0; axis < 3; axis++)
            x[axis * n + j] = w->sorted.place[3 * j + axis];
#pragma omp parallel num_threads(threads) if (threads > 1 && x)
    if (x)
        cutoff_count_thread(w, x, within);
    free(x);
    return cutoff_short(w);
}

myr_status myr_cutoff_tree_count(const myr_direct *problem, double radius, int64_t *within)
{
    cutoff_work w = {.problem = problem, .radius = radius};
    *within = 0;
    if (!problem->targets)
        return MYR_OK;
    myr_status status = cutoff_prepare(&w);
    if (!status)
        status = cutoff_count(&w, within);
    cutoff_free(&w);
    return status;
}
