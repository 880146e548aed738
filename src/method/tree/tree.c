/* tree.c - modified tree code; see tree.h. */
#include "method/tree/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cell_rule.h"
#include "core/memory.h"
#include "core/timer.h"
#include "method/tree/cell_moments.h"
#include "method/tree/results.h"
#include "method/tree/ranges.h"

#ifdef _OPENMP
#include <omp.h>
#endif

enum {
    TREE_STACK = 8 * (MYR_OCTREE_DEPTH + 1) /* capacity of the stack of a tree walk */
};

/* Data of a cell used by the tree walk. */
typedef struct {
    double centre[3];
    double open;          /* squared distance below which the cell is opened, independent of its error */
    double error[2];      /* opened if the squared distance is below error[k] times the group's factor[k] */
    int64_t pseudo;       /* index of the cell's first pseudo-particle among the sources, or -1 */
    int64_t first, count; /* index of the cell's first source, and number of sources */
    int32_t child, children;
} tree_node;

typedef struct {
    const myr_direct *problem;
    const myr_tree_options *options;
    myr_octree *tree;
    myr_cell_moments outer;
    myr_ordered_problem sorted;
    tree_node *node;
    myr_range *group;     /* groups of targets, in tree order */
    int64_t groups, most; /* number of groups; largest number of targets per group */
    int with_potential;   /* 1 = the kernel has a potential output */
    cell_rule rule;
    myr_results parts;
    int64_t done, skipped, pairs, listed;
    double walk_seconds, tile_seconds;
    int stop, no_memory;
    uint32_t flag;
} tree_work;

/* Bounding cuboid of a group's targets. */
typedef struct {
    double middle[3], half[3];
    /* Times a node's `error`: the squared distance beyond which the node's error of the acceleration [0], and of the
     * potential [1] if requested, is small enough. */
    double factor[2];
} tree_box;

/* Rough field at the centre of a group. */
static cell_pull tree_pull(const tree_work *w, const tree_box *box, double half)
{
    int32_t stack[TREE_STACK], n = 0;
    cell_pull sum = {{{0}}, {0}};
    stack[n++] = 0;
    while (n) {
        const int32_t c = stack[--n];
        const myr_cell_moments_cell *o = &w->outer.cell[c];
        double d[3];
        for (int axis = 0; axis < 3; axis++) { /* periodic box: minimum image */
            d[axis] = o->mean[axis] - box->middle[axis];
            if (w->options->box.periodic[axis])
                d[axis] -= w->options->box.period * rint(d[axis] / w->options->box.period);
        }
        if (!cell_pull_add(&sum, w->sorted.strengths, o->net, d, myr_octree_side(w->tree, &w->tree->cell[c]),
                           w->node[c].children > 0, half))
            for (int32_t k = 0; k < w->node[c].children; k++)
                stack[n++] = w->node[c].child + k;
    }
    return sum;
}

/* Distance factors beyond which errors are small enough for a group. */
static void tree_demand(const tree_work *w, tree_box *box, int64_t targets)
{
    const double half = fmax(fmax(box->half[0], box->half[1]), box->half[2]);
    const cell_pull sum = tree_pull(w, box, half);
    cell_rule_demand(&w->rule, &sum, half, targets, w->outer.cell[0].size / (double)w->tree->sources, w->with_potential,
                     box->factor);
}

/* Lists the sources and pseudo-particles that act on a group. */
static int tree_walk(const tree_work *w, const tree_box *box, myr_ranges *list)
{
    int32_t stack[TREE_STACK], n = 0;
    list->n = 0;
    stack[n++] = 0;
    while (n) {
        const tree_node *node = &w->node[stack[--n]];
        const double square = cell_box_distance(box->middle, box->half, node->centre);
        if (node->pseudo >= 0 && square > node->open && square > node->error[0] * box->factor[0] &&
            square > node->error[1] * box->factor[1]) {
            if (!myr_ranges_add(list, node->pseudo, w->outer.points))
                return 0;
            continue;
        }
        if (node->pseudo < 0 || !node->children) {
            if (!myr_ranges_add(list, node->first, node->count))
                return 0;
            continue;
        }
        for (int32_t k = node->children; k-- > 0;)
            stack[n++] = node->child + k;
    }
    return 1;
}

