/* context.h - fields of struct myr_context, private to the library. */
#ifndef MYR_CORE_CONTEXT_H
#define MYR_CORE_CONTEXT_H

#include <signal.h>

#include <myriad/context.h>

enum { MYR_MESSAGE_MAX = 1024 };

struct myr_context {
    char message[MYR_MESSAGE_MAX];
    char scratch[MYR_MESSAGE_MAX]; /* backing store of strings that an API call returns, valid until the next call */
    double time_unit;              /* unit of times in messages; 0 = that of the simulations */
    char time_name[33];            /* its name after a blank; "" = none */
    int threads;                   /* number of OpenMP threads; 0 = all available processors */
    myr_progress_fn progress;
    void *progress_user;
    myr_warning_fn warning;
    void *warning_user;
    myr_warning_fn notice;
    void *notice_user;
    void *units; /* units compiled on demand (backend/units.h) */
    void (*units_free)(void *units);
    void *kernels; /* registry of kernels compiled from source (interaction/kernel_registry.h) */
    void (*kernels_free)(void *kernels);
    void *fields; /* external fields that functions of the user compute (model/external_function.h) */
    void (*fields_free)(void *fields);
    void *gpu; /* GPU plug-in handle (backend/gpu.h); null until the first use */
    void (*gpu_close)(void *gpu);
    char *gpu_absent; /* sentence that says why no GPU is available; null until a GPU was looked for in vain */
    void *ranks;      /* communicator of the run (domain/ranks.h); null = a single process */
    void (*ranks_close)(void *ranks);
    void *waiting; /* how threads wait for each other (core/waiting.h); null until several threads are used */
    void (*waiting_free)(void *waiting);
    const volatile sig_atomic_t *request; /* of this rank to all (domain/ranks.h); null = none */
};

/* Stores a formatted error message in the context and returns `status`, so that a check and its error return are one
 * statement. */
myr_status myr_context_fail(myr_context *context, myr_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A time as messages give it: a number (%g) in the user's unit, and the unit's name after a blank, or "" (%s). */
double myr_context_time(const myr_context *context, double time);
const char *myr_context_time_name(const myr_context *context);

/* Formats a sentence and passes the sentence to the warning callback of the context. */
void myr_context_warn(myr_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Formats a sentence and passes the sentence to the notice callback of the context. */
void myr_context_notify(myr_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
