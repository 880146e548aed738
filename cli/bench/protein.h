/* protein.h - a molecule like a protein, for measurements: chains of alanine wound into helices side by side, and water
 * around them, with AMBER's parameters. */
#ifndef MYR_CLI_BENCH_PROTEIN_H
#define MYR_CLI_BENCH_PROTEIN_H

#include "cli.h"

typedef struct {
    int chains, residues; /* residues of all chains together: 10 atoms each, and 3 more for each chain */
    int waters;           /* 3 atoms each */
} protein_size;

/* As large as System 1 of paper 000: 2715 atoms of protein, 208 of water; and as the protein of paper 001's Table 2. */
#define PROTEIN_3339 ((protein_size){.chains = 5, .residues = 270, .waters = 208})
#define PROTEIN_1280 ((protein_size){.chains = 10, .residues = 125, .waters = 0})

/* A small one, for long motions. */
#define PROTEIN_246 ((protein_size){.chains = 2, .residues = 24, .waters = 0})

/* Makes topology and atoms; prints the error and gives the exit code where that fails. */
int protein_make(myr_context *context, protein_size size, myr_topology **topology, myr_particles **atoms);

/* The same as files of GROMACS, start.gro and topol.top, in a folder; 0 where they cannot be written. `edge`: of the
 * box, in nm. */
int protein_write_gromacs(protein_size size, const char *folder, double edge);

#endif
