/* report_image.c - projections along the three axes: density images of the first and the last snapshot, or, of a few
 * bodies, where they were in every snapshot. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

enum {
    FEW = 32,            /* bodies that are drawn one by one */
    PATH_FRAMES = 400,   /* snapshots of them at most */
    PIXELS_MOST = 160,   /* edge of an image */
    PIXELS_LEAST = 32,   /* */
    SIDE = 300,          /* of the drawing with its axes */
    LEFT = 46,           /* */
    BOTTOM = 264,        /* */
    PANEL = BOTTOM - 16, /* edge of the square, in units of the drawing */
    TICKS = 8,           /* */
    HIGHEST = 28,        /* line of the uppermost number, below the name of the axis */
    VIEWS = 3,           /* projections */
    ATOMS_MOST = 2000,   /* atoms of a molecule that are drawn one by one */
    SEEN = 1 << 20       /* particles that an image shows: more of them would look the same */
};
#define DECADES 4.0   /* of density that an image spans at most */
#define OUTLIERS 0.04 /* part of the particles at either side of an axis that an image may leave out */
#define WIDEST 1.6    /* times the edge without them: an image is not wider for the sake of outliers */

static const char *const seen_fields[] = {"position", "mass", NULL};
static const report_part seen = {SEEN, seen_fields};

/* Which coordinates a projection shows: right, up. */
static const int view_axis[VIEWS][2] = {{0, 1}, {0, 2}, {1, 2}};
static const char axis_name[] = "xyz";

/* The part of space that all images show: a cube. */
typedef struct {
    double centre[3], half;
} window;

typedef struct {
    int pixels;
    int by_mass;
    double *sum[2 * VIEWS]; /* density, smoothed; [snapshot][view] */
    double least, most;     /* that colours span */
    double time[2];
    int64_t count[2], outside[2]; /* particles that were looked at */
    int64_t of[2];                /* that there are */
} images;

/* --- colours ------------------------------------------------------------------------------------------------------ */

void report_colour(int k, unsigned char rgb[3])
{
    /* from dark blue over grey to yellow: the lightness rises evenly and no red or green has to be told apart */
    static const double anchor[][3] = {{6, 10, 30},     {0, 42, 98},    {62, 78, 116},  {110, 112, 124},
                                       {158, 148, 116}, {208, 186, 92}, {248, 226, 98}, {255, 250, 205}};
    enum { ANCHORS = sizeof anchor / sizeof anchor[0] };
    const double at = k / 255.0 * (ANCHORS - 1);
    const int below = at < ANCHORS - 2 ? (int)at : ANCHORS - 2;
    for (int c = 0; c < 3; c++)
        rgb[c] = (unsigned char)(anchor[below][c] + (at - below) * (anchor[below + 1][c] - anchor[below][c]) + 0.5);
}

/* --- the window --------------------------------------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Widens [low, high] to what holds all but a part of the finite values at either side. Sorts a copy of them. */
static void extend(const double *x, int64_t n, double part, double *copy, double *low, double *high)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (fabs(x[i]) < REPORT_HUGE)
            copy[kept++] = x[i];
    if (kept == 0)
        return;
    qsort(copy, (size_t)kept, sizeof *copy, compare_numbers);
    *low = fmin(*low, copy[(int64_t)(part * (double)(kept - 1))]);
    *high = fmax(*high, copy[kept - 1 - (int64_t)(part * (double)(kept - 1))]);
}

static window make_window(const double low[3], const double high[3])
{
    window w = {.half = 0};
    for (int c = 0; c < 3; c++) {
        if (!(high[c] >= low[c]))
            continue;
        w.centre[c] = 0.5 * (low[c] + high[c]);
        w.half = fmax(w.half, 0.5 * (high[c] - low[c]));
    }
    w.half = w.half > 0 ? 1.15 * w.half : 1;
    return w;
}

/* The window that holds all but a part of the particles at either side of each axis. */
static int window_without(const report_shot shot[2], double part, window *w)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int s = 0; s < 2; s++) {
        const int64_t n = myr_particles_count(shot[s].particles);
        double *copy = malloc((size_t)(n + 1) * sizeof *copy);
        if (!copy)
            return cli_fail(CLI_FAILED, "no memory for images of %lld particles", (long long)n);
        for (int c = 0; c < 3; c++)
            extend(myr_particles_component_const(shot[s].particles, "position", c), n, part, copy, &low[c], &high[c]);
        free(copy);
    }
    *w = make_window(low, high);
    return CLI_OK;
}

