/* box_motion.h - a simulation whose particles are in a box: they live in src/molecular between steps, in its own
 * layout. */
#ifndef MYR_SIMULATION_BOX_MOTION_H
#define MYR_SIMULATION_BOX_MOTION_H

#include "io/checkpoint.h"
#include "simulation/simulation.h"

/* Whether the simulation's interaction asks for it; refuses integrators that do not go with the method. */
int myr_atoms_wanted(const myr_simulation *s);
myr_status myr_atoms_check(myr_simulation *s);

/* Takes the particles over, and lets go of them. */
myr_status myr_atoms_open(myr_simulation *s);
void myr_atoms_close(myr_simulation *s);

/* Makes sure that the motion has begun. */
myr_status myr_atoms_begin(myr_simulation *s);

/* Brings the particles of the simulation up to date, where this process has all of them. */
myr_status myr_atoms_fetch(myr_simulation *s);

/* Steps; see myr_simulation_advance. */
myr_status myr_atoms_advance(myr_simulation *s, double end, double until, int64_t most);

/* Energies and momentum, as myr_simulation_conserved gives them. */
myr_status myr_atoms_conserved(myr_simulation *s, myr_conserved *conserved);

/* Sections of a checkpoint; and whether it has the atoms of a molecule, which are never divided. */
myr_status myr_atoms_save(myr_simulation *s, myr_checkpoint_writer *w);
myr_status myr_atoms_load(myr_simulation *s, const myr_checkpoint *file);
int myr_atoms_are_bound(const myr_checkpoint *file);

#endif
