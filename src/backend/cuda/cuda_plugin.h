/* cuda_plugin.h - the line between the library and libmyriad_cuda.so. The plug-in is opened at run time and gets from
 * the library what it needs of it, so neither is linked with the other. */
#ifndef MYR_BACKEND_CUDA_CUDA_PLUGIN_H
#define MYR_BACKEND_CUDA_CUDA_PLUGIN_H

#include "backend/job.h"
#include "backend/source.h"

enum { MYR_CUDA_ABI = 3 }; /* raised with every change of this file or job.h */

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

/* Machine code of an evaluation, and what is needed to count it. */
typedef struct {
    void *bytes; /* the caller frees it */
    size_t size;
    int pairs; /* per iteration of the hot loop */
} myr_cuda_code;

/* Particles that are integrated on a device. */
typedef struct myr_cuda_motion myr_cuda_motion;

/* Block steps of the Hermite scheme: arrays by the pointers that motion_open was given. */
typedef struct {
    double *x[3], *v[3], *a[3], *j[3], *own, *step, *end;
    double time, origin, unit, eta, dt_min, stop;
    double until; /* no step begins at or after this time */
    int64_t most; /* steps at most */
} myr_cuda_blocks;

typedef struct {
    double time;
    int64_t steps, particle_steps, active;
    int at_end;  /* the next step passes `stop` */
    int stopped; /* the next step needs the processor: a grid to raise, or an error to tell */
} myr_cuda_blocks_done;

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
    /* A set that acts on itself, of which these arrays of doubles are kept on the first device; they are named by their
     * addresses here. velocity: first lane component of the sources' velocity, or -1. MYR_ERROR_COMBINATION without a
     * message where the job cannot stay on a device. */
    myr_status (*motion_open)(myr_cuda *cuda, const myr_direct *job, int velocity, int arrays, double *const *array,
                              myr_cuda_motion **motion);
    void (*motion_close)(myr_cuda_motion *motion);
    myr_status (*motion_send)(myr_cuda_motion *motion);           /* all arrays to the device */
    myr_status (*motion_fetch)(myr_cuda_motion *motion);          /* and back */
    myr_status (*motion_keep)(myr_cuda_motion *motion, int back); /* a copy of them there; or back from it */
    /* to[c] += factor * from[c], three arrays each. Queued, as is the next. */
    myr_status (*motion_add)(myr_cuda_motion *motion, double *const *to, const double *const *from, double factor);
    /* Outputs first .. first + 2 of the job's kernel into three arrays. */
    myr_status (*motion_rates)(myr_cuda_motion *motion, const myr_direct *job, double *const x[3], double *const v[3],
                               int first, double *const rate[3]);
    /* Waits; fine = 0 where since the last call a sum left its range or was no number. */
    myr_status (*motion_settle)(myr_cuda_motion *motion, int *fine);
    myr_status (*motion_hermite)(myr_cuda_motion *motion, const myr_direct *job, const myr_cuda_blocks *blocks,
                                 myr_cuda_blocks_done *done);
    /* Seconds per evaluation on the first GPU, from particles that are there already, by the GPU's own clock: `samples`
     * times, each the mean of as many evaluations in a row as make it long enough to be timed. */
    myr_status (*time)(myr_cuda *cuda, const myr_direct *job, int samples, double *seconds);
    /* Multiply-adds per second that the first GPU issues, each thread's counted. */
    myr_status (*issue)(myr_cuda *cuda, myr_context *context, int in_double, double *rate);
    /* Compiles what an evaluation runs on a GPU like `on`, which need not be there; motion: 1 = what fixed steps run
     * there, 2 = block steps. */
    myr_status (*code)(const myr_cuda_host *host, const myr_direct *job, const myr_cuda_device *on, int motion,
                       myr_cuda_code *code);
} myr_cuda_plugin;

/* The one symbol of the plug-in, by this name. */
typedef const myr_cuda_plugin *(*myr_cuda_plugin_fn)(void);
#define MYR_CUDA_PLUGIN_SYMBOL "myr_cuda_plugin_get"

#endif