static void tree_make_node(const tree_work *w, int32_t c)
{
    const myr_cell *cell = &w->tree->cell[c];
    const myr_cell_moments_cell *outer = &w->outer.cell[c];
    tree_node *node = &w->node[c];
    double offset = 0;
    for (int axis = 0; axis < 3; axis++) {
        node->centre[axis] = outer->centre[axis];
        const double off = outer->centre[axis] - myr_octree_centre(w->tree, cell, axis);
        offset += off * off;
    }
    if (!(w->rule.theta > 0))
        cell_rule_error(w->rule.order, outer->size, outer->spread, outer->furthest, node->error);
    node->open = cell_rule_open(&w->rule, myr_octree_side(w->tree, cell), offset, outer->furthest, outer->core,
                                w->outer.cell[0].core);
    node->pseudo = w->outer.first[c];
    node->first = cell->source;
    node->count = cell->sources;
    node->child = cell->child;
    node->children = myr_octree_children(cell);
}

/* Partitions the targets into groups: the largest cells with at most the requested number of targets. Leaves with more
 * targets (many particles at one position) are divided. */
static void tree_make_groups(tree_work *w)
{
    int32_t stack[TREE_STACK], n = 0;
    stack[n++] = 0;
    w->groups = 0;
    while (n) {
        const myr_cell *c = &w->tree->cell[stack[--n]];
        if (c->targets > w->most && c->mask) {
            for (int32_t k = myr_octree_children(c); k-- > 0;)
                stack[n++] = c->child + k;
            continue;
        }
        for (int64_t at = 0; at < c->targets; at += w->most) {
            const int64_t left = c->targets - at;
            w->group[w->groups++] = (myr_range){c->target + at, left < w->most ? left : w->most};
        }
    }
}

/* Reports progress from one thread; returns 1 if the callback asks to stop. */
static int tree_progress(const tree_work *w, int64_t done)
{
    const myr_context *c = w->problem->context;
    return c->progress && c->progress(c->progress_user, (double)done / (double)w->groups) != 0;
}

/* Adds a near image of the sources to a group; returns 0 if memory is short. */
static int tree_run_image(tree_work *w, const tree_box *box, int number, myr_tiles *tiles, myr_ranges *list,
                          double seconds[2])
{
    const double start = myr_timer_now();
    myr_image image;
    tree_box seen = *box;
    double shift[3];
    if (!myr_images_get(&w->options->box, number, &image))
        return 1;
    myr_images_shift(&w->options->box, image, shift);
    const int here = !image.by[0] && !image.by[1] && !image.by[2];
    for (int axis = 0; axis < 3; axis++)
        seen.middle[axis] += shift[axis];
    if (!tree_walk(w, &seen, list))
        return 0;
    const double middle = myr_timer_now();
    myr_tiles_add(tiles, here ? NULL : shift, list->range, list->n);
    seconds[0] += middle - start;
    seconds[1] += myr_timer_now() - middle;
    return 1;
}

