/* method_lists.c - the tree code and the pseudo-particle method as methods of an interaction: what they need for a
 * tolerance, what they refuse, and what they report. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interaction/interaction.h"
#include "method/fmm/far_field.h"
#include "method/tree/cell_moments.h"
#include "method/pseudo/pseudo.h"
#include "method/tree/tree.h"

/* Softening length of the kernel, by the name of its parameter; 0 where it has none. */
static double parameter_of(const myr_interaction *f, const char *name)
{
    const double value = myr_interaction_get(f, name);
    return isnan(value) ? 0 : value;
}

/* Nearer than this a source does not act like 1/r at all: spline softening, cores of vortices. Plummer softening never
 * ends, and is looked after by the methods. */
static double lists_reach(const myr_interaction *f, const myr_direct *problem, double tolerance)
{
    const int plummer = !isnan(myr_interaction_get(f, "eps"));
    return plummer ? 0 : myr_far_find(problem->unit->desc->name)->reach(problem, tolerance);
}

/* Vortex kernels that stretch the target's strength: what spheres hold is the velocity, a field of the place alone. */
static int stretches(const myr_unit *unit)
{
    return unit->desc->target[0].name && strcmp(unit->desc->target[0].name, "strength") == 0;
}

/* What is chosen by tables of errors of accelerations must be better by this much for velocities of vortex elements,
 * whose three components have errors of their own, and for stretching, a derivative more. Measured on elements at
 * random (velocity by spheres: 4.3 to 6.2 times the table, which has 1.5 to spare) and on smooth flows, whose
 * stretching is that of far elements (vortex_ring, abc_flow); the tree differentiates the pair formula. */
static double lists_margin(const myr_interaction *f, const myr_unit *unit)
{
    const int spheres = f->method == MYR_METHOD_IS_PSEUDO;
    const double vortex = stretches(unit) ? (spheres ? 10 : 3) : spheres ? 4.5 : 1;
    return fmax(myr_method_box_margin(f), myr_far_find(unit->desc->name)->core ? vortex : 1);
}

static myr_status check_pseudo(const myr_interaction *f, const myr_unit *unit)
{
    const double least = myr_pseudo_floor();
    if (unit->desc->target[0].name && !stretches(unit))
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "kernel %s depends on the target's %s, and method pseudo knows fields of the place "
                                "alone; use method tree, fmm or direct",
                                unit->desc->name, unit->desc->target[0].name);
    if (f->method_state.asked[MYR_METHOD_tolerance] > 0 && f->method_state.asked[MYR_METHOD_tolerance] < least)
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "tolerance = %g is below what method pseudo can reach, %g; use method fmm or direct",
                                f->method_state.asked[MYR_METHOD_tolerance], least);
    return MYR_OK;
}

myr_status myr_method_check_lists(const myr_interaction *f, const myr_unit *unit)
{
    const double order = f->method_state.asked[MYR_METHOD_order];
    const char *method = myr_catalogue_method_name(f->method);
    if (unit->desc->coords != 3 || unit->pair || myr_kernel_strength(unit->desc) < 0)
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "method %s needs sources with a strength at a place; kernel %s has none", method,
                                unit->desc->name);
    if (order > MYR_DESIGN_ORDER)
        return myr_context_fail(f->context, MYR_ERROR_VALUE,
                                "order = %g: method %s goes up to %d; method fmm goes further", order, method,
                                MYR_DESIGN_ORDER);
    if (order > 2 && f->method == MYR_METHOD_IS_TREE && myr_sorted_field(unit, "velocity") >= 0)
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "order = %g: cells as sources of a jerk are exact to order 2; use order 1 or 2", order);
    return f->method == MYR_METHOD_IS_PSEUDO ? check_pseudo(f, unit) : MYR_OK;
}

/* Keeps a report; the error stays what was measured last. */
static void keep_report(myr_interaction *f, const myr_far_report *report, const char *const *part,
                        const double *seconds)
{
    myr_far_report *to = &f->method_state.report;
    const myr_far_report measured = *to;
    *to = *report;
    to->tolerance = measured.tolerance;
    to->samples = measured.samples;
    memcpy(to->output, measured.output, sizeof to->output);
    memcpy(to->error, measured.error, sizeof to->error);
    for (int k = 0; part[k]; k++) {
        to->part[k] = part[k];
        to->seconds[k] = seconds[k];
    }
}

