/* box_motion.h - formulas of the motion of particles in a box, shared by processor and GPU and evaluated in the same
 * order on both, so that the bits are the same. */
#ifndef MYR_BACKEND_BOX_MOTION_H
#define MYR_BACKEND_BOX_MOTION_H

#include <stdint.h>

#include "backend/motion.h"
#include "core/random_inside.h"

enum { MYR_BOX_STREAM_LANGEVIN = 32 }; /* stream of the random numbers of Langevin dynamics */

/* x rounded to the nearest integer, |x| < 2^62, by additions alone: not every instruction set converts vectors of
 * doubles to 64-bit integers. The high part is a multiple of 2^26, and the remainder is exact. Beyond 2^62 some
 * integer: particles that fast are found by their velocity after the step. */
MYR_MOTION_FN int64_t box_motion_round(double x)
{
    const double magic = 0x1.8p52;
    union {
        double number;
        uint64_t bits;
    } high = {x * 0x1p-26 + magic}, low;
    low.number = (x - (high.number - magic) * 0x1p26) + magic;
    const uint64_t zero = 0x4338000000000000ull; /* bit pattern of `magic` */
    return (int64_t)(((high.bits - zero) << 26) + (low.bits - zero));
}

/* One particle. */
typedef struct {
    uint64_t q[3];
    double v[3];
} box_motion;

/* Kick v += w f, w being the time of the kick over the mass; returns the square of the new velocity. */
MYR_MOTION_FN double box_motion_kick(box_motion *m, double w, const double f[3])
{
    double v2 = 0;
    for (int c = 0; c < 3; c++) {
        m->v[c] = m->v[c] + w * f[c];
        v2 += m->v[c] * m->v[c];
    }
    return v2;
}

/* Kick and drift: v += w f, q += v unit. */
MYR_MOTION_FN double box_motion_kick_drift(box_motion *m, double w, const double f[3], const double unit[3])
{
    const double v2 = box_motion_kick(m, w, f);
    for (int c = 0; c < 3; c++)
        m->q[c] += (uint64_t)box_motion_round(m->v[c] * unit[c]);
    return v2;
}

/* Drift q += v unit. */
MYR_MOTION_FN void box_motion_drift(box_motion *m, const double unit[3])
{
    for (int c = 0; c < 3; c++)
        m->q[c] += (uint64_t)box_motion_round(m->v[c] * unit[c]);
}

/* Ornstein-Uhlenbeck step v = keep v + noise z, z being random numbers of normal distribution. */
MYR_MOTION_FN void box_motion_shake(double v[3], uint64_t seed, uint64_t id, int64_t step, double keep, double noise)
{
    double z[4];
    random_normal(seed, MYR_BOX_STREAM_LANGEVIN + (uint32_t)(step >> 32), id, (uint32_t)step, z);
    for (int c = 0; c < 3; c++)
        v[c] = keep * v[c] + noise * z[c];
}

/* Step of a minimisation by FIRE, with unit masses: v = keep v + push f, q += v dt, at most `most` far. */
typedef struct box_fire {
    double keep, push, dt, most;
    double length[3]; /* of the box */
} box_fire;

/* Returns how far the particle has moved. */
MYR_MOTION_FN double box_motion_fire(box_motion *m, const double f[3], const box_fire *step)
{
    for (int c = 0; c < 3; c++)
        m->v[c] = step->keep * m->v[c] + step->push * f[c];
    const double way = sqrt(m->v[0] * m->v[0] + m->v[1] * m->v[1] + m->v[2] * m->v[2]) * step->dt;
    const double less = way > step->most ? step->most / way : 1;
    for (int c = 0; c < 3; c++) {
        m->v[c] *= less;
        m->q[c] += (uint64_t)box_motion_round(m->v[c] * step->dt / step->length[c] * 0x1p64);
    }
    return way * less;
}

/* Square of the sum of the velocities of both half drifts of a Langevin step, before and after the random forces; with
 * reflections in between an upper bound. */
MYR_MOTION_FN double box_motion_way2(const double before[3], const double after[3], int reflecting)
{
    double way2 = 0;
    for (int c = 0; c < 3; c++) {
        const double way = reflecting ? fabs(before[c]) + fabs(after[c]) : before[c] + after[c];
        way2 += way * way;
    }
    return way2;
}

#endif
