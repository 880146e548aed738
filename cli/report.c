/* report.c - `myriad report DIR`: what a run has left, as one HTML file that needs nothing else. */
#include "report.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "json.h"
#include "outfile.h"

#define MEGABYTE 1e6

typedef struct {
    const char *directory, *output;
    double size;
    int64_t particles;
    int json, quiet;
} report_options;

#define AT(field) offsetof(report_options, field)
static const args_option report_table[] = {
    {"output", ARGS_WORD, AT(output), "FILE", "the page to write (DIR/report.html)", NULL, 0, 0},
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
        "needs no network. A run that was cut short or has damaged files gives a page that says so.",
    .operand = "DIR",
    .operand_text = "the directory of the run",
    .operand_offset = offsetof(report_options, directory),
    .options = report_table,
};

int report_make(const report_request *request, char path[REPORT_PATH])
{
    report *r = calloc(1, sizeof *r);
    outfile file = {0};
    if (!r)
        return cli_fail(CLI_FAILED, "no memory");
    r->directory = request->directory;
    r->replay_bytes = MEGABYTE * request->megabytes;
    r->most_drawn = request->most_drawn;
    int code = strlen(request->directory) > REPORT_PATH - REPORT_NAME - 2
                   ? cli_fail(CLI_USAGE, "the name of the directory is too long")
                   : CLI_OK;
    if (!code && myr_context_create(&r->context))
        code = cli_fail(CLI_FAILED, "no memory");
    if (!code) {
        progress_attach(&r->progress, r->context, request->quiet);
        myr_context_set_progress(r->context, NULL, NULL); /* the report knows how far it is */
        progress_begin(&r->progress, "report");
        code = report_read(r);
    }
    if (request->path)
        snprintf(path, REPORT_PATH, "%s", request->path);
    else
        snprintf(path, REPORT_PATH, "%s/report.html", request->directory);
    if (!code)
        code = outfile_open(&file, path);
    if (!code)
        code = report_page_write(file.out, r);
    if (code)
        outfile_discard(&file);
    else
        code = outfile_finish(&file);
    for (int k = 0; k < r->notes && !code && !request->quiet; k++)
        fprintf(stderr, "myriad: note: %s\n", r->note[k]);
    report_close(r);
    free(r);
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
    const int code = report_make(&(report_request){o.directory, o.output, o.size, o.particles, o.quiet}, path);
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
