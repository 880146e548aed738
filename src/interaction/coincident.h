/* coincident.h - which particles are at the same place. */
#ifndef MYR_INTERACTION_COINCIDENT_H
#define MYR_INTERACTION_COINCIDENT_H

#include "interaction/interaction.h"

enum { MYR_COINCIDENT_NAMED = 4 }; /* pairs that a message names */

/* Pairs of different points x[3][n] with equal coordinates: *count is the number of all pairs, and the first `most`
 * pairs go to pair[2 * most] as indices, lower index first, sorted. float_lanes: 0 = coordinates are compared as they
 * are, 1 = as floats, 2 = as sums of two floats. */
myr_status myr_coincident_find(myr_context *context, int64_t n, const double *const x[3], int float_lanes, int64_t most,
                               int64_t *pair, int64_t *count);

/* Fails with a message that names particles at the same place by their ids, and what can be done. */
myr_status myr_coincident_fail(const myr_interaction *f, const myr_particles *particles);

#endif
