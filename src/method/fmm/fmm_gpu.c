/* fmm_gpu.c - the fast multipole method on a GPU: tables of its operators, and the call of the plug-in. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/far_args.h"
#include "backend/gpu.h"
#include "backend/units.h"
#include "core/memory.h"
#include "method/fmm/fmm_gpu.h"
#include "method/fmm/fmm_gpu_order.h"
#include "method/fmm/fmm_inside.h"

/* --- what a GPU can do -------------------------------------------------------------------------------------------- */

myr_status myr_fmm_gpu_check(myr_context *context, const char *kernel)
{
    if (!myr_far_field_find(kernel))
        return myr_context_fail(context, MYR_ERROR_COMBINATION, "kernel %s has no far field", kernel);
    return MYR_OK;
}

/* --- operators ---------------------------------------------------------------------------------------------------- */

/* Tables of myr_cuda_far_set. */
typedef struct {
    double *first, *up, *down, *swap, *axial, *parent, *children, *offset, *factor[2];
    int32_t *from[2];
    myr_fmm_gpu_order order; /* portable arithmetic: instead of swap, axial and offset */
} gpu_tables;

static void tables_free(gpu_tables *t)
{
    void *all[] = {t->first,    t->up,     t->down,      t->swap,      t->axial,   t->parent,
                   t->children, t->offset, t->factor[0], t->factor[1], t->from[0], t->from[1]};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    myr_fmm_gpu_order_free(&t->order);
}

static int tables_make(int order, int separation, int depth, gpu_tables *t)
{
    const int64_t p = order, degrees = p + depth + 1, terms = p * p, width = 4 * separation + 3;
    t->first = myr_memory_zeros(degrees, sizeof(double));
    t->up = myr_memory_zeros(degrees * degrees, sizeof(double));
    t->down = myr_memory_zeros(degrees * degrees, sizeof(double));
    t->swap = myr_memory_zeros(p * (2 * p * p + 1) / 3, sizeof(double));
    t->axial = myr_memory_zeros(p * (p + 1) * (2 * p + 1) / 6, sizeof(double));
    t->parent = myr_memory_zeros(8 * terms * terms, sizeof(double));
    t->children = myr_memory_zeros(8 * terms * terms, sizeof(double));
    t->offset = myr_memory_zeros(width * width * width * 5 * p, sizeof(double));
    int ready = t->first && t->up && t->down && t->swap && t->axial && t->parent && t->children && t->offset;
    for (int k = 0; k < 2; k++) {
        const int64_t more = p + k * depth;
        t->factor[k] = myr_memory_zeros(6 * more * more, sizeof(double));
        t->from[k] = myr_memory_zeros(6 * more * more, sizeof(int32_t));
        ready = ready && t->factor[k] && t->from[k];
    }
    return ready;
}

/* Recurrence of harmonics, and translations between parents and children. */
static void tables_copy(const myr_expansion *e, int depth, gpu_tables *t)
{
    const int degrees = e->order + depth + 1, terms = e->order * e->order;
    for (int n = 0; n < degrees; n++) {
        t->first[n] = ((const double *)e->harmonics.first)[n];
        for (int m = 0; m <= n; m++) {
            t->up[n * degrees + m] = ((const double *)e->harmonics.up)[n * MYR_EXPANSION_DEGREES + m];
            t->down[n * degrees + m] = ((const double *)e->harmonics.down)[n * MYR_EXPANSION_DEGREES + m];
        }
    }
    for (int o = 0; o < 8; o++)
        for (int c = 0; c < terms; c++)
            for (int r = 0; r < terms; r++) {
                const int64_t to = ((int64_t)o * terms + c) * terms + r;
                t->parent[to] = ((const double *)e->up[o].matrix)[(int64_t)c * e->up[o].rows + r];
                t->children[to] = ((const double *)e->down[o].matrix)[(int64_t)c * e->down[o].rows + r];
            }
}

/* Derivatives by the coefficient that they give: each is the sum of at most two. */
static int tables_derivatives(const myr_expansion *e, int irregular, int depth, gpu_tables *t)
{
    const int order = e->order + irregular * depth, terms = order * order;
    for (int axis = 0; axis < 3; axis++) {
        const myr_derivative *d = &e->harmonics.derivative[axis];
        for (int k = 0; k < d->end[order]; k++) {
            const int to = irregular ? d->from[k] : d->to[k], from = irregular ? d->to[k] : d->from[k];
            const double factor = ((const double *)d->factor)[k];
            int at = (axis * terms + to) * 2;
            if (t->factor[irregular][at] != 0)
                at++;
            if (t->factor[irregular][at] != 0)
                return 0;
            t->factor[irregular][at] = irregular ? -factor : factor;
            t->from[irregular][at] = from;
        }
    }
    return 1;
}

