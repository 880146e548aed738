/* cells_gpu.c - the tree code and the pseudo-particle method on a GPU; see cells_gpu.h. */
#include "method/pseudo/cells_gpu.h"

#include <stdlib.h>
#include <string.h>

#include "backend/gpu.h"
#include "method/fmm/fmm_gpu.h"
#include "method/fmm/fmm_inside.h"
#include "method/tree/cell_moments.h"

struct myr_cells_gpu {
    const myr_gpu *gpu;
    myr_cuda_far *far;
    int real_bytes, coord_lanes; /* layout of the particles */
    myr_cuda_far_kind kind;
    int sums, has_box, portable; /* as in myr_cuda_far_set */
};

enum { DESIGN = 3 * MYR_SPHERICAL_DESIGN_POINTS + 2 * MYR_SPHERICAL_DESIGN_ORDER };

/* Options of an evaluation, and the tables that they point to. */
typedef struct {
    myr_cuda_far_kind kind;
    int sums;
    const myr_images *box;
    myr_cuda_far_options options;
    double design[DESIGN], matrix[MYR_FMM_GPU_MATRIX];
} gpu_job;

/* Points of a sphere and coefficients of its recurrence, in the form of myr_cuda_far_cells. */
static void job_design(int order, gpu_job *job)
{
    myr_sphere_values sphere;
    myr_sphere_values_make(order, &sphere);
    for (int axis = 0; axis < 3; axis++)
        memcpy(job->design + axis * sphere.points, sphere.x[axis], (size_t)sphere.points * sizeof *job->design);
    memcpy(job->design + 3 * sphere.points, sphere.slope, (size_t)order * sizeof *job->design);
    memcpy(job->design + 3 * sphere.points + order, sphere.drop, (size_t)order * sizeof *job->design);
    job->options.cells.design = job->design;
}

/* Finds particles without strength. */
static void job_idle(const myr_direct *problem, myr_cuda_far_options *options)
{
    for (int s = 0; s < options->cells.strengths; s++) {
        options->strength[s][0] = options->cells.strength + s;
        options->strength[s][1] = -1;
    }
    options->idle = myr_fmm_gpu_has_idle(problem, options->strength, options->cells.strengths);
}

/* What both methods have: the form of cells, and a periodic box. */
static void job_begin(const myr_direct *problem, const myr_images *box, myr_cell_moments_form form, int order,
                      gpu_job *job)
{
    const myr_unit *u = problem->unit;
    memset(job, 0, sizeof *job);
    job->box = box;
    job->options.period = box->period;
    memcpy(job->options.origin, box->origin, sizeof job->options.origin);
    memcpy(job->options.periodic, box->periodic, sizeof job->options.periodic);
    job->options.cells =
        (myr_cuda_far_cells){.order = order,
                             .points = myr_cell_moments_points(form, order),
                             .is_sphere = form == MYR_CELL_MOMENTS_SPHERE,
                             .strength = u->desc->coords * u->coord_lanes + myr_kernel_strength(u->desc),
                             .strengths = myr_kernel_strengths(u->desc),
                             .velocity = myr_ordered_problem_field(u, "velocity"),
                             .core = myr_ordered_problem_field(u, "core"),
                             .fitted = MYR_CELL_MOMENTS_RADIUS};
    job_idle(problem, &job->options);
    if (form == MYR_CELL_MOMENTS_SPHERE)
        job_design(order, job);
}

static void job_tree(const myr_direct *problem, const myr_tree_options *options, gpu_job *job)
{
    const int softened = options->eps > 0 || options->moving;
    job_begin(problem, &options->box,
              myr_cell_moments_choose(options->order, myr_cell_moments_one_sign(problem), softened), options->order,
              job);
    myr_cuda_far_cells *cells = &job->options.cells;
    job->kind = MYR_CUDA_FAR_GROUPS;
    job->options.leaf = options->leaf;
    cells->theta = options->theta;
    cells->error = options->error;
    cells->eps = options->eps;
    cells->reach = options->reach;
    cells->group = options->group;
    for (const myr_kernel_output *output = problem->unit->desc->output; output->name; output++)
        cells->with_potential |= strcmp(output->name, "potential") == 0;
}

