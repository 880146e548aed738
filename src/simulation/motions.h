/* motions.h - kinds of motion: what the particles of a simulation represent, and what moves them. A kind is one file
 * with a const table and the struct of its state, and one line in motions.def; simulation.c and checkpoint/ call the
 * tables.
 *
 * The state of a kind, struct myr_<name>_state, exists from the creation of the simulation on: it holds the user's
 * settings before the kind of motion is known. Functions that are null do nothing. */
#ifndef MYR_SIMULATION_MOTIONS_H
#define MYR_SIMULATION_MOTIONS_H

#include "io/checkpoint.h"
#include "simulation/checkpoint/lines.h"
#include "simulation/simulation.h"

typedef struct {
    myr_motion_kind kind; /* kind returned by myr_simulation_kind */
    size_t state_bytes;   /* size of the state; 0 = none */
    int in_box;           /* 1 = src/molecular moves the particles, with integrators made for a box */
    int every_rank;       /* 1 = each of several ranks has all particles and makes the same calls */

    /* Returns 1 if a simulation with these settings is of this kind. */
    int (*claims)(const myr_simulation *s);

    /* Refuses integrators and settings that are incompatible with this kind; called before open. */
    myr_status (*check)(myr_simulation *s);

    /* Allocates everything needed by steps, before the first step. */
    myr_status (*open)(myr_simulation *s);

    /* Starts the motion, after open: once, and not after a restart. */
    myr_status (*start)(myr_simulation *s);

    /* Prepares several ranks for a step, or refuses them. */
    myr_status (*join)(myr_simulation *s);

    /* Makes steps; see myr_simulation_advance. */
    myr_status (*advance)(myr_simulation *s, double end, double until, int64_t most);

    /* For kinds whose steps are made by steps.h: `variables` lists the variables of the motion and their rates, adding
     * missing fields; `rates` evaluates the rates; `finish` completes a step that began at time `begin`. */
    myr_status (*variables)(myr_simulation *s);
    myr_status (*rates)(void *simulation, double time);
    myr_status (*finish)(myr_simulation *s, double begin);

    /* Updates the particle set, if the particles move in other arrays. */
    myr_status (*fetch)(myr_simulation *s);

    /* `complete` fills fields of a copy of the particles whose values in the particle set belong to an earlier time;
     * `is_complete` returns 1 if the simulation's copy has them already. */
    myr_status (*complete)(myr_simulation *s, myr_particles *copy);
    int (*is_complete)(const myr_simulation *s);

    /* Sums the conserved quantities; the time is set, all others are 0 on entry. */
    myr_status (*conserved)(myr_simulation *s, myr_conserved *conserved);

    /* Viscosity of the fluid; null = no fluid. */
    double (*viscosity)(const myr_simulation *s);

    /* Returns 1 if a checkpoint stores the particles in parts as held by src/molecular (checkpoint/particle_parts.h)
     * instead of as fields of the particle set. */
    int (*in_parts)(const myr_simulation *s);

    /* Settings and state of this kind in a checkpoint, for every kind of motion: lines of its text, and sections.
     * load_line returns 1 for a line of another kind. */
    void (*save_text)(const myr_simulation *s, myr_lines *lines);
    int (*load_line)(myr_simulation *s, const char *key, const char *name, const char *value, myr_status *status);
    myr_status (*save)(myr_simulation *s, myr_checkpoint_writer *w);
    myr_status (*load)(myr_simulation *s, const myr_checkpoint *file);

    /* Called after load if a started motion is of this kind: allocates everything needed by steps. */
    myr_status (*resume)(myr_simulation *s, const myr_checkpoint *file);

    /* Frees the allocations of open and resume; settings are kept. */
    void (*close)(myr_simulation *s);

    /* Frees the allocations of the settings, before the state is freed. */
    void (*forget)(myr_simulation *s);
} myr_motion;

/* Table k of motions.def; null past the end. */
const myr_motion *myr_motion_at(int k);

/* Kind of motion of a simulation, from its settings. */
const myr_motion *myr_motion_of(const myr_simulation *s);

/* Refuses integrators and settings that are incompatible with the kind of motion. */
myr_status myr_motion_check(myr_simulation *s);

/* Allocates and frees the states of all kinds. */
myr_status myr_motion_create_states(myr_simulation *s);
void myr_motion_destroy_states(myr_simulation *s);

/* Frees the allocations of open and resume of all kinds. */
void myr_motion_close(myr_simulation *s);

#endif
