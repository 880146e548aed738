/* info.h - what `myriad info` tells about files. */
#ifndef MYR_CLI_INFO_H
#define MYR_CLI_INFO_H

#include <stdint.h>

#include <myriad/myriad.h>

#include "json.h"

/* Prints what is in a particle file, a checkpoint or the directory of a run; the exit code. */
int info_file(const char *path, const char *format, int64_t frame, int json, int quiet);

/* Prints what files of a format can hold; the exit code. */
int info_format(const char *name, int json);

/* The GPUs that backend cuda uses, or why there are none: printed, or as members "no_gpu" (null where there are some)
 * and "gpus". */
void info_gpus(void);
void info_json_gpus(json_writer *w);

/* The ranks of a launcher, their MPI library and the GPU that each would use: printed by rank 0, or as members "mpi",
 * "mpi_gpu_memory" and "rank_gpus", where `w` is null on the other ranks. All ranks call them; joined: status of
 * myr_ranks_open. */
void info_ranks(myr_context *context, myr_status joined);
void info_json_ranks(json_writer *w, myr_context *context, myr_status joined);

/* Prints the state of the run in a directory, as run.json has it, and "dead" where that says "running" and the process
 * is gone. `w` null = plain text. Returns 0 if nothing is known. */
int info_run_state(const char *directory, json_writer *w);

#endif
