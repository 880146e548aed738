/* run.h - what the files of runs share: one run with its input, simulation, counters and outputs. */
#ifndef MYR_RUNS_RUN_H
#define MYR_RUNS_RUN_H

#include <stdio.h>

#include <myriad/elements.h>
#include <myriad/flow.h>
#include <myriad/observable.h>

#include "args_list.h"
#include "common.h"
#include "input/input.h"
#include "json.h"
#include "progress.h"
#include "results_lock.h"
#include "run/run_repeat.h"

/* Exit codes besides those of common.h. */
enum {
    RUN_BROKEN = 3,  /* not a finite number, energy error over its limit, step too small */
    RUN_DIFFERS = 4, /* the repetition of the run of a report has other bits */
    RUN_STOPPED = 75 /* stopped on request, with a checkpoint: can be continued */
};

enum { RUN_OBSERVABLES = 8, RUN_WORDS = ARGS_LIST_MAX + 2 };
enum { RUN_SWEEP_NAME = 48 };                  /* of the directory of a run of a sweep */
enum { RUN_PATH = 1024, RUN_DIRECTORY = 700 }; /* a name in a directory has up to 255 bytes */

typedef struct {
    const char *file, *restart;
    args_list set;
    const char *watch; /* null = nobody can look; "" = anybody with the token; "control" = and steer */
    int framed;        /* 1 = pages of this machine may show the live page inside */
    int64_t threads;
    int64_t sweep_run; /* number from 1 of a run of a sweep; 0 = it is none */
    int json, quiet, force;
    int words; /* of the command line, from "run" on */
    char *const *word;
} run_options;

enum { RUN_OUTPUTS = 8 };

/* Measured errors of the outputs of the kernel, or of all forces together. They are read after the kernel, which may be
 * the user's, is gone. */
typedef struct {
    char name[RUN_OUTPUTS][64]; /* empty past the last */
    myr_accuracy error[RUN_OUTPUTS];
} run_accuracy;

/* What the time on the clock goes into besides the steps. */
typedef enum {
    RUN_SPENT_DIAGNOSTICS,
    RUN_SPENT_SNAPSHOTS,
    RUN_SPENT_CHECKPOINTS,
    RUN_SPENT_ENCOUNTERS,
    RUN_SPENT_ELEMENTS, /* new ones in place of those that have drifted apart, and weak ones that go */
    RUN_SPENT
} run_spent;

enum { RUN_FIT = 5 };

/* What the outputs have done so far; kept in checkpoints, so that a run that is continued neither repeats nor skips. */
typedef struct {
    int64_t snapshots;                      /* written: the number of the next file */
    int64_t checkpoints;                    /* written */
    int64_t csv_bytes;                      /* length of diagnostics.csv */
    int64_t rows;                           /* lines of diagnostics in it */
    double start;                           /* time at which the run began */
    double seconds;                         /* on the clock, in all sessions before this one */
    double last_row, last_snapshot;         /* their times; NaN = none */
    double energy, momentum[3], angular[3]; /* at the start */
    double vorticity[3];                    /* at the start, of vortex elements */
    myr_upkeep_state upkeep;                /* of the rules that keep vortex elements fit, as of the last step */
    int64_t probe_bytes;                    /* length of probes.csv */
    double worst;                           /* largest relative error of the energy seen */
    int64_t spectra_bytes;                  /* length of spectra.csv */
    double last_spectrum;                   /* its time; NaN = none */
    double fit[RUN_FIT];                    /* sums over the lines of 1, t, E, t^2, t E; E and t from the start on */
    double slope;                           /* of a line through the energies: energy per time */
    int64_t frames;                         /* of the trajectory */
    double last_frame;                      /* time of the last of them; NaN = none */
    double last_observed;                   /* time of the last sample of observables; NaN = none */
    int64_t encounter_bytes;                /* length of encounters.csv */
    int64_t merged;                         /* bodies that are gone */
    double merge_energy;                    /* change of the energy by that */
    double spent[RUN_SPENT];                /* seconds on the clock, in all sessions */
    int64_t reversed;   /* step after which velocities were turned (run.reverse), plus 1; 0 = none */
    double wall[3][2];  /* impulses on walls at the last line of diagnostics */
    int64_t choosing;   /* the interval of diagnostics is automatic and not chosen by cost yet */
    int64_t hash_bytes; /* length of hashes.csv */
    int64_t hashed;     /* step of its last line, plus 1; 0 = none */
} run_counters;

