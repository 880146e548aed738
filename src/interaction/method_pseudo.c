/* method_pseudo.c - pseudo-particle method as a method of an interaction. */
#include <math.h>
#include <stdlib.h>

#include "interaction/method_far.h"
#include "method/fmm/far_field.h"
#include "method/pseudo/cells_gpu.h"
#include "method/pseudo/pseudo.h"
#include "method/tree/cell_moments.h"

/* Factor by which the spheres must be better than the tolerance: the table holds errors of accelerations; the velocity
 * of vortex elements has three components with independent errors, and stretching is one derivative more. Measured on
 * random elements (10^4 to 10^6 at order 10: velocity up to 4.6 times, stretching up to 13 times the table, which has a
 * margin of 1.5) and on flows (vortex_ring, abc_flow, isotropic_turbulence). */
static double pseudo_margin(const myr_interaction *f, const myr_unit *unit)
{
    const double vortex = myr_method_far_stretches(unit) ? 15 : 5;
    return fmax(myr_method_box_margin(f), myr_far_field_find(unit->desc->name)->core ? vortex : 1);
}

/* Smallest tolerance that the highest order keeps. The background of a box diminishes the field of masses only. */
static double pseudo_least(const myr_interaction *f, const myr_unit *unit, int one_sign)
{
    const int vortices = myr_far_field_find(unit->desc->name)->core;
    return myr_pseudo_least(one_sign) * (one_sign || vortices ? pseudo_margin(f, unit) : 1);
}

static myr_status pseudo_check(const myr_interaction *f, const myr_unit *unit)
{
    const myr_status status = myr_method_far_check_points(f, unit);
    if (status)
        return status;
    if (unit->desc->target[0].name && !myr_method_far_stretches(unit))
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "kernel %s depends on the target's %s, and method pseudo knows fields of the place "
                                "alone; use method tree, fmm or direct",
                                unit->desc->name, unit->desc->target[0].name);
    /* strengths may have one sign if they are scalars; pseudo_choose knows them */
    const int one_sign = myr_far_field_find(unit->desc->name)->strengths == 1;
    return myr_method_far_check_least(f, pseudo_least(f, unit, one_sign));
}

/* Options for a tolerance, with parameters that are 0 chosen for it. */
static myr_status pseudo_options(const myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                                 const double *set, double tolerance, myr_pseudo_options *o)
{
    *o = (myr_pseudo_options){.order = (int)set[MYR_METHOD_order], .leaf = (int64_t)set[MYR_METHOD_leaf]};
    if (myr_method_far_stretches(problem->unit)) {
        const int kernel = myr_catalogue_kernel("biot_savart");
        o->field = myr_kernel_registry_unit(f->context, kernel, isa, problem->unit->arithmetic);
        if (!o->field)
            return MYR_ERROR_UNAVAILABLE;
    }
    myr_pseudo_choose(tolerance / pseudo_margin(f, problem->unit), myr_cell_moments_one_sign(problem), o);
    o->reach = fmax(myr_method_far_reach(f, problem, tolerance),
                    myr_pseudo_soft_reach(myr_method_far_softening(f), tolerance));
    return MYR_OK;
}

/* A tolerance that was asked for and cannot be kept is refused; the default one is raised to what can be. */
static myr_status pseudo_choose(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem)
{
    myr_method_state *m = &f->method_state;
    myr_pseudo_options o;
    const double least = pseudo_least(f, problem->unit, myr_cell_moments_one_sign(problem));
    const double asked = m->requested[MYR_METHOD_tolerance];
    const double tolerance = asked > 0 ? asked : fmax(myr_method_parameter_info(MYR_METHOD_tolerance)->value, least);
    myr_status status = myr_method_far_check_least(f, least);
    if (!status)
        status = pseudo_options(f, isa, problem, m->requested, tolerance, &o);
    if (status)
        return status;
    m->used[MYR_METHOD_tolerance] = tolerance;
    m->used[MYR_METHOD_order] = o.order;
    m->used[MYR_METHOD_leaf] = (double)o.leaf;
    m->used[MYR_METHOD_images] = m->requested[MYR_METHOD_images];
    return MYR_OK;
}

static double pseudo_keeps(const myr_interaction *f, const myr_direct *problem)
{
    return myr_pseudo_keeps((int)f->method_state.used[MYR_METHOD_order], myr_cell_moments_one_sign(problem)) *
           pseudo_margin(f, problem->unit);
}

static myr_status pseudo_run(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                             myr_direct_result *result)
{
    static const char *const part[] = {"build", "up", "across", "down", "near", NULL};
    myr_pseudo_options options;
    myr_pseudo_report from;
    double *far = NULL;
    myr_status status =
        pseudo_options(f, isa, problem, f->method_state.used, f->method_state.used[MYR_METHOD_tolerance], &options);
    if (!status)
        status = myr_method_images(f, isa, problem, &options.box, &far);
    if (!status && isa->gpu)
        status = myr_cells_gpu_pseudo(&f->method_state.cells_gpu, isa, problem, &options, result, &from);
    else if (!status)
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
    myr_method_far_keep(
        f, &report, part,
        (double[]){from.build_seconds, from.up_seconds, from.far_seconds, from.down_seconds, from.near_seconds});
    return MYR_OK;
}

static myr_status pseudo_open_motion(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                                     const struct myr_cuda_motion_set *set, struct myr_cuda_motion **motion)
{
    myr_pseudo_options options;
    const myr_status status =
        pseudo_options(f, isa, problem, f->method_state.used, f->method_state.used[MYR_METHOD_tolerance], &options);
    myr_method_near_images(f, problem, &options.box);
    return status ? status : myr_cells_gpu_pseudo_motion(isa, problem, &options, set, motion);
}

const myr_method_table myr_method_pseudo = {
    .info = {"pseudo", "pseudo-particle method: as fmm, with points on spheres in place of expansions", 1},
    .takes = MYR_METHOD_FAR_TAKES,
    .images = 1,
    .shares = 1,
    .on_gpu = 2,
    .orders = MYR_SPHERICAL_DESIGN_ORDER,
    .check = pseudo_check,
    .check_gpu = myr_method_far_check_cells,
    .choose = pseudo_choose,
    .run = pseudo_run,
    .open_motion = pseudo_open_motion,
    .keeps = pseudo_keeps,
    .tighten = myr_method_far_raise,
    .report = myr_method_far_report,
};
