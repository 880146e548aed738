/* vortex.h - vortex elements with Gaussian cores: velocity (Biot-Savart) and stretching.
 *
 *   u_i = sum_j g(s) grad G x alpha_j,   G = 1/(4 pi r),   r = |x_i - x_j|
 *   d alpha_i/dt = (alpha_i . grad) u
 *   g(s) = erf(s) - 2/sqrt(pi) s exp(-s^2),   s = r / (sqrt(2) sigma_j)
 *
 * Paper 004 eqs 5, 6 and 9 (eq. 5 with the sign of G as here). The sums are multiplied by 1/(4 pi). With dx = x_j -
 * x_i, K = g/r^3 and L = -K'(r)/r = (3 g - 4/sqrt(pi) s^3 exp(-s^2))/r^5:
 *
 *   4 pi u_i = sum_j K dx x alpha_j,   4 pi d alpha_i/dt = sum_j (L (alpha_i.dx) dx - K alpha_i) x alpha_j
 *
 * That is the classical form of stretching. With c = alpha_i x alpha_j the transposed form, alpha_i . (grad u)^T, is
 *
 *   4 pi d alpha_i/dt = sum_j K c - L (dx.c) dx
 *
 * whose sum over all elements vanishes for equal cores (Winckelmans and Leonard 1993, J. Comput. Phys. 109, 247). The
 * mixed form is the mean of both, in which K cancels. All forms agree if the vorticity has no divergence.
 *
 * K is a difference of nearly equal numbers for small s. In float arithmetic it is written as a softening that decays
 * with the distance: with x = r^2/sigma^2
 *
 *   K = R^(-3/2),   R = r^2 + sigma^2 C(x),   L r^2 = 3 K - (2/pi)^(1/2) exp(-x/2)/sigma^3
 *
 * C is 2.4 at x = 0 and vanishes like exp(-x/2), of which it is a polynomial's multiple (vortex_core.h). What cancels
 * in L r^2 is of the size of K's rounding error, and K stands beside L r^2 in all sums. For double the polynomial would
 * be too long. In double, for s < 1, with the integral F = int_0^1 y^4 exp(-s^2 y^2) dy, which has a quickly converging
 * series,
 *
 *   L = 8/sqrt(pi) F / (2 sigma^2)^(5/2),   K = 4/(3 sqrt(pi)) (2 s^2 F + exp(-s^2)) / (2 sigma^2)^(3/2)
 *
 * An element of core 0 is a point vortex, singular at r = 0. */
#ifndef MYR_KERNEL_VORTEX_H
#define MYR_KERNEL_VORTEX_H

#include "kernel/kernel.h"
#include "kernel/vortex_core.h"

#define biot_savart_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                    \
    SOURCE(strength, 3, MYR_STRENGTH)                                                                                  \
    SOURCE(core, 1)                                                                                                    \
    OUTPUT(velocity, 3)
MYR_KERNEL_RECORD(biot_savart, .text = "vortex elements with Gaussian cores: velocity",
                  .formula = "u_i = sum_j g(r/sigma_j) grad(1/(4 pi r)) x alpha_j", .has_expansion = 1);

#define stretching_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                     \
    TARGET(strength, 3)                                                                                                \
    SOURCE(strength, 3, MYR_STRENGTH)                                                                                  \
    SOURCE(core, 1)                                                                                                    \
    OUTPUT(stretching, 3)
MYR_KERNEL_RECORD(stretching, .text = "vortex elements with Gaussian cores: change of strength by stretching",
                  .formula = "d alpha_i/dt = (alpha_i.grad) u, u as biot_savart", .self = MYR_SELF_SKIPPED,
                  .has_expansion = 1);

#define velocity_stretching_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                            \
    biot_savart_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE) TARGET(strength, 3) OUTPUT(stretching, 3)
MYR_KERNEL_RECORD(velocity_stretching,
                  .text = "vortex elements with Gaussian cores: velocity and stretching in one pass",
                  .formula = "u_i as biot_savart, d alpha_i/dt as stretching", .self = MYR_SELF_SKIPPED,
                  .has_expansion = 1);

/* Loops of near pairs on a GPU with sums in floats: two thirds of the instructions (backend/cuda/far_near.cuh). */
#define velocity_stretching_sums_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                       \
    velocity_stretching_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE) OUTPUT(moment, 3)
MYR_KERNEL_RECORD(velocity_stretching_sums, .text = "velocity_stretching without its last product",
                  .formula = "d alpha_i/dt = stretching - alpha_i x moment", .self = MYR_SELF_SKIPPED,
                  .has_expansion = 1);

