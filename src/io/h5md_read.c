/* h5md_read.c - reads one frame of an H5MD file from any program. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "core/wide.h"
#include "io/h5md.h"
#include "io/sample.h"

enum { H5MD_GROUP_NAME = MYR_HDF5_NAME_MAX + 16, H5MD_PATH = H5MD_GROUP_NAME + MYR_HDF5_NAME_MAX + 16 };

/* Element of the particle group: a table, or a group with one table per frame. */
typedef struct {
    char path[H5MD_PATH]; /* path of the table */
    char name[MYR_HDF5_NAME_MAX + 1];
    int framed, usable;
    myr_hdf5_shape shape;
} h5md_element;

/* H5MD file being read. */
typedef struct {
    myr_context *context;
    const char *path;
    myr_hdf5 *h;
    char group[H5MD_GROUP_NAME];
    int64_t frame, frames, n;
    myr_format_part *part; /* requested part of the particles */
    int64_t first, last;   /* rows [first, last) of the requested share */
    myr_sample sample;     /* chosen particles, if fewer than all are requested */
    char clock[H5MD_PATH]; /* group of the element whose frames define the number of frames */
    myr_particles *into;
} h5md_reader;

/* Destination of the numbers of one table. */
typedef struct {
    double *component[MYR_HDF5_COLUMNS_MAX];
    int components;
    int64_t *integers;
    int32_t *types;
    int bad;                  /* 1 = a type is out of range */
    uint64_t before;          /* number of rows before the first row of the destination */
    const myr_sample *sample; /* requested rows; null = all */
    int64_t next;             /* index of the next requested row */
} h5md_sink;

/* 1 if a row is requested, with its index in the destination; rows must come in increasing order. */
static int h5md_row_requested(h5md_sink *s, uint64_t row, uint64_t *at)
{
    *at = row - s->before;
    if (!s->sample)
        return 1;
    *at = (uint64_t)s->next;
    const int wanted = s->next < s->sample->count && (uint64_t)s->sample->entry[s->next].row == row;
    s->next += wanted;
    return wanted;
}

