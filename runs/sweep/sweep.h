/* sweep.h - many runs of one input file: their directories, what became of each, and the table of all.
 *
 * The runs themselves are ordinary ones in directories 0001, 0002, ... of the sweep's directory; nothing but these
 * directories says how far a sweep is, so that it can be continued after any end. */
#ifndef MYR_RUNS_SWEEP_H
#define MYR_RUNS_SWEEP_H

#include "results_lock.h"
#include "run/run.h"

enum { SWEEP_COLUMNS = 64, SWEEP_REASON = 200 };

#define SWEEP_MANY 100000.0 /* runs that have to be meant */

typedef enum { SWEEP_WAITING, SWEEP_RUNNING, SWEEP_FINISHED, SWEEP_STOPPED, SWEEP_FAILED, SWEEP_STATES } sweep_state;

/* A run. */
typedef struct {
    sweep_state state;
    double *value; /* SWEEP_COLUMNS numbers of summary.json; null = it has not finished */
    char *reason;  /* why it failed or stopped; null = not known */
} sweep_item;

typedef struct {
    const char *file;
    const args_list *set;
    input *in; /* of the first run */
    int64_t runs;
    char directory[RUN_DIRECTORY];
    sweep_item *item;
    int columns; /* numbers of summaries that were found */
    char *column[SWEEP_COLUMNS];
    const char *wanted; /* names of columns with commas between; null = all */
    results_lock lock;
} sweep;

/* Reads the input, checks every value of its section sweep, and names the directory. Prints errors and gives the exit
 * code. */
int sweep_open(sweep *s, const char *file, const args_list *set);
void sweep_close(sweep *s);

/* Makes and locks the directory. One that holds another sweep, or a run, is refused; `force`: the results of an earlier
 * sweep are removed. */
int sweep_take_directory(sweep *s, int force);

/* The same for one run of an array of jobs, `which`, beside others: nothing is locked, and nothing removed. */
int sweep_join_directory(const sweep *s, int64_t which);

/* The path of a file of run k, from 0; that of its directory where the name is null. */
const char *sweep_path(const sweep *s, int64_t k, const char *name, char path[RUN_PATH]);

/* Reads a file of JSON; null where it is not there or damaged. */
tree *sweep_load_json(const char *path);

/* Reads from its directory how run k ended. */
int sweep_look(sweep *s, int64_t k);

/* Whether run k has a checkpoint to go on from. */
int sweep_has_checkpoint(const sweep *s, int64_t k);

/* "particles.seed = 3, interaction.eps = 0.01" */
enum { SWEEP_TEXT = 400 };
const char *sweep_describe(const sweep *s, int64_t k, char text[SWEEP_TEXT]);

/* How many runs are in a state; and its name. */
int64_t sweep_count(const sweep *s, sweep_state state);
const char *sweep_state_name(sweep_state state);

/* Whether a column is wanted. */
int sweep_is_wanted(const sweep *s, const char *column);

/* Writes sweep.csv. */
int sweep_write_table(const sweep *s);

/* --- report_sweep.c: the page --- */

/* Writes sweep.html, which compares the runs that have finished; `path` becomes its path. */
int report_sweep_make(const sweep *s, int quiet, char path[RUN_PATH]);

/* --- sweep_together.c: the section replicas, and sweeps of stars on a GPU --- */

typedef struct {
    int force, quiet, json;
    int (*stop)(void *user, int signal, const char **by); /* as in myr_run_listener */
    void *user;
} sweep_together_options;

/* Whether the runs of a section sweep can move together on a GPU: stars by direct sums with backend cuda that differ in
 * bodies and in parameters of kernel and integrator. */
int sweep_can_move_together(const sweep *s);

/* Moves all runs that have not finished, and ends them; writes sweep.csv, and exchange.json where they exchange
 * temperatures. Gives the exit code. */
int sweep_together(sweep *s, const sweep_together_options *o);

/* --- sweep_check.c --- */

/* Whether every value of every key makes sense beside the first values of the others. */
int sweep_check_values(const char *file, const args_list *set, const input *in);

/* What all runs need together, from trials of the first, the middle and the last. */
typedef struct {
    int64_t runs;
    int tried;
    double memory, disk, seconds; /* largest of one run; of all; of all, one after the other, NaN = not known */
    run_estimate first;
} sweep_estimate;
int sweep_check(const run_options *options, input *in, sweep_estimate *estimate);

#endif
