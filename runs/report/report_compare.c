/* report_compare.c - two runs side by side: their energies and spectra in the same plots, how far they differ, and
 * pictures of both flows at one time and of what is between them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

enum { TIMES = 9 };
#define SAME_TIME 1e-6 /* relative: snapshots that are compared */

/* --- what was run ------------------------------------------------------------------------------------------------- */

static void write_row(markup *out, const char *what, const char *first, const char *second)
{
    markup_write(out, "<tr><td>%s</td><td>", what);
    markup_text(out, first);
    markup_write(out, "</td><td>%s</td></tr>\n", second);
}

static const char *word_of(const report *r, key_id id)
{
    const input_value *v = input_of(r->in, id);
    return v->word ? v->word : v->text ? v->text : "";
}

/* A number of run.json or summary.json as text. */
static const char *count_text(const report *r, const char *path, char text[REPORT_NUMBER])
{
    const double fact = report_fact_number(r, path), value = isnan(fact) ? report_number_at(r->summary, path) : fact;
    if (isnan(value))
        snprintf(text, REPORT_NUMBER, "not known");
    else
        report_integer(value, text);
    return text;
}

static const char *kernel_of(const report *r)
{
    return r->in->kernel.name ? r->in->kernel.name : "none";
}

static void write_facts(markup *out, report *const r[2], const char *const names[2])
{
    char a[REPORT_NUMBER], b[REPORT_NUMBER], from[2][INPUT_SOURCE];
    markup_write(
        out, "<section id=\"what\"><h2>What was run</h2>\n<table class=\"numbers\"><thead><tr><th></th><th>%s</th><th>",
        names[0]);
    markup_text(out, names[1]);
    markup_write(out, "</th></tr></thead><tbody>\n");
    write_row(out, "particles from", input_source(r[0]->in, from[0]), input_source(r[1]->in, from[1]));
    write_row(out, "particles", count_text(r[0], "particles", a), count_text(r[1], "particles", b));
    write_row(out, "method", word_of(r[0], KEY_interaction_method), word_of(r[1], KEY_interaction_method));
    write_row(out, "kernel", kernel_of(r[0]), kernel_of(r[1]));
    write_row(out, "integrator", r[0]->in->integrator.name, r[1]->in->integrator.name);
    write_row(out, "viscosity", report_number(input_of(r[0]->in, KEY_interaction_viscosity)->number, 6, a),
              report_number(input_of(r[1]->in, KEY_interaction_viscosity)->number, 6, b));
    write_row(out, "steps", count_text(r[0], "steps", a), count_text(r[1], "steps", b));
    write_row(out, "time on the clock", report_duration(report_fact_number(r[0], "seconds"), a),
              report_duration(report_fact_number(r[1], "seconds"), b));
    markup_write(out, "</tbody></table></section>\n");
}

/* --- the energy --------------------------------------------------------------------------------------------------- */

/* A column at a time, on straight lines between the rows; NaN outside. */
static double value_at(const report_csv *csv, const char *column, double time)
{
    const int at = report_csv_column(csv, column), when = report_csv_column(csv, "time");
    for (int64_t k = 0; at >= 0 && when >= 0 && k < csv->rows; k++) {
        const double t = report_csv_value(csv, k, when);
        if (t < time)
            continue;
        if (t == time)
            return report_csv_value(csv, k, at);
        const double before = k ? report_csv_value(csv, k - 1, when) : NAN;
        const double part = (time - before) / (t - before);
        return k ? (1 - part) * report_csv_value(csv, k - 1, at) + part * report_csv_value(csv, k, at) : NAN;
    }
    return NAN;
}

static void write_energies(markup *out, report *const r[2], const char *const names[2])
{
    static const char column[] = "kinetic_energy";
    char text[3][REPORT_NUMBER], percent[REPORT_NUMBER], turned[REPORT_NUMBER];
    const report_csv *csv = &r[0]->csv;
    const int when = report_csv_column(csv, "time"), turnover = report_csv_column(csv, "turnover_time");
    if (when < 0 || csv->rows < 2 || report_csv_column(csv, column) < 0 || report_csv_column(&r[1]->csv, column) < 0)
        return;
    const double unit = turnover < 0 ? NAN : report_csv_value(csv, 0, turnover); /* eddy turnovers of the start */
    markup_write(out, "<section id=\"energies\"><h2>Kinetic energy</h2>\n<table class=\"numbers\"><thead><tr><th>t</th>"
                      "<th>t/T</th><th>");
    markup_text(out, names[0]);
    markup_write(out, "</th><th>%s</th><th>difference</th></tr></thead><tbody>\n", names[1]);
    for (int k = 0; k < TIMES; k++) {
        const double time = report_csv_value(csv, k * (csv->rows - 1) / (TIMES - 1), when);
        const double a = value_at(csv, column, time), b = value_at(&r[1]->csv, column, time);
        if (isnan(a) || isnan(b) || (k > 0 && csv->rows < TIMES && k * (csv->rows - 1) % (TIMES - 1) != 0))
            continue;
        markup_write(out, "<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s %%</td></tr>\n",
                     report_number(time, 4, text[0]), isnan(unit) ? "" : report_number(time / unit, 3, turned),
                     report_number(a, 6, text[1]), report_number(b, 6, text[2]),
                     report_number(100 * (b / a - 1), 3, percent));
    }
    markup_write(out, "</tbody></table>\n");
    if (!isnan(unit))
        markup_write(out, "<p class=\"small\">T is the eddy turnover time at the start.</p>\n");
    markup_write(out, "</section>\n");
}

