/* sweep_trends.c - numbers of the summaries over the values of a key: means over all other keys. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/sweep_page.h"

enum { VALUES_MOST = 512 };

typedef struct {
    double x;
    sweep_moments y;
} point;

/* The number that a value begins with, as 0.01 or 10 kpc; NaN = none. */
static double number_of(const char *text, const char **unit)
{
    char *end;
    const double x = strtod(text, &end);
    while (*end == ' ')
        end++;
    *unit = end;
    return end == text ? NAN : x;
}

static int compare_points(const void *a, const void *b)
{
    const double x = ((const point *)a)->x, y = ((const point *)b)->x;
    return (x > y) - (x < y);
}

/* The values of a key as numbers of one unit; 0 where they are something else. */
static int take_values(const input_sweep *all, int k, point *p, char unit[INPUT_SWEPT_TEXT])
{
    const input_swept *key = &all->key[k];
    char text[INPUT_SWEPT_TEXT];
    if (key->count < 2 || key->count > VALUES_MOST || sweep_is_of_seeds(all, key->axis))
        return 0;
    for (int64_t v = 0; v < key->count; v++) {
        const char *rest;
        p[v] = (point){.x = number_of(input_swept_text(all, k, input_swept_run(all, k, v), text), &rest)};
        if (!isfinite(p[v].x) || (v > 0 && strcmp(rest, unit) != 0))
            return 0;
        if (v == 0)
            snprintf(unit, INPUT_SWEPT_TEXT, "%s", rest);
    }
    return 1;
}

static int64_t value_in_run(const input_sweep *all, int k, int64_t number)
{
    for (int a = all->axes - 1; a > all->key[k].axis; a--)
        number /= all->axis[a];
    return number % all->axis[all->key[k].axis];
}

static int write_trend(markup *out, const sweep *s, int k, int column, point *p, const char *unit)
{
    const input_sweep *all = s->in->sweep;
    const int64_t count = all->key[k].count;
    double *value = calloc(4 * (size_t)count, sizeof *value);
    char id[REPORT_NUMBER], title[REPORT_NAME];
    for (int64_t v = 0; v < count; v++)
        p[v].y = (sweep_moments){0};
    for (int64_t r = 0; r < s->runs; r++)
        if (s->item[r].value)
            sweep_moments_add(&p[value_in_run(all, k, r)].y, s->item[r].value[column]);
    int bands = 0;
    if (value)
        qsort(p, (size_t)count, sizeof *p, compare_points);
    for (int64_t v = 0; value && v < count; v++) {
        const double mean = p[v].y.count > 0 ? p[v].y.mean : NAN, half = sweep_moments_deviation(&p[v].y);
        value[v] = p[v].x;
        value[count + v] = mean - half;
        value[2 * count + v] = mean;
        value[3 * count + v] = mean + half;
        bands |= half > 0;
    }
    snprintf(id, sizeof id, "trend-%d-%d", k, column);
    snprintf(title, sizeof title, "%s over %.100s", s->column[column], all->key[k].key);
    report_plot plot = {.id = id,
                        .title = title,
                        .unit = "",
                        .time_unit = unit,
                        .x_name = all->key[k].key,
                        .scale = REPORT_AUTO,
                        .count = count,
                        .time = value,
                        .curves = 1,
                        .curve = {{.name = "mean of all runs with that value"}}};
    plot.x_log = value && value[0] > 0 && value[count - 1] / value[0] > 30;
    int written = 0;
    if (value) {
        plot.curve[0].value = value + 2 * count;
        plot.curve[0].low = bands ? value + count : NULL;
        plot.curve[0].high = bands ? value + 3 * count : NULL;
        written = report_plot_write(out, &plot);
    }
    free(value);
    return written;
}

int sweep_is_shown(const sweep *s, int column)
{
    static const char *const shown[] = {"time",        "steps",    "seconds", "energy_error", "worst_energy_error",
                                        "temperature", "pressure", "density", "energy_drift"};
    if (s->wanted)
        return sweep_is_wanted(s, s->column[column]);
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
        if (strcmp(s->column[column], shown[k]) == 0)
            return 1;
    return 0;
}

int sweep_trends_write(markup *out, const sweep *s)
{
    const input_sweep *all = s->in->sweep;
    point *p = calloc(VALUES_MOST, sizeof *p);
    char unit[INPUT_SWEPT_TEXT];
    int written = 0;
    for (int k = 0; p && k < all->keys; k++)
        for (int c = 0; c < s->columns; c++)
            if (sweep_is_shown(s, c) && strcmp(s->column[c], "time") != 0 && take_values(all, k, p, unit)) {
                if (written == 0)
                    markup_write(out,
                                 "<section id=\"trends\"><h2>Over the values of keys</h2>\n<p>Means over all other "
                                 "keys, and bands of one standard deviation.</p>\n<div class=\"plots\">\n");
                written += write_trend(out, s, k, c, p, unit);
            }
    if (written)
        markup_write(out, "</div></section>\n");
    free(p);
    return written;
}
