/* galaxy_pair.c - encounter of two disc galaxies with halos, as in Toomre and Toomre (1972).
 *
 * Each galaxy is an exponential disc, sech^2 in height, in a Hernquist halo. The first galaxy has mass 1, G = 1, and
 * the scale length of its disc is the unit of length; lengths of the second scale with the square root of its mass.
 * Velocities follow Hernquist (1993, ApJS 86, 389) in outline. Disc: circular speed of disc (Freeman) and halo, radial
 * dispersion ~ exp(-R/2) with Toomre's Q given at R = 2.5, azimuthal dispersion from the epicycle approximation,
 * asymmetric drift, and the vertical dispersion of an isothermal sheet. Halo: speeds of the Hernquist sphere alone,
 * scaled by the contribution of the disc according to the Jeans equation. Each galaxy is therefore close to equilibrium
 * but not exactly in it.
 *
 * The orbit is that of two point masses in the x-y plane, counter-clockwise, with the pericentre on the x axis; the
 * discs are rotated by argument about z, then by inclination about x. Types: 1 halo and 2 disc of the first galaxy, 3
 * halo and 4 disc of the second. The particle order is disc, halo, disc, halo. */
#include <math.h>

#include "core/context.h"
#include "core/random.h"
#include "model/disc.h"
#include "model/hernquist.h"
#include "model/model.h"
#include "model/orbit.h"

#define HALO_FRACTION 0.95  /* fraction of the halo mass that particles represent: the inner 38 halo radii */
#define DISC_FRACTION 0.999 /* fraction of the disc mass that particles represent: the inner 9.2 scale lengths */
#define TOOMRE_RADIUS 2.5

enum {
    MASS_RATIO,
    DISC_MASS,
    DISC_PARTICLES,
    DISC_HEIGHT,
    HALO_RADIUS,
    TOOMRE_Q,
    PERICENTRE,
    ECCENTRICITY,
    SEPARATION,
    INCLINATION_1,
    ARGUMENT_1,
    INCLINATION_2,
    ARGUMENT_2
};

/* Galaxy in units of its own mass and disc scale length; `mass` and `length` are these units. */
typedef struct {
    double disc, halo;     /* masses; halo: mass of the complete sphere, of which particles represent HALO_FRACTION */
    double height, radius; /* scale height of the disc, scale radius of the halo */
    double dispersion;     /* radial velocity dispersion at the centre of the disc */
    double mass, length;
    double inclination, argument;
    double at[3], along[3]; /* position and velocity of the centre */
} galaxy;

/* Square of the circular speed in the plane of the disc. */
static double galaxy_speed2(const galaxy *g, double r)
{
    const double s = r + g->radius;
    return g->disc * myr_disc_speed2(r) + g->halo * r / (s * s);
}

static double galaxy_surface(const galaxy *g, double r)
{
    return g->disc / (2 * MYR_PI) * exp(-r);
}

/* Square of the epicycle frequency, (1/r^3) d(r^2 v^2)/dr. */
static double galaxy_epicycle2(const galaxy *g, double r)
{
    const double h = 1e-3 * r, a = r - h, b = r + h;
    return (b * b * galaxy_speed2(g, b) - a * a * galaxy_speed2(g, a)) / (2 * h) / (r * r * r);
}

/* Central radial dispersion from Toomre's (1964) Q = sigma kappa/(3.36 G Sigma) at one radius. */
static double galaxy_dispersion(const galaxy *g, double q)
{
    const double r = TOOMRE_RADIUS;
    return 3.36 * q * galaxy_surface(g, r) / sqrt(galaxy_epicycle2(g, r)) * exp(0.5 * r);
}

