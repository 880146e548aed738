/* report_read.c - the directory of a run: what it was, how it ended, which snapshots are there. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/report.h"

static const char series[] = "snapshot_";

void report_note(report *r, const char *format, ...)
{
    va_list args;
    char text[REPORT_NOTE];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (int k = 0; k < r->notes; k++) /* a file that is read twice is damaged once */
        if (strcmp(r->note[k], text) == 0)
            return;
    if (r->notes == REPORT_NOTES)
        return;
    if (r->notes == REPORT_NOTES - 1) /* the last one stands for all that follow */
        snprintf(text, sizeof text, "There is more of this kind.");
    memcpy(r->note[r->notes++], text, sizeof text);
}

/* --- run.json and summary.json: JSON is YAML too ------------------------------------------------------------------ */

/* A member of a map, or the one with that number of a list; null if there is none. */
static const tree_node *member_of(const tree_node *node, const char *name)
{
    if (node->kind == TREE_MAP)
        return tree_find(node, name);
    const tree_node *member = node->kind == TREE_LIST ? node->first : NULL;
    for (int64_t k = strtoll(name, NULL, 10); member && k > 0; k--)
        member = member->next;
    return member;
}

static const tree_node *member_at(const tree *t, const char *path)
{
    char part[REPORT_NAME];
    const tree_node *node = t ? t->root : NULL;
    while (node && *path) {
        const size_t length = strcspn(path, ".");
        snprintf(part, sizeof part, "%.*s", (int)length, path);
        node = member_of(node, part);
        path += length + (path[length] == '.');
    }
    return node;
}

static const char *text_at(const tree *t, const char *path)
{
    const tree_node *node = member_at(t, path);
    if (!node || node->kind != TREE_SCALAR || (!node->quoted && strcmp(node->text, "null") == 0))
        return NULL;
    return node->text;
}

const char *report_fact(const report *r, const char *path)
{
    return text_at(r->facts, path);
}

double report_number_at(const tree *t, const char *path)
{
    const char *text = text_at(t, path);
    char *end;
    const double value = text ? strtod(text, &end) : NAN;
    return text && end != text && !*end ? value : NAN;
}

const char *report_body_name(const report *r, int64_t id)
{
    char path[40];
    snprintf(path, sizeof path, "bodies.%lld", (long long)id);
    return report_fact(r, path);
}

double report_fact_number(const report *r, const char *path)
{
    return report_number_at(r->facts, path);
}

/* Fills a tree from a file of the directory; whether the file is there and whole. */
static int load_tree(const report *r, const char *name, tree **t)
{
    char path[REPORT_PATH];
    struct stat s;
    snprintf(path, sizeof path, "%s/%s", r->directory, name);
    *t = tree_create(path);
    if (!*t || stat(path, &s))
        return 0;
    return tree_load(*t, path) == 0 && (*t)->errors == 0;
}

/* --- the input ---------------------------------------------------------------------------------------------------- */

static char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "r");
    char *bytes = file ? malloc(TREE_BYTES_MAX + 1) : NULL;
    *size = bytes ? fread(bytes, 1, TREE_BYTES_MAX, file) : 0;
    if (bytes)
        bytes[*size] = 0;
    if (file)
        fclose(file);
    return bytes;
}

static int read_input(report *r)
{
    char path[REPORT_PATH];
    struct stat s;
    size_t size;
    const args_list nothing = {0};
    if (stat(r->directory, &s))
        return cli_fail(CLI_FAILED, "%s: %s", r->directory, strerror(errno));
    if (!S_ISDIR(s.st_mode))
        return cli_fail(CLI_FAILED, "%s is not a directory; give the one that 'myriad run' wrote its results to",
                        r->directory);
    snprintf(path, sizeof path, "%s/input.yaml", r->directory);
    if (stat(path, &s) && errno == ENOENT)
        return cli_fail(CLI_FAILED,
                        "%s holds no run: there is no input.yaml in it; give the directory that 'myriad run' "
                        "wrote its results to",
                        r->directory);
    r->input_text = read_whole(path, &size);
    if (!r->input_text)
        return cli_fail(CLI_FAILED, "%s cannot be read: %s", path, strerror(errno));
    r->in = input_from_bytes(path, r->input_text, size, &nothing);
    if (!r->in)
        return cli_fail(CLI_FAILED, "no memory");
    if (r->in->tree->errors) {
        tree_report(r->in->tree);
        return CLI_FAILED;
    }
    return CLI_OK;
}

