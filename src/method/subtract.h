/* subtract.h - direct summation on a GPU with exclusions computed by the processor: paper 000, section 5. */
#ifndef MYR_METHOD_SUBTRACT_H
#define MYR_METHOD_SUBTRACT_H

#include "backend/job.h"

/* myr_direct_run for a problem on a GPU with `subtracted` exclusions and `by_processor`. */
myr_status myr_subtract_run(const myr_direct *problem, myr_direct_result *result);

#endif