#define velocity_stretching_transposed_RECORD velocity_stretching_RECORD
MYR_KERNEL_RECORD(
    velocity_stretching_transposed,
    .text = "vortex elements with Gaussian cores: velocity and stretching by the transposed scheme",
    .formula = "u_i as biot_savart, d alpha_i/dt = alpha_i.(grad u)^T: sum_i d alpha_i/dt = 0 with equal cores",
    .self = MYR_SELF_SKIPPED, .has_expansion = 1);

#define velocity_stretching_mixed_RECORD velocity_stretching_RECORD
MYR_KERNEL_RECORD(velocity_stretching_mixed,
                  .text = "vortex elements with Gaussian cores: velocity and stretching by the mixed scheme",
                  .formula = "u_i as biot_savart, d alpha_i/dt = alpha_i.(grad u + (grad u)^T)/2",
                  .self = MYR_SELF_SKIPPED, .has_expansion = 1);

static inline double vortex_prepare(const double *parameter, double *constant)
{
    (void)parameter;
    (void)constant;
    return 0.07957747154594766788; /* 1/(4 pi) */
}

#define biot_savart_prepare vortex_prepare
#define stretching_prepare vortex_prepare
#define velocity_stretching_prepare vortex_prepare
#define velocity_stretching_transposed_prepare vortex_prepare
#define velocity_stretching_mixed_prepare vortex_prepare

/* 2 F = sum_m 2 (-x)^m / (m! (2m+5)) for 0 <= x = s^2 < 1: 18 terms leave an error of 4e-17 F. */
MYR_FN lane vortex_series(lane x)
{
    const int terms = 18;
    const double coefficient[18] = {2.0 / 5,
                                    -2.0 / 7,
                                    2.0 / 18,
                                    -2.0 / 66,
                                    2.0 / 312,
                                    -2.0 / 1800,
                                    2.0 / 12240,
                                    -2.0 / 95760,
                                    2.0 / 846720,
                                    -2.0 / 8346240,
                                    2.0 / 90720000,
                                    -2.0 / 1077753600,
                                    2.0 / 13891046400,
                                    -2.0 / 193037644800,
                                    2.0 / 2876883609600,
                                    -2.0 / 45768602880000,
                                    2.0 / 774143225856000,
                                    -2.0 / 13871809695744000};
    lane sum = lane_set(K(coefficient[terms - 1]));
    MYR_UNROLL
    for (int m = terms - 2; m >= 0; m--)
        sum = lane_madd(sum, x, lane_set(K(coefficient[m])));
    return sum;
}

/* K, and L as l * rinv2: r^5 alone would overflow a float early. */
typedef struct {
    lane k, l, rinv2;
} vortex_core;

/* What the float formula needs of a core: sigma^2, log2(e)/(2 sigma^2), (2/pi)^(1/2)/sigma^3. The core 0 of a point
 * vortex is replaced by one smaller than any resolved distance. */
typedef struct {
    lane core2, exponent, factor;
} vortex_width;

MYR_FN lane vortex_square(lane core)
{
    return lane_max(lane_set(K(sizeof(real) == sizeof(float) ? 1e-37 : 1e-300)), core * core);
}

MYR_FN vortex_width vortex_width_of(lane core)
{
    vortex_width w;
    w.core2 = vortex_square(core);
    lane inverse = lane_recip_pos(w.core2);
    w.exponent = K(0.72134752044448170) * inverse;
    w.factor = lane_min(lane_set(K(1e37)), K(0.79788456080286536) * (inverse * lane_rsqrt_pos(w.core2)));
    return w;
}

/* Beyond exp(-x/2) = 2^-120 the core is nothing; what the cut leaves of the exponential is taken off exactly, since the
 * factor of a small core is large. Where r^2 is below 1e-7 sigma^2, so is L r^2 beside K, and L is kept finite. */
MYR_FN vortex_core vortex_core_float(lane r2, const vortex_width *w)
{
    lane t = lane_min(lane_set(K(120)), r2 * w->exponent);
    lane decay = lane_exp2_normal(-t);
    lane rinv = lane_rsqrt_pos(lane_madd(w->core2, decay * poly_core(t), r2));
    vortex_core c;
    c.k = (rinv * rinv) * rinv;
    c.l = lane_madd(lane_set(K(3)), c.k, lane_madd(decay, -w->factor, K(0x1p-120) * w->factor));
    c.rinv2 = lane_recip_pos(lane_madd(w->core2, lane_set(K(1e-7)), r2));
    return c;
}

