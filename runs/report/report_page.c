/* report_page.c - the page: its parts in their order, and what stands in words. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

/* Bytes of all notes at most: an escape takes the place of a byte and has up to six. */
enum { NOTES_ROOM = REPORT_NOTES * (6 * REPORT_NOTE + 16) + 128 };

const char *report_base_name(const char *path, char name[REPORT_NAME])
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    snprintf(name, REPORT_NAME, "%.*s", (int)(end - begin), path + begin);
    return name;
}

/* --- the head ----------------------------------------------------------------------------------------------------- */

static void begin(markup *out, const char *title, void (*policy)(markup *m))
{
    markup_write(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    policy(out);
    markup_write(out,
                 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                 "<meta name=\"color-scheme\" content=\"light dark\">\n"
                 "<meta name=\"generator\" content=\"myriad %s\">\n<title>%s · Myriad</title>\n",
                 myr_version(), title);
    markup_style(out, "page.css");
    markup_write(out, "</head>\n<body>\n");
}

void report_page_begin(markup *out, const char *title)
{
    begin(out, title, markup_policy);
}

/* How the run ended, in a word for the badge and a sentence. */
static void write_state(markup *out, const report *r)
{
    static const struct {
        const char *class, *word, *text;
    } state[] = {
        [REPORT_FINISHED] = {"good", "finished", NULL},
        [REPORT_STOPPED] = {"fair", "stopped early", "It was stopped before its end and can be continued."},
        [REPORT_BROKEN] = {"bad", "went wrong", "The run could not go on; what is shown is what there was until then."},
        [REPORT_CUT_SHORT] = {"fair", "not finished",
                              "It is still running, or was ended from outside. What is shown is what it has written."},
        [REPORT_RUNNING] = {"good", "running", NULL},
        [REPORT_DEAD] = {"bad", "ended from outside", "Its process is gone. What is shown is what it has written."},
    };
    const char *reason = report_fact(r, "reason");
    markup_write(out, "<p><strong class=\"badge %s\">%s</strong>", state[r->state].class, state[r->state].word);
    if (state[r->state].text)
        markup_write(out, " %s", state[r->state].text);
    if (r->state != REPORT_FINISHED && reason) {
        markup_write(out, " Reason: %s.", reason);
    }
    if (r->state == REPORT_STOPPED || r->state == REPORT_CUT_SHORT || r->state == REPORT_DEAD) {
        markup_write(out, " Continue with <code>myriad run --restart %s</code>.", r->directory);
    }
    markup_write(out, "</p>\n");
}

static void figure(markup *out, const char *name, const char *value, const char *unit, const char *text)
{
    markup_write(out, "<div><dt>");
    markup_text(out, name);
    markup_write(out, "</dt><dd>%s", value);
    if (*unit) {
        markup_write(out, " <small>");
        report_unit(out, unit);
        markup_write(out, "</small>");
    }
    markup_write(out, "<span>%s</span></dd></div>\n", text);
}

/* The largest size of a column's values; NaN where it has none. */
static double largest(const report_csv *csv, const char *column)
{
    const int at = report_csv_column(csv, column);
    return at < 0 ? NAN : fmax(fabs(csv->least[at]), fabs(csv->most[at]));
}

/* What a box was like in the mean, and how its energy drifted. */
static void write_box_figures(markup *out, const report *r)
{
    static const char *const columns[] = {"temperature", "pressure", "density"};
    char value[REPORT_NUMBER];
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
        const int at = report_csv_column(&r->csv, columns[k]);
        double mean = 0;
        const int64_t first = r->csv.rows / 2;
        for (int64_t row = first; at >= 0 && row < r->csv.rows; row++)
            mean += report_csv_value(&r->csv, row, at) / (double)(r->csv.rows - first);
        if (at >= 0 && r->csv.rows > 0 && isfinite(mean))
            figure(out, columns[k], report_number(mean, 4, value), r->csv.unit[at], "mean of the second half");
    }
    const double drift = report_fact_number(r, "energy_drift"), pace = report_fact_number(r, "ns_per_day");
    if (isfinite(drift))
        figure(out, "energy drift", report_number(drift, 2, value), "", "slope of a line, relative, per 1000 steps");
    if (isfinite(pace))
        figure(out, "pace", report_number(pace, 3, value), "ns/day", "of time on the clock, without outputs");
}

