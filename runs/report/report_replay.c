/* report_replay.c - the data of the replay: some of the particles, the same in every snapshot, with 16 bits per
 * coordinate.
 *
 * A coordinate x is stored as q = 32767 asinh((x - centre) / scale) / limit, with limit the largest asinh of its
 * snapshot: close to the centre steps are even, far out they are a part of the distance, so that one escaper does not
 * coarsen all. The snapshots are read one after the other, and of one at a time what is drawn is in memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

enum {
    FRAMES_MAX = 400,
    BYTES_PER_POINT = 8, /* three numbers of 16 bits in base 64 */
    COORDINATE_MAX = 32767,
    ABSENT = -32768, /* as x: the particle is not in this snapshot */
};

static const char *const positions[] = {"position", NULL};

struct report_replay {
    report_drawn drawn;        /* of the first snapshot that can be read */
    int64_t snapshots, frames; /* of the run; that are shown */
    int64_t *frame;            /* their numbers */
    double centre[3], scale;   /* length of the steps near the centre */
    double reach;              /* distance from the centre that holds five of six */
    report_colourings colours;
    report_bonds bonds; /* between those drawn, by their places there */
};

/* --- which particles ---------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t id, at;
} candidate;

static int compare_ids(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* All that have been read. */
static int take_particles(report_replay *p, const myr_particles *first)
{
    const int64_t *id = myr_particles_ids(first);
    candidate *all = malloc((size_t)p->drawn.count * sizeof *all);
    p->drawn.id = calloc((size_t)p->drawn.count, sizeof *p->drawn.id);
    p->drawn.at = calloc((size_t)p->drawn.count, sizeof *p->drawn.at);
    if (!all || !p->drawn.id || !p->drawn.at) {
        free(all);
        return cli_fail(CLI_FAILED, "no memory for a replay of %lld particles", (long long)p->drawn.count);
    }
    for (int64_t i = 0; i < p->drawn.count; i++)
        all[i] = (candidate){id[i], i};
    qsort(all, (size_t)p->drawn.count, sizeof *all, compare_ids);
    for (int64_t k = 0; k < p->drawn.count; k++) {
        p->drawn.id[k] = all[k].id;
        p->drawn.at[k] = all[k].at;
    }
    free(all);
    return CLI_OK;
}

/* The place of an id among those drawn, or -1. */
static int64_t find_drawn(const report_replay *p, int64_t id)
{
    int64_t low = 0, high = p->drawn.count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (p->drawn.id[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->drawn.count && p->drawn.id[low] == id ? low : -1;
}

/* --- where the centre is ------------------------------------------------------------------------------------------ */

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the finite values to the front; gives how many there are. */
static int64_t sort_finite(double *value, int64_t n)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < n; k++)
        if (isfinite(value[k]))
            value[kept++] = value[k];
    qsort(value, (size_t)kept, sizeof *value, compare_numbers);
    return kept;
}

/* Distances of the drawn particles from the centre in the first snapshot. */
static void distances(const report_replay *p, const myr_particles *first, double *distance)
{
    for (int64_t k = 0; k < p->drawn.count; k++) {
        double sum = 0;
        for (int c = 0; c < 3; c++)
            sum += pow(myr_particles_component_const(first, "position", c)[p->drawn.at[k]] - p->centre[c], 2);
        distance[k] = sqrt(sum);
    }
}

/* The medians of the coordinates are the centre; half the median distance is the length of even steps. */
static int find_centre(report_replay *p, const myr_particles *first)
{
    double *value = malloc((size_t)p->drawn.count * sizeof *value);
    if (!value)
        return cli_fail(CLI_FAILED, "no memory for a replay");
    for (int c = 0; c < 3; c++) {
        for (int64_t k = 0; k < p->drawn.count; k++)
            value[k] = myr_particles_component_const(first, "position", c)[p->drawn.at[k]];
        const int64_t kept = sort_finite(value, p->drawn.count);
        p->centre[c] = kept ? value[kept / 2] : 0;
    }
    distances(p, first, value);
    const int64_t kept = sort_finite(value, p->drawn.count);
    p->scale = kept ? 0.5 * value[kept / 2] : 0;
    p->reach = kept ? value[kept - 1 - (kept - 1) / 6] : 0;
    if (!(p->reach > 0))
        p->reach = 1;
    if (!(p->scale > 0))
        p->scale = p->reach;
    free(value);
    return CLI_OK;
}