/* What the tolerance asks for, where it was not set. The error that is allowed follows from tolerance and order. */
static void choose_tree(myr_interaction *f, const myr_direct *problem, myr_tree_options *o)
{
    myr_method_state *m = &f->method_state;
    const double *set = m->known ? m->used : m->asked, tolerance = myr_method_get(f, MYR_METHOD_tolerance);
    *o = (myr_tree_options){.order = (int)set[MYR_METHOD_order],
                            .theta = set[MYR_METHOD_theta],
                            .leaf = (int64_t)set[MYR_METHOD_leaf],
                            .group = (int64_t)set[MYR_METHOD_group],
                            .moving = myr_sorted_field(problem->unit, "velocity") >= 0,
                            .eps = parameter_of(f, "eps"),
                            .reach = lists_reach(f, problem, tolerance)};
    myr_tree_choose(tolerance / lists_margin(f, problem->unit), problem, o);
    memset(m->used, 0, sizeof m->used);
    m->used[MYR_METHOD_tolerance] = tolerance;
    m->used[MYR_METHOD_order] = o->order;
    m->used[MYR_METHOD_theta] = o->theta;
    m->used[MYR_METHOD_leaf] = (double)o->leaf;
    m->used[MYR_METHOD_group] = (double)o->group;
    m->used[MYR_METHOD_images] = m->asked[MYR_METHOD_images];
    m->known = 1;
}

static myr_status run_tree(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                           myr_direct_result *result)
{
    static const char *const part[] = {"build", "moments", "walk", "tiles", NULL};
    myr_tree_options options;
    myr_tree_report from;
    double *far;
    choose_tree(f, problem, &options);
    myr_status status = myr_method_images(f, isa, problem, &options.box, &far);
    if (!status)
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
    keep_report(f, &report, part,
                (double[]){from.build_seconds, from.moment_seconds, from.walk_seconds, from.tile_seconds});
    return MYR_OK;
}

static myr_status choose_pseudo(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                                myr_pseudo_options *o)
{
    myr_method_state *m = &f->method_state;
    const double *set = m->known ? m->used : m->asked, tolerance = myr_method_get(f, MYR_METHOD_tolerance);
    *o = (myr_pseudo_options){.order = (int)set[MYR_METHOD_order], .leaf = (int64_t)set[MYR_METHOD_leaf]};
    if (stretches(problem->unit)) {
        const int kernel = myr_catalogue_kernel("biot_savart");
        o->field = myr_kernels_unit(f->context, kernel, isa, problem->unit->arithmetic);
        if (!o->field)
            return MYR_ERROR_UNAVAILABLE;
    }
    myr_pseudo_choose(tolerance / lists_margin(f, problem->unit), myr_outer_one_sign(problem), o);
    o->reach = fmax(lists_reach(f, problem, tolerance), myr_pseudo_soft_reach(parameter_of(f, "eps"), tolerance));
    memset(m->used, 0, sizeof m->used);
    m->used[MYR_METHOD_tolerance] = tolerance;
    m->used[MYR_METHOD_order] = o->order;
    m->used[MYR_METHOD_leaf] = (double)o->leaf;
    m->used[MYR_METHOD_images] = m->asked[MYR_METHOD_images];
    m->known = 1;
    return MYR_OK;
}

static myr_status run_pseudo(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                             myr_direct_result *result)
{
    static const char *const part[] = {"build", "up", "across", "down", "near", NULL};
    myr_pseudo_options options;
    myr_pseudo_report from;
    double *far = NULL;
    myr_status status = choose_pseudo(f, isa, problem, &options);
    if (!status)
        status = myr_method_images(f, isa, problem, &options.box, &far);
    if (!status)
        status = myr_pseudo_run(problem, &options, result, &from);
    free(far);
    if (status || problem->loops == &problem->unit->loops[MYR_ACC_range])
        return status;
    const myr_far_report report = {.order = options.order,
                                   .separation = 1,
                                   .leaf = options.leaf,
                                   .in_double = 1,
                                   .cells = from.cells,
                                   .leaves = from.leaves,
                                   .levels = from.levels,
                                   .largest = from.largest,
                                   .near_pairs = from.near_pairs,
                                   .translations = from.translations,
                                   .operations = (double)from.far_pairs,
                                   .bytes = from.bytes};
    keep_report(
        f, &report, part,
        (double[]){from.build_seconds, from.up_seconds, from.far_seconds, from.down_seconds, from.near_seconds});
    return MYR_OK;
}

myr_status myr_method_run_lists(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                                myr_direct_result *result)
{
    return f->method == MYR_METHOD_IS_TREE ? run_tree(f, isa, problem, result) : run_pseudo(f, isa, problem, result);
}
