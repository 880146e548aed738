/* mesh_run.c - an evaluation of vortex elements on a mesh on a device. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/mesh_inside.h"

static myr_status run_check(const myr_cuda_mesh *mesh, cudaError_t error, const char *what)
{
    return cuda_check(mesh->cuda, mesh->context, error, what);
}

static void *run_at(const myr_cuda_mesh *mesh, cuda_buffer_id id)
{
    return mesh->device.buffer[id].at;
}

static myr_status run_room(myr_cuda_mesh *mesh, cuda_buffer_id id, size_t bytes)
{
    return cuda_room(mesh->cuda, mesh->context, &mesh->device, id, bytes);
}

static myr_status run_clear(const myr_cuda_mesh *mesh, cuda_buffer_id id, size_t bytes)
{
    return run_check(mesh, cudaMemsetAsync(run_at(mesh, id), 0, bytes, mesh->device.stream), "clearing memory");
}

static myr_status run_mark(const myr_cuda_mesh *mesh, int k)
{
    return run_check(mesh, cudaEventRecord(mesh->mark[k], mesh->device.stream), "taking the time");
}

static int64_t run_blocks(int64_t threads)
{
    return (threads + MYR_CUDA_MESH_THREADS - 1) / MYR_CUDA_MESH_THREADS;
}

static myr_status run_launch(const myr_cuda_mesh *mesh, myr_cuda_mesh_pass *p, mesh_kernel kernel, int64_t blocks)
{
    return cuda_mesh_launch(mesh, kernel, blocks, p, sizeof *p);
}

/* Stores number k of a table in the arithmetic of the mesh. */
static void run_store(const myr_cuda_mesh *mesh, char *table, size_t k, double value)
{
    const size_t real = mesh_real_bytes(mesh);
    const float narrow = (float)value;
    memcpy(table + k * real, mesh->in_double ? (const void *)&value : (const void *)&narrow, real);
}

/* Wave numbers, and factors with the core's Gaussian: copied where the core is another one. */
static myr_status run_tables(myr_cuda_mesh *mesh, double core)
{
    const int32_t *side = mesh->pass.side;
    const size_t real = mesh_real_bytes(mesh), all = 2 * (size_t)(side[0] + side[1] + side[2]);
    char *to = run_at(mesh, BUFFER_MESH_TABLES);
    if (mesh->core == core)
        return MYR_OK;
    char *table = malloc(all * real);
    if (!table)
        return mesh->cuda->host->fail(mesh->context, MYR_ERROR_MEMORY, "no memory for the waves of a mesh");
    size_t at = 0;
    for (int c = 0; c < 3; c++) {
        mesh->pass.wave[c] = to + at * real;
        for (int32_t k = 0; k < side[c]; k++)
            run_store(mesh, table, at++, mesh->wave[c][k]);
        mesh->pass.damped[c] = to + at * real;
        for (int32_t k = 0; k < side[c]; k++)
            run_store(mesh, table, at++, mesh->unwound[c][k] * exp(-0.5 * pow(core * mesh->wave[c][k], 2)));
    }
    const myr_status status = run_check(
        mesh, cudaMemcpyAsync(to, table, all * real, cudaMemcpyHostToDevice, mesh->device.stream), "copying waves");
    free(table);
    mesh->core = status ? 0 : core;
    return status;
}

/* Sorts the places of n positions by tile into a buffer of records. */
static myr_status run_sort(myr_cuda_mesh *mesh, myr_cuda_mesh_pass *p, cuda_buffer_id records)
{
    const size_t n = (size_t)p->n;
    myr_status status = run_room(mesh, records, n * MYR_CUDA_MESH_RECORD * mesh_real_bytes(mesh) + 1);
    if (!status)
        status = run_room(mesh, BUFFER_MESH_RANK, n * sizeof(uint32_t) + 1);
    p->record = run_at(mesh, records);
    p->rank = run_at(mesh, BUFFER_MESH_RANK);
    if (!status)
        status = run_clear(mesh, BUFFER_MESH_FIRST, ((size_t)mesh_tiles(mesh) + 1) * sizeof(uint32_t));
    if (!status)
        status = run_launch(mesh, p, MESH_COUNT, run_blocks(p->n));
    if (!status)
        status = run_launch(mesh, p, MESH_SCAN, 1);
    return status ? status : run_launch(mesh, p, MESH_PLACE, run_blocks(p->n));
}