/* --- snapshots ---------------------------------------------------------------------------------------------------- */

static int64_t snapshot_number(const char *name)
{
    return strtoll(name + sizeof series - 1, NULL, 10);
}

static int compare_names(const void *a, const void *b)
{
    const int64_t x = snapshot_number(a), y = snapshot_number(b);
    return x != y ? (x > y) - (x < y) : strcmp(a, b);
}

static int list_snapshots(report *r)
{
    int64_t room = 0;
    DIR *directory = opendir(r->directory);
    if (!directory)
        return cli_fail(CLI_FAILED, "%s cannot be read: %s", r->directory, strerror(errno));
    for (const struct dirent *entry; (entry = readdir(directory));) {
        if (!cli_is_of_series(entry->d_name, series) || strlen(entry->d_name) >= REPORT_NAME)
            continue;
        if (r->snapshots == room) {
            room = room ? 2 * room : 64;
            void *larger = realloc(r->snapshot, (size_t)room * sizeof *r->snapshot);
            if (!larger) {
                closedir(directory);
                return cli_fail(CLI_FAILED, "no memory for the names of the snapshots");
            }
            r->snapshot = larger;
        }
        snprintf(r->snapshot[r->snapshots++], REPORT_NAME, "%s", entry->d_name);
    }
    closedir(directory);
    if (r->snapshots > 0)
        qsort(r->snapshot, (size_t)r->snapshots, sizeof *r->snapshot, compare_names);
    return CLI_OK;
}

int report_snapshot(report *r, int64_t k, report_part part, report_shot *shot)
{
    char path[REPORT_PATH];
    myr_snapshot_header header = {0};
    snprintf(path, sizeof path, "%s/%s", r->directory, r->snapshot[k]);
    *shot = (report_shot){0};
    myr_status status = myr_snapshot_read_some(r->context, path, NULL, part.most < 0 ? INT64_MAX : part.most,
                                               part.fields, &shot->particles, &header, &shot->of);
    if (status == MYR_ERROR_MEMORY)
        return cli_check(r->context, status);
    if (status == MYR_OK && !myr_particles_component_const(shot->particles, "position", 2)) {
        myr_particles_destroy(&shot->particles);
        report_note(r, "%s was left out: it holds no positions in space.", r->snapshot[k]);
    } else if (status) {
        report_note(r, "%s was left out: %s.", r->snapshot[k], myr_context_message(r->context));
        myr_particles_destroy(&shot->particles);
    }
    memcpy(shot->box, header.box, sizeof shot->box);
    shot->time = header.time / units_bare(&r->in->units, UNITS_TIME);
    return CLI_OK;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static report_state find_state(const report *r)
{
    const char *state = report_fact(r, "state");
    if (r->summary)
        return REPORT_FINISHED;
    if (state && strcmp(state, "stopped") == 0)
        return REPORT_STOPPED;
    const int failed =
        state && (strcmp(state, "failed") == 0 || strcmp(state, "broken") == 0); /* of earlier versions */
    return failed ? REPORT_BROKEN : REPORT_CUT_SHORT;
}

int report_read(report *r)
{
    char path[REPORT_PATH];
    if (!tree_can_parse())
        return cli_fail(CLI_FAILED, "this build was made without libfyaml and cannot read the files of a run");
    int code = read_input(r);
    if (code)
        return code;
    if (!load_tree(r, "run.json", &r->facts))
        report_note(r, "run.json is missing or damaged: machine, command and timing are not known.");
    if (!load_tree(r, "summary.json", &r->summary))
        tree_destroy(&r->summary);
    r->state = find_state(r);
    snprintf(path, sizeof path, "%s/diagnostics.csv", r->directory);
    code = report_csv_read(r, path);
    return code ? code : list_snapshots(r);
}

void report_close(report *r)
{
    report_csv_free(&r->csv);
    free(r->snapshot);
    free(r->input_text);
    tree_destroy(&r->facts);
    tree_destroy(&r->summary);
    input_destroy(&r->in);
    myr_context_destroy(&r->context);
}
