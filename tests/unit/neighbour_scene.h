/* neighbour_scene.h - particles in boxes of many kinds, and what they do to each other by plain double sums over all
 * pairs, for the tests of the neighbour method. */
#ifndef MYR_TEST_NEIGHBOUR_SCENE_H
#define MYR_TEST_NEIGHBOUR_SCENE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "method/neighbour/neighbour.h"
#include "neighbour_forces.h"

enum { SCENE_MOST = 4096, SCENE_TYPES = 3 };

typedef struct {
    myr_neighbour_set set;
    myr_pair_potential pair[SCENE_TYPES * SCENE_TYPES];
    uint64_t q[3][SCENE_MOST];
    int32_t type[SCENE_MOST], id[SCENE_MOST];
} scene;

/* Answers, by id. */
typedef struct {
    double force[SCENE_MOST][3];
    myr_neighbour_sums sums;
    double net[3]; /* in the order of memory */
} scene_answer;

static inline double scene_random(uint64_t id, int k)
{
    double u[2];
    myr_random_uniform(11, 5, id, (uint32_t)k, u);
    return u[0];
}

/* A box of the given sides with particles on a lattice of spacing about 1.05, moved by up to `jitter`; `fill` is the
 * part of each side that they take. An axis that is not periodic has a length of 256. */
static inline void scene_make(scene *s, const double *side, const int *periodic, double fill, double jitter, int types)
{
    const double spacing = 1.05;
    int64_t n = 0;
    int count[3];
    memset(s, 0, sizeof *s);
    for (int k = 0; k < 3; k++) {
        s->set.box.origin[k] = -0.3 * side[k];
        s->set.box.periodic[k] = periodic[k];
        s->set.box.length[k] = periodic[k] ? side[k] : 256;
        count[k] = (int)(fill * side[k] / spacing);
        count[k] = count[k] < 1 ? 1 : count[k];
    }
    for (int a = 0; a < count[0]; a++)
        for (int b = 0; b < count[1]; b++)
            for (int c = 0; c < count[2] && n < SCENE_MOST; c++, n++) {
                const int cell[3] = {a, b, c};
                for (int k = 0; k < 3; k++) {
                    const double at = (cell[k] + 0.5) * fill * side[k] / count[k];
                    const double moved = at + jitter * (2 * scene_random((uint64_t)n, k) - 1);
                    const double start = periodic[k] ? s->set.box.origin[k] : 100;
                    s->q[k][n] = myr_box_coordinate(&s->set.box, k, start + moved, NULL);
                }
                s->type[n] = (int32_t)(n * 7 % types);
                s->id[n] = (int32_t)n;
            }
    s->set.n = n;
    s->set.types = types;
    for (int i = 0; i < types; i++)
        for (int j = 0; j < types; j++)
            s->pair[i * types + j] =
                (myr_pair_potential){1 + 0.2 * (i + j), 1 - 0.03 * (i + j), 2.5 - 0.1 * (i + j), 1.7 + 0.05 * (i + j)};
    s->set.skin = 0.3;
}

/* Puts the particle with id 1 at a distance from the one with id 0, along the diagonal. */
static inline void scene_clash(scene *s, double distance)
{
    int64_t at[2] = {0, 0};
    for (int64_t i = 0; i < s->set.n; i++)
        if (s->id[i] < 2)
            at[s->id[i]] = i;
    for (int k = 0; k < 3; k++)
        s->q[k][at[1]] = s->q[k][at[0]] + (uint64_t)myr_box_displacement(&s->set.box, k, distance * 0.5773502691896258);
}

/* Puts particles within a ball of the given radius around the one with id 0. */
static inline void scene_clump(scene *s, int count, double radius)
{
    scene_clash(s, radius);
    for (int64_t i = 0; i < s->set.n; i++)
        for (int k = 0; k < 3 && s->id[i] > 1 && s->id[i] < count; k++) {
            const double by = (scene_random((uint64_t)s->id[i], 40 + k) - 0.5) * radius;
            int64_t first = 0;
            while (s->id[first] != 0)
                first++;
            s->q[k][i] = s->q[k][first] + (uint64_t)myr_box_displacement(&s->set.box, k, by);
        }
}

static inline double scene_lj(const myr_pair_potential *p, double r, double *slope)
{
    const double x = p->sigma / r;
    *slope = 4 * p->epsilon * (-12 * pow(x, 12) + 6 * pow(x, 6)) / r;
    return 4 * p->epsilon * (pow(x, 12) - pow(x, 6));
}