static void tables_offsets(const myr_expansion *e, gpu_tables *t)
{
    const int width = e->width, half = width / 2, p = e->order;
    for (int k = 0; k < width * width * width; k++) {
        const double d[3] = {k / (width * width) - half, k / width % width - half, k % width - half};
        const double across = hypot(d[0], d[1]), distance = hypot(across, d[2]);
        const double f = atan2(d[1], d[0]) - acos(0), theta = atan2(across, d[2]);
        double *row = t->offset + (int64_t)k * 5 * p;
        for (int m = 0; m < p && distance > 0; m++) {
            row[m] = cos(m * f);
            row[p + m] = sin(m * f);
            row[2 * p + m] = cos(m * theta);
            row[3 * p + m] = sin(m * theta);
            row[4 * p + m] = pow(distance, -m - 0.5);
        }
    }
}

static myr_status tables_fill(myr_context *context, const myr_expansion *e, int depth, int portable, gpu_tables *t)
{
    if (!tables_make(e->order, e->separation, depth, t) || !myr_expansion_rotation(e->order, 0, 1, t->swap) ||
        (portable && !myr_fmm_gpu_order_make(e, &t->order)))
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for expansions of order %d", e->order);
    myr_expansion_axial(e->order, 1, t->axial);
    tables_copy(e, depth, t);
    tables_offsets(e, t);
    for (int k = 0; k < 2; k++)
        if (!tables_derivatives(e, k, depth, t))
            return myr_context_fail(context, MYR_ERROR_VALUE, "a derivative of a series has three terms");
    return MYR_OK;
}

static myr_status gpu_open(myr_fmm *fmm, const myr_gpu *gpu, const myr_far_field *far)
{
    const int depth = (unsigned char)far->sum[far->sums - 1].depth; /* sums are in the order of their derivatives */
    int8_t step[MYR_FAR_FIELD_SERIES][3], sum[MYR_FAR_FIELD_SUMS][2];
    const myr_fmm_settings *s = &fmm->settings;
    /* other arithmetics have no order of operations to keep, and code of one order is fastest */
    const myr_expansion_options options = {s->order, s->separation, s->portable ? s->relax : 0};
    const myr_expansion_ops *ops =
        myr_units_expansion(fmm->context, myr_backend_isa(0), MYR_EXPANSION_DOUBLE, s->order);
    myr_expansion *e = NULL;
    gpu_tables t = {0};
    myr_status status = ops ? myr_expansion_create(fmm->context, ops, &options, &e) : MYR_ERROR_UNAVAILABLE;
    if (!status)
        status = tables_fill(fmm->context, e, depth, s->portable, &t);
    for (int k = 0; k < far->steps; k++)
        memcpy(step[k], (const int8_t[3]){far->step[k].to, far->step[k].from, far->step[k].axis}, sizeof step[k]);
    for (int k = 0; k < far->sums; k++)
        memcpy(sum[k], (const int8_t[2]){far->sum[k].series, far->sum[k].depth}, sizeof sum[k]);
    if (!status) {
        const myr_cuda_far_set set = {.context = fmm->context,
                                      .order = s->order,
                                      .separation = s->separation,
                                      .in_double = s->in_double,
                                      .portable = s->portable,
                                      .relaxed = s->relax > 0,
                                      .real_bytes = fmm->real_bytes,
                                      .coord_lanes = fmm->coord_lanes,
                                      .strengths = far->strengths,
                                      .negated = far->negated,
                                      .series = far->series,
                                      .steps = far->steps,
                                      .sums = far->sums,
                                      .depth = depth,
                                      .step = (const int8_t(*)[3])step,
                                      .sum = (const int8_t(*)[2])sum,
                                      .first = t.first,
                                      .up = t.up,
                                      .down = t.down,
                                      .swap = t.swap,
                                      .axial = t.axial,
                                      .parent = t.parent,
                                      .children = t.children,
                                      .offset = t.offset,
                                      .place = (const int32_t(*)[6])t.order.place,
                                      .translate = t.order.reals,
                                      .translate_reals = t.order.count,
                                      .factor = {t.factor[0], t.factor[1]},
                                      .from = {t.from[0], t.from[1]},
                                      .has_box = fmm->lattice != NULL,
                                      .lattice = fmm->lattice};
        status = gpu->plugin->far_open(gpu->cuda, &set, &fmm->device);
    }
    myr_expansion_destroy(&e);
    tables_free(&t);
    return status;
}

