/* balance_fine.c - slabs with which the slowest rank is as fast as can be.
 *
 * Where ranks have about as much to do, one that is slow for a reason of its own, a core that is shared or clocked
 * down, holds up all others, and what its slab costs as a whole hardly shows it. Wanted are slabs x_i, y_j, z_k times
 * as wide as they are, with the least largest cost_ijk x_i y_j z_k. In place of the largest stands the sum of p-th
 * powers, whose logarithm is convex in those of x, y and z: it is least where the share s_i of slab i in that sum is
 * that of its width, w_i. Rounds of x_i *= exp(-(s_i/w_i - 1) / (2 p)) lead there, while p grows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domain/balance.h"

enum { FINE_ROUNDS = 300, FINE_LIMITS = 8 };
#define FINE_POWER 16.0 /* at first, and how many times as large at the end */
#define FINE_GROWTH 10.0
#define FINE_MOST 0.1 /* of its width may a slab change at once */

typedef struct {
    const int *count;
    const double *cost;
    double *times[3]; /* how many times as wide slabs become */
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

/* The shares of slabs in the sum of powers; `share` has those of all axes one after the other. */
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

/* As wide as before, all together. */
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

/* Neither too much at once nor too thin. */
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
        return 1; /* another time */
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
