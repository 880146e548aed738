/* report_order.c - plot of the order of a crystal in a periodic box over the snapshots: whether it has melted.
 *
 * rho(k) = sum over particles of exp(i k x) / N is 1 at the reciprocal vectors k of a lattice at rest and about
 * 1/sqrt(N) in a liquid. The vectors are those of the strongest reflections of the first snapshot, among waves along
 * the axes and diagonals of a box whose cells are about cubic. Without strong reflections there was no crystal, and no
 * plot. */
#include <math.h>
#include <stdlib.h>

#include "report/report.h"

enum { ORDER_PARTICLES = 4096, ORDER_SHOTS = 200, ORDER_WAVES = 16 };

#define ORDER_STRONG 0.5 /* rho of a reflection of a crystal */

typedef struct {
    int count;
    int64_t wave[ORDER_WAVES][3]; /* waves per edge along each axis */
    double rho[ORDER_WAVES];      /* in the first snapshot */
} reflections;

/* |rho| of the particles of a snapshot. */
static double order_rho(const report_shot *shot, const int64_t wave[3])
{
    const int64_t n = myr_particles_count(shot->particles);
    double real = 0, imaginary = 0;
    for (int64_t i = 0; i < n; i++) {
        double phase = 0;
        for (int c = 0; c < 3; c++)
            phase += (double)wave[c] * myr_particles_component_const(shot->particles, "position", c)[i] / shot->box[c];
        phase *= 2 * acos(-1.0);
        real += cos(phase);
        imaginary += sin(phase);
    }
    return n > 0 ? hypot(real, imaginary) / (double)n : 0;
}

/* Keeps a reflection that is about as strong as the strongest so far; forgets weaker ones when a stronger one comes. */
static void order_keep(reflections *found, const int64_t wave[3], double rho)
{
    const double strongest = found->count ? found->rho[0] : ORDER_STRONG;
    if (rho > 1.1 * strongest)
        found->count = 0;
    if (rho < 0.9 * strongest || found->count == ORDER_WAVES)
        return;
    for (int c = 0; c < 3; c++)
        found->wave[found->count][c] = wave[c];
    found->rho[found->count++] = rho;
}

/* Waves along 13 directions, one of each pair of opposite ones, as short as the distance of particles. */
static reflections order_find(const report_shot *shot)
{
    reflections found = {0};
    const double *box = shot->box, least = fmin(box[0], fmin(box[1], box[2]));
    const double volume = box[0] * box[1] * box[2];
    const int64_t most = (int64_t)ceil(cbrt((double)shot->of * least * least * least / volume)) + 1;
    for (int64_t m = 1; m <= most; m++)
        for (int d = 14; d < 27; d++) { /* 13 is no direction at all; those before are opposite to those after */
            const int64_t sign[3] = {d / 9 - 1, d / 3 % 3 - 1, d % 3 - 1};
            int64_t wave[3];
            for (int c = 0; c < 3; c++)
                wave[c] = sign[c] * llround((double)m * box[c] / least);
            order_keep(&found, wave, order_rho(shot, wave));
        }
    return found;
}

/* Root mean square over the reflections. */
static double order_of(const report_shot *shot, const reflections *at)
{
    double sum = 0;
    for (int k = 0; k < at->count; k++)
        sum += pow(order_rho(shot, at->wave[k]), 2);
    return sqrt(sum / at->count);
}

static int order_plot(markup *out, const report *r, int64_t shots, const double *time, const double *order)
{
    const int at = report_csv_column(&r->csv, "time");
    const report_plot p = {
        .id = "order",
        .title = "Order of the crystal",
        .text = "Strength of the reflections of the first snapshot: 1 for a lattice at rest, less in a warm "
                "crystal or where a part has melted, about 1/√N in a liquid.",
        .unit = "",
        .time_unit = at >= 0 ? r->csv.unit[at] : "",
        .scale = REPORT_LINEAR,
        .count = shots,
        .time = time,
        .curves = 1,
        .curve = {{.name = "order", .value = order}}};
    return report_plot_write(out, &p);
}

int report_order_write(markup *out, report *r)
{
    static const char *const fields[] = {"position", NULL};
    const int64_t stride = r->snapshots / ORDER_SHOTS + 1;
    double time[ORDER_SHOTS], order[ORDER_SHOTS];
    reflections at = {0};
    int64_t shots = 0;
    if (!input_is_molecular(r->in))
        return 0;
    for (int64_t k = 0; k < r->snapshots && shots < ORDER_SHOTS; k += stride) {
        report_shot shot;
        if (report_snapshot(r, k, (report_part){ORDER_PARTICLES, fields}, &shot) != CLI_OK)
            break;
        const int whole = shot.particles && shot.box[0] > 0 && shot.box[1] > 0 && shot.box[2] > 0;
        if (k == 0 && whole)
            at = order_find(&shot);
        if (whole && at.count > 0) {
            time[shots] = shot.time;
            order[shots++] = order_of(&shot, &at);
        }
        myr_particles_destroy(&shot.particles);
        if (at.count == 0)
            break;
    }
    return shots > 1 ? order_plot(out, r, shots, time, order) : 0;
}
