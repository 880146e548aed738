/* cuda.h - internal header of the plug-in: devices, device memory, compiled programs. */
#ifndef MYR_BACKEND_CUDA_H
#define MYR_BACKEND_CUDA_H

#include <cuda_runtime_api.h>

#include "backend/cuda/launch_args.h"
#include "backend/cuda/cuda_plugin.h"

enum { CUDA_DEVICES_MAX = 64 };

/* Bytes of a sum in device memory. */
#define CUDA_SUM sizeof(myr_word[MYR_ACC_LOOP_WORDS])

/* Buffers in device memory, which grow as needed and are kept. */
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
    BUFFER_OVER,
    BUFFER_OVER_USED,
    BUFFER_ARRAYS, /* buffers from here on belong to motion.c */
    BUFFER_KEPT,
    BUFFER_ACTIVE,
    BUFFER_ROOM,
    BUFFER_PROGRESS,
    BUFFER_MESH_GRID, /* buffers from here on belong to mesh.c */
    BUFFER_MESH_FOURIER,
    BUFFER_MESH_TABLES,
    BUFFER_MESH_STATE,
    BUFFER_MESH_RANK,
    BUFFER_MESH_FIRST,
    BUFFER_MESH_SUM,
    BUFFER_MESH_SOURCES,
    BUFFER_MESH_TARGETS,
    BUFFER_MESH_INPUT,
    BUFFER_MESH_VALUES,
    BUFFER_COUNT
} cuda_buffer_id;

typedef struct {
    void *at;
    size_t size;
} cuda_buffer;

/* Properties that distinguish one program from another. */
typedef struct {
    const char *kernel, *kernel_file; /* name and header of a kernel of the library */
    const char *kernel_text;          /* header text of a user's kernel; null otherwise */
    const char *loop;                 /* loop of the accumulator */
    int arithmetic;                   /* members from here to `motion` are compared as bytes */
    int fold, slices, targets, steps, careful, carry, table, types, resident, outputs, threads, blocks;
    int unlimited; /* 1 = no cutoff */
    int equal;     /* 1 = all sources have equal strength */
    int motion;    /* 1 = with the kernels of motion.cuh for fixed steps, 2 = also for block steps */
} cuda_variant;

typedef struct cuda_program {
    struct cuda_program *next;
    cuda_variant variant; /* owns copies of its strings */
    char *names;
    cudaLibrary_t library;
    cudaKernel_t sweep, finish, pack;
    cudaKernel_t move, hermite, undo; /* kernels of motion.cuh */
} cuda_program;

typedef struct {
    int id; /* device index of CUDA */
    struct cudaDeviceProp properties;
    cudaStream_t stream;
    cuda_buffer buffer[BUFFER_COUNT];
    cuda_program *programs;
    struct cuda_batch *batch; /* batch that records launches; null = launches are executed at once */
} cuda_device;

struct myr_cuda {
    const myr_cuda_host *host;
    size_t limit; /* limit of device memory in bytes; 0 = none ($MYRIAD_CUDA_MEMORY, for tests) */
    int devices;
    int alone; /* 1 + number of the GPU that makes all evaluations; 0 = targets are distributed over all GPUs */
    cuda_device device[CUDA_DEVICES_MAX];
};

/* Converts an error of the CUDA runtime to a status; `what` names the operation in the message. */
myr_status cuda_check(const myr_cuda *cuda, myr_context *context, cudaError_t error, const char *what);

/* Makes a buffer at least `size` bytes large; its contents are lost when it grows. */
myr_status cuda_room(myr_cuda *cuda, myr_context *context, cuda_device *device, cuda_buffer_id id, size_t size);

/* Room for the wide integers of n targets, all 0. */
myr_status cuda_room_over(myr_cuda *cuda, myr_context *context, cuda_device *device, int64_t n, int outputs);

/* Copies host memory to a buffer, asynchronously on the device's stream. */
myr_status cuda_upload(myr_cuda *cuda, myr_context *context, cuda_device *device, cuda_buffer_id id, const void *from,
                       size_t size);

/* Program of a variant: from memory, from the cache on disk, or compiled now. */
myr_status cuda_program_get(myr_cuda *cuda, myr_context *context, cuda_device *device, const cuda_variant *variant,
                            const cuda_program **program);

void cuda_programs_free(cuda_device *device);

/* Machine code of a text that may include the library's texts, and a user's header as "user_kernel.h": from the cache
 * on disk, or compiled now. The caller frees it. Only the compute capability of the device is used. */
