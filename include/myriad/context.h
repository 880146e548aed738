/* context.h - state of one user of the library: last error message, threads, callbacks.
 *
 * The library has no global state. A context and all objects made from it belong to one thread at a time; different
 * contexts can be used in different threads. */
#ifndef MYRIAD_CONTEXT_H
#define MYRIAD_CONTEXT_H

#include <stdint.h>

#include <myriad/export.h>
#include <myriad/status.h>

MYR_BEGIN_DECLS

typedef struct myr_context myr_context;

/* Progress callback, called repeatedly during long work with the completed fraction, 0 to 1; a nonzero return value
 * stops the work. */
typedef int (*myr_progress_fn)(void *user, double fraction);

/* Warning callback, called with a sentence for the user although no function failed. */
typedef void (*myr_warning_fn)(void *user, const char *text);

/* Creates a context, which must outlive all objects made from it. */
MYR_API myr_status myr_context_create(myr_context **context);

/* Frees the context and sets *context to null. A null context is allowed. */
MYR_API void myr_context_destroy(myr_context **context);

/* Error message of the last function that failed; empty if none failed. Valid until the next call with this context. */
MYR_API const char *myr_context_message(const myr_context *context);

/* Sets the number of threads: 1 to 4096, or 0 for as many as the machine (or OMP_NUM_THREADS) offers. */
MYR_API myr_status myr_context_set_threads(myr_context *context, int threads);

/* Number of threads in use. */
MYR_API int myr_context_threads(const myr_context *context);

/* Sets the progress callback; null removes the callback. */
MYR_API myr_status myr_context_set_progress(myr_context *context, myr_progress_fn progress, void *user);

/* Sets the warning callback; null removes the callback. */
MYR_API myr_status myr_context_set_warning(myr_context *context, myr_warning_fn warning, void *user);

/* Sets the notice callback, which gets sentences that explain a delay (hot loops compiled at their first use; a far
 * field evaluated again with a higher order) and need no action; null removes the callback. */
MYR_API myr_status myr_context_set_notice(myr_context *context, myr_warning_fn notice, void *user);

/* Lets a context that has not used a GPU share the GPUs of another one, instead of opening them for itself: for many
 * simulations of an ensemble. The GPUs stay open until both contexts are destroyed, in any order. */
MYR_API myr_status myr_context_share_gpu(myr_context *context, myr_context *owner);

/* Ending of a counted noun in a message, "" for one and "s" for others: "%d particle%s", n, myr_plural(n). */
MYR_API const char *myr_plural(int64_t count);

/* Sets the unit in which messages give times: `unit` is its length in the units of the simulations, and `name` follows
 * the numbers ("ps", up to 31 characters; "" = none). By default times are in the units of the simulations. */
MYR_API myr_status myr_context_set_time_unit(myr_context *context, double unit, const char *name);

MYR_END_DECLS

#endif
