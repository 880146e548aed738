/* run_checkpoint.c - checkpoints of a run: numbered files of which the last two stay, each with the effective input and
 * the counters of the outputs; and finding the newest one that is whole. */
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rank_roles.h"
#include "run/run.h"

enum { KEPT = 2, COUNTERS_TEXT = 4096, CANDIDATES = 64 };

static const char prefix[] = "checkpoint_";

/* --- counters as text, one per line; numbers in hexadecimal, so that they come back as they were
 * ---------------------- */

static const struct {
    const char *name;
    size_t offset;
    int integer;
    int is_new; /* checkpoints of earlier versions do not have it: none of it was written */
} counter_table[] = {
    {"snapshots", offsetof(run_counters, snapshots), 1, 0},
    {"checkpoints", offsetof(run_counters, checkpoints), 1, 0},
    {"csv_bytes", offsetof(run_counters, csv_bytes), 1, 0},
    {"rows", offsetof(run_counters, rows), 1, 0},
    {"start", offsetof(run_counters, start), 0, 0},
    {"seconds", offsetof(run_counters, seconds), 0, 0},
    {"last_row", offsetof(run_counters, last_row), 0, 0},
    {"last_snapshot", offsetof(run_counters, last_snapshot), 0, 0},
    {"energy", offsetof(run_counters, energy), 0, 0},
    {"momentum_x", offsetof(run_counters, momentum[0]), 0, 0},
    {"momentum_y", offsetof(run_counters, momentum[1]), 0, 0},
    {"momentum_z", offsetof(run_counters, momentum[2]), 0, 0},
    {"angular_x", offsetof(run_counters, angular[0]), 0, 0},
    {"angular_y", offsetof(run_counters, angular[1]), 0, 0},
    {"angular_z", offsetof(run_counters, angular[2]), 0, 0},
    {"vorticity_x", offsetof(run_counters, vorticity[0]), 0, 0},
    {"vorticity_y", offsetof(run_counters, vorticity[1]), 0, 0},
    {"vorticity_z", offsetof(run_counters, vorticity[2]), 0, 0},
    {"core", offsetof(run_counters, upkeep.core), 0, 0},
    {"renewed", offsetof(run_counters, upkeep.replaced), 1, 0},
    {"pruned", offsetof(run_counters, upkeep.pruned), 1, 0},
    {"pruned_strength", offsetof(run_counters, upkeep.pruned_strength), 0, 0},
    {"last_pruned", offsetof(run_counters, upkeep.last_look), 0, 0},
    {"probe_bytes", offsetof(run_counters, probe_bytes), 1, 0},
    {"worst", offsetof(run_counters, worst), 0, 0},
    {"spectra_bytes", offsetof(run_counters, spectra_bytes), 1, 0},
    {"last_spectrum", offsetof(run_counters, last_spectrum), 0, 0},
    {"fit_count", offsetof(run_counters, fit[0]), 0, 0},
    {"fit_time", offsetof(run_counters, fit[1]), 0, 0},
    {"fit_energy", offsetof(run_counters, fit[2]), 0, 0},
    {"fit_time2", offsetof(run_counters, fit[3]), 0, 0},
    {"fit_product", offsetof(run_counters, fit[4]), 0, 0},
    {"slope", offsetof(run_counters, slope), 0, 0},
    {"last_observed", offsetof(run_counters, last_observed), 0, 0},
    {"encounter_bytes", offsetof(run_counters, encounter_bytes), 1, 0},
    {"merged", offsetof(run_counters, merged), 1, 0},
    {"merge_energy", offsetof(run_counters, merge_energy), 0, 0},
    {"diagnostics_seconds", offsetof(run_counters, spent[RUN_SPENT_DIAGNOSTICS]), 0, 0},
    {"snapshots_seconds", offsetof(run_counters, spent[RUN_SPENT_SNAPSHOTS]), 0, 0},
    {"checkpoints_seconds", offsetof(run_counters, spent[RUN_SPENT_CHECKPOINTS]), 0, 0},
    {"encounters_seconds", offsetof(run_counters, spent[RUN_SPENT_ENCOUNTERS]), 0, 0},
    {"elements_seconds", offsetof(run_counters, spent[RUN_SPENT_ELEMENTS]), 0, 0},
    {"frames", offsetof(run_counters, frames), 1, 1},
    {"last_frame", offsetof(run_counters, last_frame), 0, 1},
    {"choosing", offsetof(run_counters, choosing), 1, 1},
    {"reversed", offsetof(run_counters, reversed), 1, 1},
    {"wall_x_low", offsetof(run_counters, wall[0][0]), 0, 1},
    {"wall_x_high", offsetof(run_counters, wall[0][1]), 0, 1},
    {"wall_y_low", offsetof(run_counters, wall[1][0]), 0, 1},
    {"wall_y_high", offsetof(run_counters, wall[1][1]), 0, 1},
    {"wall_z_low", offsetof(run_counters, wall[2][0]), 0, 1},
    {"wall_z_high", offsetof(run_counters, wall[2][1]), 0, 1},
    {"hash_bytes", offsetof(run_counters, hash_bytes), 1, 1},
    {"hashed", offsetof(run_counters, hashed), 1, 1},
};

