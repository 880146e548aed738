/* bonded.h - bonded terms: forces and energies of bonds, angles, dihedrals and 1-4 pairs.
 *
 * Forces are summed in 64-bit integers, in units of 2^-36 kcal/mol/Angstrom, so that the sums are independent of order
 * and thread count. The force on the last atom of a term is minus the sum of the others: the net force is exactly 0. */
#ifndef MYR_MOLECULAR_BONDED_H
#define MYR_MOLECULAR_BONDED_H

#include <myriad/molecule.h>

#include "backend/molecule_terms.h"
#include "core/wide.h"
#include "interaction/interaction.h"
#include "particles/topology.h"

typedef enum {
#define MYR_TERM(name, text) MYR_TERM_##name,
#include "molecular/terms.def"
#undef MYR_TERM
    MYR_TERMS
} myr_term;

typedef struct myr_bonded myr_bonded;

/* Creates the evaluation of the bonded terms of a topology; 1-4 pairs use the Coulomb law of the interaction `pairs`.
 * Topology and interaction must outlive *bonded. */
myr_status myr_bonded_create(const myr_topology *topology, const myr_interaction *pairs, myr_bonded **bonded);
void myr_bonded_destroy(myr_bonded **bonded);

/* rigid = 1 omits the bonds to hydrogen, which are constraints. */
void myr_bonded_constrain(myr_bonded *bonded, int rigid);

/* Adds the forces at positions x[3][n] to force[3][n] unless force is null, and writes the energies of the five bonded
 * kinds unless energy is null. together = 1: every rank sums a share of the terms, and all get all sums; collective. */
myr_status myr_bonded_evaluate(myr_bonded *bonded, int together, const double *const x[3], double *const force[3],
                               double *energy);

/* Number of terms of a kind, and the terms unless `term` is null; law of the charges of 1-4 pairs. */
int64_t myr_bonded_terms(const myr_bonded *bonded, int kind, const molecule_term **term);
const molecule_law *myr_bonded_law(const myr_bonded *bonded);

/* Finds the law of an interaction (pair14.c); fails if its kernel has no charges. Cutoffs do not apply to 1-4 pairs. */
myr_status myr_pair14_prepare(const myr_interaction *pairs, molecule_law *law);

#endif
