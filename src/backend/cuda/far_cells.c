/* far_cells.c - cells as pseudo-particles on a device, and the lists of the tree code's groups of targets. */
#include <string.h>

#include "backend/cuda/far_cells_inside.h"

enum { SPHERE_LANES = 32 };

static const char *const kernel_name[FAR_CELL_KERNELS] = {
    "far_moments", "far_spheres",      "far_compact",      "far_nodes", "far_groups",
    "far_points",  "far_across_lists", "far_pseudo_lists", "far_down",  "far_read"};

myr_status cuda_far_cells_kernels(myr_cuda_far *far)
{
    myr_status status = MYR_OK;
    for (int k = 0; k < FAR_CELL_KERNELS && !status; k++)
        status = cuda_far_check(far, cudaLibraryGetKernel(&far->cell_kernel[k], far->library[0], kernel_name[k]),
                                kernel_name[k]);
    return status;
}

myr_status cuda_far_cells_send(myr_cuda_far *far, const myr_cuda_far_cells *cells)
{
    const size_t size = (size_t)(3 * cells->points + 2 * cells->order) * sizeof *cells->design;
    if (!cells->design)
        return MYR_OK;
    const myr_status status = cuda_far_room(far, FAR_DESIGN, size, 0);
    return status ? status
                  : cuda_far_check(far,
                                   cudaMemcpyAsync(far_at(far, FAR_DESIGN), cells->design, size, cudaMemcpyHostToDevice,
                                                   far->device.stream),
                                   "copying a sphere to the device");
}

int32_t cuda_far_cells_count(const myr_cuda_far *far)
{
    return far->state->level[far->levels];
}

myr_status cuda_far_cells_record(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options)
{
    const int spheres = far->has_cells == MYR_CUDA_FAR_SPHERES ? 2 : 1; /* outer, and inner ones */
    const int64_t records = job->source.n + spheres * (int64_t)cuda_far_cells_count(far) * options->cells.points;
    if (records > INT32_MAX)
        return far->cuda->host->fail(job->context, MYR_ERROR_VALUE,
                                     "GPU: %lld particles and pseudo-particles are more than %d; use a lower order or "
                                     "larger leaves",
                                     (long long)records, INT32_MAX);
    return cuda_far_room(far, FAR_RECORD, (size_t)(records * far_stride(job) * job->unit->real_bytes), 0);
}

static myr_status cells_rooms(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_cells *o)
{
    const size_t cells = (size_t)cuda_far_cells_count(far);
    const int64_t leaves = far->state->leaves;
    const size_t charges = o->is_sphere ? cells * (size_t)(o->strengths * o->points) * sizeof(double) : 1;
    myr_status status = cuda_far_room(far, FAR_MOMENTS, cells * sizeof(myr_far_moments), 0);
    if (!status)
        status = cuda_far_room(far, FAR_NODES, cells * sizeof(myr_far_node), 0);
    if (!status)
        status = cuda_far_room(far, FAR_CHARGES, charges, 0);
    if (!status)
        status = cuda_far_room(far, FAR_LEAVES, cells * sizeof(myr_far_leaf), 0);
    if (!status)
        status = cuda_far_pool(far, MYR_FAR_RANGES, CELLS_RANGES_PER_LEAF * leaves);
    if (!status && far->has_cells == MYR_CUDA_FAR_SPHERES)
        status = cuda_far_pseudo_rooms(far, job, o);
    return status ? status : cuda_far_pool(far, MYR_FAR_WORK, leaves + job->source.n / MYR_FAR_TARGETS + 1);
}

