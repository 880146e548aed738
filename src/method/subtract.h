/* subtract.h - a GPU sums all pairs while the processor works out those that do not count: paper 000, section 5. */
#ifndef MYR_METHOD_SUBTRACT_H
#define MYR_METHOD_SUBTRACT_H

#include "backend/job.h"

/* myr_direct_run for a problem on a GPU with `subtracted` exclusions and `by_processor`. */
myr_status myr_subtract_run(const myr_direct *problem, myr_direct_result *result);

#endif