static void job_pseudo(const myr_direct *problem, const myr_pseudo_options *options, gpu_job *job)
{
    enum { LEAF_MOST = 3 }; /* as in pseudo.c */
    const myr_far_field *far = myr_far_field_find(problem->unit->desc->name);
    const int outputs = problem->unit->outputs;
    job_begin(problem, &options->box, MYR_CELL_MOMENTS_SPHERE, options->order, job);
    job->kind = MYR_CUDA_FAR_SPHERES;
    job->sums = options->field ? far->sums : outputs;
    job->options.leaf = options->leaf;
    job->options.least = options->reach;
    job->options.enlarge = myr_octree_enlarge(problem->source.n, (options->leaf + LEAF_MOST - 1) / LEAF_MOST);
    job->options.matrix = job->matrix;
    job->options.cells.lattice = MYR_CELL_MOMENTS_LATTICE;
    job->options.cells.field = options->field;
    if (options->field) {
        job->options.cells.slopes = 1;
        job->options.cells.sum_first = far->sum[0].series - MYR_FAR_FIELD_CURL;
        myr_fmm_gpu_matrix(far, outputs, job->matrix);
        return;
    }
    for (int k = 0; k < outputs; k++) /* the sums are the outputs */
        job->matrix[(k * outputs + k) * (1 + MYR_FMM_GPU_FIELDS)] = 1;
}

void myr_cells_gpu_destroy(myr_cells_gpu **gpu)
{
    if (*gpu && (*gpu)->far)
        (*gpu)->gpu->plugin->far_close((*gpu)->far);
    free(*gpu);
    *gpu = NULL;
}

static int gpu_matches(const myr_cells_gpu *gpu, const myr_isa_table *isa, const myr_unit *u, const gpu_job *job)
{
    return gpu->gpu == isa->gpu && gpu->real_bytes == u->real_bytes && gpu->coord_lanes == u->coord_lanes &&
           gpu->kind == job->kind && gpu->sums == job->sums && gpu->has_box == myr_images_any(job->box) &&
           gpu->portable == (u->arithmetic == MYR_ARITHMETIC_PORTABLE);
}

/* Refuses what has other bits than on the processor in portable arithmetic. */
static myr_status gpu_check_portable(const myr_direct *problem, const gpu_job *job)
{
    const char *what = problem->unit->arithmetic != MYR_ARITHMETIC_PORTABLE ? NULL
                       : job->options.cells.field                           ? "fields of vortex elements at spheres"
                       : job->options.idle                                  ? "particles without strength"
                       : !myr_fmm_tree_is_same(problem)                     ? "targets that are not the sources"
                                                                            : NULL;
    return what ? myr_context_fail(problem->context, MYR_ERROR_COMBINATION,
                                   "in portable arithmetic methods tree and pseudo have no %s on a GPU: use backend "
                                   "simd or ref",
                                   what)
                : MYR_OK;
}

