/* molecule.h - the forces in a molecule: all pairs with Lennard-Jones and Coulomb, and the terms of its bonds.
 *
 *   myr_interaction_create(context, "ljc_linear", &pairs);
 *   myr_molecule_create(protein, pairs, MYR_EXCLUDE_ON_THE_FLY, &molecule);
 *   myr_molecule_evaluate(molecule, atoms);              the field "force", in kcal/mol/Angstrom
 *   myr_molecule_energies(molecule, atoms, energy);      energy[k] belongs to myr_molecule_term(k)
 */
#ifndef MYRIAD_MOLECULE_H
#define MYRIAD_MOLECULE_H

#include <myriad/interaction.h>
#include <myriad/simulation.h>
#include <myriad/topology.h>

MYR_BEGIN_DECLS

enum { MYR_MOLECULE_TERMS = 7 };

typedef struct myr_molecule myr_molecule;

/* Binds a topology to an interaction with a kernel "ljc_...": sets its tables, its excluded pairs and Coulomb's
 * constant. Both must outlive the molecule. */
MYR_API myr_status myr_molecule_create(const myr_topology *topology, myr_interaction *pairs, myr_exclusion_mode mode,
                                       myr_molecule **molecule);

/* Frees it and clears the pointer. Null is allowed. */
MYR_API void myr_molecule_destroy(myr_molecule **molecule);

/* Forces on all atoms, as the field "force". Bonded forces are summed in integers: their sum does not depend on the
 * number of threads, and adds up to exactly 0. */
MYR_API myr_status myr_molecule_evaluate(myr_molecule *molecule, myr_particles *particles);

/* Energies by term, all in double arithmetic whatever the interaction's. */
MYR_API myr_status myr_molecule_energies(myr_molecule *molecule, const myr_particles *particles,
                                         double energy[MYR_MOLECULE_TERMS]);

/* The name of term k ("bond", "angle", ...) and what it is; null past the end. */
MYR_API const char *myr_molecule_term(int k);
MYR_API const char *myr_molecule_term_text(int k);

/* Makes the particles of a simulation the atoms of a molecule: they get mass, charge and type, all pairs act, and the
 * integrators "verlet", "langevin", "nose_hoover" and "berendsen" move them (molecular.h), with rigid bonds to hydrogen
 * where `rigid` is 1. Before the first step. The simulation owns the topology then, also where this fails. */
MYR_API myr_status myr_simulation_set_molecule(myr_simulation *simulation, myr_topology *topology,
                                               myr_exclusion_mode mode, int rigid);

/* The topology of a simulation's molecule; null where it has none. */
MYR_API const myr_topology *myr_simulation_topology(const myr_simulation *simulation);

/* The energies of a simulation's molecule by term, now. */
MYR_API myr_status myr_simulation_energies(myr_simulation *simulation, double energy[MYR_MOLECULE_TERMS]);

MYR_END_DECLS

#endif
