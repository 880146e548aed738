/* spacing.h - the smallest distance between two particles of a set. */
#ifndef MYR_CLI_INPUT_SPACING_H
#define MYR_CLI_INPUT_SPACING_H

#include <myriad/myriad.h>

/* Molecular kernels take their radius from it, so that no pair starts deep inside the repulsive wall, whatever the
 * model. 1 for fewer than two particles. Gives the exit code, having printed the error. */
int spacing_smallest(const myr_particles *particles, double *length);

#endif
