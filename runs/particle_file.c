/* particle_file.c - particles from a file of the user's: what it lacks, and the units of its numbers. */
#include "particle_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNITS_MAX = 64, FIELD_NAME = 64 };

/* --- fields ------------------------------------------------------------------------------------------------------- */

static int has_field(const myr_particles *p, const char *name, int components)
{
    return myr_particles_component_const(p, name, components - 1) &&
           !myr_particles_component_const(p, name, components);
}

/* The field that is missing; null = none. */
static const char *missing_field(const myr_particles *p, const myr_kernel_info *kernel, int *components)
{
    const char *position = kernel ? kernel->position : "position";
    *components = kernel ? kernel->position_components : 3;
    if (!has_field(p, position, *components))
        return position;
    for (int k = 0; kernel && k < 16; k++) {
        const myr_field_info *f = k < 8 ? &kernel->source[k] : &kernel->target[k - 8];
        if (!f->name) {
            k = k < 8 ? 7 : 15; /* on to the fields of the targets, or to the end */
            continue;
        }
        *components = f->components;
        if (strcmp(f->name, "velocity") != 0 && !has_field(p, f->name, f->components))
            return f->name;
    }
    return NULL;
}

int particle_file_lacks(const myr_particles *particles, const myr_kernel_info *kernel, const char *path, int is_chosen,
                        char message[PARTICLE_FILE_MESSAGE])
{
    int components;
    const char *field = missing_field(particles, kernel, &components);
    if (!field)
        return 0;
    char found[PARTICLE_FILE_MESSAGE / 2] = "";
    size_t used = 0;
    for (int k = 0; k < myr_particles_fields(particles) && used < sizeof found; k++)
        used += (size_t)snprintf(found + used, sizeof found - used, "%s%s", k ? ", " : "",
                                 myr_particles_field_name(particles, k));
    const int is_position = strcmp(field, "position") == 0;
    snprintf(message, PARTICLE_FILE_MESSAGE, "'%.100s' has no '%s'%s; the columns %s: %s%s%s", path, field,
             is_position ? " (columns x, y, z)" : "", is_chosen ? "chosen hold" : "found are", *found ? found : "none",
             used >= sizeof found ? "..." : "", is_chosen ? ", and the others are left out" : "");
    return 1;
}

/* --- units -------------------------------------------------------------------------------------------------------- */

/* A field whose unit is its own: its values as the file has them, and the factor to the units of the run. */
typedef struct {
    char name[FIELD_NAME];
    double factor;
    int components;
    double *values; /* [n][components] */
} own_unit;

static const char *const base_name[4] = {"length", "mass", "time", "charge"};

/* Powers of the base units in a text such as "length time^-1"; nonzero where it is unknown. */
static int read_powers(const char *unit, units_powers *powers)
{
    *powers = (units_powers){0};
    if (!*unit)
        return 1;
    while (*unit && strcmp(unit, "1") != 0) {
        const size_t length = strcspn(unit, " ^");
        int k = 0;
        while (k < 4 && (strlen(base_name[k]) != length || strncmp(base_name[k], unit, length) != 0))
            k++;
        if (k == 4)
            return 1;
        unit += length;
        char *end;
        powers->of[k] = *unit == '^' ? (signed char)strtol(unit + 1, &end, 10) : 1;
        unit = *unit == '^' ? end : unit;
        unit += *unit == ' ';
    }
    return 0;
}

/* The factor from a unit to the units of a run, for a quantity with some powers. */
static int find_factor(const units_system *system, const char *what, const char *unit, const units_powers *wanted,
                       double *factor, char message[PARTICLE_FILE_MESSAGE])
{
    units_powers powers;
    char reason[UNITS_MESSAGE];
    if (units_read_unit(unit, factor, &powers, reason)) {
        snprintf(message, PARTICLE_FILE_MESSAGE, "particles.units: %.300s", reason);
        return 1;
    }
    if (memcmp(&powers, wanted, sizeof powers) != 0) {
        snprintf(message, PARTICLE_FILE_MESSAGE, "particles.units: '%.60s' is not a unit of %.60s", unit, what);
        return 1;
    }
    for (int b = 0; b < UNITS_BASES; b++) {
        if (wanted->of[b] && !(system->si[b] > 0)) {
            snprintf(
                message, PARTICLE_FILE_MESSAGE,
                "particles.units: '%.60s' cannot be converted, as the units of the run (%s) have no scale; expected "
                "a system with one in 'units', such as astronomical",
                unit, system->name);
            return 1;
        }
        *factor /= wanted->of[b] ? pow(system->si[b], wanted->of[b]) : 1;
    }
    return 0;
}

