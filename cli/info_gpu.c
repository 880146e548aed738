/* info_gpu.c - the GPUs in `myriad info`, or why there are none. */
#include <stdio.h>

#include "cli.h"
#include "info.h"

void info_gpus(void)
{
    myr_context *context;
    myr_gpu_info gpu;
    printf("\nGPUs:\n");
    if (myr_context_create(&context))
        return;
    for (int k = 0;; k++) {
        const myr_status status = myr_machine_gpu(context, k, &gpu);
        if (status == MYR_ERROR_UNAVAILABLE)
            printf("  none: %s\n", myr_context_message(context));
        if (status)
            break;
        printf("  %d: %s, compute capability %d.%d, %d multiprocessors, %.1f GB\n", k, gpu.name, gpu.major, gpu.minor,
               gpu.multiprocessors, 1e-9 * gpu.memory);
    }
    myr_context_destroy(&context);
}

void info_json_gpus(json_writer *w)
{
    myr_context *context;
    myr_gpu_info gpu;
    if (myr_context_create(&context))
        return;
    myr_status status = myr_machine_gpu(context, 0, &gpu);
    json_text(w, "no_gpu", status ? myr_context_message(context) : NULL);
    json_open(w, "gpus", '[');
    for (int k = 0; !status; status = myr_machine_gpu(context, ++k, &gpu)) {
        json_open(w, NULL, '{');
        json_text(w, "name", gpu.name);
        json_integer(w, "major", gpu.major);
        json_integer(w, "minor", gpu.minor);
        json_integer(w, "multiprocessors", gpu.multiprocessors);
        json_number(w, "memory", gpu.memory);
        json_close(w);
    }
    json_close(w);
    myr_context_destroy(&context);
}