void myr_fmm_gpu_close(myr_fmm *fmm)
{
    if (fmm->device)
        fmm->isa->gpu->plugin->far_close(fmm->device);
    fmm->device = NULL;
}

/* --- evaluation --------------------------------------------------------------------------------------------------- */

/* Factors are found by asking for each value with each field of the target alone. */
void myr_fmm_gpu_matrix(const myr_far_field *far, int outputs, double *matrix)
{
    for (int q = 0; q < far->sums; q++)
        for (int f = 0; f <= MYR_FMM_GPU_FIELDS; f++) {
            double field[MYR_KERNEL_COMPONENTS] = {0}, sum[MYR_FAR_FIELD_SUMS] = {0},
                   output[MYR_KERNEL_OUTPUTS_MAX] = {0};
            sum[q] = 1;
            if (f)
                field[f - 1] = 1;
            far->add(field, sum, output);
            for (int k = 0; k < outputs; k++) {
                double *row = matrix + ((int64_t)k * far->sums + q) * (1 + MYR_FMM_GPU_FIELDS);
                row[f] = f ? output[k] - row[0] : output[k];
            }
        }
}

static void gpu_describe(const myr_cuda_far_report *from, double order, myr_fmm_report *to)
{
    static const int part[MYR_CUDA_FAR_PARTS] = {
        [MYR_CUDA_FAR_TREE] = MYR_FMM_tree, [MYR_CUDA_FAR_LISTS] = MYR_FMM_lists,   [MYR_CUDA_FAR_P2M] = MYR_FMM_p2m,
        [MYR_CUDA_FAR_M2M] = MYR_FMM_m2m,   [MYR_CUDA_FAR_IMAGES] = MYR_FMM_images, [MYR_CUDA_FAR_M2L] = MYR_FMM_m2l,
        [MYR_CUDA_FAR_P2L] = MYR_FMM_p2l,   [MYR_CUDA_FAR_L2L] = MYR_FMM_l2l,       [MYR_CUDA_FAR_L2P] = MYR_FMM_l2p,
        [MYR_CUDA_FAR_P2P] = MYR_FMM_p2p};
    for (int k = 0; k < MYR_CUDA_FAR_PARTS; k++)
        to->seconds[part[k]] = from->seconds[k];
    to->cells = from->cells;
    to->leaves = from->leaves;
    to->levels = from->levels;
    to->largest = from->largest;
    to->pairs = from->pairs;
    to->translations = from->translations;
    to->far_targets = from->far_targets;
    to->far_sources = from->far_sources;
    /* four rotations by 90 degrees, of which half the entries are 0, four about z, a translation along z */
    const double p = order, swap = p * (2 * p * p + 1) / 6,
                 along = (p * (p + 1) * (2 * p + 1) + p * (p - 1) * (2 * p - 1)) / 6;
    /* by matrices, 26 of p^2 x p^2 for each of 8 classes */
    to->operations = (double)(from->translations - from->replaced) * (4 * swap + 8 * p * (p - 1) + along + 2 * p * p) +
                     (double)from->products * 8 * 26 * p * p * p * p;
    to->bytes = from->bytes;
}