/* What describes a flow, as it is at the end. */
static void write_flow_figures(markup *out, const report *r)
{
    static const struct {
        const char *column, *name, *text;
    } shown[] = {{"reynolds", "Re_λ", "Reynolds number of Taylor's scale"},
                 {"resolution", "k_max η", "resolution: 1 and more resolves the dissipation"},
                 {"rms_speed", "u′", "rms of one component of the velocity"}};
    char value[REPORT_NUMBER], first[REPORT_NUMBER], text[160];
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
        const int at = report_csv_column(&r->csv, shown[k].column);
        if (at < 0 || r->csv.rows == 0)
            continue;
        snprintf(text, sizeof text, "at the end; %s at the start. %s",
                 report_number(report_csv_value(&r->csv, 0, at), 3, first), shown[k].text);
        figure(out, shown[k].name, report_number(report_csv_value(&r->csv, r->csv.rows - 1, at), 3, value),
               r->csv.unit[at], text);
    }
}

static void write_figures(markup *out, const report *r)
{
    char value[REPORT_NUMBER], text[160], number[REPORT_NUMBER], source[INPUT_SOURCE];
    const int time = report_csv_column(&r->csv, "time");
    const double energy = largest(&r->csv, "energy_error"), seconds = report_fact_number(r, "seconds");
    const double pairs = report_fact_number(r, "pairs"), forces = report_fact_number(r, "spent.forces");
    markup_write(out, "<dl class=\"figures\">\n");
    write_flow_figures(out, r);
    if (!isnan(report_fact_number(r, "particles")))
        figure(out, "particles", report_integer(report_fact_number(r, "particles"), value), "",
               r->in->model.name || r->in->sets ? input_source(r->in, source) : "from a file");
    if (time >= 0 && r->csv.rows > 0) {
        const double from = report_csv_value(&r->csv, 0, time);
        snprintf(text, sizeof text, "from %s", report_number(from, 4, number));
        figure(out, "time", report_number(report_csv_value(&r->csv, r->csv.rows - 1, time), 5, value),
               r->csv.unit[time], text);
    }
    if (!isnan(energy))
        figure(out, "energy error", report_number(energy, 2, value), "", "largest relative change seen");
    if (report_csv_column(&r->csv, "temperature") >= 0)
        write_box_figures(out, r);
    if (report_fact(r, "accuracy.0.output") && report_fact_number(r, "accuracy.0.rms") >= 0) {
        snprintf(text, sizeof text, "rms, relative, %s particle%s",
                 report_integer(report_fact_number(r, "accuracy.0.samples"), number),
                 myr_plural((int64_t)report_fact_number(r, "accuracy.0.samples")));
        char name[64];
        snprintf(name, sizeof name, "%.40s error", report_fact(r, "accuracy.0.output"));
        figure(out, name, report_number(report_fact_number(r, "accuracy.0.rms"), 2, value), "", text);
    }
    if (seconds > 0)
        figure(out, "time on the clock", report_duration(seconds, value), "", "all sessions");
    if (pairs > 0 && forces > 0)
        figure(out, "pairs per second", report_number(pairs / forces, 3, value), "", "while forces were summed");
    markup_write(out, "</dl>\n");
}

static void write_title(markup *out, const report *r)
{
    static const char *const part[][3] = {
        /* id, name, and what only particles that move have */
        {"replay", "replay", "moves"}, {"plots", "diagnostics", NULL}, {"projections", "pictures", NULL},
        {"time", "time", NULL},        {"accuracy", "error", "moves"}, {"what", "what was run", NULL},
        {"cite", "cite", NULL},        {"repeat", "repeat", NULL}};
    char name[REPORT_NAME];
    markup_write(out, "<header>\n<p class=\"brand\">Myriad · report of a run</p>\n<h1>%s</h1>\n",
                 report_base_name(r->directory, name));
    write_state(out, r);
    write_figures(out, r);
    markup_write(out, "<nav>");
    for (size_t k = 0; k < sizeof part / sizeof part[0]; k++)
        if (!report_is_flow(r) || !part[k][2])
            markup_write(out, "<a href=\"#%s\">%s</a>", part[k][0], part[k][1]);
    markup_write(out, "</nav>\n</header>\n<main>\n");
}

/* --- notes: known only when everything has been read, and wanted at the top --------------------------------------- */

static void fill_notes(markup *out, const report *r, long place)
{
    if (r->notes == 0 || markup_return(out, place))
        return;
    markup_write(out, "<section class=\"notes\"><h2>What is missing</h2><ul>");
    for (int k = 0; k < r->notes; k++)
        markup_write(out, "<li>%s</li>\n", r->note[k]);
    markup_write(out, "</ul></section>");
    markup_resume(out);
}

/* --- the parts ---------------------------------------------------------------------------------------------------- */

