/* box_good.c - a copy of the particles in a box that stays on the device: the last good state of a run. The copy is in
 * the order of the user, so that it does not depend on lists built later. */
#include "backend/cuda/box_inside.h"

myr_status cuda_box_send_index(myr_cuda_box *b, const int64_t *index)
{
    const size_t bytes = (size_t)b->set.n * sizeof *index;
    myr_status status = b->good.index ? MYR_OK : cuda_box_room(b, &b->good.index, bytes);
    if (!status)
        status = cuda_box_upload(b, b->good.index, index, bytes);
    if (!status && index) /* the array may be the caller's again */
        status = cuda_box_check(b, cudaStreamSynchronize(b->device.stream), "copying to the device");
    return status;
}

myr_status cuda_box_keep_good(myr_cuda_box *box, double h, const int64_t *index)
{
    myr_cuda_box *b = box;
    const size_t n = (size_t)b->set.n;
    myr_status status = cuda_box_check(b, cudaSetDevice(b->device.id), "choosing a device");
    if (!status && !b->good.v[0]) {
        for (int c = 0; c < 3 && !status; c++)
            status = cuda_box_room(b, &b->good.q[c], n * sizeof **b->good.q);
        for (int c = 2; c >= 0 && !status; c--)
            status = cuda_box_room(b, &b->good.v[c], n * sizeof **b->good.v);
    }
    if (!status)
        status = cuda_box_send_index(b, index);
    myr_box_good a = b->good;
    a.sums = cuda_box_sums(b);
    a.sums.h = h;
    return status ? status : cuda_box_launch(b, KERNEL_GOOD, b->set.n, 256, &a, sizeof a);
}

myr_status cuda_box_fetch_good(myr_cuda_box *box, uint64_t *const q[3], double *const v[3])
{
    myr_cuda_box *b = box;
    const size_t bytes = (size_t)b->set.n * sizeof **q;
    myr_status status = cuda_box_check(b, cudaSetDevice(b->device.id), "choosing a device");
    for (int k = 0; k < 6 && !status; k++) {
        void *to = k < 3 ? (void *)q[k] : (void *)v[k - 3];
        const void *from = k < 3 ? (const void *)b->good.q[k] : (const void *)b->good.v[k - 3];
        status = cuda_box_check(b, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, b->device.stream),
                                "copying from the device");
    }
    return status ? status : cuda_box_check(b, cudaStreamSynchronize(b->device.stream), "copying from the device");
}
