/* context.c - creation and settings of a context: error message, thread count, warning callback. */
#include "core/context.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

enum { MYR_THREADS_MAX = 4096 };

myr_status myr_context_create(myr_context **context)
{
    if (!context)
        return MYR_ERROR_ARGUMENT;
    *context = calloc(1, sizeof **context);
    return *context ? MYR_OK : MYR_ERROR_MEMORY;
}

void myr_context_destroy(myr_context **context)
{
    if (!context || !*context)
        return;
    if ((*context)->kernels)
        (*context)->kernels_free((*context)->kernels);
    if ((*context)->fields)
        (*context)->fields_free((*context)->fields);
    if ((*context)->units)
        (*context)->units_free((*context)->units);
    if ((*context)->gpu)
        (*context)->gpu_close((*context)->gpu);
    free((*context)->gpu_absent);
    if ((*context)->ranks)
        (*context)->ranks_close((*context)->ranks);
    if ((*context)->waiting)
        (*context)->waiting_free((*context)->waiting);
    free(*context);
    *context = NULL;
}

const char *myr_context_message(const myr_context *context)
{
    return context ? context->message : "";
}

myr_status myr_context_set_threads(myr_context *context, int threads)
{
    if (!context)
        return MYR_ERROR_ARGUMENT;
    if (threads < 0 || threads > MYR_THREADS_MAX)
        return myr_context_fail(context, MYR_ERROR_VALUE,
                                "%d threads asked for; give 1 to %d, or 0 for as many as the machine has", threads,
                                MYR_THREADS_MAX);
    context->threads = threads;
    return MYR_OK;
}

int myr_context_threads(const myr_context *context)
{
#ifdef _OPENMP
    return context && context->threads ? context->threads : omp_get_max_threads();
#else
    (void)context;
    return 1;
#endif
}

myr_status myr_context_set_time_unit(myr_context *context, double unit, const char *name)
{
    if (!context)
        return MYR_ERROR_ARGUMENT;
    if (!(unit > 0) || !isfinite(unit) || !name || strlen(name) + 2 > sizeof context->time_name)
        return myr_context_fail(context, MYR_ERROR_VALUE,
                                "a unit of time needs a length above 0 and a name of up to %zu characters",
                                sizeof context->time_name - 2);
    context->time_unit = unit;
    snprintf(context->time_name, sizeof context->time_name, "%s%s", *name ? " " : "", name);
    return MYR_OK;
}

double myr_context_time(const myr_context *context, double time)
{
    return context->time_unit > 0 ? time / context->time_unit : time;
}

const char *myr_context_time_name(const myr_context *context)
{
    return context->time_name;
}

myr_status myr_context_set_progress(myr_context *context, myr_progress_fn progress, void *user)
{
    if (!context)
        return MYR_ERROR_ARGUMENT;
    context->progress = progress;
    context->progress_user = user;
    return MYR_OK;
}

myr_status myr_context_set_warning(myr_context *context, myr_warning_fn warning, void *user)
{
    if (!context)
        return MYR_ERROR_ARGUMENT;
    context->warning = warning;
    context->warning_user = user;
    return MYR_OK;
}

myr_status myr_context_set_notice(myr_context *context, myr_warning_fn notice, void *user)
{
    if (!context)
        return MYR_ERROR_ARGUMENT;
    context->notice = notice;
    context->notice_user = user;
    return MYR_OK;
}

myr_status myr_context_fail(myr_context *context, myr_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(context->message, sizeof context->message, format, args);
    va_end(args);
    return status;
}

/* Formats a sentence and passes the sentence to a callback; does nothing if the callback is null. */
__attribute__((format(printf, 3, 0))) static void context_call(myr_warning_fn to, void *user, const char *format,
                                                               va_list args)
{
    char text[MYR_MESSAGE_MAX];
    if (!to)
        return;
    vsnprintf(text, sizeof text, format, args);
    to(user, text);
}

void myr_context_warn(myr_context *context, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    context_call(context->warning, context->warning_user, format, args);
    va_end(args);
}

void myr_context_notify(myr_context *context, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    context_call(context->notice, context->notice_user, format, args);
    va_end(args);
}