static void galaxy_disc_star(const galaxy *g, uint64_t seed, uint64_t id, double x[3], double v[3])
{
    double u[4], w[3];
    myr_random_uniform(seed, MYR_STREAM_RADIUS, id, 0, u);
    myr_random_uniform(seed, MYR_STREAM_DIRECTION, id, 0, u + 2);
    myr_model_normal(seed, MYR_STREAM_SPEED, id, w);
    const double r = myr_disc_radius(DISC_FRACTION * u[0]), angle = 2 * MYR_PI * u[2];
    const double speed2 = galaxy_speed2(g, r), part = galaxy_epicycle2(g, r) * r * r / (4 * speed2);
    const double sigma2 = g->dispersion * g->dispersion * exp(-r);
    const double out = sqrt(sigma2) * w[0];
    const double round = sqrt(fmax(0, speed2 + sigma2 * (1 - part - 2 * r))) + sqrt(sigma2 * part) * w[1];
    x[0] = r * cos(angle);
    x[1] = r * sin(angle);
    x[2] = g->height * atanh(2 * u[1] - 1);
    v[0] = out * cos(angle) - round * sin(angle);
    v[1] = out * sin(angle) + round * cos(angle);
    v[2] = sqrt(MYR_PI * galaxy_surface(g, r) * g->height) * w[2];
}

/* Ratio of the mean square speed in the halo with the pull of the disc (treated as spherical) to that without: Jeans
 * equation, rho sigma^2 = integral of rho G M/s^2 from r outwards, by the trapezoidal rule in log s. */
static double galaxy_heating(const galaxy *g, double r)
{
    double alone = 0, disc = 0, weight = 0.5, s = r;
    while (s < r + 100 * g->radius) {
        const double x = s / g->radius, pull = weight / (s * s * (1 + x) * (1 + x) * (1 + x)); /* rho/s^2 ds/dlog s */
        alone += pull * g->halo * x * x / ((1 + x) * (1 + x));
        disc += pull * g->disc * myr_disc_mass(s);
        weight = 1;
        s *= 1.1;
    }
    return 1 + disc / alone;
}

static void galaxy_halo_star(const galaxy *g, uint64_t seed, uint64_t id, double x[3], double v[3])
{
    double u[2];
    myr_random_uniform(seed, MYR_STREAM_RADIUS, id, 0, u);
    const double own = myr_hernquist_radius(HALO_FRACTION * u[0]), r = own * g->radius;
    const double speed = myr_hernquist_speed(seed, id, own) * sqrt(galaxy_heating(g, r) * g->halo / g->radius);
    myr_model_direction(seed, MYR_STREAM_DIRECTION, id, x);
    myr_model_direction(seed, MYR_STREAM_HEADING, id, v);
    for (int c = 0; c < 3; c++) {
        x[c] *= r;
        v[c] *= speed;
    }
}

/* Fills particles [first, first + n), of which the first `disc` belong to the disc. Halo particles come in mirrored
 * pairs: otherwise the few distant ones would displace the centre of mass from the disc. */
static void galaxy_fill(const galaxy *g, const myr_model_arrays *to, int64_t first, int64_t n, int64_t disc, int type)
{
    for (int64_t i = first; i < first + n; i++) {
        const int in_disc = i < first + disc, mirror = !in_disc && (i - first - disc) % 2;
        double x[3], v[3];
        (in_disc ? galaxy_disc_star : galaxy_halo_star)(g, to->seed, (uint64_t)(i - mirror), x, v);
        myr_orbit_turn(g->inclination, 0, g->argument, x);
        myr_orbit_turn(g->inclination, 0, g->argument, v);
        const double sign = mirror ? -1 : 1, speed = sqrt(g->mass / g->length);
        for (int c = 0; c < 3; c++) {
            to->position[c][i] = g->at[c] + sign * g->length * x[c];
            to->velocity[c][i] = g->along[c] + sign * speed * v[c];
        }
        const double share = in_disc ? g->disc / (double)disc : HALO_FRACTION * g->halo / (double)(n - disc);
        to->mass[i] = g->mass * share;
        to->type[i] = in_disc ? type + 1 : type;
    }
}

/* Position and velocity of the second galaxy relative to the first, on a conic r = p/(1 + e cos f) before
 * pericentre. */
static myr_status galaxy_encounter(const myr_model_arrays *to, double mass, double x[3], double v[3])
{
    const double e = to->value[ECCENTRICITY], p = to->value[PERICENTRE] * (1 + e), r = to->value[SEPARATION];
    const double c = (p / r - 1) / e, s = -sqrt(fmax(0, (1 - c) * (1 + c))), rate = sqrt(mass / p);
    if (!(fabs(c) <= 1))
        return myr_context_fail(to->context, MYR_ERROR_VALUE,
                                "galaxies on an orbit with pericentre %g and eccentricity %g are never %g apart",
                                to->value[PERICENTRE], e, r);
    x[0] = r * c;
    x[1] = r * s;
    v[0] = -rate * s;
    v[1] = rate * (e + c);
    x[2] = v[2] = 0;
    return MYR_OK;
}

