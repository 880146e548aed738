/* molecule.h - the inside of a molecule, for those who move its atoms. */
#ifndef MYR_MOLECULAR_MOLECULE_H
#define MYR_MOLECULAR_MOLECULE_H

#include "interaction/stage.h"
#include "molecular/bonded.h"
#include "molecular/constraint.h"

struct myr_molecule {
    const myr_topology *t;
    myr_interaction *pairs;
    myr_bonded *bonded;
    myr_particles *copy;           /* what the kernels read, and nothing else */
    myr_stage *stage;              /* of forces; made with the first of them */
    double *potential;             /* room for what a kernel gives besides forces */
    myr_interaction *lj, *coulomb; /* each alone, in double arithmetic; made where energies are asked for */
};

/* Forces at the positions x[3][atoms], in the order of the topology, into force[3][atoms]. */
myr_status myr_molecule_forces(myr_molecule *m, const double *const x[3], double *const force[3]);

/* Energies by term there. */
myr_status myr_molecule_energies_at(myr_molecule *m, const double *const x[3], double energy[MYR_MOLECULE_TERMS]);

#endif
