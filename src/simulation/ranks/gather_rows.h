/* gather_rows.h - particles of a divided box in the order of the user's set: every rank receives the particles of a
 * range of rows from the domains they are in. All functions are collective. */
#ifndef MYR_SIMULATION_RANKS_GATHER_ROWS_H
#define MYR_SIMULATION_RANKS_GATHER_ROWS_H

#include "io/format.h"
#include "simulation/simulation.h"

/* Moment at which particles were kept. */
typedef struct {
    double time;
    int64_t step;
    double box[3], origin[3]; /* as in myr_snapshot_header */
} myr_kept_moment;

/* Copy of own particles at an earlier time. */
typedef struct myr_kept {
    int64_t n;
    myr_kept_moment at;
    int on_device; /* 1 = the GPU has a later copy of the particles in a box */
    myr_kept_moment device_at;
    double clock, seconds; /* clock when the copy was made, and how long that took */
    myr_particles *set;    /* copied fields; with particles if the box is undivided */
    int64_t *index, *id;   /* divided box: indices and ids in the order of the engine */
    int32_t *type;
    double *values; /* field by field, [n][components] */
} myr_kept;

void myr_kept_destroy(myr_kept **kept);

/* Replaces the copy of an undivided box by the later one of the GPU, if that can be read. */
void myr_kept_fetch(myr_simulation *s);

/* Values of a field. */
const double *myr_kept_field(const myr_kept *kept, const char *field);

typedef struct {
    myr_context *context;
    struct myr_molecular *molecular;
    const myr_kept *kept;     /* copy to read from; null = the current particles */
    const myr_particles *set; /* set whose fields exist */
    int64_t n;                /* number of own particles */
    const int64_t *index, *id;
    const int32_t *type;
    int64_t all, first, last; /* number of rows; this rank owns rows [first, last) */
    int64_t *sent, *received; /* [ranks]: numbers of particles sent and received */
    int64_t *begin;           /* [ranks]: first particle of each rank in the send buffer */
    int64_t *slot;            /* [n]: place of own particles in the send buffer */
    int64_t *row;             /* row - first of each received particle, in the order received */
    int64_t most;             /* largest number of particles received from one rank */
} myr_gather_rows;

/* Determines which rank has which rows, valid until the next step, for the current particles or a copy. */
myr_status myr_gather_rows_open(myr_simulation *s, const myr_kept *kept, myr_gather_rows *rows);
void myr_gather_rows_close(myr_gather_rows *rows);

/* Ids, types or a field of this rank's rows: numbers of 8 bytes, values[last - first][components]. */
myr_status myr_gather_rows_get(myr_gather_rows *rows, myr_format_column column, const char *field, int components,
                               void *values);

/* Gathers all particles at rank 0; *set is null elsewhere. */
myr_status myr_gather_rows_all(myr_simulation *s, const myr_kept *kept, myr_particles **set);

/* Gathers all current particles as a command of rank 0; owned by the simulation until the next step. */
myr_status myr_gather_rows_particles(myr_simulation *s, const myr_particles **particles);

#endif
