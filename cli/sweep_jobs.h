/* sweep_jobs.h - the runs of a sweep as processes, several at a time. */
#ifndef MYR_CLI_SWEEP_JOBS_H
#define MYR_CLI_SWEEP_JOBS_H

#include "run/run.h"
#include "sweep/sweep.h"
#include "sweep_gpus.h"

typedef struct {
    const char *file;
    args_list set;
    const char *columns;
    int64_t jobs, threads;          /* 0 = as the machine has cores */
    int64_t replicas, only, groups; /* 0 = none */
    const char *gpus_text;
    sweep_gpus gpus;
    int json, quiet, force, yes;
    int words; /* of the command line, from "sweep" on */
    char *const *word;
} sweep_options;

/* Options of run `which` in a process of its own, a restart where it has a checkpoint; `directory` becomes that of the
 * run, which the options refer to. */
run_options sweep_run_options(const sweep *s, const sweep_options *o, int64_t which, char directory[RUN_PATH]);

/* Path of the file that keeps what run `which` has said, while it runs and after it has failed. */
const char *sweep_log_path(const sweep *s, int64_t which, char path[RUN_PATH]);

/* The first error in such a file becomes the reason of a run. */
void sweep_read_reason(sweep_item *item, const char *log);

/* Tells, where it is not to be quiet, that run `which` has ended, which took some seconds. */
void sweep_tell_run(const sweep *s, const sweep_options *o, int64_t which, double seconds);

/* Makes every run that has not finished; gives the exit code. */
int sweep_jobs_run(sweep *s, const sweep_options *o);

#endif
