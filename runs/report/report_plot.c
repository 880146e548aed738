/* report_plot.c - plots as SVG. The pictures are small, so that their text can be read on a phone, where they fill the
 * width; colours and dashes of the curves are in page.css. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

enum { WIDTH = 360, HEIGHT = 220, LEFT = 64, RIGHT = 338, TOP = 20, BOTTOM = 188, TICKS = 12, COLUMNS = 274 };
#define LOG_RATIO 30.0 /* automatic scale: logarithmic where values differ by more */
#define LOG_LEAST 3.0  /* linear where they differ by less, whatever was asked for: there would be no marks */

/* A range of values and the pixels that it covers. */
typedef struct {
    double low, high;
    double from, to; /* pixels */
    int log;
} axis;

static double axis_place(const axis *a, double value)
{
    const double v = a->log ? log10(value) : value;
    return a->from + (v - a->low) / (a->high - a->low) * (a->to - a->from);
}

int report_ticks(double low, double high, int wanted, int room, double *tick)
{
    const double rough = (high - low) / wanted, power = pow(10, floor(log10(rough)));
    const double step = power * (rough / power > 5 ? 10 : rough / power > 2 ? 5 : rough / power > 1 ? 2 : 1);
    int count = 0;
    for (double k = ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && count < room; k++)
        tick[count++] = k * step;
    return count;
}

/* Powers of ten, or 1, 2, 5 of them where the range is short; exponents in a->low and a->high. */
static int log_ticks(const axis *a, double *tick)
{
    static const double part[] = {1, 2, 5};
    const double span = a->high - a->low;
    const int every = span > 30 ? 10 : span > 12 ? 4 : span > 5 ? 2 : 1, parts = span < 2.5 ? 3 : 1;
    int count = 0;
    for (int e = (int)floor(a->low); e <= (int)ceil(a->high); e++)
        for (int p = 0; p < parts && e % every == 0; p++) {
            const double value = part[p] * pow(10, e), at = log10(value);
            if (at >= a->low - 1e-9 && at <= a->high + 1e-9 && count < TICKS)
                tick[count++] = value;
        }
    return count;
}

static void widen(axis *a)
{
    const double room = a->high > a->low ? 0.04 * (a->high - a->low) : a->low != 0 ? 0.1 * fabs(a->low) : 1;
    a->low -= room;
    a->high += room;
}

/* --- ranges ------------------------------------------------------------------------------------------------------- */

/* What can be drawn on an axis. */
static int drawable(double value, int log)
{
    return fabs(value) < REPORT_HUGE && (!log || value > 0);
}

static const double *times_of(const report_plot *p, int c)
{
    return p->curve[c].x ? p->curve[c].x : p->time;
}

static int64_t count_of(const report_plot *p, int c)
{
    return p->curve[c].x ? p->curve[c].count : p->count;
}

/* Smallest and largest value that can be drawn; gives how many there are. */
static int64_t find_range(const report_plot *p, int log, double *low, double *high)
{
    int64_t found = 0;
    for (int c = 0; c < p->curves; c++)
        for (int64_t k = 0; k < count_of(p, c); k++) {
            const double v = p->curve[c].value[k];
            if (!drawable(v, log) || !drawable(times_of(p, c)[k], p->x_log))
                continue;
            const double under = p->curve[c].low && drawable(p->curve[c].low[k], log) ? p->curve[c].low[k] : v;
            const double over = p->curve[c].high && drawable(p->curve[c].high[k], log) ? p->curve[c].high[k] : v;
            *low = found ? fmin(*low, under) : under;
            *high = found ? fmax(*high, over) : over;
            found++;
        }
    return found;
}

/* The same along x; whether there is a range. */
static int find_times(const report_plot *p, double *first, double *last)
{
    *first = INFINITY;
    *last = -INFINITY;
    for (int c = 0; c < p->curves; c++)
        for (int64_t k = 0; k < count_of(p, c); k++)
            if (drawable(times_of(p, c)[k], p->x_log)) {
                *first = fmin(*first, times_of(p, c)[k]);
                *last = fmax(*last, times_of(p, c)[k]);
            }
    return *last > *first;
}

/* Whether there is something to draw; makes the axes. */
static int make_axes(const report_plot *p, axis *x, axis *y)
{
    double low = 0, high = 0, first, last;
    if (!find_times(p, &first, &last))
        return 0;
    int log = p->scale == REPORT_LOG;
    if (p->scale == REPORT_AUTO && find_range(p, 0, &low, &high) > 0)
        log = low > 0 && high / low > LOG_RATIO;
    if (find_range(p, log, &low, &high) < 2)
        return 0;
    if (log && high / low < LOG_LEAST) {
        log = 0;
        find_range(p, log, &low, &high);
    }
    *x = (axis){p->x_log ? log10(first) : first, p->x_log ? log10(last) : last, LEFT, RIGHT, p->x_log};
    *y = (axis){log ? log10(low) : low, log ? log10(high) : high, BOTTOM, TOP, log};
    widen(y);
    return 1;
}

