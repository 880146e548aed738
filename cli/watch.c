/* watch.c - `myriad watch DIR`: the live page of a run from its files. It only reads; DIR may be a stranger's. */
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "args.h"
#include "cli.h"
#include "json.h"
#include "live/live.h"
#include "results_lock.h"
#include "signals.h"

#define TEXT_MOST (256L << 20)   /* bytes of a file of text or a table */
#define SNAPSHOT_MOST (1L << 36) /* bytes of a snapshot */
enum { ENTRIES_MOST = 100000, POLL_MILLISECONDS = 250 };

typedef struct {
    const char *directory;
    live *page;
    int64_t stamp; /* changes with the files */
    char snapshot[REPORT_NAME];
    report_state written; /* as the files tell, which cannot know whether a process goes on */
    report_state state;   /* with what the lock tells */
    int told;             /* something was published */
    double first_time;    /* when this watch saw the run for the first time, and how far it was */
    double first_fraction;
} watcher;

static const args_option watch_table[] = {{0}};

static const args_table watch_args = {
    .command = "watch",
    .text =
        "Serves a live page of a run that goes on already, or has ended, from its files; reads only. It tells a run\n"
        "that goes on, one whose process is gone and one that has finished apart. SIGINT ends it. The page is served\n"
        "on this machine alone, to whoever has the address that is printed. 'myriad run FILE --watch' shows a run\n"
        "from inside, with every step.",
    .operand = "DIR",
    .operand_text = "the directory of the run",
    .operand_offset = offsetof(watcher, directory),
    .options = watch_table,
};

/* Looks at one entry of the directory: only plain files of a sensible size are read. */
static int check_entry(const watcher *w, int descriptor, const char *name, int64_t *stamp)
{
    struct stat s;
    if (fstatat(descriptor, name, &s, AT_SYMLINK_NOFOLLOW) || S_ISDIR(s.st_mode))
        return CLI_OK;
    char shown[REPORT_NAME];
    snprintf(shown, sizeof shown, "%s", name);
    cli_plain(shown);
    if (!S_ISREG(s.st_mode))
        return cli_fail(CLI_FAILED, "%s/%s is no plain file; myriad watch follows no links and reads no devices",
                        w->directory, shown);
    const int is_snapshot = cli_is_of_series(name, "snapshot_") || strstr(name, ".hdf5") || strstr(name, ".ckpt");
    if (s.st_size > (is_snapshot ? SNAPSHOT_MOST : TEXT_MOST) && strcmp(name, "report.html") != 0)
        return cli_fail(CLI_FAILED, "%s/%s is larger than myriad watch reads (%ld MB)", w->directory, shown,
                        (is_snapshot ? SNAPSHOT_MOST : TEXT_MOST) >> 20);
    *stamp = *stamp * 31 + (int64_t)s.st_size + (int64_t)s.st_mtim.tv_nsec + 1000003 * (int64_t)s.st_mtim.tv_sec;
    return CLI_OK;
}

/* Checks all entries; `stamp` becomes a number that changes with them. */
static int scan(const watcher *w, int64_t *stamp)
{
    DIR *directory = opendir(w->directory);
    int64_t entries = 0;
    uint64_t sum = 0;
    int code = CLI_OK;
    if (!directory)
        return cli_fail(CLI_FAILED, "%s cannot be read; give the directory that 'myriad run' wrote its results to",
                        w->directory);
    for (const struct dirent *entry; !code && (entry = readdir(directory));) {
        int64_t one = 0;
        if (++entries > ENTRIES_MOST)
            code = cli_fail(CLI_FAILED, "%s has more than %d entries", w->directory, ENTRIES_MOST);
        else
            code = check_entry(w, dirfd(directory), entry->d_name, &one);
        sum += (uint64_t)one; /* in any order of the entries */
    }
    closedir(directory);
    *stamp = (int64_t)(sum & 0xffffffffffff); /* a whole number for JavaScript too */
    return code;
}

static report_state state_of(const watcher *w, report_state written)
{
    results_writer writer;
    const int held = results_lock_test(w->directory, &writer);
    if (held > 0)
        return REPORT_RUNNING;
    return written != REPORT_CUT_SHORT ? written : held < 0 ? REPORT_CUT_SHORT : REPORT_DEAD;
}

/* The fraction of the run that is done, by its time or by its number of steps; NaN if nothing says where the end is. */
static double fraction_of(const report *r, double first, double time, double step)
{
    const input_value *end = r->in ? input_of(r->in, KEY_run_end) : NULL;
    const input_value *steps = r->in ? input_of(r->in, KEY_run_steps) : NULL;
    double f = NAN;
    if (end && !end->word)
        f = (time - first) / (units_shown(&r->in->units, UNITS_TIME, end->number) - first);
    if (steps && !steps->word && steps->integer > 0)
        f = fmax(f, step / (double)steps->integer); /* the greater, if there are both */
    return f < 0 ? 0 : f > 1 ? 1 : f;
}

