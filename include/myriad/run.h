/* run.h - runs that input files describe, as `myriad run` makes them: read an input with overrides, check it, step,
 * leave the results in a directory, make the report. In libmyriad_run, a library of its own (-lmyriad_run -lmyriad).
 *
 *   myr_run *run;
 *   int more = 1;
 *   myr_run_create(NULL, &run);
 *   myr_run_override(run, "run.end=10");
 *   status = myr_run_open(run, "plummer.yaml");
 *   if (!status) status = myr_run_start(run);
 *   while (!status && more) status = myr_run_step(run, &more);
 *   if (!status) status = myr_run_finish(run);
 *   if (status) puts(myr_run_message(run));
 *   myr_run_destroy(&run);
 *
 * The library neither prints nor handles signals: what a run has to say goes to a listener. Different runs may be used
 * in different threads. Docs: docs/input.md for input files, docs/runs.md for the results. */
#ifndef MYRIAD_RUN_H
#define MYRIAD_RUN_H

#include <stddef.h>
#include <stdint.h>

#include <myriad/context.h>
#include <myriad/simulation.h>

MYR_BEGIN_DECLS

typedef struct myr_run myr_run;

/* Kind of a message. */
typedef enum {
    MYR_RUN_ERROR,       /* why a function failed */
    MYR_RUN_INPUT_ERROR, /* the same, for an input file; begins with file:line:column */
    MYR_RUN_REMARK,      /* something went wrong that does not make the run fail */
    MYR_RUN_NOTE,        /* advice, or a warning of the library */
    MYR_RUN_EVENT_TEXT,  /* an event of the run in one sentence */
    MYR_RUN_NOTICE       /* a remark of the library about what it is doing, such as compiling loops */
} myr_run_message_kind;

/* Events of a run. */
typedef enum {
    MYR_RUN_STARTED,  /* the first outputs are due */
    MYR_RUN_STEPPED,  /* after one or several steps */
    MYR_RUN_MEASURED, /* after a line of diagnostics */
    MYR_RUN_FILE,     /* a file was written: `what` is "snapshot", "checkpoint" or "report", with its path */
    MYR_RUN_ENDED     /* the results are complete, or the run has stopped */
} myr_run_event;

/* Callbacks of a run; each may be null. They must not call functions of the run that are not queries. */
typedef struct {
    void *user; /* first argument of all callbacks */
    /* receives a message without a newline at its end */
    void (*say)(void *user, myr_run_message_kind kind, const char *text);
    /* progress of long work outside of steps: its name, the completed fraction, an estimate of the seconds left; a null
     * name ends it */
    void (*work)(void *user, const char *what, double fraction, double seconds_left);
    /* asked between steps, and now and then during them: 0 = go on, 1 = stop after this step, 2 = stop at once. `by`
     * receives who asked, such as "SIGINT". signal: number that another rank received; 0 = none */
    int (*stop)(void *user, int signal, const char **by);
    void (*event)(void *user, const myr_run *run, myr_run_event event, const char *what, const char *path);
} myr_run_listener;

/* Creates a run without an input. `listener` is copied; null = nobody listens. */
MYR_API myr_status myr_run_create(const myr_run_listener *listener, myr_run **run);

/* Frees the run and sets *run to null. A run that has not finished leaves its last checkpoint. A null run is allowed.
 */
MYR_API void myr_run_destroy(myr_run **run);

/* All errors of the last function that failed, one per line; empty if none failed. Valid until the next call. */
MYR_API const char *myr_run_message(const myr_run *run);

/* Adds an override, "section.key=value", before the input is opened. The last one of a key counts. */
MYR_API myr_status myr_run_override(myr_run *run, const char *assignment);

/* Lets the run replace the results of an earlier run in its directory. */
MYR_API void myr_run_set_replace(myr_run *run, int replace);

/* Serves a live page of the run from myr_run_start or myr_run_restart on, to be called before these: can_steer = 1 lets
 * the page pause and stop it. Pages of this machine, such as a notebook, may show the page inside. docs/watch.md. */
MYR_API void myr_run_set_watch(myr_run *run, int can_steer);

/* Address of the live page, with the token that lets its reader in; "" if there is none. */
MYR_API const char *myr_run_watch_address(const myr_run *run);

/* Reads an input file with the overrides. Errors in the file are all reported, with line and column. */
MYR_API myr_status myr_run_open(myr_run *run, const char *path);

