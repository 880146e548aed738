/* motion.h - formulas of motion shared by processor and GPU, evaluated in the same order on both, so that the bits are
 * the same. Only additions, multiplications, divisions and square roots of doubles are used. */
#ifndef MYR_BACKEND_MOTION_H
#define MYR_BACKEND_MOTION_H

#include <math.h>
#include <stdint.h>

#if defined(__CUDACC__)
#define MYR_MOTION_FN static __device__ __forceinline__
#else
#define MYR_MOTION_FN static inline __attribute__((unused))
#endif

/* to = base + factor * (p * from + q * other), for arrays of one number per particle. Null base, from or other = 0. */
typedef struct {
    double *to;
    const double *base, *from, *other;
    double factor, p, q;
} motion_sum;

MYR_MOTION_FN void motion_sum_at(const motion_sum *s, int64_t i)
{
    double sum = s->from ? s->p * s->from[i] : 0;
    if (s->other)
        sum += s->q * s->other[i];
    sum *= s->factor;
    s->to[i] = s->base ? s->base[i] + sum : sum;
}

/* Taylor series about a particle's own time. */
MYR_MOTION_FN double motion_position(double x, double v, double a, double j, double dt)
{
    return x + dt * (v + dt * (0.5 * a + dt * (j * (1.0 / 6.0))));
}

MYR_MOTION_FN double motion_velocity(double v, double a, double j, double dt)
{
    return v + dt * (a + dt * (0.5 * j));
}

MYR_MOTION_FN double motion_length(const double u[3])
{
    return sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
}

/* State of a particle in a Hermite step: start of the step, and evaluation at the predicted end. */
typedef struct {
    double x[3], v[3], a[3], j[3]; /* at the start; replaced by the end when corrected */
    double a1[3], j1[3];
} hermite_body;

/* Moves the body to the end of a step dt with the second and third derivatives from both ends; returns the next step by
 * Aarseth's criterion, dt^2 = eta (|a| |a2| + |j|^2) / (|j| |a3| + |a2|^2). */
MYR_MOTION_FN double hermite_correct(hermite_body *b, double dt, double eta)
{
    double a2[3], a3[3];
    const double a1_end = motion_length(b->a1), j1_end = motion_length(b->j1);
    for (int c = 0; c < 3; c++) {
        const double a0 = b->a[c], j0 = b->j[c], v0 = b->v[c];
        b->v[c] = v0 + dt * (0.5 * (a0 + b->a1[c]) + dt * ((j0 - b->j1[c]) * (1.0 / 12.0)));
        b->x[c] = b->x[c] + dt * (0.5 * (v0 + b->v[c]) + dt * ((a0 - b->a1[c]) * (1.0 / 12.0)));
        const double d = (a0 - b->a1[c]) / dt;
        a3[c] = (12 * d + 6 * (j0 + b->j1[c])) / (dt * dt);           /* third derivative */
        a2[c] = (-6 * d - (4 * j0 + 2 * b->j1[c])) / dt + dt * a3[c]; /* second derivative at the end */
        b->a[c] = b->a1[c];
        b->j[c] = b->j1[c];
    }
    const double second = motion_length(a2), third = motion_length(a3);
    const double below = j1_end * third + second * second;
    return below > 0 ? sqrt(eta * (a1_end * second + j1_end * j1_end) / below) : (double)INFINITY;
}

/* Largest power of two, times `unit`, not above `wanted`. */
MYR_MOTION_FN double hermite_floor(double wanted, double unit, double dt_min)
{
    double step = 1;
    while (step > wanted && step * unit > dt_min)
        step *= 0.5;
    return step;
}

/* Next block step at `now` units from the origin: halved as often as needed, or doubled once if a block of that length
 * can start. */
MYR_MOTION_FN double hermite_block(double now, double old, double wanted, double unit, double dt_min)
{
    if (wanted < old)
        return hermite_floor(wanted, unit, dt_min);
    const double blocks = now / (2 * old);
    return wanted >= 2 * old && 2 * old <= 1 && blocks == floor(blocks) ? 2 * old : old;
}

/* A step shortened so much that its derivatives are dominated by rounding keeps its old length. */
MYR_MOTION_FN double hermite_wanted(double wanted, double dt, double step)
{
    return dt < 0.01 * step ? step : wanted;
}

#endif
