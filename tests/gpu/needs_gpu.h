/* needs_gpu.h - for tests that are skipped where there is no GPU, real or emulated. */
#ifndef MYR_TEST_NEEDS_GPU_H
#define MYR_TEST_NEEDS_GPU_H

#include <stdio.h>

#include <myriad/machine.h>

enum { TEST_SKIPPED = 77 };

/* 0 if there is a GPU, whose name is printed; otherwise says why not, and returns the exit code of a skipped test. */
static inline int needs_gpu(void)
{
    myr_context *context;
    myr_gpu_info gpu;
    if (myr_context_create(&context))
        return 1;
    const myr_status status = myr_machine_gpu(context, 0, &gpu);
    printf("%s%s\n", status ? "skipped: " : "on ", status ? myr_context_message(context) : gpu.name);
    myr_context_destroy(&context);
    return status ? TEST_SKIPPED : 0;
}

#endif
