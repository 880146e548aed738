/* box_bath.c - particles in a box on a device: steps whose velocities are those at the end of the step, with
 * thermostats that scale velocities. See box_bath.cuh. */
#include <math.h>

#include "backend/cuda/box_inside.h"

myr_status cuda_box_bath_begin(myr_cuda_box *b, const myr_cuda_box_steps *s)
{
    const myr_box_bath_state start = {.chain = s->chain, .factor = 1};
    const myr_status status = cuda_box_send_heat(b, s->bath_heat, 2 * s->most);
    b->bath.set = *s->bath;
    b->bath.heat = b->heat;
    b->bath.dt = s->dt;
    b->bath.step = cuda_box_step_arguments(b, s);
    return status ? status : cuda_box_upload(b, b->bath.bath, &start, sizeof start);
}

myr_status cuda_box_bath_fetch(myr_cuda_box *b, box_chain *chain)
{
    const myr_status status = cuda_box_check(
        b, cudaMemcpyAsync(chain, &b->bath.bath->chain, sizeof *chain, cudaMemcpyDeviceToHost, b->device.stream),
        "copying from the device");
    return status ? status : cuda_box_check(b, cudaStreamSynchronize(b->device.stream), "copying from the device");
}

static myr_status bath_launch(myr_cuda_box *b, box_kernel k, int64_t threads, int block, myr_box_bath *a)
{
    a->step.all = cuda_box_common(b, a->step.all.most);
    return cuda_box_launch(b, k, threads, block, a, sizeof *a);
}

/* Kicks the particles, scales their velocities, and finds the next factor. */
static myr_status bath_find(myr_cuda_box *b, double h, int scaled, int second)
{
    myr_box_bath a = b->bath;
    a.h = h;
    a.scaled = scaled;
    a.measure = 1;
    a.second = second;
    myr_status status = bath_launch(b, KERNEL_BATH_KICK, b->set.n, 256, &a);
    if (!status && b->set.is_divided)
        status = cuda_box_ranks_bath(b, 0);
    if (!status)
        status = bath_launch(b, KERNEL_BATH_SUM, b->set.n, 256, &a);
    if (!status && b->set.is_divided)
        status = cuda_box_ranks_bath(b, 1);
    return status ? status : bath_launch(b, KERNEL_BATH_FACTOR, 32, 32, &a);
}

static myr_status bath_kick(myr_cuda_box *b, double h, int scaled)
{
    myr_box_bath a = b->bath;
    a.h = h;
    a.scaled = scaled;
    return bath_launch(b, KERNEL_BATH_KICK, b->set.n, 256, &a);
}

/* Kick and drift; scaled: 1 = with the factor that was found. */
static myr_status bath_move(myr_cuda_box *b, const myr_cuda_box_steps *s, int64_t most, int scaled)
{
    myr_box_bath a = b->bath;
    a.scaled = scaled;
    a.step.kick = s->kick;
    a.step.all.most = most;
    const int64_t threads = (int64_t)b->all.clusters * MYR_BOX_CLUSTER;
    const myr_status status = bath_launch(b, KERNEL_BATH_MOVE, threads, MYR_BOX_THREADS, &a);
    b->at++;
    return status;
}

myr_status cuda_box_bath_first(myr_cuda_box *b, const myr_cuda_box_steps *s, int64_t most)
{
    const int has_chain = s->bath->kind == BOX_BATH_CHAIN;
    const myr_status status = has_chain ? bath_find(b, 0, 0, 0) : MYR_OK;
    return status ? status : bath_move(b, s, most, has_chain);
}

myr_status cuda_box_bath_last(myr_cuda_box *b, const myr_cuda_box_steps *s)
{
    if (s->bath->kind == BOX_BATH_NONE)
        return bath_kick(b, 0.5 * s->dt, 0);
    const myr_status status = bath_find(b, 0.5 * s->dt, 0, 1);
    return status ? status : bath_kick(b, 0, 1);
}

myr_status cuda_box_bath_next(myr_cuda_box *b, const myr_cuda_box_steps *s, int64_t most)
{
    myr_box_step a = cuda_box_step_arguments(b, s);
    a.move = 0;
    myr_status status = cuda_box_step(b, &a, most);
    if (!status &&
        s->bath->kind == BOX_BATH_CHAIN) { /* one launch scales, and measures for the next half of the chain */
        status = bath_find(b, 0.5 * s->dt, 0, 1);
        if (!status)
            status = bath_find(b, 0, 1, 0);
        return status ? status : bath_move(b, s, most, 1);
    }
    if (!status)
        status = cuda_box_bath_last(b, s);
    return status ? status : bath_move(b, s, most, 0);
}
