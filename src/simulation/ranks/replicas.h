/* replicas.h - motions in which each of several ranks has all particles (a replica) and makes the same steps; ranks
 * share the sums of the interaction (interaction/shared_run.h). Everything that feeds the motion is computed by every
 * rank from the same numbers, so that the trajectory has the bits of one rank. */
#ifndef MYR_SIMULATION_RANKS_REPLICAS_H
#define MYR_SIMULATION_RANKS_REPLICAS_H

#include "simulation/simulation.h"

/* Returns 1 if there are several ranks, each with all particles of this motion. */
int myr_replicas_are(const myr_simulation *s);

/* Returns 1 if the interaction may be evaluated on GPUs: on one rank, and by methods that ranks share. */
int myr_replicas_on_gpu(const myr_simulation *s);

/* Before the first step of this process: refuses ranks whose particles or instruction sets differ; collective. Later
 * calls return at once. */
myr_status myr_replicas_join(myr_simulation *s);

/* Refuses a change of the particles that one rank would make without the others. */
myr_status myr_replicas_check_change(const myr_simulation *s);

/* Pairs from which the present evaluation is shared; 0 = this rank works alone. */
double myr_replicas_share_from(const myr_simulation *s);

/* Makes steps by myr_steps_advance, several for one command of rank 0. */
myr_status myr_replicas_advance(myr_simulation *s, double end, double until, int64_t most);

#endif
