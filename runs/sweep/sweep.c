/* sweep.c - the directory of a sweep: what it is for, and what became of each run. */
#include "sweep/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outfile.h"

static const char plan_file[] = "sweep.json";

static const char *const state_name[SWEEP_STATES] = {"waiting", "running", "finished", "stopped", "failed"};

const char *sweep_state_name(sweep_state state)
{
    return state_name[state];
}

int sweep_open(sweep *s, const char *file, const args_list *set)
{
    *s = (sweep){.file = file, .set = set};
    int code = input_load(file, set, &s->in);
    if (code)
        return code;
    if (!s->in->sweep)
        return cli_fail(CLI_USAGE,
                        "%s has no section sweep; expected for example 'sweep: {particles.seed: 1..8}', or --replicas",
                        file);
    s->runs = s->in->sweep->runs;
    code = sweep_check_values(file, set, s->in);
    if (!code)
        code = run_settle_directory(s->in, file, 0);
    if (!code)
        snprintf(s->directory, sizeof s->directory, "%s", input_of(s->in, KEY_output_directory)->text);
    return code;
}

void sweep_close(sweep *s)
{
    for (int64_t k = 0; s->item && k < s->runs; k++) {
        free(s->item[k].value);
        free(s->item[k].reason);
    }
    free(s->item);
    for (int c = 0; c < s->columns; c++)
        free(s->column[c]);
    results_lock_release(&s->lock);
    input_destroy(&s->in);
    *s = (sweep){0};
}

const char *sweep_path(const sweep *s, int64_t k, const char *name, char path[RUN_PATH])
{
    char number[RUN_SWEEP_NAME];
    snprintf(path, RUN_PATH, "%s/%s%s%s", s->directory, run_sweep_name(s->in, k + 1, number), name ? "/" : "",
             name ? name : "");
    return path;
}

const char *sweep_describe(const sweep *s, int64_t k, char text[SWEEP_TEXT])
{
    char value[INPUT_SWEPT_TEXT];
    size_t used = 0;
    text[0] = 0;
    for (int c = 0; c < s->in->sweep->keys && used < SWEEP_TEXT - 1; c++)
        used += (size_t)snprintf(text + used, SWEEP_TEXT - used, "%s%s = %s", c ? ", " : "", s->in->sweep->key[c].key,
                                 input_swept_text(s->in->sweep, c, k, value));
    return cli_plain(text);
}

int64_t sweep_count(const sweep *s, sweep_state state)
{
    int64_t count = 0;
    for (int64_t k = 0; k < s->runs; k++)
        count += s->item[k].state == state;
    return count;
}

/* --- what a run has left ------------------------------------------------------------------------------------------ */

tree *sweep_load_json(const char *path)
{
    tree *t = access(path, R_OK) == 0 ? tree_create(path) : NULL;
    if (t && (tree_load(t, path) || t->errors))
        tree_destroy(&t);
    return t;
}

static int column_of(sweep *s, const char *name)
{
    for (int c = 0; c < s->columns; c++)
        if (strcmp(s->column[c], name) == 0)
            return c;
    if (s->columns == SWEEP_COLUMNS || !(s->column[s->columns] = strdup(name)))
        return -1;
    return s->columns++;
}

/* The numbers of a summary. */
static int take_summary(sweep *s, sweep_item *item, const tree *summary)
{
    free(item->value);
    item->value = malloc(SWEEP_COLUMNS * sizeof *item->value);
    if (!item->value)
        return cli_fail(CLI_FAILED, "no memory for the results of %" PRId64 " runs", s->runs);
    for (int c = 0; c < SWEEP_COLUMNS; c++)
        item->value[c] = NAN;
    for (const tree_node *n = summary->root->first; n; n = n->next) {
        char *end = NULL;
        const double value = n->kind == TREE_SCALAR && !n->quoted ? strtod(n->text, &end) : NAN;
        const int c = !end || end == n->text || *end || isnan(value) ? -1 : column_of(s, n->key);
        if (c >= 0)
            item->value[c] = value;
    }
    return CLI_OK;
}

