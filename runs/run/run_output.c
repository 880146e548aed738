/* run_output.c - the directory of a run: the effective input, snapshots, the summary that marks it as finished. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outfile.h"
#include "run/run.h"

const char *run_path(const run *r, const char *name, char path[RUN_PATH])
{
    snprintf(path, RUN_PATH, "%s/%s", r->directory, name);
    return path;
}

static int exists(const run *r, const char *name)
{
    char path[RUN_PATH];
    return access(run_path(r, name, path), F_OK) == 0;
}

int run_make_directories(const char *path)
{
    char part[RUN_PATH];
    for (size_t k = 1; path[k - 1]; k++) {
        if (path[k] != '/' && path[k])
            continue;
        snprintf(part, sizeof part, "%.*s", (int)k, path);
        if (mkdir(part, 0777) && errno != EEXIST)
            return cli_fail(CLI_FAILED, "%s: the directory cannot be made: %s", part, strerror(errno));
    }
    struct stat s;
    if (stat(path, &s) || !S_ISDIR(s.st_mode))
        return cli_fail(CLI_FAILED, "%s: not a directory", path);
    if (access(path, W_OK | X_OK))
        return cli_fail(CLI_FAILED, "%s: the directory cannot be written to: %s", path, strerror(errno));
    return CLI_OK;
}

/* What a run leaves when it ends, or when it is killed: a run that is continued writes these again. */
static void remove_ends(const run *r)
{
    char path[RUN_PATH];
    remove(run_path(r, "summary.json", path));
    remove(run_path(r, "report.html", path));
    run_remove_series(r, "checkpoint_", ".partial");
    run_remove_series(r, "snapshot_", ".partial");
    run_remove_series(r, "trajectory", ".partial");
}

/* Whether a file of this name is a result of a run. */
static int is_result(const char *name)
{
    static const char *const names[] = {"summary.json",   "input.yaml",      "diagnostics.csv", "diagnostics.hdf5",
                                        "encounters.csv", "spectra.csv",     "probes.csv",      "run.json",
                                        "report.html",    "trajectory.hdf5", "trajectory.rows", RUN_HASHES};
    static const char *const series[] = {"checkpoint_", "snapshot_", "probes_", "last_good"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strcmp(name, names[k]) == 0)
            return 1;
    for (size_t k = 0; k < sizeof series / sizeof series[0]; k++)
        if (strncmp(name, series[k], strlen(series[k])) == 0)
            return 1;
    for (int k = 0; myr_observable_kind(k); k++) {
        const char *kind = myr_observable_kind(k)->name;
        if (strncmp(name, kind, strlen(kind)) == 0 && strcmp(name + strlen(kind), ".csv") == 0)
            return 1;
    }
    return 0;
}

/* All results of an earlier run, so that none of them is taken for this one's. */
static void remove_results(const run *r)
{
    char path[RUN_PATH];
    DIR *directory = opendir(r->directory);
    for (const struct dirent *entry; directory && (entry = readdir(directory));)
        if (is_result(entry->d_name))
            remove(run_path(r, entry->d_name, path));
    if (directory)
        closedir(directory);
}

/* Whether the run has written this file before: it is not written again, and may have been moved, with a link to it. */
static int is_kept(const run *r, const char *name)
{
    static const char *const series[] = {"snapshot_", "probes_"};
    for (size_t k = 0; k < sizeof series / sizeof series[0]; k++)
        if (cli_is_of_series(name, series[k]) && atoll(name + strlen(series[k])) < r->counters.snapshots)
            return 1;
    return 0;
}

int run_refuse_links(const run *r)
{
    int code = CLI_OK;
    DIR *directory = opendir(r->directory);
    for (const struct dirent *entry; directory && !code && (entry = readdir(directory));) {
        char path[RUN_PATH];
        struct stat s;
        if ((!is_result(entry->d_name) && !cli_is_pipeline(entry->d_name)) || is_kept(r, entry->d_name) ||
            lstat(run_path(r, entry->d_name, path), &s) || S_ISREG(s.st_mode))
            continue;
        code = cli_fail(
            CLI_FAILED, "%s is %s, which the run would write to; expected a file: put it there, or remove %s",
            cli_plain(path), S_ISLNK(s.st_mode) ? "a link" : "no file", S_ISLNK(s.st_mode) ? "the link" : "it");
    }
    if (directory)
        closedir(directory);
    return code;
}

