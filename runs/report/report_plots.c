/* report_plots.c - from the columns of diagnostics.csv to plots, by the table report_plots.def. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

enum { BINS = 64 };

typedef enum { ENTRY_PLOT, ENTRY_CURVE, ENTRY_HIDDEN } entry_kind;

typedef struct {
    entry_kind kind;
    const char *name;  /* id of a plot, or a column */
    const char *title; /* of a plot or a curve */
    report_scale scale;
    const char *text;
} entry;

static const entry table[] = {
#define PLOT(id, title, scale, text) {ENTRY_PLOT, #id, title, REPORT_##scale, text},
#define CURVE(column, title) {ENTRY_CURVE, #column, title, REPORT_LINEAR, NULL},
#define HIDDEN(column) {ENTRY_HIDDEN, #column, NULL, REPORT_LINEAR, NULL},
#include "report/report_plots.def"
#undef PLOT
#undef CURVE
#undef HIDDEN
};

enum { ENTRIES = sizeof table / sizeof table[0] };

static const char bin_series[] = "steps_"; /* particles whose step is 2^-k */

/* --- curves ------------------------------------------------------------------------------------------------------- */

/* A column by itself; null where there is nothing to see in it, or no memory. Logarithmic plots show sizes. */
static double *take_column(const report_csv *csv, int column, report_scale scale)
{
    if (column < 0 || isnan(csv->least[column]) || (csv->least[column] == 0 && csv->most[column] == 0))
        return NULL;
    double *value = malloc((size_t)csv->rows * sizeof *value);
    for (int64_t k = 0; value && k < csv->rows; k++) {
        const double v = report_csv_value(csv, k, column);
        value[k] = scale == REPORT_LOG ? fabs(v) : v;
    }
    return value;
}

/* A column with one value from beginning to end. */
/* Whether the numbers beside an axis, of four digits, could not tell the values apart. Energies are drawn all the same,
 * beside those that change into each other. */
static int is_constant(const report_csv *csv, int column)
{
    static const char *const drawn[] = {"energy", "jacobi", "conserved", "kinetic_energy"};
    const double least = csv->least[column], most = csv->most[column];
    for (size_t k = 0; k < sizeof drawn / sizeof *drawn; k++)
        if (strcmp(csv->name[column], drawn[k]) == 0)
            return least == most;
    return most - least <= 1e-4 * fmax(fabs(least), fabs(most));
}

/* What was asked for is drawn beside what came of it, constant as it may be. */
static int is_reference(const char *column)
{
    return strncmp(column, "set_", 4) == 0;
}

static void add_curve(report_plot *p, const report_csv *csv, const char *column, const char *name)
{
    const int at = report_csv_column(csv, column);
    if (at >= 0 && is_constant(csv, at) && !(is_reference(column) && p->curves > 0))
        return;
    double *value = p->curves < REPORT_CURVES ? take_column(csv, at, p->scale) : NULL;
    if (!value)
        return;
    p->curve[p->curves++] = (report_curve){.name = name, .value = value};
    p->unit = csv->unit[at];
}

static void free_curves(report_plot *p)
{
    for (int c = 0; c < p->curves; c++)
        free((void *)p->curve[c].value);
}

static report_plot start_plot(const report *r, const double *time, const char *id, const char *title)
{
    const int at = report_csv_column(&r->csv, "time");
    return (report_plot){.id = id,
                         .title = title,
                         .unit = "",
                         .time_unit = r->csv.unit[at],
                         .count = r->csv.rows,
                         .time = time,
                         .scale = REPORT_AUTO};
}

/* --- which plots -------------------------------------------------------------------------------------------------- */

static int is_listed(const char *column)
{
    for (int k = 0; k < ENTRIES; k++)
        if (table[k].kind != ENTRY_PLOT && strcmp(table[k].name, column) == 0)
            return 1;
    return strncmp(column, bin_series, sizeof bin_series - 1) == 0;
}

/* Columns that the table hides, and those of the histogram. */
static int is_hidden(const char *column)
{
    for (int k = 0; k < ENTRIES; k++)
        if (table[k].kind == ENTRY_HIDDEN && strcmp(table[k].name, column) == 0)
            return 1;
    return strncmp(column, bin_series, sizeof bin_series - 1) == 0;
}

