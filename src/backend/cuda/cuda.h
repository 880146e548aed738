/* cuda.h - inside the plug-in: devices, their memory, the programs compiled for them. */
#ifndef MYR_CUDA_H
#define MYR_CUDA_H

#include <cuda_runtime_api.h>

#include "backend/cuda/args.h"
#include "backend/cuda/plugin.h"

enum { CUDA_DEVICES_MAX = 64 };

/* Device memory that grows as needed and is kept. */
typedef enum {
    BUFFER_COMPONENTS,
    BUFFER_TARGETS,
    BUFFER_SOURCES,
    BUFFER_SELF,
    BUFFER_ROW,
    BUFFER_AT,
    BUFFER_TARGET_TYPE,
    BUFFER_SOURCE_TYPE,
    BUFFER_PAIR_TABLE,
    BUFFER_EXCLUDED_OFFSET,
    BUFFER_EXCLUDED_PARTNER,
    BUFFER_PART,
    BUFFER_VALUES,
    BUFFER_NET,
    BUFFER_REPORT,
    BUFFER_COUNT
} cuda_buffer_id;

typedef struct {
    void *at;
    size_t size;
} cuda_buffer;

/* What makes one program different from another. */
typedef struct {
    const char *kernel, *kernel_file; /* for kernels of the library */
    const char *kernel_text;          /* the header itself, for kernels that a user wrote; null otherwise */
    const char *loop;                 /* accumulator's loop */
    int arithmetic;
    int fold, slices, targets, steps, careful, carry, table, threads, blocks;
} cuda_variant;

typedef struct cuda_program {
    struct cuda_program *next;
    char *text; /* what was compiled: the key */
    cudaLibrary_t library;
    cudaKernel_t sweep, finish, pack;
} cuda_program;

typedef struct {
    int id; /* CUDA's number */
    struct cudaDeviceProp properties;
    cudaStream_t stream;
    cuda_buffer buffer[BUFFER_COUNT];
    cuda_program *programs;
} cuda_device;

struct myr_cuda {
    const myr_cuda_host *host;
    size_t limit; /* device memory to use at most, bytes; 0 = all ($MYRIAD_CUDA_MEMORY, for tests) */
    int devices;
    cuda_device device[CUDA_DEVICES_MAX];
};

/* Turns an error of the CUDA runtime into a status; `what` was being done. */
myr_status cuda_check(const myr_cuda *cuda, myr_context *context, cudaError_t error, const char *what);

/* Makes a buffer at least `size` bytes large; its contents are lost when it grows. */
myr_status cuda_room(myr_cuda *cuda, myr_context *context, cuda_device *device, cuda_buffer_id id, size_t size);

/* Fills a buffer from the host, queued on the device's stream. */
myr_status cuda_upload(myr_cuda *cuda, myr_context *context, cuda_device *device, cuda_buffer_id id, const void *from,
                       size_t size);

/* The program of a variant: from memory, from the cache on disk, or compiled now. */
myr_status cuda_program_get(myr_cuda *cuda, myr_context *context, cuda_device *device, const cuda_variant *variant,
                            const cuda_program **program);

void cuda_programs_free(cuda_device *device);

/* Launches a kernel that takes one structure. */
myr_status cuda_launch(const myr_cuda *cuda, myr_context *context, const cuda_device *device, cudaKernel_t kernel,
                       dim3 grid, unsigned threads, size_t shared, void *arguments, const char *what);

/* How an evaluation is cut: shape.c. */
typedef struct {
    int targets, slices, threads, steps, blocks; /* see sweep.cuh */
    int64_t splits, bag;
} cuda_shape;

cuda_shape cuda_shape_of(const cuda_device *device, const myr_direct *job, int64_t targets);

/* One evaluation: evaluate.c. */
myr_status cuda_run(myr_cuda *cuda, const myr_direct *job, myr_direct_result *result);

#endif
