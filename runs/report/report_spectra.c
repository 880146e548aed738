/* report_spectra.c - energy spectra of a run, or of two side by side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

enum { LINE = 256, TOGETHER = REPORT_CURVES / 2 };
#define SAME_TIME 1e-6 /* relative: spectra of two runs that are of one time */

/* spectra.csv: shells of one time follow each other. */
typedef struct {
    int64_t rows, shells, times;
    double *value; /* [rows][3]: time, k, energy */
} spectra;

static void spectra_read(const report *r, spectra *s)
{
    char path[REPORT_PATH], line[LINE];
    int64_t room = 0;
    snprintf(path, sizeof path, "%s/spectra.csv", r->directory);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (s->rows == room) {
            room = 2 * room + 1024;
            double *more = realloc(s->value, (size_t)(3 * room) * sizeof *more);
            if (!more)
                break;
            s->value = more;
        }
        double *row = s->value + 3 * s->rows;
        s->rows += sscanf(line, "%lf,%lf,%lf\n", row, row + 1, row + 2) == 3;
    }
    if (file)
        fclose(file);
    while (s->shells < s->rows && s->value[3 * s->shells] == s->value[0])
        s->shells++;
    s->times = s->shells ? s->rows / s->shells : 0;
}

static double spectra_time(const spectra *s, int64_t k)
{
    return s->value[3 * k * s->shells];
}

/* Column 1 (wave numbers) or 2 (energies) at time number k; null without memory. What is far below the largest is
 * rounding, and would hide the rest. */
static double *spectra_column(const spectra *s, int64_t k, int column)
{
    double *to = malloc((size_t)(s->shells + 1) * sizeof *to), most = 0;
    for (int64_t row = 0; to && row < s->shells; row++) {
        to[row] = s->value[3 * (k * s->shells + row) + column];
        most = fmax(most, to[row]);
    }
    for (int64_t row = 0; to && column == 2 && row < s->shells; row++)
        if (to[row] < 1e-14 * most)
            to[row] = NAN;
    return to;
}

static void add_spectrum(report_plot *p, const spectra *s, int64_t k, const char *name)
{
    double *wave = spectra_column(s, k, 1), *energy = spectra_column(s, k, 2);
    if (!wave || !energy) {
        free(wave);
        free(energy);
        return;
    }
    p->curve[p->curves++] = (report_curve){.name = name, .value = energy, .x = wave, .count = s->shells};
}

static report_plot start_plot(const report *r, char length[UNITS_MESSAGE], char unit[UNITS_MESSAGE])
{
    return (report_plot){.id = "spectra",
                         .title = "Energy spectrum",
                         .text = "E(k), whose sum over the wave numbers is the kinetic energy.",
                         .unit = units_label(&r->in->units, UNITS_SPECTRUM, unit),
                         .time_unit = units_label(&r->in->units, UNITS_WAVE_NUMBER, length),
                         .x_name = "k",
                         .x_log = 1,
                         .scale = REPORT_LOG};
}

static int finish_plot(markup *out, report_plot *p)
{
    const int written = report_plot_write(out, p);
    for (int c = 0; c < p->curves; c++) {
        free((void *)p->curve[c].value);
        free((void *)p->curve[c].x);
    }
    return written;
}

/* Number c of `wanted` that are spread over `count`. */
static int64_t spread(int c, int wanted, int64_t count)
{
    return wanted > 1 ? c * (count - 1) / (wanted - 1) : 0;
}

int report_spectra_write(markup *out, const report *r)
{
    spectra s = {0};
    char length[UNITS_MESSAGE], unit[UNITS_MESSAGE], name[REPORT_CURVES][REPORT_NUMBER], number[REPORT_NUMBER];
    spectra_read(r, &s);
    report_plot p = start_plot(r, length, unit);
    const int wanted = s.times < REPORT_CURVES ? (int)s.times : REPORT_CURVES;
    for (int c = 0; c < wanted; c++) {
        const int64_t k = spread(c, wanted, s.times);
        snprintf(name[c], REPORT_NUMBER, "t = %.40s", report_number(spectra_time(&s, k), 4, number));
        add_spectrum(&p, &s, k, name[c]);
    }
    free(s.value);
    return finish_plot(out, &p);
}