/* Whether results of an earlier run are in the way. */
static int check_results(const run *r)
{
    if (!exists(r, "input.yaml") || r->options->force)
        return CLI_OK;
    if (exists(r, "summary.json"))
        return cli_fail(CLI_FAILED, "%s holds a finished run; give --force to replace it, or output.directory",
                        r->directory);
    return cli_fail(CLI_FAILED,
                    "%s holds a run that is not finished; continue it with 'myriad run --restart %s', or "
                    "give --force to replace it",
                    r->directory, r->directory);
}

int run_open_directory(run *r)
{
    results_writer writer;
    int code = run_make_directories(r->directory);
    if (code || r->lock.held) /* a run that is continued has locked it before it read */
        return code;
    if (results_lock_test(r->directory, &writer) > 0)
        return results_lock_refuse(r->directory, &writer);
    code = check_results(r);
    if (!code)
        code = results_lock_take(r->directory, &r->lock);
    if (!code)
        code = check_results(r); /* once more: nothing can change from here on */
    return code;
}

int run_clear_directory(run *r)
{
    if (r->options->restart)
        remove_ends(r);
    else
        remove_results(r);
    return CLI_OK;
}

/* A kernel that the user wrote is copied beside the effective input, which then names the copy. */
static int write_kernel(run *r)
{
    char name[96], path[RUN_PATH];
    const char *from, *text = input_kernel_source(r->in, &from);
    outfile file;
    if (!text)
        return CLI_OK;
    snprintf(name, sizeof name, "%s.pipe", r->in->kernel.name);
    int code = outfile_open(&file, run_path(r, name, path));
    if (code)
        return code;
    fputs(text, file.out);
    code = outfile_finish(&file);
    return code ? code : input_settle(r->in, KEY_interaction_kernel, "%s", name);
}

int run_write_input(run *r)
{
    char path[RUN_PATH];
    outfile file;
    int code = write_kernel(r);
    if (!code)
        code = run_settle_method(r->in, myr_simulation_interaction(r->simulation));
    if (!code)
        code = outfile_open(&file, run_path(r, "input.yaml", path));
    if (code)
        return code;
    fprintf(file.out, "# The input of this run with every default and automatic choice; myriad %s.\n", myr_version());
    char label[UNITS_MESSAGE];
    fprintf(file.out, "# G = %.17g%s%s in the units of the run.\n", r->in->units.gravity,
            *units_label(&r->in->units, UNITS_GRAVITY, label) ? " " : "",
            units_label(&r->in->units, UNITS_GRAVITY, label));
    const myr_interaction *f = myr_simulation_interaction(r->simulation);
    const myr_kernel_info *kernel = f ? myr_kernel_known(r->context, myr_interaction_choice(f, "kernel")) : NULL;
    for (int k = 0; kernel && k < 8 && kernel->output[k].name; k++) {
        int exponent;
        if (myr_interaction_scale(f, kernel->output[k].name, &exponent) == MYR_OK)
            fprintf(file.out, "# The accumulator's grid for '%s' holds contributions below 2^%d.\n",
                    kernel->output[k].name, exponent - 1);
    }
    input_write(r->in, file.out);
    return outfile_finish(&file);
}

int run_settle_late(run *r)
{
    const int before = input_is(r->in, KEY_interaction_leaf, "auto"); /* every method with a tree chooses it */
    const int code = before ? run_settle_method(r->in, myr_simulation_interaction(r->simulation)) : CLI_OK;
    const int settled = before && !input_is(r->in, KEY_interaction_leaf, "auto");
    const int raised = !code && run_settle_raised(r->in, myr_simulation_interaction(r->simulation));
    return code || !(settled || raised) ? code : run_write_input(r);
}