enum { COUNTERS = sizeof counter_table / sizeof counter_table[0] };

static size_t counters_write(const run_counters *c, char text[COUNTERS_TEXT])
{
    size_t used = 0;
    for (int k = 0; k < COUNTERS; k++) {
        const void *at = (const char *)c + counter_table[k].offset;
        if (counter_table[k].integer)
            used += (size_t)snprintf(text + used, COUNTERS_TEXT - used, "%s %" PRId64 "\n", counter_table[k].name,
                                     *(const int64_t *)at);
        else
            used += (size_t)snprintf(text + used, COUNTERS_TEXT - used, "%s %a\n", counter_table[k].name,
                                     *(const double *)at);
    }
    return used;
}

/* Nonzero where a counter is missing. */
static int counters_read(const char *text, run_counters *c)
{
    for (int k = 0; k < COUNTERS; k++) {
        void *at = (char *)c + counter_table[k].offset;
        const size_t length = strlen(counter_table[k].name);
        if (strncmp(text, counter_table[k].name, length) != 0 || text[length] != ' ') {
            if (!counter_table[k].is_new)
                return 1;
            if (!counter_table[k].integer)
                *(double *)at = NAN;
            continue;
        }
        char *end;
        if (counter_table[k].integer)
            *(int64_t *)at = strtoll(text + length, &end, 10);
        else
            *(double *)at = strtod(text + length, &end);
        if (*end != '\n')
            return 1;
        text = end + 1;
    }
    return 0;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static const char *checkpoint_path(const run *r, int64_t number, char path[RUN_PATH])
{
    char name[48];
    snprintf(name, sizeof name, "%s%06" PRId64 ".myr", prefix, number);
    return run_path(r, name, path);
}

void run_remove_series(const run *r, const char *begins, const char *ends)
{
    char path[RUN_PATH];
    const size_t head = strlen(begins), tail = strlen(ends);
    DIR *directory = opendir(r->directory);
    for (const struct dirent *entry; directory && (entry = readdir(directory));) {
        const size_t length = strlen(entry->d_name);
        if (length >= head + tail && strncmp(entry->d_name, begins, head) == 0 &&
            strcmp(entry->d_name + length - tail, ends) == 0)
            remove(run_path(r, entry->d_name, path));
    }
    if (directory)
        closedir(directory);
}

/* The numbers of the checkpoints in the directory, newest first; gives how many. */
static int checkpoint_numbers(const run *r, int64_t number[CANDIDATES])
{
    int count = 0;
    DIR *directory = opendir(r->directory);
    for (const struct dirent *entry; directory && (entry = readdir(directory));) {
        char *end;
        if (strncmp(entry->d_name, prefix, sizeof prefix - 1) != 0 || count == CANDIDATES)
            continue;
        const int64_t value = strtoll(entry->d_name + sizeof prefix - 1, &end, 10);
        if (end == entry->d_name + sizeof prefix - 1 || strcmp(end, ".myr") != 0)
            continue;
        int at = count++;
        for (; at > 0 && number[at - 1] < value; at--)
            number[at] = number[at - 1];
        number[at] = value;
    }
    if (directory)
        closedir(directory);
    return count;
}

/* Removes every checkpoint but the last ones; more can be there where a run was killed before it came to this. */
static void remove_old(const run *r, int64_t newest)
{
    int64_t number[CANDIDATES];
    char path[RUN_PATH];
    const int count = checkpoint_numbers(r, number);
    for (int k = 0; k < count; k++)
        if (number[k] <= newest - KEPT)
            remove(checkpoint_path(r, number[k], path));
}

static int attach(run *r)
{
    char text[COUNTERS_TEXT], *bytes = NULL;
    size_t size = 0;
    run_counters now = r->counters;
    now.seconds = run_seconds(r);
    now.checkpoints++;
    FILE *memory = open_memstream(&bytes, &size);
    if (!memory)
        return cli_fail(CLI_FAILED, "no memory for a checkpoint");
    input_write(r->in, memory);
    int code = fclose(memory) ? cli_fail(CLI_FAILED, "no memory for a checkpoint") : CLI_OK;
    if (!code)
        code = cli_check(r->context, myr_simulation_attach(r->simulation, "input", bytes, size));
    free(bytes);
    if (!code)
        code = run_attach_encounters(r);
    if (!code)
        code = run_attach_observables(r);
    if (!code)
        code = run_attach_trajectory(r);
    const size_t length = counters_write(&now, text);
    if (!code)
        code = cli_check(r->context, myr_simulation_attach(r->simulation, "counters", text, length));
    return code;
}

int run_save(run *r)
{
    char path[RUN_PATH];
    r->is_whole = 0; /* it is on the disk then, or cannot be put there */
    /* Lines that the checkpoint counts must be on the disk before it is. */
    int code = run_table_sync(r, "diagnostics.csv", r->csv);
    if (!code)
        code = run_await_beside(r);
    if (!code)
        code = run_sync_spectra(r);
    if (!code)
        code = run_sync_probes(r);
    if (!code)
        code = run_sync_trajectory(r);
    if (!code)
        code = run_table_sync(r, RUN_HASHES, r->hashes_csv);
    if (!code)
        code = attach(r);
    if (code)
        return code;
    remove_old(r, r->counters.checkpoints - 1); /* what kills in a row left behind must not pile up */
    code = cli_check(r->context, myr_simulation_save(r->simulation, checkpoint_path(r, r->counters.checkpoints, path)));
    if (code)
        return code;
    remove_old(r, r->counters.checkpoints++);
    r->last_checkpoint = cli_seconds();
    run_tell(r, MYR_RUN_FILE, "checkpoint", path);
    return run_publish_trajectory(r, "running");
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* Settings that do not change the motion, which a run that is continued may set; run.reverse acts at a later step.
 * A stretch that is verified may only be computed in another way. */
static const struct {
    const char *key;
    int verified;
} settings[] = {
    {"run.end", 0},          {"run.steps", 0},          {"run.wall_time", 0},  {"run.energy_limit", 0},
    {"run.reverse", 0},      {"run.threads", 1},        {"run.exchange", 1},   {"run.balance", 1},
    {"output.snapshots", 0}, {"output.diagnostics", 0}, {"output.spectra", 0}, {"output.trajectory", 0},
    {"output.hash", 0},      {"output.checkpoint", 0},  {"output.report", 0},  {"backend.name", 1},
    {"backend.isa", 1},
};

static int check_assignments(const run *r)
{
    char list[512] = "";
    const int verified = r->stretch != NULL;
    for (int k = 0; k < r->options->set.count; k++) {
        const char *item = r->options->set.item[k];
        const size_t length = strcspn(item, "=");
        int found = 0;
        for (size_t a = 0; a < sizeof settings / sizeof *settings; a++)
            found |= (settings[a].verified || !verified) && strlen(settings[a].key) == length &&
                     strncmp(settings[a].key, item, length) == 0;
        for (size_t a = 0; a < sizeof settings / sizeof *settings && !found; a++)
            if (settings[a].verified || !verified)
                snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? ", " : "", settings[a].key);
        if (!found)
            return cli_fail(CLI_USAGE, "--set %s: a run that is %s can change %s; another backend may have other bits",
                            item, verified ? "verified" : "continued", list);
    }
    return CLI_OK;
}

/* The instruction set or backend that --set asks for; null = that of the checkpoint. */
static const char *asked_isa(const run *r)
{
    static const char *const key[] = {"backend.isa=", "backend.name="};
    const char *isa = NULL;
    for (int k = 0; k < r->options->set.count; k++)
        for (int a = 0; a < 2; a++)
            if (strncmp(r->options->set.item[k], key[a], strlen(key[a])) == 0)
                isa = r->options->set.item[k] + strlen(key[a]);
    return isa;
}

/* Returns 1 if --set asks for another backend, and not for an instruction set. */
static int chooses_backend(const run *r)
{
    const char *asked = asked_isa(r);
    for (int k = 0; asked && myr_backend(k); k++)
        if (strcmp(asked, myr_backend(k)->name) == 0)
            return 1;
    return 0;
}

/* The input and the counters that the program attached. */
static int take_attachments(run *r, const char *path)
{
    size_t input_size, text_size;
    const char *bytes = myr_simulation_attached(r->simulation, "input", &input_size);
    const char *text = myr_simulation_attached(r->simulation, "counters", &text_size);
    char copy[COUNTERS_TEXT + 1];
    if (!bytes || !text || text_size > COUNTERS_TEXT)
        return cli_fail(CLI_FAILED, "%s was not written by 'myriad run'", path);
    snprintf(copy, sizeof copy, "%.*s", (int)text_size, text);
    if (counters_read(copy, &r->counters))
        return cli_fail(CLI_FAILED, "%s was written by another version of the program", path);
    char name[RUN_PATH];
    const myr_interaction *f = myr_simulation_interaction(r->simulation);
    const char *kernel = f ? myr_kernel_source(r->context, myr_interaction_choice(f, "kernel"), NULL) : NULL;
    r->counters.upkeep.start = r->counters.start;
    args_list set = r->options->set;
    if (chooses_backend(r) && set.count < ARGS_LIST_MAX) /* the instruction set was that of the backend before */
        set.item[set.count++] = "backend.isa=auto";
    r->in = input_from_checkpoint(run_path(r, "input.yaml", name), bytes, input_size, &set, kernel);
    if (!r->in)
        return cli_fail(CLI_FAILED, "no memory");
    if (r->in->tree->errors == 0)
        return CLI_OK;
    tree_report(r->in->tree);
    return CLI_USAGE;
}

/* The next checkpoint to try, from rank 0 to all. */
static int restart_path(run *r, char path[RUN_PATH])
{
    return cli_check(r->context, myr_ranks_share(r->context, path, RUN_PATH));
}

/* Whether it makes sense to try the checkpoint before: not where it is fine, and so many ranks cannot go on with it, or
 * there is no memory or no GPU. */
static int restart_goes_back(myr_status status)
{
    return status != MYR_OK && status != MYR_ERROR_COMBINATION && status != MYR_ERROR_MEMORY &&
           status != MYR_ERROR_UNAVAILABLE;
}

/* Ranks that follow try what rank 0 tries; a checkpoint that one of them cannot use, nobody uses. */
static int restart_follow(run *r, char path[RUN_PATH])
{
    myr_status status;
    do {
        const int code = restart_path(r, path);
        if (code)
            return code;
        status = myr_simulation_load_for(r->context, path, asked_isa(r), &r->simulation);
    } while (restart_goes_back(status));
    return cli_check(r->context, status);
}

static int restart_lead(run *r, char path[RUN_PATH])
{
    int64_t number[CANDIDATES];
    int code = check_assignments(r);
    const int count = code ? 0 : checkpoint_numbers(r, number);
    if (!code && count == 0)
        return cli_fail(CLI_FAILED, "%s holds no checkpoint", r->directory);
    for (int k = 0; k < count && !code; k++) { /* newest first; to verify a long stretch, oldest first */
        checkpoint_path(r, number[r->stretch ? count - 1 - k : k], path);
        code = restart_path(r, path);
        if (code)
            break;
        const myr_status status = myr_simulation_load_for(r->context, path, asked_isa(r), &r->simulation);
        if (!restart_goes_back(status))
            return cli_check(r->context, status);
        progress_end(&r->progress);
        cli_fail(CLI_OK, "WARNING: the checkpoint %s cannot be used: %s", path, myr_context_message(r->context));
        if (k + 1 < count)
            cli_fail(CLI_OK,
                     r->stretch ? "WARNING: going on to the one after it" : "WARNING: going back to the one before it");
        else
            return cli_fail(CLI_FAILED, "%s holds no checkpoint that can be used", r->directory);
    }
    return code;
}

int run_restart(run *r)
{
    char path[RUN_PATH] = "";
    const int code = ranks_follows(r->context) ? restart_follow(r, path) : restart_lead(r, path);
    return code ? code : take_attachments(r, path);
}
