/* mesh_motion.c - vortex elements integrated on a device with velocities by a mesh, whose arrays of doubles are those
 * of the motion. */
#include <stdlib.h>

#include "backend/cuda/mesh_inside.h"
#include "backend/cuda/motion_inside.h"

struct mesh_motion {
    myr_cuda_mesh *mesh;
    myr_cuda_mesh_form form;
};

static myr_status mesh_motion_move(myr_cuda_motion *m, int records)
{
    const myr_cuda_mesh *mesh = m->mesh->mesh;
    (void)records; /* the evaluation reads the arrays themselves */
    if (!m->waiting.sums)
        return MYR_OK;
    myr_cuda_move a = m->waiting;
    a.bodies.n = m->n;
    m->waiting.sums = 0;
    return cuda_mesh_launch(mesh, MESH_MOVE, (m->n + MYR_CUDA_MESH_THREADS - 1) / MYR_CUDA_MESH_THREADS, &a, sizeof a);
}

static myr_status mesh_motion_rates(myr_cuda_motion *m, const myr_direct *job, double *const *value)
{
    const struct mesh_motion *own = m->mesh;
    mesh_arrays a = {.n = m->n, .m = m->n, .form = &own->form};
    const myr_cuda_bodies bodies = m->waiting.bodies;
    myr_status status = mesh_motion_move(m, 1);
    for (int c = 0; c < 3; c++) {
        a.x[c] = bodies.x[c];
        a.strength[c] = bodies.v[c] ? bodies.v[c] : (const double *)m->device->buffer[BUFFER_MESH_INPUT].at + c * m->n;
    }
    for (int k = 0; k < job->unit->outputs; k++)
        a.value[k] = value[k];
    if (!status)
        status = cuda_mesh_evaluate(own->mesh, &a);
    if (!status)
        m->trouble |= own->mesh->state->bad != 0;
    return status;
}

void cuda_mesh_motion_close(struct mesh_motion *own)
{
    cuda_mesh_close(own->mesh);
    free(own);
}

/* Strengths that do not change stay in the buffer of sources that an evaluation of the host's elements would use. */
static myr_status mesh_motion_send(const struct mesh_motion *own, const double *const strength[3], int64_t n)
{
    myr_cuda_mesh *mesh = own->mesh;
    myr_status status =
        cuda_room(mesh->cuda, mesh->context, &mesh->device, BUFFER_MESH_INPUT, 3 * (size_t)n * sizeof(double));
    for (int c = 0; c < 3 && !status; c++)
        status = cuda_check(mesh->cuda, mesh->context,
                            cudaMemcpyAsync((double *)mesh->device.buffer[BUFFER_MESH_INPUT].at + c * n, strength[c],
                                            (size_t)n * sizeof(double), cudaMemcpyHostToDevice, mesh->device.stream),
                            "copying to the device");
    return status;
}

myr_status cuda_mesh_motion_open(myr_cuda_mesh *mesh, const myr_direct *job, const myr_cuda_mesh_job *elements,
                                 const myr_cuda_motion_set *set, myr_cuda_motion **motion)
{
    myr_cuda_motion *m;
    *motion = NULL;
    myr_status status = cuda_motion_make(mesh->cuda, job, set, &m);
    if (status)
        return status;
    m->device = &mesh->device;
    m->move = mesh_motion_move;
    m->rates = mesh_motion_rates;
    m->mesh = calloc(1, sizeof *m->mesh);
    if (!m->mesh)
        status = mesh->cuda->host->fail(job->context, MYR_ERROR_MEMORY, "no memory for a motion");
    else
        *m->mesh = (struct mesh_motion){mesh, elements->form};
    if (!status && set->velocity < 0)
        status = mesh_motion_send(m->mesh, elements->strength, m->n);
    if (!status)
        status = cuda_motion_rooms(m);
    if (status) { /* the mesh is still the caller's */
        free(m->mesh);
        free(m);
        return status;
    }
    *motion = m;
    return MYR_OK;
}