/* --- drawing ------------------------------------------------------------------------------------------------------ */

static const char *x_name(const report_plot *p)
{
    return p->x_name ? p->x_name : "time";
}

static void draw_axes(markup *out, const report_plot *p, const axis *x, const axis *y)
{
    double tick[TICKS];
    char text[REPORT_NUMBER];
    int count = y->log ? log_ticks(y, tick) : report_ticks(y->low, y->high, 5, TICKS, tick);
    for (int k = 0; k < count; k++) {
        const double at = axis_place(y, tick[k]);
        markup_write(out, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT, RIGHT, at, at);
        markup_write(out, "<text class=\"end\" x=\"%d\" y=\"%.1f\">%s</text>\n", LEFT - 5, at + 4,
                     report_tick(tick[k], text));
    }
    count = x->log ? log_ticks(x, tick) : report_ticks(x->low, x->high, 5, TICKS, tick);
    for (int k = 0; k < count; k++) {
        const double at = axis_place(x, tick[k]);
        markup_write(out, "<line class=\"tick\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", at, at, BOTTOM,
                     BOTTOM + 4);
        markup_write(out, "<text class=\"middle\" x=\"%.1f\" y=\"%d\">%s</text>\n", at, BOTTOM + 16,
                     report_tick(tick[k], text));
    }
    markup_write(out, "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n", LEFT, RIGHT, BOTTOM, BOTTOM);
    if (*p->unit) {
        markup_write(out, "<text x=\"4\" y=\"12\">[");
        report_unit(out, p->unit);
        markup_write(out, "]</text>\n");
    }
    markup_write(out, "<text class=\"end\" x=\"%d\" y=\"%d\">%s%s", RIGHT, HEIGHT - 5, x_name(p),
                 *p->time_unit ? " [" : "");
    report_unit(out, p->time_unit);
    markup_write(out, "%s</text>\n", *p->time_unit ? "]" : "");
}

/* The smallest and the largest of the values that fall into one column of pixels, in their order: nothing that sticks
 * out is lost, however many lines there are. */
static void draw_column(markup *out, const double *time, const double *value, int64_t begin, int64_t end, const axis *x,
                        const axis *y, int *pen)
{
    int64_t low = -1, high = -1;
    for (int64_t k = begin; k < end; k++) {
        if (!drawable(value[k], y->log) || !drawable(time[k], x->log))
            continue;
        low = low < 0 || value[k] < value[low] ? k : low;
        high = high < 0 || value[k] > value[high] ? k : high;
    }
    const int64_t first = low < high ? low : high, second = low < high ? high : low;
    if (first < 0) { /* a gap */
        *pen = 0;
        return;
    }
    markup_write(out, "%s%.1f %.1f", *pen ? "L" : "M", axis_place(x, time[first]), axis_place(y, value[first]));
    if (second != first)
        markup_write(out, "L%.1f %.1f", axis_place(x, time[second]), axis_place(y, value[second]));
    *pen = 1;
}

static void draw_curve(markup *out, const report_plot *p, int c, const axis *x, const axis *y)
{
    const int64_t count = count_of(p, c), columns = count > 2 * COLUMNS ? COLUMNS : count;
    int pen = 0;
    markup_write(out, "<path class=\"curve c%d\" d=\"", c);
    for (int64_t k = 0; k < columns; k++)
        draw_column(out, times_of(p, c), p->curve[c].value, k * count / columns, (k + 1) * count / columns, x, y, &pen);
    markup_write(out, "\"/>\n");
}

/* The upper edge of a band forwards and its lower edge backwards; an edge that the axis does not have is at its end. */
static void draw_band(markup *out, const report_plot *p, int c, const axis *x, const axis *y)
{
    const report_curve *curve = &p->curve[c];
    const int64_t count = count_of(p, c);
    int pen = 0;
    if (!curve->low || !curve->high)
        return;
    markup_write(out, "<path class=\"band c%d\" d=\"", c);
    for (int64_t k = 0; k < 2 * count; k++) {
        const int64_t at = k < count ? k : 2 * count - 1 - k;
        const double v = k < count ? curve->high[at] : curve->low[at];
        if (!drawable(times_of(p, c)[at], x->log) || isnan(v) || isnan(curve->value[at]))
            continue;
        const double place = drawable(v, y->log) ? axis_place(y, v) : BOTTOM;
        markup_write(out, "%s%.1f %.1f", pen ? "L" : "M", axis_place(x, times_of(p, c)[at]), place);
        pen = 1;
    }
    markup_write(out, "Z\"/>\n");
}

/* The same in words, for those who do not see the picture. */
static void describe(markup *out, const report_plot *p)
{
    char a[REPORT_NUMBER], b[REPORT_NUMBER];
    double first, last;
    markup_text(out, p->title);
    find_times(p, &first, &last);
    markup_write(out, ", %s %s to %s", x_name(p), report_number(first, 4, a), report_number(last, 4, b));
    for (int c = 0; c < p->curves; c++) {
        const double *v = p->curve[c].value;
        markup_write(out, "; ");
        markup_text(out, p->curve[c].name);
        markup_write(out, " from %s to %s", report_number(v[0], 3, a), report_number(v[count_of(p, c) - 1], 3, b));
    }
}

