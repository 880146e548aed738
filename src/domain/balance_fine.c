/* balance_fine.c - slab widths that minimise the cost of the slowest rank.
 *
 * When ranks have nearly equal work, a rank that is slow for a reason of its own, such as a shared core or a lower
 * clock rate, delays all others, and the mean cost of its slab hardly shows that. The unknowns are factors x_i, y_j,
 * z_k on the present slab widths that minimise max cost_ijk x_i y_j z_k. The maximum is replaced by a sum of p-th
 * powers, whose logarithm is convex in log x, log y and log z; it is minimal where the share s_i of slab i in that sum
 * equals the share w_i of its width. The iteration x_i *= exp(-(s_i/w_i - 1) / (2 p)) converges to that point while p
 * grows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domain/balance.h"

enum { FINE_ROUNDS = 300, FINE_LIMITS = 8 };
#define FINE_POWER 16.0 /* exponent p in the first round; FINE_GROWTH: factor on p over all rounds */
#define FINE_GROWTH 10.0
#define FINE_MOST 0.1 /* largest relative change of a slab width in one call */

typedef struct {
    const int *count;
    const double *cost;
    double *times[3]; /* factors x_i, y_j, z_k on the present slab widths */
} fine_work;

static double fine_cost(const fine_work *f, int i, int j, int k)
{
    return f->cost[(k * f->count[1] + j) * f->count[0] + i] * f->times[0][i] * f->times[1][j] * f->times[2][k];
}

static double fine_slowest(const fine_work *f)
{
    double most = 0;
    for (int k = 0; k < f->count[2]; k++)
        for (int j = 0; j < f->count[1]; j++)
            for (int i = 0; i < f->count[0]; i++)
                most = fmax(most, fine_cost(f, i, j, k));
    return most;
}

/* Shares of the slabs in the sum of p-th powers; `share` holds the three axes one after the other. */
static void fine_shares(const fine_work *f, double power, double *share)
{
    const double most = fine_slowest(f);
    double sum = 0, *const of[3] = {share, share + f->count[0], share + f->count[0] + f->count[1]};
    memset(share, 0, (size_t)(f->count[0] + f->count[1] + f->count[2]) * sizeof *share);
    for (int k = 0; k < f->count[2]; k++)
        for (int j = 0; j < f->count[1]; j++)
            for (int i = 0; i < f->count[0]; i++) {
                const double part = pow(fine_cost(f, i, j, k) / most, power);
                sum += part;
                of[0][i] += part;
                of[1][j] += part;
                of[2][k] += part;
            }
    for (int k = 0; k < f->count[0] + f->count[1] + f->count[2]; k++)
        share[k] /= sum;
}

/* Rescales the factors so that the total width is unchanged. */
static void fine_scale(int count, const double *width, double *times)
{
    double before = 0, after = 0;
    for (int i = 0; i < count; i++) {
        before += width[i];
        after += width[i] * times[i];
    }
    for (int i = 0; i < count; i++)
        times[i] *= before / after;
}

static void fine_round(const fine_work *f, double power, double *const width[3], double *share)
{
    fine_shares(f, power, share);
    for (int c = 0; c < 3; share += f->count[c++]) {
        double all = 0;
        for (int i = 0; i < f->count[c]; i++)
            all += width[c][i];
        for (int i = 0; i < f->count[c]; i++)
            f->times[c][i] *= exp((1 - share[i] / (width[c][i] * f->times[c][i] / all)) / (2 * power));
        fine_scale(f->count[c], width[c], f->times[c]);
    }
}

/* Limits the factors: at most FINE_MOST change, and no slab thinner than least[axis]. */
static void fine_limit(const fine_work *f, double *const width[3], const double least[3])
{
    for (int c = 0; c < 3; c++)
        for (int pass = 0; pass < FINE_LIMITS; pass++) {
            for (int i = 0; i < f->count[c]; i++) {
                const double thin = fmax(1 - FINE_MOST, fmin(1, least[c] / width[c][i]));
                f->times[c][i] = fmin(fmax(f->times[c][i], thin), 1 + FINE_MOST);
            }
            fine_scale(f->count[c], width[c], f->times[c]);
        }
}

double myr_balance_refine(const int count[3], const double *cost, const double least[3], double *const width[3])
{
    const int slabs = count[0] + count[1] + count[2];
    double *room = calloc(3 * (size_t)slabs, sizeof *room);
    if (!room)
        return 1; /* memory is short: keep the present widths */
    double *best = room + slabs, *share = best + slabs;
    const fine_work f = {count, cost, {room, room + count[0], room + count[0] + count[1]}};
    for (int k = 0; k < slabs; k++)
        room[k] = best[k] = 1;
    const double before = fine_slowest(&f);
    double after = before;
    for (int round = 0; round < FINE_ROUNDS && before > 0; round++) {
        fine_round(&f, FINE_POWER * pow(FINE_GROWTH, (double)round / FINE_ROUNDS), width, share);
        const double now = fine_slowest(&f);
        if (now < after) {
            after = now;
            memcpy(best, room, (size_t)slabs * sizeof *best);
        }
    }
    memcpy(room, best, (size_t)slabs * sizeof *best);
    fine_limit(&f, width, least);
    after = fine_slowest(&f);
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < count[c]; i++)
            width[c][i] *= f.times[c][i];
    free(room);
    return before > 0 ? after / before : 1;
}
