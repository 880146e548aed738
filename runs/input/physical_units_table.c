/* physical_units_table.c - the constants: units, dimensions and systems.
 *
 * CODATA 2018: G; exact since 2019: Avogadro's number, the elementary charge, Boltzmann's constant.
 * IAU 2012 B2 and 2015 B2, B3: astronomical unit, parsec = 648000/pi au, nominal solar, terrestrial and Jovian mass
 * parameters (GM) and the solar radius; the masses are GM / G, so that G times a mass is as exact as GM is known. A
 * year is Julian, 365.25 days. */
#include "input/physical_units.h"

#define GRAVITY 6.67430e-11 /* m^3 kg^-1 s^-2 */
#define GM_SUN 1.3271244e20 /* m^3 s^-2 */
#define GM_EARTH 3.986004e14
#define GM_JUPITER 1.2668653e17
#define AU 149597870700.0
#define PARSEC (648000 / 3.14159265358979323846 * AU)
#define DAY 86400.0
#define YEAR (365.25 * DAY)
#define AVOGADRO 6.02214076e23
#define CHARGE 1.602176634e-19
#define CALORIE 4.184
#define BOLTZMANN 1.380649e-23
#define COULOMB 8.9875517923e9 /* N m^2 C^-2 */
#define ANGSTROM 1e-10
/* The unit of time in which g/mol, Angstrom and kcal/mol go together: Angstrom sqrt(1e-3 / (1e3 cal)). */
#define AMBER_TIME 4.888821290839616e-14

#define POWERS(l, m, t, q, k)                                                                                          \
    {                                                                                                                  \
        {                                                                                                              \
            l, m, t, q, k                                                                                              \
        }                                                                                                              \
    }
#define LENGTH POWERS(1, 0, 0, 0, 0)
#define MASS POWERS(0, 1, 0, 0, 0)
#define TIME POWERS(0, 0, 1, 0, 0)
#define ENERGY POWERS(2, 1, -2, 0, 0)
#define PRESSURE POWERS(-1, 1, -2, 0, 0)

static const units_unit unit_table[] = {
    {"fm", 1e-15, LENGTH, "femtometre"},
    {"pm", 1e-12, LENGTH, "picometre"},
    {"nm", 1e-9, LENGTH, "nanometre"},
    {"um", 1e-6, LENGTH, "micrometre"},
    {"mm", 1e-3, LENGTH, "millimetre"},
    {"cm", 1e-2, LENGTH, "centimetre"},
    {"m", 1, LENGTH, "metre"},
    {"km", 1e3, LENGTH, "kilometre"},
    {"Angstrom", ANGSTROM, LENGTH, "1e-10 m"},
    {"M", 1e3 * AVOGADRO, POWERS(-3, 0, 0, 0, 0), "mol/l"},
    {"mM", AVOGADRO, POWERS(-3, 0, 0, 0, 0), "mmol/l"},
    {"Rsun", 6.957e8, LENGTH, "nominal solar radius"},
    {"AU", AU, LENGTH, "astronomical unit"},
    {"au", AU, LENGTH, "astronomical unit"},
    {"ly", 299792458.0 * YEAR, LENGTH, "light year"},
    {"pc", PARSEC, LENGTH, "parsec"},
    {"kpc", 1e3 * PARSEC, LENGTH, "kiloparsec"},
    {"Mpc", 1e6 * PARSEC, LENGTH, "megaparsec"},
    {"Gpc", 1e9 * PARSEC, LENGTH, "gigaparsec"},
    {"g", 1e-3, MASS, "gram"},
    {"kg", 1, MASS, "kilogram"},
    {"Da", 1e-3 / AVOGADRO, MASS, "dalton, taken as 1 g/mol"},
    {"Msun", GM_SUN / GRAVITY, MASS, "solar mass"},
    {"Mearth", GM_EARTH / GRAVITY, MASS, "mass of the Earth"},
    {"Mjup", GM_JUPITER / GRAVITY, MASS, "mass of Jupiter"},
    {"fs", 1e-15, TIME, "femtosecond"},
    {"ps", 1e-12, TIME, "picosecond"},
    {"ns", 1e-9, TIME, "nanosecond"},
    {"us", 1e-6, TIME, "microsecond"},
    {"ms", 1e-3, TIME, "millisecond"},
    {"s", 1, TIME, "second"},
    {"min", 60, TIME, "minute"},
    {"h", 3600, TIME, "hour"},
    {"d", DAY, TIME, "day"},
    {"yr", YEAR, TIME, "Julian year"},
    {"kyr", 1e3 * YEAR, TIME, "thousand years"},
    {"Myr", 1e6 * YEAR, TIME, "million years"},
    {"Gyr", 1e9 * YEAR, TIME, "billion years"},
    {"J", 1, ENERGY, "joule"},
    {"kJ", 1e3, ENERGY, "kilojoule"},
    {"erg", 1e-7, ENERGY, "erg"},
    {"eV", CHARGE, ENERGY, "electron volt"},
    {"cal", CALORIE, ENERGY, "thermochemical calorie"},
    {"kcal", 1e3 * CALORIE, ENERGY, "thermochemical kilocalorie"},
    {"Pa", 1, PRESSURE, "pascal"},
    {"kPa", 1e3, PRESSURE, "kilopascal"},
    {"MPa", 1e6, PRESSURE, "megapascal"},
    {"GPa", 1e9, PRESSURE, "gigapascal"},
    {"bar", 1e5, PRESSURE, "bar"},
    {"atm", 101325, PRESSURE, "standard atmosphere"},
    {"Hz", 1, POWERS(0, 0, -1, 0, 0), "hertz"},
    {"N", 1, POWERS(1, 1, -2, 0, 0), "newton"},
    {"C", 1, POWERS(0, 0, 0, 1, 0), "coulomb"},
    {"e", CHARGE, POWERS(0, 0, 0, 1, 0), "elementary charge"},
    {"K", 1, POWERS(0, 0, 0, 0, 1), "kelvin"},
    {"mol", AVOGADRO, POWERS(0, 0, 0, 0, 0), "a count: g/mol is a mass, kcal/mol an energy"},
    {"rad", 1, POWERS(0, 0, 0, 0, 0), "radian"},
    {"deg", 3.14159265358979323846 / 180, POWERS(0, 0, 0, 0, 0), "degree"},
};