/* Opens a far field for a job and the layout of a problem's particles, unless it is open. */
static myr_status gpu_use(myr_cells_gpu **gpu, const myr_isa_table *isa, const myr_direct *problem, const gpu_job *job)
{
    const myr_unit *u = problem->unit;
    const myr_cuda_plugin *plugin = isa->gpu->plugin;
    if (problem->loops == &u->loops[MYR_ACC_range])
        return myr_context_fail(problem->context, MYR_ERROR_COMBINATION,
                                "methods tree and pseudo on a GPU do not measure the sizes of contributions");
    const myr_status allowed = gpu_check_portable(problem, job);
    if (allowed)
        return allowed;
    if (*gpu && !gpu_matches(*gpu, isa, u, job))
        myr_cells_gpu_destroy(gpu);
    if (*gpu)
        return MYR_OK;
    if (!plugin->far_open)
        return myr_context_fail(problem->context, MYR_ERROR_UNAVAILABLE, "GPU: the plug-in has no far fields");
    *gpu = malloc(sizeof **gpu);
    if (!*gpu)
        return myr_context_fail(problem->context, MYR_ERROR_MEMORY, "no memory for a far field");
    **gpu = (myr_cells_gpu){.gpu = isa->gpu,
                            .real_bytes = u->real_bytes,
                            .coord_lanes = u->coord_lanes,
                            .kind = job->kind,
                            .sums = job->sums,
                            .has_box = myr_images_any(job->box),
                            .portable = u->arithmetic == MYR_ARITHMETIC_PORTABLE};
    const myr_cuda_far_set set = {.context = problem->context,
                                  .has_cells = job->kind,
                                  .separation = 1,
                                  .in_double = 1,
                                  .real_bytes = u->real_bytes,
                                  .coord_lanes = u->coord_lanes,
                                  .sums = job->sums,
                                  .has_box = (*gpu)->has_box,
                                  .portable = (*gpu)->portable};
    const myr_status status = plugin->far_open(isa->gpu->cuda, &set, &(*gpu)->far);
    if (status)
        myr_cells_gpu_destroy(gpu);
    return status;
}

/* Targets that are not all of the sources. */
static myr_status gpu_run_targets(const myr_cells_gpu *gpu, const myr_direct *problem, const gpu_job *job,
                                  myr_direct_result *result, myr_cuda_far_report *report)
{
    myr_fmm_gpu_targets targets;
    myr_direct_result all = {.first_bad = -1};
    myr_status status = myr_fmm_gpu_targets_make(problem, myr_far_field_find(problem->unit->desc->name), &targets);
    if (status)
        return status;
    myr_cuda_far_options options = job->options;
    job_idle(&targets.problem, &options);
    for (int k = 0; k < problem->unit->outputs; k++)
        all.value[k] = targets.value + k * targets.problem.source.n;
    status = gpu->gpu->plugin->far_run(gpu->far, &targets.problem, &options, &all, report);
    if (!status)
        myr_fmm_gpu_targets_results(&targets, problem, &all, result);
    myr_fmm_gpu_targets_free(&targets);
    return status;
}

/* Adds the images that are not near to sums without the factor, as the processor does. */
static void gpu_add_far(const myr_direct *problem, const double *far, myr_direct_result *result)
{
    for (int k = 0; far && k < problem->unit->outputs; k++)
        for (int64_t i = 0; result->value[k] && i < problem->targets; i++)
            result->value[k][i] = (result->value[k][i] + far[k * problem->targets + i]) * problem->factor;
}

static myr_status gpu_run(myr_cells_gpu **gpu, const myr_isa_table *isa, const myr_direct *problem, const gpu_job *job,
                          myr_direct_result *result, myr_cuda_far_report *report)
{
    myr_direct near = *problem;
    near.factor = job->box->far ? 1 : problem->factor;
    myr_direct_result_clear(result);
    memset(report, 0, sizeof *report);
    if (problem->targets == 0)
        return MYR_OK;
    myr_status status = gpu_use(gpu, isa, problem, job);
    if (status)
        return status;
    const myr_direct_share *share = problem->share;
    myr_cuda_far_options options = job->options;
    int64_t own = 0;
    if (share) {
        options.rank = share->rank;
        options.ranks = share->ranks;
        options.order = share->order;
        options.own = &own;
    }
    status = myr_fmm_tree_is_same(problem) ? isa->gpu->plugin->far_run((*gpu)->far, &near, &options, result, report)
                                           : gpu_run_targets(*gpu, &near, job, result, report);
    if (!status && share)
        status = myr_target_share_own(problem->context, share, own);
    if (status == MYR_ERROR_MEMORY)
        myr_cells_gpu_destroy(gpu); /* gives back what it has: a smaller set may fit */
    if (!status)
        gpu_add_far(problem, job->box->far, result);
    return status;
}

