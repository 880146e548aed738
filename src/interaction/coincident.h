/* coincident.h - search for coincident particles, and the error message that names them. */
#ifndef MYR_INTERACTION_COINCIDENT_H
#define MYR_INTERACTION_COINCIDENT_H

#include "interaction/interaction.h"

enum { MYR_COINCIDENT_NAMED = 4 }; /* largest number of pairs named in a message */

/* Finds pairs of different points x[3][n] with equal coordinates: *count is the number of all pairs; the first `most`
 * pairs are stored in pair[2 * most] as indices, lower index first, sorted. float_lanes: 0 = coordinates are compared
 * exactly, 1 = as floats, 2 = as sums of two floats. */
myr_status myr_coincident_find(myr_context *context, int64_t n, const double *const x[3], int float_lanes, int64_t most,
                               int64_t *pair, int64_t *count);

/* Fails with a message that names coincident particles by their ids, and the remedies. */
myr_status myr_coincident_fail(const myr_interaction *f, const myr_particles *particles);

#endif
