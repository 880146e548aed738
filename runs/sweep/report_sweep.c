/* report_sweep.c - sweep.html: the runs of a sweep side by side, from the parts of a report's page. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "outfile.h"
#include "sweep/sweep_page.h"

enum { LINES_MOST = 5000 };

static void write_head(markup *out, const sweep *s)
{
    char name[REPORT_NAME], number[3][REPORT_NUMBER];
    report_base_name(s->directory, name);
    report_page_begin(out, name);
    markup_write(out, "<header>\n<p class=\"brand\">Myriad · report of a sweep</p>\n<h1>%s</h1>\n", name);
    const int64_t finished = sweep_count(s, SWEEP_FINISHED), failed = sweep_count(s, SWEEP_FAILED);
    markup_write(out, "<p><strong class=\"badge %s\">%s</strong> %s of %s runs have finished",
                 failed               ? "bad"
                 : finished < s->runs ? "fair"
                                      : "good",
                 failed               ? "some went wrong"
                 : finished < s->runs ? "not finished"
                                      : "finished",
                 report_integer((double)finished, number[0]), report_integer((double)s->runs, number[1]));
    if (failed)
        markup_write(out, ", %s failed", report_integer((double)failed, number[2]));
    markup_write(out,
                 ". From <code>%s</code>.</p>\n<nav><a href=\"#plots\">diagnostics</a><a href=\"#runs\">runs</a>"
                 "</nav>\n</header>\n<main>\n",
                 s->file);
}

/* A cell that is sorted by its number, where it has one. */
static void write_value(markup *out, double value)
{
    char text[REPORT_NUMBER];
    if (isnan(value))
        markup_write(out, "<td></td>");
    else
        markup_write(out, "<td data-v=\"%.17g\">%s</td>", value, report_number(value, 6, text));
}

static void write_line(markup *out, const sweep *s, int64_t k)
{
    char text[INPUT_SWEPT_TEXT], name[RUN_SWEEP_NAME], path[RUN_PATH];
    const sweep_item *item = &s->item[k];
    run_sweep_name(s->in, k + 1, name);
    if (access(sweep_path(s, k, "report.html", path), F_OK) == 0)
        markup_write(out, "<tr><td data-v=\"%lld\"><a href=\"%s/report.html\">%s</a></td>", (long long)k + 1, name,
                     name);
    else
        markup_write(out, "<tr><td data-v=\"%lld\">%s</td>", (long long)k + 1, name);
    for (int c = 0; c < s->in->sweep->keys; c++) {
        input_swept_text(s->in->sweep, c, k, text);
        char *end;
        const double value = strtod(text, &end);
        if (end != text && isfinite(value))
            markup_write(out, "<td data-v=\"%.17g\">%.120s</td>", value, text);
        else
            markup_write(out, "<td>%.120s</td>", text);
    }
    if (item->reason && item->state != SWEEP_FINISHED)
        markup_write(out, "<td class=\"reason\">%s: %s</td>", sweep_state_name(item->state), item->reason);
    else
        markup_write(out, "<td>%s</td>", sweep_state_name(item->state));
    for (int c = 0; c < s->columns; c++)
        if (sweep_is_shown(s, c))
            write_value(out, item->value ? item->value[c] : NAN);
    markup_write(out, "</tr>\n");
}

static void write_runs(markup *out, const sweep *s)
{
    char number[REPORT_NUMBER];
    markup_write(out,
                 "<section id=\"runs\"><h2>Runs</h2>\n<p class=\"small\">A click on the name of a column sorts the "
                 "table. sweep.csv has it too, with all columns of the summaries.</p>\n<div class=\"wide\">"
                 "<table class=\"sort\"><thead><tr><th>run</th>");
    for (int c = 0; c < s->in->sweep->keys; c++)
        markup_write(out, "<th>%s</th>", s->in->sweep->key[c].key);
    markup_write(out, "<th>status</th>");
    for (int c = 0; c < s->columns; c++)
        if (sweep_is_shown(s, c))
            markup_write(out, "<th>%s</th>", s->column[c]);
    markup_write(out, "</tr></thead><tbody>\n");
    for (int64_t k = 0; k < s->runs && k < LINES_MOST; k++)
        write_line(out, s, k);
    markup_write(out, "</tbody></table></div>\n");
    if (s->runs > LINES_MOST)
        markup_write(out, "<p>These are the first %s runs.</p>\n", report_integer(LINES_MOST, number));
    markup_write(out, "</section>\n");
}

static int write_page(markup *out, const sweep *s, progress *shown)
{
    int written = 0;
    write_head(out, s);
    markup_write(out, "<section id=\"plots\"><h2>Diagnostics</h2>\n");
    const int code = sweep_curves_write(out, s, shown, &written);
    if (!code && written == 0)
        markup_write(out, "<p>There are no plots: no run has two lines of diagnostics.</p>\n");
    markup_write(out, "</section>\n");
    sweep_trends_write(out, s);
    sweep_exchange_show(out, s);
    write_runs(out, s);
    report_page_foot(out);
    markup_script(out, "table.js");
    report_page_end(out);
    return code;
}

int report_sweep_make(const sweep *s, int quiet, char path[RUN_PATH])
{
    outfile file;
    progress shown = {.quiet = quiet, .start = cli_seconds()};
    snprintf(path, RUN_PATH, "%s/sweep.html", s->directory);
    int code = outfile_open(&file, path);
    if (code)
        return code;
    progress_begin(&shown, "report");
    markup *page = markup_create(file.out);
    code = page ? write_page(page, s, &shown) : cli_fail(CLI_FAILED, "no memory");
    if (!code && markup_failed(page) && !ferror(file.out))
        code = cli_fail(CLI_FAILED, "a part of the page is missing in this program");
    markup_destroy(&page);
    progress_end(&shown);
    if (code)
        outfile_discard(&file);
    else
        code = outfile_finish(&file);
    return code;
}