/* What the particles of a run are. */
typedef enum {
    RUN_OF_BODIES = 1,
    RUN_OF_MESH = 2,        /* points that carry the velocity of a fluid */
    RUN_OF_BOX = 4,         /* particles in a box */
    RUN_OF_MOLECULE = 8,    /* atoms of a molecule */
    RUN_OF_ELEMENTS = 16,   /* vortex elements */
    RUN_OF_CUBE = 32,       /* vortex elements in a periodic cube: a flow that a mesh could carry */
    RUN_IN_FIELDS = 64,     /* with RUN_OF_BODIES: external fields act */
    RUN_IN_WALLS = 128,     /* with RUN_OF_BOX: there are walls */
    RUN_OF_CHARGES = 256,   /* with RUN_OF_BOX: charges act */
    RUN_IN_SOLVENT = 512,   /* with RUN_OF_MOLECULE: generalised Born acts */
    RUN_TO_REFERENCE = 1024 /* with RUN_OF_MOLECULE: its shape is compared with a reference */
} run_kind;

/* What the particles look like; NaN = there is no such thing. */
typedef struct {
    double lagrangian[3]; /* radii with 10, 50 and 90 % of the mass */
    double core_radius, closest_pair, escapers, tidal_radius, binaries;
    double hardest; /* binding energy of the hardest binary */
} run_structure;

/* Two bodies that are close to each other. */
typedef struct run_encounter run_encounter;

/* Time series of bodies. */
typedef struct run_trajectory run_trajectory;

/* Bodies with names. */
typedef struct {
    int64_t id;
    char name[MYR_PARTICLES_NAME_MAX + 1];
} run_name;
typedef struct {
    int64_t count;
    run_name *body;
} run_names;

/* What one line of diagnostics is made from. */
typedef struct {
    myr_conserved now;
    myr_thermodynamics box;          /* of particles in a box */
    myr_rank_report ranks;           /* how they are divided */
    double wall_pressure[3][2];      /* on walls, the mean since the last line of diagnostics; NaN = no wall */
    double term[MYR_MOLECULE_TERMS]; /* energies of a molecule */
    myr_structure shape;             /* of a molecule */
    double phi, psi;                 /* of its first residue between two others, in degrees */
    myr_progress progress;
    run_structure structure; /* of bodies */
    myr_flow flow;           /* of a fluid on a mesh */
    myr_vortices vortices;   /* of a fluid in vortex elements */
    double vorticity_error;  /* change of their total vorticity since the start */
    int64_t elements;        /* how many there are */
    int64_t tracers;         /* particles that move with them */
    myr_fitness fitness;
    int64_t renewed;   /* how often they were replaced */
    myr_solved solved; /* what it took to solve for their strengths */
    double iterations; /* of that, per evaluation */
    int64_t pruned;    /* weak ones that are gone */
    double pruned_strength;
    int64_t merged;
    double merge_energy;
    double energy_error, momentum_error, angular_error; /* against the start: relative, absolute, absolute */
    double seconds;                                     /* on the clock, all sessions */
} run_sample;

/* Where a run is. */
typedef enum {
    RUN_EMPTY,  /* no input */
    RUN_OPENED, /* an input, and no simulation */
    RUN_GOING,  /* steps can be made */
    RUN_OVER    /* nothing more is written */
} run_phase;

typedef struct myr_run run;

typedef struct run_stretch run_stretch;

/* Snapshots that are written beside the steps. */
typedef struct run_beside run_beside;

