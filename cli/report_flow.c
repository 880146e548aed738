/* report_flow.c - the parts of a page that only a fluid has: its energy spectra, and slices of its vorticity. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/flow.h>

#include "report.h"

enum { LINE = 256, VIEWS = 3, PIXELS_MOST = 256 };

int report_is_flow(const report *r)
{
    return input_is(r->in, KEY_interaction_method, KEYS_SPECTRAL);
}

/* --- spectra ------------------------------------------------------------------------------------------------------ */

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

/* Curve c of `curves`, spread over the times. */
static double *spectra_curve(const spectra *s, int c, int curves, char name[REPORT_NUMBER])
{
    const int64_t time = curves > 1 ? c * (s->times - 1) / (curves - 1) : 0, first = time * s->shells;
    char number[REPORT_NUMBER];
    double *energy = malloc((size_t)s->shells * sizeof *energy);
    for (int64_t k = 0; energy && k < s->shells; k++)
        energy[k] = s->value[3 * (first + k) + 2];
    snprintf(name, REPORT_NUMBER, "t = %.40s", report_number(s->value[3 * first], 4, number));
    return energy;
}

/* What is far below the largest is rounding, and would hide the rest. */
static void spectra_cut(const spectra *s, double *energy)
{
    double most = 0;
    for (int64_t k = 0; k < s->shells; k++)
        most = fmax(most, energy[k]);
    for (int64_t k = 0; k < s->shells; k++)
        if (energy[k] < 1e-14 * most)
            energy[k] = NAN;
}

int report_spectra_write(FILE *out, const report *r)
{
    spectra s = {0};
    char length[UNITS_MESSAGE], unit[UNITS_MESSAGE], name[REPORT_CURVES][REPORT_NUMBER];
    if (!report_is_flow(r))
        return 0;
    spectra_read(r, &s);
    double *wave = malloc((size_t)(s.shells + 1) * sizeof *wave);
    for (int64_t k = 0; wave && k < s.shells; k++)
        wave[k] = s.value[3 * k + 1];
    report_plot p = {.id = "spectra",
                     .title = "Energy spectrum",
                     .text = "E(k), whose sum over the wave numbers is the kinetic energy.",
                     .unit = units_label(&r->in->units, UNITS_SPECTRUM, unit),
                     .time_unit = units_label(&r->in->units, UNITS_WAVE_NUMBER, length),
                     .x_name = "k",
                     .x_log = 1,
                     .scale = REPORT_LOG,
                     .count = wave ? s.shells : 0,
                     .time = wave};
    const int wanted = s.times < REPORT_CURVES ? (int)s.times : REPORT_CURVES;
    for (int c = 0; c < wanted; c++) {
        double *energy = spectra_curve(&s, c, wanted, name[p.curves]);
        if (!energy)
            continue;
        spectra_cut(&s, energy);
        p.curve[p.curves] = (report_curve){name[p.curves], energy};
        p.curves++;
    }
    const int written = report_plot_write(out, &p);
    for (int c = 0; c < p.curves; c++)
        free((void *)p.curve[c].value);
    free(wave);
    free(s.value);
    return written;
}

/* --- slices ------------------------------------------------------------------------------------------------------- */

/* The speed of rotation on planes through the middle, x right and y up, and so on: [view][up][right]. */
typedef struct {
    int side;
    double *rotation[VIEWS];
    double centre[3], half, time;
} slices;

/* The place of a coordinate along an axis of the mesh. */
static int slice_place(const slices *s, int axis, double x)
{
    return (int)floor((x - (s->centre[axis] - s->half)) / (2 * s->half) * s->side);
}

static void slices_fill(const myr_particles *p, slices *s)
{
    static const int axes[VIEWS][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}}; /* right, up, away */
    for (int64_t i = 0; i < myr_particles_count(p); i++) {
        double square = 0;
        int at[3];
        for (int c = 0; c < 3; c++) {
            const double w = myr_particles_component_const(p, "vorticity", c)[i];
            square += w * w;
            at[c] = slice_place(s, c, myr_particles_component_const(p, "position", c)[i]);
        }
        for (int v = 0; v < VIEWS; v++)
            if (at[axes[v][2]] == s->side / 2)
                s->rotation[v][(s->side - 1 - at[axes[v][1]]) * s->side + at[axes[v][0]]] = sqrt(square);
    }
}