/* --- snapshots ---------------------------------------------------------------------------------------------------- */

static const char *format_ending(const char *format)
{
    myr_snapshot_format_info info;
    return myr_snapshot_format_describe(format, &info) ? info.ending : format;
}

/* The fields that the user wants, ended by null; null = all. The words are cut out of `buffer`. */
static const char *const *wanted_fields(const run *r, char *buffer, size_t size, const char **field)
{
    const input_value *fields = input_of(r->in, KEY_output_fields);
    if (!fields->text || fields->word)
        return NULL;
    snprintf(buffer, size, "%s", fields->text);
    int count = 0;
    for (char *word = strtok(buffer, " "); word && count < RUN_FIELDS; word = strtok(NULL, " "))
        field[count++] = word;
    field[count] = NULL;
    return field;
}

myr_status run_copy_particles(myr_context *context, const myr_particles *from, myr_particles **to)
{
    const int64_t n = myr_particles_count(from);
    myr_status status = myr_particles_create(context, n, to);
    if (!status)
        status = myr_particles_set_ids(*to, myr_particles_ids(from));
    if (!status)
        status = myr_particles_set_types(*to, myr_particles_types(from));
    for (int k = 0; !status && k < myr_particles_fields(from); k++) {
        const char *name = myr_particles_field_name(from, k);
        const int components = myr_particles_field_components(from, k);
        status = myr_particles_add_field(*to, name, components);
        for (int c = 0; !status && c < components; c++)
            memcpy(myr_particles_component(*to, name, c), myr_particles_component_const(from, name, c),
                   (size_t)n * sizeof(double));
    }
    return status;
}

