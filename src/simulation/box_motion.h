/* box_motion.h - particles in a box, or atoms of a molecule: between steps they are held by src/molecular, in its own
 * layout. */
#ifndef MYR_SIMULATION_BOX_MOTION_H
#define MYR_SIMULATION_BOX_MOTION_H

#include "simulation/motions.h"

struct myr_box_state {
    myr_molecular_options options;
    int options_given;            /* 1 = the user set the options */
    struct myr_molecular *engine; /* engine that holds the particles; null = the motion has not begun */
    int ahead;                    /* 1 = the engine's particles are ahead of the particle set */
    /* positions before a minimisation, to which restraints hold the particles; null = the current positions */
    myr_particles *anchors;
};

/* Returns 1 if the kind of motion is a box or a molecule. */
int myr_box_motion_wanted(const myr_simulation *s);

/* Functions of the tables of both kinds, except those that only one of them has; see motions.h. */
myr_status myr_box_motion_check(myr_simulation *s);
myr_status myr_box_motion_open(myr_simulation *s);
myr_status myr_box_motion_start(myr_simulation *s);
myr_status myr_box_motion_advance(myr_simulation *s, double end, double until, int64_t most);
myr_status myr_box_motion_fetch(myr_simulation *s);
myr_status myr_box_motion_conserved(myr_simulation *s, myr_conserved *conserved);
int myr_box_motion_in_parts(const myr_simulation *s);
myr_status myr_box_motion_resume(myr_simulation *s, const myr_checkpoint *file);
void myr_box_motion_close(myr_simulation *s);

/* Ensembles, whose steps are made elsewhere. times: times at which the next steps of equal length start, at most `most`
 * and until a time that was asked for; returns their number, and their length. made: moves the clock past steps. */
int64_t myr_box_motion_times(const myr_simulation *s, double end, double until, int64_t most, double *time, double *dt);
void myr_box_motion_made(myr_simulation *s, double end, int64_t made);

/* Starts the motion if it has not started. */
myr_status myr_box_motion_begin(myr_simulation *s);

#endif
