/* context.h - everything that belongs to one user of the library: the last message, threads, callbacks.
 *
 * There is no global state. A context and what was made from it belong to one thread at a time; two contexts can be
 * used from two threads. */
#ifndef MYRIAD_CONTEXT_H
#define MYRIAD_CONTEXT_H

#include <myriad/export.h>
#include <myriad/status.h>

MYR_BEGIN_DECLS

typedef struct myr_context myr_context;

/* Called now and then during long work with the fraction done, 0 to 1; a non-zero answer stops the work. */
typedef int (*myr_progress_fn)(void *user, double fraction);

/* Called with a sentence that the user should read although nothing failed. */
typedef void (*myr_warning_fn)(void *user, const char *text);

/* Makes a context. It must outlive what is made from it. */
MYR_API myr_status myr_context_create(myr_context **context);

/* Frees the context and clears the pointer. Null is allowed. */
MYR_API void myr_context_destroy(myr_context **context);

/* The sentence of the last function that failed; empty if none did. Valid until the next call with this context. */
MYR_API const char *myr_context_message(const myr_context *context);

/* Threads to use: 1 to 4096, or 0 for as many as the machine (or OMP_NUM_THREADS) offers. */
MYR_API myr_status myr_context_set_threads(myr_context *context, int threads);

/* The number of threads in use. */
MYR_API int myr_context_threads(const myr_context *context);

/* Sets the progress callback; null removes it. */
MYR_API myr_status myr_context_set_progress(myr_context *context, myr_progress_fn progress, void *user);

/* Sets the warning callback; null removes it. */
MYR_API myr_status myr_context_set_warning(myr_context *context, myr_warning_fn warning, void *user);

MYR_END_DECLS

#endif
