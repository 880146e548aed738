/* periodic.h - particles in a periodic box, and what they do to each other with all their images, summed in other ways
 * than the library's: Ewald's, Parry's, and along a line. */
#ifndef MYR_TESTS_PERIODIC_H
#define MYR_TESTS_PERIODIC_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/myriad.h>

#include "unit/clouds.h"

#define PI 3.14159265358979323846

/* The box is not at the origin, and no round number long. */
static const double edge = 2.7, corner[3] = {-1.1, 0.4, 3.0};

static myr_context *new_context(int threads)
{
    myr_context *context;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    assert_int_equal(myr_context_set_threads(context, threads), MYR_OK);
    return context;
}

/* Points in the box, some of them a few boxes away; charges that add up to 0, masses that do not. */
static myr_particles *make_box(myr_context *context, int64_t n, int away)
{
    myr_particles *p;
    assert_int_equal(myr_particles_create(context, n, &p), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "position", 3), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "mass", 1), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "charge", 1), MYR_OK);
    for (int64_t i = 0; i < n; i++) {
        double x[3];
        cloud_point(0, 0, i, x);
        for (int c = 0; c < 3; c++)
            myr_particles_component(p, "position", c)[i] =
                corner[c] + edge * (x[c] + (away && i % 5 == c ? (double)(i % 7 - 3) : 0));
        myr_particles_component(p, "mass", 0)[i] = 0.5 + x[0];
        myr_particles_component(p, "charge", 0)[i] = i % 2 ? -1 : 1;
    }
    return p;
}

/* --- references --------------------------------------------------------------------------------------------------- */

/* phi and -grad phi of a unit charge and its images at x, without the charge itself where x = 0. */
typedef void (*reference)(const double x[3], double *phi, double field[3]);

/* Adds q f(r) and its derivative at a place. */
static void add_radial(const double x[3], double value, double slope, double *phi, double field[3])
{
    const double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    *phi += value;
    for (int c = 0; c < 3; c++)
        field[c] -= slope * x[c] / r;
}

/* erfc(a r)/r, or what is left of it at the charge itself. */
static void add_screened(const double x[3], double a, double *phi, double field[3])
{
    const double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    if (r == 0)
        *phi -= 2 * a / sqrt(PI);
    else if (a * r < 7)
        add_radial(x, erfc(a * r) / r, -erfc(a * r) / (r * r) - 2 * a / sqrt(PI) * exp(-a * a * r * r) / r, phi, field);
}

/* Three periodic axes, a conductor around, a neutralising background (Ewald 1921). */
static void ewald_space(const double x[3], double *phi, double field[3])
{
    const double a = 2.2 / edge, volume = edge * edge * edge;
    const int real = 3, waves = 6;
    *phi -= PI / (a * a * volume);
    for (int i = -waves; i <= waves; i++)
        for (int j = -waves; j <= waves; j++)
            for (int k = -waves; k <= waves; k++) {
                const double d[3] = {x[0] + i * edge, x[1] + j * edge, x[2] + k * edge};
                if (abs(i) <= real && abs(j) <= real && abs(k) <= real)
                    add_screened(d, a, phi, field);
                const double w[3] = {2 * PI / edge * i, 2 * PI / edge * j, 2 * PI / edge * k};
                const double w2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
                if (w2 == 0)
                    continue;
                const double size = 4 * PI / volume * exp(-w2 / (4 * a * a)) / w2;
                const double phase = w[0] * x[0] + w[1] * x[1] + w[2] * x[2];
                *phi += size * cos(phase);
                for (int c = 0; c < 3; c++)
                    field[c] += size * w[c] * sin(phase);
            }
}

/* Periodic along x and y (Parry 1975). */
static void ewald_plane(const double x[3], double *phi, double field[3])
{
    const double a = 2.2 / edge, area = edge * edge, z = x[2];
    const int waves = 7;
    *phi -= 2 * sqrt(PI) / area * (exp(-a * a * z * z) / a + sqrt(PI) * z * erf(a * z));
    field[2] += 2 * PI / area * erf(a * z);
    for (int i = -waves; i <= waves; i++)
        for (int j = -waves; j <= waves; j++) {
            const double d[3] = {x[0] + i * edge, x[1] + j * edge, z};
            add_screened(d, a, phi, field);
            const double wx = 2 * PI / edge * i, wy = 2 * PI / edge * j, w = sqrt(wx * wx + wy * wy);
            if (w == 0)
                continue;
            const double up = exp(w * z) * erfc(w / (2 * a) + a * z), down = exp(-w * z) * erfc(w / (2 * a) - a * z);
            const double size = PI / (area * w), phase = wx * x[0] + wy * x[1];
            *phi += size * (up + down) * cos(phase);
            field[0] += size * (up + down) * wx * sin(phase);
            field[1] += size * (up + down) * wy * sin(phase);
            field[2] -= size * w * (up - down) * cos(phase); /* the Gaussians' derivatives cancel */
        }
}

