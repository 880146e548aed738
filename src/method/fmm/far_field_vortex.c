/* far_field_vortex.c - far field of vortex elements: A = sum alpha/r component by component, 4 pi u = curl A, and the
 * gradient of u, all from the three series of a cell (paper 004, section 3). The order counts the degrees of the last
 * derivative: A has one degree more than u and two more than the gradient of u.
 *
 * Series: 0 to 2 are A, 3 to 5 are -A, 6 to 8 are curl A, 9 + 3 a + b is the derivative d_b of (curl A)_a. */
#include <math.h>

#include "core/elementary.h"
#include "method/fmm/far_field.h"

#define CURL                                                                                                           \
    {6, 2, 1}, {6, 4, 2}, {7, 0, 2}, {7, 5, 0}, {8, 1, 0},                                                             \
    {                                                                                                                  \
        8, 3, 1                                                                                                        \
    }
#define CURL_SUMS                                                                                                      \
    {6, 1}, {7, 1},                                                                                                    \
    {                                                                                                                  \
        8, 1                                                                                                           \
    }
#define SLOPE                                                                                                          \
    {9, 6, 0}, {10, 6, 1}, {11, 6, 2}, {12, 7, 0}, {13, 7, 1}, {14, 7, 2}, {15, 8, 0}, {16, 8, 1},                     \
    {                                                                                                                  \
        17, 8, 2                                                                                                       \
    }
#define SLOPE_SUMS                                                                                                     \
    {9, 2}, {10, 2}, {11, 2}, {12, 2}, {13, 2}, {14, 2}, {15, 2}, {16, 2},                                             \
    {                                                                                                                  \
        17, 2                                                                                                          \
    }

static const myr_far_field_step curl_steps[] = {CURL}, slope_steps[] = {CURL, SLOPE};
static const myr_far_field_sum curl_sums[] = {CURL_SUMS}, slope_sums[] = {SLOPE_SUMS},
                               all_sums[] = {CURL_SUMS, SLOPE_SUMS};

/* Source fields: strength (3 components), core. */
enum { CORE = 3 };

static const int8_t strength_vortex[][2] = {{0, -1}, {1, -1}, {2, -1}};

static void add_velocity(const double *field, const double *sum, double *output)
{
    (void)field;
    for (int axis = 0; axis < 3; axis++)
        output[axis] += sum[axis];
}

/* Classical stretching (alpha.grad) u. */
static void add_stretching(const double *field, const double *sum, double *output)
{
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            output[a] += field[b] * sum[3 * a + b];
}

static void add_both(const double *field, const double *sum, double *output)
{
    add_velocity(field, sum, output);
    add_stretching(field, sum + 3, output + 3);
}

/* Transposed stretching alpha.(grad u)^T. */
static void add_transposed(const double *field, const double *sum, double *output)
{
    add_velocity(field, sum, output);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            output[3 + a] += field[b] * sum[3 + 3 * b + a];
}

/* Mean of the classical and the transposed stretching. */
static void add_mixed(const double *field, const double *sum, double *output)
{
    add_velocity(field, sum, output);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) { /* derivative d_b of u_a */
            const double slope = sum[3 + 3 * a + b];
            output[3 + a] += (a == b ? 1 : 0.5) * field[b] * slope;
            if (a != b)
                output[3 + b] += 0.5 * field[a] * slope;
        }
}

static double largest_core(const myr_direct *problem)
{
    const myr_unit *u = problem->unit;
    const void *core = problem->source.component[u->desc->coords * u->coord_lanes + CORE];
    double most = 0;
    for (int64_t i = 0; i < problem->source.n; i++)
        most = fmax(most, fabs(u->real_bytes == (int)sizeof(float) ? (double)((const float *)core)[i]
                                                                   : ((const double *)core)[i]));
    return most;
}

/* Distance beyond which a vortex core is negligible. A pair beyond this reach lacks the part factor s^power exp(-s^2),
 * s = r/(sqrt(2) sigma). The missing parts have random directions, and only the few pairs just outside the near field
 * contribute. Measured relative L2 error of a missing part d at the reach: share d^decay (30000 elements at a mean
 * distance of sigma, 22 degrees, reaches of 2.9 to 5 sigma, d = 0.001 to 0.1). This error may take 0.6 of the
 * tolerance. Beyond `most` the law is too small: 0.034 for a tolerance of 0.025 (stretching, d = 0.29). */
typedef struct {
    double factor, power, share, decay, most;
} core_law;

static double reach_core(const myr_direct *problem, double tolerance, const core_law *law)
{
    enum { ROUNDS = 60 };
    const double missing = fmin(myr_elementary_power(0.6 * tolerance / law->share, 1 / law->decay), law->most);
    double s = 2;
    /* fixed-point iteration s^2 = ln(factor/missing) + power ln s, a contraction for s > 1.3 */
    for (int k = 0; k < ROUNDS; k++)
        s = sqrt(fmax(2, myr_elementary_log(law->factor / missing) + law->power * myr_elementary_log(s)));
    return sqrt(2.0) * s * largest_core(problem);
}

/* Missing part of the velocity: 1 - g = 2/sqrt(pi) s exp(-s^2). */
static double reach_velocity(const myr_direct *problem, double tolerance)
{
    static const core_law law = {1.12837916709551257390, 1, 0.07, 1.34, 1};
    return reach_core(problem, tolerance, &law);
}

/* Missing part of the gradient: 1 - L r^5/3 = (1 - g) + 4/(3 sqrt(pi)) s^3 exp(-s^2). */
static double reach_stretching(const myr_direct *problem, double tolerance)
{
    static const core_law law = {0.75225277806367504926, 3, 0.09, 1.45, 0.18};
    return reach_core(problem, tolerance, &law);
}

#define VORTEX .strengths = 3, .negated = 1, .strength = strength_vortex, .core = CORE
/* Error of the stretching over that of a gradient in the table of fmm_choose.c: measured on random elements and on
 * flows (abc_flow, isotropic_turbulence with and without solved strengths, 8^3 to 32^3 elements on a mesh, tolerances
 * 3e-2 to 1e-6), up to 38. */
#define STRETCHING_MARGIN 45
#define COUNT(list) (int)(sizeof(list) / sizeof(list)[0])

#define BOTH                                                                                                           \
    VORTEX, .series = 18, .steps = COUNT(slope_steps), .sums = COUNT(all_sums), .step = slope_steps, .sum = all_sums,  \
            .more = 2, .margin = STRETCHING_MARGIN, .reach = reach_stretching

const myr_far_field myr_far_field_vortex[MYR_FAR_FIELD_VORTEX_KERNELS] = {
    {.kernel = "biot_savart",
     VORTEX,
     .series = 9,
     .steps = COUNT(curl_steps),
     .sums = COUNT(curl_sums),
     .step = curl_steps,
     .sum = curl_sums,
     .add = add_velocity,
     .more = 1,
     .margin = 6,
     .reach = reach_velocity},
    {.kernel = "stretching",
     VORTEX,
     .series = 18,
     .steps = COUNT(slope_steps),
     .sums = COUNT(slope_sums),
     .step = slope_steps,
     .sum = slope_sums,
     .add = add_stretching,
     .more = 2,
     .margin = STRETCHING_MARGIN,
     .reach = reach_stretching},
    {.kernel = "velocity_stretching", BOTH, .add = add_both},
    {.kernel = "velocity_stretching_transposed", BOTH, .add = add_transposed},
    {.kernel = "velocity_stretching_mixed", BOTH, .add = add_mixed},
};
