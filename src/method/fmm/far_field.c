/* far_field.c - table of the far fields of kernels. */
#include "method/fmm/far_field.h"

#include <math.h>
#include <string.h>

/* Kernels with one scalar strength q: the potential phi = sum q/r and its gradient. */
static const myr_far_field_step gradient_steps[] = {{1, 0, 0}, {2, 0, 1}, {3, 0, 2}};
static const myr_far_field_sum gradient_sums[] = {{0, 0}, {1, 1}, {2, 1}, {3, 1}};

/* Moving masses. Series 0: phi of the masses; 1 to 3: phi of the momenta m v; 4 to 6: gradient of phi; 7 to 12: second
 * derivatives of phi; 13: divergence of series 1 to 3, which is -d phi/dt at a fixed place; 14 to 16: gradient of
 * series 13. */
static const myr_far_field_step jerk_steps[] = {{4, 0, 0},  {5, 0, 1},  {6, 0, 2},   {7, 4, 0},   {8, 5, 0},
                                                {9, 6, 0},  {10, 5, 1}, {11, 6, 1},  {12, 6, 2},  {13, 1, 0},
                                                {13, 2, 1}, {13, 3, 2}, {14, 13, 0}, {15, 13, 1}, {16, 13, 2}};
static const myr_far_field_sum jerk_sums[] = {{0, 0},  {4, 1},  {5, 1},  {6, 1},  {7, 2},  {8, 2}, {9, 2},
                                              {10, 2}, {11, 2}, {12, 2}, {14, 2}, {15, 2}, {16, 2}};

/* Source fields: velocity, mass. Strengths: mass, momentum. */
static const int8_t strength_moving[][2] = {{3, -1}, {3, 0}, {3, 1}, {3, 2}};

/* Time derivative of the gradient of phi along the target's path: H v - grad (div (m v)/r), H = second derivatives of
 * phi. */
static void add_moving(const double *field, const double *sum, double *output)
{
    static const int second[3][3] = {{4, 5, 6}, {5, 7, 8}, {6, 8, 9}};
    for (int a = 0; a < 3; a++) {
        output[a] += sum[1 + a];
        for (int b = 0; b < 3; b++)
            output[3 + a] += sum[second[a][b]] * field[b];
        output[3 + a] -= sum[10 + a];
    }
    output[6] -= sum[0];
}

/* Source field 0: mass or charge. */
static const int8_t strength_first[][2] = {{0, -1}};

/* Attraction: the acceleration is the gradient of phi, the potential is -phi. */
static void add_acceleration(const double *field, const double *sum, double *output)
{
    (void)field;
    for (int axis = 0; axis < 3; axis++)
        output[axis] += sum[1 + axis];
}

static void add_attraction(const double *field, const double *sum, double *output)
{
    add_acceleration(field, sum, output);
    output[3] -= sum[0];
}

static void add_charge(const double *field, const double *sum, double *output)
{
    (void)field;
    output[0] += sum[0];
    for (int axis = 0; axis < 3; axis++)
        output[1 + axis] -= sum[1 + axis];
}

/* The relative difference of 1/(r^2 + eps^2)^(3/2) from 1/r^3 is 1.5 eps^2/r^2. Kernel constant 0 is eps^2. */
static double reach_plummer(const myr_direct *problem, double tolerance)
{
    return sqrt(1.5 * problem->constant[0] / tolerance);
}

/* The second term of the jerk decays like 1/R^5, hence the factor 2.5. */
static double reach_plummer_jerk(const myr_direct *problem, double tolerance)
{
    return sqrt(2.5 * problem->constant[0] / tolerance);
}

/* The force is Newtonian beyond h. Kernel constant 1 is 1/h, constant 9 is 1/h^2, or 0 without softening. */
static double reach_spline(const myr_direct *problem, double tolerance)
{
    (void)tolerance;
    return problem->constant[9] > 0 ? 1 / problem->constant[1] : 0;
}

#define GRADIENT                                                                                                       \
    .strengths = 1, .series = 4, .steps = 3, .sums = 4, .step = gradient_steps, .sum = gradient_sums,                  \
    .strength = strength_first, .margin = 1
#define MOVING                                                                                                         \
    .strengths = 4, .series = 17, .steps = 15, .sums = 13, .step = jerk_steps, .sum = jerk_sums,                       \
    .strength = strength_moving, .add = add_moving, .margin = 2

static const myr_far_field fars[] = {
    {.kernel = "gravity", GRADIENT, .add = add_acceleration, .reach = reach_plummer},
    {.kernel = "gravity_potential", GRADIENT, .add = add_attraction, .reach = reach_plummer},
    {.kernel = "gravity_jerk", MOVING, .reach = reach_plummer_jerk},
    {.kernel = "gravity_spline", GRADIENT, .add = add_acceleration, .reach = reach_spline},
    {.kernel = "gravity_potential_spline", GRADIENT, .add = add_attraction, .reach = reach_spline},
    {.kernel = "gravity_jerk_spline", MOVING, .reach = reach_spline},
    {.kernel = "laplace", GRADIENT, .add = add_charge, .reach = reach_plummer},
};

const myr_far_field *myr_far_field_find(const char *kernel)
{
    for (size_t k = 0; kernel && k < sizeof fars / sizeof *fars; k++)
        if (strcmp(fars[k].kernel, kernel) == 0)
            return &fars[k];
    for (int k = 0; kernel && k < MYR_FAR_FIELD_VORTEX_KERNELS; k++)
        if (strcmp(myr_far_field_vortex[k].kernel, kernel) == 0)
            return &myr_far_field_vortex[k];
    return NULL;
}
