/* far_run.c - an evaluation of a far field on a device, whose memory has the particles. */
#include <string.h>

#include "backend/cuda/far_cells_inside.h"
#include "backend/cuda/far_run.h"
#include "backend/expansion_order.h"

enum {
    M2L_THREADS = 128,  /* threads per block of M2L */
    M2L_MANY = 1 << 17, /* threads of M2L that fill a device */
    M2L_SPLITS = 8      /* largest number of threads that share a cell */
};

static myr_status run_mark(const far_run *r, int k)
{
    return cuda_far_check(r->far, cudaEventRecord(r->far->mark[k], r->far->device.stream), "taking the time");
}

/* --- particles and memory ----------------------------------------------------------------------------------------- */

static myr_status run_send_side(const far_run *r, far_buffer id, void *const *component, int lanes)
{
    const size_t column = (size_t)r->job->source.n * (size_t)r->job->unit->real_bytes;
    myr_status status = cuda_far_room(r->far, id, column * (size_t)lanes, 0);
    for (int c = 0; c < lanes && !status; c++)
        status = cuda_far_check(r->far,
                                cudaMemcpyAsync((char *)far_at(r->far, id) + (size_t)c * column, component[c], column,
                                                cudaMemcpyHostToDevice, r->far->device.stream),
                                "copying particles to the device");
    return status;
}

myr_status cuda_far_send(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options)
{
    const far_run r = {.far = far, .job = job, .options = options};
    const myr_unit *u = job->unit;
    const size_t matrix = (size_t)(u->outputs * far->sums * (1 + MYR_FAR_FIELDS)) * sizeof(double);
    if (job->source.n > INT32_MAX / 2)
        return far->cuda->host->fail(job->context, MYR_ERROR_VALUE, "GPU: at most %d particles in a far field",
                                     INT32_MAX / 2);
    myr_status status = cuda_far_check(far, cudaSetDevice(far->device.id), "choosing a device");
    if (!status)
        status = run_send_side(&r, FAR_COMPONENTS, job->source.component, u->source_lanes);
    if (!status && far_has_targets(job))
        status = run_send_side(&r, FAR_TARGET_COMPONENTS, job->target.component, u->target_lanes);
    far->has_roles = options->role != NULL;
    if (!status && far->has_roles)
        status = cuda_far_room(far, FAR_ROLES, (size_t)job->source.n, 0);
    if (!status && far->has_roles)
        status = cuda_far_check(far,
                                cudaMemcpyAsync(far_at(far, FAR_ROLES), options->role, (size_t)job->source.n,
                                                cudaMemcpyHostToDevice, far->device.stream),
                                "copying particles to the device");
    if (!status && far->has_cells)
        status = cuda_far_cells_send(far, &options->cells);
    if (!far->sums)
        return status;
    if (!status)
        status = cuda_far_room(far, FAR_MATRIX, matrix, 0);
    if (!status)
        status = cuda_far_check(far,
                                cudaMemcpyAsync(far_at(far, FAR_MATRIX), options->matrix, matrix,
                                                cudaMemcpyHostToDevice, far->device.stream),
                                "copying operators to the device");
    return status;
}

static myr_status run_rooms(const far_run *r)
{
    myr_cuda_far *far = r->far;
    const size_t n = (size_t)r->job->source.n, outputs = (size_t)r->job->unit->outputs;
    const size_t real = far->in_double ? sizeof(double) : sizeof(float);
    const size_t cells = (size_t)far->state->level[r->levels];
    const size_t series = cells * (size_t)(far->strengths * far_size(far)) * real;
    const int is_fixed = r->job->loops - r->job->unit->loops == MYR_ACC_fixed;
    const struct {
        far_buffer id;
        size_t size;
        int zeros;
    } rooms[] = {{FAR_MULTIPOLE, series, 0},
                 {FAR_LOCAL, series, 0},
                 {FAR_SUM, n * (size_t)far->sums * far_sum_bytes(far), 0},
                 {FAR_REPORT, sizeof(myr_cuda_report), 0},
                 {FAR_PART, (size_t)(MYR_EXPANSION_SHARES * far->strengths) * 5 * sizeof(double), 0},
                 {FAR_QUADRATIC, (size_t)far->series * 5 * sizeof(double), 0},
                 {FAR_OVER, is_fixed ? n * outputs * sizeof(myr_cuda_digits) : 1, 1},
                 {FAR_OVER_USED, is_fixed ? n * sizeof(uint32_t) : 1, 1}};
    myr_status status = MYR_OK;
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms && !status; k++)
        status = cuda_far_room(far, rooms[k].id, rooms[k].size, rooms[k].zeros);
    if (!status)
        status = cuda_far_check(
            far, cudaMemsetAsync(far_at(far, FAR_REPORT), 0, sizeof(myr_cuda_report), far->device.stream),
            "clearing the report");
    return status;
}

