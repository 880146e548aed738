/* coulomb_pairs.c - short-range part of Ewald sums, through the neighbour list. Each force is rounded once to a
 * multiple of a unit that depends on the largest charge and the cutoff alone, and added as an integer: forces of pairs
 * add up to exactly zero, in any order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "molecular/coulomb.h"

/* An integer in units has up to PAIRS_BITS bits; that of a stronger pair is split. */
#define PAIRS_BITS 50
#define PAIRS_HIGH 40
#define PAIRS_ROUND 6755399441055744.0 /* 1.5 2^52 */

/* What a thread knows; `coordinate` and so on are those of the engine. */
typedef struct {
    const myr_molecular *m;
    struct myr_molecular_coulomb *k;
    double unit[3], cutoff2, scale;
    int summing;
    int64_t *low[3];
    myr_wide sum[MYR_COULOMB_SUMS];
    int64_t bad[2]; /* ids of a pair at the same place; -1 = none */
} pairs_work;

static int64_t pairs_round(double y)
{
    const double shifted = y + PAIRS_ROUND, zero = PAIRS_ROUND;
    int64_t bits, base;
    memcpy(&bits, &shifted, sizeof bits);
    memcpy(&base, &zero, sizeof base);
    return bits - base;
}

/* Adds a force too strong for one integer: the multiple of 2^PAIRS_HIGH, which is exact, and the rest. */
static void pairs_strong(pairs_work *w, int64_t i, int64_t j, const double force[3])
{
    const int64_t n = w->m->n;
    for (int c = 0; c < 3; c++) {
        const double high = rint(ldexp(force[c], -PAIRS_HIGH));
        const int64_t low = pairs_round(force[c] - ldexp(high, PAIRS_HIGH)), whole = (int64_t)high;
        w->low[c][i] += low;
        w->low[c][j] -= low;
#pragma omp atomic
        w->k->high[c * n + i] += whole;
#pragma omp atomic
        w->k->high[c * n + j] -= whole;
    }
#pragma omp atomic write
    w->k->has_high = 1;
}

static void pairs_note_bad(pairs_work *w, int64_t i, int64_t j)
{
    const int64_t a = w->m->id[i], b = w->m->id[j], low = a < b ? a : b, high = a < b ? b : a;
    if (w->bad[0] >= 0 && (w->bad[0] < low || (w->bad[0] == low && w->bad[1] <= high)))
        return;
    w->bad[0] = low;
    w->bad[1] = high;
}

/* Energy and virial; the energy unit is that of forces, as distances are in units of the cutoff here. */
static void pairs_sum(pairs_work *w, double energy, const double d[3], const double force[3])
{
    static const int first[6] = {0, 1, 2, 1, 0, 0}, second[6] = {0, 1, 2, 2, 2, 1};
    const double reach = 1 / w->m->memory.reach;
    w->sum[0] += (myr_wide)rint(energy * reach * w->scale);
    for (int c = 0; c < 6; c++)
        w->sum[1 + c] += (myr_wide)rint(d[first[c]] * reach * force[second[c]]);
}

static void pairs_one(pairs_work *w, int64_t i, int64_t j, double charges, const double d[3], double r2)
{
    double h, g;
    myr_mesh_screen_at(&w->k->screen, r2, &h, &g);
    const double inverse = 1 / sqrt(r2);
    const double factor = charges * (inverse * inverse * inverse - g) * w->scale;
    const double force[3] = {factor * d[0], factor * d[1], factor * d[2]};
    const double size = fmax(fabs(force[0]), fmax(fabs(force[1]), fabs(force[2])));
    if (!(size < 0x1p100)) {
        pairs_note_bad(w, i, j);
        return;
    }
    if (w->summing)
        pairs_sum(w, charges * (inverse - h), d, force);
    if (size >= (double)(INT64_C(1) << PAIRS_BITS)) {
        pairs_strong(w, i, j, force);
        return;
    }
    for (int c = 0; c < 3; c++) {
        const int64_t whole = pairs_round(force[c]);
        w->low[c][i] += whole;
        w->low[c][j] -= whole;
    }
}

