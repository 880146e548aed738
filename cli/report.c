/* report.c - `myriad report DIR`: the page of a run, or of two side by side. */
#include "report/report.h"

#include <stddef.h>
#include <string.h>

#include "args.h"
#include "cli.h"
#include "json.h"
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
