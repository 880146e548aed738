/* commands.h - one simulation on several ranks. Rank 0 leads: its program calls the functions of simulation.h, and each
 * call becomes an order that the other ranks, which wait in myr_simulation_follow, carry out with it. */
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
    double end, until; /* of an advance */
    int64_t most;
    double value; /* temperature, tolerance */
    uint64_t seed;
    myr_rank_options options;
} myr_order;

/* Around all that ranks do together in a function of the public interface, also where it calls another one. Begin makes
 * it an order; end tells all ranks if it failed on one of them. */
myr_status myr_shared_begin(myr_simulation *s, const myr_order *order);
myr_status myr_shared_end(myr_simulation *s, myr_status status);

/* Whether each rank has some of the particles in a box, and they are asked for with an order. */
int myr_shared_particles(const myr_simulation *s);

/* Before whatever needs all particles: where ranks were given parts, they begin. */
myr_status myr_shared_whole(myr_simulation *s);

/* Whether this rank only follows. */
int myr_shared_follows(const myr_simulation *s);

/* The leader's simulation ends. */
void myr_shared_close(myr_simulation *s);

#endif