/* Pairs of particle i with those of some windows. */
static void pairs_row(pairs_work *w, const myr_neighbour_windows *list, int64_t i, int64_t begin, int64_t end)
{
    const myr_molecular *m = w->m;
    const double own = m->charge[i] * w->k->constant;
    const uint64_t at[3] = {m->q[0][i], m->q[1][i], m->q[2][i]};
    for (int64_t s = begin; s < end && own != 0; s++) {
        const int64_t first = list->start[s], last = first + list->lanes < list->n ? first + list->lanes : list->n;
        for (int64_t j = first; j < last; j++) {
            double d[3], r2 = 0;
            for (int c = 0; c < 3; c++) {
                d[c] = (double)(int64_t)(at[c] - m->q[c][j]) * w->unit[c];
                r2 += d[c] * d[c];
            }
            if (r2 < w->cutoff2 && m->charge[j] != 0)
                pairs_one(w, i, j, own * m->charge[j], d, r2);
        }
    }
}

static pairs_work pairs_begin(const myr_molecular *m, int share, int summing)
{
    struct myr_molecular_coulomb *k = m->coulomb;
    pairs_work w = {.m = m,
                    .k = k,
                    .cutoff2 = m->memory.reach * m->memory.reach,
                    .scale = 1 / k->unit,
                    .summing = summing,
                    .bad = {-1, -1}};
    for (int c = 0; c < 3; c++) {
        w.unit[c] = m->box.length[c] * 0x1p-64;
        w.low[c] = k->low + (3 * share + c) * m->n;
    }
    memset(w.low[0], 0, 3 * (size_t)m->n * sizeof *w.low[0]);
    return w;
}

static void pairs_share(const myr_molecular *m, int share, pairs_work *w)
{
    for (int which = 0; which < 2; which++) {
        const myr_neighbour_windows list = myr_neighbour_windows_of(m->list, share, which);
        for (int64_t r = 0; r < list.rows; r++)
            pairs_row(w, &list, list.row[r].target, r ? list.row[r - 1].end : 0, list.row[r].end);
    }
}

static void pairs_gather(const myr_molecular *m, double *const force[3])
{
    struct myr_molecular_coulomb *k = m->coulomb;
#pragma omp parallel for num_threads(m->team) schedule(static)
    for (int64_t i = 0; i < m->n; i++)
        for (int c = 0; c < 3; c++) {
            int64_t sum = 0;
            for (int t = 0; t < k->shares; t++)
                sum += k->low[(3 * t + c) * m->n + i];
            double whole = (double)sum;
            if (k->has_high)
                whole += ldexp((double)k->high[c * m->n + i], PAIRS_HIGH);
            force[c][i] += whole * k->unit;
        }
    if (k->has_high)
        memset(k->high, 0, 3 * (size_t)m->n * sizeof *k->high);
    k->has_high = 0;
}

static myr_status pairs_allocate(myr_molecular *m)
{
    struct myr_molecular_coulomb *k = m->coulomb;
    const int shares = myr_neighbour_shares(m->list);
    if (k->low && k->shares == shares)
        return MYR_OK;
    free(k->low);
    k->shares = shares;
    k->low = myr_memory_some(3 * shares * m->n, sizeof *k->low);
    return k->low ? MYR_OK
                  : myr_context_fail(m->context, MYR_ERROR_MEMORY, "no memory for %lld charges", (long long)k->charges);
}

myr_status myr_molecular_coulomb_pairs(myr_molecular *m, double *const force[3], double sum[MYR_COULOMB_SUMS])
{
    struct myr_molecular_coulomb *k = m->coulomb;
    const myr_status status = pairs_allocate(m);
    if (status)
        return status;
    myr_wide all[MYR_COULOMB_SUMS] = {0};
    pairs_work worst = {.m = m, .bad = {-1, -1}};
#pragma omp parallel for num_threads(m->team) schedule(static, 1)
    for (int t = 0; t < k->shares; t++) {
        pairs_work w = pairs_begin(m, t, sum != NULL);
        pairs_share(m, t, &w);
#pragma omp critical(myr_molecular_coulomb)
        {
            for (int c = 0; c < MYR_COULOMB_SUMS; c++)
                all[c] += w.sum[c];
            if (w.bad[0] >= 0 &&
                (worst.bad[0] < 0 || w.bad[0] < worst.bad[0] || (w.bad[0] == worst.bad[0] && w.bad[1] < worst.bad[1])))
                memcpy(worst.bad, w.bad, sizeof worst.bad);
        }
    }
    pairs_gather(m, force);
    for (int c = 0; c < MYR_COULOMB_SUMS && sum; c++)
        sum[c] = (double)all[c] * k->unit * m->memory.reach;
    return worst.bad[0] < 0 ? MYR_OK
                            : myr_context_fail(m->context, MYR_ERROR_NONFINITE,
                                               "particles %lld and %lld, which have charges, are at the same place: "
                                               "the force between them is no number; move one of them",
                                               (long long)worst.bad[0], (long long)worst.bad[1]);
}