static void tree_run_group(tree_work *w, int64_t g, myr_tiles *tiles, myr_ranges *list, double seconds[2],
                           myr_direct_result *result)
{
    const double start = myr_timer_now();
    tree_box box = {0};
    list->length = 0;
    myr_ordered_problem_cuboid(&w->sorted, &w->group[g], box.middle, box.half);
    if (!(w->options->theta > 0))
        tree_demand(w, &box, w->group[g].count);
    seconds[0] += myr_timer_now() - start;
    myr_tiles_begin(tiles, w->group[g].first, w->group[g].count);
    for (int image = 0; image < MYR_IMAGES_NEAR; image++)
        if (!tree_run_image(w, &box, image, tiles, list, seconds)) {
#pragma omp atomic write
            w->no_memory = 1;
            return;
        }
    for (int64_t i = 0; i < w->group[g].count; i++) {
        double far[MYR_KERNEL_OUTPUTS_MAX];
        const int64_t number = w->tree->target[w->group[g].first + i];
        for (int k = 0; w->options->box.far && k < w->problem->unit->outputs; k++)
            far[k] = w->options->box.far[k * w->problem->targets + number];
        myr_results_put(&w->parts, g, tiles, i, number, NULL, w->options->box.far ? far : NULL, result);
    }
}

/* Returns 1 if this rank evaluates a group: ranks take turns, because the lists of groups beside each other are alike.
 */
static int tree_has(const tree_work *w, int64_t group)
{
    const myr_direct_share *s = w->problem->share;
    return !s || group % s->ranks == s->rank;
}

/* Writes which rank evaluates which targets. */
static void tree_share(const tree_work *w)
{
    const myr_direct_share *s = w->problem->share;
    int64_t at = 0;
    for (int rank = 0; s && rank <= s->ranks; rank++) {
        s->first[rank] = at;
        for (int64_t g = rank; rank < s->ranks && g < w->groups; g += s->ranks)
            for (int64_t i = 0; i < w->group[g].count; i++)
                s->order[at++] = w->tree->target[w->group[g].first + i];
    }
}

static void tree_thread(tree_work *w, myr_direct_result *result)
{
    myr_tiles tiles;
    myr_ranges list = {0};
    double seconds[2] = {0, 0};
    int64_t listed = 0;
    int reporter = 1;
    const int ready = myr_tiles_make(&w->sorted.problem, w->most, &tiles);
#ifdef _OPENMP
    reporter = omp_get_thread_num() == 0;
#pragma omp for schedule(dynamic, 4)
#endif
    for (int64_t g = 0; g < w->groups; g++) {
        int stop;
#pragma omp atomic read
        stop = w->stop;
        if (stop || !ready || !tree_has(w, g))
            continue;
        tree_run_group(w, g, &tiles, &list, seconds, result);
        listed += list.length;
        int64_t done;
#pragma omp atomic capture
        done = ++w->done;
        if (reporter && tree_progress(w, done)) {
#pragma omp atomic write
            w->stop = 1;
        }
    }
#pragma omp critical(myr_tree)
    {
        w->no_memory |= !ready;
        w->skipped += ready ? tiles.block.skipped : 0;
        w->pairs += ready ? tiles.pairs : 0;
        w->flag |= ready ? tiles.block.flag : 0;
        w->listed += listed;
        w->walk_seconds += seconds[0];
        w->tile_seconds += seconds[1];
    }
    free(list.range);
    if (ready)
        myr_tiles_free(&tiles);
}

/* Builds the tree, the cells' moments and the groups. */
static myr_status tree_prepare(tree_work *w, myr_tree_report *report)
{
    const myr_direct *p = w->problem;
    const int order = w->options->order, softened = w->options->eps > 0 || w->options->moving;
    const myr_cell_moments_form form = myr_cell_moments_choose(order, myr_cell_moments_one_sign(p), softened);
    const myr_octree_options options = {.leaf = w->options->leaf};
    double start = myr_timer_now();
    myr_status status = myr_ordered_problem_tree(p, &w->options->box, &options, &w->tree);
    if (!status)
        status = myr_cell_moments_make(p->context, w->tree, form, order, 0, &w->outer);
    if (!status)
        status = myr_ordered_problem_make(p, w->tree, &w->options->box, w->outer.all, 0, &w->sorted);
    report->build_seconds = myr_timer_now() - start;
    start = myr_timer_now();
    if (!status)
        status = myr_cell_moments_fill(&w->outer, &w->sorted);
    report->moment_seconds = myr_timer_now() - start;
    return status;
}