myr_status cuda_compile(const myr_cuda *cuda, myr_context *context, const cuda_device *device, const char *what,
                        const char *text, const char *user_kernel, void **code, size_t *size);

/* Machine code of the program of a variant. */
myr_status cuda_compile_variant(const myr_cuda *cuda, myr_context *context, const cuda_device *device,
                                const cuda_variant *variant, void **code, size_t *size);

/* EARLY: the kernel may be launched before the one before it has ended, for which it waits by itself. COOPERATIVE: all
 * its blocks are resident at the same time, or the launch fails. */
enum { CUDA_CALL_EARLY = 1, CUDA_CALL_COOPERATIVE = 2 };

/* Launch of a kernel with one structure as argument. */
typedef struct {
    cudaKernel_t kernel;
    dim3 grid;
    unsigned threads;
    size_t shared;
    void *arguments;
    size_t size;
    const char *what; /* name of the operation, for messages */
    int manner;       /* CUDA_CALL_..., or 0 */
} cuda_call;

/* Launches a kernel, or records the launch if the device has an open batch. */
myr_status cuda_launch(const myr_cuda *cuda, myr_context *context, const cuda_device *device, const cuda_call *call);

/* Batches (batch.c). `begin` starts recording; `end` executes all recorded launches, as a graph if the batch equals the
 * previous one; `drop` discards them; `free` releases everything. */
myr_status cuda_batch_begin(const myr_cuda *cuda, myr_context *context, cuda_device *device);
myr_status cuda_batch_record(const myr_cuda *cuda, myr_context *context, const cuda_device *device,
                             const cuda_call *call);
myr_status cuda_batch_end(const myr_cuda *cuda, myr_context *context, const cuda_device *device);
void cuda_batch_drop(const cuda_device *device);
void cuda_batch_free(cuda_device *device);
int cuda_batch_is_open(const cuda_device *device);

/* Executes a launch without recording. */
myr_status cuda_launch_now(const myr_cuda *cuda, myr_context *context, const cuda_device *device,
                           const cuda_call *call);

/* Division of an evaluation into blocks: shape.c. */
typedef struct {
    int targets, slices, threads, steps, blocks; /* see sweep.cuh */
    int64_t splits, bag;
} cuda_shape;

cuda_shape cuda_shape_of(const cuda_device *device, const myr_direct *job, int64_t targets);

/* Part of an evaluation on one device: targets first .. first + count - 1. */
typedef struct {
    myr_cuda *cuda;
    cuda_device *device;
    const myr_direct *job;
    cuda_shape shape;
    cuda_variant variant;
    int target_stride, source_stride; /* reals per record */
    int pair_row;                     /* reals of the pair table per source type */
    double strength;                  /* common strength of all sources if the formula omits it; else 1 */
    int64_t first, count;
    int64_t target_part, source_part; /* numbers of targets and sources processed at a time */
    myr_direct_result *result;
    char *staging; /* host memory for gathering */
} cuda_evaluation;

/* Steps of an evaluation, for evaluations that stay on the device (motion.c). `shape` computes everything that follows
 * from device, job and count; the `send` functions copy sources begin .. begin + n - 1, the pair table and the
 * exclusions; `arguments` describes the sweep of `targets` targets with the current buffers. */
void cuda_evaluation_shape(cuda_evaluation *e);
myr_status cuda_evaluation_send_sources(const cuda_evaluation *e, const cuda_program *program, int64_t begin,
                                        int64_t n);
myr_status cuda_evaluation_send_targets(const cuda_evaluation *e, int64_t first, int64_t n);
myr_status cuda_evaluation_send_pairs(const cuda_evaluation *e);
myr_status cuda_evaluation_send_exclusions(const cuda_evaluation *e);
/* Number of types for which the pair table has room; 1 if targets have rows of exclusions. */
int cuda_evaluation_types(const myr_direct *job);
int cuda_evaluation_has_rows(const myr_direct *job);
/* Shared memory of a block: two bags and the pair table, or room for merging sums. */
size_t cuda_evaluation_shared(const cuda_evaluation *e);
void cuda_evaluation_arguments(const cuda_evaluation *e, int64_t targets, myr_cuda_sweep *a);
myr_status cuda_evaluation_sweep(const cuda_evaluation *e, const cuda_program *program, myr_cuda_sweep *a,
                                 int64_t splits);
myr_status cuda_evaluation_finish(const cuda_evaluation *e, const cuda_program *program, const myr_cuda_sweep *a,
                                  int64_t splits);

