/* h5md_write.c - writes particles of one or many frames to H5MD. */
#include <stdio.h>
#include <string.h>

#include <myriad/version.h>

#include "core/context.h"
#include "io/h5md.h"
#include "io/quantity.h"

#define H5MD_GROUP "particles/trajectory" /* group name that MDAnalysis expects */

enum { H5MD_OVERHEAD = 16384, H5MD_NAME = MYR_H5MD_ELEMENT + 64 };

/* H5MD file being written, and the source of the next table. */
typedef struct {
    const myr_format_job *job;
    myr_hdf5 *h;
    uint64_t n;
    const char *field;
    int components;
    /* paths of the steps and times of the first element, which the others share */
    char steps[H5MD_NAME], times[H5MD_NAME];
} h5md_writer;

/* Rows of a field. There is one origin for all frames: positions are shifted as if each box started at the origin of
 * the first. */
static int h5md_give_field(void *user, uint64_t first, uint64_t count, void *values)
{
    const h5md_writer *w = user;
    const double *component[MYR_HDF5_COLUMNS_MAX];
    const double *begins = w->job->frame_header[first / w->n].origin, *origin = w->job->header.origin;
    double *to = values, shift[MYR_HDF5_COLUMNS_MAX] = {0};
    for (int c = 0; c < w->components; c++)
        component[c] = myr_particles_component_const(w->job->frame[first / w->n], w->field, c);
    for (int c = 0; c < 3 && strcmp(w->field, "position") == 0; c++)
        shift[c] = origin[c] - begins[c];
    for (uint64_t r = first % w->n; r < first % w->n + count; r++)
        for (int c = 0; c < w->components; c++)
            *to++ = shift[c] != 0 ? component[c][r] + shift[c] : component[c][r]; /* -0 + 0 would be +0 */
    return 0;
}

static int h5md_give_ids(void *user, uint64_t first, uint64_t count, void *values)
{
    const h5md_writer *w = user;
    memcpy(values, myr_particles_ids(w->job->frame[first / w->n]) + first % w->n, (size_t)count * sizeof(int64_t));
    return 0;
}

static int h5md_give_types(void *user, uint64_t first, uint64_t count, void *values)
{
    const h5md_writer *w = user;
    const int32_t *type = myr_particles_types(w->job->frame[first / w->n]) + first % w->n;
    for (uint64_t r = 0; r < count; r++)
        ((int64_t *)values)[r] = type[r];
    return 0;
}

static int h5md_give_steps(void *user, uint64_t first, uint64_t count, void *values)
{
    (void)user;
    for (uint64_t r = 0; r < count; r++)
        ((int64_t *)values)[r] = (int64_t)(first + r);
    return 0;
}

static int h5md_give_times(void *user, uint64_t first, uint64_t count, void *values)
{
    const h5md_writer *w = user;
    for (uint64_t r = 0; r < count; r++)
        ((double *)values)[r] = w->job->frame_header[first + r].time;
    return 0;
}

/* Rows of the edge matrices; a non-periodic axis has edge 1. */
static int h5md_give_edges(void *user, uint64_t first, uint64_t count, void *values)
{
    const h5md_writer *w = user;
    double *to = values;
    for (uint64_t r = first; r < first + count; r++)
        for (uint64_t c = 0; c < 3; c++) {
            const double edge = w->job->frame_header[r / 3].box[c];
            *to++ = c != r % 3 ? 0 : edge > 0 ? edge : 1;
        }
    return 0;
}

/* Writes the unit of a table, if the unit has a name. */
static void h5md_put_unit(h5md_writer *w, const char *table, const char *field)
{
    char unit[MYR_H5MD_UNIT];
    myr_h5md_unit(&w->job->header, field, unit);
    if (*unit)
        myr_hdf5_put_string(w->h, table, "unit", unit);
}

/* Starts a time-dependent element: a group with steps and times. */
static void h5md_put_element(h5md_writer *w, const char *element)
{
    const uint64_t frames = (uint64_t)w->job->frames;
    const myr_hdf5_shape step = {.kind = MYR_HDF5_SIGNED, .rows = frames, .columns = 1};
    const myr_hdf5_shape time = {.kind = MYR_HDF5_DOUBLE, .rows = frames, .columns = 1};
    char steps[H5MD_NAME], times[H5MD_NAME];
    snprintf(steps, sizeof steps, H5MD_GROUP "/%s", element);
    myr_hdf5_put_group(w->h, steps);
    snprintf(steps, sizeof steps, H5MD_GROUP "/%s/step", element);
    snprintf(times, sizeof times, H5MD_GROUP "/%s/time", element);
    if (*w->steps) {
        myr_hdf5_put_link(w->h, w->steps, steps);
        myr_hdf5_put_link(w->h, w->times, times);
        return;
    }
    myr_hdf5_put_table(w->h, steps, &step, h5md_give_steps, w);
    myr_hdf5_put_table(w->h, times, &time, h5md_give_times, w);
    h5md_put_unit(w, times, "time");
    strcpy(w->steps, steps);
    strcpy(w->times, times);
}

