/* bonded.h - bonded terms: forces and energies of bonds, angles, dihedrals and 1-4 pairs.
 *
 * Forces are summed in 64-bit integers, in units of 2^-36 kcal/mol/Angstrom, so that the sums are independent of order
 * and thread count. The force on the last atom of a term is minus the sum of the others: the net force is exactly 0. */
#ifndef MYR_MOLECULAR_BONDED_H
#define MYR_MOLECULAR_BONDED_H

#include <myriad/molecule.h>

#include "core/wide.h"
#include "interaction/interaction.h"
#include "particles/topology.h"

typedef enum {
#define MYR_TERM(name, text) MYR_TERM_##name,
#include "molecular/terms.def"
#undef MYR_TERM
    MYR_TERMS
} myr_term;

enum { MYR_BONDED_ATOMS = 4 };
#define MYR_BONDED_UNIT 0x1p-36  /* unit of the integer force sums, in kcal/mol/Angstrom */
#define MYR_BONDED_LIMIT 0x1p+24 /* largest accepted force of a term, in kcal/mol/Angstrom */

/* Sums of one thread: forces, and energies in units of 2^-60 if with_energy is set. */
typedef struct {
    int64_t *sum[3];
    int64_t bad; /* index of a term whose force exceeded MYR_BONDED_LIMIT, or -1 */
    int with_energy;
    myr_wide energy[MYR_TERMS];
} myr_bonded_sink;

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

/* Adds the forces on the first n - 1 atoms of a term; the last atom gets minus their sum. */
void myr_bonded_give(myr_bonded_sink *sink, int64_t term, int n, const int32_t *atom, double (*f)[3]);

/* Adds an energy to the sum of its kind. */
void myr_bonded_count(myr_bonded_sink *sink, myr_term kind, double energy);

/* --- pair14.c --- */

/* Law of 1-4 pairs: pair kernel and its constants. */
typedef struct {
    int law; /* index into the table of pair14.c: constant, linear or sigmoidal Coulomb screening */
    double constant[MYR_KERNEL_CONSTANTS_MAX];
} myr_pair14_law;

/* Finds the law of an interaction; fails if its kernel has no charges. Cutoffs do not apply to 1-4 pairs. */
myr_status myr_pair14_prepare(const myr_interaction *pairs, myr_pair14_law *law);

/* Evaluates the 1-4 pairs [first, end) of a topology. */
void myr_pair14_range(const myr_topology *t, const myr_pair14_law *law, const double *const x[3], int64_t first,
                      int64_t end, myr_bonded_sink *sink);

#endif