static myr_status run_spread(myr_cuda_mesh *mesh, myr_cuda_mesh_pass *p)
{
    const int64_t tiles = mesh_tiles(mesh), points = mesh_points(mesh);
    myr_status status = run_launch(mesh, p, MESH_WEIGH, run_blocks(32 * tiles));
    if (!status)
        status = run_launch(mesh, p, MESH_BOUND, run_blocks(tiles));
    if (!status)
        status = run_clear(mesh, BUFFER_MESH_GRID, 3 * (size_t)points * mesh_real_bytes(mesh));
    if (!status)
        status = run_launch(mesh, p, MESH_SPREAD, tiles);
    return status ? status : run_launch(mesh, p, MESH_REAL, run_blocks(3 * points));
}

static myr_status run_transform(myr_cuda_mesh *mesh, myr_cuda_mesh_pass *p)
{
    myr_status status = cuda_fourier_run(mesh->cuda, mesh->context, &mesh->fourier, 0, p->grid);
    if (!status)
        status = run_launch(mesh, p, MESH_VELOCITY, run_blocks(mesh_points(mesh) / 2));
    return status ? status : cuda_fourier_run(mesh->cuda, mesh->context, &mesh->fourier, 1, p->grid);
}

static myr_status run_gather(myr_cuda_mesh *mesh, const mesh_arrays *a, myr_cuda_mesh_pass *p)
{
    myr_status status = MYR_OK;
    p->classical = a->form->classical;
    p->transposed = a->form->transposed;
    p->velocity = a->form->velocity;
    p->stretching = a->form->stretching;
    for (int k = 0; k < 6; k++)
        p->value[k] = a->value[k];
    if (a->at[0]) {
        p->n = a->m;
        for (int c = 0; c < 3; c++) {
            p->x[c] = a->at[c];
            p->strength[c] = a->turned[c];
        }
        status = run_sort(mesh, p, BUFFER_MESH_TARGETS);
    }
    return status ? status : run_launch(mesh, p, MESH_GATHER, mesh_tiles(mesh));
}

static myr_status run_phases(myr_cuda_mesh *mesh, const mesh_arrays *a)
{
    myr_cuda_mesh_pass p = mesh->pass;
    p.n = a->n;
    for (int c = 0; c < 3; c++) {
        p.x[c] = a->x[c];
        p.strength[c] = a->strength[c];
    }
    p.first = run_at(mesh, BUFFER_MESH_FIRST);
    p.sum = run_at(mesh, BUFFER_MESH_SUM);
    p.state = run_at(mesh, BUFFER_MESH_STATE);
    p.grid = run_at(mesh, BUFFER_MESH_GRID);
    myr_status status = run_clear(mesh, BUFFER_MESH_STATE, sizeof(myr_cuda_mesh_state));
    if (!status)
        status = run_mark(mesh, MYR_CUDA_MESH_SORT);
    if (!status)
        status = run_sort(mesh, &p, BUFFER_MESH_SOURCES);
    if (!status)
        status = run_mark(mesh, MYR_CUDA_MESH_SPREADING);
    if (!status)
        status = run_spread(mesh, &p);
    if (!status)
        status = run_mark(mesh, MYR_CUDA_MESH_TRANSFORM);
    if (!status)
        status = run_transform(mesh, &p);
    if (!status)
        status = run_mark(mesh, MYR_CUDA_MESH_GATHERING);
    if (!status)
        status = run_gather(mesh, a, &p);
    return status ? status : run_mark(mesh, MYR_CUDA_MESH_PHASES);
}

myr_status cuda_mesh_evaluate(myr_cuda_mesh *mesh, const mesh_arrays *arrays)
{
    myr_status status = run_check(mesh, cudaSetDevice(mesh->device.id), "choosing a device");
    if (!status)
        status = run_tables(mesh, arrays->form->core);
    if (!status)
        status = run_phases(mesh, arrays);
    if (!status)
        status = run_check(mesh,
                           cudaMemcpyAsync(mesh->state, run_at(mesh, BUFFER_MESH_STATE), sizeof *mesh->state,
                                           cudaMemcpyDeviceToHost, mesh->device.stream),
                           "copying from the device");
    return status ? status : run_check(mesh, cudaStreamSynchronize(mesh->device.stream), "evaluating on a mesh");
}

