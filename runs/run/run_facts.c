/* run_facts.c - run.json: what a run was made with, written when it begins, and how it went, added when it ends. It is
 * what a report needs besides the input, the diagnostics and the snapshots. */
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "host.h"
#include "outfile.h"
#include "run/run.h"

enum { DATE_TEXT = 32 };

static const char *const spent_name[RUN_SPENT] = {
    [RUN_SPENT_DIAGNOSTICS] = "diagnostics", [RUN_SPENT_SNAPSHOTS] = "snapshots",
    [RUN_SPENT_CHECKPOINTS] = "checkpoints", [RUN_SPENT_ENCOUNTERS] = "encounters",
    [RUN_SPENT_ELEMENTS] = "elements",
};

/* 1 if the particles of a box move on a GPU, which is the first one. */
static int is_box_on_gpu(const run *r)
{
    myr_box_device device;
    (void)myr_simulation_box_device(r->simulation, &device); /* the bytes are known even of a lost GPU */
    return device.bytes > 0;
}

/* A choice as it was made: what `auto` has taken. */
static const char *choice_made(const run *r, const char *key)
{
    const myr_interaction *f = myr_simulation_interaction(r->simulation);
    const int is_place = strcmp(key, "backend") == 0 || strcmp(key, "isa") == 0;
    return !f ? NULL : is_place && is_box_on_gpu(r) ? "cuda" : myr_interaction_choice(f, key);
}

/* The GPUs of a run that uses them. */
static void write_gpus(const run *r, json_writer *w)
{
    const char *backend = choice_made(r, "backend");
    const int is_used = backend && strcmp(backend, "cuda") == 0, most = is_box_on_gpu(r) ? 1 : INT_MAX;
    myr_gpu_info gpu;
    json_open(w, "gpus", '[');
    for (int k = 0; is_used && k < most && myr_machine_gpu(r->context, k, &gpu) == MYR_OK; k++)
        json_text(w, NULL, gpu.name);
    json_close(w);
}

static void write_machine(const run *r, json_writer *w)
{
    host_info host;
    host_describe(&host);
    json_open(w, "machine", '{');
    json_text(w, "processor", *host.processor ? host.processor : NULL);
    json_text(w, "system", *host.system ? host.system : NULL);
    json_integer(w, "cores", host.cores);
    json_integer(w, "memory", host.memory);
    write_gpus(r, w);
    json_close(w);
}

static void write_choices(const run *r, json_writer *w)
{
    static const char *const keys[] = {"kernel", "accumulator", "arithmetic", "method", "backend", "isa"};
    const myr_interaction *f = myr_simulation_interaction(r->simulation);
    json_open(w, "choices", '{');
    for (size_t k = 0; f && k < sizeof keys / sizeof keys[0]; k++)
        json_text(w, keys[k], choice_made(r, keys[k]));
    json_text(w, "integrator", myr_simulation_integrator(r->simulation));
    json_integer(w, "threads", myr_context_threads(r->context));
    json_integer(w, "ranks", myr_ranks_count(r->context));
    json_close(w);
}

/* Where the time went, in seconds of all sessions: the parts of a step, the outputs. */
static void write_spent(const run *r, json_writer *w)
{
    myr_progress p = {0};
    myr_simulation_progress(r->simulation, &p);
    json_number(w, "seconds", run_seconds(r));
    json_integer(w, "pairs", p.pairs);
    json_integer(w, "particle_steps", p.particle_steps);
    json_number(w, "ns_per_day", run_pace(r));
    json_open(w, "spent", '{');
    json_number(w, "forces", fmin(p.force_seconds, p.step_seconds));
    json_number(w, "steps", fmax(p.step_seconds - p.force_seconds, 0));
    for (int k = 0; k < RUN_SPENT; k++)
        json_number(w, spent_name[k], r->counters.spent[k]);
    json_close(w);
}

static void write_far(const myr_far_report *far, json_writer *w)
{
    json_open(w, "far", '{');
    json_number(w, "tolerance", far->tolerance);
    json_integer(w, "samples", far->samples);
    json_open(w, "error", '{');
    for (int k = 0; k < 3 && far->output[k]; k++)
        json_number(w, far->output[k], far->error[k]);
    json_close(w);
    json_integer(w, "near_pairs", far->near_pairs);
    if (far->mesh[0]) {
        json_integer(w, "mesh_x", far->mesh[0]);
        json_integer(w, "mesh_y", far->mesh[1]);
        json_integer(w, "mesh_z", far->mesh[2]);
        json_integer(w, "width", far->order);
    }
}

/* What a method other than direct did, as it was measured last: the error of its far field, or the pairs that it looked
 * at and those within the cutoff. */
