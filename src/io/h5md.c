/* h5md.c - H5MD 1.1, the HDF5 layout of molecular dynamics, for MDAnalysis and others: particles of many frames.
 *
 *   h5md                              creator and author
 *   parameters                        units in SI, as numbers
 *   particles/trajectory/box          edges/value [frames][3][3]; extension of Myriad: attribute origin if not 0
 *   particles/trajectory/position     step, time, value [frames][n][3]; the same for every other field
 *   particles/trajectory/id, species  [n], or like a field if they change
 *
 * MDAnalysis 2.4 needs edges as matrices, and with its default (convert_units) a unit that it knows at time, position,
 * velocity and force; it refuses an unknown unit even without conversion. Unit names are therefore written only if
 * MDAnalysis has names for the units of length and time; otherwise the units are only in parameters. */
#include "io/h5md.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/text.h"

static const myr_format_field h5md_fields[] = {{"position", "position", 3, 0},
                                               {"velocity", "velocity", 3, 0},
                                               {"force", "force", 3, 0},
                                               {"mass", "mass", 1, 0},
                                               {"charge", "charge", 1, 0},
                                               {"image", "image", 3, 0},
                                               {0, 0, 0, 0}};

static const char *const h5md_taken[] = {"box", "id", "species", "connectivity"};

static int h5md_probe(const myr_format_file *file)
{
    myr_hdf5 *h = NULL;
    if (!myr_hdf5_is(file->head, file->head_size))
        return MYR_FORMAT_NO;
    if (myr_hdf5_open(file->context, file->path, &h) != MYR_OK)
        return MYR_FORMAT_PERHAPS;
    const int found = myr_hdf5_has(h, "h5md") && myr_hdf5_has(h, "particles");
    myr_hdf5_close(&h);
    return found ? MYR_FORMAT_SURELY : MYR_FORMAT_PERHAPS;
}

const myr_format myr_h5md_format = {
    .info = {"h5md", "H5MD, the HDF5 of molecular dynamics, for MDAnalysis", MYR_HAVE_HDF5},
    .endings = {".h5md"},
    .fields = h5md_fields,
    .any_field = 1,
    .bits = 64,
    .keeps = MYR_SNAPSHOT_IDS | MYR_SNAPSHOT_TYPES | MYR_SNAPSHOT_TIME | MYR_SNAPSHOT_BOX | MYR_SNAPSHOT_UNITS |
             MYR_SNAPSHOT_FRAMES | MYR_SNAPSHOT_ORIGIN,
    .many_frames = 1,
    .with_others = 1,
    .probe = h5md_probe,
    .write = myr_h5md_write,
    .read = myr_h5md_read,
    .read_some = myr_h5md_read_some,
};

void myr_h5md_name(const char *field, char element[MYR_H5MD_ELEMENT])
{
    int taken = 0;
    for (size_t k = 0; k < sizeof h5md_taken / sizeof h5md_taken[0]; k++)
        taken |= strcmp(h5md_taken[k], field) == 0;
    myr_text_encode(field, taken, element);
}

int myr_h5md_field(const char *element, char field[MYR_FORMAT_NAME_MAX + 1])
{
    return myr_text_decode(element, field);
}

/* --- units -------------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    double si;
} h5md_unit;

static const h5md_unit h5md_lengths[] = {{"Angstrom", 1e-10}, {"angstrom", 1e-10}, {"A", 1e-10}, {"nm", 1e-9},
                                         {"pm", 1e-12},       {"fm", 1e-15},       {0, 0}};
static const h5md_unit h5md_times[] = {{"ps", 1e-12}, {"fs", 1e-15}, {"ns", 1e-9}, {"AKMA", 4.888821e-14}, {0, 0}};
static const h5md_unit h5md_forces[] = {{"kJ mol-1 nm-1", 1e3 / 6.02214076e23 / 1e-9},
                                        {"kJ mol-1 Angstrom-1", 1e3 / 6.02214076e23 / 1e-10},
                                        {"kcal mol-1 Angstrom-1", 4184 / 6.02214076e23 / 1e-10},
                                        {"Newton", 1},
                                        {0, 0}};

/* Name of a unit of a given size in SI, within the digits of the table; null if there is none. */
static const char *h5md_named(const h5md_unit *list, double si)
{
    for (; list->name; list++)
        if (fabs(si - list->si) <= 1e-5 * list->si)
            return list->name;
    return NULL;
}

double myr_h5md_unit_size(const char *unit, int is_time)
{
    for (const h5md_unit *u = is_time ? h5md_times : h5md_lengths; u->name; u++)
        if (strcmp(u->name, unit) == 0)
            return u->si;
    return 0;
}

void myr_h5md_unit(const myr_snapshot_header *header, const char *field, char unit[MYR_H5MD_UNIT])
{
    const double length = header->unit_length, mass = header->unit_mass, time = header->unit_time;
    const char *of_length = h5md_named(h5md_lengths, length), *of_time = h5md_named(h5md_times, time);
    *unit = 0;
    if (!of_length || !of_time)
        return;
    if (strcmp(field, "time") == 0)
        snprintf(unit, MYR_H5MD_UNIT, "%s", of_time);
    else if (strcmp(field, "position") == 0)
        snprintf(unit, MYR_H5MD_UNIT, "%s", of_length);
    else if (strcmp(field, "velocity") == 0)
        snprintf(unit, MYR_H5MD_UNIT, "%s %s-1", of_length, of_time);
    else if (strcmp(field, "force") == 0 && h5md_named(h5md_forces, mass * length / (time * time)))
        snprintf(unit, MYR_H5MD_UNIT, "%s", h5md_named(h5md_forces, mass * length / (time * time)));
}