/* The slices of a snapshot. Meshes without vorticity (of a build without FFTW, or damaged) have none: side 0. */
static int slices_make(myr_particles *p, slices *s)
{
    const int64_t n = myr_particles_count(p), side = llround(cbrt((double)n));
    if (side * side * side != n || side > 4 * PIXELS_MOST || myr_flow_derive(p) != MYR_OK)
        return CLI_OK;
    for (int c = 0; c < 3; c++) {
        const double *x = myr_particles_component_const(p, "position", c);
        double low = x[0], high = x[0];
        for (int64_t i = 0; i < n; i++) {
            low = fmin(low, x[i]);
            high = fmax(high, x[i]);
        }
        s->half = 0.5 * (high - low) * (double)side / (double)(side - 1);
        s->centre[c] = low + s->half - (high - low) / (double)(2 * (side - 1)); /* points in the middle of pixels */
    }
    for (int v = 0; v < VIEWS; v++)
        if (!(s->rotation[v] = calloc((size_t)(side * side), sizeof **s->rotation)))
            return cli_fail(CLI_FAILED, "no memory for slices");
    s->side = (int)side;
    slices_fill(p, s);
    return CLI_OK;
}

static void slices_draw(FILE *out, const report *r, const slices *s, int last, double most)
{
    int left, top, edge, box;
    char label[UNITS_MESSAGE], number[REPORT_NUMBER];
    unsigned char *pixel = malloc((size_t)s->side * (size_t)s->side);
    report_frame_place(&left, &top, &edge, &box);
    fprintf(out, "<figure class=\"images\"><figcaption><h3>%s, <i>t</i> = %s ",
            last ? "Last snapshot" : "First snapshot", report_number(s->time, 4, number));
    report_unit(out, units_label(&r->in->units, UNITS_TIME, label));
    fprintf(out, "</h3></figcaption><div class=\"views\">");
    for (int v = 0; v < VIEWS && pixel; v++) {
        for (int k = 0; k < s->side * s->side; k++)
            pixel[k] = (unsigned char)(most > 0 ? fmin(255, 255 * s->rotation[v][k] / most) : 0);
        fprintf(out,
                "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>Vorticity in a plane through the middle</title>\n"
                "<image x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" preserveAspectRatio=\"none\" href=\"",
                box, box, left, top, edge, edge);
        report_png_write(out, s->side, s->side, pixel);
        fprintf(out, "\"/>\n");
        report_frame_write(out, s->centre, s->half, v, units_label(&r->in->units, UNITS_LENGTH, label));
        fprintf(out, "</svg>");
    }
    fprintf(out, "</div></figure>\n");
    free(pixel);
}

int report_slices_write(FILE *out, report *r, int *shown)
{
    slices s[2] = {{0}, {0}};
    char label[UNITS_MESSAGE], number[REPORT_NUMBER];
    double most = 0;
    int code = CLI_OK;
    *shown = 0;
    for (int k = 0; k < 2 && !code; k++) {
        myr_particles *p = NULL;
        code = report_find_snapshot(r, k ? r->snapshots - 1 : 0, k ? -1 : 1, &p, &s[k].time);
        if (!code && p)
            code = slices_make(p, &s[k]);
        myr_particles_destroy(&p);
        for (int i = 0; i < s[k].side * s[k].side * VIEWS; i++)
            most = fmax(most, s[k].rotation[i % VIEWS][i / VIEWS]);
        *shown += s[k].side > 0;
    }
    if (!code && *shown) {
        fprintf(out, "<p>Vorticity |ω| in planes through the middle, from 0 (dark) to %s ",
                report_number(most, 3, number));
        report_unit(out, units_label(&r->in->units, UNITS_RATE, label));
        fprintf(out, " (bright).</p>\n");
    }
    for (int k = 0; k < 2; k++) {
        if (!code && s[k].side)
            slices_draw(out, r, &s[k], k, most);
        for (int v = 0; v < VIEWS; v++)
            free(s[k].rotation[v]);
    }
    return code;
}