int sweep_look(sweep *s, int64_t k)
{
    char path[RUN_PATH];
    sweep_item *item = &s->item[k];
    tree *t = sweep_load_json(sweep_path(s, k, "summary.json", path));
    if (t) {
        const int code = take_summary(s, item, t);
        tree_destroy(&t);
        item->state = SWEEP_FINISHED;
        return code;
    }
    t = sweep_load_json(sweep_path(s, k, "run.json", path));
    const tree_node *state = t ? tree_find(t->root, "state") : NULL, *reason = t ? tree_find(t->root, "reason") : NULL;
    if (state && state->kind == TREE_SCALAR)
        item->state = strcmp(state->text, "failed") == 0 ? SWEEP_FAILED : SWEEP_STOPPED;
    if (reason && reason->kind == TREE_SCALAR && *reason->text && reason->quoted) {
        free(item->reason);
        item->reason = strndup(reason->text, SWEEP_REASON);
    }
    tree_destroy(&t);
    return CLI_OK;
}

int sweep_has_checkpoint(const sweep *s, int64_t k)
{
    char path[RUN_PATH];
    DIR *directory = opendir(sweep_path(s, k, NULL, path));
    int found = 0;
    for (const struct dirent *entry; directory && !found && (entry = readdir(directory));)
        found = cli_is_of_series(entry->d_name, "checkpoint_");
    if (directory)
        closedir(directory);
    return found;
}

/* --- the directory ------------------------------------------------------------------------------------------------ */

/* 64 bits that stand for the input and all values: FNV-1a. */
static uint64_t mix(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return (hash ^ '\n') * 0x100000001b3u;
}

static int fingerprint(const sweep *s, uint64_t *hash)
{
    char *text = NULL, value[INPUT_SWEPT_TEXT];
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return cli_fail(CLI_FAILED, "no memory for the input");
    input_write(s->in, memory);
    if (fclose(memory)) {
        free(text);
        return cli_fail(CLI_FAILED, "no memory for the input");
    }
    const input_sweep *swept = s->in->sweep;
    *hash = mix(0xcbf29ce484222325u, text);
    free(text);
    for (int k = 0; k < swept->keys; k++) {
        *hash = mix(*hash, swept->key[k].key);
        snprintf(value, sizeof value, "%d %" PRId64 " %" PRId64, swept->key[k].axis, swept->key[k].count,
                 swept->key[k].step);
        *hash = mix(*hash, value);
        for (int64_t v = 0; v < (swept->key[k].first_of ? swept->key[k].count : 1); v++)
            *hash = mix(*hash, input_swept_text(swept, k, input_swept_run(swept, k, v), value));
    }
    return CLI_OK;
}

static int write_plan(const sweep *s, const char *path, const char *mark)
{
    outfile file;
    const int code = outfile_open(&file, path);
    if (code)
        return code;
    json_writer w = {.out = file.out};
    json_open(&w, NULL, '{');
    json_text(&w, "program", "myriad");
    json_text(&w, "version", myr_version());
    json_text(&w, "file", s->file);
    json_integer(&w, "runs", s->runs);
    json_open(&w, "keys", '[');
    for (int k = 0; k < s->in->sweep->keys; k++)
        json_text(&w, NULL, s->in->sweep->key[k].key);
    json_close(&w);
    json_text(&w, "fingerprint", mark);
    json_finish(&w);
    return outfile_finish(&file);
}

