/* cuda.h - inside the plug-in: devices, their memory, the programs compiled for them. */
#ifndef MYR_BACKEND_CUDA_H
#define MYR_BACKEND_CUDA_H

#include <cuda_runtime_api.h>

#include "backend/cuda/launch_args.h"
#include "backend/cuda/cuda_plugin.h"

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
    BUFFER_ARRAYS, /* from here on: motion.c */
    BUFFER_KEPT,
    BUFFER_ACTIVE,
    BUFFER_ROOM,
    BUFFER_PROGRESS,
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
    int arithmetic;                   /* numbers from here to `motion`: compared as they lie */
    int fold, slices, targets, steps, careful, carry, table, types, resident, outputs, threads, blocks;
    int unlimited; /* no cutoff */
    int equal;     /* all sources are equally strong */
    int motion;    /* 1: with the kernels of motion.cuh for fixed steps, 2: and for block steps */
} cuda_variant;

typedef struct cuda_program {
    struct cuda_program *next;
    cuda_variant variant; /* its names are copies */
    char *names;
    cudaLibrary_t library;
    cudaKernel_t sweep, finish, pack;
    cudaKernel_t move, hermite, undo; /* motion.cuh */
} cuda_program;

typedef struct {
    int id; /* CUDA's number */
    struct cudaDeviceProp properties;
    cudaStream_t stream;
    cuda_buffer buffer[BUFFER_COUNT];
    cuda_program *programs;
    struct cuda_batch *batch; /* where launches are recorded; null = they are made at once */
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

/* Machine code of a text that may include the library's, and a header of the user's as "user_kernel.h": from the cache
 * on disk, or compiled now. The caller frees it. Needs of the device its compute capability alone. */
myr_status cuda_compile(const myr_cuda *cuda, myr_context *context, const cuda_device *device, const char *what,
                        const char *text, const char *user_kernel, void **code, size_t *size);

/* The same for the program of a variant. */
myr_status cuda_compile_variant(const myr_cuda *cuda, myr_context *context, const cuda_device *device,
                                const cuda_variant *variant, void **code, size_t *size);

/* A launch of a kernel that takes one structure of so many bytes. */
typedef struct {
    cudaKernel_t kernel;
    dim3 grid;
    unsigned threads;
    size_t shared;
    void *arguments;
    size_t size;
    const char *what; /* is being done, for messages */
} cuda_call;

/* Launches, or records where the device has a batch that is open. */
myr_status cuda_launch(const myr_cuda *cuda, myr_context *context, const cuda_device *device, const cuda_call *call);

/* Batches: batch.c. `begin` records launches from here on; `end` makes them all, as a graph where the batch is the same
 * as the one before; `drop` forgets them; `free` lets go of everything. */
myr_status cuda_batch_begin(const myr_cuda *cuda, myr_context *context, cuda_device *device);
myr_status cuda_batch_record(const myr_cuda *cuda, myr_context *context, const cuda_device *device,
                             const cuda_call *call);
myr_status cuda_batch_end(const myr_cuda *cuda, myr_context *context, const cuda_device *device);
void cuda_batch_drop(const cuda_device *device);
void cuda_batch_free(cuda_device *device);
int cuda_batch_is_open(const cuda_device *device);

/* The launch itself. */
myr_status cuda_launch_now(const myr_cuda *cuda, myr_context *context, const cuda_device *device,
                           const cuda_call *call);

/* How an evaluation is cut: shape.c. */
typedef struct {
    int targets, slices, threads, steps, blocks; /* see sweep.cuh */
    int64_t splits, bag;
} cuda_shape;

cuda_shape cuda_shape_of(const cuda_device *device, const myr_direct *job, int64_t targets);

/* The part of an evaluation that one device does: targets first .. first + count. */
typedef struct {
    myr_cuda *cuda;
    cuda_device *device;
    const myr_direct *job;
    cuda_shape shape;
    cuda_variant variant;
    int target_stride, source_stride; /* reals per record */
    int pair_row;                     /* reals of the table of pairs per type of source */
    double strength;                  /* of every source, where they are equal and the formula leaves it out; else 1 */
    int64_t first, count;
    int64_t target_part, source_part; /* how many pass at a time */
    myr_direct_result *result;
    char *staging; /* for host-side gathering */
} cuda_evaluation;

/* Its pieces, for evaluations that stay on the device (motion.c). `shape` fills in what follows from device, job and
 * count; `send` functions copy sources begin .. begin + n,
 * the table of pairs, the exclusions; `arguments` describes the sweep of so many targets with the buffers as they are.
 */
void cuda_evaluation_shape(cuda_evaluation *e);
myr_status cuda_evaluation_send_sources(const cuda_evaluation *e, const cuda_program *program, int64_t begin,
                                        int64_t n);
myr_status cuda_evaluation_send_targets(const cuda_evaluation *e, int64_t first, int64_t n);
myr_status cuda_evaluation_send_pairs(const cuda_evaluation *e);
myr_status cuda_evaluation_send_exclusions(const cuda_evaluation *e);
/* Types that the table of pairs has room for; whether targets have rows of exclusions. */
int cuda_evaluation_types(const myr_direct *job);
int cuda_evaluation_has_rows(const myr_direct *job);
/* Shared memory of a block: two bags, the table of pairs; room to merge sums in. */
size_t cuda_evaluation_shared(const cuda_evaluation *e);
void cuda_evaluation_arguments(const cuda_evaluation *e, int64_t targets, myr_cuda_sweep *a);
myr_status cuda_evaluation_sweep(const cuda_evaluation *e, const cuda_program *program, myr_cuda_sweep *a,
                                 int64_t splits);
myr_status cuda_evaluation_finish(const cuda_evaluation *e, const cuda_program *program, const myr_cuda_sweep *a,
                                  int64_t splits);

/* Devices of their own for motions: a stream and buffers that other evaluations do not touch. */
myr_status cuda_device_copy(myr_cuda *cuda, myr_context *context, const cuda_device *from, cuda_device *to);
void cuda_device_release(cuda_device *device);

/* One evaluation: direct.c. */
myr_status cuda_run(myr_cuda *cuda, const myr_direct *job, myr_direct_result *result);

/* All of a device's part, queued; results are collected later. The caller frees e->staging. */
myr_status cuda_evaluation_run(cuda_evaluation *e);

/* For benchmarks and tests, see cuda_plugin.h: timing.c. */
myr_status cuda_time(myr_cuda *cuda, const myr_direct *job, int samples, double *seconds);
myr_status cuda_issue(myr_cuda *cuda, myr_context *context, int in_double, double *rate);
myr_status cuda_code(const myr_cuda_host *host, const myr_direct *job, const myr_cuda_device *on, int motion,
                     myr_cuda_code *code);

/* The program of fixed steps, or of block steps. */
cuda_variant cuda_motion_variant(myr_cuda *cuda, const cuda_device *device, const myr_direct *job, int blocks);

/* Particles integrated on a device: motion.c. */
myr_status cuda_motion_open(myr_cuda *cuda, const myr_direct *job, int velocity, int arrays, double *const *array,
                            myr_cuda_motion **motion);
void cuda_motion_close(myr_cuda_motion *motion);
myr_status cuda_motion_send(myr_cuda_motion *motion);
myr_status cuda_motion_fetch(myr_cuda_motion *motion);
myr_status cuda_motion_keep(myr_cuda_motion *motion, int back);
myr_status cuda_motion_add(myr_cuda_motion *motion, double *const *to, const double *const *from, double factor);
myr_status cuda_motion_rates(myr_cuda_motion *motion, const myr_direct *job, double *const x[3], double *const v[3],
                             int first, double *const rate[3]);
myr_status cuda_motion_settle(myr_cuda_motion *motion, int *fine);
myr_status cuda_motion_hermite(myr_cuda_motion *motion, const myr_direct *job, const myr_cuda_blocks *blocks,
                               myr_cuda_blocks_done *done);

#endif
