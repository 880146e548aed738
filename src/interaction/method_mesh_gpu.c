/* method_mesh_gpu.c - method mesh on a GPU: which mesh is there, evaluations, and motions that stay there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "interaction/method_mesh.h"

#define GPU_ROUNDING 0.25  /* part of the tolerance that rounding to integers may take */
#define GPU_REFERENCE 0.01 /* of the tolerance: error of the reference of a measured error */

void myr_method_mesh_gpu_close(struct myr_method_mesh *mesh)
{
    if (mesh->device)
        mesh->gpu->plugin->mesh_close(mesh->device);
    mesh->device = NULL;
}

/* Opens the mesh of the present choice, unless it is open. */
static myr_status gpu_use(myr_interaction *f, const myr_gpu *gpu, struct myr_method_mesh *m, int in_double)
{
    const double *box = f->method_state.box;
    const myr_mesh_choice *a = &m->choice, *b = &m->device_choice;
    int same = m->device && m->gpu == gpu && m->device_in_double == in_double && a->width == b->width &&
               a->beta == b->beta && a->fineness == b->fineness;
    for (int c = 0; c < 3; c++)
        same &= a->side[c] == b->side[c] && box[c] == m->device_edge[c];
    if (same)
        return MYR_OK;
    myr_method_mesh_gpu_close(m);
    m->gpu = gpu;
    m->device_choice = m->choice;
    m->device_in_double = in_double;
    memcpy(m->device_edge, box, sizeof m->device_edge);
    return myr_mesh_gpu_open(f->context, gpu, &m->choice, box, m->question.fitted, in_double, &m->device);
}

static int gpu_in_double(const myr_interaction *f)
{
    const struct myr_method_mesh *m = f->method_state.mesh;
    return m->in_double || m->question.tolerance < MYR_MESH_GPU_FLOATS;
}

/* Chooses a mesh for the particles, and opens it. */
static myr_status gpu_ready(myr_interaction *f, const myr_gpu *gpu, const myr_mesh_problem *p)
{
    const myr_status status = myr_method_mesh_choose(f, p, 1);
    return status ? status : gpu_use(f, gpu, f->method_state.mesh, gpu_in_double(f));
}

static myr_cuda_mesh_form gpu_form(const myr_mesh_problem *p)
{
    return (myr_cuda_mesh_form){.core = p->core,
                                .velocity = p->form->velocity,
                                .stretching = myr_mesh_form_stretches(p->form),
                                .classical = p->form->classical,
                                .transposed = p->form->transposed};
}

static myr_cuda_mesh_job gpu_job(const myr_mesh_problem *p)
{
    myr_cuda_mesh_job job = {.n = p->n, .m = p->m, .form = gpu_form(p)};
    for (int c = 0; c < 3; c++) {
        job.x[c] = p->x[c];
        job.strength[c] = p->strength[c];
    }
    return job;
}

/* Adds what kernels leave out to the stretching of target i, which is target `of` of the problem. */
static void gpu_turn(const myr_mesh_problem *p, int64_t of, double *const *value, int64_t i)
{
    double turn[3];
    if (!myr_mesh_form_stretches(p->form))
        return;
    myr_mesh_problem_turn(p, of, turn);
    for (int c = 0; c < 3; c++)
        value[3 * p->form->velocity + c][i] += (p->form->classical - p->form->transposed) * turn[c];
}

/* Evaluates at m targets, numbers pick[] of the problem's (null = all), with the open mesh: value[outputs][m]. */
static myr_status gpu_targets(myr_interaction *f, const myr_mesh_problem *p, int64_t m, const int64_t *pick,
                              double *const *value, myr_cuda_mesh_report *report)
{
    struct myr_method_mesh *mesh = f->method_state.mesh;
    myr_cuda_mesh_job job = gpu_job(p);
    double *memory = myr_memory_some(6 * m + 1, sizeof *memory);
    if (!memory)
        return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for %lld targets", (long long)m);
    for (int64_t i = 0; i < m; i++) {
        const int64_t of = pick ? pick[i] : i;
        double strength[3] = {0};
        if (myr_mesh_form_stretches(p->form))
            myr_mesh_problem_strength(p, of, strength);
        for (int c = 0; c < 3; c++) {
            memory[c * m + i] = p->at[c][of];
            memory[(3 + c) * m + i] = strength[c];
        }
    }
    job.m = m;
    for (int c = 0; c < 3; c++) {
        job.at[c] = memory + c * m;
        job.turned[c] = memory + (3 + c) * m;
    }
    const myr_status status = mesh->gpu->plugin->mesh_run(mesh->device, &job, value, report);
    for (int64_t i = 0; i < m && !status; i++)
        gpu_turn(p, pick ? pick[i] : i, value, i);
    free(memory);
    return status;
}

