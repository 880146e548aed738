/* context.h - the inside of a context. */
#ifndef MYR_CORE_CONTEXT_H
#define MYR_CORE_CONTEXT_H

#include <myriad/context.h>

enum { MYR_MESSAGE_MAX = 1024 };

struct myr_context {
    char message[MYR_MESSAGE_MAX];
    char scratch[MYR_MESSAGE_MAX]; /* for strings that are returned until the next call */
    int threads;                   /* 0 = as many as there are */
    myr_progress_fn progress;
    void *progress_user;
    myr_warning_fn warning;
    void *warning_user;
    void *kernels; /* interaction/kernel_registry.h: those made from source */
    void (*kernels_free)(void *kernels);
    void *gpu; /* backend/gpu.h: opened with the first use */
    void (*gpu_close)(void *gpu);
    char *gpu_absent; /* why there is none, once that is known */
    void *ranks;      /* domain/ranks.h: null = one process alone */
    void (*ranks_close)(void *ranks);
};

/* Stores the sentence and returns the status, so that a check is one line. */
myr_status myr_context_fail(myr_context *context, myr_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Passes a sentence to the warning callback. */
void myr_context_warn(myr_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