/* A unit of length, mass, time or charge goes into the header. 0 = done, 1 = failed, -1 = the name is another. */
static int take_base(const char *name, const char *unit, const units_system *system, myr_snapshot_header *header,
                     char message[PARTICLE_FILE_MESSAGE])
{
    double *const to[4] = {&header->unit_length, &header->unit_mass, &header->unit_time, &header->unit_charge};
    for (int k = 0; k < 4; k++) {
        units_powers wanted = {0};
        double factor;
        if (strcmp(name, base_name[k]) != 0)
            continue;
        wanted.of[k] = 1;
        if (find_factor(system, name, unit, &wanted, &factor, message))
            return 1;
        *to[k] = factor * system->si[k];
        return 0;
    }
    return -1;
}

/* A column x stands for its field position, vx for velocity. */
static const char *field_of(const char *name)
{
    const size_t length = strlen(name);
    if (length == 1 && strchr("xyz", *name))
        return "position";
    return length == 2 && *name == 'v' && strchr("xyz", name[1]) ? "velocity" : name;
}

/* The unit of one field: keeps its values. */
static int take_field(const char *name, const char *unit, const units_system *system, const myr_particles *particles,
                      own_unit *own, char message[PARTICLE_FILE_MESSAGE])
{
    myr_snapshot_field_info about;
    units_powers wanted;
    snprintf(own->name, sizeof own->name, "%s", field_of(name));
    if (!myr_snapshot_field(particles, own->name, &about)) {
        snprintf(
            message, PARTICLE_FILE_MESSAGE,
            "particles.units has a unit of '%.60s', which the file does not have; expected a field of the file, or "
            "length, mass, time or charge",
            name);
        return 1;
    }
    if (read_powers(about.unit, &wanted)) {
        snprintf(message, PARTICLE_FILE_MESSAGE, "particles.units: the dimension of '%.60s' is not known; leave it out",
                 name);
        return 1;
    }
    own->components = about.components;
    if (find_factor(system, own->name, unit, &wanted, &own->factor, message))
        return 1;
    const size_t count = (size_t)myr_particles_count(particles) * (size_t)own->components;
    own->values = malloc((count + 1) * sizeof *own->values);
    if (own->values && myr_particles_get(particles, own->name, own->values) == MYR_OK) {
        for (size_t i = 0; i < count; i++)
            own->values[i] *= own->factor;
        return 0;
    }
    snprintf(message, PARTICLE_FILE_MESSAGE, "no memory for the units of '%s'", own->name);
    return 1;
}

static int take_units(const char *const *units, const units_system *system, const myr_particles *particles,
                      myr_snapshot_header *header, own_unit own[UNITS_MAX], char message[PARTICLE_FILE_MESSAGE])
{
    int count = 0;
    for (; units && *units; units++) {
        char name[FIELD_NAME];
        const char *equals = strchr(*units, '=');
        if (!equals || equals - *units >= FIELD_NAME || count == UNITS_MAX) {
            snprintf(message, PARTICLE_FILE_MESSAGE,
                     "particles.units has '%.60s'; expected a map such as {position: pc, velocity: km/s}", *units);
            return 1;
        }
        snprintf(name, sizeof name, "%.*s", (int)(equals - *units), *units);
        const int base = take_base(name, equals + 1, system, header, message);
        if (base > 0 || (base < 0 && take_field(name, equals + 1, system, particles, &own[count++], message)))
            return 1;
    }
    return 0;
}

int particle_file_convert(myr_particles *particles, myr_snapshot_header *header, const units_system *system,
                          const char *const *units, char message[PARTICLE_FILE_MESSAGE])
{
    const myr_snapshot_header wanted = {.unit_length = system->si[0],
                                        .unit_mass = system->si[1],
                                        .unit_time = system->si[2],
                                        .unit_charge = system->si[3]};
    own_unit own[UNITS_MAX] = {{{0}, 0, 0, NULL}};
    int failed = take_units(units, system, particles, header, own, message);
    if (!failed && myr_snapshot_convert(particles, header, &wanted)) {
        snprintf(message, PARTICLE_FILE_MESSAGE, "%.300s", myr_context_message(myr_particles_context(particles)));
        failed = 1;
    }
    for (int k = 0; k < UNITS_MAX && *own[k].name; k++) {
        if (!failed && own[k].values)
            failed = myr_particles_set(particles, own[k].name, own[k].components, own[k].values) != MYR_OK;
        free(own[k].values);
    }
    return failed;
}
