/* molecule.h - fields of struct myr_molecule, for the engine that moves its atoms. */
#ifndef MYR_MOLECULAR_MOLECULE_H
#define MYR_MOLECULAR_MOLECULE_H

#include "interaction/stage.h"
#include "molecular/bonded.h"
#include "molecular/born.h"
#include "molecular/constraint.h"

struct myr_molecule {
    const myr_topology *t;
    myr_interaction *pairs;
    myr_bonded *bonded;
    myr_born *born;      /* solvent; null = none */
    myr_particles *copy; /* particle set that the pair kernels read */
    myr_stage *stage;    /* prepared evaluation of forces; null before the first */
    double *potential;   /* [atoms], receives the potential that some force kernels also compute */
    /* Lennard-Jones and Coulomb alone, in double arithmetic; null until energies are evaluated */
    myr_interaction *lj, *coulomb;
    /* Pairs from which several ranks, each with all atoms, share the evaluation that begins; 0 = this rank works alone.
     * Null = never shared. */
    double (*share_from)(void *user);
    void *user; /* for share_from */
};

/* Prepares the evaluation of forces, with positions x[3][atoms] unless that has been done. */
myr_status myr_molecule_prepare(myr_molecule *m, const double *const x[3]);

/* Forces at positions x[3][atoms] in the order of the topology, into force[3][atoms]. */
myr_status myr_molecule_forces(myr_molecule *m, const double *const x[3], double *const force[3]);

/* Forces on the n listed atoms at positions x[3][atoms], pairs summed directly in double arithmetic, in a loop other
 * than that of myr_molecule_forces unless double arithmetic was chosen. force[3][atoms]: other atoms get bonded forces
 * only. */
myr_status myr_molecule_forces_in_double(myr_molecule *m, const double *const x[3], int64_t n, const int64_t *pick,
                                         double *const force[3]);

/* Energies by term at positions x[3][atoms]. */
myr_status myr_molecule_energies_at(myr_molecule *m, const double *const x[3], double energy[MYR_MOLECULE_TERMS]);

#endif
