/* gpu.h - GPUs of this machine, accessed through the plug-in libmyriad_cuda.so. */
#ifndef MYR_BACKEND_GPU_H
#define MYR_BACKEND_GPU_H

#include <pthread.h>
#include <stdatomic.h>

#include "backend/backend.h"
#include "backend/cuda/cuda_plugin.h"

typedef struct myr_gpu {
    myr_isa_table isa; /* backend "cuda": descriptions of scalar code, with loops that run on the GPU */
    const myr_cuda_plugin *plugin;
    myr_cuda *cuda;
    atomic_int users;     /* contexts that share it */
    pthread_mutex_t lock; /* held during an evaluation, since contexts may be in different threads */
} myr_gpu;

/* GPUs, opened by the first call and owned by the context. Null, with a message in the context, if there are none: no
 * plug-in, no driver or no device. */
const myr_gpu *myr_gpu_open(myr_context *context);

/* Lets a context that has opened no GPUs use those of another one, until the last of both is destroyed. */
void myr_gpu_share(myr_context *context, const myr_gpu *gpu);

/* Lets GPU `local`, modulo their number, make all evaluations of a context that has opened its GPUs: each rank of a
 * machine uses its own. */
void myr_gpu_use(myr_context *context, int local);

/* Gives up the GPUs of a context after one was lost; later uses fail with the reason. */
void myr_gpu_drop(myr_context *context, const char *reason);

/* Machine code of an evaluation (motion 0), of fixed steps (1) or of block steps (2) for a GPU like `on`, which need
 * not be present. The caller frees code->bytes. */
myr_status myr_gpu_code(const myr_direct *job, const myr_cuda_device *on, int motion, myr_cuda_code *code);

/* Machine code of particles in a box; likewise. */
myr_status myr_gpu_box_code(const myr_cuda_box_set *set, const myr_cuda_device *on, myr_cuda_code *code);

/* Writes machine code to a file. */
myr_status myr_gpu_code_write(myr_context *context, const myr_cuda_code *code, const char *path);

/* Runs an evaluation on the GPU; see myr_direct_run. */
myr_status myr_gpu_run(const myr_gpu *gpu, const myr_direct *job, myr_direct_result *result);

#endif
