/* far_pseudo.c - the pseudo-particle method on a device: lists, and fields on inner spheres. Sums at the points of
 * inner spheres are those of the near loop: the points are targets, far cells their sources. */
#include <string.h>

#include "backend/cuda/far_cells_inside.h"

static int64_t pseudo_items(const myr_cuda_far_cells *cells)
{
    return (cells->points + MYR_FAR_TARGETS - 1) / MYR_FAR_TARGETS;
}

/* Near cells of a cell. */
static int64_t pseudo_near_cells(const myr_cuda_far *far)
{
    const int64_t width = 2 * far->separation + 1;
    return width * width * width;
}

myr_status cuda_far_pseudo_rooms(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_cells *cells)
{
    const size_t n = (size_t)cuda_far_cells_count(far), points = n * (size_t)cells->points;
    const size_t fields = (size_t)(cells->field ? cells->field : job->unit)->outputs;
    const struct {
        far_buffer id;
        size_t size;
    } rooms[] = {{FAR_NEAR, n * (size_t)pseudo_near_cells(far) * sizeof(int32_t)},
                 {FAR_FIELD, fields * points * sizeof(double)},
                 {FAR_FIELD_LEAVES, n * sizeof(myr_far_leaf)},
                 {FAR_FIELD_ITEMS, n * (size_t)pseudo_items(cells) * sizeof(myr_far_item)},
                 {FAR_FIELD_ORDER, points * sizeof(int32_t)},
                 {FAR_FIELD_CELLS, n * sizeof(myr_far_cell)}};
    myr_status status = MYR_OK;
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms && !status; k++)
        status = cuda_far_room(far, rooms[k].id, rooms[k].size, 0);
    return status;
}

myr_status cuda_far_pseudo_lists(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options)
{
    myr_far_cells a = cuda_far_cells_arguments(far, job, options);
    const int64_t cells = a.lists.cells;
    const struct {
        far_cell_kernel kernel;
        const char *what;
        int64_t threads;
    } passes[] = {{FAR_POINTS, "placing points", cells * a.points},
                  {FAR_ACROSS_LISTS, "listing far sources", 32 * cells},
                  {FAR_PSEUDO_LISTS, "listing sources", 32 * cells}};
    myr_status status = cuda_far_near_cells(far, &a.lists);
    for (size_t k = 0; k < sizeof passes / sizeof *passes && !status; k++)
        status = cuda_far_cells_launch(far, passes[k].kernel, passes[k].what, passes[k].threads, MYR_FAR_THREADS, &a);
    return status;
}

/* The job of the sums at points: another kernel's fields, and sums on a grid, which that of the particles does not fit,
 * are summed in double. In portable arithmetic points have wide integers of their own. */
static myr_direct pseudo_job(const myr_direct *job, const myr_cuda_far_cells *cells, int is_portable)
{
    myr_direct across = *job;
    const myr_acc_loop loop = (myr_acc_loop)(job->loops - job->unit->loops);
    const int has_grid =
        loop == MYR_ACC_fixed || loop == MYR_ACC_narumi || (loop == MYR_ACC_nitadori && job->scale[0].large != 0);
    if (!cells->field && (!has_grid || is_portable))
        return across;
    across.unit = cells->field ? cells->field : job->unit;
    across.loops = &across.unit->loops[MYR_ACC_double];
    memset(across.scale, 0, sizeof across.scale);
    return across;
}

