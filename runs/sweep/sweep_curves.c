/* sweep_curves.c - diagnostics of many runs in the same plots: a curve for each combination of values, the mean over
 * its seeds, in a band of one standard deviation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/sweep_page.h"

enum { TIMES = 128, PER_FAMILY = 256, COLUMNS_MOST = 128 };

typedef struct {
    const sweep *s;
    myr_context *context;
    int64_t all; /* families that there are */
    int count;
    int64_t family[REPORT_CURVES]; /* those that are drawn */
    char name[REPORT_CURVES][REPORT_NAME];
    double time[TIMES];
    char *time_unit;
    int columns;
    char **column, **unit;
    report_scale *scale;
    sweep_moments *sum; /* [column][family][time] */
} curves;

/* --- families ----------------------------------------------------------------------------------------------------- */

int sweep_is_of_seeds(const input_sweep *all, int axis)
{
    static const char seed[] = ".seed";
    for (int k = 0; k < all->keys; k++) {
        const size_t length = strlen(all->key[k].key);
        if (all->key[k].axis == axis &&
            (length < sizeof seed || strcmp(all->key[k].key + length - (sizeof seed - 1), seed) != 0))
            return 0;
    }
    return 1;
}

int64_t sweep_family_of(const input_sweep *all, int64_t number)
{
    int64_t family = 0, factor = 1;
    for (int a = all->axes - 1; a >= 0; a--) {
        const int64_t at = number % all->axis[a];
        number /= all->axis[a];
        if (sweep_is_of_seeds(all, a))
            continue;
        family += at * factor;
        factor *= all->axis[a];
    }
    return family;
}

int64_t sweep_families(const input_sweep *all)
{
    int64_t count = 1;
    for (int a = 0; a < all->axes; a++)
        count *= sweep_is_of_seeds(all, a) ? 1 : all->axis[a];
    return count;
}

const char *sweep_family_name(const input_sweep *all, int64_t number, char name[REPORT_NAME])
{
    char value[INPUT_SWEPT_TEXT];
    size_t used = 0;
    snprintf(name, REPORT_NAME, "all seeds");
    for (int k = 0; k < all->keys && used < REPORT_NAME - 1; k++) {
        if (sweep_is_of_seeds(all, all->key[k].axis))
            continue;
        used += (size_t)snprintf(name + used, REPORT_NAME - used, "%s%s = %.60s", used ? ", " : "",
                                 strrchr(all->key[k].key, '.') + 1, input_swept_text(all, k, number, value));
    }
    return name;
}

void sweep_moments_add(sweep_moments *m, double value)
{
    if (!isfinite(value))
        return;
    const double before = value - m->mean;
    m->count++;
    m->mean += before / m->count;
    m->square += before * (value - m->mean);
}

