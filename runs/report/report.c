/* report.c - the report: what a run has left, as one HTML file that needs nothing else; of two runs, side by
 * side. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "outfile.h"

#define MEGABYTE 1e6

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

/* Where the page goes. A directory may be a stranger's, and a link in it lead to a file of the user. */
static int choose_path(const report_request *request, char path[REPORT_PATH])
{
    struct stat s;
    if (request->path) {
        snprintf(path, REPORT_PATH, "%s", request->path);
        return CLI_OK;
    }
    snprintf(path, REPORT_PATH, "%s/%s.html", request->directory, request->other ? "comparison" : "report");
    return lstat(path, &s) || !S_ISLNK(s.st_mode)
               ? CLI_OK
               : cli_fail(CLI_FAILED,
                          "%s is a link, and the page would be written where it leads; remove it, or give --output",
                          path);
}

int report_make(const report_request *request, char path[REPORT_PATH])
{
    report *r[2] = {NULL, NULL};
    outfile file = {0};
    int code = choose_path(request, path);
    if (!code)
        code = open_report(request, request->directory, &r[0]);
    if (!code && request->other)
        code = open_report(request, request->other, &r[1]);
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
