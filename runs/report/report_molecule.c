/* report_molecule.c - where the torsions of a backbone have been: the map of Ramachandran, and each by itself. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/report.h"

enum { BINS = 36, TICKS = 5 };

typedef struct {
    double phi[BINS], psi[BINS], both[BINS * BINS]; /* shares of the rows; rows of the map from the top */
    int64_t rows;
} torsions;

/* The bin of an angle from -180 to 180. */
static int bin_of(double angle)
{
    const int bin = (int)floor((angle + 180) * BINS / 360);
    return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
}

static void torsions_count(const report *r, torsions *t)
{
    const int phi = report_csv_column(&r->csv, "phi"), psi = report_csv_column(&r->csv, "psi");
    for (int64_t row = 0; phi >= 0 && psi >= 0 && row < r->csv.rows; row++) {
        const double a = report_csv_value(&r->csv, row, phi), b = report_csv_value(&r->csv, row, psi);
        if (!isfinite(a) || !isfinite(b))
            continue;
        t->rows++;
        t->phi[bin_of(a)]++;
        t->psi[bin_of(b)]++;
        t->both[(BINS - 1 - bin_of(b)) * BINS + bin_of(a)]++;
    }
    for (int k = 0; t->rows && k < BINS; k++) {
        t->phi[k] /= (double)t->rows;
        t->psi[k] /= (double)t->rows;
    }
}

/* Numbers along both axes, and their names, as those of other pictures. */
static void map_axes(markup *out, int left, int top, int edge, int side)
{
    for (int k = 0; k < TICKS; k++) {
        const int angle = -180 + 360 * k / (TICKS - 1), at = edge * k / (TICKS - 1);
        markup_write(out, "<line class=\"tick\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>", left + at, left + at,
                     top + edge, top + edge + 4);
        const int last = k == TICKS - 1; /* its numbers stay inside, and apart from the names of the axes */
        markup_write(out, "<text class=\"%s\" x=\"%d\" y=\"%d\">%d</text>", last ? "end" : "middle", left + at,
                     top + edge + 15, angle);
        markup_write(out, "<line class=\"tick\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>", left - 4, left,
                     top + edge - at, top + edge - at);
        markup_write(out, "<text class=\"end\" x=\"%d\" y=\"%d\">%d</text>\n", left - 6,
                     top + edge - at + (last ? 12 : 4), angle);
    }
    markup_write(out, "<text class=\"end\" x=\"%d\" y=\"%d\">φ [°]</text><text x=\"4\" y=\"11\">ψ [°]</text>\n",
                 left + edge, side - 2);
}

/* Shares from none (dark) to the largest (bright), logarithmic over three decades. */
static void map_write(markup *out, const torsions *t)
{
    int left, top, edge, side;
    unsigned char pixel[BINS * BINS];
    double most = 0;
    for (int k = 0; k < BINS * BINS; k++)
        most = fmax(most, t->both[k]);
    for (int k = 0; k < BINS * BINS; k++)
        pixel[k] = (unsigned char)(t->both[k] > 0 ? fmax(20, 255 + 85 * log10(t->both[k] / most)) : 0);
    report_frame_place(&left, &top, &edge, &side);
    markup_write(
        out,
        "<figure class=\"images\" id=\"ramachandran\"><figcaption><h3>Torsions of the backbone</h3>"
        "<p>Where φ and ψ have been together, by %lld line%s of diagnostics.csv, in bins of 10 degrees; bright is "
        "often, on a logarithmic scale.</p></figcaption><div class=\"views\">"
        "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>Map of Ramachandran</title>\n"
        "<image x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" preserveAspectRatio=\"none\" "
        "class=\"pixels\" href=\"",
        (long long)t->rows, myr_plural(t->rows), side, side, left, top, edge, edge);
    report_png_write(out, BINS, BINS, pixel);
    markup_write(out, "\"/>\n");
    map_axes(out, left, top, edge, side);
    markup_write(out, "</svg></div></figure>\n");
}

int report_torsions_write(markup *out, const report *r)
{
    torsions *t = calloc(1, sizeof *t);
    double angle[BINS];
    if (!t)
        return 0;
    torsions_count(r, t);
    int written = 0;
    if (t->rows > 1) {
        for (int k = 0; k < BINS; k++)
            angle[k] = -180 + 360 * (k + 0.5) / BINS;
        const report_plot p = {.id = "torsions",
                               .title = "Torsions of the backbone",
                               .text = "Share of the lines of diagnostics.csv with an angle, in bins of 10 degrees.",
                               .unit = "",
                               .time_unit = "degrees",
                               .x_name = "angle",
                               .scale = REPORT_LINEAR,
                               .count = BINS,
                               .time = angle,
                               .curves = 2,
                               .curve = {{"φ", t->phi}, {"ψ", t->psi}}};
        written = report_plot_write(out, &p);
        map_write(out, t);
    }
    free(t);
    return written;
}
