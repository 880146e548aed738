/* physical_units.h - numbers with units ("10 kpc"), dimensions, and the unit systems that a run can use.
 *
 * A run computes in the base units of its system: length, mass, time, charge, temperature. A bare number is in the
 * system's own units; a number with a unit is converted. Two systems have no scale (nbody, lj) until the user gives
 * one, and there a number with a unit has no meaning. */
#ifndef MYR_CLI_INPUT_PHYSICAL_UNITS_H
#define MYR_CLI_INPUT_PHYSICAL_UNITS_H

#include <stddef.h>

enum { UNITS_BASES = 5, UNITS_LABEL = 48, UNITS_MESSAGE = 240 };

/* Powers of length, mass, time, charge, temperature. */
typedef struct {
    signed char of[UNITS_BASES];
} units_powers;

/* The dimensions that keys have; UNITS_SECONDS is a time on the clock, whatever the system's unit of time. */
typedef enum {
    UNITS_NUMBER,
    UNITS_LENGTH,
    UNITS_MASS,
    UNITS_TIME,
    UNITS_VELOCITY,
    UNITS_ACCELERATION,
    UNITS_ENERGY,
    UNITS_RATE,
    UNITS_RATE_SQUARED,
    UNITS_GRAVITY,
    UNITS_GM,
    UNITS_DENSITY,
    UNITS_WAVE_NUMBER,
    UNITS_MOMENTUM,
    UNITS_ANGULAR_MOMENTUM,
    UNITS_VISCOSITY,
    UNITS_SPECIFIC_ENERGY,
    UNITS_DISSIPATION,
    UNITS_SPECTRUM,
    UNITS_STRENGTH,
    UNITS_IMPULSE,
    UNITS_ANGULAR_IMPULSE,
    UNITS_FLUID_ENERGY,
    UNITS_FLUID_HELICITY,
    UNITS_CHARGE,
    UNITS_TEMPERATURE, /* a run has k T, an energy; in K where the system has kelvins */
    UNITS_AREA,
    UNITS_NUMBER_DENSITY,
    UNITS_PRESSURE,
    UNITS_STIFFNESS,
    UNITS_SECONDS,
    UNITS_DIMENSIONS
} units_dimension;

typedef struct {
    const char *name; /* "length" */
    units_powers powers;
    const char *example; /* "10 kpc" */
} units_dimension_info;

typedef struct {
    const char *name;
    double si; /* in SI base units (m, kg, s, C, K) */
    units_powers powers;
    const char *text;
} units_unit;

/* A number as it was written. */
typedef struct {
    double number;
    double si; /* of the unit; 1 where there is none */
    units_powers powers;
    int has_unit;
} units_quantity;

typedef struct {
    const char *name;
    const char *text;
    double si[UNITS_BASES];               /* the base units in SI; 0 = no scale */
    double bare_time;                     /* what a bare 1 of time is in the unit of time: 1, but ps in amber */
    char label[UNITS_BASES][UNITS_LABEL]; /* "pc", "Msun", "Myr"; "" = no scale */
    double gravity;                       /* G in these units */
    const char *energy;                   /* "kcal/mol": what bare energies are in, where the base units give it */
} units_system;

/* What the user says about a system; null = nothing. "kpc" and "10 kpc" are both units. */
typedef struct {
    const char *length, *mass, *time, *velocity, *energy;
} units_choice;

/* The lists, walked with an index from 0; null past the end. */
const units_unit *units_unit_at(int k);
const char *units_unit_name(int k);
const char *units_system_name(int k);
const units_system *units_system_at(int k);

/* "a" or "an", as it goes before the name of a dimension. */
const char *units_article(const char *name);

/* Describes a dimension. */
const units_dimension_info *units_dimension_at(units_dimension dimension);

/* G and Boltzmann's constant in SI. */
double units_gravity_constant(void);
double units_boltzmann_constant(void);

/* Energy of two charges of 1 at a distance of 1; 1 in systems without a scale. */
double units_coulomb_constant(const units_system *system);

/* Makes a system from its name and the user's choices; nonzero with a message if that does not make sense. */
int units_system_make(const char *name, const units_choice *choice, units_system *system, char message[UNITS_MESSAGE]);

/* Reads "10 kpc", "220 km/s", "3", "1e-3 pc^2/Myr"; nonzero with a message if it is not a number with a unit. */
int units_read(const char *text, units_quantity *quantity, char message[UNITS_MESSAGE]);

/* Reads a unit, "kpc" or "10 kpc", which becomes one number: its size in SI. */
int units_read_unit(const char *text, double *si, units_powers *powers, char message[UNITS_MESSAGE]);

/* Converts to the system's base units; nonzero with a message that names both dimensions where they differ. */
int units_convert(const units_system *system, const units_quantity *quantity, units_dimension dimension, double *value,
                  char message[UNITS_MESSAGE]);

/* What a bare 1 of that dimension is in the system's base units: what outputs are divided by. */
double units_bare(const units_system *system, units_dimension dimension);

/* The label of a bare number: "pc/Myr", or "" where the system has no scale. */
const char *units_label(const units_system *system, units_dimension dimension, char label[UNITS_MESSAGE]);

/* A value in the user's units: over units_bare. Where that is a factor, as for times in amber, the result has 15
 * digits: its last would be rounding, and multiples of 0.2 ps would be 4.2000000000000011 ps. */
double units_shown(const units_system *system, units_dimension dimension, double value);

/* A value in the system's base units as the user writes it: "12.5 Myr"; returns text. */
const char *units_print(const units_system *system, units_dimension dimension, double value, int digits,
                        char text[UNITS_MESSAGE]);

#endif
