/* runtime.c - the CUDA runtime of an emulated GPU. As on a real one nothing that a stream received is done before it is
 * necessary: operations are queued and executed when the host waits, so that a missing wait is seen. Memory has its
 * exact size and arbitrary contents. $EMULATED_LOST = k: the GPU is lost in launch k, from 0. Tests read the counters
 * emulated_waits and emulated_bytes: how often the host has waited, and bytes copied to it. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

enum {
    KERNELS_MOST = 64,
    PINNED_MOST = 64,
    GARBAGE = 0xa5,
    ALIGNMENT = 256,
    SHARED_LEAST = 48 << 10, /* that a kernel may have without asking, as on a GPU */
    SHARED_MOST = 227 << 10,
    THREADS_MOST = 1024
};

struct emulated_stream {
    int flags;
};

struct emulated_event {
    int is_recorded;
    struct timespec time;
};

struct emulated_kernel {
    void (*run)(unsigned grid, unsigned block, size_t shared, const void *arguments);
    size_t (*size)(void); /* bytes of the arguments */
    size_t shared;        /* most bytes of shared memory */
};

struct emulated_library {
    void *handle;
    struct emulated_kernel kernel[KERNELS_MOST];
    int kernels;
};

typedef enum { TO_COPY, TO_SET, TO_LAUNCH, TO_FREE, TO_MARK, TO_CALL } operation_kind;

typedef struct operation {
    struct operation *next;
    operation_kind kind;
    void *to;
    const void *from;
    void *owned; /* copy of what the caller may change now: arguments, or pageable memory */
    int value;
    size_t bytes;
    const struct emulated_kernel *kernel;
    unsigned grid, block;
    void (*call)(const void *arguments);
} operation;

static operation *queue_first, **queue_end = &queue_first;
static cudaError_t lost; /* the error that every call returns after the GPU was lost */
static int launches;
__attribute__((visibility("default"))) long long emulated_waits, emulated_bytes;
static struct {
    char *at;
    size_t bytes;
} pinned[PINNED_MOST];

/* --- the queue ---------------------------------------------------------------------------------------------------- */

static cudaError_t enqueue(operation o)
{
    operation *kept = malloc(sizeof *kept);
    if (!kept)
        return cudaErrorMemoryAllocation;
    *kept = o;
    kept->next = NULL;
    *queue_end = kept;
    queue_end = &kept->next;
    return lost;
}

static void launch(const operation *o)
{
    const char *when = getenv("EMULATED_LOST");
    if (when && launches >= atoi(when))
        lost = cudaErrorIllegalAddress;
    launches++;
    if (!lost)
        o->kernel->run(o->grid, o->block, o->bytes, o->owned);
}

static void event_mark(struct emulated_event *event)
{
    event->is_recorded = 1;
    (void)timespec_get(&event->time, TIME_UTC);
}

static cudaError_t execute_all(void)
{
    while (queue_first) {
        operation *o = queue_first;
        queue_first = o->next;
        if (o->kind == TO_LAUNCH)
            launch(o);
        else if (o->kind == TO_CALL && !lost)
            o->call(o->owned);
        else if (o->kind == TO_FREE)
            free(o->to);
        else if (o->kind == TO_MARK)
            event_mark(o->to);
        else if (o->kind == TO_SET && !lost)
            memset(o->to, o->value, o->bytes);
        else if (o->kind == TO_COPY && !lost)
            memcpy(o->to, o->owned ? o->owned : o->from, o->bytes);
        free(o->owned);
        free(o);
    }
    queue_end = &queue_first;
    return lost;
}

/* --- the device --------------------------------------------------------------------------------------------------- */

cudaError_t cudaGetLastError(void)
{
    return lost;
}

const char *cudaGetErrorName(cudaError_t error)
{
    switch (error) {
    case cudaSuccess:
        return "cudaSuccess";
    case cudaErrorInvalidValue:
        return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
        return "cudaErrorMemoryAllocation";
    case cudaErrorInsufficientDriver:
        return "cudaErrorInsufficientDriver";
    case cudaErrorNoDevice:
        return "cudaErrorNoDevice";
    case cudaErrorSymbolNotFound:
        return "cudaErrorSymbolNotFound";
    case cudaErrorIllegalAddress:
        return "cudaErrorIllegalAddress";
    }
    return "unknown";
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorIllegalAddress ? "the emulated GPU is lost" : "an error of the emulated GPU";
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = 13000;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    *properties = (struct cudaDeviceProp){.name = "emulated", .totalGlobalMem = (size_t)1 << 30, .major = 9};
    properties->multiProcessorCount = 1; /* blocks take their work in turns */
    return device == 0 ? lost : cudaErrorInvalidValue;
}

cudaError_t cudaSetDevice(int device)
{
    return device == 0 ? lost : cudaErrorInvalidValue;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    *stream = calloc(1, sizeof **stream);
    if (*stream)
        (*stream)->flags = (int)flags;
    return *stream ? lost : cudaErrorMemoryAllocation;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    emulated_waits++;
    return execute_all();
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    const cudaError_t error = execute_all();
    free(stream);
    return error;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = calloc(1, sizeof **event);
    return *event ? lost : cudaErrorMemoryAllocation;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)stream;
    return enqueue((operation){.kind = TO_MARK, .to = event});
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    if (!start->is_recorded || !end->is_recorded)
        return cudaErrorInvalidValue;
    *milliseconds = 1e3f * (float)(end->time.tv_sec - start->time.tv_sec) +
                    1e-6f * (float)(end->time.tv_nsec - start->time.tv_nsec);
    return lost;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    const cudaError_t error = execute_all();
    free(event);
    return error;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

