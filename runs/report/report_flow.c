/* report_flow.c - the parts of a page that only a fluid has: slices of its vorticity, and surfaces of the second
 * invariant. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/flow.h>

#include "report/report.h"

enum { VIEWS = 3 };

int report_is_flow(const report *r)
{
    return input_is(r->in, KEY_interaction_method, KEYS_SPECTRAL);
}

/* --- slices ------------------------------------------------------------------------------------------------------- */

/* Pixel (right, up) of a view of the plane through the middle. */
static double slice_value(const report_field *f, int view, int64_t right, int64_t up)
{
    static const int axes[VIEWS][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}}; /* right, up, away */
    int64_t at[3];
    at[axes[view][0]] = right;
    at[axes[view][1]] = up;
    at[axes[view][2]] = f->side / 2;
    return f->rotation[(at[2] * f->side + at[1]) * f->side + at[0]];
}

double report_slices_largest(const report_field *f)
{
    double most = 0;
    for (int v = 0; v < VIEWS; v++)
        for (int64_t k = 0; k < f->side * f->side; k++)
            most = fmax(most, slice_value(f, v, k % f->side, k / f->side));
    return most;
}

void report_slices_draw(markup *out, const report *r, const report_field *f, const char *title, double most)
{
    int left, top, edge, box;
    char label[UNITS_MESSAGE], number[REPORT_NUMBER];
    const int side = (int)f->side;
    const double half = 0.5 * f->spacing * (double)side;
    double centre[3];
    unsigned char *pixel = malloc((size_t)side * (size_t)side);
    for (int c = 0; c < 3; c++)
        centre[c] = f->low[c] - 0.5 * f->spacing + half; /* points are in the middle of pixels */
    report_frame_place(&left, &top, &edge, &box);
    markup_write(out, "<figure class=\"images\"><figcaption><h3>");
    markup_text(out, title);
    markup_write(out, ", <i>t</i> = %s ", report_number(f->time, 4, number));
    report_unit(out, units_label(&r->in->units, UNITS_TIME, label));
    markup_write(out, "</h3></figcaption><div class=\"views\">");
    for (int v = 0; v < VIEWS && pixel; v++) {
        for (int k = 0; k < side * side; k++) {
            const double rotation = slice_value(f, v, k % side, side - 1 - k / side);
            pixel[k] = (unsigned char)(most > 0 ? fmin(255, 255 * rotation / most) : 0);
        }
        markup_write(out,
                     "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>Vorticity in a plane through the middle</title>\n"
                     "<image x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" preserveAspectRatio=\"none\" href=\"",
                     box, box, left, top, edge, edge);
        report_png_write(out, side, side, pixel);
        markup_write(out, "\"/>\n");
        report_frame_write(out, centre, half, v, units_label(&r->in->units, UNITS_LENGTH, label));
        markup_write(out, "</svg>");
    }
    markup_write(out, "</div>");
    report_colours_write(out, 0);
    markup_write(out, "<span>|ω| = %s ", report_number(most, 3, number));
    report_unit(out, units_label(&r->in->units, UNITS_RATE, label));
    markup_write(out, "</span></p></figure>\n");
    free(pixel);
}

void report_slices_explain(markup *out)
{
    markup_write(out, "<p>Vorticity |ω| in planes through the middle.</p>\n");
}

/* --- surfaces ----------------------------------------------------------------------------------------------------- */

void report_surfaces_explain(markup *out, const report *r, double value)
{
    char label[UNITS_MESSAGE], number[REPORT_NUMBER];
    markup_write(out,
                 "<p>Surfaces of the second invariant of the velocity gradient, II = ∂u<sub>i</sub>/∂x<sub>j</sub> "
                 "∂u<sub>j</sub>/∂x<sub>i</sub> = %s%s",
                 report_number(value, 3, number), *units_label(&r->in->units, UNITS_RATE_SQUARED, label) ? " " : "");
    report_unit(out, label);
    markup_write(out, ": inside, rotation is stronger than strain.</p>\n");
}

static int surface_draw(markup *out, const report_field *f, const char *title, double value)
{
    char number[REPORT_NUMBER], text[REPORT_NUMBER + 64];
    snprintf(text, sizeof text, "%s, t = %s", title, report_number(f->time, 4, number));
    return report_surface_write(out, f->invariant, f->side, value, text);
}

/* --- both --------------------------------------------------------------------------------------------------------- */

int report_flow_write(markup *out, report *r, int *shown)
{
    static const char *const title[2] = {"First snapshot", "Last snapshot"};
    report_field f[2] = {{0}, {0}};
    double value = 0;
    int code = CLI_OK;
    *shown = 0;
    for (int k = 0; k < 2 && !code; k++) {
        code = report_field_read(r, k ? r->snapshots - 1 : 0, k ? -1 : 1, NULL, &f[k]);
        value = f[k].side ? -REPORT_SURFACE * report_field_rms(f[k].invariant, f[k].side) : value;
        *shown += f[k].side > 0;
    }
    if (!code && *shown)
        report_slices_explain(out);
    for (int k = 0; k < 2 && !code; k++)
        if (f[k].side)
            report_slices_draw(out, r, &f[k], title[k], report_slices_largest(&f[k]));
    if (!code && *shown && value < 0) {
        report_surfaces_explain(out, r, value);
        markup_write(out, "<figure class=\"images\" id=\"surfaces\"><div class=\"views\">");
        for (int k = 0; k < 2 && !code; k++)
            code = f[k].side ? surface_draw(out, &f[k], title[k], value) : CLI_OK;
        markup_write(out, "</div></figure>\n");
    }
    for (int k = 0; k < 2; k++)
        report_field_free(&f[k]);
    return code;
}