/* U and dU/dr with a cut, from their definitions. */
static inline double scene_potential(const myr_pair_potential *p, myr_cut cut, double r, double *slope)
{
    double end_slope, inner_slope;
    const double end = scene_lj(p, p->cutoff, &end_slope);
    double u = scene_lj(p, r, slope);
    switch (cut) {
    case MYR_CUT_TRUNCATED:
        return u;
    case MYR_CUT_SHIFTED:
        return u - end;
    case MYR_CUT_SMOOTH:
        *slope -= end_slope * r / p->cutoff;
        return u - end - end_slope / (2 * p->cutoff) * (r * r - p->cutoff * p->cutoff);
    case MYR_CUT_FORCE:
        *slope -= end_slope;
        return u - end - end_slope * (r - p->cutoff);
    case MYR_CUT_SPLINE:
        break;
    }
    if (r < p->inner)
        return u;
    /* Hermite's form: value and slope at the inner radius, both 0 at the cutoff */
    const double h = p->cutoff - p->inner, t = (r - p->inner) / h;
    u = scene_lj(p, p->inner, &inner_slope);
    *slope = (u * (6 * t * t - 6 * t) + inner_slope * h * (3 * t * t - 4 * t + 1)) / h;
    return u * (2 * t * t * t - 3 * t * t + 1) + inner_slope * h * (t * t * t - 2 * t * t + t);
}

static inline void scene_pair(const scene *s, int64_t i, int64_t j, scene_answer *to)
{
    const myr_pair_potential *p = s->pair + s->type[i] * s->set.types + s->type[j];
    double d[3], r2 = 0, slope;
    for (int k = 0; k < 3; k++) {
        d[k] = (double)(int64_t)(s->q[k][i] - s->q[k][j]) * 0x1p-64 * s->set.box.length[k];
        r2 += d[k] * d[k];
    }
    const double r = sqrt(r2);
    if (!(r < p->cutoff) || p->epsilon == 0)
        return;
    to->sums.energy += scene_potential(p, s->set.cut, r, &slope);
    for (int k = 0; k < 3; k++) {
        to->force[s->id[i]][k] -= slope * d[k] / r;
        to->force[s->id[j]][k] += slope * d[k] / r;
    }
    static const int a[6] = {0, 1, 2, 1, 0, 0}, b[6] = {0, 1, 2, 2, 2, 1};
    for (int k = 0; k < 6; k++)
        to->sums.virial[k] -= slope * d[a[k]] * d[b[k]] / r;
}

static inline void scene_reference(const scene *s, scene_answer *to)
{
    memset(to, 0, sizeof *to);
    for (int64_t i = 0; i < s->set.n; i++)
        for (int64_t j = 0; j < i; j++)
            scene_pair(s, i, j, to);
}

/* Makes a list of the scene's particles, whose ids are sorted along. */
static inline myr_status scene_list(scene *s, myr_context *context, myr_neighbour **list)
{
    for (int k = 0; k < 3; k++)
        s->set.q[k] = s->q[k];
    s->set.type = s->set.types > 1 ? s->type : NULL;
    s->set.pair = s->pair;
    myr_status status = myr_neighbour_create(context, &s->set, list);
    return status ? status : myr_neighbour_track(*list, s->id, sizeof *s->id);
}

static inline myr_status scene_forces(const scene *s, myr_neighbour *list, int sums, scene_answer *to)
{
    static double f[3][SCENE_MOST];
    double *const force[3] = {f[0], f[1], f[2]};
    memset(to, 0, sizeof *to);
    myr_status status = neighbour_forces(list, force, sums ? &to->sums : NULL);
    for (int64_t i = 0; i < s->set.n && !status; i++)
        for (int k = 0; k < 3; k++) {
            to->force[s->id[i]][k] = f[k][i];
            to->net[k] += f[k][i];
        }
    return status;
}

/* Root mean square of the difference over that of the forces. */
static inline double scene_error(const scene *s, const scene_answer *a, const scene_answer *b)
{
    double difference = 0, size = 0;
    for (int64_t i = 0; i < s->set.n; i++)
        for (int k = 0; k < 3; k++) {
            difference += (a->force[i][k] - b->force[i][k]) * (a->force[i][k] - b->force[i][k]);
            size += b->force[i][k] * b->force[i][k];
        }
    return size > 0 ? sqrt(difference / size) : sqrt(difference);
}

/* The worst of energy and virial, relative to the sum of sizes. */
static inline double scene_sums_error(const scene_answer *a, const scene_answer *b)
{
    double worst = fabs(a->sums.energy - b->sums.energy), size = fabs(b->sums.energy);
    for (int k = 0; k < 6; k++) {
        worst = fmax(worst, fabs(a->sums.virial[k] - b->sums.virial[k]));
        size += fabs(b->sums.virial[k]);
    }
    return size > 0 ? worst / size : worst;
}

/* One context for all tests of a file. */
static myr_context *context;

static inline int setup(void **state)
{
    (void)state;
    return myr_context_create(&context);
}

static inline int teardown(void **state)
{
    (void)state;
    myr_context_destroy(&context);
    return 0;
}

#endif
