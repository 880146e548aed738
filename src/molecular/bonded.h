/* bonded.h - the terms of bonds: forces and energies of bonds, angles, dihedrals and 1-4 pairs.
 *
 * Forces are summed on a grid of 2^-36 kcal/mol/Angstrom in 64-bit integers, so that they do not depend on order or
 * threads, and the last atom of a term gets what the others leave: the net force is exactly 0. */
#ifndef MYR_MOLECULAR_BONDED_H
#define MYR_MOLECULAR_BONDED_H

#include <myriad/molecule.h>

#include "interaction/interaction.h"
#include "particles/topology.h"

typedef enum {
#define MYR_TERM(name, text) MYR_TERM_##name,
#include "molecular/terms.def"
#undef MYR_TERM
    MYR_TERMS
} myr_term;

enum { MYR_BONDED_ATOMS = 4 };
#define MYR_BONDED_UNIT 0x1p-36  /* of a force */
#define MYR_BONDED_LIMIT 0x1p+24 /* a contribution that is larger is no force between atoms */

__extension__ typedef __int128 myr_bonded_wide;

/* Where contributions go: sums of forces, and energies in units of 2^-60 where they are wanted. */
typedef struct {
    int64_t *sum[3];
    int64_t bad; /* a term whose force was out of range, or -1 */
    int with_energy;
    myr_bonded_wide energy[MYR_TERMS];
} myr_bonded_sink;

typedef struct myr_bonded myr_bonded;

/* Evaluation of the terms of a topology, with the Coulomb law of an interaction for 1-4 pairs. Both must outlive it. */
myr_status myr_bonded_create(const myr_topology *topology, const myr_interaction *pairs, myr_bonded **bonded);
void myr_bonded_destroy(myr_bonded **bonded);

/* Leaves out bonds that are held rigid: those to hydrogen. */
void myr_bonded_constrain(myr_bonded *bonded, int rigid);

/* Adds the forces at the positions x[3][n] to force[3][n], where that is not null, and sets the first five energies
 * where energy is not null. */
myr_status myr_bonded_evaluate(myr_bonded *bonded, const double *const x[3], double *const force[3], double *energy);

/* Gives the forces on the first n - 1 of a term's n atoms; the last gets their opposite. */
void myr_bonded_give(myr_bonded_sink *sink, int64_t term, int n, const int32_t *atom, double (*f)[3]);

/* An energy into the sum of its kind. */
void myr_bonded_count(myr_bonded_sink *sink, myr_term kind, double energy);

/* --- pair14.c --- */

/* The law of 1-4 pairs: kernel and constants. */
typedef struct {
    int law; /* constant, linear, sigmoidal */
    double constant[MYR_KERNEL_CONSTANTS_MAX];
} myr_pair14_law;

/* Finds the law of an interaction; a kernel without charges is an error. Cutoffs do not apply to 1-4 pairs. */
myr_status myr_pair14_prepare(const myr_interaction *pairs, myr_pair14_law *law);

/* Pairs first to end of a topology. */
void myr_pair14_range(const myr_topology *t, const myr_pair14_law *law, const double *const x[3], int64_t first,
                      int64_t end, myr_bonded_sink *sink);

#endif