static int write_listed(markup *out, const report *r, const double *time)
{
    int written = 0;
    for (int k = 0; k < ENTRIES; k++) {
        if (table[k].kind != ENTRY_PLOT)
            continue;
        report_plot p = start_plot(r, time, table[k].name, table[k].title);
        p.scale = table[k].scale;
        p.text = table[k].text;
        for (int c = k + 1; c < ENTRIES && table[c].kind == ENTRY_CURVE; c++)
            add_curve(&p, &r->csv, table[c].name, table[c].title);
        written += report_plot_write(out, &p);
        free_curves(&p);
    }
    return written;
}

/* What nobody has thought of when the table was written. */
static int write_others(markup *out, const report *r, const double *time)
{
    int written = 0;
    for (int k = 0; k < r->csv.columns; k++) {
        char id[REPORT_NUMBER]; /* by number: a name can be any text */
        if (is_listed(r->csv.name[k]))
            continue;
        snprintf(id, sizeof id, "column-%d", k);
        report_plot p = start_plot(r, time, id, r->csv.name[k]);
        add_curve(&p, &r->csv, r->csv.name[k], r->csv.name[k]);
        written += report_plot_write(out, &p);
        free_curves(&p);
    }
    return written;
}

int report_column_describe(const char *column, char title[REPORT_NAME], report_scale *scale, const char **text)
{
    const entry *plot = NULL;
    int first = 0; /* entry of the first curve of the plot */
    snprintf(title, REPORT_NAME, "%s", column);
    *scale = REPORT_AUTO;
    *text = NULL;
    for (int k = 0; k < ENTRIES; k++) {
        if (table[k].kind == ENTRY_PLOT) {
            plot = &table[k];
            first = k + 1;
        }
        if (!plot || table[k].kind != ENTRY_CURVE || strcmp(table[k].name, column) != 0)
            continue;
        const int alone = k == first && (k + 1 == ENTRIES || table[k + 1].kind != ENTRY_CURVE);
        snprintf(title, REPORT_NAME, alone ? "%s" : "%s, %s", plot->title, table[k].title);
        *scale = plot->scale;
        *text = plot->text;
    }
    return !is_hidden(column) && strcmp(column, "time") != 0;
}

/* --- two runs ----------------------------------------------------------------------------------------------------- */

static double *column_of(const report_csv *csv, int at)
{
    double *value = malloc((size_t)(csv->rows + 1) * sizeof *value);
    for (int64_t k = 0; value && k < csv->rows; k++)
        value[k] = report_csv_value(csv, k, at);
    return value;
}

/* Adds a column of both runs, where both have it in the same unit and one of them is not zero everywhere. */
static void add_both(report_plot *p, const report *const r[2], const char *const names[2], const entry *curve,
                     char (*name)[REPORT_NAME + REPORT_NUMBER])
{
    int at[2];
    for (int k = 0; k < 2; k++)
        at[k] = report_csv_column(&r[k]->csv, curve->name);
    if (at[0] < 0 || at[1] < 0 || strcmp(r[0]->csv.unit[at[0]], r[1]->csv.unit[at[1]]) != 0 ||
        p->curves + 2 > REPORT_CURVES)
        return;
    double *value[2] = {take_column(&r[0]->csv, at[0], p->scale), take_column(&r[1]->csv, at[1], p->scale)};
    for (int k = 0; k < 2; k++) {
        double *time = value[0] && value[1] ? column_of(&r[k]->csv, report_csv_column(&r[k]->csv, "time")) : NULL;
        if (!time) {
            free(value[k]);
            continue;
        }
        snprintf(name[p->curves], sizeof *name, "%.40s, %s", curve->title, names[k]);
        p->curve[p->curves] =
            (report_curve){.name = name[p->curves], .value = value[k], .x = time, .count = r[k]->csv.rows};
        p->curves++;
        p->unit = r[k]->csv.unit[at[k]];
    }
}

