/* molecule_motion.h - atoms of a molecule as a kind of motion. */
#ifndef MYR_SIMULATION_MOLECULE_MOTION_H
#define MYR_SIMULATION_MOLECULE_MOTION_H

#include <myriad/molecule.h>

#include "simulation/motions.h"

struct myr_molecule_state {
    struct myr_topology *topology; /* bonds, angles and charges; null = free particles */
    /* topology combined with the interaction's tables while the engine has the particles */
    struct myr_molecule *bound;
    int exclusion_mode;  /* myr_exclusion_mode */
    int rigid;           /* 1 = bonds to hydrogen are constrained to their length */
    myr_solvent solvent; /* model null = none */
};

/* Returns 1 if a checkpoint holds the atoms of a molecule, which are never divided among ranks. */
int myr_molecule_motion_is_in(const myr_checkpoint *file);

#endif
