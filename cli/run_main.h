/* run_main.h - a run from its options to its exit code, for the commands that make runs. */
#ifndef MYR_CLI_RUN_MAIN_H
#define MYR_CLI_RUN_MAIN_H

#include "run/run.h"

/* Runs options->file, or goes on in options->restart; prints what run_display.h says. */
int run_main(run_options *options);

/* The same on a context that has joined some ranks, which all call it; rank 0 of these has the exit code, the others 0.
 */
int run_in_group(run_options *options, myr_context *group);

/* Makes a run for these options on all ranks together, does the work with it, and frees it; the exit code. */
int run_together(run_options *options, int (*work)(myr_run *r, void *user), void *user);

/* The replicas of an input with a section replicas, which move together. */
int sweep_replicas_main(run_options *options);

#endif