static myr_status h5md_fail(const h5md_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static myr_status h5md_fail(const h5md_reader *r, const char *format, ...)
{
    char text[MYR_MESSAGE_MAX / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return myr_context_fail(r->context, MYR_ERROR_FORMAT, "'%s' %s", r->path, text);
}

static int h5md_take_doubles(void *user, uint64_t first, uint64_t count, void *values)
{
    h5md_sink *s = user;
    const double *from = values;
    uint64_t at;
    for (uint64_t r = first; r < first + count; r++, from += s->components)
        for (int c = 0, wanted = h5md_row_requested(s, r, &at); wanted && c < s->components; c++)
            s->component[c][at] = from[c];
    return 0;
}

static int h5md_take_integers(void *user, uint64_t first, uint64_t count, void *values)
{
    h5md_sink *s = user;
    const int64_t *from = values;
    uint64_t at;
    for (uint64_t r = 0; r < count; r++) {
        if (!h5md_row_requested(s, first + r, &at))
            continue;
        if (s->integers)
            s->integers[at] = from[r];
        else if (from[r] < 0 || from[r] > INT32_MAX)
            s->bad = 1;
        else
            s->types[at] = (int32_t)from[r];
    }
    return 0;
}

static int h5md_choose(void *user, uint64_t first, uint64_t count, void *values)
{
    const int64_t *id = values;
    for (uint64_t r = 0; r < count; r++)
        myr_sample_add(user, id[r], (int64_t)(first + r));
    return 0;
}

/* --- groups and elements ------------------------------------------------------------------------------------------ */

/* Finds the first group of particles. */
static myr_status h5md_find_group(h5md_reader *r)
{
    char name[MYR_HDF5_NAME_MAX + 1];
    int is_table, groups = 0;
    myr_status status = MYR_OK;
    if (!myr_hdf5_has(r->h, "h5md") || !myr_hdf5_has(r->h, "particles"))
        return h5md_fail(r, "is not in the layout of H5MD: it has no groups h5md and particles");
    for (int64_t k = 0; !status && k < myr_hdf5_members(r->h, "particles"); k++) {
        status = myr_hdf5_member(r->h, "particles", k, name, &is_table);
        if (!status && !is_table && !groups++)
            snprintf(r->group, sizeof r->group, "particles/%s", name);
    }
    if (!status && groups == 0)
        return h5md_fail(r, "has no group of particles");
    if (groups > 1)
        myr_context_warn(r->context, "'%s' has %d groups of particles; only %s is read", r->path, groups, r->group);
    return status;
}

/* Reads member k of the group. */
static myr_status h5md_element_at(h5md_reader *r, int64_t k, h5md_element *e)
{
    int is_table;
    *e = (h5md_element){0};
    myr_status status = myr_hdf5_member(r->h, r->group, k, e->name, &is_table);
    if (status || strcmp(e->name, "box") == 0)
        return status;
    e->framed = !is_table;
    snprintf(e->path, sizeof e->path, "%s/%s%s", r->group, e->name, is_table ? "" : "/value");
    if (myr_hdf5_has(r->h, e->path))
        status = is_table ? myr_hdf5_table(r->h, e->path, &e->shape) : myr_hdf5_frames(r->h, e->path, &e->shape);
    else
        e->shape.kind = MYR_HDF5_OTHER;
    e->usable = e->shape.kind != MYR_HDF5_OTHER;
    return status;
}

/* Number of particles and frames: those of the positions, or else of the first suitable element. */
static myr_status h5md_find_counts(h5md_reader *r)
{
    h5md_element e;
    int have_positions = 0, have_any = 0;
    myr_status status = MYR_OK;
    r->frames = 1;
    for (int64_t k = 0; !status && !have_positions && k < myr_hdf5_members(r->h, r->group); k++) {
        status = h5md_element_at(r, k, &e);
        have_positions = strcmp(e.name, "position") == 0;
        if (status || !e.usable || (!have_positions && have_any && (!e.framed || *r->clock)))
            continue;
        have_any = 1;
        r->n = (int64_t)e.shape.rows;
        r->frames = e.framed ? (int64_t)e.shape.frames : 1;
        if (e.framed)
            snprintf(r->clock, sizeof r->clock, "%s/%s", r->group, e.name);
    }
    if (!status && !have_any)
        return h5md_fail(r, "has no tables of numbers in %s", r->group);
    return status;
}

/* --- time, box and units ------------------------------------------------------------------------------------------ */

/* Reads the time of the frame from a table of times, or computes it from a fixed interval. */
static myr_status h5md_read_time(h5md_reader *r, double *time)
{
    char name[H5MD_PATH + 8];
    double interval = 0, offset = 0, *all = NULL;
    int found = 0, count = 0;
    myr_hdf5_shape shape;
    snprintf(name, sizeof name, "%s/time", r->clock);
    if (!*r->clock || !myr_hdf5_has(r->h, name))
        return MYR_OK;
    myr_status status = myr_hdf5_get_scalar(r->h, name, &interval, &found);
    if (!status && found) {
        status = myr_hdf5_get_doubles(r->h, name, "offset", 1, &offset, &count);
        *time = offset + interval * (double)r->frame;
        return status;
    }
    if (!status)
        status = myr_hdf5_table(r->h, name, &shape);
    if (!status && (shape.kind == MYR_HDF5_OTHER || shape.columns != 1 || shape.rows < (uint64_t)r->frames))
        return h5md_fail(r, "has a table %s that is not one number per frame", name);
    if (!status && !(all = myr_memory_zeros((int64_t)shape.rows, sizeof *all)))
        return myr_context_fail(r->context, MYR_ERROR_MEMORY, "no memory for the times of '%s'", r->path);
    h5md_sink s = {.component = {all}, .components = 1};
    if (!status)
        status = myr_hdf5_get_table(r->h, name, &shape, MYR_HDF5_DOUBLE, h5md_take_doubles, &s);
    if (!status)
        *time = all[r->frame];
    free(all);
    return status;
}

/* Reads the edges, three numbers or a matrix, for all frames or for each frame. */
static myr_status h5md_read_edges(h5md_reader *r, const char *name, int framed, double box[3])
{
    double edge[3][3] = {{0}};
    myr_hdf5_shape shape;
    myr_status status = framed ? myr_hdf5_frames(r->h, name, &shape) : myr_hdf5_table(r->h, name, &shape);
    if (status)
        return status;
    if (shape.kind == MYR_HDF5_OTHER || shape.rows != 3 || (shape.columns != 1 && shape.columns != 3) ||
        (framed && shape.frames < (uint64_t)r->frames))
        return h5md_fail(r, "has edges of a box in %s that are not 3 numbers or 3 x 3 per frame", name);
    shape.frame = framed ? (uint64_t)r->frame : 0;
    h5md_sink s = {.component = {edge[0], edge[1], edge[2]}, .components = shape.columns};
    status = myr_hdf5_get_table(r->h, name, &shape, MYR_HDF5_DOUBLE, h5md_take_doubles, &s);
    int tilted = 0;
    for (int c = 0; c < 3; c++) {
        box[c] = shape.columns == 1 ? edge[0][c] : edge[c][c];
        for (int d = 0; d < 3; d++)
            tilted |= shape.columns == 3 && c != d && edge[c][d] != 0;
    }
    if (!status && tilted) {
        myr_context_warn(r->context, "'%s' has a box with edges that are not along the axes; it is left out", r->path);
        box[0] = box[1] = box[2] = 0;
    }
    return status;
}

static myr_status h5md_read_box(h5md_reader *r, myr_snapshot_header *header)
{
    char group[H5MD_PATH], edges[H5MD_PATH + 16], word[64];
    snprintf(group, sizeof group, "%s/box", r->group);
    if (!myr_hdf5_has(r->h, group))
        return MYR_OK;
    double origin[3];
    int count = 0;
    if (myr_hdf5_get_doubles(r->h, group, "origin", 3, origin, &count) == MYR_OK && count == 3)
        memcpy(header->origin, origin, sizeof origin);
    snprintf(edges, sizeof edges, "%s/edges", group);
    if (!myr_hdf5_has(r->h, edges))
        return MYR_OK;
    const size_t length = strlen(edges);
    snprintf(edges + length, sizeof edges - length, "/value");
    const int framed = myr_hdf5_has(r->h, edges);
    if (!framed)
        edges[length] = 0;
    const myr_status status = h5md_read_edges(r, edges, framed, header->box);
    for (int c = 0; !status && c < 3; c++) {
        myr_hdf5_get_text(r->h, group, "boundary", c, word, sizeof word);
        if (strcmp(word, "none") == 0)
            header->box[c] = 0;
    }
    return status;
}

/* Reads units as the writer of Myriad stores them, or else from unit names of length and time. */
static myr_status h5md_read_units(h5md_reader *r, myr_snapshot_header *header)
{
    double si[4] = {0};
    int count = 0;
    char unit[MYR_H5MD_UNIT], name[H5MD_PATH + 16];
    myr_status status = MYR_OK;
    if (myr_hdf5_has(r->h, "parameters"))
        status = myr_hdf5_get_doubles(r->h, "parameters", "units_in_si", 4, si, &count);
    if (!status && count < 4 && *r->clock) {
        snprintf(name, sizeof name, "%s/value", r->clock);
        myr_hdf5_get_text(r->h, name, "unit", 0, unit, sizeof unit);
        if (strstr(r->clock, "/position"))
            si[0] = myr_h5md_unit_size(unit, 0);
        snprintf(name, sizeof name, "%s/time", r->clock);
        if (myr_hdf5_has(r->h, name))
            myr_hdf5_get_text(r->h, name, "unit", 0, unit, sizeof unit);
        si[2] = myr_h5md_unit_size(unit, 1);
    }
    header->unit_length = si[0];
    header->unit_mass = si[1];
    header->unit_time = si[2];
    header->unit_charge = si[3];
    return status;
}

/* --- particles ---------------------------------------------------------------------------------------------------- */

static const myr_sample *h5md_sample(const h5md_reader *r)
{
    return r->sample.entry ? &r->sample : NULL;
}

static myr_status h5md_check_integers(const h5md_reader *r, const h5md_element *e)
{
    if (e->shape.columns != 1 || (e->shape.kind != MYR_HDF5_SIGNED && e->shape.kind != MYR_HDF5_UNSIGNED))
        return h5md_fail(r, "has a table %s that is not one integer per particle", e->path);
    return MYR_OK;
}

static myr_status h5md_read_integers(h5md_reader *r, const h5md_element *e, int is_id, void *values)
{
    const myr_status refused = h5md_check_integers(r, e);
    if (refused)
        return refused;
    h5md_sink s = {.integers = is_id ? values : NULL,
                   .types = is_id ? NULL : values,
                   .before = (uint64_t)r->first,
                   .sample = h5md_sample(r)};
    const myr_hdf5_kind kind = is_id ? e->shape.kind : MYR_HDF5_SIGNED; /* ids keep all bits */
    const myr_status status = myr_hdf5_get_table(r->h, e->path, &e->shape, kind, h5md_take_integers, &s);
    if (!status && s.bad)
        return h5md_fail(r, "has a type in %s that is below 0 or beyond 2^31 - 1", e->path);
    return status;
}

static int h5md_field_requested(const h5md_reader *r, const char *field)
{
    const char *const *name = r->part->fields;
    while (name && *name && strcmp(*name, field) != 0)
        name++;
    return !name || *name;
}

static myr_status h5md_read_field(h5md_reader *r, const h5md_element *e)
{
    char field[MYR_FORMAT_NAME_MAX + 1];
    if (!myr_h5md_field(e->name, field)) {
        myr_context_warn(r->context, "'%s' has an element %s that is left out: its name is too long", r->path, e->path);
        return MYR_OK;
    }
    if (!h5md_field_requested(r, field))
        return MYR_OK;
    const myr_format_field *known = myr_format_field_find(&myr_h5md_format, field);
    if (known && known->components != e->shape.columns)
        return h5md_fail(r, "has %d numbers per particle in %s; %d were expected", e->shape.columns, e->path,
                         known->components);
    if (myr_particles_component(r->into, field, 0))
        return h5md_fail(r, "has two elements for the field '%s'", field);
    if (myr_particles_fields(r->into) == MYR_FORMAT_FIELDS_MAX)
        return h5md_fail(r, "has more than %d fields", MYR_FORMAT_FIELDS_MAX);
    const myr_status status = myr_particles_add_field(r->into, field, e->shape.columns);
    if (status)
        return status;
    h5md_sink s = {.components = e->shape.columns, .before = (uint64_t)r->first, .sample = h5md_sample(r)};
    for (int c = 0; c < e->shape.columns; c++)
        s.component[c] = myr_particles_component(r->into, field, c);
    return myr_hdf5_get_table(r->h, e->path, &e->shape, MYR_HDF5_DOUBLE, h5md_take_doubles, &s);
}

/* Reads one member of the group; warns with its name if it cannot be used. */
static myr_status h5md_read_element(h5md_reader *r, int64_t k, int64_t *ids, int32_t *types, int *has_ids)
{
    h5md_element e;
    myr_status status = h5md_element_at(r, k, &e);
    if (status || strcmp(e.name, "box") == 0)
        return status;
    if (!e.usable) {
        myr_context_warn(r->context, "'%s' has a member %s/%s that is left out: it is not 1 to %d numbers per particle",
                         r->path, r->group, e.name, MYR_HDF5_COLUMNS_MAX);
        return MYR_OK;
    }
    if ((int64_t)e.shape.rows != r->n)
        return h5md_fail(r, "has %llu particles in %s, but %lld in others", (unsigned long long)e.shape.rows, e.path,
                         (long long)r->n);
    if (e.framed && (int64_t)e.shape.frames != r->frames) {
        myr_context_warn(r->context, "'%s' has %llu frames of %s and not %lld: it is left out", r->path,
                         (unsigned long long)e.shape.frames, e.name, (long long)r->frames);
        return MYR_OK;
    }
    e.shape.frame = e.framed ? (uint64_t)r->frame : 0;
    e.shape.before = (uint64_t)r->first;
    e.shape.behind = (uint64_t)(r->n - r->last);
    if (strcmp(e.name, "id") == 0) {
        *has_ids = 1;
        return h5md_read_integers(r, &e, 1, ids);
    }
    return strcmp(e.name, "species") == 0 ? h5md_read_integers(r, &e, 0, types) : h5md_read_field(r, &e);
}

/* Chooses the particles if fewer than all are requested: by their ids, or by row number if there are no ids. */
static myr_status h5md_choose_particles(h5md_reader *r)
{
    h5md_element e;
    int has_ids = 0;
    myr_status status = MYR_OK;
    if (r->part->most < 0 || r->n <= r->part->most)
        return MYR_OK;
    if (!myr_sample_open(&r->sample, r->part->most))
        return myr_context_fail(r->context, MYR_ERROR_MEMORY, "no memory for %lld particles of '%s'",
                                (long long)r->part->most, r->path);
    for (int64_t k = 0; !status && !has_ids && k < myr_hdf5_members(r->h, r->group); k++) {
        status = h5md_element_at(r, k, &e);
        has_ids = !status && e.usable && strcmp(e.name, "id") == 0 && (int64_t)e.shape.rows == r->n;
    }
    if (!status && has_ids)
        status = h5md_check_integers(r, &e);
    if (!status && has_ids) {
        e.shape.frame = e.framed ? (uint64_t)r->frame : 0;
        status = myr_hdf5_get_table(r->h, e.path, &e.shape, e.shape.kind, h5md_choose, &r->sample);
    }
    for (int64_t i = 0; !status && !has_ids && i < r->n; i++)
        myr_sample_add(&r->sample, i, i);
    myr_sample_sort(&r->sample);
    return status;
}

/* Range of rows of the requested share. */
static void h5md_find_rows(h5md_reader *r)
{
    const myr_format_part *p = r->part;
    r->first = p->shares ? (int64_t)((myr_wide)r->n * p->share / p->shares) : 0;
    r->last = p->shares ? (int64_t)((myr_wide)r->n * (p->share + 1) / p->shares) : r->n;
}

static myr_status h5md_read_particles(h5md_reader *r)
{
    int has_ids = 0;
    h5md_find_rows(r);
    const myr_status picked = h5md_choose_particles(r);
    if (picked)
        return picked;
    const int64_t n = r->sample.entry ? r->sample.count : r->last - r->first;
    int64_t *ids = myr_memory_zeros(n, sizeof *ids);
    int32_t *types = myr_memory_zeros(n, sizeof *types);
    myr_status status = !ids || !types
                            ? myr_context_fail(r->context, MYR_ERROR_MEMORY, "no memory for the %lld particles of '%s'",
                                               (long long)n, r->path)
                            : myr_particles_create(r->context, n, &r->into);
    for (int64_t k = 0; !status && k < myr_hdf5_members(r->h, r->group); k++)
        status = h5md_read_element(r, k, ids, types, &has_ids);
    for (int64_t i = 0; !has_ids && i < n; i++)
        ids[i] = r->sample.entry ? r->sample.entry[i].id : r->first + i;
    if (!status)
        status = myr_format_set_ids(r->into, r->path, ids);
    if (!status && !has_ids && r->n > 0)
        myr_context_warn(r->context, "'%s' has no ids; the particles are numbered from 0", r->path);
    if (!status)
        status = myr_particles_set_types(r->into, types);
    free(types);
    free(ids);
    return status;
}

static myr_status h5md_read(h5md_reader *r, myr_snapshot_header *header)
{
    myr_status status = h5md_find_group(r);
    if (!status)
        status = h5md_find_counts(r);
    if (!status)
        status = myr_format_frame(r->context, r->path, r->frames, &r->frame);
    if (!status)
        status = h5md_read_time(r, &header->time);
    if (!status)
        status = h5md_read_box(r, header);
    if (!status)
        status = h5md_read_units(r, header);
    header->frame = r->frame;
    header->frames = r->frames;
    return status ? status : h5md_read_particles(r);
}

myr_status myr_h5md_read_some(myr_context *context, const char *path, int64_t frame, myr_format_part *part,
                              myr_particles **particles, myr_snapshot_header *header)
{
    h5md_reader r = {.context = context, .path = path, .frame = frame, .part = part};
    myr_status status = myr_hdf5_open(context, path, &r.h);
    if (status)
        return status;
    status = h5md_read(&r, header);
    myr_hdf5_close(&r.h);
    if (status)
        myr_particles_destroy(&r.into);
    myr_sample_close(&r.sample);
    *particles = r.into;
    part->of = r.n;
    part->first = r.first;
    return status;
}

myr_status myr_h5md_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                         myr_snapshot_header *header)
{
    myr_format_part all = {.most = -1};
    return myr_h5md_read_some(context, path, frame, &all, particles, header);
}
