/* info.h - what `myriad info` tells about files. */
#ifndef MYR_CLI_INFO_H
#define MYR_CLI_INFO_H

#include <stdint.h>

#include "json.h"

/* Prints what is in a particle file, a checkpoint or the directory of a run; the exit code. */
int info_file(const char *path, const char *format, int64_t frame, int json, int quiet);

/* Prints what files of a format can hold; the exit code. */
int info_format(const char *name, int json);

/* The GPUs that backend cuda uses, or why there are none: printed, or as members "no_gpu" (null where there are some)
 * and "gpus". */
void info_gpus(void);
void info_json_gpus(json_writer *w);

/* Prints the state of the run in a directory, as run.json has it, and "dead" where that says "running" and the process
 * is gone. `w` null = plain text. Returns 0 if nothing is known. */
int info_run_state(const char *directory, json_writer *w);

#endif
