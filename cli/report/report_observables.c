/* report_observables.c - plots of what was measured of particles in a box: one for each file NAME.csv that is there. */
#include <stdlib.h>
#include <string.h>

#include <myriad/observable.h>

#include "report/report.h"

/* What is said about an observable, and the column that is no curve of it. */
static const struct {
    const char *kind, *title, *text, *left_out;
} plot_table[] = {
    {"rdf", "Radial distribution function", "g(r): neighbours at a distance, against those of an ideal gas.",
     "coordination"},
    {"msd", "Mean-square displacement", "After a lag; 6 D t once particles have forgotten where they went.", NULL},
    {"vacf", "Velocity autocorrelation", "⟨v(0) · v(t)⟩, after a lag.", NULL},
    {"profile", "Density along an axis", "Particles per volume in slices of the box.", NULL},
};

/* A column as an array. */
static double *column_values(const report_csv *csv, int column)
{
    double *value = malloc((size_t)(csv->rows + 1) * sizeof *value);
    for (int64_t row = 0; value && row < csv->rows; row++)
        value[row] = report_csv_value(csv, row, column);
    return value;
}

static int write_plot(markup *out, const report_csv *csv, size_t kind)
{
    double *x = column_values(csv, 0), *kept[REPORT_CURVES] = {NULL};
    report_plot p = {.id = plot_table[kind].kind,
                     .title = plot_table[kind].title,
                     .text = plot_table[kind].text,
                     .unit = csv->columns > 1 ? csv->unit[1] : "",
                     .time_unit = csv->unit[0],
                     .x_name = csv->name[0],
                     .scale = REPORT_LINEAR,
                     .count = x ? csv->rows : 0,
                     .time = x};
    for (int k = 1; k < csv->columns && p.curves < REPORT_CURVES; k++) {
        if (plot_table[kind].left_out && strcmp(csv->name[k], plot_table[kind].left_out) == 0)
            continue;
        kept[p.curves] = column_values(csv, k);
        if (!kept[p.curves])
            break;
        p.curve[p.curves] = (report_curve){.name = csv->name[k], .value = kept[p.curves]};
        p.curves++;
    }
    const int written = report_plot_write(out, &p);
    for (int k = 0; k < REPORT_CURVES; k++)
        free(kept[k]);
    free(x);
    return written;
}

int report_observables_write(markup *out, const report *r)
{
    int written = 0;
    for (size_t k = 0; k < sizeof plot_table / sizeof plot_table[0]; k++) {
        char path[REPORT_PATH];
        report_csv csv = {0};
        int missing = 0;
        snprintf(path, sizeof path, "%s/%s.csv", r->directory, plot_table[k].kind);
        if (report_csv_load(r->context, &csv, path, &missing) == CLI_OK && csv.columns > 1 && csv.rows > 0)
            written += write_plot(out, &csv, k);
        report_csv_free(&csv);
    }
    return written;
}
