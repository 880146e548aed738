/* born.h - generalised Born solvent of a molecule: Born radii, forces, energies.
 *
 * Three pair sums over all atoms: the integrals that give the Born radii (kernel gb_integral), forces at given radii
 * and the derivative of the energy by the radii (gb_force), forces by the change of the radii (gb_chain). What belongs
 * to one atom (radii from integrals, surface area) is computed in double in between, with functions that have the same
 * bits on every machine. */
#ifndef MYR_MOLECULAR_BORN_H
#define MYR_MOLECULAR_BORN_H

#include <myriad/molecule.h>

#include "backend/born_atom.h"
#include "interaction/stage.h"
#include "particles/topology.h"

typedef struct myr_born myr_born;

/* Fails if a topology cannot be in that solvent. */
myr_status myr_solvent_check(myr_context *context, const myr_topology *t, const myr_solvent *solvent);

/* Creates the solvent of a molecule. `pairs` is the interaction of its atoms: accumulator, arithmetic and backend are
 * those of the sums, its dielectric that of the solute. Topology and interaction must outlive *born. */
myr_status myr_born_create(const myr_topology *topology, const myr_interaction *pairs, const myr_solvent *solvent,
                           myr_born **born);
void myr_born_destroy(myr_born **born);

/* Adds the forces at positions x[3][atoms] to force[3][atoms], in the arithmetic of the molecule's pairs, or in double
 * if in_double is 1. shared: pairs from which ranks share the sums; 0 = they do not. */
myr_status myr_born_forces(myr_born *born, int in_double, double shared, const double *const x[3],
                           double *const force[3]);

/* Energies at positions x[3][atoms], in double: of the polarised solvent, and of the surface area. */
myr_status myr_born_energies(myr_born *born, double shared, const double *const x[3], double *polar, double *surface);

/* What a GPU needs of a solvent: its three sums (integrals, forces, forces by the change of radii) at positions x, and
 * arrays of [atoms] numbers. */
typedef struct {
    const myr_direct *job[3];
    const double *radius, *screen, *reduced; /* reduced: radius less the offset */
    born_law law;
} myr_born_parts;
myr_status myr_born_jobs(myr_born *born, const double *const x[3], myr_born_parts *parts);

/* 1 if two molecules are in the same solvent, or both in none. */
int myr_born_alike(const myr_born *a, const myr_born *b);

/* Born radii of the last evaluation, [atoms], in Angstrom. */
const double *myr_born_radii(const myr_born *born);

#endif
