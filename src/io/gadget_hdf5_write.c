/* gadget_hdf5_write.c - writes particles in the layout of GADGET.
 *
 * Requirements of the programs that read it, found in their sources:
 *   yt       needs a scalar BoxSize that is not 0, MassTable, NumFilesPerSnapshot, Time, and no attribute "Code" in
 *            Header; ignores units in the file. For PartType0 without SmoothingLength yt writes a file of its own,
 *            whose name replaces the ending .hdf5: with any other ending yt would overwrite the snapshot.
 *   pynbody  takes all sizes from ParticleIDs; reads /Units in cgs; Time_GYR; per table VarDescription (powers of U_L,
 *            U_M and U_T, each followed by a space), CGSConversionFactor, and the exponents of the cosmological a, h.
 *   VTK      reads the group VTKHDF (vtkhdf.c), which shares the tables; the points of a mesh become an image there. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "domain/mesh.h"
#include "io/gadget_hdf5.h"
#include "io/quantity.h"
#include "io/vtkhdf.h"

enum { GADGET_OVERHEAD = 16384 }; /* estimated bytes of the attributes and headers of a table */

#define GADGET_GYR 3.15576e16 /* one Gyr in seconds, Julian years */

/* Particles sorted by type. */
typedef struct {
    const myr_format_job *job;
    const int64_t *order; /* [n], indices of all particles, sorted by type */
    int64_t first[MYR_GADGET_TYPES + 1];
    int mixed; /* 1 = the order differs from 0, 1, 2, ... */
} gadget_types;

/* Source of one table: indices of its rows, and arrays. */
typedef struct {
    const int64_t *place;
    const int64_t *ids;
    const double *component[MYR_HDF5_COLUMNS_MAX];
    int components;
} gadget_source;

/* Sorts the particles by type; the order within a type is kept. */
static void gadget_sort(const myr_format_job *job, int64_t *order, gadget_types *t)
{
    const int64_t n = myr_particles_count(job->particles);
    const int32_t *type = myr_particles_types(job->particles);
    int64_t next[MYR_GADGET_TYPES] = {0};
    for (int64_t i = 0; i < n; i++)
        t->first[type[i] + 1]++;
    for (int k = 0; k < MYR_GADGET_TYPES; k++)
        t->first[k + 1] += next[k] = t->first[k];
    for (int64_t i = 0; i < n; i++) {
        t->mixed |= next[type[i]] != i;
        order[next[type[i]]++] = i;
    }
}

/* Edge of a cube about the origin that contains all particles, for a set without a box, because yt needs one. */
static double gadget_extent(const myr_particles *p)
{
    double largest = 0;
    for (int c = 0; c < 3; c++) {
        const double *x = myr_particles_component_const(p, "position", c);
        for (int64_t i = 0; x && i < myr_particles_count(p); i++)
            if (isfinite(x[i]) && fabs(x[i]) > largest)
                largest = fabs(x[i]);
    }
    return largest > 0 && largest < 1e300 ? 2 * largest : 1;
}