/* Memory for fixed sums at points, which are targets `first` and up. */
static myr_status pseudo_words(myr_cuda_far *far, const far_near_program *program, const myr_direct *across,
                               int64_t first, myr_far_near *a)
{
    const size_t points = (size_t)a->sweep.targets, outputs = (size_t)across->unit->outputs;
    const size_t words = points * outputs * (size_t)program->words * sizeof *a->word;
    myr_status status = cuda_far_room(far, FAR_WORDS, words, 0);
    if (!status)
        status = cuda_far_room(far, FAR_FIELD_OVER, points * outputs * sizeof(myr_cuda_digits), 1);
    if (!status)
        status = cuda_far_room(far, FAR_FIELD_OVER_USED, points * sizeof(uint32_t), 1);
    if (!status) /* cells without an inner sphere have no sums */
        status =
            cuda_far_check(far, cudaMemsetAsync(far_at(far, FAR_WORDS), 0, words, far->device.stream), "clearing sums");
    a->first = (int32_t)first;
    a->word = (myr_word *)far_at(far, FAR_WORDS) - first * (int64_t)outputs * program->words;
    a->sweep.over = (myr_cuda_digits *)far_at(far, FAR_FIELD_OVER) - first * (int64_t)outputs;
    a->sweep.over_used = (uint32_t *)far_at(far, FAR_FIELD_OVER_USED) - first;
    return status;
}

myr_status cuda_far_pseudo_across(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options)
{
    const myr_direct across = pseudo_job(job, &options->cells, far->portable);
    const myr_far_cells cells = cuda_far_cells_arguments(far, job, options);
    const int64_t points = (int64_t)cells.lists.cells * cells.points, first = job->source.n + points;
    const int64_t items = cells.lists.cells * pseudo_items(&options->cells);
    const far_near_program *program;
    myr_far_near a;
    memset(&a, 0, sizeof a);
    cuda_arguments_numbers(&across, &a.sweep);
    a.sweep.source = cells.record;
    a.sweep.report = far_at(far, FAR_REPORT);
    a.sweep.targets = points;
    a.sweep.sources = first;
    a.sweep.careful = job->careful;
    a.sweep.factor = 1;
    for (int k = 0; k < across.unit->outputs; k++)
        a.sweep.value[k] = cells.field + k * points;
    a.cell = far_at(far, FAR_FIELD_CELLS); /* zeros: no cell has particles of its own */
    a.leaf = cells.across;
    a.range = cells.lists.range;
    a.item = cells.point_item;
    a.order = cells.point_order - first;
    a.state = cells.lists.state;
    a.items = (int32_t)items;
    a.period = cells.period;
    myr_status status = cuda_far_near_program(far, &across, 0, &program);
    if (!status)
        status = cuda_far_check(far,
                                cudaMemsetAsync(far_at(far, FAR_FIELD_CELLS), 0,
                                                (size_t)cells.lists.cells * sizeof(myr_far_cell), far->device.stream),
                                "clearing cells");
    if (!status && program->finish)
        status = pseudo_words(far, program, &across, first, &a);
    if (!status)
        status = cuda_far_launch(far, program->near, "summing at spheres", items * MYR_FAR_NEAR_THREADS,
                                 MYR_FAR_NEAR_THREADS, &a, sizeof a);
    return status || !program->finish ? status
                                      : cuda_far_launch(far, program->finish, "finishing sums at spheres", points,
                                                        MYR_FAR_THREADS, &a, sizeof a);
}

myr_status cuda_far_pseudo_down(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options)
{
    myr_far_cells a = cuda_far_cells_arguments(far, job, options);
    const unsigned sphere = cuda_far_cells_sphere(&options->cells);
    myr_status status = MYR_OK;
    for (int level = 1; level < far->levels && !status; level++) {
        a.begin = far->state->level[level];
        a.end = far->state->level[level + 1];
        status = cuda_far_cells_launch(far, FAR_DOWN_SPHERES, "shifting fields", (int64_t)sphere * (a.end - a.begin),
                                       sphere, &a);
    }
    return status;
}

myr_status cuda_far_pseudo_read(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options)
{
    myr_far_cells a = cuda_far_cells_arguments(far, job, options);
    const int64_t items = far->state->leaves + job->source.n / MYR_FAR_TARGETS + 1;
    return cuda_far_cells_launch(far, FAR_READ_SPHERES, "reading fields", 32 * items, MYR_FAR_THREADS, &a);
}
