/* gadget_hdf5_read.c - reads the GADGET layout from any program. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "io/gadget_hdf5.h"

enum { GADGET_READ_TYPES = 16, GADGET_NAME = MYR_HDF5_NAME_MAX + 64 };

/* Snapshot file being read. */
typedef struct {
    myr_context *context;
    const char *path;
    myr_hdf5 *h;
    int types;
    int64_t count[GADGET_READ_TYPES], first[GADGET_READ_TYPES + 1];
    double mass[GADGET_READ_TYPES]; /* mass of all particles of a type; 0 = each particle has its own */
    int64_t *place;                 /* [n], index in the set of row i; null = i */
    myr_particles *into;
    uint32_t has[MYR_FORMAT_FIELDS_MAX]; /* bit t of has[k] = type t has field k of the set */
} gadget_reader;

/* Destination of the rows of one table. */
typedef struct {
    const int64_t *place; /* index of each row; null = base + row */
    int64_t base;
    int64_t *integers;
    double *component[MYR_HDF5_COLUMNS_MAX];
    int components;
} gadget_sink;

static int64_t gadget_place(const gadget_sink *s, uint64_t row)
{
    return s->place ? s->place[s->base + (int64_t)row] : s->base + (int64_t)row;
}

static int gadget_take_field(void *user, uint64_t first, uint64_t count, void *values)
{
    const gadget_sink *s = user;
    const double *from = values;
    for (uint64_t r = 0; r < count; r++) {
        const int64_t i = gadget_place(s, first + r);
        for (int c = 0; c < s->components; c++)
            s->component[c][i] = *from++;
    }
    return 0;
}

static int gadget_take_integers(void *user, uint64_t first, uint64_t count, void *values)
{
    const gadget_sink *s = user;
    for (uint64_t r = 0; r < count; r++)
        s->integers[gadget_place(s, first + r)] = ((const int64_t *)values)[r];
    return 0;
}