double sweep_moments_deviation(const sweep_moments *m)
{
    return m->count > 1 ? sqrt(m->square / (m->count - 1)) : 0;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static int place_of(const curves *c, int64_t family)
{
    for (int k = 0; k < c->count; k++)
        if (c->family[k] == family)
            return k;
    return -1;
}

/* Calls `take` with the table of every run that is drawn. */
static int for_each_run(curves *c, progress *shown, double from, void (*take)(curves *, const report_csv *, int))
{
    int64_t used[REPORT_CURVES] = {0};
    int code = CLI_OK;
    for (int64_t k = 0; k < c->s->runs && !code; k++) {
        const int at = c->s->item[k].state == SWEEP_FINISHED ? place_of(c, sweep_family_of(c->s->in->sweep, k)) : -1;
        char path[RUN_PATH];
        report_csv csv = {0};
        int missing = 0;
        progress_show(shown, from + 0.5 * (double)k / (double)c->s->runs);
        if (at < 0 || used[at]++ >= PER_FAMILY)
            continue;
        code = report_csv_load(c->context, &csv, sweep_path(c->s, k, "diagnostics.csv", path), &missing);
        if (!code && !missing && csv.rows > 0 && report_csv_column(&csv, "time") >= 0)
            take(c, &csv, at);
        report_csv_free(&csv);
    }
    return code;
}

/* The first table says which columns there are; all of them over which times. */
static void take_range(curves *c, const report_csv *csv, int at)
{
    const int when = report_csv_column(csv, "time");
    (void)at;
    if (isfinite(csv->least[when])) {
        c->time[0] = fmin(c->time[0], csv->least[when]);
        c->time[TIMES - 1] = fmax(c->time[TIMES - 1], csv->most[when]);
    }
    if (c->column)
        return;
    const size_t most = (size_t)(csv->columns < COLUMNS_MOST ? csv->columns : COLUMNS_MOST);
    c->column = calloc(most + 1, sizeof *c->column);
    c->unit = calloc(most + 1, sizeof *c->unit);
    c->scale = calloc(most + 1, sizeof *c->scale);
    c->time_unit = strdup(csv->unit[when]);
    for (size_t k = 0; c->column && c->unit && c->scale && k < most; k++) {
        char title[REPORT_NAME];
        const char *text;
        report_scale scale;
        if (!report_column_describe(csv->name[k], title, &scale, &text))
            continue;
        c->column[c->columns] = strdup(csv->name[k]);
        c->unit[c->columns] = strdup(csv->unit[k]);
        c->scale[c->columns] = scale;
        if (!c->column[c->columns] || !c->unit[c->columns])
            break;
        c->columns++;
    }
}

/* Adds a column at the times of the plots, on straight lines between its rows. */
static void take_column(const curves *c, const report_csv *csv, int column, sweep_moments *sum, int is_log)
{
    const int when = report_csv_column(csv, "time");
    int64_t row = 0;
    for (int t = 0; t < TIMES; t++) {
        const double time = c->time[t];
        while (row < csv->rows && report_csv_value(csv, row, when) < time)
            row++;
        if (row == csv->rows || (row == 0 && report_csv_value(csv, 0, when) > time))
            continue;
        const double after = report_csv_value(csv, row, when),
                     before = row ? report_csv_value(csv, row - 1, when) : after;
        const double part = after > before ? (time - before) / (after - before) : 1;
        const double value =
            part < 1 ? (1 - part) * report_csv_value(csv, row - 1, column) + part * report_csv_value(csv, row, column)
                     : report_csv_value(csv, row, column);
        sweep_moments_add(&sum[t], is_log ? log(fabs(value)) : value);
    }
}

static void take_values(curves *c, const report_csv *csv, int at)
{
    for (int k = 0; k < c->columns; k++) {
        const int column = report_csv_column(csv, c->column[k]);
        if (column >= 0 && strcmp(csv->unit[column], c->unit[k]) == 0)
            take_column(c, csv, column, c->sum + ((size_t)k * REPORT_CURVES + (size_t)at) * TIMES,
                        c->scale[k] == REPORT_LOG);
    }
}

/* --- drawing ------------------------------------------------------------------------------------------------------ */

/* Whether the values of a column change, or differ between families. */
static int is_worth(const sweep_moments *sum, int families)
{
    double least = INFINITY, most = -INFINITY;
    for (int k = 0; k < families * TIMES; k++)
        if (sum[k].count > 0) {
            least = fmin(least, sum[k].mean);
            most = fmax(most, sum[k].mean);
        }
    return most > least;
}

static int write_column(markup *out, const curves *c, int column, double (*value)[3][TIMES])
{
    const sweep_moments *sum = c->sum + (size_t)column * REPORT_CURVES * TIMES;
    char title[REPORT_NAME], id[REPORT_NUMBER];
    report_plot p = {.id = id,
                     .title = title,
                     .unit = c->unit[column],
                     .time_unit = c->time_unit,
                     .x_name = "time", /* there is no replay */
                     .count = TIMES,
                     .time = c->time,
                     .curves = c->count};
    report_column_describe(c->column[column], title, &p.scale, &p.text);
    if (!is_worth(sum, c->count))
        return 0;
    snprintf(id, sizeof id, "column-%d", column);
    const int is_log = c->scale[column] == REPORT_LOG;
    for (int f = 0; f < c->count; f++) {
        int bands = 0;
        for (int t = 0; t < TIMES; t++) {
            const sweep_moments *m = &sum[f * TIMES + t];
            const double half = sweep_moments_deviation(m);
            for (int k = 0; k < 3; k++) { /* below, mean, above */
                const double v = m->count > 0 ? m->mean + (k - 1) * half : NAN;
                value[f][k][t] = is_log ? exp(v) : v;
            }
            bands |= half > 0;
        }
        p.curve[f] = (report_curve){.name = c->name[f],
                                    .value = value[f][1],
                                    .low = bands ? value[f][0] : NULL,
                                    .high = bands ? value[f][2] : NULL};
    }
    return report_plot_write(out, &p);
}

/* Some families, evenly: the first and the last are among them. */
static void choose_families(curves *c)
{
    const input_sweep *all = c->s->in->sweep;
    c->all = sweep_families(all);
    c->count = (int)(c->all < REPORT_CURVES ? c->all : REPORT_CURVES);
    for (int k = 0; k < c->count; k++)
        c->family[k] = c->count > 1 ? k * ((c->all - 1) / (c->count - 1)) : 0;
    if (c->count > 1)
        c->family[c->count - 1] = c->all - 1;
    for (int64_t k = 0; k < c->s->runs; k++) {
        const int at = place_of(c, sweep_family_of(all, k));
        if (at >= 0 && !c->name[at][0])
            sweep_family_name(all, k, c->name[at]);
    }
}

static void explain(markup *out, const curves *c)
{
    char number[REPORT_NUMBER];
    int seeds = 0;
    for (int a = 0; a < c->s->in->sweep->axes; a++)
        seeds |= sweep_is_of_seeds(c->s->in->sweep, a) && c->s->in->sweep->axis[a] > 1;
    if (seeds)
        markup_write(out, "<p>Curves are means over seeds, bands one standard deviation of single runs; of logarithms "
                          "where an energy error or the like is drawn.</p>\n");
    if (c->all > c->count)
        markup_write(out, "<p>%d of %s combinations are drawn; the table has all.</p>\n", c->count,
                     report_integer((double)c->all, number));
}

static int read_all(curves *c, progress *shown)
{
    c->time[0] = INFINITY;
    c->time[TIMES - 1] = -INFINITY;
    int code = for_each_run(c, shown, 0, take_range);
    if (code || c->columns == 0 || !(c->time[TIMES - 1] > c->time[0]))
        return code;
    for (int t = 1; t < TIMES - 1; t++)
        c->time[t] = c->time[0] + (c->time[TIMES - 1] - c->time[0]) * t / (TIMES - 1);
    c->sum = calloc((size_t)c->columns * REPORT_CURVES * TIMES, sizeof *c->sum);
    return c->sum ? for_each_run(c, shown, 0.5, take_values) : cli_fail(CLI_FAILED, "no memory for the curves");
}

int sweep_curves_write(markup *out, const sweep *s, progress *shown, int *written)
{
    curves *c = calloc(1, sizeof *c);
    double(*value)[3][TIMES] = calloc(REPORT_CURVES, sizeof *value);
    *written = 0;
    int code = c && value ? CLI_OK : cli_fail(CLI_FAILED, "no memory for the curves");
    if (!code) {
        c->s = s;
        choose_families(c);
        code = myr_context_create(&c->context) ? cli_fail(CLI_FAILED, "no memory") : read_all(c, shown);
    }
    if (!code && c->sum) {
        explain(out, c);
        markup_write(out, "<div class=\"plots\">\n");
        for (int k = 0; k < c->columns; k++)
            *written += write_column(out, c, k, value);
        markup_write(out, "</div>\n");
    }
    for (int k = 0; c && c->column && k < c->columns; k++) {
        free(c->column[k]);
        free(c->unit[k]);
    }
    if (c) {
        free(c->column);
        free(c->unit);
        free(c->scale);
        free(c->time_unit);
        free(c->sum);
        myr_context_destroy(&c->context);
    }
    free(value);
    free(c);
    return code;
}
