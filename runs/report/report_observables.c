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

/* The name of a species by its number; null = there is none. */
static const char *species_name(const report *r, int type)
{
    if (type < 0 || type >= r->in->species.count)
        return NULL;
    return input_entry_of(&r->in->species.entry[type], KEY_species_name)->text;
}

/* Types that a column is about, as input_species_types: by numbers, as in tables of older runs, or by names. */
static int column_types(const report *r, const char *column, int type[2])
{
    char numbered[REPORT_NAME], name[REPORT_NAME];
    const char *types = strchr(column, '_');
    const int species = r->in->species.count, base = types ? (int)(types - column) : 0;
    const int count = input_species_types(column, type);
    if (count || !types)
        return count;
    for (int a = 0; a < species; a++)
        for (int b = -1; b < species; b++) {
            snprintf(numbered, sizeof numbered, b < 0 ? "%.*s_%d" : "%.*s_%d_%d", base, column, a, b);
            input_species_column(r->in, numbered, sizeof name, name);
            if (strcmp(name, column) == 0)
                return input_species_types(numbered, type);
        }
    return 0;
}

/* What a curve is called: "Ar-Kr" for the column g_Ar_Kr or g_0_1, "Ar" for msd_Ar, "all" for that of all particles
 * beside them. */
static const char *curve_name(const report *r, const report_csv *csv, int column, char name[REPORT_NAME])
{
    int type[2];
    const int count = column_types(r, csv->name[column], type);
    const char *first = species_name(r, type[0]), *second = species_name(r, type[1]);
    if (count == 2 && first && second)
        snprintf(name, REPORT_NAME, "%.100s-%.100s", first, second);
    else
        snprintf(name, REPORT_NAME, "%.100s",
                 count == 1 && first                         ? first
                 : !count && csv->columns > 3 && column == 1 ? "all"
                                                             : csv->name[column]);
    return name;
}

static int write_plot(markup *out, const report *r, const report_csv *csv, size_t kind)
{
    char name[REPORT_CURVES][REPORT_NAME];
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
        p.curve[p.curves] = (report_curve){.name = curve_name(r, csv, k, name[p.curves]), .value = kept[p.curves]};
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
            written += write_plot(out, r, &csv, k);
        report_csv_free(&csv);
    }
    return written;
}
