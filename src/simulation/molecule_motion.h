/* molecule_motion.h - the atoms of a molecule as a kind of motion. */
#ifndef MYR_SIMULATION_MOLECULE_MOTION_H
#define MYR_SIMULATION_MOLECULE_MOTION_H

#include "simulation/motions.h"

struct myr_molecule_state {
    struct myr_topology *topology; /* bonds, angles and charges; null = the particles are free */
    struct myr_molecule *bound;    /* topology with the interaction's tables while the engine has the particles */
    int exclusion_mode;            /* myr_exclusion_mode */
    int rigid;                     /* 1 if bonds to hydrogen keep their length */
};

/* 1 if a checkpoint holds the atoms of a molecule, which are never divided among ranks. */
int myr_molecule_is_in(const myr_checkpoint *file);

#endif