/* --- pictures ----------------------------------------------------------------------------------------------------- */

/* The last snapshots of one time: the later one of a pair goes back until both are. Elements come second, on the points
 * of the other. */
static int read_pair(report *const r[2], report_field f[2])
{
    int64_t at[2] = {r[0]->snapshots - 1, r[1]->snapshots - 1};
    const int first = report_is_flow(r[1]) && !report_is_flow(r[0]);
    int code = report_field_read(r[first], at[first], -1, NULL, &f[first]);
    if (!code)
        code = report_field_read(r[!first], at[!first], -1, &f[first], &f[!first]);
    while (!code && f[0].side && f[1].side && at[0] >= 0 && at[1] >= 0 &&
           fabs(f[0].time - f[1].time) > SAME_TIME * fmax(fabs(f[0].time), fabs(f[1].time))) {
        const int later = f[0].time < f[1].time;
        report_field_free(&f[later]);
        if (--at[later] >= 0)
            code = report_field_read(r[later], at[later], -1, &f[!later], &f[later]);
    }
    return code;
}

/* How far the invariants are apart, with a minus, so that the same surface shows where that is much. */
static double *difference_of(const report_field f[2])
{
    const int64_t n = f[0].side * f[0].side * f[0].side;
    double *to = malloc((size_t)n * sizeof *to);
    for (int64_t k = 0; to && k < n; k++)
        to[k] = -fabs(f[0].invariant[k] - f[1].invariant[k]);
    return to;
}

static int write_surfaces(markup *out, const report *r, const report_field f[2], const char *const names[2])
{
    char text[REPORT_NAME + 64], number[REPORT_NUMBER];
    const double rms = report_field_rms(f[0].invariant, f[0].side), value = -REPORT_SURFACE * rms;
    double *between = f[0].side == f[1].side ? difference_of(f) : NULL;
    int code = CLI_OK;
    report_surfaces_explain(out, r, value);
    if (between)
        markup_write(out,
                     "<p>The third picture shows where the two differ by as much; the rms of their difference is %s "
                     "of that of II.</p>\n",
                     report_number(report_field_rms(between, f[0].side) / rms, 3, number));
    markup_write(out, "<figure class=\"images\" id=\"surfaces\"><div class=\"views\">");
    for (int k = 0; k < 2 && !code; k++) {
        snprintf(text, sizeof text, "%s, t = %s", names[k], report_number(f[k].time, 4, number));
        code = report_surface_write(out, f[k].invariant, f[k].side, value, text);
    }
    if (!code && between)
        code = report_surface_write(out, between, f[0].side, value, "difference");
    markup_write(out, "</div></figure>\n");
    free(between);
    return code;
}

static int write_pictures(markup *out, report *const r[2], const char *const names[2])
{
    report_field f[2] = {{0}, {0}};
    int code = read_pair(r, f);
    markup_write(out, "<section id=\"projections\"><h2>Slices and surfaces</h2>\n");
    if (!code && f[0].side && f[1].side) {
        const double most = fmax(report_slices_largest(&f[0]), report_slices_largest(&f[1]));
        report_slices_explain(out);
        for (int k = 0; k < 2; k++)
            report_slices_draw(out, r[k], &f[k], names[k], most);
        code = write_surfaces(out, r[0], f, names);
    } else if (!code)
        markup_write(out, "<p>There are no pictures: the runs have no snapshots of periodic flows at one time.</p>\n");
    markup_write(out, "</section>\n");
    report_field_free(&f[0]);
    report_field_free(&f[1]);
    return code;
}

/* --- the page ----------------------------------------------------------------------------------------------------- */

int report_compare_write(markup *out, report *const r[2])
{
    char name[2][REPORT_NAME], title[2 * REPORT_NAME + 8];
    const char *const names[2] = {report_base_name(r[0]->directory, name[0]),
                                  report_base_name(r[1]->directory, name[1])};
    const report *const both[2] = {r[0], r[1]};
    if (strcmp(names[0], names[1]) == 0) /* of other folders, then */
        for (int k = 0; k < 2; k++)
            snprintf(name[k], sizeof name[k], "%.*s", REPORT_NAME - 1, r[k]->directory);
    snprintf(title, sizeof title, "%s and %s", names[0], names[1]);
    report_page_begin(out, title);
    markup_write(out,
                 "<header>\n<p class=\"brand\">Myriad · two runs side by side</p>\n<h1>%s</h1>\n</header>\n<main>\n",
                 title);
    write_facts(out, r, names);
    write_energies(out, r, names);
    markup_write(out, "<section id=\"plots\"><h2>Diagnostics</h2>\n<div class=\"plots\">\n");
    const int written = report_plots_compare(out, both, names) + report_spectra_compare(out, both, names);
    markup_write(out, "</div>\n");
    report_spectra_difference(out, both);
    if (!written)
        markup_write(out, "<p>There are no plots: the runs have no columns in common.</p>\n");
    markup_write(out, "</section>\n");
    const int code = write_pictures(out, r, names);
    report_page_foot(out);
    report_page_end(out);
    return code;
}
