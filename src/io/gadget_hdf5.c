/* gadget_hdf5.c - HDF5 in the layout of GADGET: group Header, and groups PartType0 to PartType5 with one table per
 * field.
 *
 * Particles are grouped by type, which changes their order; if types are mixed, the table OriginalIndex stores it. */
#include "io/gadget_hdf5.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const myr_format_field gadget_fields[] = {
    {"position", "Coordinates", 3, 0}, {"velocity", "Velocities", 3, 0}, {"mass", "Masses", 1, 0}, {0, 0, 0, 0}};

static int gadget_probe(const myr_format_file *file)
{
    return myr_hdf5_is(file->head, file->head_size) ? MYR_FORMAT_LIKELY : MYR_FORMAT_NO;
}

const myr_format myr_gadget_hdf5_format = {
    .info = {"gadget_hdf5", "HDF5 in the layout of GADGET, for yt, pynbody, h5py and ParaView", MYR_HAVE_HDF5},
    .endings = {".hdf5", ".h5", ".hdf", ".vtkhdf"}, /* ParaView 5.11 recognises the file only by .hdf */
    .fields = gadget_fields,
    .any_field = 1,
    .bits = 64,
    .keeps = MYR_SNAPSHOT_IDS | MYR_SNAPSHOT_TYPES | MYR_SNAPSHOT_TIME | MYR_SNAPSHOT_BOX | MYR_SNAPSHOT_UNITS,
    .types = MYR_GADGET_TYPES,
    .probe = gadget_probe,
    .write = myr_gadget_hdf5_write,
    .read = myr_gadget_hdf5_read,
};

static int gadget_is_small(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* 1 if the conversion to CamelCase can be reversed: a letter, then letters and digits with single underscores
 * between. */
static int gadget_is_plain(const char *name)
{
    if (*name < 'a' || *name > 'z')
        return 0;
    for (; *name; name++)
        if (!gadget_is_small(*name) && !(*name == '_' && gadget_is_small(name[1])))
            return 0;
    return 1;
}

static void gadget_camel(const char *name, char *to)
{
    int start = 1;
    for (; *name; name++) {
        if (*name == '_' && islower((unsigned char)name[1])) {
            start = 1;
            continue;
        }
        *to++ = (char)(start ? toupper((unsigned char)*name) : *name);
        start = 0;
    }
    *to = 0;
}

void myr_gadget_hdf5_name(const char *field, char table[MYR_HDF5_NAME_MAX + 1])
{
    const char *stored = myr_format_stored(&myr_gadget_hdf5_format, field);
    if (stored) {
        strcpy(table, stored);
        return;
    }
    if (gadget_is_plain(field)) {
        gadget_camel(field, table);
        if (!myr_format_field_of(&myr_gadget_hdf5_format, table) && strcmp(table, MYR_GADGET_INDEX) != 0 &&
            strcmp(table, MYR_GADGET_IDS) != 0)
            return;
    }
    /* at most three characters for each of the 63 of the field name */
    char *to = table;
    *to++ = '_';
    for (; *field; field++)
        if (isalnum((unsigned char)*field) || *field == '_')
            *to++ = *field;
        else
            to += sprintf(to, "%%%02X", (unsigned)(unsigned char)*field);
    *to = 0;
}

void myr_gadget_hdf5_field(const char *table, char field[MYR_FORMAT_NAME_MAX + 1])
{
    const char *known = myr_format_field_of(&myr_gadget_hdf5_format, table);
    if (known) {
        strcpy(field, known);
        return;
    }
    size_t used = 0;
    for (size_t k = 0; table[k] && used + 2 <= MYR_FORMAT_NAME_MAX; k++) {
        const int big = isupper((unsigned char)table[k]) != 0;
        const int after_small = k > 0 && !isupper((unsigned char)table[k - 1]) && table[k - 1] != '_';
        const int before_small = table[k + 1] && islower((unsigned char)table[k + 1]);
        if (k > 0 && big && table[k - 1] != '_' && (after_small || before_small))
            field[used++] = '_';
        field[used++] = (char)tolower((unsigned char)table[k]);
    }
    field[used] = 0;
}
