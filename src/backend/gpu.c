/* gpu.c - loads the GPU plug-in. */
#include "backend/gpu.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/abi.h"
#include "core/cache.h"
#include "core/plugin.h"

static const myr_plugin plugin_file = {
    .file = "libmyriad_cuda.so",
    .variable = "MYRIAD_CUDA_PLUGIN",
    .what = "GPU",
    .advice = "build Myriad where the CUDA toolkit is, or use backend simd",
};

static const myr_cuda_host host = {
    .sources = myr_sources,
    .cache_key = myr_cache_key,
    .cache_read = myr_cache_read,
    .cache_write = myr_cache_write,
    .fail = myr_context_fail,
    .warn = myr_context_warn,
};

static void gpu_close(void *memory)
{
    myr_gpu *gpu = memory;
    if (!gpu || atomic_fetch_sub(&gpu->users, 1) > 1)
        return;
    if (gpu->cuda)
        gpu->plugin->close(gpu->cuda);
    /* the library stays loaded, because the CUDA runtime keeps threads and handlers in it */
    pthread_mutex_destroy(&gpu->lock);
    free(gpu);
}

static myr_status gpu_plugin(myr_context *context, const myr_cuda_plugin **plugin)
{
    void *library = myr_plugin_open(context, &plugin_file);
    if (!library)
        return MYR_ERROR_UNAVAILABLE;
    myr_cuda_plugin_fn get;
    *(void **)&get = dlsym(library, MYR_CUDA_PLUGIN_SYMBOL);
    *plugin = get ? get() : NULL;
    if (!*plugin || (*plugin)->abi != MYR_CUDA_ABI)
        return myr_context_fail(context, MYR_ERROR_UNAVAILABLE,
                                "GPU: the plug-in found is of another version of Myriad; install both from one build");
    return MYR_OK;
}

/* A GPU uses the kernel descriptions of scalar code, which processes one number at a time. */
static myr_status gpu_describe(myr_context *context, myr_gpu *gpu)
{
    const myr_isa_table *isa;
    for (int k = 0; (isa = myr_backend_isa(k)); k++)
        if (strcmp(isa->name, "scalar") == 0) {
            gpu->isa = *isa;
            gpu->isa.name = gpu->isa.backend = "cuda";
            gpu->isa.has_fma = 1;
            gpu->isa.unrolled = NULL;
            gpu->isa.gpu = gpu;
            return MYR_OK;
        }
    return myr_context_fail(context, MYR_ERROR_UNAVAILABLE,
                            "GPU: this build has no scalar code to describe kernels by");
}

const myr_gpu *myr_gpu_open(myr_context *context)
{
    if (context->gpu_absent) {
        memcpy(context->message, context->gpu_absent, strlen(context->gpu_absent) + 1);
        return NULL;
    }
    if (context->gpu)
        return context->gpu;
    myr_gpu *gpu = calloc(1, sizeof *gpu);
    if (gpu) {
        atomic_init(&gpu->users, 1);
        pthread_mutex_init(&gpu->lock, NULL);
    }
    myr_status status = gpu ? gpu_describe(context, gpu) : myr_context_fail(context, MYR_ERROR_MEMORY, "no memory");
    if (!status)
        status = gpu_plugin(context, &gpu->plugin);
    if (!status)
        status = gpu->plugin->open(&host, context, &gpu->cuda);
    if (status) {
        gpu_close(gpu);
        context->gpu_absent = strdup(context->message); /* remembered, so that the plug-in is tried only once */
        return NULL;
    }
    context->gpu = gpu;
    context->gpu_close = gpu_close;
    return gpu;
}

void myr_gpu_share(myr_context *context, const myr_gpu *gpu)
{
    myr_gpu *shared;
    if (context->gpu || context->gpu_absent)
        return;
    memcpy(&shared, &gpu, sizeof shared); /* counts its users */
    atomic_fetch_add(&shared->users, 1);
    context->gpu = shared;
    context->gpu_close = gpu_close;
}

myr_status myr_context_share_gpu(myr_context *context, myr_context *owner)
{
    if (!context || !owner)
        return MYR_ERROR_ARGUMENT;
    const myr_gpu *gpu = myr_gpu_open(owner);
    if (!gpu)
        return myr_context_fail(context, MYR_ERROR_UNAVAILABLE, "%s", owner->message);
    if (context->gpu && context->gpu != gpu)
        return myr_context_fail(context, MYR_ERROR_COMBINATION,
                                "this context has opened GPUs of its own already; let it share others before its first "
                                "evaluation");
    myr_gpu_share(context, gpu);
    return MYR_OK;
}

void myr_gpu_use(myr_context *context, int local)
{
    const myr_gpu *gpu = context->gpu;
    if (gpu)
        gpu->plugin->use(gpu->cuda, local);
}

void myr_gpu_drop(myr_context *context, const char *reason)
{
    char *why = strdup(reason); /* copied first: `reason` may be the old text */
    free(context->gpu_absent);
    /* the GPU is closed with the context, because interactions and motions may still point to it */
    context->gpu_absent = why;
}

myr_status myr_gpu_run(const myr_gpu *gpu, const myr_direct *job, myr_direct_result *result)
{
    if (job->context->gpu_absent)
        return myr_context_fail(job->context, MYR_ERROR_UNAVAILABLE, "given up before: %s", job->context->gpu_absent);
    myr_gpu *locked;
    memcpy(&locked, &gpu, sizeof locked); /* the lock changes, and nothing else */
    pthread_mutex_lock(&locked->lock);
    const myr_status status = gpu->plugin->run(gpu->cuda, job, result);
    pthread_mutex_unlock(&locked->lock);
    return status;
}

myr_status myr_gpu_code(const myr_direct *job, const myr_cuda_device *on, int motion, myr_cuda_code *code)
{
    const myr_cuda_plugin *plugin = NULL;
    myr_status status = gpu_plugin(job->context, &plugin);
    if (!status && !plugin->code)
        status = myr_context_fail(job->context, MYR_ERROR_UNAVAILABLE, "this plug-in shows no machine code");
    return status ? status : plugin->code(&host, job, on, motion, code);
}

myr_status myr_gpu_box_code(const myr_cuda_box_set *set, const myr_cuda_device *on, myr_cuda_code *code)
{
    const myr_cuda_plugin *plugin = NULL;
    const myr_status status = gpu_plugin(set->context, &plugin);
    return status ? status : plugin->box_code(&host, set, on, code);
}

myr_status myr_gpu_code_write(myr_context *context, const myr_cuda_code *code, const char *path)
{
    FILE *out = fopen(path, "wb");
    const int whole = out && fwrite(code->bytes, 1, code->size, out) == code->size;
    const int closed = out && fclose(out) == 0;
    if (whole && closed)
        return MYR_OK;
    return myr_context_fail(context, MYR_ERROR_FILE, "cannot write %s: %s", path, strerror(errno));
}