/* Step, time, fraction done, and the time left at the pace since this watch began. */
static void write_progress(watcher *w, const report *r, json_writer *j)
{
    const int time = report_csv_column(&r->csv, "time"), step = report_csv_column(&r->csv, "step");
    const int64_t last = r->csv.rows - 1;
    char label[UNITS_MESSAGE];
    if (time < 0 || last < 0)
        return;
    const double now = cli_seconds(), at = report_csv_value(&r->csv, last, time);
    const double steps = step < 0 ? NAN : report_csv_value(&r->csv, last, step);
    const double f = fraction_of(r, report_csv_value(&r->csv, 0, time), at, steps);
    if (!w->told || isnan(w->first_fraction)) {
        w->first_time = now;
        w->first_fraction = f;
    }
    if (!isnan(steps))
        json_integer(j, "step", (int64_t)steps);
    json_number(j, "time", at);
    if (r->in)
        json_text(j, "unit", units_label(&r->in->units, UNITS_TIME, label));
    json_number(j, "fraction", w->state == REPORT_FINISHED ? 1 : f);
    if (w->state == REPORT_RUNNING && f > w->first_fraction)
        json_number(j, "left", (now - w->first_time) * (1 - f) / (f - w->first_fraction));
}

static void publish(watcher *w, const report *r)
{
    static const char *const words[] = {
        [REPORT_FINISHED] = "finished", [REPORT_STOPPED] = "stopped", [REPORT_BROKEN] = "failed",
        [REPORT_CUT_SHORT] = "unknown", [REPORT_RUNNING] = "running", [REPORT_DEAD] = "dead"};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    json_writer j = {.out = out, .compact = 1};
    json_open(&j, NULL, '{');
    json_text(&j, "state", words[w->state]);
    json_boolean(&j, "from_files", 1);
    write_progress(w, r, &j);
    json_integer(&j, "page", w->stamp);
    json_integer(&j, "frame", live_frame_number(w->page));
    json_boolean(&j, "control", 0);
    json_text(&j, "reason", report_fact(r, "reason"));
    json_finish(&j);
    fclose(out);
    if (text)
        live_publish(w->page, text, w->stamp, w->state);
    w->told = 1;
    free(text);
}

/* The newest snapshot, if it is another than the last. */
static void show_snapshot(watcher *w, report *r)
{
    report_shot shot;
    const double start = cli_seconds();
    const char *name = r->snapshots ? r->snapshot[r->snapshots - 1] : "";
    if (strcmp(name, w->snapshot) == 0 || !*name)
        return;
    if (report_snapshot(r, r->snapshots - 1, (report_part){.most = LIVE_DRAWN}, &shot) || !shot.particles)
        return;
    live_take(w->page, shot.particles, shot.of, shot.time, start);
    snprintf(w->snapshot, sizeof w->snapshot, "%s", name);
    myr_particles_destroy(&shot.particles);
}

/* The report of a run that has finished, made anew: what a stranger has left as one is not shown. */
static void make_report(watcher *w)
{
    char folder[] = "/tmp/myriad_watch_XXXXXX", path[64], made[REPORT_PATH];
    if (!mkdtemp(folder))
        return;
    snprintf(path, sizeof path, "%s/report.html", folder);
    const report_request request = {.directory = w->directory, .path = path, .megabytes = REPORT_MEGABYTES, .quiet = 1};
    if (report_make(&request, made) == CLI_OK)
        live_report(w->page, path);
    unlink(path);
    rmdir(folder);
}

/* Reads what has changed; the exit code where the directory cannot be shown. */
static int look(watcher *w)
{
    int64_t stamp = 0;
    int code = scan(w, &stamp);
    if (code || (w->told && stamp == w->stamp && state_of(w, w->written) == w->state))
        return code;
    report *r = calloc(1, sizeof *r);
    if (!r || myr_context_create(&r->context)) {
        free(r);
        return cli_fail(CLI_FAILED, "no memory");
    }
    r->directory = w->directory;
    code = report_read(r);
    const report_state before = w->state;
    if (!code) {
        w->stamp = stamp;
        w->written = r->state;
        w->state = state_of(w, w->written);
        if (!report_is_flow(r))
            show_snapshot(w, r);
        if (w->state == REPORT_FINISHED && (before != REPORT_FINISHED || !w->told))
            make_report(w);
        publish(w, r);
    }
    report_close(r);
    free(r);
    return w->told ? CLI_OK : code; /* a file that is being written is read again */
}

static int watch(watcher *w)
{
    const struct timespec poll = {.tv_nsec = POLL_MILLISECONDS * 1000000L};
    int64_t stamp;
    int code = strlen(w->directory) > REPORT_PATH - REPORT_NAME - 2
                   ? cli_fail(CLI_USAGE, "the name of the directory is too long")
                   : scan(w, &stamp);
    if (!code)
        code = live_open(w->directory, 0, &w->page);
    signals_listen();
    while (!code && signals_count() == 0) {
        code = look(w);
        if (!code)
            nanosleep(&poll, NULL);
    }
    live_close(&w->page);
    return code;
}

int cli_watch(int argc, char **argv)
{
    watcher w = {.written = REPORT_CUT_SHORT, .state = REPORT_CUT_SHORT};
    switch (args_parse(&watch_args, argc, argv, &w)) {
    case ARGS_HELPED:
        return CLI_OK;
    case ARGS_WRONG:
        return CLI_USAGE;
    case ARGS_GO:
        break;
    }
    return watch(&w);
}