static void run_arguments(far_run *r)
{
    const myr_cuda_far *far = r->far;
    r->series = (myr_far_series){.cell = far_at(far, FAR_CELLS),
                                 .near = far_at(far, FAR_NEAR),
                                 .record = far_at(far, FAR_RECORD),
                                 .leaf = far_at(far, FAR_LEAVES),
                                 .finer = far_at(far, FAR_FINER_POOL),
                                 .item = far_at(far, FAR_ITEM_POOL),
                                 .state = far_at(far, FAR_STATE),
                                 .multipole = far_at(far, FAR_MULTIPOLE),
                                 .local = far_at(far, FAR_LOCAL),
                                 .up = far_at(far, FAR_UP),
                                 .down = far_at(far, FAR_DOWN),
                                 .offset = far_at(far, FAR_OFFSET),
                                 .place = far_at(far, FAR_PLACE),
                                 .translate = far_at(far, FAR_TRANSLATE),
                                 .derivative = {far_at(far, FAR_FACTOR_0), far_at(far, FAR_FACTOR_1)},
                                 .source = {far_at(far, FAR_FROM_0), far_at(far, FAR_FROM_1)},
                                 .sum = far_at(far, FAR_SUM),
                                 .coarsest = far_coarsest(far),
                                 .background = far->has_lattice && r->options->background,
                                 .n = r->job->source.n,
                                 .lattice = far_at(far, FAR_LATTICE),
                                 .part = far_at(far, FAR_PART),
                                 .quadratic = far_at(far, FAR_QUADRATIC),
                                 .splits = 1,
                                 .stride = far_stride(r->job),
                                 .share = {far->share[0], far->share[1]}};
}

/* --- passes ------------------------------------------------------------------------------------------------------- */

static int32_t run_level(const far_run *r, int level)
{
    return r->far->state->level[level < r->levels ? level : r->levels];
}

/* Runs a kernel over the cells of levels begin .. end - 1, for each strength. */
static myr_status run_cells(far_run *r, cudaKernel_t kernel, const char *what, int begin, int end, int per_cell,
                            unsigned block)
{
    r->series.begin = run_level(r, begin);
    r->series.end = run_level(r, end);
    const int64_t cells = r->series.end - r->series.begin;
    myr_status status = MYR_OK;
    for (int s = 0; s < r->far->strengths && !status; s++) {
        r->series.number = s;
        r->series.factor[0] = r->options->strength[s][0];
        r->series.factor[1] = r->options->strength[s][1];
        status = cuda_far_launch(r->far, kernel, what, cells * per_cell, block, &r->series, sizeof r->series);
    }
    return status;
}

static myr_status run_p2m(far_run *r)
{
    const int threads = r->far->portable ? MYR_EXPANSION_PARTIAL : 8; /* per leaf */
    return run_cells(r, r->far->kernel[FAR_P2M], "expanding particles", far_coarsest(r->far), r->levels, threads,
                     MYR_FAR_THREADS);
}

static myr_status run_m2m(far_run *r)
{
    myr_status status = MYR_OK;
    for (int level = r->levels - 2; level >= far_coarsest(r->far) && !status; level--)
        status = r->far->has_parity ? run_cells(r, r->far->parity_kernel[FAR_PARITY_UP], "shifting multipoles", level,
                                                level + 1, MYR_FAR_THREADS / MYR_FAR_PARENTS, MYR_FAR_THREADS)
                                    : run_cells(r, r->far->kernel[FAR_M2M], "shifting multipoles", level, level + 1,
                                                r->far->order * r->far->order, MYR_FAR_THREADS);
    return status;
}

