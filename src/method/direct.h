/* direct.h - direct summation: every source acts on every target. */
#ifndef MYR_METHOD_DIRECT_H
#define MYR_METHOD_DIRECT_H

#include "backend/job.h"

/* Evaluates a problem. Fails only if memory is short or if the progress callback asks to stop. */
myr_status myr_direct_run(const myr_direct *problem, myr_direct_result *result);

#endif