static void gadget_put_header(myr_hdf5 *h, const gadget_types *t)
{
    static const char *const zeros[] = {"Flag_Sfr",    "Flag_Cooling",  "Flag_StellarAge",
                                        "Flag_Metals", "Flag_Feedback", "Flag_Entropy_ICs"};
    const myr_snapshot_header *header = &t->job->header;
    const double none = 0, one = 1, no_masses[MYR_GADGET_TYPES] = {0};
    const double *edge = header->box;
    const double largest = fmax(fmax(edge[0], edge[1]), edge[2]);
    const double box = largest > 0 ? largest : gadget_extent(t->job->particles);
    const double gyr = header->time * (header->unit_time > 0 ? header->unit_time : 1) / GADGET_GYR;
    const uint64_t zero = 0, files = 1, periodic = largest > 0;
    uint64_t count[MYR_GADGET_TYPES], low[MYR_GADGET_TYPES], high[MYR_GADGET_TYPES], all_high = 0;
    for (int k = 0; k < MYR_GADGET_TYPES; k++) {
        count[k] = (uint64_t)(t->first[k + 1] - t->first[k]);
        low[k] = count[k] & 0xffffffffu;
        all_high |= high[k] = count[k] >> 32;
    }
    myr_hdf5_put_group(h, "Header");
    myr_hdf5_put_integers(h, "Header", "NumPart_ThisFile", MYR_GADGET_TYPES, all_high ? 8 : 4, count);
    myr_hdf5_put_integers(h, "Header", "NumPart_Total", MYR_GADGET_TYPES, 4, low);
    myr_hdf5_put_integers(h, "Header", "NumPart_Total_HighWord", MYR_GADGET_TYPES, 4, high);
    myr_hdf5_put_doubles(h, "Header", "MassTable", MYR_GADGET_TYPES, no_masses);
    myr_hdf5_put_doubles(h, "Header", "Time", 0, &header->time);
    myr_hdf5_put_doubles(h, "Header", "Time_GYR", 0, &gyr);
    myr_hdf5_put_doubles(h, "Header", "Redshift", 0, &none);
    myr_hdf5_put_doubles(h, "Header", "BoxSize", 0, &box);
    myr_hdf5_put_integers(h, "Header", "PeriodicBox", 0, 4, &periodic);
    if (edge[0] != edge[1] || edge[0] != edge[2])
        myr_hdf5_put_doubles(h, "Header", "BoxEdges", 3, edge);
    myr_hdf5_put_integers(h, "Header", "NumFilesPerSnapshot", 0, 4, &files);
    myr_hdf5_put_doubles(h, "Header", "Omega0", 0, &none);
    myr_hdf5_put_doubles(h, "Header", "OmegaLambda", 0, &none);
    myr_hdf5_put_doubles(h, "Header", "HubbleParam", 0, &one);
    for (size_t k = 0; k < sizeof zeros / sizeof zeros[0]; k++)
        myr_hdf5_put_integers(h, "Header", zeros[k], 0, 4, &zero);
    myr_hdf5_put_integers(h, "Header", "Flag_DoublePrecision", 0, 4, &files);
    if (header->program)
        myr_hdf5_put_text(h, "Header", "Program", header->program);
}

/* Units in cgs; a unit that is not stated is written as 1 for readers that need one, and UnitsInSI holds the stated
 * ones. */
static void gadget_units(const myr_snapshot_header *header, double *length, double *mass, double *time)
{
    *length = header->unit_length > 0 ? header->unit_length * 100 : 1;
    *mass = header->unit_mass > 0 ? header->unit_mass * 1000 : 1;
    *time = header->unit_time > 0 ? header->unit_time : 1;
}

static void gadget_put_units(myr_hdf5 *h, const myr_snapshot_header *header)
{
    const double si[3] = {header->unit_length, header->unit_mass, header->unit_time};
    double length, mass, time;
    gadget_units(header, &length, &mass, &time);
    const double velocity = length / time, energy = mass * velocity * velocity;
    myr_hdf5_put_group(h, "Units");
    myr_hdf5_put_doubles(h, "Units", "UnitLength_in_cm", 0, &length);
    myr_hdf5_put_doubles(h, "Units", "UnitMass_in_g", 0, &mass);
    myr_hdf5_put_doubles(h, "Units", "UnitTime_in_s", 0, &time);
    myr_hdf5_put_doubles(h, "Units", "UnitVelocity_in_cm_per_s", 0, &velocity);
    myr_hdf5_put_doubles(h, "Units", "UnitEnergy_in_cgs", 0, &energy);
    myr_hdf5_put_doubles(h, "Units", "UnitsInSI", 3, si);
    if (header->unit_charge > 0)
        myr_hdf5_put_doubles(h, "Units", "UnitCharge_in_C", 0, &header->unit_charge);
}