struct myr_run {
    messages heard;
    run_phase phase;
    run_options own;            /* of a run that no command line describes */
    const run_options *options; /* those, or those of the program */
    int words;                  /* texts that `own` points to: overrides and a path */
    char *word[RUN_WORDS];
    char *text;        /* the effective input, for myr_run_input */
    myr_status status; /* of the step that ended the run */
    input *in;
    myr_context *context;
    myr_simulation *simulation;
    progress progress;
    run_counters counters;
    char directory[RUN_DIRECTORY];
    char format[64]; /* of snapshots; "" = none */
    FILE *csv, *encounters_csv, *spectra_csv, *probes_csv, *hashes_csv;
    run_trajectory *trajectory; /* null = none */
    run_beside *beside;         /* null = no snapshot has been written beside the steps */
    run_names names;            /* of bodies; of a run that is continued only a few */
    myr_particles *probes;      /* null = none */
    int observables;
    myr_observable *observable[RUN_OBSERVABLES];
    const char *observable_kind[RUN_OBSERVABLES];
    run_encounter *encounter; /* those that last */
    int64_t encounters, encounter_room;
    double end;        /* time; 1e300 = none */
    int64_t steps;     /* of the whole run; -1 = no limit */
    int64_t made;      /* steps so far; the library counts them too, but tells only with all the rest */
    double began;      /* cli_seconds() when stepping began */
    double began_time; /* simulated time and steps then */
    int64_t began_steps, began_particle_steps;
    double last_checkpoint;   /* cli_seconds() */
    double row_processor;     /* processor seconds of a line of diagnostics, the first of this session */
    double steps_processor;   /* those of the process when stepping began */
    run_sample sample;        /* the last */
    myr_particles *reference; /* with which the shape of a molecule is compared; null = none, or not read yet */
    results_lock lock;        /* on the directory; of rank 0 */
    int is_whole;             /* between two steps, with something that the last checkpoint does not have */
    int parted;               /* ranks have failed and do nothing together any more */
    int has_good;             /* particles at the last diagnostic whose energy was within its limit, */
    myr_particles *good;      /* here; null = the simulation has kept them */
    double good_time;
    int64_t good_step;
    struct live *live; /* null = the run cannot be watched */
    double live_next;  /* cli_seconds() of the next state that is published */
    int live_paused;
    double live_pace;       /* seconds of a step in the last batch of steps; 0 = not known */
    int64_t live_batch;     /* steps in that batch */
    run_accuracy accuracy;  /* of the forces at the end */
    myr_rank_times times;   /* of several ranks */
    char hash[REPEAT_HASH]; /* of the last particles of a run that has finished; "" = none */
    run_stretch *stretch;   /* part of a run that is repeated from its checkpoint (run_verify.c); null = a run */
    repeat_parts repeat;    /* of the report whose run this one repeats; its input is null where there is none */
    char report[RUN_PATH];  /* the page that was made; "" = none */
    char reason[512];       /* why it stopped; "" = it reached its end */
    int code;               /* the exit code that goes with it */
};

/* Tells the listener of an event. */
void run_tell(run *r, myr_run_event event, const char *what, const char *path);

/* --- run.c: the parts of a run in their order; an exit code each --- */

/* Makes output.directory that of the results: auto becomes the input file's name without folders and ending. Run
 * `number` of a sweep has a directory inside, which the second function names; number 0 = it is no such run. */
int run_settle_directory(input *in, const char *file, int64_t number);
const char *run_sweep_name(const input *in, int64_t number, char name[RUN_SWEEP_NAME]);

int run_open(run *r);         /* reads the input */
int run_set_up(run *r);       /* from there to a simulation; or from the checkpoint of options->restart */
int run_begin(run *r);        /* the first outputs */
int run_start_motion(run *r); /* evaluates the first rates, and starts the clock */
int run_move(run *r);         /* steps to the next output, without the output; r->reason says if they went wrong */
int run_loop_once(run *r);    /* the same with outputs; r->reason says if it is the last one */
/* For runs whose simulations move together: time and number of steps of their next look, and what follows steps. */
void run_plan(const run *r, double *time, int64_t *steps);
int run_moved(run *r, int64_t steps, myr_status status);
void run_skip_due(run *r); /* counts outputs that are due as written, so that the next steps end where they would */
int run_is_finished(const run *r);
void run_take_end(run *r, const input *in); /* ends where the input says; null = nowhere */
int run_end(run *r);                        /* the last outputs, and the report */
void run_release(run *r);                   /* frees all but the context */

/* --- check.c --- */

typedef struct {
    myr_run_estimate need;
    int ranks;
    double rank_memory;    /* bytes, of the rank that needs most */
    run_accuracy accuracy; /* after the steps that were tried */
} run_estimate;

