/* snapshot_units.c - conversion of particles from the units of their file to other units. */
#include <string.h>

#include <myriad/snapshot.h>

#include "core/context.h"
#include "io/quantity.h"

/* Conversion factor of a unit; 1 if either unit is not stated. */
static double units_ratio(double from, double to)
{
    return from > 0 && to > 0 ? from / to : 1;
}

static void units_scale(myr_particles *particles, const char *name, double factor)
{
    double *x;
    for (int c = 0; factor != 1 && (x = myr_particles_component(particles, name, c)); c++)
        for (int64_t i = 0; i < myr_particles_count(particles); i++)
            x[i] *= factor;
}

myr_status myr_snapshot_convert(myr_particles *particles, myr_snapshot_header *header, const myr_snapshot_header *units)
{
    if (!particles || !header || !units)
        return MYR_ERROR_ARGUMENT;
    const double length = units_ratio(header->unit_length, units->unit_length);
    const double mass = units_ratio(header->unit_mass, units->unit_mass);
    const double time = units_ratio(header->unit_time, units->unit_time);
    const double charge = units_ratio(header->unit_charge, units->unit_charge);
    const int changed = length != 1 || mass != 1 || time != 1 || charge != 1;
    for (int k = 0; changed && k < myr_particles_fields(particles); k++) {
        const char *name = myr_particles_field_name(particles, k);
        const myr_quantity *q = myr_quantity_of(particles, name);
        if (q)
            units_scale(particles, name, myr_quantity_factor(q, length, mass, time, charge));
        else
            myr_context_warn(myr_particles_context(particles),
                             "the field '%s' has no known dimension: its numbers stay as they are while units change",
                             name);
    }
    header->time *= time;
    for (int c = 0; c < 3; c++) {
        header->box[c] *= length;
        header->origin[c] *= length;
    }
    double *const stated[4] = {&header->unit_length, &header->unit_mass, &header->unit_time, &header->unit_charge};
    const double wanted[4] = {units->unit_length, units->unit_mass, units->unit_time, units->unit_charge};
    for (int k = 0; k < 4; k++)
        if (wanted[k] > 0)
            *stated[k] = wanted[k];
    return MYR_OK;
}
