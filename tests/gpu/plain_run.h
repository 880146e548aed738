/* plain_run.h - an evaluation of a plug-in without a GPU. */
#ifndef MYR_TESTS_GPU_PLAIN_RUN_H
#define MYR_TESTS_GPU_PLAIN_RUN_H

#include "backend/cuda/cuda_plugin.h"

/* Evaluates a job by the scalar loops; returns 0 if memory is short. */
int plain_run(const myr_direct *job, myr_direct_result *result);

#endif