int run_write_snapshot(run *r, const myr_particles *particles, double time, const char *name)
{
    char path[RUN_PATH], file[96], buffer[1024];
    const char *field[RUN_FIELDS + 1];
    if (!r->format[0])
        return CLI_OK;
    const int before = run_await_beside(r);
    if (before)
        return before;
    if (name)
        snprintf(file, sizeof file, "%s.%s", name, format_ending(r->format));
    else
        snprintf(file, sizeof file, "snapshot_%05" PRId64 ".%s", r->counters.snapshots, format_ending(r->format));
    myr_snapshot_header header = {
        .time = time,
        .step = name ? r->good_step : myr_simulation_steps(r->simulation),
        .unit_length = r->in->units.si[0],
        .unit_mass = r->in->units.si[1],
        .unit_time = r->in->units.si[2],
        .unit_charge = r->in->units.si[3],
        .program = "myriad",
    };
    myr_simulation_box(r->simulation, header.box, header.origin);
    myr_particles *derived = NULL;
    const char *const *fields = wanted_fields(r, buffer, sizeof buffer, field);
    int code = run_kind_of(r) == RUN_OF_MESH ? run_derive_field(r, particles, &derived) : CLI_OK;
    run_path(r, file, path);
    const int beside = !code && !name && !derived && run_write_beside(r, particles, path, fields, &header);
    if (!code && !particles)
        code = cli_check(r->context, (name ? myr_simulation_write_kept
                                           : myr_simulation_write)(r->simulation, path, r->format, fields, &header));
    else if (!code && !beside)
        code =
            cli_check(r->context, myr_snapshot_write(derived ? derived : particles, path, r->format, fields, &header));
    myr_particles_destroy(&derived);
    if (code)
        return code;
    if (!name) {
        r->counters.snapshots++;
        r->counters.last_snapshot = time;
    }
    if (!beside) /* else told when it is there */
        run_tell(r, MYR_RUN_FILE, "snapshot", path);
    return CLI_OK;
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

void run_write_lists(const run *r, json_writer *w)
{
    const myr_thermodynamics *t = &r->sample.box;
    const double length = units_bare(&r->in->units, UNITS_LENGTH);
    if (!input_is_molecular(r->in) || t->rebuilds == 0)
        return;
    json_integer(w, "lists_built", t->rebuilds);
    json_number(w, "list_lifetime", t->list_lifetime);
    json_number(w, "skin", t->skin / length);
    json_number(w, "list_margin", t->list_margin / length);
    json_integer(w, "particles_reordered", t->reorders);
    run_write_charges(r, w);
    myr_box_device device;
    if (myr_simulation_box_device(r->simulation, &device) || device.bytes == 0)
        return;
    json_number(w, "device_memory_bytes", device.bytes);
    json_number(w, "device_step_seconds", device.step_seconds);
    json_number(w, "device_list_seconds", device.list_seconds);
    json_number(w, "device_rest_seconds", device.rest_seconds);
}

static void summarise_box(const run *r, json_writer *w)
{
    const myr_thermodynamics *t = &r->sample.box;
    json_number(w, "temperature", t->temperature / units_bare(&r->in->units, UNITS_TEMPERATURE));
    json_number(w, "pressure", t->pressure / units_bare(&r->in->units, UNITS_PRESSURE));
    json_number(w, "density", t->density / units_bare(&r->in->units, UNITS_NUMBER_DENSITY));
    json_number(w, "energy_drift", run_drift(r)); /* relative, per 1000 steps */
    run_write_lists(r, w);
    json_integer(w, "displacement_tests", t->displacement_tests);
    json_integer(w, "volume_trials", t->volume_trials);
    json_integer(w, "volume_moves", t->volume_moves);
}

int run_write_summary(run *r)
{
    char path[RUN_PATH];
    outfile file;
    const int code = outfile_open(&file, run_path(r, "summary.json", path));
    if (code)
        return code;
    const run_sample *s = &r->sample;
    const units_system *u = &r->in->units;
    const double bare_energy = units_bare(u, UNITS_ENERGY);
    json_writer w = {.out = file.out};
    json_open(&w, NULL, '{');
    json_text(&w, "program", "myriad");
    json_text(&w, "version", myr_version());
    json_text(&w, "build", myr_version_build());
    json_number(&w, "start", units_shown(u, UNITS_TIME, r->counters.start));
    json_number(&w, "time", units_shown(u, UNITS_TIME, myr_simulation_time(r->simulation)));
    json_integer(&w, "steps", s->progress.steps);
    json_integer(&w, "particle_steps", s->progress.particle_steps);
    json_integer(&w, "pairs", s->progress.pairs);
    json_number(&w, "seconds", run_seconds(r));
    json_number(&w, "step_seconds", s->progress.step_seconds);
    json_number(&w, "force_seconds", s->progress.force_seconds);
    /* at the end and at the start: the quantity that energy_error compares, in a bath the conserved one if there is */
    const int conserved = input_is_molecular(r->in) && !isnan(s->box.conserved);
    json_number(&w, "energy", (conserved ? s->box.conserved : s->now.energy) / bare_energy);
    /* in a field that turns the counter is the Jacobi integral */
    const int turns = (run_kind_of(r) & RUN_IN_FIELDS) && s->now.jacobi != s->now.energy;
    json_number(&w, "energy_start", turns ? NAN : r->counters.energy / bare_energy);
    if (turns) {
        json_number(&w, "jacobi", s->now.jacobi / bare_energy);
        json_number(&w, "jacobi_start", r->counters.energy / bare_energy);
    }
    json_number(&w, "energy_error", s->energy_error);
    json_number(&w, "worst_energy_error", r->counters.worst);
    json_number(&w, "momentum_error", s->momentum_error);
    json_number(&w, "angular_momentum_error", s->angular_error);
    if (input_is_molecular(r->in))
        summarise_box(r, &w);
    json_integer(&w, "merged", r->counters.merged);
    json_number(&w, "merge_energy", r->counters.merge_energy);
    json_integer(&w, "snapshots", r->counters.snapshots);
    if (r->trajectory)
        json_integer(&w, "frames", r->counters.frames);
    json_integer(&w, "diagnostics", r->counters.rows);
    json_finish(&w);
    return outfile_finish(&file);
}