/* Tries what an input describes, which is settled by that. */
int run_check(input *in, const run_options *options, run_estimate *estimate);
/* The same with a context that may have joined ranks: all of them call it, and rank 0 has the estimate. */
int run_check_with(myr_context *context, input *in, const run_options *options, run_estimate *estimate);

/* Makes the library give times in messages in the unit of the input. */
int run_set_time_unit(const input *in, myr_context *context);

/* --- run_build.c: from an input to a simulation; errors are printed with their place in the file --- */

/* `names` receives those of bodies. */
int run_build(input *in, myr_context *context, run_names *names, myr_simulation **simulation);

/* What particles are of all: rows from `first` on. */
typedef struct {
    int64_t first, all;
    int is_part; /* other ranks have other rows */
} run_rows;

/* --- run_particles.c --- */

/* Makes the particles of the input's model: all of them; or, of a box on several ranks, each its rows, or rank 0 all of
 * them where the model is not made in rows. */
int run_build_model(input *in, myr_context *context, run_rows *rows, myr_particles **particles);

/* Reads the particles of the input's file, on several ranks as above, into the units of the run; `said` receives what
 * the file says besides. */
int run_build_file(input *in, myr_context *context, run_rows *rows, myr_particles **particles,
                   myr_snapshot_header *said);

/* --- run_sets.c --- */

/* Makes all particles of the input, from its model, its file or its list of them; on several ranks as above. */
int run_build_particles(input *in, myr_context *context, run_rows *rows, myr_particles **particles,
                        myr_snapshot_header *header);

/* --- run_molecular.c: particles in a box --- */

/* Gives particles the species of the input: types, by name where `header` has the names of a file's, and masses.
 * `rows`: which they are. */
int run_build_species(input *in, myr_context *context, myr_particles *particles, const myr_snapshot_header *header,
                      const run_rows *rows);

/* Gives the interaction the parameters of the species. */
int run_build_pairs(input *in, myr_context *context, myr_interaction *interaction);

/* Gives the simulation its box and what else particles in a box have; `header` says what the particles' file says. */
int run_build_box(input *in, myr_context *context, myr_simulation *simulation, const myr_snapshot_header *header);

/* Measures temperature, pressure and so on. */
int run_measure_box(run *r);

/* Goes downhill where the input asks for it, gives velocities, and evaluates the first forces. */
int run_start_box(input *in, myr_context *context, myr_simulation *simulation, int quiet);

/* --- run_field.c: flows on meshes that files hold --- */

/* Whether the particles' file is one, as the input says; reads it. */
int run_is_field(const input *in);
int run_read_field(input *in, myr_context *context, myr_particles **particles);

/* Makes what the method needs of a flow on a mesh and the file does not have: velocities, or vortex elements; the
 * header then says where its periodic cube is. */
int run_start_field(input *in, myr_context *context, myr_particles **particles, myr_snapshot_header *header);

/* A flow on a mesh as snapshots hold it: with vorticity and second invariant, without the vortex elements of the start.
 */
int run_derive_field(run *r, const myr_particles *now, myr_particles **derived);

/* --- run_build.c again --- */

/* The exit code for a status: an error of the input, at a node, with the library's sentence. */
int run_build_check(input *in, const tree_node *node, const myr_context *context, myr_status status);

/* The time at which a run that starts at `start` ends: run.end, or that of run.steps; NaN where nobody knows. */
double run_time_of_end(input *in, double start);

/* Writes what the automatic choices came to into the input. */
int run_settle(input *in, const myr_simulation *simulation);

/* The same for what a method has chosen in its first evaluation. */
int run_settle_method(input *in, const myr_interaction *f);

/* Puts settings that a measured error has changed since into the input; returns 1 if there were some. */
int run_settle_raised(input *in, const myr_interaction *f);

/* --- run_interval.c: the automatic interval of diagnostics, by its cost --- */

/* Before and after the first line of a session. */
void run_interval_begin(run *r);
void run_interval_measured(run *r);

/* Chooses a longer interval if lines would take too large a part of the run; once, when a line is due. */
int run_interval_choose(run *r);

/* --- run_output.c: the directory, snapshots and the final summary --- */

/* Makes a directory with those above it. */
int run_make_directories(const char *path);

/* Makes the directory and locks it, or refuses one that has results already or that another process writes into. */
int run_open_directory(run *r);

/* Refuses links and devices among the results of a run that is continued: the directory may be a stranger's, and a link
 * lead to a file of the user. */