myr_status myr_cells_gpu_tree(myr_cells_gpu **gpu, const myr_isa_table *isa, const myr_direct *problem,
                              const myr_tree_options *options, myr_direct_result *result, myr_tree_report *report)
{
    gpu_job job;
    myr_cuda_far_report from;
    job_tree(problem, options, &job);
    const myr_status status = gpu_run(gpu, isa, problem, &job, result, &from);
    *report = (myr_tree_report){.pairs = from.pairs,
                                .cells = from.cells,
                                .leaves = from.leaves,
                                .levels = from.levels,
                                .largest = from.largest,
                                .bytes = from.bytes,
                                .build_seconds = from.seconds[MYR_CUDA_FAR_TREE],
                                .moment_seconds = from.seconds[MYR_CUDA_FAR_LISTS],
                                .walk_seconds = from.seconds[MYR_CUDA_FAR_P2M],
                                .tile_seconds = from.seconds[MYR_CUDA_FAR_P2P]};
    return status;
}

myr_status myr_cells_gpu_pseudo(myr_cells_gpu **gpu, const myr_isa_table *isa, const myr_direct *problem,
                                const myr_pseudo_options *options, myr_direct_result *result, myr_pseudo_report *report)
{
    gpu_job job;
    myr_cuda_far_report from;
    const double *seconds = from.seconds;
    job_pseudo(problem, options, &job);
    const myr_status status = gpu_run(gpu, isa, problem, &job, result, &from);
    const int64_t points = job.options.cells.points;
    *report = (myr_pseudo_report){.near_pairs = from.pairs,
                                  .far_pairs = from.far_sources,
                                  .translations = from.far_sources / (points * points),
                                  .cells = from.cells,
                                  .leaves = from.leaves,
                                  .levels = from.levels,
                                  .largest = from.largest,
                                  .bytes = from.bytes,
                                  .build_seconds = seconds[MYR_CUDA_FAR_TREE],
                                  .up_seconds = seconds[MYR_CUDA_FAR_LISTS] + seconds[MYR_CUDA_FAR_P2M],
                                  .far_seconds = seconds[MYR_CUDA_FAR_M2L],
                                  .down_seconds = seconds[MYR_CUDA_FAR_L2L],
                                  .near_seconds = seconds[MYR_CUDA_FAR_L2P] + seconds[MYR_CUDA_FAR_P2P]};
    return status;
}

/* --- motion ------------------------------------------------------------------------------------------------------- */

static myr_status gpu_motion(const myr_isa_table *isa, const myr_direct *problem, const gpu_job *job,
                             const struct myr_cuda_motion_set *set, struct myr_cuda_motion **motion)
{
    myr_cells_gpu *gpu = NULL;
    *motion = NULL;
    if (myr_images_any(job->box)) /* far images are made by the processor */
        return MYR_ERROR_COMBINATION;
    myr_status status = gpu_use(&gpu, isa, problem, job);
    if (!status)
        status = isa->gpu->plugin->far_motion_open(gpu->far, problem, &job->options, set, motion);
    if (!status)
        gpu->far = NULL; /* it belongs to the motion */
    myr_cells_gpu_destroy(&gpu);
    return status;
}

myr_status myr_cells_gpu_tree_motion(const myr_isa_table *isa, const myr_direct *problem,
                                     const myr_tree_options *options, const struct myr_cuda_motion_set *set,
                                     struct myr_cuda_motion **motion)
{
    gpu_job job;
    job_tree(problem, options, &job);
    return gpu_motion(isa, problem, &job, set, motion);
}

myr_status myr_cells_gpu_pseudo_motion(const myr_isa_table *isa, const myr_direct *problem,
                                       const myr_pseudo_options *options, const struct myr_cuda_motion_set *set,
                                       struct myr_cuda_motion **motion)
{
    gpu_job job;
    job_pseudo(problem, options, &job);
    return gpu_motion(isa, problem, &job, set, motion);
}
