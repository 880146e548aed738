/* needs_gpu.h - for tests that are skipped where there is no GPU, real or emulated. */
#ifndef MYR_TEST_NEEDS_GPU_H
#define MYR_TEST_NEEDS_GPU_H

#include <stdio.h>

#include <myriad/machine.h>

/* 0 if there is a GPU; otherwise says why not, and returns the exit code of a skipped test. */
static inline int needs_gpu(void)
{
    myr_context *context;
    myr_gpu_info gpu;
    if (myr_context_create(&context))
        return 1;
    const myr_status status = myr_machine_gpu(context, 0, &gpu);
    if (status)
        printf("skipped: %s\n", myr_context_message(context));
    myr_context_destroy(&context);
    return status ? 77 : 0;
}

#endif
