/* far.c - the far fields of the kernels. */
#include "method/far.h"

#include <math.h>
#include <string.h>

/* One strength, its potential phi = sum q/r and the gradient. */
static const myr_far_step gradient_steps[] = {{1, 0, 0}, {2, 0, 1}, {3, 0, 2}};
static const myr_far_sum gradient_sums[] = {{0, 0}, {1, 1}, {2, 1}, {3, 1}};

/* Mass or charge. */
static void strength_first(const double *field, double *q)
{
    q[0] = field[0];
}

/* Attraction: the acceleration is the gradient of phi, the potential -phi. */
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

/* 1/(r^2 + eps^2)^(3/2) is off from 1/r^3 by 1.5 eps^2/r^2; constant 0 is eps^2. */
static double reach_plummer(const myr_direct *problem, double tolerance)
{
    return sqrt(1.5 * problem->constant[0] / tolerance);
}

/* Newtonian beyond h: constant 1 is 1/h, constant 9 its square, which is 0 where nothing is softened. */
static double reach_spline(const myr_direct *problem, double tolerance)
{
    (void)tolerance;
    return problem->constant[9] > 0 ? 1 / problem->constant[1] : 0;
}

#define GRADIENT                                                                                                       \
    .strengths = 1, .series = 4, .steps = 3, .sums = 4, .step = gradient_steps, .sum = gradient_sums,                  \
    .strength = strength_first

static const myr_far fars[] = {
    {.kernel = "gravity", GRADIENT, .add = add_acceleration, .reach = reach_plummer},
    {.kernel = "gravity_potential", GRADIENT, .add = add_attraction, .reach = reach_plummer},
    {.kernel = "gravity_spline", GRADIENT, .add = add_acceleration, .reach = reach_spline},
    {.kernel = "gravity_potential_spline", GRADIENT, .add = add_attraction, .reach = reach_spline},
    {.kernel = "laplace", GRADIENT, .add = add_charge, .reach = reach_plummer},
};

const myr_far *myr_far_find(const char *kernel)
{
    for (size_t k = 0; kernel && k < sizeof fars / sizeof *fars; k++)
        if (strcmp(fars[k].kernel, kernel) == 0)
            return &fars[k];
    return NULL;
}