static void write_replay_section(markup *out, const report_replay *replay)
{
    markup_write(out, "<section id=\"replay\"><h2>Replay</h2>\n");
    if (!replay) {
        markup_write(out, "<p>There is no replay: the run has no snapshots that can be read, or it was not asked for."
                          "</p></section>\n");
        return;
    }
    markup_asset(out, "replay.html");
    markup_write(out, "<p class=\"small\">");
    report_replay_describe(out, replay);
    markup_write(out, "</p></section>\n");
}

static int write_images(markup *out, report *r, const char *id, const char *title,
                        int (*write)(markup *out, report *r, int *shown))
{
    int shown;
    markup_write(out, "<section id=\"%s\"><h2>%s</h2>\n", id, title);
    const int code = write(out, r, &shown);
    if (!code && shown == 0)
        markup_write(out, "<p>There are no images: the run has no snapshots that can be read.</p>\n");
    markup_write(out, "</section>\n");
    return code;
}

/* Of particles that move their projections; of a periodic flow what it looks like. */
static int write_images_section(markup *out, report *r)
{
    const int moves = !report_is_flow(r);
    int code = moves ? write_images(out, r, "projections", "Projections", report_images_write) : CLI_OK;
    if (!code && report_has_field(r))
        code = write_images(out, r, moves ? "flow" : "projections", "Slices and surfaces", report_flow_write);
    return code;
}

/* `snapshots`: plots that are made from snapshots too. */
static void write_plots_section(markup *out, report *r, int snapshots)
{
    char number[REPORT_NUMBER];
    markup_write(out, "<section id=\"plots\"><h2>Diagnostics</h2>\n<div class=\"plots\">\n");
    const int written = report_plots_write(out, r) + report_spectra_write(out, r) + report_observables_write(out, r) +
                        (snapshots ? report_order_write(out, r) : 0) + report_torsions_write(out, r);
    markup_write(out, "</div>\n");
    report_constants_write(out, r);
    if (written == 0)
        markup_write(out, "<p>There are no plots: diagnostics.csv holds fewer than two lines.</p>\n");
    else if (r->csv.stride > 1)
        markup_write(out, "<p class=\"small\">One line in %s of diagnostics.csv is drawn.</p>\n",
                     report_integer((double)r->csv.stride, number));
    markup_write(out, "</section>\n");
}

void report_page_foot(markup *out)
{
    markup_write(out, "</main>\n<footer><p>Made by myriad %s.</p></footer>\n", myr_version());
}

void report_page_end(markup *out)
{
    markup_script(out, "page.js");
    markup_write(out, "</body>\n</html>\n");
}

static void write_shaders(markup *out)
{
    static const char *const shaders[] = {"point.vert", "point.frag", "bond.frag", "line.vert", "line.frag"};
    for (size_t k = 0; k < sizeof shaders / sizeof shaders[0]; k++)
        markup_data(out, shaders[k]);
}

void report_shell_write(markup *out)
{
    begin(out, "live", markup_live_policy);
    markup_asset(out, "live.html");
    write_shaders(out);
    markup_data(out, "replay.js"); /* begins when there are particles */
    markup_script(out, "live.js");
    markup_write(out, "</body>\n</html>\n");
}

int report_live_write(markup *out, report *r, const report_replay *replay, int64_t scene)
{
    char name[REPORT_NAME];
    report_page_begin(out, report_base_name(r->directory, name));
    write_title(out, r);
    if (replay)
        write_replay_section(out, replay);
    write_plots_section(out, r, 0);
    report_facts_write(out, r);
    report_page_foot(out);
    if (replay)
        report_replay_scene(out, r, replay, scene);
    markup_write(out, "</body>\n</html>\n");
    return CLI_OK;
}

int report_page_write(markup *out, report *r)
{
    report_replay *replay = NULL;
    char name[REPORT_NAME];
    int code = r->replay_bytes > 0 && !report_is_flow(r) ? report_replay_open(r, &replay) : CLI_OK;
    if (code)
        return code;
    report_page_begin(out, report_base_name(r->directory, name));
    write_title(out, r);
    const long notes = markup_reserve(out, NOTES_ROOM);
    if (!report_is_flow(r)) /* the points of a mesh do not move */
        write_replay_section(out, replay);
    write_plots_section(out, r, 1);
    code = write_images_section(out, r);
    report_facts_write(out, r);
    report_page_foot(out);
    if (!code && replay) {
        code = report_replay_write(out, r, replay);
        write_shaders(out);
        markup_script(out, "replay.js");
    }
    report_page_end(out);
    report_replay_close(&replay);
    fill_notes(out, r, notes);
    return code;
}