/* Writes a table of all particles, or reserves it for other ranks to fill. */
static void h5md_put_rows(h5md_writer *w, const char *name, const myr_hdf5_shape *shape, myr_format_column column,
                          myr_hdf5_rows_fn give)
{
    if (w->job->others)
        myr_hdf5_put_hole(w->h, name, shape, column, column == MYR_COLUMN_FIELD ? w->field : NULL);
    else
        myr_hdf5_put_table(w->h, name, shape, give, w);
}

static void h5md_put_field(h5md_writer *w, int k)
{
    char element[MYR_H5MD_ELEMENT], name[H5MD_NAME], unit[64];
    const myr_quantity *q = myr_quantity_of(w->job->particles, w->job->field[k]);
    const myr_hdf5_shape shape = {
        .kind = MYR_HDF5_DOUBLE, .frames = (uint64_t)w->job->frames, .rows = w->n, .columns = w->job->components[k]};
    w->field = w->job->field[k];
    w->components = w->job->components[k];
    myr_h5md_name(w->field, element);
    h5md_put_element(w, element);
    snprintf(name, sizeof name, H5MD_GROUP "/%s/value", element);
    h5md_put_rows(w, name, &shape, MYR_COLUMN_FIELD, h5md_give_field);
    h5md_put_unit(w, name, w->field);
    if (!q)
        return;
    myr_quantity_unit(q, unit, sizeof unit);
    myr_hdf5_put_text(w->h, name, "dimension", unit);
    myr_hdf5_put_text(w->h, name, "description", q->text);
}

/* Writes ids or species, as a single table if they are the same in all frames. */
static void h5md_put_integers(h5md_writer *w, const char *element, int same, myr_format_column column,
                              myr_hdf5_rows_fn give)
{
    char name[H5MD_NAME];
    const myr_hdf5_shape shape = {
        .kind = MYR_HDF5_SIGNED, .frames = same ? 0 : (uint64_t)w->job->frames, .rows = w->n, .columns = 1};
    if (!same)
        h5md_put_element(w, element);
    snprintf(name, sizeof name, H5MD_GROUP "/%s%s", element, same ? "" : "/value");
    h5md_put_rows(w, name, &shape, column, give);
}

static void h5md_put_all_integers(h5md_writer *w)
{
    const myr_particles *p = w->job->particles;
    int same_ids = w->job->fields > 0, same_types = 1; /* without fields the ids must carry the times */
    for (int64_t f = 1; w->n && f < w->job->frames; f++) {
        const myr_particles *q = w->job->frame[f];
        same_ids &= memcmp(myr_particles_ids(p), myr_particles_ids(q), (size_t)w->n * sizeof(int64_t)) == 0;
        same_types &= memcmp(myr_particles_types(p), myr_particles_types(q), (size_t)w->n * sizeof(int32_t)) == 0;
    }
    h5md_put_integers(w, "id", same_ids, MYR_COLUMN_IDS, h5md_give_ids);
    h5md_put_integers(w, "species", same_types, MYR_COLUMN_TYPES, h5md_give_types);
}

static void h5md_put_box(h5md_writer *w)
{
    const double *box = w->job->header.box, *origin = w->job->header.origin;
    const uint64_t dimension = 3;
    const char *boundary[3];
    const myr_hdf5_shape shape = {.kind = MYR_HDF5_DOUBLE, .frames = (uint64_t)w->job->frames, .rows = 3, .columns = 3};
    for (int c = 0; c < 3; c++)
        boundary[c] = box[c] > 0 ? "periodic" : "none";
    myr_hdf5_put_group(w->h, H5MD_GROUP "/box");
    myr_hdf5_put_integers(w->h, H5MD_GROUP "/box", "dimension", 0, 4, &dimension);
    myr_hdf5_put_words(w->h, H5MD_GROUP "/box", "boundary", 3, boundary);
    if (origin[0] != 0 || origin[1] != 0 || origin[2] != 0)
        myr_hdf5_put_doubles(w->h, H5MD_GROUP "/box", "origin", 3, origin);
    if (box[0] <= 0 && box[1] <= 0 && box[2] <= 0)
        return;
    h5md_put_element(w, "box/edges");
    myr_hdf5_put_table(w->h, H5MD_GROUP "/box/edges/value", &shape, h5md_give_edges, w);
    h5md_put_unit(w, H5MD_GROUP "/box/edges/value", "position");
}

