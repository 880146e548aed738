/* info_ranks.c - the ranks in `myriad info`: MPI library, and the GPU of each. */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "info.h"

/* What MPI says about messages in the memory of GPUs. */
static const char *device_word(const myr_context *context)
{
    const int takes = myr_ranks_take_device(context);
    return takes < 0 ? "unknown" : takes ? "yes" : "no";
}

/* The numbers of the GPUs of all ranks; null without memory. */
static int *find_gpus(myr_context *context, myr_status *status)
{
    int *gpu = calloc((size_t)myr_ranks_count(context), sizeof *gpu);
    *status = gpu ? myr_machine_gpu_of_ranks(context, gpu) : MYR_ERROR_MEMORY;
    return gpu;
}

static void print_gpu(int rank, int gpu)
{
    if (gpu < 0)
        printf("  rank %d: no GPU\n", rank);
    else
        printf("  rank %d: GPU %d of its machine\n", rank, gpu);
}

void info_ranks(myr_context *context, myr_status joined)
{
    myr_status status;
    int *gpu = joined ? NULL : find_gpus(context, &status);
    const int ranks = myr_ranks_count(context);
    if (myr_ranks_me(context) == 0) {
        printf("\nRanks:\n");
        if (joined || status)
            printf("  none: %s\n", myr_context_message(context));
        else if (!myr_ranks_library(context))
            printf("  1, without MPI: this process was not started by mpirun or srun\n");
        else
            printf("  %d, started by %s; %s; messages from the memory of GPUs: %s\n", ranks,
                   myr_ranks_launcher() ? myr_ranks_launcher() : "a program", myr_ranks_library(context),
                   device_word(context));
        for (int k = 0; gpu && !status && k < ranks; k++)
            print_gpu(k, gpu[k]);
    }
    free(gpu);
}

void info_json_ranks(json_writer *w, myr_context *context, myr_status joined)
{
    myr_status status;
    int *gpu = joined ? NULL : find_gpus(context, &status);
    if (w && gpu && !status) {
        json_text(w, "launcher", myr_ranks_launcher());
        json_text(w, "mpi", myr_ranks_library(context));
        json_text(w, "mpi_gpu_memory", device_word(context));
        json_open(w, "rank_gpus", '[');
        for (int k = 0; k < myr_ranks_count(context); k++)
            json_integer(w, NULL, gpu[k]);
        json_close(w);
    }
    free(gpu);
}
