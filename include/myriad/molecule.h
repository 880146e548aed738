/* molecule.h - forces in a molecule: Lennard-Jones and Coulomb between all pairs, and bonded terms.
 *
 *   myr_interaction_create(context, "ljc_linear", &pairs);
 *   myr_molecule_create(protein, pairs, MYR_EXCLUDE_ON_THE_FLY, &molecule);
 *   myr_molecule_evaluate(molecule, atoms);              the field "force", in kcal/mol/Angstrom
 *   myr_molecule_energies(molecule, atoms, energy);      energy[k] belongs to myr_molecule_term(k) */
#ifndef MYRIAD_MOLECULE_H
#define MYRIAD_MOLECULE_H

#include <myriad/interaction.h>
#include <myriad/simulation.h>
#include <myriad/topology.h>

MYR_BEGIN_DECLS

enum { MYR_MOLECULE_TERMS = 9 };

typedef struct myr_molecule myr_molecule;

/* Combines a topology with an interaction whose kernel is "ljc_...": sets pair tables, exclusions and Coulomb's
 * constant. Topology and interaction must outlive the molecule. */
MYR_API myr_status myr_molecule_create(const myr_topology *topology, myr_interaction *pairs, myr_exclusion_mode mode,
                                       myr_molecule **molecule);

/* Frees the molecule and sets *molecule to null. A null molecule is allowed. */
MYR_API void myr_molecule_destroy(myr_molecule **molecule);

/* Implicit solvent by generalised Born. The radii and screening factors are those of the topology; charges act with the
 * kernel ljc_constant, whose dielectric is that of the solute. */
typedef struct {
    const char *model; /* "hct", "obc1" or "obc2": AMBER's igb = 1, 2, 5 */
    double salt;       /* concentration of monovalent salt in mol/l */
    int surface;       /* 1 = with the energy of the surface area */
} myr_solvent;

/* Name of generalised Born model k; null past the last. */
MYR_API const char *myr_solvent_model(int k);

/* Puts the molecule into a solvent; null = takes it out of it. */
MYR_API myr_status myr_molecule_set_solvent(myr_molecule *molecule, const myr_solvent *solvent);

/* Born radii of all atoms in Angstrom, in double arithmetic. */
MYR_API myr_status myr_molecule_born_radii(myr_molecule *molecule, const myr_particles *particles, double *radius);

/* Evaluates the forces on all atoms into the field "force". Bonded forces are summed in integers: the sum does not
 * depend on the number of threads, and the net force is exactly 0. */
MYR_API myr_status myr_molecule_evaluate(myr_molecule *molecule, myr_particles *particles);

/* Energies by term, in double arithmetic for any arithmetic of the interaction. */
MYR_API myr_status myr_molecule_energies(myr_molecule *molecule, const myr_particles *particles,
                                         double energy[MYR_MOLECULE_TERMS]);

/* Name of term k ("bond", "angle", ...) and its description; null past the last. */
MYR_API const char *myr_molecule_term(int k);
MYR_API const char *myr_molecule_term_text(int k);

/* Makes the particles of a simulation the atoms of a molecule, before the first step: sets mass, charge and type; all
 * pairs interact, and the integrators are "verlet", "langevin", "nose_hoover" and "berendsen" (molecular.h), with rigid
 * bonds to hydrogen if `rigid` is 1. The simulation owns the topology afterwards, also if this function fails. */
MYR_API myr_status myr_simulation_set_molecule(myr_simulation *simulation, myr_topology *topology,
                                               myr_exclusion_mode mode, int rigid);

/* Puts the molecule of a simulation into a solvent, before the first step. */
MYR_API myr_status myr_simulation_set_solvent(myr_simulation *simulation, const myr_solvent *solvent);

/* Solvent of the molecule of a simulation; null if it has none. */
MYR_API const myr_solvent *myr_simulation_solvent(const myr_simulation *simulation);

/* Topology of the molecule of a simulation; null if there is no molecule. */
MYR_API const myr_topology *myr_simulation_topology(const myr_simulation *simulation);

/* Present energies of the molecule of a simulation by term. */
MYR_API myr_status myr_simulation_energies(myr_simulation *simulation, double energy[MYR_MOLECULE_TERMS]);

MYR_END_DECLS

#endif
