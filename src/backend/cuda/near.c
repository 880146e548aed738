/* near.c - sources near targets, on the first device: near.cuh. Sources stay there between calls. */
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/cuda.h"
#include "backend/cuda/near_args.h"

enum { NEAR_MASK_BYTES = 256 << 20, NEAR_WARPS = 16 }; /* memory of the bits; warps wanted per multiprocessor */

typedef enum { NEAR_SOURCES, NEAR_TARGETS, NEAR_MASK, NEAR_COUNT, NEAR_OFFSET, NEAR_LIST, NEAR_BUFFERS } near_buffer;

struct myr_cuda_near_finder {
    myr_cuda *cuda;
    myr_context *context;
    cuda_device device; /* with a stream of its own */
    cudaLibrary_t library;
    cudaKernel_t mask, list;
    cuda_buffer buffer[NEAR_BUFFERS];
    int64_t sources;
};

static myr_status near_check(const myr_cuda_near_finder *f, cudaError_t error, const char *what)
{
    return cuda_check(f->cuda, f->context, error, what);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static myr_status near_room(myr_cuda_near_finder *f, near_buffer id, size_t size)
{
    cuda_buffer *b = &f->buffer[id];
    if (b->at && b->size >= size)
        return MYR_OK;
    if (b->at)
        (void)cudaFreeAsync(b->at, f->device.stream);
    *b = (cuda_buffer){NULL, 0};
    size += size / 4 + 256; /* with a margin, for slow growth */
    const myr_status status = near_check(f, cudaMallocAsync(&b->at, size, f->device.stream), "allocating near lists");
    if (status)
        b->at = NULL;
    else
        b->size = size;
    return status;
}

static myr_status near_send(myr_cuda_near_finder *f, near_buffer id, const void *from, size_t size)
{
    const myr_status status = near_room(f, id, size);
    return status || !size
               ? status
               : near_check(f, cudaMemcpyAsync(f->buffer[id].at, from, size, cudaMemcpyHostToDevice, f->device.stream),
                            "copying to the device");
}

static myr_status near_fetch(const myr_cuda_near_finder *f, void *to, near_buffer id, size_t size)
{
    myr_status status =
        near_check(f, cudaMemcpyAsync(to, f->buffer[id].at, size, cudaMemcpyDeviceToHost, f->device.stream),
                   "copying from the device");
    return status ? status : near_check(f, cudaStreamSynchronize(f->device.stream), "finding near sources");
}

/* --- life --------------------------------------------------------------------------------------------------------- */

myr_status cuda_near_open(myr_cuda *cuda, myr_context *context, myr_cuda_near_finder **finder)
{
    void *code = NULL;
    size_t size = 0;
    *finder = NULL;
    myr_cuda_near_finder *f = calloc(1, sizeof *f);
    if (!f)
        return cuda->host->fail(context, MYR_ERROR_MEMORY, "no memory to find near sources");
    f->cuda = cuda;
    f->context = context;
    myr_status status = cuda_device_copy(cuda, context, &cuda->device[0], &f->device);
    if (!status)
        status = cuda_compile(cuda, context, &f->device, "the program that finds near sources",
                              "#include \"backend/cuda/near.cuh\"\n", NULL, &code, &size);
    if (!status)
        status =
            near_check(f, cudaLibraryLoadData(&f->library, code, NULL, NULL, 0, NULL, NULL, 0), "loading a program");
    free(code);
    if (!status)
        status = near_check(f, cudaLibraryGetKernel(&f->mask, f->library, "near_mask"), "loading near_mask");
    if (!status)
        status = near_check(f, cudaLibraryGetKernel(&f->list, f->library, "near_list"), "loading near_list");
    if (status) {
        cuda_near_close(f);
        return status;
    }
    *finder = f;
    return MYR_OK;
}

void cuda_near_close(myr_cuda_near_finder *finder)
{
    if (!finder)
        return;
    if (finder->device.stream)
        (void)cudaStreamSynchronize(finder->device.stream);
    for (int k = 0; k < NEAR_BUFFERS; k++)
        if (finder->buffer[k].at)
            (void)cudaFreeAsync(finder->buffer[k].at, finder->device.stream);
    if (finder->library)
        (void)cudaLibraryUnload(finder->library);
    if (finder->device.stream)
        cuda_device_release(&finder->device);
    free(finder);
}

/* --- search ------------------------------------------------------------------------------------------------------- */

myr_status cuda_near_sources(myr_cuda_near_finder *finder, int64_t n, const double *source)
{
    finder->sources = n;
    const myr_status status = near_check(finder, cudaSetDevice(finder->device.id), "choosing a device");
    return status ? status : near_send(finder, NEAR_SOURCES, source, (size_t)n * MYR_NEAR_SOURCE * sizeof(double));
}

/* Bits and counts of n targets. */
static myr_status near_run_mask(myr_cuda_near_finder *f, myr_cuda_near *a)
{
    const int64_t groups = (a->targets + MYR_NEAR_TARGETS - 1) / MYR_NEAR_TARGETS, per_block = MYR_NEAR_THREADS / 32;
    const int64_t wanted = (int64_t)NEAR_WARPS * f->device.properties.multiProcessorCount;
    a->parts = groups < wanted ? wanted / groups : 1;
    a->parts = a->parts < a->words ? a->parts : a->words;
    const int64_t blocks = (groups * a->parts + per_block - 1) / per_block;
    myr_status status = near_check(
        f, cudaMemsetAsync(a->count, 0, (size_t)a->targets * sizeof *a->count, f->device.stream), "clearing counts");
    if (status)
        return status;
    const cuda_call call = {f->mask, {(unsigned)blocks, 1, 1}, MYR_NEAR_THREADS, 0, a, sizeof *a, "comparing pairs", 0};
    return cuda_launch(f->cuda, f->context, &f->device, &call);
}

/* Lists of n targets, from bits and counts. */
static myr_status near_run_list(myr_cuda_near_finder *f, myr_cuda_near *a, const int64_t *offset)
{
    const int64_t entries = offset[a->targets], per_block = MYR_NEAR_THREADS / 32;
    myr_status status = near_room(f, NEAR_LIST, (size_t)entries * sizeof *a->list);
    if (!status)
        status = near_send(f, NEAR_OFFSET, offset, (size_t)a->targets * sizeof *offset);
    if (status)
        return status;
    a->offset = f->buffer[NEAR_OFFSET].at;
    a->list = f->buffer[NEAR_LIST].at;
    const cuda_call call = {f->list,
                            {(unsigned)((a->targets + per_block - 1) / per_block), 1, 1},
                            MYR_NEAR_THREADS,
                            0,
                            a,
                            sizeof *a,
                            "listing near sources",
                            0};
    return cuda_launch(f->cuda, f->context, &f->device, &call);
}

/* Adds the lists of targets first .. first + n - 1, whose columns are `target`, to the result. */
static myr_status near_find_some(myr_cuda_near_finder *f, int64_t first, int64_t n, const double *target,
                                 const myr_cuda_near_lists *to)
{
    myr_cuda_near a = {.sources = f->sources, .targets = n, .words = (f->sources + 31) / 32};
    myr_status status = near_send(f, NEAR_TARGETS, target, (size_t)n * MYR_NEAR_TARGET * sizeof(double));
    if (!status)
        status = near_room(f, NEAR_MASK, (size_t)(n * a.words) * sizeof *a.mask);
    if (!status)
        status = near_room(f, NEAR_COUNT, (size_t)n * sizeof *a.count);
    int32_t *count = malloc((size_t)n * sizeof *count);
    int64_t *offset = malloc(((size_t)n + 1) * sizeof *offset);
    if (!status && (!count || !offset))
        status = f->cuda->host->fail(f->context, MYR_ERROR_MEMORY, "no memory for lists of %lld targets", (long long)n);
    a.source = f->buffer[NEAR_SOURCES].at;
    a.target = f->buffer[NEAR_TARGETS].at;
    a.mask = f->buffer[NEAR_MASK].at;
    a.count = f->buffer[NEAR_COUNT].at;
    if (!status)
        status = near_run_mask(f, &a);
    if (!status)
        status = near_fetch(f, count, NEAR_COUNT, (size_t)n * sizeof *count);
    if (!status) {
        offset[0] = 0;
        for (int64_t i = 0; i < n; i++)
            offset[i + 1] = offset[i] + count[i];
        status = to->take(to->user, n, count)
                     ? MYR_OK
                     : f->cuda->host->fail(f->context, MYR_ERROR_MEMORY, "no memory for %lld near sources",
                                           (long long)offset[n]);
    }
    if (!status && offset[n] > 0)
        status = near_run_list(f, &a, offset);
    if (!status && offset[n] > 0)
        status = near_fetch(f, to->place(to->user, first), NEAR_LIST, (size_t)offset[n] * sizeof(int32_t));
    free(count);
    free(offset);
    return status;
}

myr_status cuda_near_find(myr_cuda_near_finder *finder, int64_t n, const double *target,
                          const myr_cuda_near_lists *lists)
{
    const int64_t words = (finder->sources + 31) / 32;
    const int64_t most = NEAR_MASK_BYTES / (4 * (words > 0 ? words : 1));
    const int64_t part = most < MYR_NEAR_TARGETS ? MYR_NEAR_TARGETS : most < n ? most : n;
    myr_status status = near_check(finder, cudaSetDevice(finder->device.id), "choosing a device");
    double *some = malloc((size_t)part * MYR_NEAR_TARGET * sizeof *some + 1);
    if (!status && !some)
        status =
            finder->cuda->host->fail(finder->context, MYR_ERROR_MEMORY, "no memory for %lld targets", (long long)n);
    for (int64_t first = 0; !status && first < n; first += part) {
        const int64_t count = n - first < part ? n - first : part;
        for (int c = 0; c < MYR_NEAR_TARGET; c++)
            memcpy(some + c * count, target + c * n + first, (size_t)count * sizeof *some);
        status = near_find_some(finder, first, count, some, lists);
    }
    free(some);
    return status;
}
