/* pseudo.c - pseudo-particle method; see pseudo.h.
 *
 * Upward pass: charges of the outer spheres, from the leaves to the root (cell_moments.h). Interaction pass: the points
 * of each inner sphere against the outer spheres of cells that are far from the inner sphere's cell but not far from
 * its parent (list V), and against the particles of such larger leaves (list X). Downward pass: values from each inner
 * sphere to those of the cell's children. Leaf pass: for each leaf one list of near particles (U), spheres of smaller
 * cells that are not near (W), and the lists V and X of ancestors that have no inner sphere; then the values on the
 * nearest inner sphere above. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "core/memory.h"
#include "core/timer.h"
#include "method/pseudo/pseudo_inside.h"

#ifdef _OPENMP
#include <omp.h>
#endif

enum {
    LEAF_MOST = 3,    /* largest leaf in units of the wanted mean, as in fmm.c */
    LOWEST_GRID = -80 /* exponent down to which the constants of a float grid are normal */
};

/* Inner spheres have the radius of outer spheres: the operators from source to target and back are then transposes of
 * each other, and momentum is conserved to rounding. */
static double pseudo_radius(const myr_pseudo_work *w, const myr_cell *c)
{
    return MYR_CELL_MOMENTS_LATTICE * myr_octree_side(w->tree, c);
}

static double *pseudo_value(const myr_pseudo_work *w, int32_t inner)
{
    return w->value + (int64_t)inner * w->fields * w->outer.sphere.padded;
}

/* Position relative to a cell's inner sphere, in units of its radius. */
static void pseudo_place(const myr_pseudo_work *w, int32_t cell, const double *place, double u[3])
{
    const myr_cell *c = &w->tree->cell[cell];
    const double radius = pseudo_radius(w, c);
    for (int axis = 0; axis < 3; axis++)
        u[axis] = (place[axis] - myr_octree_centre(w->tree, c, axis)) / radius;
}

/* Position of point k of a cell's inner sphere. */
static void pseudo_point(const myr_pseudo_work *w, int32_t cell, int k, double place[3])
{
    const myr_cell *c = &w->tree->cell[cell];
    const double radius = pseudo_radius(w, c);
    for (int axis = 0; axis < 3; axis++)
        place[axis] = myr_octree_centre(w->tree, c, axis) + radius * w->outer.sphere.x[axis][k];
}

/* Adds the field on a cell's inner sphere, evaluated at a target, to the target's outputs. */
static void pseudo_read(const myr_pseudo_work *w, int32_t cell, int64_t target, double *out)
{
    const myr_direct *p = &w->sorted.problem;
    const double *value = pseudo_value(w, w->inner[cell]), radius = pseudo_radius(w, &w->tree->cell[cell]);
    double u[3], held[MYR_KERNEL_OUTPUTS_MAX], slope[MYR_KERNEL_OUTPUTS_MAX][3];
    double field[MYR_KERNEL_COMPONENTS], sum[MYR_FAR_FIELD_SUMS];
    pseudo_place(w, cell, w->sorted.target_place + 3 * target, u);
    if (!w->far) {
        myr_sphere_values_read(&w->outer.sphere, u, w->fields, value, held);
        for (int k = 0; k < w->fields; k++)
            out[k] += held[k];
        return;
    }
    myr_sphere_values_slope(&w->outer.sphere, u, w->fields, value, held, slope);
    for (int k = 0; k < w->far->sums; k++) {
        const int curl = w->far->sum[k].series - MYR_FAR_FIELD_CURL, of = w->far->sum[k].series - MYR_FAR_FIELD_SLOPE;
        sum[k] = of < 0 ? held[curl] : slope[of / 3][of % 3] / radius;
    }
    const int coords = p->unit->desc->coords * p->unit->coord_lanes;
    for (int c = coords; c < p->unit->target_lanes; c++)
        field[c - coords] = myr_ordered_problem_real(p->unit, p->target.component[c], target);
    w->far->add(field, sum, out);
}

static void pseudo_lists_clear(myr_ranges *list)
{
    for (int k = 0; k < MYR_IMAGES_NEAR; k++)
        list[k].n = list[k].length = 0;
}

/* Sums a block of targets over the lists of all images. */
static void pseudo_run(const myr_pseudo_work *w, int64_t first, int64_t count, const myr_ranges *list, myr_tiles *tiles)
{
    const int here = myr_images_number((myr_image){{0, 0, 0}});
    myr_tiles_run(tiles, first, count, list[here].range, list[here].n);
    for (int k = 0; k < MYR_IMAGES_NEAR; k++) {
        myr_image image;
        double shift[3];
        if (k == here || !list[k].n || !myr_images_get(&w->options->box, k, &image))
            continue;
        myr_images_shift(&w->options->box, image, shift);
        myr_tiles_add(tiles, shift, list[k].range, list[k].n);
    }
}

