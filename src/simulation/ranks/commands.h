/* commands.h - one simulation on several ranks. Rank 0 leads: its program calls the functions of simulation.h, and each
 * call becomes a command that the other ranks, waiting in myr_simulation_follow, execute with it. */
#ifndef MYR_SIMULATION_RANKS_COMMANDS_H
#define MYR_SIMULATION_RANKS_COMMANDS_H

#include "simulation/simulation.h"

typedef enum {
    MYR_COMMAND_END, /* the simulation is destroyed */
    MYR_COMMAND_ADVANCE,
    MYR_COMMAND_PARTICLES,
    MYR_COMMAND_SAVE,
    MYR_COMMAND_CONSERVED,
    MYR_COMMAND_THERMODYNAMICS,
    MYR_COMMAND_REPORT,
    MYR_COMMAND_TIMES,
    MYR_COMMAND_OPTIONS,
    MYR_COMMAND_HEAT,
    MYR_COMMAND_REST,
    MYR_COMMAND_MINIMISE,
    MYR_COMMAND_REVERSE,
    MYR_COMMAND_SNAPSHOT,
    MYR_COMMAND_KEEP,
    MYR_COMMAND_WRITE_KEPT,
    MYR_COMMAND_MERGE,
    MYR_COMMAND_KEEP_FIT,
    MYR_COMMAND_HASH
} myr_command_kind;

typedef struct {
    int64_t kind;
    double end, until; /* arguments of an advance */
    int64_t most;
    double value;  /* temperature, tolerance or distance */
    char name[64]; /* field of the radii, "" = none */
    uint64_t seed;
    myr_rank_options options;
} myr_command;

/* Enclose the collective part of a public function, also if it calls another one. myr_commands_begin sends the command;
 * myr_commands_end reports a failure of one rank to all ranks. */
myr_status myr_commands_begin(myr_simulation *s, const myr_command *order);
myr_status myr_commands_end(myr_simulation *s, myr_status status);

/* Returns 1 if each rank has some of the particles in a box, so that reading them is a command. */
int myr_commands_particles(const myr_simulation *s);

/* Called before anything that needs all particles: starts ranks that were given parts. */
myr_status myr_commands_whole(myr_simulation *s);

/* Returns 1 if this rank only follows. */
int myr_commands_follows(const myr_simulation *s);

/* Ends the following ranks with the leader's simulation. */
void myr_commands_close(myr_simulation *s);

#endif
