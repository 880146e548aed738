/* waiting.c - measures how crowded the machine is, and lets the threads of OpenMP spin or sleep accordingly. */
#include "core/waiting.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/timer.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* --- the measurement ---------------------------------------------------------------------------------------------- */

/* WINDOW: time between measurements; two time slices of a scheduler and more. EARLIEST: age at which the past of a
 * thread is a measurement. PATIENCE_*: limits of myr_waiting_record.patience. */
#define WINDOW 0.02
#define EARLIEST 0.002
#define PATIENCE_LEAST 0.1
#define PATIENCE_MOST 5.0
/* Parts of the time without a processor above which a quiet machine becomes crowded, and below which a crowded one may
 * become quiet. */
#define CROWDED 0.25
#define QUIET 0.05

/* Least processor seconds per thread and region: more than what a region costs, measured on two cores that
 * were quiet (1.5 microseconds) and that other programs used as well (50 to 100). */
#define LEAST_SPINNING 2e-6
#define LEAST_ASLEEP 2e-4

int myr_waiting_judge(myr_waiting_record *record, double now, double delay)
{
    const double share = (delay - record->delay) / (now - record->since);
    record->since = now;
    record->delay = delay;
    if (share > QUIET)
        record->last = now;
    if (!record->crowded && share > CROWDED) {
        const int again = record->patience > 0 && now - record->released < 2 * record->patience;
        record->patience = again ? fmin(2 * record->patience, PATIENCE_MOST) : PATIENCE_LEAST;
        record->crowded = 1;
    } else if (record->crowded && now - record->last >= record->patience) {
        record->released = now;
        record->crowded = 0;
    }
    return record->crowded;
}

/* Seconds that the calling thread ran and that it waited for a processor, from its start; 0 if the system does not
 * tell. */
static int waiting_read(double *ran, double *waited)
{
    unsigned long long value[2];
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    const int known = file && fscanf(file, "%llu %llu", &value[0], &value[1]) == 2;
    if (file)
        fclose(file);
    *ran = known ? 1e-9 * (double)value[0] : 0;
    *waited = known ? 1e-9 * (double)value[1] : 0;
    return known;
}

/* --- sleep -------------------------------------------------------------------------------------------------------- */

/* The OpenMP library of GCC has no call that changes how threads wait, but a rule: while a process has more OpenMP
 * threads than processors, threads spin for about a microsecond only, then sleep (its manual, GOMP_SPINCOUNT). So a
 * keeper opens a parallel region with one thread more than there are processors, all of which sleep until the machine
 * is quiet. */
typedef struct {
    myr_waiting_record record;
    int known;    /* the system tells how long a thread waited */
    int threads;  /* threads in the region of the keeper */
    int released; /* the region may end */
    int asleep;   /* there is a keeper */
    pthread_t keeper;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
} waiting;

static void *waiting_sleep(void *user)
{
    waiting *w = user;
    pthread_mutex_lock(&w->mutex);
    while (!w->released)
        pthread_cond_wait(&w->changed, &w->mutex);
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

static void *waiting_keep(void *user)
{
    waiting *w = user;
#pragma omp parallel num_threads(w->threads)
    waiting_sleep(w);
    return NULL;
}

static void waiting_release(waiting *w)
{
    pthread_mutex_lock(&w->mutex);
    w->released = 1;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->mutex);
}

/* 1 if the system grants as many threads as the keeper needs. OpenMP ends the program if it is refused one. */
static int waiting_fits(waiting *w)
{
    pthread_t *thread = calloc((size_t)w->threads, sizeof *thread);
    int made = 0;
    while (thread && made < w->threads && pthread_create(&thread[made], NULL, waiting_sleep, w) == 0)
        made++;
    waiting_release(w);
    for (int t = 0; t < made; t++)
        pthread_join(thread[t], NULL);
    free(thread);
    return made == w->threads;
}

static void waiting_begin_sleep(waiting *w)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the threads of the program */
    w->released = 0;
    if (waiting_fits(w)) {
        w->released = 0;
        w->asleep = pthread_create(&w->keeper, NULL, waiting_keep, w) == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void waiting_end_sleep(waiting *w)
{
    waiting_release(w);
    pthread_join(w->keeper, NULL);
    w->asleep = 0;
}

/* --- of a context ------------------------------------------------------------------------------------------------- */

static void waiting_free(void *user)
{
    waiting *w = user;
    if (w->asleep)
        waiting_end_sleep(w);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->mutex);
    free(w);
}

static waiting *waiting_of(myr_context *context)
{
    if (context->waiting)
        return context->waiting;
    waiting *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    double ran, waited;
    w->known = waiting_read(&ran, &waited);
    w->record.since = myr_timer_now() - ran - waited; /* the past of the thread is the first measurement */
#if defined(_OPENMP) && !defined(__clang__)           /* the OpenMP library of LLVM has another rule */
    w->threads = omp_get_num_procs() + 1;
#endif
    pthread_mutex_init(&w->mutex, NULL);
    pthread_cond_init(&w->changed, NULL);
    context->waiting = w;
    context->waiting_free = waiting_free;
    return w;
}

void myr_waiting_set(myr_context *context, int asleep)
{
    waiting *w = waiting_of(context);
    if (w && asleep && !w->asleep && w->threads > 0)
        waiting_begin_sleep(w);
    else if (w && !asleep && w->asleep)
        waiting_end_sleep(w);
}

int myr_waiting_asleep(const myr_context *context)
{
    return context->waiting && ((const waiting *)context->waiting)->asleep;
}

int myr_waiting_threads(const myr_context *context, int most, double seconds)
{
    const double worth = seconds / (myr_waiting_asleep(context) ? LEAST_ASLEEP : LEAST_SPINNING);
    return worth >= most ? most : worth > 1 ? (int)worth : 1;
}

void myr_waiting_look(myr_context *context)
{
    if (myr_context_threads(context) == 1)
        return;
    waiting *w = waiting_of(context);
    const double now = myr_timer_now();
    double ran, waited;
    if (!w || !w->known || now - w->record.since < (w->record.delay > 0 ? WINDOW : EARLIEST) ||
        !waiting_read(&ran, &waited))
        return;
    myr_waiting_set(context, myr_waiting_judge(&w->record, now, waited));
}