int report_plots_compare(markup *out, const report *const r[2], const char *const names[2])
{
    int written = 0;
    const int at[2] = {report_csv_column(&r[0]->csv, "time"), report_csv_column(&r[1]->csv, "time")};
    if (at[0] < 0 || at[1] < 0 || strcmp(r[0]->csv.unit[at[0]], r[1]->csv.unit[at[1]]) != 0)
        return 0;
    for (int k = 0; k < ENTRIES; k++) {
        char name[REPORT_CURVES][REPORT_NAME + REPORT_NUMBER];
        if (table[k].kind != ENTRY_PLOT)
            continue;
        report_plot p = start_plot(r[0], NULL, table[k].name, table[k].title);
        const int decay = strcmp(table[k].name, "decay") == 0; /* as turbulence is looked at: a power of time */
        p.scale = decay ? REPORT_LOG : table[k].scale;
        p.x_log = decay;
        p.x_name = "time"; /* there is no replay */
        p.text = table[k].text;
        for (int c = k + 1; c < ENTRIES && table[c].kind == ENTRY_CURVE; c++)
            add_both(&p, r, names, &table[c], name);
        written += report_plot_write(out, &p);
        for (int c = 0; c < p.curves; c++)
            free((void *)p.curve[c].x);
        free_curves(&p);
    }
    return written;
}

/* --- the histogram of time steps ---------------------------------------------------------------------------------- */

static double bin_at(const report_csv *csv, int64_t row, int bin)
{
    char name[32];
    snprintf(name, sizeof name, "%s%d", bin_series, bin);
    const int column = report_csv_column(csv, name);
    return column < 0 ? 0 : report_csv_value(csv, row, column);
}

/* Bars from the longest step in use to the shortest. */
static int write_histogram(markup *out, const report *r)
{
    double now[BINS], before[BINS];
    char name[BINS][REPORT_NUMBER];
    int first = BINS, last = -1;
    for (int k = 0; k < BINS; k++) {
        now[k] = bin_at(&r->csv, r->csv.rows - 1, k);
        before[k] = bin_at(&r->csv, 0, k);
        if (now[k] <= 0 && before[k] <= 0)
            continue;
        first = first < k ? first : k;
        last = k;
    }
    if (last < 0)
        return 0;
    for (int k = first; k <= last; k++)
        report_power(2, -k, name[k]);
    const char *unit = r->csv.unit[report_csv_column(&r->csv, "time")];
    char label[REPORT_NAME];
    snprintf(label, sizeof label, "time step%s%s%s", *unit ? " [" : "", unit, *unit ? "]" : "");
    report_bars_write(out, &(report_bars){.id = "histogram",
                                          .title = "Time-step histogram",
                                          .text = "Particles per block time step.",
                                          .label = label,
                                          .bars = last - first + 1,
                                          .name = name + first,
                                          .now = now + first,
                                          .before = before + first,
                                          .now_name = "at the end",
                                          .before_name = "at the start"});
    return 1;
}

int report_plots_write(markup *out, const report *r)
{
    const int at = report_csv_column(&r->csv, "time");
    if (at < 0 || r->csv.rows < 2)
        return 0;
    double *time = malloc((size_t)r->csv.rows * sizeof *time);
    for (int64_t k = 0; time && k < r->csv.rows; k++)
        time[k] = report_csv_value(&r->csv, k, at);
    if (!time)
        return 0;
    int written = write_listed(out, r, time);
    written += write_histogram(out, r);
    written += write_others(out, r, time);
    free(time);
    return written;
}

void report_constants_write(markup *out, const report *r)
{
    char number[REPORT_NUMBER];
    int written = 0;
    for (int k = 0; k < r->csv.columns && r->csv.rows > 1; k++) {
        if (!is_constant(&r->csv, k) || r->csv.least[k] == 0 || is_hidden(r->csv.name[k]))
            continue;
        if (written++ == 0)
            markup_write(out, "<p class=\"small\" id=\"constants\">Constant to four digits, and not drawn: ");
        else
            markup_write(out, ", ");
        markup_write(out, "%s = %s%s", r->csv.name[k],
                     report_number(r->csv.least[k], r->csv.least[k] == r->csv.most[k] ? 6 : 4, number),
                     *r->csv.unit[k] ? " " : "");
        report_unit(out, r->csv.unit[k]);
    }
    if (written)
        markup_write(out, ".</p>\n");
}