static galaxy galaxy_make(const double *value, double mass, double inclination, double argument)
{
    galaxy g = {.disc = value[DISC_MASS],
                .halo = (1 - value[DISC_MASS]) / HALO_FRACTION,
                .height = value[DISC_HEIGHT],
                .radius = value[HALO_RADIUS],
                .mass = mass,
                .length = sqrt(mass),
                .inclination = inclination,
                .argument = argument};
    g.dispersion = galaxy_dispersion(&g, value[TOOMRE_Q]);
    return g;
}

static myr_status galaxy_pair_place(const myr_model_arrays *to)
{
    const double *value = to->value, ratio = value[MASS_RATIO];
    galaxy a = galaxy_make(value, 1, value[INCLINATION_1], value[ARGUMENT_1]);
    const int64_t n2 = llround((double)to->n * ratio / (1 + ratio)), n1 = to->n - n2;
    if (ratio > 0) {
        galaxy b = galaxy_make(value, ratio, value[INCLINATION_2], value[ARGUMENT_2]);
        double x[3], v[3];
        const myr_status status = galaxy_encounter(to, 1 + ratio, x, v);
        if (status)
            return status;
        myr_orbit_share(1, ratio, x, a.at, b.at);
        myr_orbit_share(1, ratio, v, a.along, b.along);
        galaxy_fill(&b, to, n1, n2, llround((double)n2 * value[DISC_PARTICLES]), 3);
    }
    galaxy_fill(&a, to, 0, n1, llround((double)n1 * value[DISC_PARTICLES]), 1);
    return MYR_OK;
}

#define ANGLE(name, text, value)                                                                                       \
    {                                                                                                                  \
        {name, text, value, -7, 7}, MYR_NUMBER                                                                         \
    }

const myr_model_kind myr_galaxy_pair_model = {
    .info = {"galaxy_pair", "two discs in halos on a parabolic or elliptic encounter, G = 1, first galaxy's mass 1", 1},
    .place = galaxy_pair_place,
    .with = MYR_WITH_SCALES,
    .typed = 1,
    .param =
        {[MASS_RATIO] = {{"mass_ratio", "second galaxy over first; 0 = one galaxy alone", 1, 0, 1}, MYR_NUMBER},
         [DISC_MASS] = {{"disc_mass", "fraction of a galaxy's mass in its disc", 0.15, 0.001, 0.9}, MYR_NUMBER},
         [DISC_PARTICLES] = {{"disc_particles", "fraction of a galaxy's particles in its disc", 0.5, 0.01, 0.99},
                             MYR_NUMBER},
         [DISC_HEIGHT] = {{"disc_height", "z0 of sech^2(z/z0), in disc scale lengths", 0.1, 0.001, 1}, MYR_NUMBER},
         [HALO_RADIUS] = {{"halo_radius", "scale radius of the halo, in disc scale lengths", 4, 0.1, 100}, MYR_NUMBER},
         [TOOMRE_Q] = {{"Q", "Toomre's Q at 2.5 scale lengths: above 1 the disc is stable against rings", 1.5, 0.1, 10},
                       MYR_NUMBER},
         [PERICENTRE] = {{"pericentre", "nearest distance of the galaxies, as points", 2.5, 0.01, 1e3}, MYR_NUMBER},
         [ECCENTRICITY] = {{"eccentricity", "eccentricity of the orbit: 1 = parabola", 1, 0.001, 10}, MYR_NUMBER},
         [SEPARATION] = {{"separation", "distance of the galaxies at the start", 20, 0.01, 1e4}, MYR_NUMBER},
         [INCLINATION_1] =
             ANGLE("inclination_1", "angle between the first disc and the plane of the orbit, in radians", 0),
         [ARGUMENT_1] = ANGLE("argument_1", "turn of the first disc about its axis, in radians", 0),
         [INCLINATION_2] =
             ANGLE("inclination_2", "angle between the second disc and the plane of the orbit, in radians", 1.2),
         [ARGUMENT_2] = ANGLE("argument_2", "turn of the second disc about its axis, in radians", 0)},
};
