/* gpu.h - the GPUs of this machine, behind the plug-in libmyriad_cuda.so. */
#ifndef MYR_BACKEND_GPU_H
#define MYR_BACKEND_GPU_H

#include "backend/backend.h"
#include "backend/cuda/plugin.h"

typedef struct myr_gpu {
    myr_isa_table isa; /* backend "cuda": the descriptions of scalar code, and loops that run here */
    const myr_cuda_plugin *plugin;
    myr_cuda *cuda;
    void *library;
} myr_gpu;

/* The GPUs, opened with the first call and kept by the context. Null and a sentence in the context where there are
 * none: no plug-in, no driver, no device. */
const myr_gpu *myr_gpu_open(myr_context *context);

/* Forgets the GPUs of a context, which then has none: after one was lost. */
void myr_gpu_drop(myr_context *context, const char *reason);

/* An evaluation there; see myr_direct_run. */
myr_status myr_gpu_run(const myr_gpu *gpu, const myr_direct *job, myr_direct_result *result);

#endif