cudaError_t cudaMallocAsync(void **at, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    if (lost)
        return lost;
    if (posix_memalign(at, ALIGNMENT, bytes) != 0)
        return cudaErrorMemoryAllocation;
    memset(*at, GARBAGE, bytes);
    return cudaSuccess;
}

cudaError_t cudaFreeAsync(void *at, cudaStream_t stream)
{
    (void)stream;
    return enqueue((operation){.kind = TO_FREE, .to = at});
}

cudaError_t cudaFree(void *at)
{
    const cudaError_t error = execute_all();
    free(at);
    return error;
}

cudaError_t cudaMallocHost(void **at, size_t bytes)
{
    int k = 0;
    while (k < PINNED_MOST && pinned[k].at)
        k++;
    *at = k < PINNED_MOST ? malloc(bytes) : NULL;
    if (!*at)
        return cudaErrorMemoryAllocation;
    memset(*at, GARBAGE, bytes);
    pinned[k].at = *at;
    pinned[k].bytes = bytes;
    return lost;
}

cudaError_t cudaFreeHost(void *at)
{
    const cudaError_t error = execute_all();
    for (int k = 0; k < PINNED_MOST; k++)
        if (at && pinned[k].at == at)
            pinned[k].at = NULL;
    free(at);
    return error;
}

static int is_pinned(const void *at)
{
    for (int k = 0; k < PINNED_MOST; k++)
        if (pinned[k].at && (uintptr_t)at - (uintptr_t)pinned[k].at < pinned[k].bytes)
            return 1;
    return 0;
}

cudaError_t cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    return enqueue((operation){.kind = TO_SET, .to = at, .value = value, .bytes = bytes});
}

/* Pageable memory is copied before the call returns; pinned memory is read later. */
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)stream;
    operation o = {.kind = TO_COPY, .to = to, .from = from, .bytes = bytes};
    emulated_bytes += kind == cudaMemcpyDeviceToHost ? (long long)bytes : 0;
    if (kind == cudaMemcpyHostToDevice && !is_pinned(from)) {
        o.owned = malloc(bytes ? bytes : 1);
        if (!o.owned)
            return cudaErrorMemoryAllocation;
        memcpy(o.owned, from, bytes);
    }
    return enqueue(o);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    const cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, NULL);
    return error ? error : cudaStreamSynchronize(NULL);
}

/* --- programs ----------------------------------------------------------------------------------------------------- */

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, void *a, void *b, unsigned c, void *d,
                                void *e, unsigned f)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
    *library = calloc(1, sizeof **library);
    if (!*library)
        return cudaErrorMemoryAllocation;
    (*library)->handle = dlopen(code, RTLD_NOW | RTLD_LOCAL);
    unlink(code);
    if ((*library)->handle)
        return lost;
    fprintf(stderr, "emulated GPU: %s\n", dlerror());
    free(*library);
    *library = NULL;
    return cudaErrorInvalidValue;
}

/* A symbol of the program: what the text calls `name`, with a prefix. */
static void *symbol(const struct emulated_library *library, const char *prefix, const char *name)
{
    char full[256];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    return dlsym(library->handle, full);
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
    struct emulated_kernel *k = &library->kernel[library->kernels];
    void *const run = symbol(library, "emulated_run_", name), *const size = symbol(library, "emulated_size_", name);
    if (!run || !size || library->kernels == KERNELS_MOST)
        return cudaErrorSymbolNotFound;
    memcpy(&k->run, &run, sizeof run);
    memcpy(&k->size, &size, sizeof size);
    k->shared = SHARED_LEAST;
    library->kernels++;
    *kernel = k;
    return lost;
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    const cudaError_t error = execute_all();
    dlclose(library->handle);
    free(library);
    return error;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value)
{
    struct emulated_kernel *k;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 || value > SHARED_MOST)
        return cudaErrorInvalidValue;
    memcpy(&k, &kernel, sizeof k);
    k->shared = (size_t)value;
    return lost;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads, size_t shared)
{
    const struct emulated_kernel *k = kernel;
    *blocks = threads <= THREADS_MOST && shared <= k->shared; /* one after the other */
    return lost;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *set, const void *kernel, void **arguments)
{
    const struct emulated_kernel *k = kernel;
    const dim3 grid = set->gridDim, block = set->blockDim;
    const size_t shared = set->dynamicSmemBytes;
    if (grid.x == 0 || grid.y != 1 || grid.z != 1 || block.x == 0 || block.x > THREADS_MOST || block.x % 32 != 0 ||
        block.y != 1 || block.z != 1 || shared > k->shared)
        return cudaErrorInvalidValue;
    operation o = {.kind = TO_LAUNCH, .kernel = k, .grid = grid.x, .block = block.x, .bytes = shared};
    o.owned = malloc(k->size());
    if (!o.owned)
        return cudaErrorMemoryAllocation;
    memcpy(o.owned, arguments[0], k->size());
    return enqueue(o);
}

/* --- libraries ---------------------------------------------------------------------------------------------------- */

cudaError_t emulated_call(void (*call)(const void *arguments), const void *arguments, size_t bytes)
{
    operation o = {.kind = TO_CALL, .call = call, .owned = malloc(bytes)};
    if (!o.owned)
        return cudaErrorMemoryAllocation;
    memcpy(o.owned, arguments, bytes);
    return enqueue(o);
}