/* Takes what marks a run as finished, or lets it be continued, from one directory of an earlier sweep. */
static void remove_marks(const char *directory)
{
    static const char *const names[] = {"summary.json", "run.json", "input.yaml", "report.html"};
    char path[RUN_PATH + 300];
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[k]);
        remove(path);
    }
    DIR *all = opendir(directory);
    for (const struct dirent *entry; all && (entry = readdir(all));) {
        if (!cli_is_of_series(entry->d_name, "checkpoint_"))
            continue;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        remove(path);
    }
    if (all)
        closedir(all);
}

/* All directories whose names are numbers: the earlier sweep may have had more runs. */
static void remove_earlier(const sweep *s)
{
    char path[RUN_PATH];
    DIR *all = opendir(s->directory);
    for (const struct dirent *entry; all && (entry = readdir(all));) {
        const size_t length = strlen(entry->d_name);
        if (length < 4 || length > 18 || strspn(entry->d_name, "0123456789") != length)
            continue;
        snprintf(path, sizeof path, "%s/%s", s->directory, entry->d_name);
        remove_marks(path);
    }
    if (all)
        closedir(all);
}

/* Whose plan the directory holds: 1 of another sweep, 0 of this one, -1 none. */
static int compare_plan(const sweep *s, const char *mark)
{
    char path[RUN_PATH];
    snprintf(path, sizeof path, "%s/%s", s->directory, plan_file);
    tree *t = sweep_load_json(path);
    const tree_node *before = t ? tree_find(t->root, "fingerprint") : NULL;
    const int whose = !t ? -1 : !(before && before->kind == TREE_SCALAR && strcmp(before->text, mark) == 0);
    tree_destroy(&t);
    return whose;
}

/* Whether the directory is free for this sweep, or holds a part of it. */
static int check_plan(const sweep *s, const char *mark, const char *advice, int force)
{
    char path[RUN_PATH];
    snprintf(path, sizeof path, "%s/input.yaml", s->directory);
    if (access(path, F_OK) == 0)
        return cli_fail(CLI_FAILED, "%s holds the results of one run; give another output.directory", s->directory);
    return !force && compare_plan(s, mark) == 1
               ? cli_fail(CLI_FAILED, "%s holds a sweep of another input or of other values; %s", s->directory, advice)
               : CLI_OK;
}

static int begin(const sweep *s, char mark[24])
{
    uint64_t hash = 0;
    int code = fingerprint(s, &hash);
    snprintf(mark, 24, "%016" PRIx64, hash);
    return code ? code : run_make_directories(s->directory);
}

int sweep_take_directory(sweep *s, int force)
{
    char mark[24], path[RUN_PATH];
    int code = begin(s, mark);
    if (!code)
        code = results_lock_take(s->directory, &s->lock);
    if (!code)
        code = check_plan(s, mark, "give --force to replace it, or output.directory", force);
    if (!code && force)
        remove_earlier(s);
    snprintf(path, sizeof path, "%s/%s", s->directory, plan_file);
    if (!code)
        code = write_plan(s, path, mark);
    if (!code && !(s->item = calloc((size_t)s->runs, sizeof *s->item)))
        code = cli_fail(CLI_FAILED, "no memory for %" PRId64 " runs", s->runs);
    for (int64_t k = 0; k < s->runs && !code; k++)
        code = sweep_look(s, k);
    return code;
}

int sweep_join_directory(const sweep *s, int64_t which)
{
    char mark[24], own[RUN_PATH], path[RUN_PATH];
    int code = begin(s, mark);
    if (!code)
        code = check_plan(s, mark,
                          "'myriad sweep' without --only and with --force replaces it; or give output.directory", 0);
    if (code || compare_plan(s, mark) == 0)
        return code;
    /* other jobs of the array write the same at the same time */
    snprintf(own, sizeof own, "%s/%s.%" PRId64, s->directory, plan_file, which);
    snprintf(path, sizeof path, "%s/%s", s->directory, plan_file);
    code = write_plan(s, own, mark);
    return !code && rename(own, path) ? cli_fail(CLI_FAILED, "%s cannot be written: %s", path, strerror(errno)) : code;
}