MYR_FN vortex_core vortex_core_double(lane r2, lane core2)
{
    vortex_core c;
    lane width2 = K(2) * core2;
    lane winv = lane_rsqrt_pos(width2);
    lane winv2 = winv * winv, winv3 = winv2 * winv;
    lane x = r2 * winv2; /* s^2; may be infinite for a point vortex, while s is finite */
    /* beyond 60 the Gaussian is below the rounding error of every term; denormals would cost hundreds of cycles each */
    lane decay = lane_exp(-lane_min(x, lane_set(K(60))));
    lmask inner = lane_lt(x, lane_set(K(1)));

    lane series = vortex_series(x);
    lane inner_k = (K(0.75225277806367504926) * winv3) * lane_madd(x, series, decay); /* 4/(3 sqrt(pi)) */
    lane inner_l = (K(2.25675833419102514779) * winv3) * series;                      /* 4/sqrt(pi) */

    /* for s < 1 rinv is 1/(sqrt(2) sigma), as the formula of L requires */
    lane outer_r2 = lane_max(width2, r2);
    lane rinv = lane_rsqrt_pos(outer_r2);
    c.rinv2 = rinv * rinv;
    lane rinv3 = c.rinv2 * rinv;
    lane s = lane_min((outer_r2 * rinv) * winv, lane_set(K(7.745966692414834)));
    lane tail = (K(1.12837916709551257390) * s) * decay; /* 2/sqrt(pi) */
    lane g = lane_erf(s) - tail;
    lane bend = lane_madd(lane_set(K(-2)), (tail * s) * s, K(3) * g);
    c.k = lane_select(inner, inner_k, g * rinv3);
    c.l = lane_select(inner, inner_l, bend * rinv3);
    return c;
}

/* Terms shared by the formulas; `product` is dx x alpha_j. */
typedef struct {
    lane dx, dy, dz;
    lane product[3];
    vortex_core core;
} vortex_terms;

/* Terms without the core; returns r^2. */
MYR_FN lane vortex_distance(const myr_pair *in, vortex_terms *v)
{
    v->dx = lane_delta(in->xj[0], in->xi[0]);
    v->dy = lane_delta(in->xj[1], in->xi[1]);
    v->dz = lane_delta(in->xj[2], in->xi[2]);
    v->product[0] = lane_madd(v->dy, in->fj[2], -(v->dz * in->fj[1]));
    v->product[1] = lane_madd(v->dz, in->fj[0], -(v->dx * in->fj[2]));
    v->product[2] = lane_madd(v->dx, in->fj[1], -(v->dy * in->fj[0]));
    return lane_madd(v->dz, v->dz, lane_madd(v->dy, v->dy, v->dx * v->dx));
}

MYR_FN vortex_terms vortex_at(const myr_pair *in, myr_guard *guard)
{
    vortex_terms v;
    lane r2 = vortex_distance(in, &v);
    guard_singular(guard, lane_madd(in->fj[3], in->fj[3], r2));
    if (sizeof(real) == sizeof(float)) {
        const vortex_width width = vortex_width_of(in->fj[3]);
        v.core = vortex_core_float(r2, &width);
    } else
        v.core = vortex_core_double(r2, vortex_square(in->fj[3]));
    return v;
}

/* Velocity K dx x alpha_j. */
MYR_FN void vortex_velocity(const vortex_terms *v, lane *s, lane *d)
{
    for (int c = 0; c < 3; c++) {
        s[c] = v->core.k;
        d[c] = v->product[c];
    }
}

/* L alpha_i.dx */
MYR_FN lane vortex_along(const vortex_terms *v, const lane *ai)
{
    lane along = lane_madd(ai[2], v->dz, lane_madd(ai[1], v->dy, ai[0] * v->dx));
    return v->core.l * (v->core.rinv2 * along);
}

/* Classical stretching L (alpha_i.dx) dx x alpha_j - alpha_i x K alpha_j. */
MYR_FN void vortex_stretching(const vortex_terms *v, const lane *ai, const lane *aj, lane *s, lane *d)
{
    lane along = vortex_along(v, ai), x = v->core.k * aj[0], y = v->core.k * aj[1], z = v->core.k * aj[2];
    s[0] = s[1] = s[2] = lane_set(K(1));
    d[0] = lane_madd(-ai[1], z, lane_madd(ai[2], y, along * v->product[0]));
    d[1] = lane_madd(-ai[2], x, lane_madd(ai[0], z, along * v->product[1]));
    d[2] = lane_madd(-ai[0], y, lane_madd(ai[1], x, along * v->product[2]));
}

/* c = alpha_i x alpha_j, and dx.c. */
typedef struct {
    lane x, y, z, along;
} vortex_cross;

