/* run_beside.c - snapshots of many particles, written by a thread of their own from a copy while the run goes on: a GPU
 * makes hundreds of steps in the time that a file of a hundred megabytes takes. The thread is waited for before the
 * next snapshot, before a checkpoint that counts the file, and at the end; an error is told then. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

enum { BESIDE_LEAST = 100000 }; /* particles from which on writing takes longer than the copy */

struct run_beside {
    pthread_t thread;
    int is_going;          /* 1 = the thread has not been waited for */
    atomic_int is_written; /* set by the thread at its end */
    myr_context *context;  /* of the thread and of the copy: errors of both sides stay apart */
    myr_particles *copy;
    myr_snapshot_header header;
    char path[RUN_PATH], format[64];
    const char *const *fields; /* null = all */
    char *words;               /* text of the fields */
    const char *field[RUN_FIELDS + 1];
    myr_status status;
};

static void *beside_write(void *user)
{
    run_beside *b = user;
    b->status = myr_snapshot_write(b->copy, b->path, b->format, b->fields, &b->header);
    atomic_store(&b->is_written, 1);
    return NULL;
}

static myr_status beside_copy(run_beside *b, const myr_particles *from)
{
    myr_particles_destroy(&b->copy);
    return run_copy_particles(b->context, from, &b->copy);
}

/* Fields that the caller lists, in memory of the thread's. */
static myr_status beside_fields(run_beside *b, const char *const *fields)
{
    size_t room = 1, count = 0, used = 0;
    free(b->words);
    b->words = NULL;
    b->fields = NULL;
    if (!fields)
        return MYR_OK;
    for (; count < RUN_FIELDS && fields[count]; count++)
        room += strlen(fields[count]) + 1;
    b->words = malloc(room);
    if (!b->words)
        return MYR_ERROR_MEMORY;
    for (size_t k = 0; k < count; k++) {
        b->field[k] = strcpy(b->words + used, fields[k]);
        used += strlen(fields[k]) + 1;
    }
    b->field[count] = NULL;
    b->fields = b->field;
    return MYR_OK;
}

/* Whether a snapshot is worth a thread, and can be copied: names of bodies, and rows of other ranks, cannot. */
static int beside_fits(const run *r, const myr_particles *particles)
{
    return particles && myr_particles_count(particles) >= BESIDE_LEAST && myr_ranks_count(r->context) == 1 &&
           !r->stretch && r->names.count == 0;
}

int run_write_beside(run *r, const myr_particles *particles, const char *path, const char *const *fields,
                     const myr_snapshot_header *header)
{
    if (!beside_fits(r, particles))
        return 0;
    run_beside *b = r->beside ? r->beside : calloc(1, sizeof *b);
    r->beside = b;
    if (!b || (!b->context && myr_context_create(&b->context)) || beside_fields(b, fields) || beside_copy(b, particles))
        return 0; /* memory is short: written at once */
    b->header = *header;
    snprintf(b->path, sizeof b->path, "%s", path);
    snprintf(b->format, sizeof b->format, "%s", r->format);
    atomic_store(&b->is_written, 0);
    b->is_going = pthread_create(&b->thread, NULL, beside_write, b) == 0;
    return b->is_going;
}

int run_await_beside(run *r)
{
    run_beside *b = r->beside;
    if (!b || !b->is_going)
        return CLI_OK;
    pthread_join(b->thread, NULL);
    b->is_going = 0;
    const int code = cli_check(b->context, b->status);
    if (!code)
        run_tell(r, MYR_RUN_FILE, "snapshot", b->path);
    return code;
}

int run_look_beside(run *r)
{
    return r->beside && r->beside->is_going && atomic_load(&r->beside->is_written) ? run_await_beside(r) : CLI_OK;
}

void run_close_beside(run *r)
{
    run_beside *b = r->beside;
    if (!b)
        return;
    if (b->is_going)
        pthread_join(b->thread, NULL);
    myr_particles_destroy(&b->copy);
    myr_context_destroy(&b->context);
    free(b->words);
    free(b);
    r->beside = NULL;
}
