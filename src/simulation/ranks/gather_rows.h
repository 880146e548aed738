/* gather_rows.h - particles of a divided box in the order of the user's set: every rank gets those of a part of the
 * rows from the domains that they are in. Every function is called by all ranks. */
#ifndef MYR_SIMULATION_RANKS_GATHER_ROWS_H
#define MYR_SIMULATION_RANKS_GATHER_ROWS_H

#include "io/format.h"
#include "simulation/simulation.h"

/* Own particles as they were at some time. */
typedef struct myr_kept {
    int64_t n;
    myr_particles *set;  /* the fields that are kept; with particles where the box is not divided */
    int64_t *index, *id; /* in a divided box: as the engine has them */
    int32_t *type;
    double *values; /* field by field, [n][components] */
} myr_kept;

void myr_kept_destroy(myr_kept **kept);

/* The values of a field. */
const double *myr_kept_field(const myr_kept *kept, const char *field);

typedef struct {
    myr_context *context;
    struct myr_molecular *molecular;
    const myr_kept *kept;     /* null = the particles as they are now */
    const myr_particles *set; /* its fields are those that there are */
    int64_t n;                /* own particles */
    const int64_t *index, *id;
    const int32_t *type;
    int64_t all, first, last; /* rows; mine are [first, last) */
    int64_t *sent, *received; /* [ranks] particles */
    int64_t *begin;           /* [ranks] of those in what is sent, which is in the order of the ranks */
    int64_t *slot;            /* where own particles are in it */
    int64_t *row;             /* - first; of what comes, which is in the order of coming */
    int64_t most;             /* particles that come from one rank */
} myr_rows;

/* Finds out who has what; until the next step. Of the particles as they are now, or were when they were kept. */
myr_status myr_rows_open(myr_simulation *s, const myr_kept *kept, myr_rows *rows);
void myr_rows_close(myr_rows *rows);

/* Ids, types or a field of this rank's rows: numbers of 8 bytes, values[last - first][components]. */
myr_status myr_rows_get(myr_rows *rows, myr_format_column column, const char *field, int components, void *values);

/* All particles, at rank 0; *set is null elsewhere. */
myr_status myr_rows_gather(myr_simulation *s, const myr_kept *kept, myr_particles **set);

/* The same as they are now, as an order of rank 0; the simulation has them until the next step. */
myr_status myr_rows_particles(myr_simulation *s, const myr_particles **particles);

#endif
