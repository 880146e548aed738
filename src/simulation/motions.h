/* motions.h - kinds of motion: what the particles of a simulation are, and what moves them. A kind is one file with a
 * const table and the struct of its state, and one line in motions.def; simulation.c and checkpoint/ call the tables.
 *
 * The state of a kind, struct myr_<name>_state, exists from the creation of the simulation on: it holds what users set,
 * before anybody knows which kind the particles will move as. Functions that are null do nothing. */
#ifndef MYR_SIMULATION_MOTIONS_H
#define MYR_SIMULATION_MOTIONS_H

#include "io/checkpoint.h"
#include "simulation/checkpoint/lines.h"
#include "simulation/simulation.h"

typedef struct {
    myr_motion_kind kind; /* kind that myr_simulation_kind gives */
    size_t state_bytes;   /* size of the state; 0 = the kind has none */
    int in_box;           /* 1 if src/molecular moves the particles, by integrators that are made for a box */
    int every_rank;       /* 1 if each of several ranks has all particles and makes the same calls */

    /* 1 if a simulation with these settings moves like this. */
    int (*claims)(const myr_simulation *s);

    /* Refuses integrators and settings that do not go with this kind; before open. */
    myr_status (*check)(myr_simulation *s);

    /* Makes whatever steps need, before the first one. */
    myr_status (*open)(myr_simulation *s);

    /* Starts the motion, after open: once, and not after a restart. */
    myr_status (*start)(myr_simulation *s);

    /* Gets several ranks ready for a step, or refuses them. */
    myr_status (*join)(myr_simulation *s);

    /* Makes steps; see myr_simulation_advance. */
    myr_status (*advance)(myr_simulation *s, double end, double until, int64_t most);

    /* For kinds whose steps steps.h makes: lists the variables of the motion and their rates, adding the fields that
     * are missing; evaluates the rates; and completes a step that began at time `begin`. */
    myr_status (*variables)(myr_simulation *s);
    myr_status (*rates)(void *simulation, double time);
    myr_status (*finish)(myr_simulation *s, double begin);

    /* Brings the particle set up to date, where the particles move in other arrays. */
    myr_status (*fetch)(myr_simulation *s);

    /* Fills fields of a copy of the particles whose values in the particle set are those of an earlier moment; and
     * whether the copy of the simulation has them already. */
    myr_status (*complete)(myr_simulation *s, myr_particles *copy);
    int (*is_complete)(const myr_simulation *s);

    /* Sums the conserved quantities, of which the time is set and the rest is 0. */
    myr_status (*conserved)(myr_simulation *s, myr_conserved *conserved);

    /* The viscosity of the fluid; null = there is no fluid. */
    double (*viscosity)(const myr_simulation *s);

    /* 1 if a checkpoint gets the particles in parts as src/molecular holds them (checkpoint/particle_parts.h) and not
     * as fields of the particle set. */
    int (*in_parts)(const myr_simulation *s);

    /* Settings and memory of this kind in a checkpoint, whichever kind the particles move as: lines of its text, and
     * sections. load_line returns 1 for a line of another kind. */
    void (*save_text)(const myr_simulation *s, myr_lines *lines);
    int (*load_line)(myr_simulation *s, const char *key, const char *name, const char *value, myr_status *status);
    myr_status (*save)(myr_simulation *s, myr_checkpoint_writer *w);
    myr_status (*load)(myr_simulation *s, const myr_checkpoint *file);

    /* After load, where a motion that had been started moves like this: makes whatever steps need. */
    myr_status (*resume)(myr_simulation *s, const myr_checkpoint *file);

    /* Frees what open or resume made; settings stay. */
    void (*close)(myr_simulation *s);

    /* Frees what the settings hold, before the state is freed. */
    void (*forget)(myr_simulation *s);
} myr_motion;

/* Table k of motions.def; null past the end. */
const myr_motion *myr_motion_at(int k);

/* The kind of motion that the simulation's settings make. */
const myr_motion *myr_motion_of(const myr_simulation *s);

/* Refuses integrators and settings that do not go with the kind of motion. */
myr_status myr_motion_check(myr_simulation *s);

/* Makes and frees the states of all kinds. */
myr_status myr_motion_create_states(myr_simulation *s);
void myr_motion_destroy_states(myr_simulation *s);

/* Frees what open and resume of all kinds made. */
void myr_motion_close(myr_simulation *s);

#endif