MYR_FN vortex_cross vortex_strengths(const vortex_terms *v, const lane *ai, const lane *aj)
{
    vortex_cross c;
    c.x = lane_madd(ai[1], aj[2], -(ai[2] * aj[1]));
    c.y = lane_madd(ai[2], aj[0], -(ai[0] * aj[2]));
    c.z = lane_madd(ai[0], aj[1], -(ai[1] * aj[0]));
    c.along = lane_madd(c.z, v->dz, lane_madd(c.y, v->dy, c.x * v->dx));
    return c;
}

/* Transposed stretching K c - L (dx.c) dx. */
MYR_FN void vortex_transposed(const vortex_terms *v, const lane *ai, const lane *aj, lane *s, lane *d)
{
    vortex_cross c = vortex_strengths(v, ai, aj);
    lane along = -(v->core.l * (v->core.rinv2 * c.along));
    s[0] = s[1] = s[2] = lane_set(K(1));
    d[0] = lane_madd(along, v->dx, v->core.k * c.x);
    d[1] = lane_madd(along, v->dy, v->core.k * c.y);
    d[2] = lane_madd(along, v->dz, v->core.k * c.z);
}

/* Mixed stretching L/2 ((alpha_i.dx) dx x alpha_j - (dx.c) dx). */
MYR_FN void vortex_mixed(const vortex_terms *v, const lane *ai, const lane *aj, lane *s, lane *d)
{
    vortex_cross c = vortex_strengths(v, ai, aj);
    lane half = K(0.5) * (v->core.l * v->core.rinv2);
    lane along = half * lane_madd(ai[2], v->dz, lane_madd(ai[1], v->dy, ai[0] * v->dx));
    lane across = -(half * c.along);
    s[0] = s[1] = s[2] = lane_set(K(1));
    d[0] = lane_madd(across, v->dx, along * v->product[0]);
    d[1] = lane_madd(across, v->dy, along * v->product[1]);
    d[2] = lane_madd(across, v->dz, along * v->product[2]);
}

MYR_FN void biot_savart_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    vortex_terms v = vortex_at(in, guard);
    vortex_velocity(&v, s, d);
}

MYR_FN void stretching_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    vortex_terms v = vortex_at(in, guard);
    vortex_stretching(&v, in->fi, in->fj, s, d);
}

MYR_FN void velocity_stretching_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    vortex_terms v = vortex_at(in, guard);
    vortex_velocity(&v, s, d);
    vortex_stretching(&v, in->fi, in->fj, s + 3, d + 3);
}

/* Numbers of a source that all its pairs share; in->pp of velocity_stretching_sums. */
enum { velocity_stretching_sums_SHARED = 3 };

MYR_FN void velocity_stretching_sums_share(const lane *fj, lane *shared)
{
    const vortex_width width = vortex_width_of(fj[3]);
    shared[0] = width.core2;
    shared[1] = width.exponent;
    shared[2] = width.factor;
}

/* Sums of velocity_stretching in which alpha_i is taken out of one: L (alpha_i.dx) dx x alpha_j and K alpha_j; in
 * floats. */
MYR_FN void velocity_stretching_sums_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    const vortex_width width = {in->pp[0], in->pp[1], in->pp[2]};
    vortex_terms v;
    lane r2 = vortex_distance(in, &v);
    guard_singular(guard, r2 + width.core2);
    v.core = vortex_core_float(r2, &width);
    vortex_velocity(&v, s, d);
    lane along = vortex_along(&v, in->fi);
    for (int c = 0; c < 3; c++) {
        s[3 + c] = along;
        d[3 + c] = v.product[c];
        s[6 + c] = v.core.k;
        d[6 + c] = in->fj[c];
    }
}

/* Outputs of velocity_stretching from these sums and the target's fields. */
MYR_FN void velocity_stretching_sums_finish(const double *ai, double *sum)
{
    sum[3] -= ai[1] * sum[8] - ai[2] * sum[7];
    sum[4] -= ai[2] * sum[6] - ai[0] * sum[8];
    sum[5] -= ai[0] * sum[7] - ai[1] * sum[6];
}

MYR_FN void velocity_stretching_transposed_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    vortex_terms v = vortex_at(in, guard);
    vortex_velocity(&v, s, d);
    vortex_transposed(&v, in->fi, in->fj, s + 3, d + 3);
}

MYR_FN void velocity_stretching_mixed_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    vortex_terms v = vortex_at(in, guard);
    vortex_velocity(&v, s, d);
    vortex_mixed(&v, in->fi, in->fj, s + 3, d + 3);
}

#endif