/* Interaction pass of one inner sphere. */
static int pseudo_across(const myr_pseudo_work *w, int32_t inner, myr_tiles *tiles, myr_ranges *list)
{
    const myr_direct *p = &w->across;
    const int points = w->outer.points, padded = w->outer.sphere.padded;
    double *value = pseudo_value(w, inner);
    pseudo_lists_clear(list);
    if (!myr_pseudo_list_far(w, w->inner_of[inner], list))
        return 0;
    pseudo_run(w, w->tree->targets + (int64_t)inner * points, points, list, tiles);
    for (int i = 0; i < points; i++)
        for (int k = 0; k < w->fields; k++) {
            myr_word sum[MYR_ACC_WORDS];
            myr_tiles_sum(tiles, i, k, sum);
            value[k * padded + i] = p->loops->value(sum, &p->scale[k]);
        }
    return 1;
}

/* Downward pass: adds the field of the parent's inner sphere to a cell's inner sphere. */
static void pseudo_down(const myr_pseudo_work *w, int32_t inner)
{
    const int32_t cell = w->inner_of[inner], parent = w->tree->cell[cell].parent;
    const int padded = w->outer.sphere.padded;
    for (int i = 0; parent >= 0 && w->inner[parent] >= 0 && i < w->outer.points; i++) {
        double place[3], u[3], field[MYR_KERNEL_OUTPUTS_MAX];
        pseudo_point(w, cell, i, place);
        pseudo_place(w, parent, place, u);
        myr_sphere_values_read(&w->outer.sphere, u, w->fields, pseudo_value(w, w->inner[parent]), field);
        for (int k = 0; k < w->fields; k++)
            pseudo_value(w, inner)[k * padded + i] += field[k];
    }
}

/* Stores the sums of a block of a leaf's targets, with the field of the nearest inner sphere above added. */
static void pseudo_store(myr_pseudo_work *w, int32_t n, int64_t first, int64_t count, const myr_tiles *tiles,
                         myr_direct_result *result)
{
    int32_t above = w->leaf[n];
    while (above >= 0 && w->inner[above] < 0)
        above = w->tree->cell[above].parent;
    for (int64_t i = 0; i < count; i++) {
        double far[MYR_KERNEL_OUTPUTS_MAX] = {0}, images[MYR_KERNEL_OUTPUTS_MAX];
        const int64_t number = w->tree->target[first + i];
        for (int k = 0; w->options->box.far && k < w->problem->unit->outputs; k++)
            images[k] = w->options->box.far[k * w->problem->targets + number];
        if (above >= 0)
            pseudo_read(w, above, first + i, far);
        myr_results_put(&w->parts, n, tiles, i, number, far, w->options->box.far ? images : NULL, result);
    }
}

static int pseudo_leaf(myr_pseudo_work *w, int32_t n, myr_tiles *tiles, myr_ranges *list, myr_direct_result *result)
{
    const myr_cell *t = &w->tree->cell[w->leaf[n]];
    pseudo_lists_clear(list);
    if (!myr_pseudo_list_near(w, w->leaf[n], list))
        return 0;
    for (int64_t at = 0; at < t->targets; at += w->most) {
        const int64_t count = t->targets - at < w->most ? t->targets - at : w->most;
        pseudo_run(w, t->target + at, count, list, tiles);
        pseudo_store(w, n, t->target + at, count, tiles, result);
    }
    return 1;
}

/* Returns 1 if this rank needs a cell: its leaves, and the spheres around them; of measured sums all spheres. */
static int pseudo_has(const myr_pseudo_work *w, int32_t cell, int is_leaf)
{
    return (w->measured && !is_leaf) || myr_target_share_has(w->problem->share, w->tree, &w->tree->cell[cell]);
}

/* Processes one thread's share of all inner spheres (result = null) or of all leaves. */
static void pseudo_thread(myr_pseudo_work *w, myr_direct_result *result)
{
    const int32_t n = result ? w->leaves : w->inners;
    myr_tiles tiles;
    myr_ranges list[MYR_IMAGES_NEAR] = {{0}};
    int ready = myr_tiles_make(result ? &w->sorted.problem : &w->across, w->most, &tiles);
    const int made = ready;
#pragma omp for schedule(dynamic, 4)
    for (int32_t k = 0; k < n; k++)
        if (ready && pseudo_has(w, result ? w->leaf[k] : w->inner_of[k], result != NULL))
            ready = result ? pseudo_leaf(w, k, &tiles, list, result) : pseudo_across(w, k, &tiles, list);
#pragma omp critical(myr_pseudo)
    {
        w->no_memory |= !ready;
        w->skipped += made ? tiles.block.skipped : 0;
        w->pairs += made ? tiles.pairs : 0;
        w->flag |= made ? tiles.block.flag : 0;
    }
    for (int k = 0; k < MYR_IMAGES_NEAR; k++)
        free(list[k].range);
    if (made)
        myr_tiles_free(&tiles);
}

