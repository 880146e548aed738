/* sweep_jobs.h - the runs of a sweep as processes, several at a time. */
#ifndef MYR_CLI_SWEEP_JOBS_H
#define MYR_CLI_SWEEP_JOBS_H

#include "sweep/sweep.h"

typedef struct {
    const char *file;
    args_list set;
    const char *columns;
    int64_t jobs, threads; /* 0 = as the machine has cores */
    int64_t replicas, only;
    int json, quiet, force, yes;
    int words; /* of the command line, from "sweep" on */
    char *const *word;
} sweep_options;

/* Makes every run that has not finished; gives the exit code. */
int sweep_jobs_run(sweep *s, const sweep_options *o);

#endif