/* Copy of a device for motions: its own stream and buffers, separate from other evaluations. */
myr_status cuda_device_copy(myr_cuda *cuda, myr_context *context, const cuda_device *from, cuda_device *to);
void cuda_device_release(cuda_device *device);

/* Runs one evaluation: direct.c. */
myr_status cuda_run(myr_cuda *cuda, const myr_direct *job, myr_direct_result *result);

/* Enqueues a device's whole part of an evaluation; results are collected later. The caller frees e->staging. */
myr_status cuda_evaluation_run(cuda_evaluation *e);

/* For benchmarks and tests, see cuda_plugin.h: timing.c. */
myr_status cuda_time(myr_cuda *cuda, const myr_direct *job, int samples, double *seconds);
myr_status cuda_issue(myr_cuda *cuda, myr_context *context, int in_double, double *rate);
myr_status cuda_code(const myr_cuda_host *host, const myr_direct *job, const myr_cuda_device *on, int motion,
                     myr_cuda_code *code);

/* Variant of fixed steps, or of block steps. */
cuda_variant cuda_motion_variant(myr_cuda *cuda, const cuda_device *device, const myr_direct *job, int blocks);

/* Particles integrated on a device: motion.c, motion_direct.c, far_motion.c. */
myr_status cuda_motion_open(myr_cuda *cuda, const myr_direct *job, const myr_cuda_motion_set *set,
                            myr_cuda_motion **motion);
void cuda_motion_close(myr_cuda_motion *motion);
myr_status cuda_motion_send(myr_cuda_motion *motion);
myr_status cuda_motion_fetch(myr_cuda_motion *motion);
myr_status cuda_motion_keep(myr_cuda_motion *motion, int back);
myr_status cuda_motion_sum(myr_cuda_motion *motion, const motion_sum *sum);
myr_status cuda_motion_rates(myr_cuda_motion *motion, const myr_direct *job, double *const x[3], double *const v[3],
                             double *const *value);
myr_status cuda_motion_settle(myr_cuda_motion *motion, int *fine);
myr_status cuda_motion_address(myr_cuda_motion *motion, const double *host, const double **at, int *device);
myr_status cuda_motion_hermite(myr_cuda_motion *motion, const myr_direct *job, const myr_cuda_blocks *blocks,
                               myr_cuda_blocks_done *done);

/* Particles in a box: box.c. */
myr_status cuda_box_open(myr_cuda *cuda, const myr_cuda_box_set *set, myr_cuda_box **box);
void cuda_box_close(myr_cuda_box *box);
myr_status cuda_box_set(myr_cuda_box *box, const myr_cuda_box_potential *potential);
myr_status cuda_box_send(myr_cuda_box *box, const myr_cuda_box_arrays *from);
myr_status cuda_box_fetch(myr_cuda_box *box, const myr_cuda_box_arrays *to);
myr_status cuda_box_keep_good(myr_cuda_box *box, double h, const int64_t *index);
myr_status cuda_box_fetch_good(myr_cuda_box *box, uint64_t *const q[3], double *const v[3]);
myr_status cuda_box_share(myr_cuda_box *box, const myr_cuda_box_share *share);
myr_status cuda_box_finish(myr_cuda_box *box, const myr_cuda_box_steps *steps, myr_cuda_box_done *done);
myr_status cuda_box_forces(myr_cuda_box *box, int store, int *stopped, myr_cuda_box_sums *sums);
myr_status cuda_box_steps(myr_cuda_box *box, const myr_cuda_box_steps *steps, myr_cuda_box_done *done);
myr_status cuda_box_measure(myr_cuda_box *box, int lowest, int64_t count[MYR_BOX_SIZES]);
myr_status cuda_box_velocities(myr_cuda_box *box, double h, int power, double scale, double *largest,
                               unsigned long long total[6][2]);
myr_status cuda_box_external(myr_cuda_box *box, myr_cuda_box_quantity quantity, double scale, double *largest,
                             unsigned long long total[2]);
myr_status cuda_box_correlate(myr_cuda_box *box, const box_correlation *correlation, int *refused);
myr_status cuda_box_counts(myr_cuda_box *box, const box_counting *set, const double origin[3], int64_t *count);
myr_status cuda_box_change(myr_cuda_box *box, double kick, double factor, const double shift[3]);
myr_status cuda_box_fire_sums(myr_cuda_box *box, const double *scale, double largest2[2],
                              unsigned long long total[3][2]);