/* All particles, unless a few of them are so far out that the others would be small: a ring is shown whole. */
static int find_window(const report_shot shot[2], window *w)
{
    window all = {.half = 0};
    *w = all;
    int code = window_without(shot, OUTLIERS, w);
    if (!code)
        code = window_without(shot, 0, &all);
    if (!code && all.half <= WIDEST * w->half)
        *w = all;
    return code;
}

/* --- densities ---------------------------------------------------------------------------------------------------- */

/* Whether all particles have a mass, so that the images can show it. */
static int have_masses(const myr_particles *particles)
{
    const double *mass = myr_particles_component_const(particles, "mass", 0);
    const int64_t n = myr_particles_count(particles);
    int64_t i = 0;
    while (mass && i < n && mass[i] > 0 && isfinite(mass[i]))
        i++;
    return mass && i == n;
}

/* The pixel of a coordinate, or -1 where it is outside. */
static int pixel_of(const window *w, int axis, double x, int pixels)
{
    const double at = (x - (w->centre[axis] - w->half)) / (2 * w->half) * pixels;
    return at >= 0 && at < pixels ? (int)at : -1;
}

static void count_particles(const window *w, const myr_particles *p, int s, images *m)
{
    const double *x[3], *mass = m->by_mass ? myr_particles_component_const(p, "mass", 0) : NULL;
    const double part = (double)m->count[s] / (double)m->of[s], area = part * pow(2 * w->half / m->pixels, 2);
    for (int c = 0; c < 3; c++)
        x[c] = myr_particles_component_const(p, "position", c);
    for (int64_t i = 0; i < m->count[s]; i++) {
        int at[3];
        for (int c = 0; c < 3; c++)
            at[c] = pixel_of(w, c, x[c][i], m->pixels);
        m->outside[s] += at[0] < 0 || at[1] < 0 || at[2] < 0;
        for (int v = 0; v < VIEWS; v++) {
            const int right = at[view_axis[v][0]], up = at[view_axis[v][1]];
            if (right >= 0 && up >= 0)
                m->sum[s * VIEWS + v][(m->pixels - 1 - up) * m->pixels + right] += (mass ? mass[i] : 1) / area;
        }
    }
}

/* One pass of the weights 1 4 6 4 1 along a line of pixels; what would leave the image stays in it. */
static void smooth_line(double *line, int pixels, int stride, double *copy)
{
    static const double weight[5] = {1 / 16.0, 4 / 16.0, 6 / 16.0, 4 / 16.0, 1 / 16.0};
    memset(copy, 0, (size_t)pixels * sizeof *copy);
    for (int k = 0; k < pixels; k++)
        for (int d = -2; d <= 2; d++) {
            const int to = k + d < 0 ? 0 : k + d >= pixels ? pixels - 1 : k + d;
            copy[to] += weight[d + 2] * line[k * stride];
        }
    for (int k = 0; k < pixels; k++)
        line[k * stride] = copy[k];
}

static void smooth(images *m, double *copy)
{
    for (int v = 0; v < 2 * VIEWS; v++) {
        for (int k = 0; k < m->pixels; k++)
            smooth_line(m->sum[v] + k * m->pixels, m->pixels, 1, copy);
        for (int k = 0; k < m->pixels; k++)
            smooth_line(m->sum[v] + k, m->pixels, m->pixels, copy);
    }
}

static void find_span(images *m)
{
    m->most = 0;
    for (int v = 0; v < 2 * VIEWS; v++)
        for (int k = 0; k < m->pixels * m->pixels; k++)
            m->most = fmax(m->most, m->sum[v][k]);
    m->least = m->most * pow(10, -DECADES);
    double smallest = m->most;
    for (int v = 0; v < 2 * VIEWS; v++)
        for (int k = 0; k < m->pixels * m->pixels; k++)
            if (m->sum[v][k] > m->least)
                smallest = fmin(smallest, m->sum[v][k]);
    m->least = smallest < m->most ? smallest : 0.1 * m->most;
}

/* --- drawing ------------------------------------------------------------------------------------------------------ */

static double place(const window *w, int axis, double value, double from, double to)
{
    return from + (value - (w->centre[axis] - w->half)) / (2 * w->half) * (to - from);
}