static myr_status tree_prepare_groups(tree_work *w)
{
    const int64_t cells = w->tree->cells;
    const int64_t rows = cells + w->tree->targets / w->most + 1; /* upper bound of the number of groups */
    w->node = myr_memory_zeros(cells, sizeof *w->node);
    w->group = myr_memory_zeros(rows, sizeof *w->group);
    if (w->node && w->group) {
        const myr_tree_options *o = w->options;
        w->rule = (cell_rule){.order = o->order,
                              .is_sphere = w->outer.form == MYR_CELL_MOMENTS_SPHERE,
                              .theta = o->theta,
                              .error = o->error,
                              .eps = o->eps,
                              .reach = o->reach};
        for (int32_t c = 0; c < w->tree->cells; c++)
            tree_make_node(w, c);
        tree_make_groups(w);
        tree_share(w);
        if (myr_results_make(&w->sorted.problem, w->groups, &w->parts))
            return MYR_OK;
    }
    return myr_context_fail(w->problem->context, MYR_ERROR_MEMORY, "no memory for the groups of %lld targets",
                            (long long)w->tree->targets);
}

static void tree_report(const tree_work *w, myr_tree_report *report)
{
    report->pairs = w->pairs;
    report->cells = w->tree->cells;
    report->leaves = myr_octree_leaves(w->tree);
    report->levels = w->tree->levels;
    report->largest = w->tree->largest;
    report->groups = w->groups;
    report->pseudo = w->outer.all;
    report->bytes = myr_ordered_problem_bytes(&w->sorted) + myr_cell_moments_bytes(&w->outer, w->sorted.strengths) +
                    w->tree->cells * (int64_t)(sizeof *w->node + sizeof *w->group);
    report->list = w->groups ? (double)w->listed / (double)w->groups : 0;
    report->walk_seconds = w->walk_seconds;
    report->tile_seconds = w->tile_seconds;
}

static myr_status tree_evaluate(tree_work *w, myr_direct_result *result, myr_tree_report *report)
{
    myr_status status = tree_prepare(w, report);
    if (!status)
        status = tree_prepare_groups(w);
    if (status)
        return status;
    const int64_t most = myr_context_threads(w->problem->context);
    const int threads = (int)(w->groups < most ? w->groups : most);
    (void)threads;
#pragma omp parallel num_threads(threads) if (threads > 1)
    tree_thread(w, result);
    if (w->no_memory)
        return myr_context_fail(w->problem->context, MYR_ERROR_MEMORY, "no memory for the work space of a thread");
    if (w->stop)
        return myr_context_fail(w->problem->context, MYR_ERROR_CANCELLED, "stopped on request during the evaluation");
    myr_results_finish(&w->parts, w->skipped, w->flag, result);
    tree_report(w, report);
    return MYR_OK;
}

myr_status myr_tree_run(const myr_direct *problem, const myr_tree_options *options, myr_direct_result *result,
                        myr_tree_report *report)
{
    tree_work w = {.problem = problem, .options = options, .most = options->group};
    myr_tree_report mine = {0};
    report = report ? report : &mine;
    memset(report, 0, sizeof *report);
    myr_direct_result_clear(result);
    if (problem->targets == 0)
        return MYR_OK;
    for (const myr_kernel_output *o = problem->unit->desc->output; o->name; o++)
        w.with_potential |= strcmp(o->name, "potential") == 0;
    const myr_status status = tree_evaluate(&w, result, report);
    free(w.node);
    free(w.group);
    myr_results_free(&w.parts);
    if (w.sorted.reals)
        myr_ordered_problem_free(&w.sorted);
    myr_cell_moments_free(&w.outer);
    myr_octree_destroy(&w.tree);
    return status;
}
