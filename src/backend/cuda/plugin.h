/* plugin.h - the line between the library and libmyriad_cuda.so. The plug-in is opened at run time and gets from the
 * library what it needs of it, so neither is linked with the other. */
#ifndef MYR_CUDA_PLUGIN_H
#define MYR_CUDA_PLUGIN_H

#include "backend/job.h"
#include "backend/source.h"

enum { MYR_CUDA_ABI = 1 }; /* raised with every change of this file or job.h */

typedef struct myr_cuda myr_cuda;

/* What the library gives. */
typedef struct {
    const myr_source *(*sources)(int *count);
    void (*cache_key)(const char *const *text, int n, char *key);
    int (*cache_read)(const char *key, const char *suffix, void **bytes, size_t *size);
    int (*cache_write)(const char *key, const char *suffix, const void *bytes, size_t size, char *message, size_t room);
    myr_status (*fail)(myr_context *context, myr_status status, const char *format, ...);
    void (*warn)(myr_context *context, const char *format, ...);
} myr_cuda_host;

/* A GPU, for people. */
typedef struct {
    char name[128];
    int major, minor; /* compute capability */
    int multiprocessors;
    double memory; /* bytes */
} myr_cuda_device;

/* What the plug-in gives. Every function that can fail leaves a sentence in the context. */
typedef struct {
    int abi;
    /* Opens the GPUs of this machine, or those that $MYRIAD_CUDA_DEVICES lists. */
    myr_status (*open)(const myr_cuda_host *host, myr_context *context, myr_cuda **cuda);
    void (*close)(myr_cuda *cuda);
    /* GPU k of those that were opened; 0 past the last. */
    int (*device)(const myr_cuda *cuda, int k, myr_cuda_device *device);
    /* One evaluation, targets split over the GPUs; see myr_direct_run. */
    myr_status (*run)(myr_cuda *cuda, const myr_direct *job, myr_direct_result *result);
} myr_cuda_plugin;

/* The one symbol of the plug-in, by this name. */
typedef const myr_cuda_plugin *(*myr_cuda_plugin_fn)(void);
#define MYR_CUDA_PLUGIN_SYMBOL "myr_cuda_plugin_get"

#endif