int run_refuse_links(const run *r);

/* Removes what an earlier run left there; called after the first rates: a run that is refused removes nothing. */
int run_clear_directory(run *r);

/* Writes the effective input beside the results. */
int run_write_input(run *r);

/* Writes it again where choices of the method were made by the first step and not before it. */
int run_settle_late(run *r);

/* Writes a snapshot; name null = the next of the series; particles null = those of the simulation, with a name those
 * that it has kept. */
int run_write_snapshot(run *r, const myr_particles *particles, double time, const char *name);

/* Copies particles with all their fields into a set of `context`, without names. */
myr_status run_copy_particles(myr_context *context, const myr_particles *from, myr_particles **to);

/* --- run_beside.c --- */

enum { RUN_FIELDS = 64 }; /* most fields of a snapshot that the user can list */

/* Writes a snapshot from a copy in a thread of its own; 0 = not worth a thread, nothing was done. */
int run_write_beside(run *r, const myr_particles *particles, const char *path, const char *const *fields,
                     const myr_snapshot_header *header);

/* Waits for the thread, and tells of the file or of the error; the second function only where the thread has ended. */
int run_await_beside(run *r);
int run_look_beside(run *r);
void run_close_beside(run *r);

/* Writes how lists of neighbours fared, as of the last line of diagnostics; nothing where there are none. */
void run_write_lists(const run *r, json_writer *w);

/* Ewald sums of charges: what was chosen, as keys of the input, and with measured times as JSON. */
int run_settle_charges(input *in, const myr_simulation *simulation);
void run_write_charges(const run *r, json_writer *w);

/* Writes summary.json, which marks the run as finished. */
int run_write_summary(run *r);

/* --- run_facts.c: what it was made with and how it went --- */

/* Writes run.json: what the run was made with, its state (running, finished, stopped, failed), and in any state but
 * "running" how it went. On a disk that is full the file that is there is written over. */
int run_write_facts(run *r, const char *state);

/* --- run_hash.c --- */

#define RUN_HASHES "hashes.csv"

/* Hashes the particles as they are, into r->hash. */
int run_hash(run *r);

/* Whether the input asks for output.hash, and the step of the next one after this; INT64_MAX = none. */
int run_is_hashing(const run *r);
int64_t run_next_hash(const run *r);

/* Opens hashes.csv where the input asks for it: new, or cut back to what the counters say. Then its next line. */
int run_open_hashes(run *r);
int run_is_hash_due(const run *r);
int run_write_hash(run *r);

/* --- run_verify.c: a stretch of a run once more, from its checkpoint (run_verify.h) --- */

/* Reads the hashes of the directory, on rank 0; the step up to which steps are made next. */
int run_stretch_read(run *r);
int64_t run_stretch_next(const run_stretch *s);

/* --- run_repeat.c: the run of a report once more --- */

/* Opens options->file, a report. */
int run_open_repeat(run *r);

/* Says whether a repetition has the bits of the report, and gives the exit code. */
int run_compare_repeat(run *r);

/* --- run_accuracy.c: the error of the forces, and of the energy --- */

/* Measures the error of the forces on sampled particles; nothing where images of a box act on them. The grid of the
 * accumulator may be raised by that, so that it comes after the last checkpoint. */
int run_measure_accuracy(const input *in, myr_context *context, myr_simulation *simulation, run_accuracy *accuracy);

/* Says in a note if an error is larger than the positions and the rounding of contributions explain, and what to do. */
void run_warn_accuracy(const myr_simulation *simulation, const run_accuracy *accuracy);

/* Says in a note if the energy of bodies that is conserved has changed by more than 1e-3, and which step to shorten. */
void run_warn_energy(const run *r);

/* Writes the array "accuracy". */
void run_write_accuracy(const run_accuracy *accuracy, json_writer *w);

/* --- run_table.c: tables, which grow by whole lines --- */

/* Opens a table of the run: new where `bytes` is 0, otherwise cut back to so many bytes. A table that has fewer is
 * refused. */