/* 1 if targets are the sources with the strengths of these. */
static int gpu_is_same(const myr_mesh_problem *p)
{
    const myr_direct *d = p->problem;
    const int first = d->unit->desc->coords * d->unit->coord_lanes;
    int same = p->same;
    for (int c = first; c < first + 3 && myr_mesh_form_stretches(p->form); c++)
        same &= d->target.component[c] == d->source.component[c];
    return same;
}

static myr_status gpu_evaluate(myr_interaction *f, const myr_mesh_problem *p, myr_cuda_mesh_report *report)
{
    const struct myr_method_mesh *mesh = f->method_state.mesh;
    const myr_cuda_mesh_job job = gpu_job(p);
    return gpu_is_same(p) ? mesh->gpu->plugin->mesh_run(mesh->device, &job, p->value, report)
                          : gpu_targets(f, p, p->m, NULL, p->value, report);
}

myr_status myr_method_mesh_gpu_sums(myr_interaction *f, const myr_gpu *gpu, myr_mesh_problem *p)
{
    static const int phase[MYR_CUDA_MESH_PHASES] = {[MYR_CUDA_MESH_SORT] = MYR_MESH_PLACE,
                                                    [MYR_CUDA_MESH_SPREADING] = MYR_MESH_SPREAD,
                                                    [MYR_CUDA_MESH_TRANSFORM] = MYR_MESH_TRANSFORM,
                                                    [MYR_CUDA_MESH_GATHERING] = MYR_MESH_GATHER};
    double seconds[MYR_MESH_PHASES] = {0};
    myr_cuda_mesh_report report = {.bytes = 0};
    myr_status status = gpu_ready(f, gpu, p);
    struct myr_method_mesh *mesh = f->method_state.mesh;
    if (!status)
        status = gpu_evaluate(f, p, &report);
    if (!status && !mesh->device_in_double && report.rounding > GPU_ROUNDING * mesh->question.tolerance) {
        mesh->in_double = 1;
        status = gpu_use(f, gpu, mesh, 1);
        if (!status)
            status = gpu_evaluate(f, p, &report);
    }
    if (status == MYR_ERROR_MEMORY && mesh)
        myr_method_mesh_gpu_close(mesh); /* gives back what it has: a smaller set may fit */
    if (status)
        return status;
    for (int k = 0; k < MYR_CUDA_MESH_PHASES; k++)
        seconds[phase[k]] += report.seconds[k];
    myr_method_mesh_keep(f, &mesh->choice, mesh->device_in_double, report.bytes, seconds);
    return MYR_OK;
}

myr_status myr_method_mesh_gpu_reference(myr_interaction *f, const myr_gpu *gpu, const myr_mesh_problem *p,
                                         int64_t samples, const int64_t *pick, double (*right)[6])
{
    struct myr_method_mesh *own = f->method_state.mesh, finer = {.question = own->question};
    myr_cuda_mesh_report report;
    double *value[6], *memory = myr_memory_zeros(6 * samples + 1, sizeof *memory);
    if (!memory)
        return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for %lld targets", (long long)samples);
    for (int k = 0; k < 6; k++)
        value[k] = memory + k * samples;
    finer.question.tolerance = fmax(GPU_REFERENCE * own->question.tolerance, 1e-13);
    finer.question.fitted = 0; /* other weights than those that are measured */
    (void)myr_mesh_choose(&finer.question, &finer.choice);
    f->method_state.mesh = &finer;
    myr_status status = gpu_use(f, gpu, &finer, 1);
    if (!status)
        status = gpu_targets(f, p, samples, pick, value, &report);
    myr_method_mesh_gpu_close(&finer);
    f->method_state.mesh = own;
    for (int64_t i = 0; i < samples && !status; i++)
        for (int k = 0; k < 6; k++)
            right[i][k] = value[k][i];
    free(memory);
    return status;
}

myr_status myr_method_mesh_gpu_motion(myr_interaction *f, const myr_gpu *gpu, const myr_mesh_problem *p,
                                      const myr_cuda_motion_set *set, myr_cuda_motion **motion)
{
    const myr_cuda_mesh_job job = gpu_job(p);
    *motion = NULL;
    if (!gpu->plugin->mesh_motion_open || !gpu_is_same(p) || !(p->core > 0))
        return MYR_ERROR_COMBINATION;
    myr_status status = gpu_ready(f, gpu, p);
    if (!status)
        status = gpu->plugin->mesh_motion_open(f->method_state.mesh->device, p->problem, &job, set, motion);
    if (!status)
        f->method_state.mesh->device = NULL; /* it belongs to the motion */
    return status;
}
