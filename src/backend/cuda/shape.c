/* shape.c - division of an evaluation for a GPU: targets per thread, threads that share a target, splits of the
 * sources. The result depends on sizes, accumulator and GPU only, so that a sum is always evaluated in the same order.
 * The constants were measured on an H200 (132 multiprocessors): docs/decisions/gpu.md. */
#include "backend/cuda/cuda.h"

enum {
    SHAPE_THREADS = 128,        /* threads per block if every thread has its own targets */
    SHAPE_SHARED_THREADS = 256, /* threads per block if threads share targets */
    SHAPE_MANY = 64,            /* targets per multiprocessor from which on each thread has its own targets */
    SHAPE_SLICES_MOST = 16,
    SHAPE_BLOCKS = 40,         /* wanted number of blocks per multiprocessor: many, so that few are idle at the end */
    SHAPE_SPLIT_SOURCES = 512, /* smallest number of sources per split */
    SHAPE_SPLITS_MOST = 64,
    SHAPE_SHARED_STEPS = 16,     /* smallest number of sources per thread of a split, if threads share targets */
    SHAPE_SHARED_BAG = 32 << 10, /* bytes */
    SHAPE_BAG = 256,
    SHAPE_TABLE = 16 << 10 /* bytes reserved for the pair table */
};

/* Targets per thread and pairs of bag entries per iteration, chosen by the registers that sums and coordinates need. */
static void shape_registers(const myr_direct *job, cuda_shape *s)
{
    const myr_unit *u = job->unit;
    const myr_acc_loop loop = (myr_acc_loop)(job->loops - u->loops);
    const int plain = loop == MYR_ACC_single || loop == MYR_ACC_range;
    s->steps = 2;
    if (u->real_bytes == 8) {
        s->targets = u->outputs > 4 || loop != MYR_ACC_double ? 1 : 2;
    } else if (plain && u->outputs > 4) {
        s->targets = 5;
        s->steps = 1;
        s->threads = SHAPE_THREADS / 2;
    } else if (plain && (u->coord_lanes == 2 || u->pair || u->outputs > 3)) {
        s->targets = 3;
        s->steps = u->pair ? 4 : 2;
        s->threads = u->pair ? SHAPE_THREADS / 2 : SHAPE_THREADS;
    } else if (plain && !u->desc->is_short) { /* a long loop is unrolled less, to stay in the instruction cache */
        s->targets = 6;
    } else if (plain) {
        s->threads = SHAPE_THREADS / 2;
        s->targets = job->scale[0].fold ? 6 : 5;
        s->steps = job->scale[0].fold ? 4 : 8;
        s->bag = job->scale[0].fold ? 2 * SHAPE_BAG : SHAPE_BAG;
    } else if (loop == MYR_ACC_narumi && u->outputs <= 3) {
        s->targets = 3;
    } else {
        s->targets = u->outputs > 4 ? 1 : u->coord_lanes == 2 && u->outputs <= 3 ? 3 : 2;
    }
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t between(int64_t a, int64_t least, int64_t most)
{
    return a < least ? least : a > most ? most : a;
}

static int64_t shape_splits(const cuda_device *device, const myr_direct *job, const cuda_shape *s, int64_t targets)
{
    const int64_t sources = job->source.n, processors = device->properties.multiProcessorCount;
    const int64_t blocks = ceil_div(targets * s->slices, (int64_t)s->threads * s->targets);
    const int64_t least = s->slices > 1 ? (int64_t)SHAPE_SHARED_STEPS * s->slices : SHAPE_SPLIT_SOURCES;
    const int64_t most = between(sources / least, 1, SHAPE_SPLITS_MOST);
    if (job->splits > 0)
        return between(job->splits, 1, between(sources, 1, 65535));
    return between((s->slices > 1 ? 1 : SHAPE_BLOCKS) * processors / blocks, 1, most);
}

cuda_shape cuda_shape_of(const cuda_device *device, const myr_direct *job, int64_t targets)
{
    const int64_t processors = device->properties.multiProcessorCount;
    const int64_t lanes = job->unit->source_lanes + (job->unit->pair ? 1 : 0);
    const int64_t record = ceil_div(lanes * job->unit->real_bytes, MYR_CUDA_BAG_ALIGN) * MYR_CUDA_BAG_ALIGN;
    cuda_shape s = {.targets = 1, .slices = 1, .threads = SHAPE_THREADS, .blocks = 1, .bag = SHAPE_BAG};
    if (targets >= SHAPE_MANY * processors) {
        shape_registers(job, &s);
    } else {
        s.threads = SHAPE_SHARED_THREADS;
        s.steps = 4;
        while (s.slices < SHAPE_SLICES_MOST && ceil_div(targets * s.slices, s.threads) < processors - 4)
            s.slices *= 2;
        s.bag = between(SHAPE_SHARED_BAG / record, s.slices, between(job->source.n, 1024, 2048));
    }
    if (job->bag > 0)
        s.bag = job->bag;
    /* two bags and a pair table must fit the shared memory */
    const int64_t room = (int64_t)device->properties.sharedMemPerBlockOptin - SHAPE_TABLE;
    s.bag = between(s.bag, 1, room / (2 * record));
    s.splits = shape_splits(device, job, &s, targets);
    return s;
}
