/* solar_system_states.c - prints positions and velocities of the planets at J2000.0, which src/model/solar_system.c has
 * as its table, or with the argument "later" their positions 1, 10 and 100 Julian years later, which
 * tests/data/solar_system_later.csv has. From Debian's libnova:
 *
 *   apt-get install libnova-dev
 *   cc -O2 tools/solar_system_states.c -lnova -lm -o /tmp/states && /tmp/states
 *
 * Theories: VSOP87 (Bretagnon and Francou, Astronomy and Astrophysics 202, 309, 1988; series B, mean ecliptic and
 * equinox of J2000, which libnova turns into FK5) for the planets; Goffin, Meeus and Steyaert (Astronomy and
 * Astrophysics 155, 323, 1986) for Pluto; ELP 2000-82B (Chapront-Touze and Chapront) for the Moon, which takes the
 * Earth to the centre of mass of Earth and Moon. Positions are heliocentric, in AU. Velocities, in AU/day, are central
 * differences of the eighth order. */
#include <libnova/libnova.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double J2000 = 2451545.0, YEAR = 365.25, STEP = 0.25 /* days */;
static const double AU = 149597870.7;     /* km; IAU 2012 resolution B2 */
static const double MOON = 1.23000371e-2; /* mass of the Moon over that of the Earth; IAU 2009 constants */

typedef void helio(double JD, struct ln_helio_posn *position);

/* libnova's function for the Earth is that of the planet alone. */
static const struct {
    const char *name;
    helio *at;
} planets[] = {
    {"Mercury", ln_get_mercury_helio_coords},      {"Venus", ln_get_venus_helio_coords},
    {"Earth and Moon", ln_get_earth_helio_coords}, {"Mars", ln_get_mars_helio_coords},
    {"Jupiter", ln_get_jupiter_helio_coords},      {"Saturn", ln_get_saturn_helio_coords},
    {"Uranus", ln_get_uranus_helio_coords},        {"Neptune", ln_get_neptune_helio_coords},
    {"Pluto", ln_get_pluto_helio_coords},
};
enum { PLANETS = sizeof planets / sizeof *planets, EARTH = 2 };

static void place(int i, double day, double x[3])
{
    const double degree = acos(-1) / 180;
    struct ln_helio_posn p;
    planets[i].at(day, &p);
    x[0] = p.R * cos(p.B * degree) * cos(p.L * degree);
    x[1] = p.R * cos(p.B * degree) * sin(p.L * degree);
    x[2] = p.R * sin(p.B * degree);
    if (i == EARTH) {
        struct ln_rect_posn moon;
        ln_get_lunar_geo_posn(day, &moon, 0);
        const double part = MOON / (1 + MOON) / AU;
        x[0] += part * moon.X;
        x[1] += part * moon.Y;
        x[2] += part * moon.Z;
    }
}

static void velocity(int i, double day, double v[3])
{
    static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    memset(v, 0, 3 * sizeof *v);
    for (int k = 1; k <= 4; k++) {
        double before[3], after[3];
        place(i, day - k * STEP, before);
        place(i, day + k * STEP, after);
        for (int c = 0; c < 3; c++)
            v[c] += weight[k - 1] * (after[c] - before[c]) / STEP;
    }
}

static void print_states(void)
{
    for (int i = 0; i < PLANETS; i++) {
        double x[3], v[3];
        place(i, J2000, x);
        velocity(i, J2000, v);
        printf("    {\"%s\",\n     {%.12f, %.12f, %.12f},\n     {%.14f, %.14f, %.14f}},\n", planets[i].name, x[0], x[1],
               x[2], v[0], v[1], v[2]);
    }
}

/* Bodies by number: 1 is Mercury, 9 is Pluto. */
static void print_later(void)
{
    static const int later[] = {1, 10, 100};
    printf("years,body,x,y,z\n");
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < PLANETS; i++) {
            double x[3];
            place(i, J2000 + later[k] * YEAR, x);
            printf("%d,%d,%.9f,%.9f,%.9f\n", later[k], i + 1, x[0], x[1], x[2]);
        }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "later") == 0)
        print_later();
    else
        print_states();
    return 0;
}
