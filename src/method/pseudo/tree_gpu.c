/* tree_gpu.c - the tree code on a GPU; see tree_gpu.h. */
#include "method/pseudo/tree_gpu.h"

#include <stdlib.h>
#include <string.h>

#include "backend/gpu.h"
#include "method/fmm/fmm_gpu.h"
#include "method/fmm/fmm_inside.h"
#include "method/tree/cell_moments.h"

struct myr_tree_gpu {
    const myr_gpu *gpu;
    myr_cuda_far *far;
    int real_bytes, coord_lanes; /* layout of the particles */
};

enum { DESIGN = 3 * MYR_SPHERICAL_DESIGN_POINTS + 2 * MYR_SPHERICAL_DESIGN_ORDER };

/* Points of a sphere and coefficients of its recurrence, in the form of myr_cuda_far_cells. */
static void gpu_design(int order, double design[DESIGN])
{
    myr_sphere_values sphere;
    myr_sphere_values_make(order, &sphere);
    for (int axis = 0; axis < 3; axis++)
        memcpy(design + axis * sphere.points, sphere.x[axis], (size_t)sphere.points * sizeof *design);
    memcpy(design + 3 * sphere.points, sphere.slope, (size_t)order * sizeof *design);
    memcpy(design + 3 * sphere.points + order, sphere.drop, (size_t)order * sizeof *design);
}

/* Options of an evaluation; `design` keeps a table that they point to. */
static myr_cuda_far_options gpu_options(const myr_direct *problem, const myr_tree_options *options,
                                        double design[DESIGN])
{
    const myr_unit *u = problem->unit;
    const int softened = options->eps > 0 || options->moving;
    const myr_cell_moments_form form =
        myr_cell_moments_choose(options->order, myr_cell_moments_one_sign(problem), softened);
    myr_cuda_far_options o = {.leaf = options->leaf};
    o.cells = (myr_cuda_far_cells){.order = options->order,
                                   .points = myr_cell_moments_points(form, options->order),
                                   .is_sphere = form == MYR_CELL_MOMENTS_SPHERE,
                                   .strength = u->desc->coords * u->coord_lanes + myr_kernel_strength(u->desc),
                                   .strengths = myr_kernel_strengths(u->desc),
                                   .velocity = myr_ordered_problem_field(u, "velocity"),
                                   .core = myr_ordered_problem_field(u, "core"),
                                   .fitted = MYR_CELL_MOMENTS_RADIUS,
                                   .theta = options->theta,
                                   .error = options->error,
                                   .eps = options->eps,
                                   .reach = options->reach,
                                   .group = options->group};
    if (o.cells.is_sphere) {
        gpu_design(options->order, design);
        o.cells.design = design;
    }
    for (const myr_kernel_output *output = u->desc->output; output->name; output++)
        o.cells.with_potential |= strcmp(output->name, "potential") == 0;
    return o;
}

void myr_tree_gpu_destroy(myr_tree_gpu **gpu)
{
    if (*gpu && (*gpu)->far)
        (*gpu)->gpu->plugin->far_close((*gpu)->far);
    free(*gpu);
    *gpu = NULL;
}

/* Opens a far field for the layout of a problem's particles, unless it is open. */
static myr_status gpu_use(myr_tree_gpu **gpu, const myr_isa_table *isa, const myr_direct *problem)
{
    const myr_unit *u = problem->unit;
    const myr_cuda_plugin *plugin = isa->gpu->plugin;
    if (*gpu &&
        ((*gpu)->gpu != isa->gpu || (*gpu)->real_bytes != u->real_bytes || (*gpu)->coord_lanes != u->coord_lanes))
        myr_tree_gpu_destroy(gpu);
    if (*gpu)
        return MYR_OK;
    if (!plugin->far_open)
        return myr_context_fail(problem->context, MYR_ERROR_UNAVAILABLE, "GPU: the plug-in has no far fields");
    *gpu = malloc(sizeof **gpu);
    if (!*gpu)
        return myr_context_fail(problem->context, MYR_ERROR_MEMORY, "no memory for the tree code");
    **gpu = (myr_tree_gpu){.gpu = isa->gpu, .real_bytes = u->real_bytes, .coord_lanes = u->coord_lanes};
    const myr_cuda_far_set set = {.context = problem->context,
                                  .has_cells = 1,
                                  .separation = 1,
                                  .real_bytes = u->real_bytes,
                                  .coord_lanes = u->coord_lanes};
    const myr_status status = plugin->far_open(isa->gpu->cuda, &set, &(*gpu)->far);
    if (status)
        myr_tree_gpu_destroy(gpu);
    return status;
}