int run_table_open(const run *r, const char *name, int64_t bytes, FILE **file);
/* Hands the lines to the system; `bytes` becomes the length of the table, and stays as it is where that fails. */
int run_table_flush(const run *r, const char *name, FILE *file, int64_t *bytes);
/* Puts the lines on the disk; nothing where `file` is null. */
int run_table_sync(const run *r, const char *name, FILE *file);
/* Says that the table cannot be written, with the error of the system. */
int run_table_failed(const run *r, const char *name);

/* --- run_failure.c --- */

/* Leaves a checkpoint where the state is whole, and a run.json with state "failed" and the first error; gives `code`.
 */
int run_fail(run *r, int code);

/* --- run_diagnostics.c: diagnostics.csv and diagnostics.hdf5 --- */

/* Opens diagnostics.csv: new, or cut back to what the counters say. */
int run_open_diagnostics(run *r);

/* Measures; the same with a line in the file, and a look at the energy. */
int run_measure(run *r);
int run_diagnose(run *r);

/* The drift of the energy of particles in a box: slope of a linear fit, relative, per 1000 steps; NaN = not known. */
double run_drift(const run *r);

/* Keeps a copy of the particles as they are: the state to leave behind should the run go wrong. */
int run_keep_good(run *r);

/* The columns of a line: how many, and name and dimension of one. */
int run_columns(const run *r);
const char *run_column(const run *r, int k, units_dimension *dimension);

/* --- run_structure.c --- */

/* Fills the sample's structure. */
int run_measure_structure(run *r, const myr_particles *now);

/* --- run_flow.c: what only a run of a fluid has --- */

run_kind run_kind_of(const run *r);

/* Nanoseconds of a molecule's or a box's time per day of steps on the clock, outputs not counted; NaN where the units
 * have no scale or nothing has moved. */
double run_pace(const run *r);

/* Fills in what only a molecule has: energies by term, and the torsions of its backbone. */
int run_measure_molecule(run *r);

/* Fills the sample's flow. */
int run_measure_flow(run *r, const myr_particles *now);

/* --- run_elements.c: what only vortex elements have; nothing where the input does not ask for it --- */

/* Gives the simulation its scheme of diffusion, stream, relaxation and tracers. */
int run_build_elements(input *in, myr_context *context, myr_simulation *simulation);

/* Fills in what only vortex elements have: fitness, tracers, weak ones. */
int run_measure_elements(run *r, const myr_particles *now);

/* Gives the simulation the input's rules for replacing and removing elements; `state` is that of a run that is
 * continued, null = it begins. */
int run_set_upkeep(run *r, const myr_upkeep_state *state);

/* After a step: lets the simulation apply these rules, and reports what it did. */
int run_keep_fit(run *r);

/* --- run_probes.c: nothing where the input does not ask for it --- */

/* Reads points from the file that a key names, in the run's units. */
int run_read_points(input *in, myr_context *context, key_id file, key_id format, myr_particles **points);

/* Makes the probes of a run that begins. */
int run_build_probes(input *in, myr_context *context, myr_simulation *simulation);

/* Opens probes.csv where that is written: new, or cut back to what the counters say. Then what there is now, with a
 * line of diagnostics, or beside a snapshot; and everything to the disk. */
int run_open_probes(run *r);
int run_write_probe_lines(run *r);
int run_write_probe_snapshot(run *r);
int run_sync_probes(const run *r);
void run_close_probes(run *r);

/* --- run_flow.c again --- */

/* Opens spectra.csv, where the run is one of a fluid and the input asks for it: new, or cut back to what the counters
 * say. Then the spectrum of now, and everything to the disk; nothing where there is no such file. */
int run_open_spectra(run *r);
int run_write_spectrum(run *r);
int run_sync_spectra(const run *r);

/* --- run_observables.c: averages of particles in a box; nothing where the input does not ask for them --- */

/* Makes the observables, with what a checkpoint kept of them. */
int run_open_observables(run *r);
void run_close_observables(run *r);

/* Takes a sample; writes the files; puts what has been summed into the next checkpoint. */
int run_observe(run *r);
int run_write_observables(run *r);
int run_attach_observables(run *r);

/* Column k of an observable in the units of the outputs, with its name and the label of its unit; null where memory is
 * short. Free it. */
double *run_observable_column(const run *r, int index, int k, char *name, char label[UNITS_MESSAGE]);

/* --- run_trajectory.c: trajectory.hdf5; nothing where the input does not ask for it --- */