static const units_dimension_info dimension_table[UNITS_DIMENSIONS] = {
    [UNITS_NUMBER] = {"plain number", POWERS(0, 0, 0, 0, 0), "0.5"},
    [UNITS_LENGTH] = {"length", LENGTH, "10 kpc"},
    [UNITS_MASS] = {"mass", MASS, "1e4 Msun"},
    [UNITS_TIME] = {"time", TIME, "0.5 Myr"},
    [UNITS_VELOCITY] = {"velocity", POWERS(1, 0, -1, 0, 0), "220 km/s"},
    [UNITS_ACCELERATION] = {"acceleration", POWERS(1, 0, -2, 0, 0), "1e-10 m/s^2"},
    [UNITS_ENERGY] = {"energy", ENERGY, "0.24 kcal/mol"},
    [UNITS_RATE] = {"rate", POWERS(0, 0, -1, 0, 0), "25 km/s/kpc"},
    [UNITS_RATE_SQUARED] = {"rate squared", POWERS(0, 0, -2, 0, 0), "600 km^2/s^2/kpc^2"},
    [UNITS_GRAVITY] = {"constant of gravity", POWERS(3, -1, -2, 0, 0), "6.6743e-11 m^3/kg/s^2"},
    [UNITS_GM] = {"mass times G", POWERS(3, 0, -2, 0, 0), "1.327e20 m^3/s^2"},
    [UNITS_DENSITY] = {"density", POWERS(-3, 1, 0, 0, 0), "0.1 Msun/pc^3"},
    [UNITS_WAVE_NUMBER] = {"inverse length", POWERS(-1, 0, 0, 0, 0), "3 Angstrom^-1"},
    [UNITS_MOMENTUM] = {"momentum", POWERS(1, 1, -1, 0, 0), "1 kg m/s"},
    [UNITS_ANGULAR_MOMENTUM] = {"angular momentum", POWERS(2, 1, -1, 0, 0), "1 kg m^2/s"},
    [UNITS_VISCOSITY] = {"kinematic viscosity", POWERS(2, 0, -1, 0, 0), "1e-6 m^2/s"},
    [UNITS_SPECIFIC_ENERGY] = {"energy per mass", POWERS(2, 0, -2, 0, 0), "1 m^2/s^2"},
    [UNITS_DISSIPATION] = {"energy per mass and time", POWERS(2, 0, -3, 0, 0), "1 m^2/s^3"},
    [UNITS_SPECTRUM] = {"energy per mass and wave number", POWERS(3, 0, -2, 0, 0), "1 m^3/s^2"},
    [UNITS_STRENGTH] = {"vortex strength", POWERS(3, 0, -1, 0, 0), "1 m^3/s"},
    [UNITS_IMPULSE] = {"impulse per density", POWERS(4, 0, -1, 0, 0), "1 m^4/s"},
    [UNITS_ANGULAR_IMPULSE] = {"angular impulse per density", POWERS(5, 0, -1, 0, 0), "1 m^5/s"},
    [UNITS_FLUID_ENERGY] = {"energy per density", POWERS(5, 0, -2, 0, 0), "1 m^5/s^2"},
    [UNITS_FLUID_HELICITY] = {"helicity", POWERS(4, 0, -2, 0, 0), "1 m^4/s^2"},
    [UNITS_CHARGE] = {"charge", POWERS(0, 0, 0, 1, 0), "1 e"},
    [UNITS_TEMPERATURE] = {"temperature", POWERS(0, 0, 0, 0, 1), "300 K"},
    [UNITS_AREA] = {"area", POWERS(2, 0, 0, 0, 0), "1 nm^2"},
    [UNITS_NUMBER_DENSITY] = {"number density", POWERS(-3, 0, 0, 0, 0), "0.021 Angstrom^-3"},
    [UNITS_PRESSURE] = {"pressure", PRESSURE, "1 bar"},
    [UNITS_STIFFNESS] = {"stiffness", POWERS(0, 1, -2, 0, 0), "10 kcal/mol/Angstrom^2"},
    [UNITS_SECONDS] = {"time on the clock", TIME, "2 h"},
};

