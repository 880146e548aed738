/* clouds.h - sets of points for the tests of trees and far fields: regular ones and those that break trees. */
#ifndef MYR_TESTS_CLOUDS_H
#define MYR_TESTS_CLOUDS_H

#include <math.h>
#include <stdint.h>

#include "core/random.h"

/* A Plummer sphere of scale 1 without the outermost thousandth. */
static inline void cloud_plummer(const double u[3], double x[3])
{
    const double r = 1 / sqrt(pow(u[0] * 0.999 + 1e-9, -2.0 / 3) - 1), c = 2 * u[1] - 1, s = sqrt(1 - c * c);
    x[0] = r * s * cos(6.283185307179586 * u[2]);
    x[1] = r * s * sin(6.283185307179586 * u[2]);
    x[2] = r * c;
}

static inline void cloud_uniform(int64_t i, const double u[3], double x[3])
{
    (void)i;
    for (int c = 0; c < 3; c++)
        x[c] = u[c];
}

static inline void cloud_sphere(int64_t i, const double u[3], double x[3])
{
    (void)i;
    cloud_plummer(u, x);
}

/* Eight Plummer spheres, radii over a factor of 100: densities over 10^6. */
static inline void cloud_clustered(int64_t i, const double u[3], double x[3])
{
    const int k = (int)(i % 8);
    cloud_plummer(u, x);
    for (int c = 0; c < 3; c++)
        x[c] = x[c] * pow(10, -k / 3.5) + 20 * (k >> c & 1);
}

static inline void cloud_line(int64_t i, const double u[3], double x[3])
{
    (void)i;
    x[0] = 5 + u[0];
    x[1] = x[2] = -3;
}

static inline void cloud_plane(int64_t i, const double u[3], double x[3])
{
    (void)i;
    x[0] = u[0];
    x[1] = 2;
    x[2] = u[2];
}

/* Everybody at one place. */
static inline void cloud_same(int64_t i, const double u[3], double x[3])
{
    (void)i, (void)u;
    x[0] = x[1] = x[2] = 0.3;
}

/* Half of them at one place, the others around. */
static inline void cloud_half(int64_t i, const double u[3], double x[3])
{
    for (int c = 0; c < 3; c++)
        x[c] = i % 2 ? u[c] : 0.3;
}

/* One particle a million box sizes away. */
static inline void cloud_outlier(int64_t i, const double u[3], double x[3])
{
    cloud_uniform(i, u, x);
    if (i == 7)
        x[0] = 1e6;
}

/* One particle so far away that the others differ by less than keys of 21 levels tell. */
static inline void cloud_far(int64_t i, const double u[3], double x[3])
{
    for (int c = 0; c < 3; c++)
        x[c] = 1e-9 * u[c];
    if (i == 3)
        x[1] = -2;
}

typedef void (*cloud_fn)(int64_t i, const double u[3], double x[3]);

static const struct {
    const char *name;
    cloud_fn point;
    int heavy; /* half of it is at one place, which no tolerance foresees */
} clouds[] = {
    {"uniform", cloud_uniform, 0}, {"plummer", cloud_sphere, 0},  {"clustered", cloud_clustered, 0},
    {"line", cloud_line, 0},       {"plane", cloud_plane, 0},     {"same", cloud_same, 0},
    {"half", cloud_half, 1},       {"outlier", cloud_outlier, 0}, {"far", cloud_far, 0},
};
enum { CLOUDS = (int)(sizeof clouds / sizeof *clouds), CLOUDS_SMOOTH = 3 };

/* Point i of a cloud; the same for every caller. */
static inline void cloud_point(int cloud, uint32_t stream, int64_t i, double x[3])
{
    double u[4];
    myr_random_uniform(1, stream, (uint64_t)i, 0, u);
    myr_random_uniform(1, stream, (uint64_t)i, 1, u + 2);
    clouds[cloud].point(i, u, x);
}

#endif
