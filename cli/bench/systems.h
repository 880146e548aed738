/* systems.h - the two test systems of paper 000, section 4.1, in kind: same numbers of atoms, types and bonds. */
#ifndef MYR_CLI_BENCH_SYSTEMS_H
#define MYR_CLI_BENCH_SYSTEMS_H

#include <stdint.h>

#include <myriad/myriad.h>

enum { SYSTEM1_CHAIN = 2715, SYSTEM1_WATERS = 208, SYSTEM2_TYPES = 16 };

/* Lennard-Jones particles, the interaction's tables, and the pairs that do not interact. */
typedef struct {
    myr_particles *particles;
    int types;
    double *epsilon, *sigma;   /* [types][types] */
    int64_t *offset, *partner; /* as myr_interaction_set_exclusions takes them; null = none */
} system_lj;

/* System 1 in kind: a chain of `chain` atoms folded into rows with bonds of 1.5 and rows 4.5 apart (angstrom), and
 * `waters` molecules of three atoms beside it; radii and depths of common atom types of the AMBER force field, mixed
 * by Lorentz and Berthelot. Atoms up to three bonds apart do not interact: as in a protein, they are so close that
 * their forces would be 10^5 times those that remain. */
int system_create_molecule(myr_context *context, int chain, int waters, system_lj *system);

/* System 2 in kind: n particles on a cubic lattice, moved by up to a tenth of its spacing; 16 random types with random
 * parameters. */
int system_create_fluid(myr_context *context, int64_t n, system_lj *system);

/* Gives an interaction the system's tables. */
int system_apply(myr_context *context, myr_interaction *interaction, const system_lj *system);

/* Frees everything. */
void system_destroy(system_lj *system);

#endif