/* Continues the run in a directory from its last checkpoint, instead of myr_run_open and myr_run_start. */
MYR_API myr_status myr_run_restart(myr_run *run, const char *directory);

/* What a run will need. */
typedef struct {
    int64_t particles;
    double memory;                    /* bytes, of the whole process after the trial */
    double device_memory;             /* bytes, of a box on a GPU; 0 = no box is there */
    double snapshots, rows, frames;   /* numbers of snapshots, lines of diagnostics and frames of the trajectory */
    double snapshot_bytes;            /* each */
    double disk;                      /* bytes in all */
    double seconds;                   /* on the clock; NaN = unknown */
    int64_t trial_steps;              /* steps that were tried */
    double trial_seconds, trial_time; /* their time on the clock, and in the simulation */
} myr_run_estimate;

/* Makes the particles of an opened input and tries steps for about a second. Writes no file, and leaves the run as it
 * was. */
MYR_API myr_status myr_run_check(myr_run *run, myr_run_estimate *estimate);

/* Makes the particles and the simulation, locks the directory and writes the first outputs. Results of an earlier run
 * in the directory are an error, unless myr_run_set_replace allows to replace them. */
MYR_API myr_status myr_run_start(myr_run *run);

/* Makes one step or several, up to the next output, and writes what is due. *more = 0 if the run has reached its end or
 * has stopped: MYR_ERROR_CANCELLED if the listener asked for that; another error if a value is not finite or the energy
 * error exceeds its limit. After an error of a step myr_run_finish writes what a run leaves in that case. */
MYR_API myr_status myr_run_step(myr_run *run, int *more);

/* Writes the last outputs, the state of the run (run.json, summary.json, a checkpoint) and the report. A run that is
 * finished before its end has stopped: it can be continued. */
MYR_API myr_status myr_run_finish(myr_run *run);

/* Directory of the results, "" before the run has started; path of the report, "" if none was made. */
MYR_API const char *myr_run_directory(const myr_run *run);
MYR_API const char *myr_run_report_path(const myr_run *run);

/* Why the run stopped before its end; "" if it did not. */
MYR_API const char *myr_run_reason(const myr_run *run);

/* Exit code that `myriad run` has for this end of a run: 0 finished, 1 failed, 2 wrong input, 3 the motion went wrong,
 * 75 stopped on request. */
MYR_API int myr_run_exit_code(const myr_run *run);

/* Simulation of a run that has started, which the run owns; null before. */
MYR_API myr_simulation *myr_run_simulation(const myr_run *run);

/* Context of the run, from which its simulation is made. */
MYR_API myr_context *myr_run_context(const myr_run *run);

/* Effective input of a run as YAML: what was given and every default. Valid until the next call; null before the input
 * is opened. */
MYR_API const char *myr_run_input(myr_run *run);

/* Makes the report of the results in a directory, one HTML file: at `path`, or if null as report.html beside the
 * results. `other`: a second directory to compare with, or null. `megabytes`: room for the replay, 0 = none, negative =
 * the default. Needs a run for its messages only. */
MYR_API myr_status myr_run_report(myr_run *run, const char *directory, const char *other, const char *path,
                                  double megabytes);

/* --- live pages of simulations that their caller steps --- */

typedef struct myr_watch myr_watch;

/* Serves a live page of a simulation, on 127.0.0.1 alone and to whoever has its address. The page shows the particles,
 * and what is in `directory`, as a run leaves it: input.yaml, which has to be there, and diagnostics.csv. Pages of this
 * machine, such as a notebook, may show the page inside. Destroy it before the simulation. Needs a run for its messages
 * only. docs/watch.md. */
MYR_API myr_status myr_watch_create(myr_run *run, myr_simulation *simulation, const char *directory, myr_watch **watch);

/* Ends the page, and sets *watch to null. A null page is allowed. */
MYR_API void myr_watch_destroy(myr_watch **watch);

/* Address of the page, with the token that lets its reader in. */
MYR_API const char *myr_watch_address(const myr_watch *watch);

/* To be called between two steps: shows the state, at most ten times a second, and the particles, for at most 1 % of
 * the time. Where nobody looks this is one atomic load. `ends`: 1 = no step follows for now; the state is shown at
 * once. */
MYR_API myr_status myr_watch_look(myr_watch *watch, int ends);

MYR_END_DECLS

#endif
