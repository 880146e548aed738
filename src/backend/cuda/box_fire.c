/* box_fire.c - minimisation of the energy by FIRE of particles in a box on a device. See box.c. */
#include <string.h>

#include "backend/cuda/box_inside.h"

/* Launches a kernel whose sums are cleared before, and copies `count` of these to the host; 0 = without waiting. */
static myr_status fire_launch(myr_cuda_box *b, box_kernel k, myr_box_fire *a, unsigned long long *sum, size_t count)
{
    const size_t bytes = count * sizeof *sum;
    a->all = cuda_box_common(b, 0);
    a->total = b->total;
    myr_status status = cuda_box_check(b, cudaSetDevice(b->device.id), "choosing a device");
    if (!status)
        status =
            cuda_box_check(b, cudaMemsetAsync(b->total, 0, 6 * sizeof *b->total, b->device.stream), "clearing sums");
    if (!status)
        status = cuda_box_launch(b, k, b->set.n, 256, a, sizeof *a);
    if (status || !count)
        return status;
    status = cuda_box_check(b, cudaMemcpyAsync(sum, b->total, bytes, cudaMemcpyDeviceToHost, b->device.stream),
                            "copying from the device");
    return status ? status : cuda_box_check(b, cudaStreamSynchronize(b->device.stream), "minimising the energy");
}

myr_status cuda_box_fire_sums(myr_cuda_box *box, const double *scale, double largest2[2],
                              unsigned long long total[3][2])
{
    myr_box_fire a = {.total = NULL};
    if (!scale) {
        unsigned long long bits[2] = {0, 0};
        const myr_status status = fire_launch(box, KERNEL_FIRE_LARGEST, &a, bits, 2);
        memcpy(largest2, bits, sizeof bits);
        return status;
    }
    memcpy(a.scale, scale, sizeof a.scale);
    return fire_launch(box, KERNEL_FIRE_SUMS, &a, total[0], 6);
}

myr_status cuda_box_fire_move(myr_cuda_box *box, const box_fire *step, double *furthest, int *renew)
{
    myr_box_fire a = {.step = *step};
    myr_box_slot now = {0};
    unsigned long long bits = 0;
    cuda_box_displace(box, a.displace);
    box->lead[0] = box->lead[1] = 0; /* velocities tell little of the way to a minimum */
    myr_status status = cuda_box_now(box, &now);
    if (!status)
        status = cuda_box_begin(box, &now);
    if (!status)
        status = fire_launch(box, KERNEL_FIRE_MOVE, &a, &bits, furthest != NULL);
    box->at++;
    if (furthest)
        memcpy(furthest, &bits, sizeof bits);
    *renew = 0;
    return status || !box->set.is_divided ? status : cuda_box_ranks_moved(box, renew);
}