/* --- two runs ----------------------------------------------------------------------------------------------------- */

/* Times that both have: their numbers in either; gives how many. */
static int64_t common_times(const spectra s[2], int64_t (*both)[2])
{
    int64_t count = 0;
    for (int64_t a = 0, b = 0; a < s[0].times && b < s[1].times;) {
        const double t = spectra_time(&s[0], a), u = spectra_time(&s[1], b);
        if (fabs(t - u) <= SAME_TIME * fmax(fabs(t), fabs(u))) {
            both[count][0] = a++;
            both[count++][1] = b++;
        } else if (t < u)
            a++;
        else
            b++;
    }
    return count;
}

/* The largest relative difference up to half the largest wave number along an axis, and that wave number. The last
 * shell is in the corner of the cube of modes. */
static double worst_difference(const spectra s[2], const int64_t at[2], double *half)
{
    double worst = 0;
    const int64_t shells = s[0].shells < s[1].shells ? s[0].shells : s[1].shells;
    *half = 0;
    for (int64_t k = 0; k < shells; k++) {
        const double *a = s[0].value + 3 * (at[0] * s[0].shells + k), *b = s[1].value + 3 * (at[1] * s[1].shells + k);
        if ((double)(k + 1) > 0.5 * (double)shells / sqrt(3) || fabs(a[1] - b[1]) > 1e-6 * a[1])
            break;
        *half = a[1];
        worst = fmax(worst, fabs(b[2] / a[2] - 1));
    }
    return worst;
}

/* The spectra of both runs, and the numbers of the times that both have; *count is how many. Free with forget_both. */
static void read_both(const report *const r[2], spectra s[2], int64_t (**both)[2], int64_t *count)
{
    spectra_read(r[0], &s[0]);
    spectra_read(r[1], &s[1]);
    *both = calloc((size_t)(s[0].times + 1), sizeof **both);
    *count = *both ? common_times(s, *both) : 0;
}

static void forget_both(spectra s[2], int64_t (*both)[2])
{
    free(both);
    free(s[0].value);
    free(s[1].value);
}

void report_spectra_difference(markup *out, const report *const r[2])
{
    spectra s[2] = {{0}, {0}};
    char time[REPORT_NUMBER], percent[REPORT_NUMBER], wave[REPORT_NUMBER];
    int64_t(*both)[2], count;
    double half = 0, worst = 0;
    read_both(r, s, &both, &count);
    if (count > 0)
        worst = worst_difference(s, both[count - 1], &half);
    if (half > 0 && isfinite(worst))
        markup_write(
            out,
            "<p>At <i>t</i> = %s the spectra differ by at most %s %% up to <i>k</i> = %s, half the largest wave "
            "number.</p>\n",
            report_number(spectra_time(&s[0], both[count - 1][0]), 4, time), report_number(100 * worst, 3, percent),
            report_number(half, 3, wave));
    forget_both(s, both);
}

int report_spectra_compare(markup *out, const report *const r[2], const char *const names[2])
{
    spectra s[2] = {{0}, {0}};
    char length[UNITS_MESSAGE], unit[UNITS_MESSAGE], name[REPORT_CURVES][REPORT_NAME + REPORT_NUMBER];
    char number[REPORT_NUMBER];
    int64_t(*both)[2], count;
    read_both(r, s, &both, &count);
    report_plot p = start_plot(r[0], length, unit);
    const int wanted = count < TOGETHER ? (int)count : TOGETHER;
    for (int c = 0; c < 2 * wanted; c++) {
        const int64_t k = spread(c / 2, wanted, count);
        snprintf(name[c], sizeof name[c], "%s, t = %.40s", names[c % 2],
                 report_number(spectra_time(&s[0], both[k][0]), 4, number));
        add_spectrum(&p, &s[c % 2], both[k][c % 2], name[c]);
    }
    forget_both(s, both);
    return finish_plot(out, &p);
}