static void write_method(const run *r, json_writer *w)
{
    const myr_interaction *f = myr_simulation_interaction(r->simulation);
    myr_far_report report;
    if (!f || strcmp(myr_interaction_choice(f, "method"), "direct") == 0 || myr_interaction_far(f, &report))
        return;
    if (report.within_pairs < 0) {
        write_far(&report, w);
    } else {
        json_open(w, "near", '{');
        json_integer(w, "pairs_looked_at", report.near_pairs);
        json_integer(w, "pairs_within", report.within_pairs);
    }
    json_integer(w, "cells", report.cells);
    json_open(w, "seconds", '{'); /* of the last evaluation */
    for (int k = 0; k < 12 && report.part[k]; k++)
        json_number(w, report.part[k], report.seconds[k]);
    json_close(w);
    json_close(w);
}

static const char *date_now(char text[DATE_TEXT])
{
    const time_t now = time(NULL);
    struct tm parts;
    if (!gmtime_r(&now, &parts) || strftime(text, DATE_TEXT, "%Y-%m-%d %H:%M UTC", &parts) == 0)
        text[0] = 0;
    return text;
}

/* Names of a few bodies by their ids. */
static void write_names(const run *r, json_writer *w)
{
    char id[24];
    if (r->names.count < 1 || r->names.count > RUN_NAMES_KEPT)
        return;
    json_open(w, "bodies", '{');
    for (int64_t k = 0; k < r->names.count; k++) {
        snprintf(id, sizeof id, "%lld", (long long)r->names.body[k].id);
        json_text(w, id, r->names.body[k].name);
    }
    json_close(w);
}

static void write_facts(run *r, const char *state, int how_it_went, FILE *out)
{
    char date[DATE_TEXT];
    results_writer self;
    results_writer_self(&self);
    json_writer w = {.out = out};
    json_open(&w, NULL, '{');
    json_text(&w, "program", "myriad");
    json_text(&w, "version", myr_version());
    json_text(&w, "build", myr_version_build());
    json_text(&w, "state", state);
    json_text(&w, "reason", r->reason[0] ? r->reason : NULL);
    if (strcmp(state, "running") != 0)
        json_integer(&w, "code", r->code);
    json_text(&w, "host", self.host);
    json_integer(&w, "process", self.process);
    json_text(&w, "written", date_now(date));
    json_boolean(&w, "continued", r->options->restart != NULL);
    json_open(&w, "command", '[');
    json_text(&w, NULL, "myriad");
    for (int k = 0; k < r->options->words; k++)
        json_text(&w, NULL, r->options->word[k]);
    json_close(&w);
    json_integer(&w, "particles", myr_simulation_count(r->simulation));
    write_names(r, &w);
    write_machine(r, &w);
    write_choices(r, &w);
    if (how_it_went) {
        json_text(&w, "final_hash", r->hash[0] ? r->hash : NULL);
        write_spent(r, &w);
        if (input_is_molecular(r->in))
            json_number(&w, "energy_drift", run_drift(r)); /* relative, per 1000 steps */
        run_write_lists(r, &w);
        run_write_ranks(r, &w);
        run_write_accuracy(&r->accuracy, &w);
        write_method(r, &w);
    }
    json_finish(&w);
}

/* The file as text, to be freed by the caller; null if memory is short. */
static char *facts_text(run *r, const char *state, int how_it_went, size_t *size)
{
    char *bytes = NULL;
    FILE *memory = open_memstream(&bytes, size);
    if (!memory)
        return NULL;
    write_facts(r, state, how_it_went, memory);
    if (fclose(memory) == 0)
        return bytes;
    free(bytes);
    return NULL;
}

static int write_new(const char *path, const char *bytes, size_t size)
{
    outfile file;
    const int code = outfile_open(&file, path);
    if (code)
        return code;
    fwrite(bytes, 1, size, file.out);
    return outfile_finish(&file);
}

/* Writes over the beginning of the file that is there, which needs no room on the disk. */
static int write_over(const char *path, const char *bytes, size_t size)
{
    const int d = open(path, O_WRONLY | O_CLOEXEC);
    if (d < 0)
        return CLI_FAILED;
    const int failed = pwrite(d, bytes, size, 0) != (ssize_t)size || ftruncate(d, (off_t)size) || fsync(d);
    close(d);
    return failed ? CLI_FAILED : CLI_OK;
}

int run_write_facts(run *r, const char *state)
{
    char path[RUN_PATH];
    size_t size = 0;
    const int is_failed = strcmp(state, "failed") == 0;
    char *bytes = facts_text(r, state, strcmp(state, "running") != 0, &size);
    int code =
        bytes ? write_new(run_path(r, "run.json", path), bytes, size) : cli_fail(CLI_FAILED, "no memory for run.json");
    free(bytes);
    if (!code || !is_failed)
        return code;
    bytes = facts_text(r, state, 0, &size); /* about as long as that of the state "running" */
    code = bytes ? write_over(run_path(r, "run.json", path), bytes, size) : CLI_FAILED;
    free(bytes);
    return code;
}