/* Unit and description of a quantity, such as "U_L^2 U_T^-2 : text". */
static void gadget_describe(const myr_quantity *q, char *text, size_t size)
{
    const struct {
        const char *name;
        int power;
    } unit[3] = {{"U_L", q->length}, {"U_M", q->mass}, {"U_T", q->time}};
    size_t used = 0;
    for (int k = 0; k < 3; k++)
        if (unit[k].power == 1)
            used += (size_t)snprintf(text + used, size - used, "%s ", unit[k].name);
        else if (unit[k].power != 0)
            used += (size_t)snprintf(text + used, size - used, "%s^%d ", unit[k].name, unit[k].power);
    snprintf(text + used, size - used, ": %s", q->text);
}

static void gadget_put_metadata(myr_hdf5 *h, const char *table, const char *field, const myr_format_job *job)
{
    char text[256];
    double length, mass, time;
    const double none = 0;
    const myr_quantity *q = myr_quantity_of(job->particles, field);
    myr_hdf5_put_text(h, table, "field", field);
    if (!q)
        return;
    gadget_units(&job->header, &length, &mass, &time);
    const double factor = myr_quantity_factor(q, length, mass, time, 1);
    myr_quantity_unit(q, text, sizeof text);
    myr_hdf5_put_text(h, table, "unit", text);
    myr_hdf5_put_text(h, table, "description", q->text);
    if (q->charge)
        return; /* pynbody has no such unit and refuses a factor without one */
    gadget_describe(q, text, sizeof text);
    myr_hdf5_put_text(h, table, "VarDescription", text);
    myr_hdf5_put_doubles(h, table, "CGSConversionFactor", 0, &factor);
    myr_hdf5_put_doubles(h, table, "aexp-scale-exponent", 0, &none);
    myr_hdf5_put_doubles(h, table, "h-scale-exponent", 0, &none);
}

static int gadget_give_field(void *user, uint64_t first, uint64_t count, void *values)
{
    const gadget_source *s = user;
    double *to = values;
    for (uint64_t r = 0; r < count; r++)
        for (int c = 0; c < s->components; c++)
            *to++ = s->component[c][s->place[first + r]];
    return 0;
}

static int gadget_give_ids(void *user, uint64_t first, uint64_t count, void *values)
{
    const gadget_source *s = user;
    uint64_t *to = values;
    for (uint64_t r = 0; r < count; r++)
        to[r] = (uint64_t)s->ids[s->place[first + r]];
    return 0;
}

static int gadget_give_places(void *user, uint64_t first, uint64_t count, void *values)
{
    const gadget_source *s = user;
    memcpy(values, s->place + first, (size_t)count * sizeof *s->place);
    return 0;
}

/* Writes the group of one type. */
static void gadget_put_type(myr_hdf5 *h, const gadget_types *t, int type)
{
    const myr_format_job *job = t->job;
    const uint64_t rows = (uint64_t)(t->first[type + 1] - t->first[type]);
    char table[MYR_HDF5_NAME_MAX + 1], name[MYR_HDF5_NAME_MAX + 32];
    const myr_hdf5_shape integers = {.kind = MYR_HDF5_UNSIGNED, .rows = rows, .columns = 1};
    gadget_source s = {.place = t->order + t->first[type], .ids = myr_particles_ids(job->particles)};
    snprintf(name, sizeof name, "PartType%d", type);
    myr_hdf5_put_group(h, name);
    for (int k = 0; k < job->fields; k++) {
        s.components = job->components[k];
        for (int c = 0; c < s.components; c++)
            s.component[c] = myr_particles_component_const(job->particles, job->field[k], c);
        myr_gadget_hdf5_name(job->field[k], table);
        snprintf(name, sizeof name, "PartType%d/%s", type, table);
        const myr_hdf5_shape shape = {.kind = MYR_HDF5_DOUBLE, .rows = rows, .columns = s.components};
        myr_hdf5_put_table(h, name, &shape, gadget_give_field, &s);
        gadget_put_metadata(h, name, job->field[k], job);
    }
    snprintf(name, sizeof name, "PartType%d/" MYR_GADGET_IDS, type);
    myr_hdf5_put_table(h, name, &integers, gadget_give_ids, &s);
    if (t->mixed) {
        snprintf(name, sizeof name, "PartType%d/" MYR_GADGET_INDEX, type);
        myr_hdf5_put_table(h, name, &integers, gadget_give_places, &s);
    }
}