/* The bonds of a molecule that is drawn whole, by places among those drawn. */
static int find_bonds(report_replay *p, const myr_particles *first)
{
    const int code = p->drawn.count == p->drawn.of ? report_bonds_find(first, &p->bonds) : CLI_OK;
    int64_t *place = code || !p->bonds.count ? NULL : calloc((size_t)p->drawn.count, sizeof *place);
    if (code || !p->bonds.count)
        return code;
    if (!place)
        return cli_fail(CLI_FAILED, "no memory for a replay");
    for (int64_t k = 0; k < p->drawn.count; k++)
        place[p->drawn.at[k]] = k;
    for (int64_t b = 0; b < p->bonds.count; b++)
        for (int end = 0; end < 2; end++)
            p->bonds.atom[b][end] = (uint16_t)place[p->bonds.atom[b][end]];
    free(place);
    return CLI_OK;
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static int choose_frames(report_replay *p, int64_t snapshots)
{
    p->snapshots = snapshots;
    p->frames = snapshots < FRAMES_MAX ? snapshots : FRAMES_MAX;
    p->frame = malloc((size_t)p->frames * sizeof *p->frame);
    if (!p->frame)
        return cli_fail(CLI_FAILED, "no memory for a replay");
    for (int64_t k = 0; k < p->frames; k++)
        p->frame[k] = p->frames > 1 ? k * (snapshots - 1) / (p->frames - 1) : 0;
    return CLI_OK;
}

static void choose_number(const report *r, report_replay *p, int64_t of)
{
    const double fit = floor(r->replay_bytes / ((double)p->frames * BYTES_PER_POINT));
    p->drawn.of = of;
    p->drawn.count = of;
    if ((double)p->drawn.count > fit)
        p->drawn.count = fit > 1 ? (int64_t)fit : 1;
    if (r->most_drawn > 0 && p->drawn.count > r->most_drawn)
        p->drawn.count = r->most_drawn;
}

/* What stays the same in all frames, from the first. */
static int see_first(const report *r, report_replay *p, const myr_particles *first)
{
    int code = take_particles(p, first);
    if (!code)
        code = find_centre(p, first);
    if (!code)
        code = report_colourings_make(r, &p->drawn, first, p->centre, &p->colours);
    if (!code && input_is_molecule(r->in))
        code = find_bonds(p, first);
    return code;
}

/* Reads what is drawn of the first snapshot that can be read. */
static int read_first(report *r, report_replay *p)
{
    report_shot shot;
    int code = report_find_snapshot(r, 0, 1, (report_part){.most = p->drawn.count}, &shot);
    if (!code && myr_particles_count(shot.particles) != p->drawn.count)
        code = cli_fail(CLI_FAILED, "the snapshots of %s have changed while they were read", r->directory);
    if (!code)
        code = see_first(r, p, shot.particles);
    myr_particles_destroy(&shot.particles);
    return code;
}

int report_replay_of(const report *r, const myr_particles *first, int64_t of, report_replay **replay)
{
    report_replay *p = *replay = calloc(1, sizeof *p);
    if (!p)
        return cli_fail(CLI_FAILED, "no memory for a replay");
    p->drawn.count = myr_particles_count(first);
    p->drawn.of = of;
    const int code = see_first(r, p, first);
    if (code)
        report_replay_close(replay);
    return code;
}

int report_replay_open(report *r, report_replay **replay)
{
    report_shot shot;
    *replay = NULL;
    int code = report_find_snapshot(r, 0, 1, (report_part){.fields = positions}, &shot); /* how many are there? */
    const int found = shot.particles != NULL;
    myr_particles_destroy(&shot.particles);
    if (code || !found)
        return code;
    report_replay *p = calloc(1, sizeof *p);
    *replay = p;
    code = p ? choose_frames(p, r->snapshots) : cli_fail(CLI_FAILED, "no memory for a replay");
    if (!code) {
        choose_number(r, p, shot.of);
        code = read_first(r, p);
    }
    if (code)
        report_replay_close(replay);
    return code;
}

void report_replay_close(report_replay **replay)
{
    report_replay *p = *replay;
    if (!p)
        return;
    report_colourings_free(&p->colours);
    report_bonds_free(&p->bonds);
    free(p->frame);
    free(p->drawn.id);
    free(p->drawn.at);
    free(p);
    *replay = NULL;
}

void report_replay_describe(markup *out, const report_replay *replay)
{
    char a[REPORT_NUMBER], b[REPORT_NUMBER];
    if (replay->drawn.count < replay->drawn.of)
        markup_write(
            out,
            "Drawn are %s of %s particles, chosen by a hash of their ids: the same ones in every snapshot, and "
            "none preferred.",
            report_integer((double)replay->drawn.count, a), report_integer((double)replay->drawn.of, b));
    else if (replay->drawn.of == 1)
        markup_write(out, "The particle is drawn.");
    else
        markup_write(out, "All %s particles are drawn.", report_integer((double)replay->drawn.of, a));
    if (replay->frames < replay->snapshots)
        markup_write(out, " %s of %s snapshots are shown.", report_integer((double)replay->frames, a),
                     report_integer((double)replay->snapshots, b));
    if (replay->bonds.count)
        markup_write(out, " Elements follow from masses, and bonds from distances in the first snapshot.");
    markup_write(out, " Positions are rounded to 16 bits.");
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

/* `scene`: the number of the choice of particles of a live page; -1 = the page has its frames. */
static void write_head(markup *out, const report *r, const report_replay *p, int64_t scene)
{
    char label[UNITS_MESSAGE];
    markup_write(out, "<div id=\"replay-data\" hidden");
    if (scene >= 0)
        markup_write(out, " data-scene=\"%lld\"", (long long)scene);
    markup_write(out,
                 " data-drawn=\"%lld\" data-scale=\"%.17g\" data-reach=\"%.9g\" "
                 "data-centre=\"%.17g %.17g %.17g\" data-length=\"",
                 (long long)p->drawn.count, p->scale, p->reach, p->centre[0], p->centre[1], p->centre[2]);
    markup_text(out, units_label(&r->in->units, UNITS_LENGTH, label));
    markup_write(out, "\" data-time=\"%s\" data-palette=\"", units_label(&r->in->units, UNITS_TIME, label));
    for (int k = 0; k < 256; k++) {
        unsigned char rgb[3];
        report_colour(k, rgb);
        markup_write(out, "%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
    }
    markup_write(out, "\"></div>\n");
}

/* Two numbers of 16 bits a bond. */
static void write_bonds(markup *out, const report_replay *p)
{
    if (!p->bonds.count)
        return;
    markup_write(out, "<script type=\"text/plain\" id=\"replay-bonds\">");
    for (int64_t b = 0; b < p->bonds.count; b++) {
        const uint16_t *atom = p->bonds.atom[b];
        const unsigned char bytes[4] = {(unsigned char)(atom[0] & 255), (unsigned char)(atom[0] >> 8),
                                        (unsigned char)(atom[1] & 255), (unsigned char)(atom[1] >> 8)};
        markup_base64(out, bytes, sizeof bytes);
    }
    markup_base64_end(out);
    markup_write(out, "</script>\n");
}

/* asinh of the distance along an axis, in units of the scale. */
static double shrink_place(const report_replay *p, int c, double x)
{
    return asinh((x - p->centre[c]) / p->scale);
}

static double shrink(const report_replay *p, const myr_particles *now, int c, int64_t i)
{
    return shrink_place(p, c, myr_particles_component_const(now, "position", c)[i]);
}

/* A coordinate in 16 bits, little-endian; NaN = absent. */
static void put_coordinate(double shrunk, double limit, unsigned char *byte)
{
    const int q = isfinite(shrunk) ? (int)lrint(COORDINATE_MAX * shrunk / limit) : ABSENT;
    byte[0] = (unsigned char)(q & 255);
    byte[1] = (unsigned char)((unsigned)q >> 8 & 255);
}

void report_replay_encode(const report_replay *replay, const double *place, unsigned char *byte, double *limit)
{
    *limit = 0;
    for (int64_t k = 0; k < 3 * replay->drawn.count; k++) {
        const double x = fabs(shrink_place(replay, (int)(k % 3), place[k]));
        *limit = isfinite(x) ? fmax(*limit, x) : *limit;
    }
    *limit = *limit > 0 ? *limit : 1;
    for (int64_t k = 0; k < replay->drawn.count; k++) {
        const double *x = place + 3 * k;
        const int there = isfinite(x[0] + x[1] + x[2]);
        for (int c = 0; c < 3; c++)
            put_coordinate(there ? shrink_place(replay, c, x[c]) : NAN, *limit, byte + 6 * k + 2 * c);
    }
}

int64_t report_replay_drawn(const report_replay *replay)
{
    return replay->drawn.count;
}

void report_replay_scene(markup *out, const report *r, const report_replay *replay, int64_t number)
{
    write_head(out, r, replay, number);
    report_colourings_write(out, &replay->colours, replay->drawn.count);
    write_bonds(out, replay);
}

/* Where each drawn particle is in this snapshot (-1: not at all), and the largest coordinate of them. */
static double locate(const report_replay *p, const myr_particles *now, int64_t *at)
{
    const int64_t *id = myr_particles_ids(now);
    double limit = 0;
    for (int64_t k = 0; k < p->drawn.count; k++)
        at[k] = -1;
    for (int64_t i = 0; i < myr_particles_count(now); i++) {
        const int64_t k = find_drawn(p, id[i]);
        if (k < 0)
            continue;
        const double x = shrink(p, now, 0, i), y = shrink(p, now, 1, i), z = shrink(p, now, 2, i);
        if (!isfinite(x + y + z))
            continue;
        at[k] = i;
        limit = fmax(limit, fmax(fabs(x), fmax(fabs(y), fabs(z))));
    }
    return limit > 0 ? limit : 1;
}

static void write_frame(markup *out, const report_replay *p, const myr_particles *now, double time, int64_t number,
                        int64_t *at)
{
    const double limit = locate(p, now, at);
    markup_write(
        out, "<script type=\"text/plain\" class=\"frame\" data-number=\"%lld\" data-t=\"%.12g\" data-limit=\"%.17g\">",
        (long long)number, time, limit);
    for (int64_t k = 0; k < p->drawn.count; k++) {
        unsigned char byte[6];
        for (int c = 0; c < 3; c++) {
            put_coordinate(at[k] < 0 ? NAN : shrink(p, now, c, at[k]), limit, byte + 2 * c);
        }
        markup_base64(out, byte, sizeof byte);
    }
    markup_base64_end(out);
    markup_write(out, "</script>\n");
}

int report_replay_write(markup *out, report *r, report_replay *replay)
{
    int code = CLI_OK;
    int64_t *at = malloc((size_t)replay->drawn.count * sizeof *at);
    if (!at)
        return cli_fail(CLI_FAILED, "no memory for a replay");
    write_head(out, r, replay, -1);
    report_colourings_write(out, &replay->colours, replay->drawn.count);
    write_bonds(out, replay);
    for (int64_t k = 0; k < replay->frames && !code; k++) {
        report_shot now;
        progress_show(&r->progress, (double)k / (double)replay->frames);
        code = report_snapshot(r, replay->frame[k], (report_part){replay->drawn.count, positions}, &now);
        if (!code && now.particles)
            write_frame(out, replay, now.particles, now.time, replay->frame[k], at);
        myr_particles_destroy(&now.particles);
        const char *by;
        if (!code && messages_stop(0, &by))
            code = cli_fail(CLI_FAILED, "the report was not written: stopped by %s", by);
        if (!code && markup_failed(out)) /* no need to read the rest: outfile_finish says why */
            break;
    }
    progress_end(&r->progress);
    free(at);
    return code;
}
