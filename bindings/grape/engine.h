/* engine.h - what the GRAPE libraries share: one evaluation on Myriad, and a table of boards.
 *
 * A board (GRAPE-5) or cluster (GRAPE-6) is a memory of sources and an engine. Boards know nothing of each other: two
 * threads may use two boards at once. */
#ifndef GRAPE_ENGINE_H
#define GRAPE_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#include <myriad/myriad.h>

enum { GRAPE_BOARDS = 1024, GRAPE_MESSAGE = 1024 };

typedef struct {
    myr_context *context;
    myr_interaction *interaction;
    myr_particles *targets; /* kept for the next call with as many */
    char message[GRAPE_MESSAGE];
} grape_engine;

/* Targets of one evaluation. */
typedef struct {
    int n;
    const double (*x)[3];
    const double (*v)[3]; /* null where the kernel reads none */
    const double *eps2;
    const int64_t *offset, *partner; /* sources that a target does not see, as in myr_interaction_set_exclusions */
} grape_targets;

/* Where the results go; jerk may be null. The potential is negative. */
typedef struct {
    double (*a)[3];
    double (*jerk)[3];
    double *potential;
} grape_forces;

/* Sees to a context and an interaction, chosen by the environment (docs/grape.md). */
myr_status grape_engine_ready(grape_engine *e, const char *kernel);

/* Frees everything. */
void grape_engine_free(grape_engine *e);

/* Sees that a set has n particles; what it held is lost where it had not. */
myr_status grape_engine_size(grape_engine *e, myr_particles **set, int64_t n);

/* Sums over the sources. Targets with the same softening are evaluated together. */
myr_status grape_engine_run(grape_engine *e, const grape_targets *targets, const myr_particles *sources,
                            const grape_forces *forces);

/* Keeps the message of a failure, and gives 1 where there was one. */
int grape_engine_failed(grape_engine *e, myr_status status);

/* Fills results with NaN, so that no program goes on with numbers that were not computed. */
void grape_forces_spoil(const grape_forces *forces, int n);

/* Memory of another size, with what it held. Where there is none, the old memory, and *ok becomes 0. */
void *grape_resize(void *memory, size_t count, size_t size, int *ok);

/* How many targets a program is told to send at once: MYRIAD_GRAPE_PIPES, or 256. */
int grape_pipes(void);

#endif