/* Images of a periodic box that are not near it: into the local series of the root, and the background. */
static myr_status run_images(far_run *r)
{
    const myr_cuda_far *far = r->far;
    if (!far->has_lattice)
        return MYR_OK;
    myr_status status = cuda_far_launch(far, far->kernel[FAR_IMAGES], "adding images", MYR_FAR_THREADS, MYR_FAR_THREADS,
                                        &r->series, sizeof r->series);
    for (int s = 0; s < far->strengths && !status && r->series.background; s++) {
        r->series.number = s;
        r->series.factor[0] = r->options->strength[s][0];
        r->series.factor[1] = r->options->strength[s][1];
        status = cuda_far_launch(far, far->kernel[FAR_BACKGROUND], "summing the background", MYR_EXPANSION_SHARES,
                                 MYR_FAR_THREADS, &r->series, sizeof r->series);
    }
    if (!status && r->series.background)
        status = cuda_far_launch(far, far->kernel[FAR_QUADRATICS], "summing the background", MYR_FAR_THREADS,
                                 MYR_FAR_THREADS, &r->series, sizeof r->series);
    return status;
}

/* First level whose cells are met by others. */
static int run_met(const far_run *r)
{
    return r->far->has_lattice ? 1 : far_coarsest(r->far);
}

/* Parents of the cells, whose children are treated by octant. */
static myr_status run_m2l_portable(far_run *r)
{
    r->series.begin = run_level(r, run_met(r) - 1);
    r->series.end = run_level(r, r->levels - 1);
    const int64_t warps = (r->series.end - r->series.begin + 31) / 32 * 8 * r->far->strengths;
    return cuda_far_launch(r->far, r->far->kernel[FAR_M2L], "translating multipoles", warps * 32, M2L_THREADS,
                           &r->series, sizeof r->series);
}

static myr_status run_m2l(far_run *r)
{
    if (r->far->portable)
        return r->levels > run_met(r) ? run_m2l_portable(r) : MYR_OK;
    const int64_t cells = run_level(r, r->levels) - run_level(r, run_met(r));
    while (r->series.splits < M2L_SPLITS && cells * r->series.splits < M2L_MANY)
        r->series.splits *= 2;
    if (cuda_far_parity_wanted(r->far)) {
        const myr_status status = cuda_far_parity(r->far, run_met(r), &r->series);
        if (status)
            return status;
    }
    /* whole warps: 32 / splits cells each */
    return run_cells(r, r->far->kernel[FAR_M2L], "translating multipoles", run_met(r), r->levels, r->series.splits,
                     M2L_THREADS);
}

/* 1 if all leaves are of the last level, so that none meets coarser ones. */
static int run_is_even(const far_run *r)
{
    return run_level(r, r->levels) - run_level(r, r->levels - 1) == r->far->state->leaves;
}

static myr_status run_p2l(far_run *r)
{
    if (run_is_even(r))
        return MYR_OK;
    return run_cells(r, r->far->kernel[FAR_P2L], "expanding coarse leaves", run_met(r), r->levels, 32, MYR_FAR_THREADS);
}

static myr_status run_l2l(far_run *r)
{
    myr_status status = MYR_OK;
    for (int level = far_coarsest(r->far) + 1; level < r->levels && !status; level++)
        status = r->far->has_parity ? run_cells(r, r->far->parity_kernel[FAR_PARITY_DOWN], "shifting local series",
                                                level - 1, level, r->far->order * r->far->order, MYR_FAR_THREADS)
                                    : run_cells(r, r->far->kernel[FAR_L2L], "shifting local series", level, level + 1,
                                                r->far->order * r->far->order, MYR_FAR_THREADS);
    return status;
}

/* Bound of the number of items. */
static int64_t run_items(const far_run *r)
{
    return r->far->state->leaves + r->job->source.n / MYR_FAR_TARGETS + 1;
}

static myr_status run_l2p(far_run *r)
{
    const int degrees = r->far->order + r->far->depth, real = r->far->in_double ? 8 : 4;
    const int row = degrees * degrees * r->far->series * real; /* bytes of the series of a warp */
    int warps = 32768 / row;                                   /* L2P_WARPS of far_series.cuh */
    warps = warps < 1 ? 1 : warps < MYR_FAR_THREADS / 32 ? warps : MYR_FAR_THREADS / 32;
    const cuda_call call = {.kernel = r->far->kernel[FAR_L2P],
                            .grid = {(unsigned)((run_items(r) + warps - 1) / warps), 1, 1},
                            .threads = (unsigned)warps * 32,
                            .shared = (size_t)warps * (size_t)row,
                            .arguments = &r->series,
                            .size = sizeof r->series,
                            .what = "evaluating series"};
    return cuda_launch(r->far->cuda, r->far->context, &r->far->device, &call);
}

