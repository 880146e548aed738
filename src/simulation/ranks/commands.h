/* commands.h - one simulation on several ranks. Rank 0 leads: its program calls the functions of simulation.h, and each
 * call becomes a command that the other ranks, waiting in myr_simulation_follow, execute with it. */
#ifndef MYR_SIMULATION_RANKS_COMMANDS_H
#define MYR_SIMULATION_RANKS_COMMANDS_H

#include "simulation/simulation.h"

typedef enum {
    MYR_ORDER_END, /* the simulation is destroyed */
    MYR_ORDER_ADVANCE,
    MYR_ORDER_PARTICLES,
    MYR_ORDER_SAVE,
    MYR_ORDER_CONSERVED,
    MYR_ORDER_THERMODYNAMICS,
    MYR_ORDER_REPORT,
    MYR_ORDER_TIMES,
    MYR_ORDER_OPTIONS,
    MYR_ORDER_HEAT,
    MYR_ORDER_REST,
    MYR_ORDER_MINIMISE,
    MYR_ORDER_SNAPSHOT,
    MYR_ORDER_KEEP,
    MYR_ORDER_WRITE_KEPT
} myr_order_kind;

typedef struct {
    int64_t kind;
    double end, until; /* arguments of an advance */
    int64_t most;
    double value; /* temperature or tolerance */
    uint64_t seed;
    myr_rank_options options;
} myr_order;

/* Enclose the collective part of a public function, also if it calls another one. myr_shared_begin sends the command;
 * myr_shared_end reports a failure of one rank to all ranks. */
myr_status myr_shared_begin(myr_simulation *s, const myr_order *order);
myr_status myr_shared_end(myr_simulation *s, myr_status status);

/* Returns 1 if each rank has some of the particles in a box, so that reading them is a command. */
int myr_shared_particles(const myr_simulation *s);

/* Called before anything that needs all particles: starts ranks that were given parts. */
myr_status myr_shared_whole(myr_simulation *s);

/* Returns 1 if this rank only follows. */
int myr_shared_follows(const myr_simulation *s);

/* Ends the following ranks with the leader's simulation. */
void myr_shared_close(myr_simulation *s);

#endif