void myr_h5md_put_head(myr_hdf5 *h, const char *program, const double si[4])
{
    static const uint64_t version[2] = {1, 1}, units[2] = {1, 0};
    myr_hdf5_put_group(h, "h5md");
    myr_hdf5_put_integers(h, "h5md", "version", 2, 4, version);
    myr_hdf5_put_group(h, "h5md/author");
    myr_hdf5_put_text(h, "h5md/author", "name", "unknown");
    myr_hdf5_put_group(h, "h5md/creator");
    myr_hdf5_put_text(h, "h5md/creator", "name", program ? program : "Myriad");
    myr_hdf5_put_text(h, "h5md/creator", "version", myr_version());
    myr_hdf5_put_group(h, "h5md/modules");
    myr_hdf5_put_group(h, "h5md/modules/units");
    myr_hdf5_put_integers(h, "h5md/modules/units", "version", 2, 4, units);
    myr_hdf5_put_group(h, "parameters");
    myr_hdf5_put_doubles(h, "parameters", "units_in_si", 4, si);
    myr_hdf5_put_group(h, "particles");
    myr_hdf5_put_group(h, H5MD_GROUP);
}

/* Reports a loss if the origin of the box changes with time, as with a barostat. */
static myr_status h5md_check_origin(const myr_format_job *job)
{
    for (int64_t f = 1; f < job->frames; f++) {
        const double *origin = job->frame_header[f].origin, *first = job->header.origin;
        if (origin[0] != first[0] || origin[1] != first[1] || origin[2] != first[2])
            return myr_format_report_loss(
                job,
                "the format h5md has one origin of the box for all frames, and the box begins "
                "elsewhere in frame %lld: positions are shifted so that it begins where it does in "
                "frame 0",
                (long long)f);
    }
    return MYR_OK;
}

/* Checks that all frames have the same number of particles and the same fields. */
static myr_status h5md_check(const myr_format_job *job)
{
    myr_context *context = myr_particles_context(job->particles);
    for (int64_t f = 1; f < job->frames; f++) {
        if (myr_particles_count(job->frame[f]) != myr_particles_count(job->particles))
            return myr_context_fail(context, MYR_ERROR_VALUE,
                                    "the format h5md needs as many particles in all frames: frame 0 has %lld, frame "
                                    "%lld has %lld",
                                    (long long)myr_particles_count(job->particles), (long long)f,
                                    (long long)myr_particles_count(job->frame[f]));
        for (int c = 0; c < 3; c++)
            if ((job->frame_header[f].box[c] > 0) != (job->header.box[c] > 0))
                return myr_context_fail(context, MYR_ERROR_VALUE,
                                        "the format h5md needs the same periodic axes in all frames: %c is periodic "
                                        "in one of the frames 0 and %lld only",
                                        "xyz"[c], (long long)f);
    }
    return h5md_check_origin(job);
}

myr_status myr_h5md_write(const myr_format_job *job)
{
    myr_context *context = myr_particles_context(job->particles);
    h5md_writer w = {.job = job, .n = (uint64_t)myr_particles_count(job->particles)};
    uint64_t columns = 2;
    if (job->others)
        w.n = (uint64_t)job->others->particles;
    for (int k = 0; k < job->fields; k++)
        columns += (uint64_t)job->components[k] * (uint64_t)job->frames;
    const uint64_t size = columns * 8 * w.n + (uint64_t)(job->fields + 6) * H5MD_OVERHEAD;
    myr_status status = h5md_check(job);
    if (!status)
        status = job->others ? myr_hdf5_create_sparse(context, job->path, &w.h)
                             : myr_hdf5_create(context, job->path, size, &w.h);
    if (status)
        return status;
    const double si[4] = {job->header.unit_length, job->header.unit_mass, job->header.unit_time,
                          job->header.unit_charge};
    myr_h5md_put_head(w.h, job->header.program, si);
    for (int k = 0; k < job->fields; k++)
        h5md_put_field(&w, k);
    h5md_put_box(&w);
    h5md_put_all_integers(&w);
    return myr_hdf5_publish_with(&w.h, job->others);
}