static void draw_frame(markup *out, const window *w, int view, const char *unit)
{
    double tick[TICKS];
    char text[REPORT_NUMBER];
    const int right = view_axis[view][0], up = view_axis[view][1];
    int count = report_ticks(w->centre[right] - w->half, w->centre[right] + w->half, 4, TICKS, tick);
    for (int k = 0; k < count; k++)
        markup_write(
            out,
            "<line class=\"tick\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/><text class=\"middle\" x=\"%.1f\" "
            "y=\"%d\">%s</text>",
            place(w, right, tick[k], LEFT, LEFT + PANEL), place(w, right, tick[k], LEFT, LEFT + PANEL), BOTTOM,
            BOTTOM + 4, place(w, right, tick[k], LEFT, LEFT + PANEL), BOTTOM + 15, report_tick(tick[k], text));
    count = report_ticks(w->centre[up] - w->half, w->centre[up] + w->half, 4, TICKS, tick);
    for (int k = 0; k < count; k++)
        markup_write(out,
                     "<line class=\"tick\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/><text class=\"end\" x=\"%d\" "
                     "y=\"%.1f\">%s</text>",
                     LEFT - 4, LEFT, place(w, up, tick[k], BOTTOM, BOTTOM - PANEL),
                     place(w, up, tick[k], BOTTOM, BOTTOM - PANEL), LEFT - 6,
                     fmax(place(w, up, tick[k], BOTTOM, BOTTOM - PANEL) + 4, HIGHEST), report_tick(tick[k], text));
    markup_write(out, "<text class=\"end\" x=\"%d\" y=\"%d\">%c%s", LEFT + PANEL, SIDE - 2, axis_name[right],
                 *unit ? " [" : "");
    report_unit(out, unit);
    markup_write(out, "%s</text><text x=\"4\" y=\"11\">%c%s", *unit ? "]" : "", axis_name[up], *unit ? " [" : "");
    report_unit(out, unit);
    markup_write(out, "%s</text>\n", *unit ? "]" : "");
}

void report_frame_write(markup *out, const double centre[3], double half, int view, const char *unit)
{
    draw_frame(out, &(window){{centre[0], centre[1], centre[2]}, half}, view, unit);
}

void report_frame_place(int *left, int *top, int *edge, int *side)
{
    *left = LEFT;
    *top = BOTTOM - PANEL;
    *edge = PANEL;
    *side = SIDE;
}

static void open_view(markup *out, int view, const char *what)
{
    markup_write(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>%s, projected onto the %c%c plane</title>\n",
                 SIDE, SIDE, what, axis_name[view_axis[view][0]], axis_name[view_axis[view][1]]);
}

static void draw_image(markup *out, const images *m, int v, unsigned char *pixel)
{
    for (int k = 0; k < m->pixels * m->pixels; k++) {
        const double d = m->sum[v][k], at = 1 + 254 * log(d / m->least) / log(m->most / m->least);
        pixel[k] = (unsigned char)(d > 0 && at > 0 ? fmin(at, 255) : 0);
    }
    markup_write(out, "<image x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" preserveAspectRatio=\"none\" href=\"", LEFT,
                 BOTTOM - PANEL, PANEL, PANEL);
    report_png_write(out, m->pixels, m->pixels, pixel);
    markup_write(out, "\"/>\n");
}

void report_colours_write(markup *out, double least)
{
    unsigned char ramp[256];
    char low[REPORT_NUMBER];
    for (int k = 0; k < 256; k++)
        ramp[k] = (unsigned char)k;
    markup_write(out, "<p class=\"scale\"><span>%s</span><img alt=\"colours from low to high\" src=\"",
                 report_number(least, 2, low));
    report_png_write(out, 256, 1, ramp);
    markup_write(out, "\">");
}

static void draw_scale(markup *out, const images *m, const char *mass, const char *length)
{
    char high[REPORT_NUMBER];
    report_colours_write(out, m->least);
    markup_write(out, "<span>%s ", report_number(m->most, 2, high));
    report_unit(out, m->by_mass ? mass : "particles");
    if (*length) {
        markup_write(out, "/");
        report_unit(out, length);
        markup_write(out, "²");
    } else {
        markup_write(out, "%s", m->by_mass ? "mass/length²" : "/length²");
    }
    markup_write(out, ", logarithmic</span></p>\n");
}

