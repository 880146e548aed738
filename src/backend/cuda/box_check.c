/* box_check.c - comparison of the lists of particles in a box on a device with all pairs, for tests. See box.c. */
#include "backend/cuda/box_inside.h"

myr_status cuda_box_check_list(myr_cuda_box *b)
{
    if (!b->wrong)
        return MYR_OK;
    const double cutoff = b->set.cutoff / b->set.sigma;
    myr_box_check a = {.all = cuda_box_common(b, 0), .cutoff2 = cutoff * cutoff, .wrong = b->wrong};
    return cuda_box_launch(b, KERNEL_CHECK, cuda_box_pair_threads(b), MYR_BOX_THREADS, &a, sizeof a);
}

myr_status cuda_box_checked(myr_cuda_box *b, const myr_box_slot *now)
{
    unsigned long long wrong[3] = {0, 0, 0};
    if (!(now->state & MYR_BOX_WRONG))
        return MYR_OK;
    const myr_status status =
        cuda_box_check(b, cudaMemcpy(wrong, b->wrong, sizeof wrong, cudaMemcpyDeviceToHost), "copying from the device");
    if (status)
        return status;
    if (!wrong[0])
        return b->cuda->host->fail(b->context, MYR_ERROR_RANGE,
                                   "the neighbour list of the GPU of another rank is wrong: please report this");
    return b->cuda->host->fail(
        b->context, MYR_ERROR_RANGE,
        "the neighbour list of the GPU is wrong for %llu particles: it holds %llu pairs of these "
        "within the cutoff, and there are %llu (list %lld): please report this",
        wrong[0], wrong[1], wrong[2], (long long)b->builds);
}