/* Moves the names of particles to a list of their own: most formats of snapshots would lose them. */
int run_take_names(myr_particles *particles, run_names *names);
void run_free_names(run_names *names);

/* Keeps the names of a few bodies in checkpoints, and takes them from there. */
enum { RUN_NAMES_KEPT = 32 };
int run_keep_names(run *r);
int run_restore_names(run *r);

/* Whether the bodies that the input names are there, and not too many. */
int run_check_bodies(const input *in, const myr_particles *particles, const run_names *names);

/* Chooses the bodies of a new run, or takes those of the checkpoint; opens the file of frames, cut back to what the
 * counters say. */
int run_open_trajectory(run *r);

/* Adds a frame of now. */
int run_write_frame(run *r);

/* Makes trajectory.hdf5 of all frames so far; `state` is that of the run. Nothing where it has them all already. */
int run_publish_trajectory(run *r, const char *state);

/* Puts the bodies into the next checkpoint; puts the frames onto the disk; opens the file of frames once more, after
 * one could not be written. */
int run_attach_trajectory(run *r);
int run_sync_trajectory(const run *r);
int run_reopen_trajectory(run *r);

/* Closes the file of frames. */
void run_close_trajectory(run *r);

/* --- run_encounters.c: encounters.csv and merging; nothing where the input does not ask for it --- */

/* Opens encounters.csv: new, or cut back to what the counters say, with the encounters of the checkpoint. */
int run_open_encounters(run *r);

/* After a step: who is close, and who merges. */
int run_watch(run *r);

/* Whether that has anything to look at. */
int run_is_watching(const run *r);

/* Puts the encounters that last into the next checkpoint. */
int run_attach_encounters(run *r);

/* Closes the file; of a run that has finished, with those that last. */
int run_close_encounters(run *r, int finished);

/* --- run_ranks.c: what only a run on several ranks has --- */

/* Begins to count where the time of the ranks goes, and says where it went, when the steps are over. */
int run_start_clock(run *r);
int run_stop_clock(run *r);

/* Whether particles are divided among ranks. Writes what their times came to, and how they were divided. */
int run_is_divided(const run *r);
void run_write_ranks(const run *r, json_writer *w);

/* --- run_hdf5.c --- */

/* Makes diagnostics.hdf5 from diagnostics.csv, where this build can. */
int run_export_diagnostics(const run *r);

/* --- run_checkpoint.c --- */

/* Writes a checkpoint and removes all but the last two. */
int run_save(run *r);

/* Removes all files of the directory whose names begin and end like that. */
void run_remove_series(const run *r, const char *begins, const char *ends);

/* Loads the newest checkpoint of a directory that is whole, with its input and counters. */
int run_restart(run *r);

/* --- run.c again --- */

/* Relative path of a file of the run, in a buffer of RUN_PATH. */
const char *run_path(const run *r, const char *name, char path[RUN_PATH]);

/* Whether what is done at that interval is due: it was done last at `last`; NaN = never to be done. */
int run_is_due(const run *r, key_id id, double last);

/* The fraction that this session has done of what was left when it began; NaN if nothing says where the end is. */
double run_fraction(const run *r, const myr_progress *p);

/* Stops the run on a signal, or at the limit of time on the clock: r->reason says so. */
void run_check_requests(run *r);

/* --- run_live.c: those who watch; nothing where nobody can --- */

int run_live_open(run *r);
int run_live_look(run *r); /* between two steps: one atomic load where nobody looks */
/* Steps that may go at once: as many as they want where nobody looks, else so few that a command on the page is heard
 * within a tenth of a second, if a step is not longer, and one step where the run is paused. */
int64_t run_live_most(const run *r, int64_t most);
void run_live_made(run *r, int64_t steps, double seconds); /* a batch of steps, and how long it took */
void run_live_ending(run *r);                              /* before the last outputs */
void run_live_close(run *r);                               /* the page becomes the report */

/* --- run_public.c: what begins and ends every function of <myriad/run.h> --- */

/* Messages of this thread go to the listener of the run; gives who heard them until then, for run_leave. */
messages *run_enter(run *r);

/* The status of an exit code. */
myr_status run_leave(run *r, messages *before, int code);

/* --- run.c again --- */

/* Seconds on the clock in all sessions. */
double run_seconds(const run *r);

#endif