static void gpu_describe(const myr_cuda_far_report *from, myr_tree_report *to)
{
    to->pairs = from->pairs;
    to->cells = from->cells;
    to->leaves = from->leaves;
    to->levels = from->levels;
    to->largest = from->largest;
    to->bytes = from->bytes;
    to->build_seconds = from->seconds[MYR_CUDA_FAR_TREE];
    to->moment_seconds = from->seconds[MYR_CUDA_FAR_LISTS];
    to->walk_seconds = from->seconds[MYR_CUDA_FAR_P2M];
    to->tile_seconds = from->seconds[MYR_CUDA_FAR_P2P];
}

/* Evaluates a problem whose targets are all of its sources. */
static myr_status gpu_run(const myr_tree_gpu *gpu, const myr_direct *problem, const myr_tree_options *options,
                          myr_direct_result *result, myr_tree_report *report)
{
    double design[DESIGN];
    const myr_cuda_far_options o = gpu_options(problem, options, design);
    myr_cuda_far_report device;
    const myr_status status = gpu->gpu->plugin->far_run(gpu->far, problem, &o, result, &device);
    if (!status)
        gpu_describe(&device, report);
    return status;
}

static myr_status gpu_run_targets(const myr_tree_gpu *gpu, const myr_direct *problem, const myr_tree_options *options,
                                  myr_direct_result *result, myr_tree_report *report)
{
    myr_fmm_gpu_targets targets;
    myr_direct_result all = {.first_bad = -1};
    myr_status status = myr_fmm_gpu_targets_make(problem, myr_far_field_find(problem->unit->desc->name), &targets);
    if (status)
        return status;
    for (int k = 0; k < problem->unit->outputs; k++)
        all.value[k] = targets.value + k * targets.problem.source.n;
    status = gpu_run(gpu, &targets.problem, options, &all, report);
    if (!status)
        myr_fmm_gpu_targets_results(&targets, problem, &all, result);
    myr_fmm_gpu_targets_free(&targets);
    return status;
}

/* The sizes of contributions, which `nitadori_large` and `narumi` need, are not measured there. */
static myr_status gpu_check(const myr_direct *problem)
{
    return problem->loops != &problem->unit->loops[MYR_ACC_range]
               ? MYR_OK
               : myr_context_fail(problem->context, MYR_ERROR_COMBINATION,
                                  "method tree on a GPU does not measure the sizes of contributions");
}

myr_status myr_tree_gpu_run(myr_tree_gpu **gpu, const myr_isa_table *isa, const myr_direct *problem,
                            const myr_tree_options *options, myr_direct_result *result, myr_tree_report *report)
{
    memset(report, 0, sizeof *report);
    myr_direct_result_clear(result);
    if (problem->targets == 0)
        return MYR_OK;
    myr_status status = gpu_check(problem);
    if (!status)
        status = gpu_use(gpu, isa, problem);
    if (status)
        return status;
    status = (myr_fmm_tree_is_same(problem) ? gpu_run : gpu_run_targets)(*gpu, problem, options, result, report);
    if (status == MYR_ERROR_MEMORY)
        myr_tree_gpu_destroy(gpu); /* gives back what it has: a smaller set may fit */
    return status;
}

myr_status myr_tree_gpu_motion(const myr_isa_table *isa, const myr_direct *problem, const myr_tree_options *options,
                               const struct myr_cuda_motion_set *set, struct myr_cuda_motion **motion)
{
    double design[DESIGN];
    myr_tree_gpu *gpu = NULL;
    *motion = NULL;
    myr_status status = gpu_check(problem);
    if (!status)
        status = gpu_use(&gpu, isa, problem);
    if (!status) {
        const myr_cuda_far_options o = gpu_options(problem, options, design);
        status = isa->gpu->plugin->far_motion_open(gpu->far, problem, &o, set, motion);
    }
    if (!status)
        gpu->far = NULL; /* it belongs to the motion */
    myr_tree_gpu_destroy(&gpu);
    return status;
}