myr_far_cells cuda_far_cells_arguments(const myr_cuda_far *far, const myr_direct *job,
                                       const myr_cuda_far_options *options)
{
    const myr_cuda_far_cells *o = &options->cells;
    myr_far_cells a = {.lists = {.cell = far_at(far, FAR_CELLS),
                                 .near = far_at(far, FAR_NEAR),
                                 .state = far_at(far, FAR_STATE),
                                 .leaf = far_at(far, FAR_LEAVES),
                                 .range = far_at(far, FAR_RANGE_POOL),
                                 .item = far_at(far, FAR_ITEM_POOL),
                                 .cells = cuda_far_cells_count(far)},
                       .moments = far_at(far, FAR_MOMENTS),
                       .node = far_at(far, FAR_NODES),
                       .charge = far_at(far, FAR_CHARGES),
                       .design = far_at(far, FAR_DESIGN),
                       .record = far_at(far, FAR_RECORD),
                       .n = job->source.n,
                       .rule = {o->order, o->is_sphere, o->theta, o->error, o->eps, o->reach},
                       .lattice = o->lattice,
                       .fitted = o->fitted,
                       .points = o->points,
                       .strengths = o->strengths,
                       .strength = o->strength,
                       .velocity = o->velocity,
                       .core = o->core,
                       .real_bytes = job->unit->real_bytes,
                       .coord_lanes = job->unit->coord_lanes,
                       .stride = far_stride(job),
                       .group = (int32_t)o->group,
                       .field = far_at(far, FAR_FIELD),
                       .across = far_at(far, FAR_FIELD_LEAVES),
                       .point_item = far_at(far, FAR_FIELD_ITEMS),
                       .point_order = far_at(far, FAR_FIELD_ORDER),
                       .sum = far_at(far, FAR_SUM),
                       .fields = (o->field ? o->field : job->unit)->outputs,
                       .sums = far->sums,
                       .slopes = o->slopes,
                       .sum_first = o->sum_first,
                       .with_potential = o->with_potential,
                       .ordered = far->portable,
                       .period = far->has_box ? options->period : 0,
                       .inner_level = far->has_box ? 1 : 2};
    memcpy(a.lists.share, far->share, sizeof a.lists.share);
    for (int axis = 0; axis < 3; axis++)
        a.lists.periodic[axis] = far->has_box && options->periodic[axis];
    for (int k = 0; k < MYR_FAR_POOLS; k++)
        a.lists.room[k] = far->room[k];
    return a;
}

myr_status cuda_far_cells_launch(const myr_cuda_far *far, far_cell_kernel kernel, const char *what, int64_t threads,
                                 unsigned block, myr_far_cells *a)
{
    return cuda_far_launch(far, far->cell_kernel[kernel], what, threads, block, a, sizeof *a);
}

unsigned cuda_far_cells_sphere(const myr_cuda_far_cells *cells)
{
    return (unsigned)(cells->points + SPHERE_LANES - 1) / SPHERE_LANES * SPHERE_LANES;
}

myr_status cuda_far_cells_make(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options)
{
    const myr_cuda_far_cells *o = &options->cells;
    const unsigned sphere = cuda_far_cells_sphere(o);
    myr_status status = cells_rooms(far, job, o);
    myr_far_cells a = cuda_far_cells_arguments(far, job, options);
    for (int level = far->levels - 1; level >= 0 && !status; level--) {
        a.begin = far->state->level[level];
        a.end = far->state->level[level + 1];
        const int64_t cells = a.end - a.begin;
        status = cuda_far_cells_launch(far, FAR_MOMENTS_OF, "computing moments", 8 * cells, MYR_FAR_THREADS, &a);
        if (!status && o->is_sphere)
            status = cuda_far_cells_launch(far, FAR_SPHERES, "computing spheres", (int64_t)sphere * cells, sphere, &a);
    }
    if (!status && !o->is_sphere)
        status =
            cuda_far_cells_launch(far, FAR_COMPACT, "computing pseudo-particles", a.lists.cells, MYR_FAR_THREADS, &a);
    return status;
}

myr_status cuda_far_cells_groups(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options)
{
    myr_far_cells a = cuda_far_cells_arguments(far, job, options);
    if (far->portable && far->state->largest > options->cells.group)
        return far->cuda->host->fail(
            job->context, MYR_ERROR_COMBINATION,
            "%lld particles are at one place, or nearly so: in portable arithmetic method tree "
            "on a GPU takes at most as many as a group has, %lld; use backend simd or ref",
            (long long)far->state->largest, (long long)options->cells.group);
    myr_status status =
        cuda_far_cells_launch(far, FAR_MAKE_NODES, "preparing a walk", a.lists.cells, MYR_FAR_THREADS, &a);
    return status ? status
                  : cuda_far_cells_launch(far, FAR_GROUPS, "listing sources", 32 * (int64_t)a.lists.cells,
                                          MYR_FAR_THREADS, &a);
}