static myr_status run_near(far_run *r)
{
    const myr_cuda_far *far = r->far;
    const myr_direct *job = r->job;
    const far_near_program *program;
    myr_far_near a;
    myr_status status = cuda_far_near_program(r->far, job, far->sums, &program);
    if (!status && program->finish)
        status = cuda_far_room(r->far, FAR_WORDS,
                               (size_t)(job->source.n * job->unit->outputs * program->words) * sizeof *a.word, 0);
    if (status)
        return status;
    memset(&a, 0, sizeof a);
    cuda_arguments_numbers(job, &a.sweep);
    a.sweep.source = far_at(far, FAR_RECORD);
    a.sweep.target = far_at(far, FAR_TARGET_RECORD);
    a.sweep.report = far_at(far, FAR_REPORT);
    a.sweep.over = far_at(far, FAR_OVER);
    a.sweep.over_used = far_at(far, FAR_OVER_USED);
    a.sweep.targets = a.sweep.sources = job->source.n;
    a.sweep.careful = job->careful;
    a.sweep.factor = job->factor;
    for (int k = 0; k < job->unit->outputs; k++)
        a.sweep.value[k] = r->value[k];
    a.cell = far_at(far, FAR_CELLS);
    a.leaf = far_at(far, FAR_LEAVES);
    a.range = far_at(far, FAR_RANGE_POOL);
    a.item = far_at(far, FAR_ITEM_POOL);
    a.order = far_at(far, FAR_ORDER_0 + r->from);
    a.sum = far_at(far, FAR_SUM);
    a.word = far_at(far, FAR_WORDS);
    a.state = far_at(far, FAR_STATE);
    a.masks_self = job->self && job->unit->desc->self != MYR_SELF_COUNTED;
    a.sum_bytes = (int)far_sum_bytes(far);
    a.matrix = far_at(far, FAR_MATRIX);
    a.period = far->has_box ? r->options->period : 0;
    a.is_shared = r->is_shared;
    status = cuda_far_launch(far, program->near, "summing near pairs", run_items(r) * MYR_FAR_NEAR_THREADS,
                             MYR_FAR_NEAR_THREADS, &a, sizeof a);
    if (!status && program->finish)
        status = cuda_far_launch(far, program->finish, "adding near and far field", job->source.n, MYR_FAR_THREADS, &a,
                                 sizeof a);
    return status;
}

static myr_status run_lists(far_run *r)
{
    return cuda_far_lists(r->far, r->job, r->options);
}

/* A pass of one of the methods; both null = the method does not have it. */
typedef struct {
    myr_cuda_far_part part;
    myr_status (*pass)(far_run *r);
    myr_status (*cells)(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options);
} run_pass;

enum { PASSES = MYR_CUDA_FAR_PARTS - 1 }; /* all but the tree */

/* By myr_cuda_far_kind. */
static const run_pass method_passes[][PASSES] = {{{MYR_CUDA_FAR_LISTS, run_lists, NULL},
                                                  {MYR_CUDA_FAR_P2M, run_p2m, NULL},
                                                  {MYR_CUDA_FAR_M2M, run_m2m, NULL},
                                                  {MYR_CUDA_FAR_IMAGES, run_images, NULL},
                                                  {MYR_CUDA_FAR_M2L, run_m2l, NULL},
                                                  {MYR_CUDA_FAR_P2L, run_p2l, NULL},
                                                  {MYR_CUDA_FAR_L2L, run_l2l, NULL},
                                                  {MYR_CUDA_FAR_L2P, run_l2p, NULL},
                                                  {MYR_CUDA_FAR_P2P, run_near, NULL}},
                                                 {{MYR_CUDA_FAR_LISTS, NULL, cuda_far_cells_make},
                                                  {MYR_CUDA_FAR_P2M, NULL, cuda_far_cells_groups},
                                                  {MYR_CUDA_FAR_M2M, NULL, NULL},
                                                  {MYR_CUDA_FAR_IMAGES, NULL, NULL},
                                                  {MYR_CUDA_FAR_M2L, NULL, NULL},
                                                  {MYR_CUDA_FAR_P2L, NULL, NULL},
                                                  {MYR_CUDA_FAR_L2L, NULL, NULL},
                                                  {MYR_CUDA_FAR_L2P, NULL, NULL},
                                                  {MYR_CUDA_FAR_P2P, run_near, NULL}},
                                                 {{MYR_CUDA_FAR_LISTS, NULL, cuda_far_cells_make},
                                                  {MYR_CUDA_FAR_P2M, NULL, cuda_far_pseudo_lists},
                                                  {MYR_CUDA_FAR_M2M, NULL, NULL},
                                                  {MYR_CUDA_FAR_IMAGES, NULL, NULL},
                                                  {MYR_CUDA_FAR_M2L, NULL, cuda_far_pseudo_across},
                                                  {MYR_CUDA_FAR_P2L, NULL, NULL},
                                                  {MYR_CUDA_FAR_L2L, NULL, cuda_far_pseudo_down},
                                                  {MYR_CUDA_FAR_L2P, NULL, cuda_far_pseudo_read},
                                                  {MYR_CUDA_FAR_P2P, run_near, NULL}}};