/* gravity 0: computed from the base units. */
static const units_system system_table[] = {
    {"nbody",
     "G = 1 and no scale; with units.length and units.mass given, G = 1 fixes the time",
     {0},
     1,
     {""},
     1,
     NULL},
    {"astronomical",
     "pc, Msun, Myr; other units of length, mass and time or velocity can be given",
     {PARSEC, GM_SUN / GRAVITY, 1e6 * YEAR, CHARGE, 1},
     1,
     {"pc", "Msun", "Myr", "e", "K"},
     0,
     NULL},
    {"si", "m, kg, s, C, K", {1, 1, 1, 1, 1}, 1, {"m", "kg", "s", "C", "K"}, 0, NULL},
    {"lj",
     "Lennard-Jones reduced units, no scale; units.length, units.mass and units.energy give sigma, m and epsilon",
     {0},
     1,
     {""},
     1,
     NULL},
    {"amber",
     "Angstrom, g/mol, kcal/mol, e, K; times are in ps, pressures in bar",
     {ANGSTROM, 1e-3 / AVOGADRO, AMBER_TIME, CHARGE, 1},
     1e-12 / AMBER_TIME,
     {"Angstrom", "g/mol", "ps", "e", "K"},
     0,
     "kcal/mol"},
    {"gromacs",
     "nm, g/mol, ps, kJ/mol, e, K; pressures are in bar",
     {1e-9, 1e-3 / AVOGADRO, 1e-12, CHARGE, 1},
     1,
     {"nm", "g/mol", "ps", "e", "K"},
     0,
     "kJ/mol"},
};

enum { UNITS = sizeof unit_table / sizeof unit_table[0], SYSTEMS = sizeof system_table / sizeof system_table[0] };

const units_unit *units_unit_at(int k)
{
    return k >= 0 && k < UNITS ? &unit_table[k] : NULL;
}

const char *units_unit_name(int k)
{
    return k >= 0 && k < UNITS ? unit_table[k].name : NULL;
}

const units_system *units_system_at(int k)
{
    return k >= 0 && k < SYSTEMS ? &system_table[k] : NULL;
}

const char *units_system_name(int k)
{
    return k >= 0 && k < SYSTEMS ? system_table[k].name : NULL;
}

const units_dimension_info *units_dimension_at(units_dimension dimension)
{
    return &dimension_table[dimension];
}

double units_gravity_constant(void)
{
    return GRAVITY;
}

double units_coulomb_constant(const units_system *system)
{
    const double *si = system->si, *charge = &si[3];
    if (!(si[0] > 0 && si[1] > 0 && si[2] > 0 && *charge > 0))
        return 1;
    return COULOMB / (si[0] * si[0] * si[0] * si[1]) * (si[2] * si[2]) * (*charge * *charge);
}

double units_boltzmann_constant(void)
{
    return BOLTZMANN;
}