/* "Start, t = 0 Myr; 12 of 1000 particles are outside the images." */
static void draw_heading(markup *out, const images *m, int s, const char *unit)
{
    char a[REPORT_NUMBER], b[REPORT_NUMBER];
    markup_write(out, "<figcaption><h3>%s, <i>t</i> = %s ", s == 0 ? "First snapshot" : "Last snapshot",
                 report_number(m->time[s], 4, a));
    report_unit(out, unit);
    markup_write(out, "</h3>");
    if (m->count[s] < m->of[s])
        markup_write(out, "<p>The images are made from %s of %s particles.</p>", report_integer((double)m->count[s], a),
                     report_integer((double)m->of[s], b));
    if (m->outside[s])
        markup_write(out, "<p>%s of %s particles are outside the cube that the images show.</p>",
                     report_integer((double)m->outside[s], a), report_integer((double)m->count[s], b));
    markup_write(out, "</figcaption>\n");
}

static int draw_images(markup *out, const report *r, const window *w, const images *m)
{
    char length[UNITS_MESSAGE], mass[UNITS_MESSAGE], time[UNITS_MESSAGE];
    unsigned char *pixel = malloc((size_t)m->pixels * (size_t)m->pixels);
    if (!pixel)
        return cli_fail(CLI_FAILED, "no memory for images");
    units_label(&r->in->units, UNITS_LENGTH, length);
    units_label(&r->in->units, UNITS_MASS, mass);
    units_label(&r->in->units, UNITS_TIME, time);
    markup_write(out, "<p>%s per area along each axis, smoothed over a pixel.</p>\n",
                 m->by_mass ? "Mass" : "Particles");
    draw_scale(out, m, mass, length);
    for (int s = 0; s < 2; s++) {
        markup_write(out, "<figure class=\"images\">");
        draw_heading(out, m, s, time);
        markup_write(out, "<div class=\"views\">");
        for (int v = 0; v < VIEWS; v++) {
            open_view(out, v, "Density");
            draw_image(out, m, s * VIEWS + v, pixel);
            draw_frame(out, w, v, length);
            markup_write(out, "</svg>");
        }
        markup_write(out, "</div></figure>\n");
    }
    free(pixel);
    return CLI_OK;
}

static int make_images(markup *out, const report *r, const report_shot shot[2], images *m)
{
    window w;
    int code = find_window(shot, &w);
    if (code)
        return code;
    const double edge = 1.1 * sqrt((double)myr_particles_count(shot[0].particles));
    m->pixels = edge > PIXELS_MOST ? PIXELS_MOST : edge < PIXELS_LEAST ? PIXELS_LEAST : (int)edge;
    m->by_mass = have_masses(shot[0].particles) && have_masses(shot[1].particles);
    const size_t size = (size_t)m->pixels * (size_t)m->pixels;
    double *memory = calloc(2 * VIEWS * size + (size_t)m->pixels, sizeof *memory);
    if (!memory)
        return cli_fail(CLI_FAILED, "no memory for images");
    for (int v = 0; v < 2 * VIEWS; v++)
        m->sum[v] = memory + (size_t)v * size;
    for (int s = 0; s < 2; s++) {
        m->time[s] = shot[s].time;
        m->count[s] = myr_particles_count(shot[s].particles);
        m->of[s] = shot[s].of;
        count_particles(&w, shot[s].particles, s, m);
    }
    smooth(m, memory + 2 * VIEWS * size);
    find_span(m);
    code = m->most > 0 ? draw_images(out, r, &w, m) : CLI_OK;
    free(memory);
    return code;
}

/* --- a few bodies ------------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t bodies, frames;
    double *position; /* [frame][body][3]; NaN = not there */
} paths;

static void take_positions(const myr_particles *first, const myr_particles *now, double *position)
{
    for (int64_t i = 0; i < myr_particles_count(first); i++) {
        int64_t k = 0;
        while (k < myr_particles_count(now) && myr_particles_ids(now)[k] != myr_particles_ids(first)[i])
            k++;
        for (int c = 0; c < 3; c++)
            position[3 * i + c] =
                k < myr_particles_count(now) ? myr_particles_component_const(now, "position", c)[k] : NAN;
    }
}

static int read_paths(report *r, const myr_particles *first, paths *p)
{
    const int64_t frames = r->snapshots < PATH_FRAMES ? r->snapshots : PATH_FRAMES;
    p->bodies = myr_particles_count(first);
    p->position = malloc((size_t)(3 * p->bodies * frames + 1) * sizeof *p->position);
    if (!p->position)
        return cli_fail(CLI_FAILED, "no memory for the paths of %lld bodies", (long long)p->bodies);
    for (int64_t k = 0; k < frames; k++) {
        report_shot now;
        const int code = report_snapshot(r, frames > 1 ? k * (r->snapshots - 1) / (frames - 1) : 0, seen, &now);
        if (code)
            return code;
        if (now.particles)
            take_positions(first, now.particles, p->position + 3 * p->bodies * p->frames++);
        myr_particles_destroy(&now.particles);
    }
    return CLI_OK;
}