static void pseudo_sweep(myr_pseudo_work *w, myr_direct_result *result)
{
    const int threads = myr_context_threads(w->problem->context);
    (void)threads;
#pragma omp parallel num_threads(threads) if (threads > 1)
    pseudo_thread(w, result);
}

static void pseudo_all_down(const myr_pseudo_work *w)
{
    const int threads = myr_context_threads(w->problem->context);
    (void)threads;
    for (int32_t begin = 0, end; begin < w->inners;
         begin = end) { /* one level at a time; inner spheres are in the order of cells */
        const int16_t level = w->tree->cell[w->inner_of[begin]].level;
        for (end = begin; end < w->inners && w->tree->cell[w->inner_of[end]].level == level;)
            end++;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4) if (end - begin > 8)
        for (int32_t k = begin; k < end; k++)
            if (pseudo_has(w, w->inner_of[k], 0))
                pseudo_down(w, k);
    }
}

static myr_status pseudo_build(myr_pseudo_work *w)
{
    const myr_direct *p = w->problem;
    const int64_t mean = (w->options->leaf + LEAF_MOST - 1) / LEAF_MOST;
    const myr_octree_options options = {
        .leaf = w->options->leaf, .least = w->options->reach, .enlarge = myr_octree_enlarge(p->source.n, mean)};
    return myr_ordered_problem_tree(p, &w->options->box, &options, &w->tree);
}

/* Selects the cells that have inner spheres, and the leaves. */
static int pseudo_choose_cells(myr_pseudo_work *w)
{
    const int64_t cells = w->tree->cells;
    w->inner = malloc((size_t)cells * sizeof *w->inner);
    w->inner_of = malloc((size_t)cells * sizeof *w->inner_of);
    w->leaf = malloc((size_t)cells * sizeof *w->leaf);
    if (!w->inner || !w->inner_of || !w->leaf)
        return 0;
    /* coarsest level with cells that are far from each other */
    const int first = myr_images_any(&w->options->box) ? 1 : 2;
    for (int32_t c = 0; c < w->tree->cells; c++) {
        const myr_cell *cell = &w->tree->cell[c];
        w->inner[c] = cell->targets > w->outer.points && cell->level >= first ? w->inners : -1;
        if (w->inner[c] >= 0)
            w->inner_of[w->inners++] = c;
        if (!cell->mask && cell->targets > 0)
            w->leaf[w->leaves++] = c;
    }
    return 1;
}

static myr_status pseudo_prepare(myr_pseudo_work *w, myr_pseudo_report *report)
{
    const myr_direct *p = w->problem;
    const double start = myr_timer_now();
    w->fields = (w->options->field ? w->options->field : p->unit)->outputs;
    w->far = w->options->field ? myr_far_field_find(p->unit->desc->name) : NULL;
    w->measured = w->far && p->unit->arithmetic == MYR_ARITHMETIC_PORTABLE;
    myr_status status = pseudo_build(w);
    if (!status)
        status = myr_octree_near_make(p->context, w->tree, 1, w->options->box.periodic, &w->near);
    if (!status)
        status = myr_cell_moments_make(p->context, w->tree, MYR_CELL_MOMENTS_SPHERE, w->options->order, 1, &w->outer);
    if (status)
        return status;
    if (pseudo_choose_cells(w)) {
        const int64_t values = (int64_t)w->inners * w->fields * w->outer.sphere.padded;
        w->value = myr_memory_zeros(values, sizeof *w->value);
    }
    if (!w->value || !myr_target_share_cut(p->share, w->tree, &w->near) || !myr_results_make(p, w->leaves, &w->parts))
        return myr_context_fail(p->context, MYR_ERROR_MEMORY, "no memory for the spheres of %d cells",
                                (int)w->tree->cells);
    status = myr_ordered_problem_make(p, w->tree, &w->options->box, w->outer.all, (int64_t)w->inners * w->outer.points,
                                      &w->sorted);
    w->across = w->sorted.problem;
    if (w->options->field) { /* sums of another kernel, for which no fixed-point grid was chosen */
        w->across.unit = w->options->field;
        w->across.loops = &w->options->field->loops[w->measured ? MYR_ACC_range : MYR_ACC_double];
        memset(w->across.scale, 0, sizeof w->across.scale);
    }
    report->build_seconds = myr_timer_now() - start;
    return status;
}

