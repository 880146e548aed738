/* gpu.h - the GPUs of this machine, behind the plug-in libmyriad_cuda.so. */
#ifndef MYR_BACKEND_GPU_H
#define MYR_BACKEND_GPU_H

#include "backend/backend.h"
#include "backend/cuda/cuda_plugin.h"

typedef struct myr_gpu {
    myr_isa_table isa; /* backend "cuda": the descriptions of scalar code, and loops that run here */
    const myr_cuda_plugin *plugin;
    myr_cuda *cuda;
} myr_gpu;

/* The GPUs, opened with the first call and kept by the context. Null and a sentence in the context where there are
 * none: no plug-in, no driver, no device. */
const myr_gpu *myr_gpu_open(myr_context *context);

/* Gives the GPUs of a context up, which then has none: after one was lost. What still holds them is told the reason. */
void myr_gpu_drop(myr_context *context, const char *reason);

/* The machine code of an evaluation (motion 0), of fixed steps (1) or of block steps (2) on a GPU like `on`; there need
 * not be one here. The caller frees code->bytes. */
myr_status myr_gpu_code(const myr_direct *job, const myr_cuda_device *on, int motion, myr_cuda_code *code);

/* An evaluation there; see myr_direct_run. */
myr_status myr_gpu_run(const myr_gpu *gpu, const myr_direct *job, myr_direct_result *result);

#endif
