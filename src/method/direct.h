/* direct.h - the direct method: every source acts on every target. */
#ifndef MYR_METHOD_DIRECT_H
#define MYR_METHOD_DIRECT_H

#include "backend/job.h"

/* Evaluates. Fails only for lack of memory, or when the progress callback asks to stop. */
myr_status myr_direct_run(const myr_direct *problem, myr_direct_result *result);

#endif
