/* box_counts.c - counts for observables of particles in a box on a device. See box_counts.cuh. */
#include <math.h>
#include <string.h>

#include "backend/cuda/box_inside.h"

/* Arguments of the kernels. `unsure`: distance from the edge of a bin, in bins, within which floats may err:
 * coordinates are truncated at 2^-32 of the box, and five operations and the root round. */
static myr_box_counts counts_arguments(const myr_cuda_box *b, const box_counting *set, const double origin[3])
{
    myr_box_counts a = {.all = cuda_box_common(b, 0), .set = *set, .count = b->counts};
    double diagonal = 0;
    for (int c = 0; c < 3; c++) {
        a.origin[c] = origin[c];
        a.length[c] = b->length[c];
        a.unit[c] = (float)(b->length[c] * 0x1p-32);
        a.inverse[c] = set->box[c] > 0 ? 1 / set->box[c] : 0;
        diagonal += b->length[c] * b->length[c];
    }
    a.per_length = set->reach > 0 ? (double)set->rows / set->reach : 0;
    a.bins_per_length = (float)a.per_length;
    a.unsure = (float)(0x1p-19 * (double)set->rows + 4 * 0x1p-32 * sqrt(diagonal) * a.per_length);
    a.parts = ((b->set.n + MYR_BOX_THREADS - 1) / MYR_BOX_THREADS + MYR_BOX_PART - 1) / MYR_BOX_PART;
    return a;
}

myr_status cuda_box_counts(myr_cuda_box *box, const box_counting *set, const double origin[3], int64_t *count)
{
    myr_cuda_box *b = box;
    const int64_t bins = set->rows * set->columns, tiles = (b->set.n + MYR_BOX_THREADS - 1) / MYR_BOX_THREADS;
    const size_t bytes = (size_t)bins * sizeof *b->counts;
    myr_status status = cuda_box_check(b, cudaSetDevice(b->device.id), "choosing a device");
    if (!status && bins > b->bins) {
        cuda_box_free(b, b->counts);
        b->bins = 0;
        b->counts = NULL;
        status = cuda_box_room(b, &b->counts, bytes);
        b->bins = status ? 0 : bins;
    }
    if (!status)
        status = cuda_box_check(b, cudaMemsetAsync(b->counts, 0, bytes, b->device.stream), "clearing counts");
    myr_box_counts a = counts_arguments(b, set, origin);
    if (!status && set->is_pairs)
        status =
            cuda_box_launch(b, KERNEL_COUNT_PAIRS, tiles * a.parts * MYR_BOX_THREADS, MYR_BOX_THREADS, &a, sizeof a);
    else if (!status)
        status = cuda_box_launch(b, KERNEL_COUNT_SLICES, b->set.n, MYR_BOX_THREADS, &a, sizeof a);
    if (!status)
        status = cuda_box_check(b, cudaMemcpyAsync(count, b->counts, bytes, cudaMemcpyDeviceToHost, b->device.stream),
                                "copying from the device");
    return status ? status : cuda_box_check(b, cudaStreamSynchronize(b->device.stream), "counting");
}
