/* solar_system.c - the Sun, eight planets (Earth and Moon as one body) and, as the tenth body, Pluto.
 *
 * Elements: E. M. Standish, "Keplerian Elements for Approximate Positions of the Major Planets" (JPL), table 1, valid
 * from 1800 to 2050, at the epoch J2000.0 (JD 2451545.0), relative to the mean ecliptic and equinox of J2000. The
 * elements are fitted to the ephemeris with an accuracy of some arc minutes and are not osculating. Masses: IAU 1994
 * ratios of the solar mass to that of the planet with its moons (Standish 1995). Units: AU, solar masses and G = 4
 * pi^2, so that the unit of time is the Gaussian year of 365.2568983 days; another G gives another unit of time. */
#include "model/model.h"
#include "model/orbit.h"

enum { BODIES = 10 };

static const struct {
    const char *name;
    double ratio; /* mass of the Sun divided by the mass of the body */
    /* a in AU; angles in degrees: mean longitude, longitudes of perihelion and node */
    double a, e, inclination, mean, perihelion, node;
} bodies[BODIES] = {
    {"Sun", 1, 0, 0, 0, 0, 0, 0},
    {"Mercury", 6023600, 0.38709927, 0.20563593, 7.00497902, 252.25032350, 77.45779628, 48.33076593},
    {"Venus", 408523.71, 0.72333566, 0.00677672, 3.39467605, 181.97909950, 131.60246718, 76.67984255},
    {"Earth and Moon", 328900.56, 1.00000261, 0.01671123, -0.00001531, 100.46457166, 102.93768193, 0},
    {"Mars", 3098708, 1.52371034, 0.09339410, 1.84969142, -4.55343205, -23.94362959, 49.55953891},
    {"Jupiter", 1047.3486, 5.20288700, 0.04838624, 1.30439695, 34.39644051, 14.72847983, 100.47390909},
    {"Saturn", 3497.898, 9.53667594, 0.05386179, 2.48599187, 49.95424423, 92.59887831, 113.66242448},
    {"Uranus", 22902.98, 19.18916464, 0.04725744, 0.77263783, 313.23810451, 170.95427630, 74.01692503},
    {"Neptune", 19412.24, 30.06992276, 0.00859048, 1.77004347, -55.12002969, 44.96476227, 131.78422574},
    {"Pluto", 1.35e8, 39.48211675, 0.24882730, 17.14001206, 238.92903833, 224.06891629, 110.30393684},
};

static myr_status solar_system_place(const myr_model_arrays *to)
{
    const double degree = MYR_PI / 180;
    for (int64_t i = 0; i < to->n; i++) {
        to->mass[i] = 1 / bodies[i].ratio;
        if (i == 0)
            continue;
        const myr_orbit orbit = {.a = bodies[i].a,
                                 .e = bodies[i].e,
                                 .inclination = bodies[i].inclination * degree,
                                 .node = bodies[i].node * degree,
                                 .pericentre = (bodies[i].perihelion - bodies[i].node) * degree,
                                 .anomaly = (bodies[i].mean - bodies[i].perihelion) * degree};
        double x[3], v[3];
        myr_orbit_place(&orbit, 1 + to->mass[i], x, v);
        for (int c = 0; c < 3; c++) {
            to->position[c][i] = x[c];
            to->velocity[c][i] = v[c];
        }
    }
    return MYR_OK;
}

const myr_model_kind myr_solar_system_model = {
    .info = {"solar_system", "Sun and planets at J2000.0 in AU, solar masses, G = 4 pi^2; 9 bodies, 10 with Pluto", 1},
    .place = solar_system_place,
    .with = MYR_WITH_SCALES,
    .least = 1,
    .usual = 9,
    .most = BODIES,
    .param = {{{"G", "constant of gravity in the units of the particles", 4 * MYR_PI *MYR_PI, 1e-300, MYR_HUGE},
               MYR_GRAVITY}},
};