myr_status cuda_box_fire_move(myr_cuda_box *box, const box_fire *step, double *furthest, int *renew);
void cuda_box_report(const myr_cuda_box *box, myr_cuda_box_report *report);
myr_status cuda_box_pairs(myr_cuda_box *box, int64_t *pairs);
myr_status cuda_box_code(const myr_cuda_host *host, const myr_cuda_box_set *set, const myr_cuda_device *on,
                         myr_cuda_code *code);

/* Header of a kernel of the library, null for another one; name of the loop of a job. Constants, grids and scales of a
 * job in the arithmetic of its loop: arguments.c. */
const char *cuda_kernel_file(const char *kernel);
const char *cuda_loop_name(const myr_direct *job);
void cuda_arguments_numbers(const myr_direct *job, myr_cuda_sweep *a);

/* Molecules: molecule.c. */
myr_status cuda_molecule_open(myr_cuda *cuda, const myr_cuda_molecule_set *set, myr_cuda_molecule **molecule);
void cuda_molecule_close(myr_cuda_molecule *molecule);
myr_status cuda_molecule_send(myr_cuda_molecule *molecule, int64_t replica, const myr_cuda_molecule_arrays *from);
myr_status cuda_molecule_fetch(myr_cuda_molecule *molecule, int64_t replica, const myr_cuda_molecule_arrays *to);
myr_status cuda_molecule_wait(myr_cuda_molecule *molecule);
myr_status cuda_molecule_steps(myr_cuda_molecule *molecule, const myr_cuda_molecule_one *one,
                               const myr_cuda_molecule_steps *steps, int64_t *made, double *seconds);
myr_status cuda_molecule_back(myr_cuda_molecule *molecule, int64_t replica);
myr_status cuda_molecule_again(myr_cuda_molecule *molecule, const myr_cuda_molecule_one *one);
void cuda_molecule_chain(const myr_cuda_molecule *molecule, int64_t replica, box_chain *chain);
void cuda_molecule_report(const myr_cuda_molecule *molecule, double *bytes, int *blocks, int *threads);

/* Systems of stars: stars.c. */
myr_status cuda_stars_open(myr_cuda *cuda, const myr_cuda_stars_set *set, myr_cuda_stars **stars);
void cuda_stars_close(myr_cuda_stars *stars);
myr_status cuda_stars_send(myr_cuda_stars *stars, int64_t system, const double *from);
myr_status cuda_stars_fetch(myr_cuda_stars *stars, int64_t system, double *to);
myr_status cuda_stars_steps(myr_cuda_stars *stars, const myr_cuda_stars_one *one, double work, double step_work,
                            myr_cuda_stars_done *done, double *seconds);
void cuda_stars_report(const myr_cuda_stars *stars, double *bytes, int *blocks, int *threads);

/* Near sources: near.c. */
myr_status cuda_near_open(myr_cuda *cuda, myr_context *context, myr_cuda_near_finder **finder);
void cuda_near_close(myr_cuda_near_finder *finder);
myr_status cuda_near_sources(myr_cuda_near_finder *finder, int64_t n, const double *source);
myr_status cuda_near_find(myr_cuda_near_finder *finder, int64_t n, const double *target,
                          const myr_cuda_near_lists *lists);

/* Elements on a mesh: mesh.c, mesh_run.c, mesh_motion.c. */
myr_status cuda_mesh_open(myr_cuda *cuda, const myr_cuda_mesh_set *set, myr_cuda_mesh **mesh);
void cuda_mesh_close(myr_cuda_mesh *mesh);
myr_status cuda_mesh_run(myr_cuda_mesh *mesh, const myr_cuda_mesh_job *job, double *const *value,
                         myr_cuda_mesh_report *report);
myr_status cuda_mesh_motion_open(myr_cuda_mesh *mesh, const myr_direct *job, const myr_cuda_mesh_job *elements,
                                 const myr_cuda_motion_set *set, myr_cuda_motion **motion);

/* Far fields: far.c and far_run.c. */
myr_status cuda_far_open(myr_cuda *cuda, const myr_cuda_far_set *set, myr_cuda_far **far);
void cuda_far_close(myr_cuda_far *far);
myr_status cuda_far_run(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options,
                        myr_direct_result *result, myr_cuda_far_report *report);
myr_status cuda_far_motion_open(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options,
                                const myr_cuda_motion_set *set, myr_cuda_motion **motion);
myr_status cuda_far_motion_report(const myr_cuda_motion *motion, myr_cuda_far_report *report);

#endif