/* Refuses problems that a GPU cannot evaluate. */
static myr_status gpu_check(const myr_fmm *fmm, const myr_direct *problem, const myr_far_field *far)
{
    double most;
    const myr_unit *u = problem->unit;
    if (!fmm->isa->gpu->plugin->far_run)
        return myr_context_fail(fmm->context, MYR_ERROR_UNAVAILABLE, "GPU: the plug-in has no far fields");
    /* otherwise no cell is narrower than the reach of the widest core */
    if (fmm->settings.portable && myr_fmm_tree_reaches_differ(problem, far, &most))
        return myr_context_fail(
            fmm->context, MYR_ERROR_COMBINATION,
            "in portable arithmetic method fmm on a GPU needs vortex elements with cores of about one size; the "
            "largest is %g, and others are smaller by more than a sixth: use backend simd or ref",
            most);
    if (fmm->settings.portable && fmm->lattice && myr_fmm_tree_is_halved(fmm, problem, far))
        return myr_context_fail(fmm->context, MYR_ERROR_COMBINATION,
                                "in portable arithmetic method fmm on a GPU needs cells of a periodic box that are no "
                                "narrower than %g, where softening or cores end; the processor's are: use backend simd "
                                "or ref",
                                fmm->settings.reach);
    if (fmm->settings.portable && fmm->lattice && !myr_fmm_tree_is_same(problem))
        return myr_context_fail(fmm->context, MYR_ERROR_COMBINATION,
                                "in portable arithmetic method fmm on a GPU needs targets of a periodic box that are "
                                "its sources: use backend simd or ref");
    if (problem->loops == &u->loops[MYR_ACC_range] || fmm->settings.only_images)
        return myr_context_fail(
            fmm->context, MYR_ERROR_COMBINATION,
            "method fmm on a GPU does not measure the sizes of contributions, nor far images alone");
    return MYR_OK;
}

/* Opens the far field of a kernel for the layout of a problem's particles, unless it is open. */
static myr_status gpu_use(myr_fmm *fmm, const myr_unit *u, const myr_far_field *far)
{
    if (fmm->device &&
        (fmm->real_bytes != u->real_bytes || fmm->coord_lanes != u->coord_lanes || fmm->device_far != far))
        myr_fmm_gpu_close(fmm);
    fmm->real_bytes = u->real_bytes;
    fmm->coord_lanes = u->coord_lanes;
    fmm->device_far = far;
    return fmm->device ? MYR_OK : gpu_open(fmm, fmm->isa->gpu, far);
}

/* Options of an evaluation; the matrix is the caller's. */
static myr_cuda_far_options gpu_options(const myr_fmm *fmm, const myr_direct *problem, const myr_far_field *far,
                                        double *matrix)
{
    const myr_unit *u = problem->unit;
    const myr_octree_options tree = myr_fmm_tree_options(&fmm->settings, problem->source.n);
    const int fields = u->desc->coords * u->coord_lanes; /* first lane component that is no coordinate */
    myr_cuda_far_options options = {
        .leaf = tree.leaf, .least = tree.least, .full = tree.full, .enlarge = tree.enlarge, .matrix = matrix};
    for (int s = 0; s < far->strengths; s++)
        for (int k = 0; k < 2; k++)
            options.strength[s][k] = far->strength[s][k] < 0 ? -1 : fields + far->strength[s][k];
    options.idle = myr_fmm_gpu_has_idle(problem, options.strength, far->strengths);
    const myr_fmm_settings *s = &fmm->settings;
    options.period = s->box.period;
    options.background = s->box.periodic[0] && s->box.periodic[1] && s->box.periodic[2] && !s->images;
    memcpy(options.origin, s->box.origin, sizeof options.origin);
    memcpy(options.periodic, s->box.periodic, sizeof options.periodic);
    myr_fmm_gpu_matrix(far, u->outputs, matrix);
    return options;
}

/* Lets the tree be that of the processor, which has sources and targets. Other arithmetics have no bits to keep. */
static void gpu_set_roles(const myr_fmm *fmm, const uint8_t *role, int64_t sources, myr_cuda_far_options *options)
{
    if (!fmm->settings.portable)
        return;
    const myr_octree_options tree = myr_fmm_tree_options(&fmm->settings, sources);
    options->enlarge = tree.enlarge;
    options->role = role;
    options->sources = sources;
    options->idle = role != NULL;
}

/* Evaluates a problem whose targets are all of its sources. role: what they were before, null = both; the first
 * `sources` were sources. */
static myr_status gpu_run(myr_fmm *fmm, const myr_direct *problem, const myr_far_field *far, const uint8_t *role,
                          int64_t sources, myr_direct_result *result, myr_fmm_report *report)
{
    double matrix[MYR_FMM_GPU_MATRIX];
    myr_cuda_far_options options = gpu_options(fmm, problem, far, matrix);
    gpu_set_roles(fmm, role, sources, &options);
    myr_cuda_far_report device;
    int64_t own = 0;
    const myr_direct_share *share = problem->share;
    if (share) {
        options.rank = share->rank;
        options.ranks = share->ranks;
        options.order = share->order;
        options.own = &own;
    }
    const myr_status status = fmm->isa->gpu->plugin->far_run(fmm->device, problem, &options, result, &device);
    if (!status)
        gpu_describe(&device, fmm->settings.order, report);
    return status || !share ? status : myr_target_share_own(fmm->context, share, own);
}

