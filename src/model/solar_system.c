/* solar_system.c - the Sun, eight planets (Earth and Moon as one body) and, as the tenth body, Pluto.
 *
 * Positions and velocities at J2000.0 (JD 2451545.0) relative to the mean ecliptic and equinox of J2000 (FK5), printed
 * by tools/solar_system_states.c, which names the theories: VSOP87 for the planets, Goffin, Meeus and Steyaert for
 * Pluto, as Debian's libnova has them. Masses: IAU 1994 ratios of the solar mass to that of the planet with its moons
 * (Standish 1995). Units: AU, solar masses and G = 4 pi^2, so that the unit of time is the Gaussian year of 365.2568983
 * days; another G gives another unit of time.
 *
 * Gravity is Newton's. After a century the planets are within 16 arc seconds of VSOP87, Pluto within 30. What
 * relativity adds is largest for Mercury, whose perihelion it moves by 43 arc seconds in a century. */
#include "model/model.h"

enum { BODIES = 10 };

/* Gaussian constant: the square root of G in AU, solar masses and days. */
#define GAUSSIAN 0.01720209895

static const struct {
    const char *name;
    double ratio;       /* mass of the Sun divided by the mass of the body */
    double position[3]; /* from the Sun, in AU */
    double velocity[3]; /* relative to the Sun, in AU/day */
} bodies[BODIES] = {
    {"Sun", 1, {0, 0, 0}, {0, 0, 0}},
    {"Mercury",
     6023600,
     {-0.130093602833, -0.447287619168, -0.024598319848},
     {0.02136639589251, -0.00644798949019, -0.00248786150275}},
    {"Venus",
     408523.71,
     {-0.718302299112, -0.032654285558, 0.041014166343},
     {0.00079811714954, -0.02029521923826, -0.00032345113321}},
    {"Earth and Moon",
     328900.56,
     {-0.177158709786, 0.967219369578, -0.000001170716},
     {-0.01720310868889, -0.00316390967606, 0.00000002342648}},
    {"Mars",
     3098708,
     {1.390715944754, -0.013416322685, -0.034467525961},
     {0.00067149932631, 0.01518724822494, 0.00030165201200}},
    {"Jupiter",
     1047.3486,
     {4.001175257057, 2.938579238303, -0.101783500757},
     {-0.00456832017773, 0.00644320500649, 0.00007557867387}},
    {"Saturn",
     3497.898,
     {6.406409899965, 6.569989643749, -0.369076757095},
     {-0.00429235075710, 0.00389031938087, 0.00010294857150}},
    {"Uranus",
     22902.98,
     {14.431887025998, -13.734322415636, -0.238136899167},
     {0.00267811329653, 0.00267269892746, -0.00002477205861}},
    {"Neptune",
     19412.24,
     {16.812100329783, -24.991670611746, 0.127227020107},
     {0.00257924866737, 0.00177692289006, -0.00009590800345}},
    {"Pluto",
     1.35e8,
     {-9.875333629852, -27.958786187190, 5.850444258527},
     {0.00302872659441, -0.00153769812505, -0.00071220102868}},
};

static myr_status solar_system_place(const myr_model_arrays *to)
{
    for (int64_t i = 0; i < to->n; i++) {
        to->mass[i] = 1 / bodies[i].ratio;
        for (int c = 0; c < 3; c++) {
            to->position[c][i] = bodies[i].position[c];
            to->velocity[c][i] = bodies[i].velocity[c] / GAUSSIAN;
        }
    }
    return MYR_OK;
}

static const char *solar_system_name(int64_t i)
{
    return bodies[i].name;
}

const myr_model_kind myr_solar_system_model = {
    .info = {"solar_system",
             "Sun and planets at J2000.0 (VSOP87) in AU, solar masses, G = 4 pi^2; 9 bodies, 10 with Pluto; without "
             "the relativity that moves Mercury's perihelion by 43 arc seconds in a century",
             1},
    .place = solar_system_place,
    .with = MYR_WITH_SCALES,
    .least = 1,
    .usual = 9,
    .most = BODIES,
    .name = solar_system_name,
    .param = {{{"G", "constant of gravity in the units of the particles", 4 * MYR_PI *MYR_PI, 1e-300, MYR_HUGE},
               MYR_GRAVITY}},
};
