/* method_tree.c - tree code as a method of an interaction. */
#include <math.h>
#include <stdlib.h>

#include "interaction/method_far.h"
#include "method/fmm/far_field.h"
#include "method/pseudo/cells_gpu.h"
#include "method/tree/ordered_problem.h"
#include "method/tree/spherical_design.h"
#include "method/tree/tree.h"

static int tree_is_moving(const myr_unit *unit)
{
    return myr_ordered_problem_field(unit, "velocity") >= 0;
}

static myr_status tree_check(const myr_interaction *f, const myr_unit *unit)
{
    const double order = f->method_state.requested[MYR_METHOD_order];
    const myr_status status = myr_method_far_check_points(f, unit);
    if (!status && order > MYR_TREE_MOVING_ORDER && tree_is_moving(unit))
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "order = %g: cells as sources of a jerk are exact to order %d; use order 1 or 2", order,
                                MYR_TREE_MOVING_ORDER);
    return status;
}

/* Factor by which the tree must be better than the tolerance: stretching of vortex elements is one derivative more than
 * the accelerations whose errors the tables hold. Measured on random elements and on smooth flows, where distant
 * elements cause the stretching (vortex_ring, abc_flow); the tree differentiates the pair formula. */
static double tree_margin(const myr_interaction *f, const myr_unit *unit)
{
    const double vortex = myr_method_far_stretches(unit) ? 6 : 1;
    return fmax(myr_method_box_margin(f), myr_far_field_find(unit->desc->name)->core ? vortex : 1);
}

/* Options, with parameters that are 0 chosen for the tolerance. The allowed error follows from tolerance and order. */
static myr_tree_options tree_options(const myr_interaction *f, const myr_direct *problem, const double *set)
{
    const double tolerance = myr_method_get(f, MYR_METHOD_tolerance);
    myr_tree_options o = {.order = (int)set[MYR_METHOD_order],
                          .theta = set[MYR_METHOD_theta],
                          .error = set[MYR_METHOD_part],
                          .leaf = (int64_t)set[MYR_METHOD_leaf],
                          .group = (int64_t)set[MYR_METHOD_group],
                          .moving = tree_is_moving(problem->unit),
                          .eps = myr_method_far_softening(f),
                          .reach = myr_method_far_reach(f, problem, tolerance)};
    myr_tree_choose(tolerance / tree_margin(f, problem->unit), problem, &o);
    return o;
}

static myr_status tree_choose(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem)
{
    (void)isa;
    myr_method_state *m = &f->method_state;
    const myr_tree_options o = tree_options(f, problem, m->requested);
    m->used[MYR_METHOD_tolerance] = myr_method_get(f, MYR_METHOD_tolerance);
    m->used[MYR_METHOD_order] = o.order;
    m->used[MYR_METHOD_theta] = o.theta;
    m->used[MYR_METHOD_part] = o.theta > 0 ? 0 : o.error;
    m->used[MYR_METHOD_leaf] = (double)o.leaf;
    m->used[MYR_METHOD_group] = (double)o.group;
    m->used[MYR_METHOD_images] = m->requested[MYR_METHOD_images];
    return MYR_OK;
}

static double tree_keeps(const myr_interaction *f, const myr_direct *problem)
{
    const myr_tree_options o = tree_options(f, problem, f->method_state.used);
    return myr_tree_keeps(problem, &o) * tree_margin(f, problem->unit);
}

/* Lets cells be opened sooner; where the user has set how they are opened, the order is raised. */
static int tree_tighten(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem, double excess)
{
    myr_method_state *m = &f->method_state;
    myr_tree_options o = tree_options(f, problem, m->used);
    if (m->requested[MYR_METHOD_theta] > 0)
        return !o.moving && myr_method_far_raise(f, isa, problem, excess);
    if (m->requested[MYR_METHOD_part] > 0)
        return 0;
    myr_tree_tighten(excess, m->requested[MYR_METHOD_order] > 0, problem, &o);
    m->used[MYR_METHOD_order] = o.order;
    m->used[MYR_METHOD_part] = o.error;
    return 1;
}

static myr_status tree_run(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                           myr_direct_result *result)
{
    static const char *const part[] = {"build", "moments", "walk", "tiles", NULL};
    myr_tree_options options = tree_options(f, problem, f->method_state.used);
    myr_tree_report from;
    double *far = NULL;
    myr_status status = myr_method_images(f, isa, problem, &options.box, &far);
    if (!status && isa->gpu)
        status = myr_cells_gpu_tree(&f->method_state.cells_gpu, isa, problem, &options, result, &from);
    else if (!status)
        status = myr_tree_run(problem, &options, result, &from);
    free(far);
    if (status || problem->loops == &problem->unit->loops[MYR_ACC_range])
        return status;
    const myr_far_report report = {.order = options.order,
                                   .leaf = options.leaf,
                                   .in_double = 1,
                                   .cells = from.cells,
                                   .leaves = from.leaves,
                                   .levels = from.levels,
                                   .largest = from.largest,
                                   .near_pairs = from.pairs,
                                   .bytes = from.bytes};
    myr_method_far_keep(f, &report, part,
                        (double[]){from.build_seconds, from.moment_seconds, from.walk_seconds, from.tile_seconds});
    return MYR_OK;
}

static myr_status tree_open_motion(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                                   const struct myr_cuda_motion_set *set, struct myr_cuda_motion **motion)
{
    myr_tree_options options = tree_options(f, problem, f->method_state.used);
    myr_method_near_images(f, problem, &options.box);
    return myr_cells_gpu_tree_motion(isa, problem, &options, set, motion);
}

const myr_method_table myr_method_tree = {
    .info = {"tree", "tree code: far cells as a few pseudo-particles, one list per group of targets", 1},
    .takes = MYR_METHOD_FAR_TAKES | 1u << MYR_METHOD_theta | 1u << MYR_METHOD_part | 1u << MYR_METHOD_group,
    .cells = 1,
    .images = 1,
    .shares = 1,
    .on_gpu = 2,
    .orders = MYR_SPHERICAL_DESIGN_ORDER,
    .check = tree_check,
    .check_gpu = myr_method_far_check_cells,
    .choose = tree_choose,
    .run = tree_run,
    .open_motion = tree_open_motion,
    .keeps = tree_keeps,
    .tighten = tree_tighten,
    .report = myr_method_far_report,
};