/* Sums at the points of all inner spheres. In portable arithmetic fields of another kernel are summed twice: the
 * largest contribution sets the grid of `fixed`, which all of them fit. */
static void pseudo_all_across(myr_pseudo_work *w)
{
    const myr_unit *u = w->across.unit;
    pseudo_sweep(w, NULL);
    if (!w->measured || w->no_memory)
        return;
    double most = 0;
    for (int64_t k = 0; k < (int64_t)w->inners * w->fields * w->outer.sphere.padded; k++)
        most = fmax(most, w->value[k]);
    w->across.loops = &u->loops[MYR_ACC_fixed];
    for (int k = 0; k < u->outputs; k++)
        w->across.scale[k] = myr_acc_grid(most > 0 ? (int)fmax(ilogb(most) + 2, LOWEST_GRID) : 0, u->mantissa);
    w->pairs = w->skipped = 0;
    pseudo_sweep(w, NULL);
}

static void pseudo_put_points(myr_pseudo_work *w)
{
    for (int32_t n = 0; n < w->inners; n++)
        for (int k = 0; k < w->outer.points; k++) {
            double place[3];
            pseudo_point(w, w->inner_of[n], k, place);
            myr_ordered_problem_put_target(&w->sorted, w->tree->targets + (int64_t)n * w->outer.points + k, place);
        }
}

static myr_status pseudo_evaluate(myr_pseudo_work *w, myr_direct_result *result, myr_pseudo_report *report)
{
    double time[5];
    myr_status status = pseudo_prepare(w, report);
    time[0] = myr_timer_now();
    if (!status)
        status = myr_cell_moments_fill(&w->outer, &w->sorted);
    if (status)
        return status;
    pseudo_put_points(w);
    time[1] = myr_timer_now();
    pseudo_all_across(w);
    report->far_pairs = w->pairs;
    time[2] = myr_timer_now();
    if (!w->no_memory)
        pseudo_all_down(w);
    time[3] = myr_timer_now();
    if (!w->no_memory)
        pseudo_sweep(w, result);
    time[4] = myr_timer_now();
    if (w->no_memory)
        return myr_context_fail(w->problem->context, MYR_ERROR_MEMORY, "no memory for the work space of a thread");
    report->near_pairs = w->pairs - report->far_pairs;
    report->translations = report->far_pairs / ((int64_t)w->outer.points * w->outer.points);
    report->cells = w->tree->cells;
    report->leaves = myr_octree_leaves(w->tree);
    report->levels = w->tree->levels;
    report->largest = w->tree->largest;
    report->bytes = myr_ordered_problem_bytes(&w->sorted) + myr_cell_moments_bytes(&w->outer, w->sorted.strengths) +
                    (int64_t)w->inners * w->fields * w->outer.sphere.padded * (int64_t)sizeof(double) +
                    w->tree->cells * w->near.count * (int64_t)sizeof *w->near.colleague;
    report->outer = w->outer.all / w->outer.points;
    report->inner = w->inners;
    report->up_seconds = time[1] - time[0];
    report->far_seconds = time[2] - time[1];
    report->down_seconds = time[3] - time[2];
    report->near_seconds = time[4] - time[3];
    return MYR_OK;
}

static void pseudo_free(myr_pseudo_work *w)
{
    free(w->inner);
    free(w->inner_of);
    free(w->leaf);
    free(w->value);
    myr_results_free(&w->parts);
    if (w->sorted.reals)
        myr_ordered_problem_free(&w->sorted);
    myr_cell_moments_free(&w->outer);
    myr_octree_near_free(&w->near);
    myr_octree_destroy(&w->tree);
}

myr_status myr_pseudo_run(const myr_direct *problem, const myr_pseudo_options *options, myr_direct_result *result,
                          myr_pseudo_report *report)
{
    enum { BLOCK = 256 };
    myr_pseudo_work w = {.problem = problem, .options = options, .most = BLOCK};
    myr_pseudo_report mine = {0};
    report = report ? report : &mine;
    memset(report, 0, sizeof *report);
    myr_direct_result_clear(result);
    if (problem->targets == 0)
        return MYR_OK;
    const myr_status status = pseudo_evaluate(&w, result, report);
    if (!status)
        myr_results_finish(&w.parts, w.skipped, w.flag, result);
    pseudo_free(&w);
    return status;
}