/* Images up to +-most along x. */
static void add_line(const double x[3], int most, double weight, double *phi, double field[3])
{
    double p = 0, f[3] = {0, 0, 0};
    for (int i = -most; i <= most; i++) {
        const double d[3] = {x[0] + i * edge, x[1], x[2]}, r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (r > 0) /* less its own mean: the constant that a sum over many does not have */
            add_radial(d, 1 / r - (i ? 1 / fabs(i * edge) : 0), -1 / (r * r), &p, f);
    }
    *phi += weight * p;
    for (int c = 0; c < 3; c++)
        field[c] += weight * f[c];
}

/* Periodic along x: what is left out goes like 1/(most + 1/2)^2 and its even powers. */
static void line(const double x[3], double *phi, double field[3])
{
    const int small = 400, large = 800;
    const double ratio = pow((large + 0.5) / (small + 0.5), 2);
    add_line(x, large, ratio / (ratio - 1), phi, field);
    add_line(x, small, -1 / (ratio - 1), phi, field);
}

/* At the first n particles: charges[4][n], masses[4][n], potential and field. The library's charges act with 1/(4 pi).
 */
static void refer(const myr_particles *p, int64_t n, reference f, double *charges, double *masses)
{
    const double *q = myr_particles_component_const(p, "charge", 0), *m = myr_particles_component_const(p, "mass", 0);
    const double *x[3];
    for (int c = 0; c < 3; c++)
        x[c] = myr_particles_component_const(p, "position", c);
    memset(charges, 0, sizeof *charges * 4 * (size_t)n);
    memset(masses, 0, sizeof *masses * 4 * (size_t)n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < myr_particles_count(p); j++) {
            double d[3], value[4] = {0, 0, 0, 0};
            for (int c = 0; c < 3; c++)
                d[c] = x[c][i] - x[c][j];
            f(d, value, value + 1);
            for (int k = 0; k < 4; k++) {
                charges[k * n + i] += q[j] * value[k] / (4 * PI);
                masses[k * n + i] += m[j] * value[k];
            }
        }
}

static double off(const double *got, const double *right, int64_t n, double sign)
{
    double difference = 0, all = 0;
    for (int64_t i = 0; i < n; i++) {
        difference += pow(got[i] - sign * right[i], 2);
        all += right[i] * right[i];
    }
    return sqrt(difference / all);
}

/* --- a flow ---------------------------------------------------------------------------------------------------------
 */

/* Elements of the ABC flow, whose vorticity is its velocity, on a lattice: with Gaussian cores the velocity is that of
 * the flow times exp(-sigma^2/2), but for waves of the lattice itself, exp(-2 pi^2) for sigma = its spacing h. */
enum { SIDE = 16, COUNT = SIDE * SIDE * SIDE };

static void flow_place(int i, double x[3])
{
    for (int c = 0; c < 3; c++, i /= SIDE)
        x[c] = 2 * PI / SIDE * (i % SIDE);
}

static myr_particles *make_flow(myr_context *context, double core)
{
    const double h = 2 * PI / SIDE;
    myr_particles *p = make_box(context, COUNT, 0);
    assert_int_equal(myr_particles_add_field(p, "strength", 3), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "core", 1), MYR_OK);
    for (int i = 0; i < COUNT; i++) {
        double x[3];
        flow_place(i, x);
        for (int c = 0; c < 3; c++) {
            myr_particles_component(p, "position", c)[i] = x[c];
            myr_particles_component(p, "strength", c)[i] = h * h * h * (sin(x[(c + 2) % 3]) + cos(x[(c + 1) % 3]));
        }
        myr_particles_component(p, "core", 0)[i] = core * h;
    }
    return p;
}

/* The largest error of the velocity, and of the stretching per strength h^3. */
static void flow_errors(const myr_particles *p, double core, double *velocity, double *stretching)
{
    const double h = 2 * PI / SIDE, damping = exp(-core * core * h * h / 2);
    *velocity = *stretching = 0;
    for (int i = 0; i < COUNT; i++) {
        double x[3];
        flow_place(i, x);
        for (int c = 0; c < 3; c++) {
            const int a = (c + 2) % 3, b = (c + 1) % 3;
            const double u = damping * (sin(x[a]) + cos(x[b]));
            const double s = damping * (myr_particles_component_const(p, "strength", a)[i] * cos(x[a]) -
                                        myr_particles_component_const(p, "strength", b)[i] * sin(x[b]));
            *velocity = fmax(*velocity, fabs(myr_particles_component_const(p, "velocity", c)[i] - u));
            *stretching =
                fmax(*stretching, fabs(myr_particles_component_const(p, "stretching", c)[i] - s) / (h * h * h));
        }
    }
}

#endif