static void draw_legend(markup *out, const report_plot *p)
{
    markup_write(out, "<ul class=\"legend\">");
    for (int c = 0; c < p->curves; c++) {
        markup_write(
            out, "<li><svg viewBox=\"0 0 28 8\" aria-hidden=\"true\"><path class=\"curve c%d\" d=\"M0 4L28 4\"/></svg>",
            c);
        markup_text(out, p->curve[c].name);
        markup_write(out, "</li>");
    }
    markup_write(out, "</ul>");
}

static void draw_caption(markup *out, const char *title, const char *text)
{
    markup_write(out, "<figcaption><h3>%s</h3>", title);
    if (text) {
        markup_write(out, "<p>%s</p>", text);
    }
    markup_write(out, "</figcaption>\n");
}

int report_plot_write(markup *out, const report_plot *plot)
{
    axis x, y;
    if (!make_axes(plot, &x, &y))
        return 0;
    markup_write(out, "<figure class=\"plot\" id=\"plot-%s\">", plot->id);
    draw_caption(out, plot->title, plot->text);
    markup_write(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\"", WIDTH, HEIGHT);
    if (!plot->x_name) /* the replay shows its time there */
        markup_write(out, " data-t0=\"%.17g\" data-t1=\"%.17g\" data-x0=\"%d\" data-x1=\"%d\"", x.low, x.high, LEFT,
                     RIGHT);
    markup_write(out, "><title>");
    describe(out, plot);
    markup_write(out, "</title>\n");
    draw_axes(out, plot, &x, &y);
    for (int c = 0; c < plot->curves; c++)
        draw_band(out, plot, c, &x, &y);
    for (int c = 0; c < plot->curves; c++)
        draw_curve(out, plot, c, &x, &y);
    markup_write(out, "<line class=\"now\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/></svg>", LEFT, LEFT, TOP, BOTTOM);
    draw_legend(out, plot);
    markup_write(out, "</figure>\n");
    return 1;
}

/* --- bars --------------------------------------------------------------------------------------------------------- */

static void draw_bars(markup *out, const report_bars *b, const axis *y)
{
    const double step = (double)(RIGHT - LEFT) / b->bars;
    const int every = 1 + b->bars / 8;
    for (int k = 0; k < b->bars; k++) {
        const double left = LEFT + (k + 0.12) * step, width = 0.76 * step;
        const double top = axis_place(y, b->now[k]);
        markup_write(out, "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", left, top,
                     width, BOTTOM - top);
        if (b->before) {
            const double was = axis_place(y, b->before[k]);
            markup_write(out, "<path class=\"outline\" d=\"M%.1f %.1fh%.1f\"/>", left, was, width);
        }
        if (k % every == 0)
            markup_write(out, "<text class=\"middle\" x=\"%.1f\" y=\"%d\">%s</text>", left + width / 2, BOTTOM + 16,
                         b->name[k]);
        markup_write(out, "\n");
    }
}

void report_bars_write(markup *out, const report_bars *bars)
{
    double tick[TICKS], most = 1;
    char text[REPORT_NUMBER];
    for (int k = 0; k < bars->bars; k++)
        most = fmax(most, fmax(bars->now[k], bars->before ? bars->before[k] : 0));
    const axis y = {0, 1.05 * most, BOTTOM, TOP, 0};
    markup_write(out, "<figure class=\"plot\" id=\"plot-%s\">", bars->id);
    draw_caption(out, bars->title, bars->text);
    markup_write(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>", WIDTH, HEIGHT);
    markup_text(out, bars->title);
    markup_write(out, "</title>\n");
    const int count = report_ticks(y.low, y.high, 4, TICKS, tick);
    for (int k = 0; k < count; k++) {
        const double at = axis_place(&y, tick[k]);
        markup_write(out, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT, RIGHT, at, at);
        markup_write(out, "<text class=\"end\" x=\"%d\" y=\"%.1f\">%s</text>\n", LEFT - 5, at + 4,
                     report_tick(tick[k], text));
    }
    draw_bars(out, bars, &y);
    markup_write(out, "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n", LEFT, RIGHT, BOTTOM, BOTTOM);
    markup_write(out, "<text class=\"end\" x=\"%d\" y=\"%d\">", RIGHT, HEIGHT - 5);
    markup_text(out, bars->label);
    markup_write(out, "</text></svg><ul class=\"legend\"><li><svg viewBox=\"0 0 28 8\" aria-hidden=\"true\"><rect "
                      "class=\"bar\" width=\"28\" height=\"8\"/></svg>");
    markup_text(out, bars->now_name);
    if (bars->before) {
        markup_write(out,
                     "</li><li><svg viewBox=\"0 0 28 8\" aria-hidden=\"true\"><path class=\"outline\" d=\"M0 4h28\"/>"
                     "</svg>");
        markup_text(out, bars->before_name);
    }
    markup_write(out, "</li></ul></figure>\n");
}