/* 1 if the particles have one type and are the points of a mesh, x fastest; they are then shown as an image. */
static int gadget_find_mesh(const gadget_types *t, myr_mesh *mesh)
{
    const myr_particles *p = t->job->particles;
    const double *y = myr_particles_component_const(p, "position", 1);
    const double *z = myr_particles_component_const(p, "position", 2);
    *mesh = (myr_mesh){0};
    if (t->mixed || myr_mesh_side(myr_particles_count(p)) < 2 || !y || !z || y[0] != y[1] || z[0] != z[1] ||
        myr_mesh_find(p, mesh))
        return 0;
    for (int64_t i = 0; i < myr_particles_count(p); i++)
        if (mesh->order[i] != i)
            return 0;
    return 1;
}

/* Adds the view of the particles for VTK and ParaView. */
static void gadget_put_view(myr_hdf5 *h, const gadget_types *t)
{
    static const char *const group[MYR_GADGET_TYPES] = {"PartType0", "PartType1", "PartType2",
                                                        "PartType3", "PartType4", "PartType5"};
    char table[MYR_HDF5_NAME_MAX + 1];
    const myr_format_job *job = t->job;
    myr_vtkhdf view = {.time = job->header.time, .file = h};
    int positions = 0;
    for (int k = 0; k < job->fields; k++)
        positions |= strcmp(job->field[k], "position") == 0;
    for (int k = 0; k < MYR_GADGET_TYPES; k++)
        if (t->first[k + 1] > t->first[k]) {
            view.group[view.groups] = group[k];
            view.type[view.groups] = k;
            view.rows[view.groups++] = (uint64_t)(t->first[k + 1] - t->first[k]);
        }
    if (!positions || view.groups == 0)
        return;
    myr_mesh mesh;
    if (gadget_find_mesh(t, &mesh))
        view.mesh = &mesh;
    myr_gadget_hdf5_name("position", table);
    myr_vtkhdf_put(&view, table);
    myr_vtkhdf_put_data(&view, MYR_GADGET_IDS, MYR_HDF5_UNSIGNED, 1);
    for (int k = 0; k < job->fields; k++) {
        myr_gadget_hdf5_name(job->field[k], table);
        if (strcmp(job->field[k], "position") != 0)
            myr_vtkhdf_put_data(&view, table, MYR_HDF5_DOUBLE, job->components[k]);
    }
    myr_mesh_free(&mesh);
}

/* Approximate size of the file in bytes. */
static uint64_t gadget_size(const gadget_types *t)
{
    uint64_t columns = 1 + (uint64_t)t->mixed, tables = 2;
    for (int k = 0; k < t->job->fields; k++, tables++)
        columns += (uint64_t)t->job->components[k];
    /* the cells of the view compress to well under a byte per particle */
    return (columns * 8 + 1) * (uint64_t)t->first[MYR_GADGET_TYPES] + tables * MYR_GADGET_TYPES * GADGET_OVERHEAD;
}

myr_status myr_gadget_hdf5_write(const myr_format_job *job)
{
    myr_context *context = myr_particles_context(job->particles);
    const int64_t n = myr_particles_count(job->particles);
    int64_t *order = myr_memory_zeros(n, sizeof *order);
    gadget_types t = {.job = job, .order = order};
    myr_hdf5 *h = NULL;
    if (!order)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory to sort %lld particles", (long long)n);
    gadget_sort(job, order, &t);
    myr_status status = myr_hdf5_create(context, job->path, gadget_size(&t), &h);
    if (!status) {
        gadget_put_header(h, &t);
        gadget_put_units(h, &job->header);
        for (int k = 0; k < MYR_GADGET_TYPES; k++)
            if (t.first[k + 1] > t.first[k])
                gadget_put_type(h, &t, k);
        gadget_put_view(h, &t);
        status = myr_hdf5_publish(&h);
    }
    free(order);
    return status;
}
