/* session.h - what one thread keeps between calls of force(): a context, the interaction, particle sets. Included by
 * the one source file of each library. */
#ifndef CUNBODY_SESSION_H
#define CUNBODY_SESSION_H

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/myriad.h>

typedef struct {
    myr_context *context;
    myr_interaction *interaction;
    myr_particles *set[2]; /* targets, sources */
    int threads;
    char message[1024];
} session;

static pthread_key_t session_key;
static pthread_once_t session_once = PTHREAD_ONCE_INIT;
static int session_have_key;

static void session_free(void *memory)
{
    session *s = memory;
    if (!s)
        return;
    myr_particles_destroy(&s->set[0]);
    myr_particles_destroy(&s->set[1]);
    myr_interaction_destroy(&s->interaction);
    myr_context_destroy(&s->context);
    free(s);
}

static void session_make_key(void)
{
    session_have_key = pthread_key_create(&session_key, session_free) == 0;
}

/* Other threads free theirs when they end; this is for the one that leaves main. */
__attribute__((destructor)) static void session_end(void)
{
    if (!session_have_key)
        return;
    session_free(pthread_getspecific(session_key));
    pthread_setspecific(session_key, NULL);
    pthread_key_delete(session_key);
    session_have_key = 0;
}

/* This thread's session; null where there is no memory. */
static session *session_mine(void)
{
    pthread_once(&session_once, session_make_key);
    if (!session_have_key)
        return NULL;
    session *s = pthread_getspecific(session_key);
    if (!s && (s = calloc(1, sizeof *s)) && pthread_setspecific(session_key, s) != 0) {
        free(s);
        s = NULL;
    }
    return s;
}

/* Sees to the context and the interaction. */
static myr_status session_ready(session *s, const char *kernel)
{
    s->message[0] = 0;
    myr_status status = s->context ? MYR_OK : myr_context_create(&s->context);
    if (!status)
        status = myr_context_set_threads(s->context, s->threads);
    if (!status && !s->interaction) {
        status = myr_interaction_create(s->context, kernel, &s->interaction);
        if (!status) /* as in the original library, a mass is a number of either sign */
            status = myr_interaction_allow_negative_masses(s->interaction, 1);
        if (!status)
            status = myr_interaction_choose(s->interaction, "accumulator", "chamomile");
        if (!status)
            status = myr_interaction_choose(s->interaction, "arithmetic", "single");
    }
    return status;
}

/* Sees that set k has n particles. */
static myr_status session_size(session *s, int k, int n)
{
    if (s->set[k] && myr_particles_count(s->set[k]) == n)
        return MYR_OK;
    myr_particles_destroy(&s->set[k]);
    return myr_particles_create(s->context, n, &s->set[k]);
}

/* Keeps the message of a failure; 1 where there was one. */
static int session_failed(session *s, myr_status status)
{
    if (!status)
        return 0;
    const char *text = s->context ? myr_context_message(s->context) : "";
    snprintf(s->message, sizeof s->message, "%s", *text ? text : myr_status_text(status));
    return 1;
}

static void session_fill_nan(double *values, int n)
{
    for (int i = 0; values && i < n; i++)
        values[i] = NAN;
}

const char *cunbody_message(void)
{
    const session *s = session_mine();
    return s ? s->message : "out of memory";
}

void cunbody_threads(int threads)
{
    session *s = session_mine();
    if (s)
        s->threads = threads;
}

#endif
