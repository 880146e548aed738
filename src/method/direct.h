/* direct.h - direct summation: every source acts on every target. */
#ifndef MYR_METHOD_DIRECT_H
#define MYR_METHOD_DIRECT_H

#include "backend/job.h"

/* Number of targets per block of a problem. The sums of a block do not depend on the other blocks, so that whole blocks
 * have the bits that they have in an evaluation of all targets, with any accumulator. */
int64_t myr_direct_block(const myr_direct *problem);

/* Evaluates a problem. Fails only if memory is short or if the progress callback asks to stop. */
myr_status myr_direct_run(const myr_direct *problem, myr_direct_result *result);

#endif
