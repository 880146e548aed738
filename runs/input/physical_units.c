/* physical_units.c - reading numbers with units, converting them, and making a unit system from what the user says. */
#include "input/physical_units.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum { BASE_LENGTH, BASE_MASS, BASE_TIME, BASE_TEMPERATURE = 4, UNIT_NAME_MAX = 16, POWER_MAX = 12 };

#define BAR 1e5 /* in pascal */

static const char *const base_name[UNITS_BASES] = {"length", "mass", "time", "charge", "temperature"};

static int units_fail(char message[UNITS_MESSAGE], const char *format, ...) __attribute__((format(printf, 2, 3)));

static int units_fail(char message[UNITS_MESSAGE], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(message, UNITS_MESSAGE, format, args);
    va_end(args);
    return 1;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static int units_find(const char *name, const units_unit **unit, char message[UNITS_MESSAGE])
{
    for (int k = 0; (*unit = units_unit_at(k)); k++)
        if (strcmp((*unit)->name, name) == 0)
            return 0;
    const char *near = myr_nearest(name, units_unit_name);
    if (near)
        return units_fail(message, "there is no unit '%s'; did you mean '%s'?", name, near);
    return units_fail(message, "there is no unit '%s'; 'myriad explain units' lists them", name);
}

/* One factor, "km" or "s^-2", at *at; its power is multiplied by sign. */
static int units_factor(const char **at, int sign, double *si, units_powers *powers, char message[UNITS_MESSAGE])
{
    char name[UNIT_NAME_MAX];
    size_t length = 0;
    const char *p = *at;
    while (isalpha((unsigned char)p[length]))
        length++;
    if (length == 0 || length >= sizeof name)
        return units_fail(message, "'%.20s' is not a unit", p);
    memcpy(name, p, length);
    name[length] = 0;
    const units_unit *unit;
    if (units_find(name, &unit, message))
        return 1;
    p += length;
    long power = 1;
    if (*p == '^') {
        char *end;
        power = strtol(p + 1, &end, 10);
        if (end == p + 1 || power < -POWER_MAX || power > POWER_MAX)
            return units_fail(message, "the power after '%s^' must be a whole number from %d to %d", name, -POWER_MAX,
                              POWER_MAX);
        p = end;
    }
    for (int b = 0; b < UNITS_BASES; b++) {
        const long sum = powers->of[b] + sign * power * unit->powers.of[b];
        if (sum < -4 * POWER_MAX || sum > 4 * POWER_MAX)
            return units_fail(message, "the powers of the units add up to more than %d", 4 * POWER_MAX);
        powers->of[b] = (signed char)sum;
    }
    *si *= pow(unit->si, (double)(sign * power));
    *at = p;
    return 0;
}

/* Factors with '/', '*' or spaces between them; a division holds for the next factor only. */
static int units_expression(const char *p, double *si, units_powers *powers, char message[UNITS_MESSAGE])
{
    int sign = 1;
    *si = 1;
    *powers = (units_powers){{0}};
    for (;;) {
        if (units_factor(&p, sign, si, powers, message))
            return 1;
        sign = 1;
        while (*p == ' ')
            p++;
        if (!*p)
            break;
        if (*p == '/' || *p == '*') {
            sign = *p == '/' ? -1 : 1;
            do
                p++;
            while (*p == ' ');
        }
    }
    if (!isfinite(*si) || *si == 0)
        return units_fail(message, "the unit is too large or too small");
    return 0;
}

/* strtod would also take hexadecimal numbers, "inf" and "nan". */
static int units_number(const char *text, double *number, const char **rest)
{
    const char *digits = text + (*text == '-' || *text == '+');
    if (!isdigit((unsigned char)digits[0]) && !(digits[0] == '.' && isdigit((unsigned char)digits[1])))
        return 1;
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
        return 1;
    char *end;
    *number = strtod(text, &end);
    *rest = end;
    return !isfinite(*number);
}

int units_read(const char *text, units_quantity *q, char message[UNITS_MESSAGE])
{
    const char *rest;
    *q = (units_quantity){.si = 1};
    if (units_number(text, &q->number, &rest))
        return units_fail(message, "'%.40s' is not a number", text);
    while (*rest == ' ')
        rest++;
    if (!*rest)
        return 0;
    q->has_unit = 1;
    return units_expression(rest, &q->si, &q->powers, message);
}

int units_read_unit(const char *text, double *si, units_powers *powers, char message[UNITS_MESSAGE])
{
    units_quantity q;
    const int plain = isalpha((unsigned char)*text);
    if (plain ? units_expression(text, si, powers, message) : units_read(text, &q, message))
        return 1;
    if (plain)
        return 0;
    *si = q.number * q.si;
    *powers = q.powers;
    if (!q.has_unit || !(*si > 0) || !isfinite(*si))
        return units_fail(message, "'%.40s' is not a unit; write for example 'kpc' or '10 kpc'", text);
    return 0;
}

/* --- converting --------------------------------------------------------------------------------------------------- */

static int powers_equal(units_powers a, units_powers b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* "length", or "length^2 time^-1" where the dimension has no name. */
static const char *powers_text(units_powers powers, char text[UNITS_MESSAGE])
{
    for (int d = 0; d < UNITS_SECONDS; d++)
        if (powers_equal(powers, units_dimension_at((units_dimension)d)->powers))
            return units_dimension_at((units_dimension)d)->name;
    size_t used = 0;
    text[0] = 0;
    for (int b = 0; b < UNITS_BASES; b++)
        if (powers.of[b] == 1)
            used += (size_t)snprintf(text + used, UNITS_MESSAGE - used, "%s%s", used ? " " : "", base_name[b]);
        else if (powers.of[b])
            used += (size_t)snprintf(text + used, UNITS_MESSAGE - used, "%s%s^%d", used ? " " : "", base_name[b],
                                     powers.of[b]);
    return text;
}

/* The unit of a dimension in SI, from the base units; 0 where a base unit that it needs has no scale. */
static double units_scale(const units_system *s, units_powers powers)
{
    double scale = 1;
    for (int b = 0; b < UNITS_BASES; b++)
        if (powers.of[b])
            scale *= s->si[b] > 0 ? pow(s->si[b], powers.of[b]) : 0;
    return scale;
}

/* One kelvin as an energy; 0 where energies have no scale. */
static double units_kelvin(const units_system *s)
{
    const double energy = units_scale(s, units_dimension_at(UNITS_ENERGY)->powers);
    return energy > 0 ? units_boltzmann_constant() / energy : 0;
}

/* Energies, and what is made from energies and lengths, need no other unit of time in amber. */
static int units_energetic(units_dimension dimension)
{
    return dimension == UNITS_ENERGY || dimension == UNITS_PRESSURE || dimension == UNITS_STIFFNESS;
}

double units_bare(const units_system *s, units_dimension dimension)
{
    if (dimension == UNITS_PRESSURE && s->energy) /* bar, as everybody uses with these units */
        return BAR / units_scale(s, units_dimension_at(UNITS_PRESSURE)->powers);
    if (units_energetic(dimension) || dimension == UNITS_SECONDS)
        return 1;
    if (dimension == UNITS_TEMPERATURE)
        return s->si[BASE_TEMPERATURE] > 0 ? s->si[BASE_TEMPERATURE] * units_kelvin(s) : 1;
    const double power = units_dimension_at(dimension)->powers.of[BASE_TIME];
    return power != 0 && s->bare_time != 1 ? pow(s->bare_time, power) : 1;
}

/* Temperatures and energies stand for each other: 120 K is an energy of k 120 K. 0 where it is neither, or without
 * scale. */
static int units_thermal(const units_system *s, const units_quantity *q, units_dimension dimension, double *value)
{
    const double kelvin = units_kelvin(s);
    if ((dimension != UNITS_TEMPERATURE && dimension != UNITS_ENERGY) || !(kelvin > 0))
        return 0;
    if (powers_equal(q->powers, units_dimension_at(UNITS_TEMPERATURE)->powers))
        *value = q->number * q->si * kelvin;
    else if (powers_equal(q->powers, units_dimension_at(UNITS_ENERGY)->powers))
        *value = q->number * (q->si / units_scale(s, q->powers));
    else
        return 0;
    return isfinite(*value);
}

const char *units_article(const char *name)
{
    return strchr("aeiou", *name) ? "an" : "a";
}

int units_convert(const units_system *s, const units_quantity *q, units_dimension dimension, double *value,
                  char message[UNITS_MESSAGE])
{
    const units_dimension_info *wanted = units_dimension_at(dimension);
    if (!q->has_unit) {
        *value = q->number * units_bare(s, dimension);
        return 0;
    }
    char text[UNITS_MESSAGE];
    if (units_thermal(s, q, dimension, value))
        return 0;
    if (!powers_equal(q->powers, wanted->powers)) {
        const char *given = powers_text(q->powers, text);
        return units_fail(message, "the unit is that of %s %s; expected %s %s, for example %s", units_article(given),
                          given, units_article(wanted->name), wanted->name, wanted->example);
    }
    double scale = 1;
    if (dimension != UNITS_SECONDS) {
        scale = units_scale(s, wanted->powers);
        if (scale == 0)
            return units_fail(message, "%s units have no scale for %s %s; give a bare number, or the scale in 'units'",
                              s->name, units_article(wanted->name), wanted->name);
    }
    *value = q->number * (q->si / scale);
    if (!isfinite(*value))
        return units_fail(message, "the value is too large in the run's units");
    return 0;
}

const char *units_label(const units_system *s, units_dimension dimension, char label[UNITS_MESSAGE])
{
    const units_powers powers = units_dimension_at(dimension)->powers;
    size_t used = 0;
    label[0] = 0;
    if (dimension == UNITS_SECONDS || dimension == UNITS_NUMBER)
        return dimension == UNITS_NUMBER ? label : strcpy(label, "s");
    if (s->energy && dimension == UNITS_PRESSURE)
        return strcpy(label, "bar");
    if (s->energy && units_energetic(dimension)) {
        snprintf(label, UNITS_MESSAGE, "%s%s%s%s", s->energy, dimension == UNITS_ENERGY ? "" : "/",
                 dimension == UNITS_ENERGY ? "" : s->label[BASE_LENGTH], dimension == UNITS_STIFFNESS ? "^2" : "");
        return label;
    }
    for (int b = 0; b < UNITS_BASES; b++) {
        if (!powers.of[b])
            continue;
        if (!s->label[b][0])
            return label[0] = 0, label;
        const int grouped = strpbrk(s->label[b], " /") != NULL;
        used += (size_t)snprintf(label + used, UNITS_MESSAGE - used, "%s%s%s%s", used ? " " : "", grouped ? "(" : "",
                                 s->label[b], grouped ? ")" : "");
        if (powers.of[b] != 1)
            used += (size_t)snprintf(label + used, UNITS_MESSAGE - used, "^%d", powers.of[b]);
    }
    return label;
}

double units_shown(const units_system *s, units_dimension dimension, double value)
{
    char text[32];
    const double bare = units_bare(s, dimension);
    if (bare == 1 || dimension != UNITS_TIME)
        return value / bare;
    snprintf(text, sizeof text, "%.15g", value / bare);
    return strtod(text, NULL);
}

const char *units_print(const units_system *s, units_dimension dimension, double value, int digits,
                        char text[UNITS_MESSAGE])
{
    char label[UNITS_MESSAGE];
    units_label(s, dimension, label);
    snprintf(text, UNITS_MESSAGE, "%.*g%s%.60s", digits, units_shown(s, dimension, value), *label ? " " : "", label);
    return text;
}

/* --- systems ------------------------------------------------------------------------------------------------------ */

/* Reads what the user gives for one unit; *si stays as it is where nothing is given. */
static int choice_read(const char *key, const char *text, units_dimension dimension, double *si,
                       char message[UNITS_MESSAGE])
{
    units_powers powers;
    char reason[UNITS_MESSAGE];
    if (!text)
        return 0;
    if (units_read_unit(text, si, &powers, reason))
        return units_fail(message, "units.%s: %.180s", key, reason);
    if (!powers_equal(powers, units_dimension_at(dimension)->powers))
        return units_fail(message, "units.%s: '%.40s' is a unit of %s", key, text, powers_text(powers, reason));
    return 0;
}

typedef struct {
    double length, mass, time, velocity, energy; /* SI; 0 = not given */
} choice_sizes;

/* The unit of time that follows from the others; 0 = none given. */
static double choice_time(const choice_sizes *c)
{
    if (c->velocity > 0)
        return c->length / c->velocity;
    if (c->energy > 0)
        return c->length * sqrt(c->mass / c->energy);
    return c->time;
}

/* G = 1 ties the three base units together: two of them give the third. */
static int system_nbody(choice_sizes *c, char message[UNITS_MESSAGE])
{
    const double G = units_gravity_constant();
    const int third = c->time > 0 || c->velocity > 0;
    if (c->energy > 0)
        return units_fail(message, "units.energy does not go with nbody units; give units.length and units.mass");
    if (c->length > 0 && c->mass > 0 && !third) {
        c->time = sqrt(c->length * c->length * c->length / (G * c->mass));
        return 0;
    }
    if (c->length > 0 && third && !(c->mass > 0)) {
        c->time = choice_time(c);
        c->mass = c->length * c->length * c->length / (G * c->time * c->time);
        return 0;
    }
    return units_fail(message,
                      "nbody units need units.length and units.mass, or units.length and one of units.time and "
                      "units.velocity: G = 1 gives the rest");
}

static int system_sizes(const units_system *s, choice_sizes *c, char message[UNITS_MESSAGE])
{
    if (s->energy)
        return units_fail(message, "the units of %s are fixed; leave out units.length, mass, time, velocity, energy",
                          s->name);
    if ((c->time > 0) + (c->velocity > 0) + (c->energy > 0) > 1)
        return units_fail(message, "give only one of units.time, units.velocity and units.energy");
    if (strcmp(s->name, "nbody") == 0)
        return system_nbody(c, message);
    if (strcmp(s->name, "lj") == 0 && !(c->length > 0 && c->mass > 0 && c->energy > 0))
        return units_fail(message, "lj units need units.length (sigma), units.mass (m) and units.energy (epsilon)");
    if (!(c->length > 0))
        c->length = s->si[BASE_LENGTH];
    if (!(c->mass > 0))
        c->mass = s->si[BASE_MASS];
    const double time = choice_time(c);
    c->time = time > 0 ? time : s->si[BASE_TIME];
    return 0;
}

static void system_label(units_system *s, int base, const char *given, const char *unit)
{
    if (given)
        snprintf(s->label[base], UNITS_LABEL, "%s", given);
    else if (s->label[base][0] == 0)
        snprintf(s->label[base], UNITS_LABEL, "%.6g %s", s->si[base], unit);
}

int units_system_make(const char *name, const units_choice *choice, units_system *system, char message[UNITS_MESSAGE])
{
    int k = 0;
    while (units_system_at(k) && strcmp(units_system_at(k)->name, name) != 0)
        k++;
    if (!units_system_at(k))
        return units_fail(message, "there is no system of units '%.40s'", name);
    *system = *units_system_at(k);
    choice_sizes c = {0};
    if (choice_read("length", choice->length, UNITS_LENGTH, &c.length, message) ||
        choice_read("mass", choice->mass, UNITS_MASS, &c.mass, message) ||
        choice_read("time", choice->time, UNITS_TIME, &c.time, message) ||
        choice_read("velocity", choice->velocity, UNITS_VELOCITY, &c.velocity, message) ||
        choice_read("energy", choice->energy, UNITS_ENERGY, &c.energy, message))
        return 1;
    if (c.length > 0 || c.mass > 0 || c.time > 0 || c.velocity > 0 || c.energy > 0) {
        if (system_sizes(system, &c, message))
            return 1;
        if (choice->velocity || choice->energy)
            system->label[BASE_TIME][0] = 0;
        system->si[BASE_LENGTH] = c.length;
        system->si[BASE_MASS] = c.mass;
        system->si[BASE_TIME] = c.time;
        system_label(system, BASE_LENGTH, choice->length, "m");
        system_label(system, BASE_MASS, choice->mass, "kg");
        system_label(system, BASE_TIME, choice->time, "s");
    }
    if (system->gravity == 0)
        system->gravity = units_gravity_constant() * system->si[BASE_MASS] * system->si[BASE_TIME] *
                          system->si[BASE_TIME] / (system->si[BASE_LENGTH] * system->si[BASE_LENGTH]) /
                          system->si[BASE_LENGTH];
    return 0;
}