static myr_status gpu_run_targets(myr_fmm *fmm, const myr_direct *problem, const myr_far_field *far,
                                  myr_direct_result *result, myr_fmm_report *report)
{
    myr_fmm_gpu_targets targets;
    myr_direct_result all = {.first_bad = -1};
    myr_status status = myr_fmm_gpu_targets_make(problem, far, &targets);
    if (status)
        return status;
    for (int k = 0; k < problem->unit->outputs; k++)
        all.value[k] = targets.value + k * targets.problem.source.n;
    status = gpu_run(fmm, &targets.problem, far, targets.role, problem->source.n, &all, report);
    if (!status)
        myr_fmm_gpu_targets_results(&targets, problem, &all, result);
    myr_fmm_gpu_targets_free(&targets);
    return status;
}

myr_status myr_fmm_gpu_run(myr_fmm *fmm, const myr_direct *problem, myr_direct_result *result, myr_fmm_report *report)
{
    const myr_far_field *far = myr_far_field_find(problem->unit->desc->name);
    memset(report, 0, sizeof *report);
    myr_direct_result_clear(result);
    if (problem->targets == 0)
        return MYR_OK;
    myr_status status = gpu_check(fmm, problem, far);
    if (!status)
        status = gpu_use(fmm, problem->unit, far);
    if (status)
        return status;
    if (myr_fmm_tree_is_same(problem))
        status = gpu_run(fmm, problem, far, NULL, problem->source.n, result, report);
    else
        status = gpu_run_targets(fmm, problem, far, result, report);
    if (status == MYR_ERROR_MEMORY)
        myr_fmm_gpu_close(fmm); /* gives back what it has: a smaller set may fit */
    return status;
}

/* --- motion ------------------------------------------------------------------------------------------------------- */

/* Keeps all targets on the GPU, of which the first may be the sources. */
static myr_status gpu_open_motion(myr_fmm *fmm, const myr_direct *problem, const myr_far_field *far,
                                  const myr_cuda_motion_set *set, myr_cuda_motion **motion)
{
    double matrix[MYR_FMM_GPU_MATRIX];
    myr_direct all = *problem;
    all.source.n = problem->targets;
    const int is_part = problem->source.n < all.source.n;
    uint8_t *role = is_part ? myr_memory_some(all.source.n, sizeof *role) : NULL;
    if (is_part && !role)
        return myr_context_fail(problem->context, MYR_ERROR_MEMORY, "no memory for %lld particles",
                                (long long)all.source.n);
    for (int64_t i = 0; role && i < all.source.n; i++)
        role[i] = i < problem->source.n ? MYR_FAR_SOURCE | MYR_FAR_TARGET : MYR_FAR_TARGET;
    myr_cuda_far_options options = gpu_options(fmm, &all, far, matrix);
    gpu_set_roles(fmm, role, problem->source.n, &options);
    const myr_status status = fmm->isa->gpu->plugin->far_motion_open(fmm->device, &all, &options, set, motion);
    free(role);
    return status;
}

myr_status myr_fmm_gpu_motion(myr_context *context, const myr_isa_table *isa, const myr_fmm_settings *settings,
                              const myr_direct *problem, const myr_cuda_motion_set *set, myr_cuda_motion **motion)
{
    const myr_far_field *far = myr_far_field_find(problem->unit->desc->name);
    myr_fmm *fmm = NULL;
    *motion = NULL;
    if (!isa->gpu->plugin->far_motion_open)
        return MYR_ERROR_COMBINATION;
    myr_status status = myr_fmm_create(context, isa, settings, &fmm);
    if (!status)
        status = gpu_check(fmm, problem, far);
    if (!status)
        status = gpu_use(fmm, problem->unit, far);
    if (!status)
        status = gpu_open_motion(fmm, problem, far, set, motion);
    if (!status)
        fmm->device = NULL; /* it belongs to the motion */
    myr_fmm_destroy(&fmm);
    return status;
}
