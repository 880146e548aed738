/* sapporo.c - what Sapporo has beside the calls of the GRAPE-6 library. */
#include "sapporo.h"

#include <myriad/myriad.h>

int get_device_count(void)
{
    myr_context *context = NULL;
    myr_gpu_info gpu;
    int count = 0;
    if (myr_context_create(&context) == MYR_OK)
        while (myr_machine_gpu(context, count, &gpu) == MYR_OK)
            count++;
    myr_context_destroy(&context);
    return count ? count : 1;
}

void force_j_particle_send(void)
{
}