/* --- elements of the host ----------------------------------------------------------------------------------------- */

/* Copies an array behind what is there; returns its place on the device. */
static myr_status run_send(const myr_cuda_mesh *mesh, const double *from, int64_t n, double **next, const double **at)
{
    *at = *next;
    *next += n;
    return run_check(
        mesh, cudaMemcpyAsync((void *)*at, from, (size_t)n * sizeof *from, cudaMemcpyHostToDevice, mesh->device.stream),
        "copying to the device");
}

static myr_status run_input(myr_cuda_mesh *mesh, const myr_cuda_mesh_job *job, mesh_arrays *a)
{
    const int64_t all = 6 * job->n + (job->at[0] ? 6 * job->m : 0);
    myr_status status = run_room(mesh, BUFFER_MESH_INPUT, (size_t)all * sizeof(double) + 1);
    double *next = run_at(mesh, BUFFER_MESH_INPUT);
    for (int c = 0; c < 3 && !status; c++) {
        status = run_send(mesh, job->x[c], job->n, &next, &a->x[c]);
        if (!status)
            status = run_send(mesh, job->strength[c], job->n, &next, &a->strength[c]);
        if (!status && job->at[0])
            status = run_send(mesh, job->at[c], job->m, &next, &a->at[c]);
        if (!status && job->at[0] && job->turned[c])
            status = run_send(mesh, job->turned[c], job->m, &next, &a->turned[c]);
    }
    return status;
}

/* Size of the integers' unit over the mean strength, times 1.4: rounding of the mesh's sums over their size, for
 * strengths that are white noise and a window whose squares sum to 0.35 along an axis. */
static double run_rounding(const myr_cuda_mesh *mesh, int64_t n)
{
    const myr_cuda_mesh_state *s = mesh->state;
    return s->total ? 1.4 * (double)s->bound * (double)n / ((double)s->total * (mesh->in_double ? 0x1p61 : 0x1p30)) : 0;
}

static myr_status run_report(const myr_cuda_mesh *mesh, int64_t n, myr_cuda_mesh_report *report)
{
    myr_status status = MYR_OK;
    *report = (myr_cuda_mesh_report){.rounding = run_rounding(mesh, n)};
    for (int b = 0; b < BUFFER_COUNT; b++)
        report->bytes += (int64_t)mesh->device.buffer[b].size;
    for (int k = 0; k < MYR_CUDA_MESH_PHASES && !status; k++) {
        float milliseconds = 0;
        status =
            run_check(mesh, cudaEventElapsedTime(&milliseconds, mesh->mark[k], mesh->mark[k + 1]), "taking the time");
        report->seconds[k] = 1e-3 * (double)milliseconds;
    }
    return status;
}

myr_status cuda_mesh_run(myr_cuda_mesh *mesh, const myr_cuda_mesh_job *job, double *const *value,
                         myr_cuda_mesh_report *report)
{
    const int outputs = 3 * (job->form.velocity + job->form.stretching);
    const size_t bytes = (size_t)job->m * sizeof(double);
    mesh_arrays a = {.n = job->n, .m = job->m, .form = &job->form};
    myr_status status = run_check(mesh, cudaSetDevice(mesh->device.id), "choosing a device");
    if (!status)
        status = run_input(mesh, job, &a);
    if (!status)
        status = run_room(mesh, BUFFER_MESH_VALUES, (size_t)outputs * bytes + 1);
    for (int k = 0; k < outputs; k++)
        a.value[k] = value[k] ? (double *)run_at(mesh, BUFFER_MESH_VALUES) + k * job->m : NULL;
    if (!status)
        status = cuda_mesh_evaluate(mesh, &a);
    if (!status && mesh->state->bad & 1)
        status = mesh->cuda->host->fail(mesh->context, MYR_ERROR_VALUE,
                                        "GPU: a position or a strength of an element is not finite");
    for (int k = 0; k < outputs && !status; k++)
        if (value[k])
            status = run_check(
                mesh, cudaMemcpyAsync(value[k], a.value[k], bytes, cudaMemcpyDeviceToHost, mesh->device.stream),
                "copying from the device");
    if (!status)
        status = run_check(mesh, cudaStreamSynchronize(mesh->device.stream), "copying from the device");
    return status ? status : run_report(mesh, job->n, report);
}
