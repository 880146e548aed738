/* report.c - `myriad report DIR`: what a run has left, as one HTML file that needs nothing else; of two runs, side by
 * side. */
#include "report/report.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "json.h"
#include "outfile.h"
#include "results_lock.h"

#define MEGABYTE 1e6

typedef struct {
    const char *directory, *other, *output;
    double size;
    int64_t particles;
    int json, quiet;
} report_options;

#define AT(field) offsetof(report_options, field)
static const args_option report_table[] = {
    {"output", ARGS_WORD, AT(output), "FILE", "the page to write (DIR/report.html; of two runs DIR/comparison.html)",
     NULL, 0, 0},
    {"size", ARGS_NUMBER, AT(size), "MB", "what the replay may add to the page; 0 = no replay (12)", NULL, 0, 1e4},
    {"particles", ARGS_INTEGER, AT(particles), "N", "particles of the replay at most (as many as fit)", NULL, 1, 1e9},
    {"json", ARGS_FLAG, AT(json), NULL, "print JSON", NULL, 0, 0},
    {"quiet", ARGS_FLAG, AT(quiet), NULL, "print errors only", NULL, 0, 0},
    {0},
};
#undef AT

static const args_table report_args = {
    .command = "report",
    .text =
        "Makes one HTML file from the results of a run: what was run and with what, plots, projections, a replay in\n"
        "three dimensions, where the time went, the measured error of the forces, and how to repeat it. The page\n"
        "needs no network. A run that was cut short or has damaged files gives a page that says so.\n"
        "With two directories: both runs in the same plots, and pictures of both flows and of their difference.",
    .operand = "DIR",
    .operand_text = "the directory of the run",
    .operand_offset = offsetof(report_options, directory),
    .second = "DIR",
    .second_text = "that of a run to compare it with",
    .second_offset = offsetof(report_options, other),
    .second_optional = 1,
    .options = report_table,
};

/* Reads the results of a run. */
static int open_report(const report_request *request, const char *directory, report **made)
{
    report *r = *made = calloc(1, sizeof *r);
    if (!r || myr_context_create(&r->context))
        return cli_fail(CLI_FAILED, "no memory");
    r->directory = directory;
    r->replay_bytes = MEGABYTE * request->megabytes;
    r->most_drawn = request->most_drawn;
    if (strlen(directory) > REPORT_PATH - REPORT_NAME - 2)
        return cli_fail(CLI_USAGE, "the name of the directory is too long");
    progress_attach(&r->progress, r->context, request->quiet);
    myr_context_set_progress(r->context, NULL, NULL); /* the report knows how far it is */
    progress_begin(&r->progress, "report");
    return report_read(r);
}

static void close_report(report **r)
{
    if (*r)
        report_close(*r);
    free(*r);
    *r = NULL;
}

/* The page of one run, or of two. What cannot be written to the file, outfile_finish says. */
static int write_page(FILE *out, report *const r[2])
{
    markup *page = markup_create(out);
    if (!page)
        return cli_fail(CLI_FAILED, "no memory");
    int code = r[1] ? report_compare_write(page, r) : report_page_write(page, r[0]);
    if (!code && markup_failed(page) && !ferror(out))
        code = cli_fail(CLI_FAILED, "a part of the page is missing in this program");
    markup_destroy(&page);
    return code;
}

int report_make(const report_request *request, char path[REPORT_PATH])
{
    report *r[2] = {NULL, NULL};
    outfile file = {0};
    int code = open_report(request, request->directory, &r[0]);
    if (!code && request->other)
        code = open_report(request, request->other, &r[1]);
    if (request->path)
        snprintf(path, REPORT_PATH, "%s", request->path);
    else
        snprintf(path, REPORT_PATH, "%s/%s.html", request->directory, request->other ? "comparison" : "report");
    if (!code)
        code = outfile_open(&file, path);
    if (!code)
        code = write_page(file.out, r);
    if (code)
        outfile_discard(&file);
    else
        code = outfile_finish(&file);
    for (int run = 0; run < 2; run++) {
        for (int k = 0; r[run] && k < r[run]->notes && !code && !request->quiet; k++)
            cli_note(r[run]->note[k]);
        close_report(&r[run]);
    }
    return code;
}

static int file_size(const char *path, int64_t *size)
{
    FILE *file = fopen(path, "r");
    *size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (file)
        fclose(file);
    return *size < 0;
}

/* A page among results is written only where no run writes; elsewhere results may be read while they grow. */
static int lock_results(const report_options *o, results_lock *lock)
{
    char directory[REPORT_PATH];
    results_writer writer;
    if (!o->output)
        return results_lock_take(o->directory, lock);
    const char *slash = strrchr(o->output, '/');
    const int length = slash == o->output ? 1 : slash ? (int)(slash - o->output) : 1;
    snprintf(directory, sizeof directory, "%.*s", length, slash ? o->output : ".");
    return results_lock_test(directory, &writer) > 0 ? results_lock_refuse(directory, &writer) : CLI_OK;
}

int cli_report(int argc, char **argv)
{
    report_options o = {.size = REPORT_MEGABYTES};
    char path[REPORT_PATH];
    int64_t size = 0;
    switch (args_parse(&report_args, argc, argv, &o)) {
    case ARGS_HELPED:
        return CLI_OK;
    case ARGS_WRONG:
        return CLI_USAGE;
    case ARGS_GO:
        break;
    }
    results_lock lock = {0};
    int code = lock_results(&o, &lock);
    if (!code)
        code = report_make(&(report_request){o.directory, o.other, o.output, o.size, o.particles, o.quiet}, path);
    results_lock_release(&lock);
    if (code || file_size(path, &size))
        return code;
    if (o.json) {
        json_writer w = {.out = stdout};
        json_open(&w, NULL, '{');
        json_text(&w, "report", path);
        json_integer(&w, "bytes", size);
        json_finish(&w);
    } else if (!o.quiet) {
        printf("%s (%.1f MB)\n", path, (double)size / MEGABYTE);
    }
    return CLI_OK;
}
