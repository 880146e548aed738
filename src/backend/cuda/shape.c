/* shape.c - how an evaluation is cut for a GPU: targets per thread, threads that share a target, splits of the sources.
 * From sizes, the accumulator and the number of multiprocessors alone, so that a sum is added up the same way every
 * time. The numbers were measured on an H200 (132 multiprocessors): docs/decisions.md. */
#include "backend/cuda/cuda.h"

enum {
    SHAPE_THREADS = 128,        /* of a block where every thread has targets of its own */
    SHAPE_SHARED_THREADS = 256, /* where they share */
    SHAPE_MANY = 64,            /* targets per multiprocessor from which on each thread gets its own */
    SHAPE_SLICES_MOST = 16,
    SHAPE_BLOCKS = 24,          /* wanted blocks per multiprocessor: enough that the last ones cost little */
    SHAPE_SPLIT_SOURCES = 1024, /* sources of a split at least */
    SHAPE_SHARED_STEPS = 16,    /* sources per thread of a split at least, where threads share targets */
    SHAPE_BAG_BYTES = 16 << 10,
    SHAPE_BAG = 256
};

/* Targets per thread: as many as leave registers for sums and latency. */
static int shape_targets(const myr_direct *job)
{
    const int outputs = job->unit->outputs;
    const myr_acc_loop loop = (myr_acc_loop)(job->loops - job->unit->loops);
    if (job->unit->real_bytes == 8 || outputs > 4)
        return 1;
    if (loop == MYR_ACC_single || loop == MYR_ACC_range)
        return outputs > 3 || job->unit->pair ? 2 : 4;
    return 2;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t between(int64_t a, int64_t least, int64_t most)
{
    return a < least ? least : a > most ? most : a;
}

cuda_shape cuda_shape_of(const cuda_device *device, const myr_direct *job, int64_t targets)
{
    const int64_t processors = device->properties.multiProcessorCount, sources = job->source.n;
    const int64_t record = (int64_t)(job->unit->source_lanes + (job->unit->pair ? 1 : 0)) * job->unit->real_bytes;
    cuda_shape s = {.targets = 1, .slices = 1, .threads = SHAPE_THREADS, .steps = 2, .blocks = 1};
    int64_t least = SHAPE_SPLIT_SOURCES;
    if (targets >= SHAPE_MANY * processors) {
        s.targets = shape_targets(job);
    } else {
        s.threads = SHAPE_SHARED_THREADS;
        s.steps = 4;
        while (s.slices < SHAPE_SLICES_MOST && ceil_div(targets * s.slices, s.threads) < processors - 4)
            s.slices *= 2;
        least = SHAPE_SHARED_STEPS * s.slices;
    }
    const int64_t blocks = ceil_div(targets * s.slices, (int64_t)s.threads * s.targets);
    const int64_t wanted = s.slices > 1 ? 1 : SHAPE_BLOCKS;
    s.splits = between(wanted * processors / blocks, 1, between(sources / least, 1, 1 << 12));
    s.bag = s.slices > 1 ? SHAPE_BAG_BYTES / (ceil_div(record, MYR_CUDA_BAG_ALIGN) * MYR_CUDA_BAG_ALIGN) : SHAPE_BAG;
    if (job->splits > 0)
        s.splits = between(job->splits, 1, between(sources, 1, 65535));
    if (job->bag > 0) /* two bags and a table must fit the shared memory */
        s.bag = between(job->bag, 1,
                        (int64_t)(device->properties.sharedMemPerBlockOptin - SHAPE_BAG_BYTES) /
                            (2 * ceil_div(record, MYR_CUDA_BAG_ALIGN) * MYR_CUDA_BAG_ALIGN));
    return s;
}
