/* king.c - King's (1966, AJ 71, 64) models: a Maxwellian truncated at the escape speed of a sphere of finite radius.
 *
 * The distribution function is f ~ exp(W - v^2/2) - 1 for v^2 < 2 W, with W the potential relative to the edge in units
 * of sigma^2. Its density and Poisson's equation are
 *   rho(W) ~ exp(W) gamma(5/2, W) = W^(5/2) sum_k W^k / ((5/2)(7/2)...(5/2 + k)),
 *   W'' + 2 W'/r = -9 rho(W)/rho(W0),   r in core radii r0 = sqrt(9 sigma^2/(4 pi G rho(W0))).
 *
 * With W as the independent variable the edge is at a known place; with x = r^2 and y = dx/dW
 *   dy/dW = y^2 (6 + 9 y rho/rho0) / (4 x),   mass inside: M = -r^2 W' = -2 x^(3/2)/y,
 * started by the series x = 2/3 d + ..., d = W0 - W. The potential energy is -(integral of M dW + M^2/r_t)/2. The table
 * is converged to 1e-9. */
#include "model/king.h"

#include <math.h>
#include <stdlib.h>

#include "core/context.h"
#include "core/random.h"
#include "model/model.h"

enum { W0 };

/* rho(W) up to a constant factor; all terms of the series are positive. */
static double king_density(double w)
{
    double term = 1 / 2.5, sum = term;
    for (int k = 1; term > 1e-17 * sum; k++) {
        term *= w / (2.5 + k);
        sum += term;
    }
    return w > 0 ? w * w * sqrt(w) * sum : 0;
}

static double king_slope(double w, double x, double y, double centre)
{
    return y * y * (6 + 9 * y * king_density(w) / centre) / (4 * x);
}

/* One Runge-Kutta step of (x, y) by h in W. */
static void king_step(double w, double h, double centre, double *x, double *y)
{
    const double k1 = king_slope(w, *x, *y, centre), y2 = *y + 0.5 * h * k1;
    const double k2 = king_slope(w + 0.5 * h, *x + 0.5 * h * *y, y2, centre), y3 = *y + 0.5 * h * k2;
    const double k3 = king_slope(w + 0.5 * h, *x + 0.5 * h * y2, y3, centre), y4 = *y + h * k3;
    const double k4 = king_slope(w + h, *x + h * y3, y4, centre);
    *x += h / 6 * (*y + 2 * y2 + 2 * y3 + y4);
    *y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
}

/* Integrates from the centre to d = W0 - W = h with steps that grow with d, because of the factor 1/x. The series to
 * second order in d comes from W = W0 - 3/2 x + (27/40) s x^2, s = rho'/rho at the centre. */
static void king_start(double w0, double h, double centre, double *x, double *y)
{
    const double tiny = 1e-5 * w0;
    const double s = (king_density(w0 + tiny) - king_density(w0 - tiny)) / (2 * tiny) / centre;
    double d = 1e-3 * h;
    *x = 2.0 / 3 * d + 0.2 * s * d * d;
    *y = -(2.0 / 3 + 0.4 * s * d);
    while (d < h) {
        const double step = fmin(0.25 * d, h - d);
        king_step(w0 - d, -step, centre, x, y);
        d += step;
    }
}

void myr_king_solve(double w0, myr_king_profile *king)
{
    const double h = w0 / MYR_KING_STEPS, centre = king_density(w0);
    double x, y, integral = 0;
    king->W0 = w0;
    king->r2[0] = king->mass[0] = 0;
    king_start(w0, h, centre, &x, &y);
    for (int k = 1; k <= MYR_KING_STEPS; k++) {
        king->r2[k] = x;
        king->mass[k] = -2 * x * sqrt(x) / y;
        integral += (k == MYR_KING_STEPS ? 1 : k % 2 ? 4 : 2) * h / 3 * king->mass[k]; /* Simpson's rule */
        if (k < MYR_KING_STEPS)
            king_step(w0 - k * h, -h, centre, &x, &y);
    }
    const double mass = king->mass[MYR_KING_STEPS], edge = sqrt(king->r2[MYR_KING_STEPS]);
    king->virial_radius = mass * mass / (integral + mass * mass / edge);
}

/* Radius that contains a mass, and W there; the density is taken as constant within a step of the table. */
static void king_find(const myr_king_profile *king, double mass, double *r, double *w)
{
    int low = 0, high = MYR_KING_STEPS;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (king->mass[middle] <= mass)
            low = middle;
        else
            high = middle;
    }
    const double part = (mass - king->mass[low]) / (king->mass[high] - king->mass[low]);
    const double from = king->r2[low] * sqrt(king->r2[low]), to = king->r2[high] * sqrt(king->r2[high]);
    *r = cbrt(from + part * (to - from));
    const double across = (*r * *r - king->r2[low]) / (king->r2[high] - king->r2[low]);
    *w = king->W0 * (1 - (low + across) / MYR_KING_STEPS);
}

/* Speed in units of sigma from the density v^2 (exp(W - v^2/2) - 1) by rejection; q = v/v_e, v_e^2 = 2 W. Bounds: the
 * exponential alone is largest at q^2 = 1/W; its chord gives q^2 (1 - q^2) (e^W - 1). */
static double king_speed(uint64_t seed, uint64_t id, double w)
{
    const double bound = fmin(expm1(w) / 4, w > 1 ? exp(w - 1) / w : HUGE_VAL);
    for (uint32_t attempt = 0;; attempt++) {
        double u[2];
        myr_random_uniform(seed, MYR_STREAM_SPEED, id, attempt, u);
        const double q2 = u[0] * u[0];
        if (bound * u[1] < q2 * expm1(w * (1 - q2)))
            return u[0] * sqrt(2 * w);
    }
}

static myr_status king_place(const myr_model_arrays *to)
{
    myr_king_profile *king = malloc(sizeof *king);
    if (!king)
        return myr_context_fail(to->context, MYR_ERROR_MEMORY, "no memory for the profile of a King model");
    myr_king_solve(to->value[W0], king);
    const double mass = king->mass[MYR_KING_STEPS], length = 1 / king->virial_radius, speed = 1 / sqrt(mass * length);
    for (int64_t i = 0; i < to->n; i++) {
        const uint64_t id = (uint64_t)i;
        double u[2], along[3], heading[3], r, w;
        myr_random_uniform(to->seed, MYR_STREAM_RADIUS, id, 0, u);
        king_find(king, mass * u[0], &r, &w);
        const double v = king_speed(to->seed, id, w);
        myr_model_direction(to->seed, MYR_STREAM_DIRECTION, id, along);
        myr_model_direction(to->seed, MYR_STREAM_HEADING, id, heading);
        for (int c = 0; c < 3; c++) {
            to->position[c][i] = length * r * along[c];
            to->velocity[c][i] = speed * v * heading[c];
        }
    }
    free(king);
    return MYR_OK;
}

const myr_model_kind myr_king_model = {
    .info = {"king", "King model in equilibrium, N-body units (G = M = 1, E = -1/4); parameter W0", 1},
    .place = king_place,
    .with = MYR_WITH_MASSES | MYR_WITH_SCALES | MYR_WITH_MOTION | MYR_WITH_BINARIES,
    .param = {[W0] = {{"W0", "depth of the potential at the centre, in units of sigma^2", 6, 0.01, 16}, MYR_NUMBER}},
};
