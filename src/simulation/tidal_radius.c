/* tidal_radius.c - tidal radius of a system of bodies in external fields (King 1962, AJ 67, 471, eq. 11): where the
 * pull of the system equals the tide and the centrifugal force in the frame that turns with its orbit. */
#include <math.h>
#include <string.h>

#include "model/external.h"
#include "simulation/simulation.h"

#define TIDE_DIFFERENCE 1e-3 /* part of the size of the system: step of the differences */

/* Largest eigenvalue of a symmetric matrix, by the trigonometric solution of the cubic equation. */
static double tide_largest_eigenvalue(double t[3][3])
{
    const double mean = (t[0][0] + t[1][1] + t[2][2]) / 3;
    double square = 0, b[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            b[i][j] = t[i][j] - (i == j ? mean : 0);
            square += b[i][j] * b[i][j];
        }
    const double p = sqrt(square / 6);
    if (p == 0)
        return mean;
    const double determinant = b[0][0] * (b[1][1] * b[2][2] - b[1][2] * b[2][1]) -
                               b[0][1] * (b[1][0] * b[2][2] - b[1][2] * b[2][0]) +
                               b[0][2] * (b[1][0] * b[2][1] - b[1][1] * b[2][0]);
    return mean + 2 * p * cos(acos(fmax(-1, fmin(1, determinant / (2 * p * p * p)))) / 3);
}

/* Acceleration by all external fields. */
static void tide_field(const myr_simulation *s, const double x[3], double a[3])
{
    a[0] = a[1] = a[2] = 0;
    for (int e = 0; e < s->externals; e++) {
        double one[3];
        myr_external_at(s->external[e], x, NULL, s->motion.shown, one, NULL, NULL);
        for (int c = 0; c < 3; c++)
            a[c] += one[c];
    }
}

/* Largest eigenvalue of the tidal tensor da/dx at the centre, by differences over `h`. */
static double tide_stretch(const myr_simulation *s, const double centre[3], double h)
{
    double t[3][3], symmetric[3][3];
    for (int j = 0; j < 3; j++) {
        double x[3], above[3], below[3];
        memcpy(x, centre, sizeof x);
        x[j] = centre[j] + h;
        tide_field(s, x, above);
        x[j] = centre[j] - h;
        tide_field(s, x, below);
        for (int i = 0; i < 3; i++)
            t[i][j] = (above[i] - below[i]) / (2 * h);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            symmetric[i][j] = 0.5 * (t[i][j] + t[j][i]);
    return tide_largest_eigenvalue(symmetric);
}

/* Square of the angular velocity of the orbit: that of a field in a falling frame, or |x cross v|^2 / |x|^4 about the
 * centre of the field that pulls most, unless the system is at that centre. */
static double tide_turning(const myr_simulation *s, const double centre[3], const double velocity[3], double size)
{
    double strongest = -1, x[3] = {0}, r2 = 0, square = 0;
    for (int e = 0; e < s->externals; e++) {
        double a[3], from[3];
        if (myr_external_falls(s->external[e]))
            return myr_external_rate(s->external[e]) * myr_external_rate(s->external[e]);
        myr_external_at(s->external[e], centre, NULL, s->motion.shown, a, NULL, NULL);
        const double pull = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
        if (!(pull > strongest))
            continue;
        strongest = pull;
        myr_external_centre(s->external[e], from);
        for (int c = 0; c < 3; c++)
            x[c] = centre[c] - from[c];
    }
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        r2 += x[c] * x[c];
        square += pow(x[d] * velocity[e] - x[e] * velocity[d], 2);
    }
    return r2 > size * size ? square / (r2 * r2) : 0;
}

/* Bodies of a system, seen from its centre. */
typedef struct {
    int64_t n;
    const double *x[3], *mass, *centre;
} tide_bodies;

static double tide_distance2(const tide_bodies *b, int64_t i)
{
    double r2 = 0;
    for (int c = 0; c < 3; c++)
        r2 += (b->x[c][i] - b->centre[c]) * (b->x[c][i] - b->centre[c]);
    return r2;
}

/* Mass within a radius. */
static double tide_mass(const tide_bodies *b, double radius)
{
    double mass = 0;
    for (int64_t i = 0; i < b->n; i++)
        mass += tide_distance2(b, i) <= radius * radius ? b->mass[i] : 0;
    return mass;
}

/* Rms distance from the centre. */
static double tide_size(const tide_bodies *b)
{
    double sum = 0, mass = 0;
    for (int64_t i = 0; i < b->n; i++) {
        sum += b->mass[i] * tide_distance2(b, i);
        mass += b->mass[i];
    }
    return mass > 0 ? sqrt(sum / mass) : 0;
}

/* The mass inside falls with the radius, so that the iteration ends. */
static double tide_radius(const tide_bodies *b, double per_mass)
{
    double mass = tide_mass(b, INFINITY), before;
    do {
        before = mass;
        mass = tide_mass(b, cbrt(per_mass * before));
    } while (mass < before);
    return cbrt(per_mass * before);
}

myr_status myr_simulation_tidal_radius(myr_simulation *simulation, const double centre[3], const double velocity[3],
                                       double *radius)
{
    myr_simulation *s = simulation;
    const myr_particles *now;
    if (!s || !centre || !velocity || !radius)
        return MYR_ERROR_ARGUMENT;
    *radius = NAN;
    const double gravity = s->interaction && strncmp(myr_interaction_desc(s->interaction)->name, "gravity", 7) == 0
                               ? myr_interaction_get(s->interaction, "G")
                               : NAN;
    if (!s->externals || !(gravity > 0))
        return MYR_OK;
    const myr_status status = myr_simulation_particles(s, &now);
    if (status)
        return status;
    tide_bodies b = {.n = myr_particles_count(now), .centre = centre};
    b.mass = myr_particles_component_const(now, "mass", 0);
    for (int c = 0; c < 3; c++)
        b.x[c] = myr_particles_component_const(now, "position", c);
    const double size = b.mass ? tide_size(&b) : 0;
    if (!(size > 0))
        return MYR_OK;
    const double tide = tide_stretch(s, centre, TIDE_DIFFERENCE * size) + tide_turning(s, centre, velocity, size);
    if (tide > 0)
        *radius = tide_radius(&b, gravity / tide);
    return MYR_OK;
}
