/* rows.h - particles of a divided box in the order of the user's set: every rank gets those of a part of the rows from
 * the domains that they are in. Every function is called by all ranks. */
#ifndef MYR_SIMULATION_ROWS_H
#define MYR_SIMULATION_ROWS_H

#include "io/format.h"
#include "simulation/simulation.h"

typedef struct {
    myr_context *context;
    struct myr_molecular *molecular;
    int64_t all, first, last; /* rows; mine are [first, last) */
    int64_t *sent, *received; /* [ranks] particles */
    int64_t *begin;           /* [ranks] of those in what is sent, which is in the order of the ranks */
    int64_t *slot;            /* where own particles are in it */
    int64_t *row;             /* - first; of what comes, which is in the order of coming */
    int64_t most;             /* particles that come from one rank */
} myr_rows;

/* Finds out who has what; until the next step. */
myr_status myr_rows_open(myr_simulation *s, myr_rows *rows);
void myr_rows_close(myr_rows *rows);

/* Ids, types or a field of this rank's rows: numbers of 8 bytes, values[last - first][components]. */
myr_status myr_rows_get(myr_rows *rows, myr_format_column column, const char *field, int components, void *values);

/* All particles, at rank 0; *set is null elsewhere. */
myr_status myr_rows_gather(myr_simulation *s, myr_particles **set);

#endif
