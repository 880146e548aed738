/* report_surface.c - a surface in a box, drawn from one side: nearest points first (z-buffer), lit from the upper left.
 * Points that are far away are darker. The picture is drawn twice as large as it is shown, and averaged. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "report/surface.h"

enum { PIXELS = 360, FINE = 2 * PIXELS, BACKGROUND = 0, FRAME = 96 };
#define DISTANCE 4.0 /* of the eye from the middle of the box, in edges */
#define SCALE 0.58   /* of an edge at that distance, in pictures */

typedef struct {
    float depth[FINE * FINE];
    unsigned char shade[FINE * FINE];
} canvas;

/* Turned about the vertical axis (z), then tilted towards the eye: right, up, near. */
static void turn(const double in[3], double out[3])
{
    static const double azimuth = 0.5, tilt = 0.4;
    const double right = in[0] * cos(azimuth) + in[1] * sin(azimuth);
    const double away = in[1] * cos(azimuth) - in[0] * sin(azimuth);
    out[0] = right;
    out[1] = in[2] * cos(tilt) + away * sin(tilt);
    out[2] = in[2] * sin(tilt) - away * cos(tilt);
}

/* A place in units of the box to pixels and nearness. */
static void project(const double place[3], double pixel[3])
{
    const double from[3] = {place[0] - 0.5, place[1] - 0.5, place[2] - 0.5};
    double seen[3];
    turn(from, seen);
    const double scale = SCALE * FINE * DISTANCE / (DISTANCE - seen[2]);
    pixel[0] = 0.5 * FINE + scale * seen[0];
    pixel[1] = 0.5 * FINE - scale * seen[1];
    pixel[2] = seen[2];
}

static unsigned char lit(const double normal[3], double nearness)
{
    static const double light[3] = {-0.42, 0.56, 0.71};
    double seen[3];
    turn(normal, seen);
    const double side = seen[2] < 0 ? -1 : 1; /* the inner side of a surface that the box cuts is seen, too */
    const double cosine = side * (seen[0] * light[0] + seen[1] * light[1] + seen[2] * light[2]);
    const double bright = (0.3 + 0.7 * fmax(0, cosine)) * (0.8 + 0.25 * nearness);
    return (unsigned char)(50 + 200 * fmin(1, fmax(0, bright)));
}

static void put_point(canvas *c, int x, int y, double nearness, unsigned char shade)
{
    if (x < 0 || y < 0 || x >= FINE || y >= FINE || nearness <= c->depth[y * FINE + x])
        return;
    c->depth[y * FINE + x] = (float)nearness;
    c->shade[y * FINE + x] = shade;
}

static double twice_area(const double a[3], const double b[3], double x, double y)
{
    return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

static int clipped(double pixel)
{
    return pixel < 0 ? 0 : pixel > FINE - 1 ? FINE - 1 : (int)pixel;
}

static void draw_triangle(canvas *c, const surface_vertex v[3], double side)
{
    double p[3][3], low[2], high[2];
    for (int k = 0; k < 3; k++)
        project((const double[3]){v[k].at[0] / side, v[k].at[1] / side, v[k].at[2] / side}, p[k]);
    for (int d = 0; d < 2; d++) {
        low[d] = fmin(p[0][d], fmin(p[1][d], p[2][d]));
        high[d] = fmax(p[0][d], fmax(p[1][d], p[2][d]));
    }
    const double area = twice_area(p[0], p[1], p[2][0], p[2][1]);
    for (int y = clipped(ceil(low[1])); area != 0 && y <= clipped(high[1]); y++)
        for (int x = clipped(ceil(low[0])); x <= clipped(high[0]); x++) {
            double part[3], normal[3] = {0}, near = 0;
            int inside = 1;
            for (int k = 0; k < 3; k++) {
                part[k] = twice_area(p[(k + 1) % 3], p[(k + 2) % 3], x, y) / area;
                inside = inside && part[k] >= 0;
                near += part[k] * p[k][2];
                for (int d = 0; d < 3; d++)
                    normal[d] += part[k] * v[k].normal[d];
            }
            if (inside)
                put_point(c, x, y, near, lit(normal, near));
        }
}

/* The edges of the box. */
static void draw_box(canvas *c)
{
    for (int a = 0; a < 8; a++)
        for (int axis = 0; axis < 3; axis++) {
            double from[3], to[3];
            if (a >> axis & 1)
                continue;
            project((const double[3]){a & 1, a >> 1 & 1, a >> 2}, from);
            const int b = a | 1 << axis;
            project((const double[3]){b & 1, b >> 1 & 1, b >> 2}, to);
            for (int k = 0; k <= FINE; k++) {
                const double t = (double)k / FINE, x = from[0] + t * (to[0] - from[0]);
                const double y = from[1] + t * (to[1] - from[1]), near = from[2] + t * (to[2] - from[2]);
                put_point(c, (int)x, (int)y, near, FRAME);
                put_point(c, (int)x + 1, (int)y, near, FRAME);
            }
        }
}

int report_surface_write(markup *out, const double *field, int64_t side, double value, const char *text)
{
    static const int box = 300;
    surface s = {0};
    canvas *c = malloc(sizeof *c);
    unsigned char *pixel = malloc((size_t)PIXELS * PIXELS);
    const int failed = !c || !pixel || surface_make(field, side, value, &s);
    if (!failed) {
        memset(c->shade, BACKGROUND, sizeof c->shade);
        for (int k = 0; k < FINE * FINE; k++)
            c->depth[k] = -10;
        for (int64_t t = 0; t < s.triangles; t++)
            draw_triangle(c, s.vertex + 3 * t, (double)side);
        draw_box(c);
        for (int k = 0; k < PIXELS * PIXELS; k++) {
            const unsigned char *at = c->shade + (size_t)(k / PIXELS) * 2 * FINE + (size_t)(k % PIXELS) * 2;
            pixel[k] = (unsigned char)((at[0] + at[1] + at[FINE] + at[FINE + 1] + 2) / 4);
        }
        markup_write(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>Surface of %lld triangles: ", box, box + 18,
                     (long long)s.triangles);
        markup_text(out, text);
        markup_write(out, "</title>\n<image x=\"0\" y=\"0\" width=\"%d\" height=\"%d\" href=\"", box, box);
        report_png_write(out, PIXELS, PIXELS, pixel);
        markup_write(out, "\"/>\n<text class=\"middle\" x=\"%d\" y=\"%d\">", box / 2, box + 14);
        markup_text(out, text);
        markup_write(out, "</text></svg>\n");
    }
    surface_free(&s);
    free(pixel);
    free(c);
    return failed ? cli_fail(CLI_FAILED, "no memory for a picture of a surface") : CLI_OK;
}