static void draw_paths(markup *out, const paths *p, const window *w, int view)
{
    for (int64_t i = 0; i < p->bodies; i++) {
        markup_write(out, "<g class=\"dots c%d\">", (int)(i % REPORT_CATEGORIES));
        for (int64_t k = 0; k < p->frames; k++) {
            const double *x = p->position + 3 * (k * p->bodies + i);
            if (!(fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2]))) < REPORT_HUGE))
                continue;
            markup_write(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"/>",
                         place(w, view_axis[view][0], x[view_axis[view][0]], LEFT, LEFT + PANEL),
                         place(w, view_axis[view][1], x[view_axis[view][1]], BOTTOM, BOTTOM - PANEL),
                         k == p->frames - 1 ? "3.5" : "1.2");
        }
        markup_write(out, "</g>\n");
    }
}

/* Whose colour is whose, where bodies have names. */
static void draw_names(markup *out, const report *r, const myr_particles *first)
{
    const int64_t *id = myr_particles_ids(first);
    if (!report_body_name(r, id[0]))
        return;
    markup_write(out, "<ul class=\"legend\">");
    for (int64_t i = 0; i < myr_particles_count(first); i++) {
        const char *name = report_body_name(r, id[i]);
        markup_write(out,
                     "<li><svg viewBox=\"0 0 28 8\" aria-hidden=\"true\"><circle class=\"dots c%d\" cx=\"14\" "
                     "cy=\"4\" r=\"4\"/></svg>%s</li>",
                     (int)(i % REPORT_CATEGORIES), name ? name : "");
    }
    markup_write(out, "</ul>");
}

static int make_paths(markup *out, report *r, const myr_particles *first)
{
    paths p = {0};
    char length[UNITS_MESSAGE], text[REPORT_NUMBER];
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    const int code = read_paths(r, first, &p);
    for (int64_t k = 0; k < 3 * p.bodies * p.frames; k++)
        if (fabs(p.position[k]) < REPORT_HUGE) {
            low[k % 3] = fmin(low[k % 3], p.position[k]);
            high[k % 3] = fmax(high[k % 3], p.position[k]);
        }
    const window w = make_window(low, high);
    units_label(&r->in->units, UNITS_LENGTH, length);
    if (!code) {
        markup_write(out, "<p>Where each body is in %s snapshot%s, seen along the axes; large: in the last.</p>",
                     report_integer((double)p.frames, text), myr_plural(p.frames));
        markup_write(out, "<figure class=\"images\"><div class=\"views\">");
        for (int v = 0; v < VIEWS; v++) {
            open_view(out, v, "Paths");
            markup_write(out, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", LEFT,
                         BOTTOM - PANEL, PANEL, PANEL);
            draw_paths(out, &p, &w, v);
            draw_frame(out, &w, v, length);
            markup_write(out, "</svg>");
        }
        markup_write(out, "</div>");
        draw_names(out, r, first);
        markup_write(out, "</figure>\n");
    }
    free(p.position);
    return code;
}

/* --- both --------------------------------------------------------------------------------------------------------- */

int report_find_snapshot(report *r, int64_t from, int64_t step, report_part part, report_shot *shot)
{
    int code = CLI_OK;
    *shot = (report_shot){0};
    for (int64_t k = from; k >= 0 && k < r->snapshots && !code && !shot->particles; k += step) {
        code = report_snapshot(r, k, part, shot);
        if (shot->of == 0)
            myr_particles_destroy(&shot->particles);
    }
    return code;
}

int report_images_write(markup *out, report *r, int *shown)
{
    report_shot shot[2] = {{0}};
    images m = {0};
    *shown = 0;
    int code = report_find_snapshot(r, 0, 1, seen, &shot[0]);
    if (!code && shot[0].particles)
        code = report_find_snapshot(r, r->snapshots - 1, -1, seen, &shot[1]);
    if (!code && shot[0].particles && shot[1].particles) {
        *shown = 2;
        code = input_is_molecule(r->in) && shot[1].of <= ATOMS_MOST ? report_atoms_write(out, r, &shot[1])
               : shot[0].of <= FEW                                  ? make_paths(out, r, shot[0].particles)
                                                                    : make_images(out, r, shot, &m);
    }
    myr_particles_destroy(&shot[0].particles);
    myr_particles_destroy(&shot[1].particles);
    return code;
}