static myr_status run_passes(far_run *r)
{
    const run_pass *p = method_passes[r->far->has_cells];
    myr_status status = MYR_OK;
    for (int k = 0; k < PASSES && !status; k++, p++) {
        if (p->pass)
            status = p->pass(r);
        else if (p->cells)
            status = p->cells(r->far, r->job, r->options);
        if (k == 0)
            run_arguments(r); /* the lists have their room now */
        if (!status)
            status = run_mark(r, p->part + 1);
    }
    return status;
}

/* --- results ------------------------------------------------------------------------------------------------------ */

myr_status cuda_far_copy(const far_run *r, void *to, const void *from, size_t size)
{
    return cuda_far_check(r->far, cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToHost, r->far->device.stream),
                          "copying from the device");
}

static myr_status run_collect(const far_run *r, myr_cuda_report *report)
{
    myr_status status = cuda_far_copy(r, report, far_at(r->far, FAR_REPORT), sizeof *report);
    if (!status)
        status = cuda_far_copy(r, r->far->state, far_at(r->far, FAR_STATE), sizeof *r->far->state);
    return status ? status
                  : cuda_far_check(r->far, cudaStreamSynchronize(r->far->device.stream), "evaluating the far field");
}

myr_status cuda_far_report(const myr_cuda_far *far, myr_cuda_far_report *report)
{
    const myr_far_state *s = far->state;
    myr_status status = MYR_OK;
    for (int k = 0; k < MYR_CUDA_FAR_PARTS && !status; k++) {
        float milliseconds = 0;
        status =
            cuda_far_check(far, cudaEventElapsedTime(&milliseconds, far->mark[k], far->mark[k + 1]), "taking the time");
        report->seconds[k] = 1e-3 * (double)milliseconds;
    }
    report->cells = s->level[far->levels];
    report->leaves = s->leaves;
    report->levels = far->levels;
    report->largest = s->largest;
    report->pairs = (int64_t)s->pairs;
    report->translations = (int64_t)s->translations;
    report->far_targets = (int64_t)s->far_targets;
    report->far_sources = (int64_t)s->far_sources;
    report->products = (int64_t)s->products;
    report->replaced = (int64_t)s->replaced;
    report->bytes = (int64_t)far->bytes;
    return status;
}

/* Forgets what the passes have counted before they are repeated with larger pools; the wanted sizes stay in the host's
 * copy. */
static myr_status run_again(const far_run *r)
{
    myr_far_state clean = *r->far->state;
    clean.overflow = 0;
    clean.own[0] = clean.own[1] = 0;
    memset(clean.used, 0, sizeof clean.used);
    clean.pairs = clean.translations = clean.far_targets = clean.far_sources = 0;
    clean.products = clean.replaced = 0;
    return cuda_far_check(
        r->far,
        cudaMemcpyAsync(far_at(r->far, FAR_STATE), &clean, sizeof clean, cudaMemcpyHostToDevice, r->far->device.stream),
        "clearing the state");
}

myr_status cuda_far_begin(far_run *r)
{
    myr_status status = run_mark(r, 0);
    if (!status)
        status = cuda_far_tree(r->far, r->job, r->options, &r->levels, &r->from);
    if (!status)
        status = run_mark(r, 1);
    if (!status)
        status = run_rooms(r);
    return status ? status : run_passes(r);
}

myr_status cuda_far_end(far_run *r, myr_cuda_report *found)
{
    myr_status status = run_collect(r, found);
    while (!status && r->far->state->overflow) {
        status = run_again(r);
        if (!status)
            status = run_passes(r);
        if (!status)
            status = run_collect(r, found);
    }
    return status;
}

myr_status cuda_far_evaluate(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options,
                             double *const *value, myr_cuda_report *found)
{
    far_run r = {.far = far, .job = job, .options = options, .value = value};
    far->share[0] = 0;
    far->share[1] = (int32_t)job->source.n;
    const myr_status status = cuda_far_begin(&r);
    return status ? status : cuda_far_end(&r, found);
}