static myr_status gadget_fail(const gadget_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static myr_status gadget_fail(const gadget_reader *r, const char *format, ...)
{
    char text[MYR_MESSAGE_MAX / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return myr_context_fail(r->context, MYR_ERROR_FORMAT, "'%s' %s", r->path, text);
}

/* Reads one number of the header; *value is unchanged if the file does not have it. */
static myr_status gadget_number(gadget_reader *r, const char *group, const char *name, double *value)
{
    int count = 0;
    return myr_hdf5_has(r->h, group) ? myr_hdf5_get_doubles(r->h, group, name, 1, value, &count) : MYR_OK;
}

static myr_status gadget_read_counts(gadget_reader *r)
{
    int masses = 0, files = 0;
    int64_t number_of_files = 1;
    if (!myr_hdf5_has(r->h, "Header"))
        return gadget_fail(r, "is not in the layout of GADGET: it has no group Header");
    myr_status status =
        myr_hdf5_get_integers(r->h, "Header", "NumPart_ThisFile", GADGET_READ_TYPES, r->count, &r->types);
    if (!status && r->types == 0)
        return gadget_fail(r, "is not in the layout of GADGET: Header has no NumPart_ThisFile");
    if (!status)
        status = myr_hdf5_get_integers(r->h, "Header", "NumFilesPerSnapshot", 1, &number_of_files, &files);
    if (!status && number_of_files > 1)
        return gadget_fail(r, "is one of %lld files of a snapshot; only snapshots in one file can be read",
                           (long long)number_of_files);
    if (!status)
        status = myr_hdf5_get_doubles(r->h, "Header", "MassTable", GADGET_READ_TYPES, r->mass, &masses);
    for (int t = 0; !status && t < r->types; t++) {
        if (r->count[t] < 0 || r->count[t] > INT64_MAX / 1024 - r->first[t])
            status = gadget_fail(r, "says that it has %lld particles of type %d, which cannot be",
                                 (long long)r->count[t], t);
        else
            r->first[t + 1] = r->first[t] + r->count[t];
    }
    return status;
}

/* Reads the box. BoxSize has one number or three. In files of Myriad PeriodicBox = 0 means that no axis is periodic,
 * and BoxEdges has all three edges. */
static myr_status gadget_read_box(gadget_reader *r, double box[3])
{
    int64_t periodic = 1;
    int count = 0, edges = 0;
    double size[3] = {0};
    myr_status status = myr_hdf5_get_doubles(r->h, "Header", "BoxSize", 3, size, &count);
    if (!status && count == 1)
        size[1] = size[2] = size[0];
    if (!status)
        status = myr_hdf5_get_integers(r->h, "Header", "PeriodicBox", 1, &periodic, &count);
    if (!status)
        status = myr_hdf5_get_doubles(r->h, "Header", "BoxEdges", 3, size, &edges);
    for (int c = 0; !status && c < 3; c++)
        box[c] = periodic ? size[c] : 0;
    return status;
}

static myr_status gadget_read_header(gadget_reader *r, myr_snapshot_header *header)
{
    double si[3] = {0}, cgs[3] = {0}, redshift = 0;
    int count = 0;
    myr_status status = gadget_number(r, "Header", "Time", &header->time);
    if (!status)
        status = gadget_number(r, "Header", "Redshift", &redshift);
    if (!status)
        status = gadget_read_box(r, header->box);
    if (!status)
        status = gadget_number(r, "Units", "UnitLength_in_cm", &cgs[0]);
    if (!status)
        status = gadget_number(r, "Units", "UnitMass_in_g", &cgs[1]);
    if (!status)
        status = gadget_number(r, "Units", "UnitTime_in_s", &cgs[2]);
    count = 0;
    if (!status && myr_hdf5_has(r->h, "Units"))
        status = myr_hdf5_get_doubles(r->h, "Units", "UnitsInSI", 3, si, &count);
    header->unit_length = count == 3 ? si[0] : cgs[0] / 100;
    header->unit_mass = count == 3 ? si[1] : cgs[1] / 1000;
    header->unit_time = count == 3 ? si[2] : cgs[2];
    if (!status)
        status = gadget_number(r, "Units", "UnitCharge_in_C", &header->unit_charge);
    if (!status && redshift != 0)
        myr_context_warn(r->context,
                         "'%s' is of a run in comoving coordinates (redshift %g): its numbers are taken as "
                         "they are",
                         r->path, redshift);
    return status;
}

/* Shape of a table with one row per particle of its type. */
static myr_status gadget_shape(gadget_reader *r, const char *name, int type, myr_hdf5_shape *shape)
{
    const myr_status status = myr_hdf5_table(r->h, name, shape);
    if (!status && shape->kind != MYR_HDF5_OTHER && shape->rows != (uint64_t)r->count[type])
        return gadget_fail(r, "says that it has %lld particle%s of type %d, but %s has %llu rows",
                           (long long)r->count[type], myr_plural(r->count[type]), type, name,
                           (unsigned long long)shape->rows);
    return status;
}

/* Checks, before memory is allocated for the particles of a type, that a table has that many rows. */
static myr_status gadget_check_type(gadget_reader *r, int type)
{
    char group[32], member[MYR_HDF5_NAME_MAX + 1], name[GADGET_NAME];
    int is_table, tables = 0;
    snprintf(group, sizeof group, "PartType%d", type);
    if (r->count[type] == 0)
        return MYR_OK;
    if (!myr_hdf5_has(r->h, group))
        return gadget_fail(r, "says that it has %lld particle%s of type %d, but there is no group %s",
                           (long long)r->count[type], myr_plural(r->count[type]), type, group);
    myr_status status = MYR_OK;
    for (int64_t k = 0; !status && k < myr_hdf5_members(r->h, group); k++) {
        myr_hdf5_shape shape = {.kind = MYR_HDF5_OTHER};
        status = myr_hdf5_member(r->h, group, k, member, &is_table);
        snprintf(name, sizeof name, "%s/%s", group, member);
        if (!status && is_table)
            status = gadget_shape(r, name, type, &shape);
        tables += shape.kind != MYR_HDF5_OTHER;
    }
    if (!status && tables == 0)
        return gadget_fail(r, "says that it has %lld particle%s of type %d, but %s has no tables of numbers",
                           (long long)r->count[type], myr_plural(r->count[type]), type, group);
    return status;
}

/* Reads a table of integers of all types to values[n]; *found = 1 if every type with particles has the table. */
static myr_status gadget_read_integers(gadget_reader *r, const char *table, int64_t *values, int *found)
{
    char name[GADGET_NAME];
    int have = 0, lack = 0;
    myr_status status = MYR_OK;
    for (int t = 0; !status && t < r->types; t++) {
        myr_hdf5_shape shape;
        snprintf(name, sizeof name, "PartType%d/%s", t, table);
        if (r->count[t] == 0)
            continue;
        if (!myr_hdf5_has(r->h, name)) {
            lack++;
            continue;
        }
        have++;
        gadget_sink s = {.place = r->place, .base = r->first[t]};
        s.integers = values;
        status = gadget_shape(r, name, t, &shape);
        if (!status && (shape.columns != 1 || (shape.kind != MYR_HDF5_SIGNED && shape.kind != MYR_HDF5_UNSIGNED)))
            status = gadget_fail(r, "has a table %s that is not one integer per particle", name);
        if (!status)
            status = myr_hdf5_get_table(r->h, name, &shape, shape.kind, gadget_take_integers, &s);
    }
    if (!status && have && lack)
        status = gadget_fail(r, "has a table %s for some types of particles and not for others", table);
    *found = have > 0;
    return status;
}

/* Reads the index of each row in the set, if the file has it, and checks that every index occurs once. */
static myr_status gadget_read_places(gadget_reader *r, int64_t n)
{
    int found = 0;
    int64_t *place = myr_memory_zeros(n, sizeof *place);
    char *taken = myr_memory_zeros(n, 1);
    if (!place || !taken) {
        free(taken);
        free(place);
        return myr_context_fail(r->context, MYR_ERROR_MEMORY, "no memory for the order of '%s'", r->path);
    }
    myr_status status = gadget_read_integers(r, MYR_GADGET_INDEX, place, &found);
    for (int64_t i = 0; !status && found && i < n; i++) {
        if (place[i] < 0 || place[i] >= n || taken[place[i]])
            status = gadget_fail(r, "has a place %lld in " MYR_GADGET_INDEX " that is %s", (long long)place[i],
                                 place[i] < 0 || place[i] >= n ? "out of range" : "taken twice");
        else
            taken[place[i]] = 1;
    }
    free(taken);
    if (!status && found)
        r->place = place;
    else
        free(place);
    return status;
}

static myr_status gadget_read_ids(gadget_reader *r, int64_t n)
{
    int found = 0;
    int64_t *ids = myr_memory_zeros(n, sizeof *ids);
    int32_t *types = myr_memory_zeros(n, sizeof *types);
    if (!ids || !types) {
        free(types);
        free(ids);
        return myr_context_fail(r->context, MYR_ERROR_MEMORY, "no memory for the ids of '%s'", r->path);
    }
    myr_status status = gadget_read_integers(r, MYR_GADGET_IDS, ids, &found);
    if (!status && found)
        status = myr_format_set_ids(r->into, r->path, ids);
    else if (!status && n > 0)
        myr_context_warn(r->context, "'%s' has no " MYR_GADGET_IDS "; the particles are numbered from 0", r->path);
    const gadget_sink all = {.place = r->place};
    for (int t = 0; !status && t < r->types; t++)
        for (int64_t i = r->first[t]; i < r->first[t + 1]; i++)
            types[gadget_place(&all, (uint64_t)i)] = t;
    if (!status)
        status = myr_particles_set_types(r->into, types);
    free(types);
    free(ids);
    return status;
}

/* Field of a table: the name that the writer of Myriad noted, if consistent, or a name derived from that of the
 * table. */
static void gadget_field(gadget_reader *r, const char *name, const char *table, char field[MYR_FORMAT_NAME_MAX + 1])
{
    char expected[MYR_HDF5_NAME_MAX + 1] = "";
    myr_hdf5_get_text(r->h, name, "field", 0, field, MYR_FORMAT_NAME_MAX + 1);
    if (*field)
        myr_gadget_hdf5_name(field, expected);
    if (strcmp(expected, table) != 0)
        myr_gadget_hdf5_field(table, field);
}

/* Required number of columns of GADGET's own tables; 0 = any. */
static int gadget_columns(const char *field)
{
    if (strcmp(field, "mass") == 0)
        return 1;
    return strcmp(field, "position") == 0 || strcmp(field, "velocity") == 0 ? 3 : 0;
}

/* Index of a field in the set, which is added if it is new; fails if the type already has the field. */
static myr_status gadget_add_field(gadget_reader *r, const char *field, int columns, int type, int *index)
{
    const myr_status status = myr_particles_add_field(r->into, field, columns);
    if (status)
        return status;
    for (*index = 0; strcmp(myr_particles_field_name(r->into, *index), field) != 0;)
        ++*index;
    if (r->has[*index] >> type & 1)
        return gadget_fail(r, "has two tables for the field '%s' of type %d", field, type);
    r->has[*index] |= 1u << type;
    return MYR_OK;
}

/* Reads one table of one type into its field. */
static myr_status gadget_read_table(gadget_reader *r, int type, const char *table)
{
    char name[GADGET_NAME], field[MYR_FORMAT_NAME_MAX + 1];
    myr_hdf5_shape shape;
    int index;
    snprintf(name, sizeof name, "PartType%d/%s", type, table);
    gadget_field(r, name, table, field);
    myr_status status = gadget_shape(r, name, type, &shape);
    if (status)
        return status;
    const int columns = gadget_columns(field);
    if (columns && (shape.kind == MYR_HDF5_OTHER || shape.columns != columns))
        return gadget_fail(r, "has a table %s that is not %d number%s per particle", name, columns,
                           myr_plural(columns));
    if (shape.kind == MYR_HDF5_OTHER) {
        myr_context_warn(r->context, "'%s' has a table %s that is left out: it is not 1 to %d numbers per particle",
                         r->path, name, MYR_HDF5_COLUMNS_MAX);
        return MYR_OK;
    }
    if (shape.kind != MYR_HDF5_DOUBLE && shape.bytes == 8)
        myr_context_warn(r->context, "'%s' has 64-bit integers in %s; beyond 2^53 they are rounded", r->path, name);
    status = gadget_add_field(r, field, shape.columns, type, &index);
    if (status)
        return status;
    gadget_sink s = {.place = r->place, .base = r->first[type], .components = shape.columns};
    for (int c = 0; c < shape.columns; c++)
        s.component[c] = myr_particles_component(r->into, field, c);
    return myr_hdf5_get_table(r->h, name, &shape, MYR_HDF5_DOUBLE, gadget_take_field, &s);
}

static myr_status gadget_read_type(gadget_reader *r, int type)
{
    char group[32], member[MYR_HDF5_NAME_MAX + 1];
    int is_table, index;
    myr_status status = MYR_OK;
    snprintf(group, sizeof group, "PartType%d", type);
    for (int64_t k = 0; !status && k < myr_hdf5_members(r->h, group); k++) {
        status = myr_hdf5_member(r->h, group, k, member, &is_table);
        if (status || strcmp(member, MYR_GADGET_IDS) == 0 || strcmp(member, MYR_GADGET_INDEX) == 0)
            continue;
        if (is_table)
            status = gadget_read_table(r, type, member);
        else
            myr_context_warn(r->context, "'%s' has a group %s/%s that is left out", r->path, group, member);
    }
    char masses[GADGET_NAME];
    snprintf(masses, sizeof masses, "%s/Masses", group);
    if (!status && r->mass[type] != 0 && !myr_hdf5_has(r->h, masses)) {
        status = gadget_add_field(r, "mass", 1, type, &index);
        double *mass = status ? NULL : myr_particles_component(r->into, "mass", 0);
        const gadget_sink s = {.place = r->place, .base = r->first[type]};
        for (int64_t i = 0; mass && i < r->count[type]; i++)
            mass[gadget_place(&s, (uint64_t)i)] = r->mass[type];
    }
    return status;
}

/* Warns of fields that some types lack; these values are 0. */
static void gadget_warn_of_gaps(const gadget_reader *r)
{
    for (int k = 0; k < myr_particles_fields(r->into); k++)
        for (int t = 0; t < r->types; t++)
            if (r->count[t] > 0 && !(r->has[k] >> t & 1))
                myr_context_warn(r->context, "'%s' has no field '%s' for particles of type %d; it is 0 there", r->path,
                                 myr_particles_field_name(r->into, k), t);
}

static myr_status gadget_read(gadget_reader *r, myr_snapshot_header *header)
{
    myr_status status = gadget_read_counts(r);
    if (!status)
        status = gadget_read_header(r, header);
    for (int t = 0; !status && t < r->types; t++)
        status = gadget_check_type(r, t);
    const int64_t n = r->first[r->types];
    if (!status)
        status = myr_particles_create(r->context, n, &r->into);
    if (!status)
        status = gadget_read_places(r, n);
    if (!status)
        status = gadget_read_ids(r, n);
    for (int t = 0; !status && t < r->types; t++)
        if (r->count[t] > 0)
            status = gadget_read_type(r, t);
    if (!status)
        gadget_warn_of_gaps(r);
    return status;
}

myr_status myr_gadget_hdf5_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                                myr_snapshot_header *header)
{
    (void)frame; /* the format has a single frame */
    gadget_reader r = {.context = context, .path = path};
    myr_status status = myr_hdf5_open(context, path, &r.h);
    if (status)
        return status;
    status = gadget_read(&r, header);
    myr_hdf5_close(&r.h);
    free(r.place);
    if (status)
        myr_particles_destroy(&r.into);
    *particles = r.into;
    return status;
}
