/* box_fields.h - external fields and walls of particles in a box: formulas shared by processor and GPU, evaluated in
 * the same order on both, so that the bits are the same. Only additions, multiplications and divisions of doubles and
 * integer operations are used, and none of them may be contracted to a fused operation.
 *
 * A field acts along each axis by itself and on each particle by itself. Positions are the integer coordinates of the
 * box (domain/box.h); the difference of two coordinates, read as a signed integer, times `unit` is a distance. */
#ifndef MYR_BACKEND_BOX_FIELDS_H
#define MYR_BACKEND_BOX_FIELDS_H

#include <stdint.h>

#if defined(__CUDACC__)
#define MYR_BOX_FN static __device__ __forceinline__
#else
#define MYR_BOX_FN static inline __attribute__((unused))
#endif

enum { BOX_WALL_NONE, BOX_WALL_REFLECTING, BOX_WALL_93 };
enum { BOX_LOW, BOX_HIGH, BOX_SIDES };
enum { BOX_TRAPS = 8 };      /* largest number of harmonic traps */
enum { BOX_PUSH_BITS = 40 }; /* bits of the largest impulse of a particle on a wall, in units of the integer sums */

/* Walls of one axis: particles are at coordinates [at[BOX_LOW], at[BOX_HIGH]). */
typedef struct {
    int kind;           /* BOX_WALL_... */
    int has[BOX_SIDES]; /* 1 = there is a wall on that side */
    uint64_t at[BOX_SIDES];
    double epsilon, sigma; /* of the potential 9-3 */
    double cutoff;         /* distance from which on the wall does not act; infinite = none */
    double shift;          /* subtracted from the potential, which vanishes at the cutoff */
} box_wall;

/* All fields, in the coordinates of the present box: the table is made again whenever an axis changes its length. */
typedef struct {
    double unit[3];         /* length of an axis / 2^64 */
    double acceleration[3]; /* sum of the uniform fields */
    double offset[3];       /* potential of the uniform fields at position 0 of an axis */
    int traps;
    double rate2[BOX_TRAPS][3]; /* squared angular frequencies */
    uint64_t centre[BOX_TRAPS][3];
    box_wall wall[3];
    double push_scale; /* integer units of an impulse on a wall per unit of momentum */
} box_fields;

/* Distance of a coordinate from one wall, positive on the side of the particles. A particle at or beyond a wall is
 * treated as one 2^-30 sigma before it: the force is then too large for any time step, which is reported. */
MYR_BOX_FN double box_wall_distance(const box_wall *w, int side, uint64_t q, double unit)
{
    const int64_t away = side == BOX_LOW ? (int64_t)(q - w->at[BOX_LOW]) : (int64_t)(w->at[BOX_HIGH] - q);
    const double least = w->sigma * (1.0 / 1073741824.0), r = (double)away * unit;
    return r > least ? r : least;
}

/* Force of one wall 9-3 on a particle at distance r, positive = away from the wall:
 *   U = epsilon (2/15 (sigma/r)^9 - (sigma/r)^3) - shift,   F = epsilon (6/5 (sigma/r)^9 - 3 (sigma/r)^3)/r. */
MYR_BOX_FN double box_wall_force(const box_wall *w, double r)
{
    const double y = w->sigma / r, y3 = y * y * y;
    return r < w->cutoff ? w->epsilon * (1.2 * (y3 * y3 * y3) - 3.0 * y3) / r : 0.0;
}

MYR_BOX_FN double box_wall_energy(const box_wall *w, double r)
{
    const double y = w->sigma / r, y3 = y * y * y;
    return r < w->cutoff ? w->epsilon * ((2.0 / 15.0) * (y3 * y3 * y3) - y3) - w->shift : 0.0;
}

/* Force of all fields along axis c on a particle. Adds the particle's push on the two walls to push. */
MYR_BOX_FN double box_field_force(const box_fields *f, int c, uint64_t q, double mass, double push[BOX_SIDES])
{
    double a = f->acceleration[c];
    for (int k = 0; k < f->traps; k++)
        a -= f->rate2[k][c] * ((double)(int64_t)(q - f->centre[k][c]) * f->unit[c]);
    double force = mass * a;
    const box_wall *w = &f->wall[c];
    for (int side = 0; w->kind == BOX_WALL_93 && side < BOX_SIDES; side++)
        if (w->has[side]) {
            const double away = box_wall_force(w, box_wall_distance(w, side, q, f->unit[c]));
            force += side == BOX_LOW ? away : -away;
            push[side] += away;
        }
    return force;
}

/* Energy of a particle in all fields along axis c; x is its position, with the periodic images that it has passed. */
MYR_BOX_FN double box_field_energy(const box_fields *f, int c, uint64_t q, double x, double mass)
{
    double energy = f->offset[c] - f->acceleration[c] * x;
    for (int k = 0; k < f->traps; k++) {
        const double d = (double)(int64_t)(q - f->centre[k][c]) * f->unit[c];
        energy += 0.5 * f->rate2[k][c] * (d * d);
    }
    energy *= mass;
    const box_wall *w = &f->wall[c];
    for (int side = 0; w->kind == BOX_WALL_93 && side < BOX_SIDES; side++)
        if (w->has[side])
            energy += box_wall_energy(w, box_wall_distance(w, side, q, f->unit[c]));
    return energy;
}

/* Reflects a particle that has passed a reflecting wall in a drift: coordinates are mirrored between two integers, so
 * that no coordinate is its own image and the reflection is reversible, and the velocity is turned. Adds 2 |v| for each
 * reflection to turned. Called after every drift. */
MYR_BOX_FN void box_wall_reflect(const box_wall *w, uint64_t *q, double *v, double turned[BOX_SIDES])
{
    for (int again = 0; again < 64; again++) {
        const int under = w->has[BOX_LOW] && (int64_t)(*q - w->at[BOX_LOW]) < 0;
        const int over = w->has[BOX_HIGH] && (int64_t)(*q - w->at[BOX_HIGH]) >= 0;
        if (!under && !over)
            return;
        const int side = under ? BOX_LOW : BOX_HIGH;
        *q = 2 * w->at[side] - 1 - *q;
        turned[side] += *v > 0.0 ? 2.0 * *v : -2.0 * *v;
        *v = -*v;
    }
}

/* Minimisation: moves a particle beyond a reflecting wall to the wall, and removes velocity and force into the wall of
 * a particle that is at it. */
MYR_BOX_FN void box_wall_hold(const box_wall *w, uint64_t *q, double *v, double *f)
{
    const int at_low = w->has[BOX_LOW] && (int64_t)(*q - w->at[BOX_LOW]) <= 0;
    const int at_high = w->has[BOX_HIGH] && (int64_t)(*q - w->at[BOX_HIGH]) >= -1;
    if (w->kind != BOX_WALL_REFLECTING || (!at_low && !at_high))
        return;
    *q = at_low ? w->at[BOX_LOW] : w->at[BOX_HIGH] - 1;
    *v = (at_low ? *v < 0.0 : *v > 0.0) ? 0.0 : *v;
    *f = (at_low ? *f < 0.0 : *f > 0.0) ? 0.0 : *f;
}

/* An impulse on a wall in the units of the integer sums: |result| <= 2^BOX_PUSH_BITS. */
MYR_BOX_FN int64_t box_push_round(double impulse, double scale)
{
    const double most = 1099511627776.0, x = impulse * scale, magic = 6755399441055744.0; /* 2^40, 1.5 2^52 */
    const double held = x < -most ? -most : x > most ? most : x;
    return (int64_t)((held + magic) - magic);
}

#endif
