/* snapshot_write.c - selection of the data that go into a file, and reports about the rest: a field that was requested
 * by name and cannot be stored is an error; a field of "all" is a warning, and so are ids, types, time, box, units and
 * digits that the format loses. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <myriad/snapshot.h>

#include "core/context.h"
#include "io/format.h"

/* Index of a field in the set, or -1. */
static int snapshot_index(const myr_particles *p, const char *name)
{
    for (int k = 0; k < myr_particles_fields(p); k++)
        if (strcmp(myr_particles_field_name(p, k), name) == 0)
            return k;
    return -1;
}

/* Adds a field to the job, unless it is already there, is written anyway, or cannot be stored. */
static myr_status snapshot_add_field(const myr_format *format, const char *name, int asked_for, myr_format_job *job)
{
    char reason[MYR_FORMAT_REASON_MAX];
    myr_context *context = myr_particles_context(job->particles);
    const int index = snapshot_index(job->particles, name);
    if (index < 0 && (strcmp(name, "id") == 0 || strcmp(name, "type") == 0))
        return MYR_OK;
    for (int k = 0; k < job->fields; k++)
        if (strcmp(job->field[k], name) == 0)
            return MYR_OK;
    if (index < 0)
        return myr_context_fail(context, MYR_ERROR_FIELD, "the particles have no field '%s' to write to '%s'", name,
                                job->path);
    if (job->fields == MYR_FORMAT_FIELDS_MAX)
        return myr_context_fail(context, MYR_ERROR_VALUE, "no room for field '%s' in '%s': %d fields at most", name,
                                job->path, MYR_FORMAT_FIELDS_MAX);
    const int components = myr_particles_field_components(job->particles, index);
    if (myr_format_refuses(format, name, components, reason)) {
        if (asked_for)
            return myr_context_fail(context, MYR_ERROR_FIELD, "the format %s cannot carry %s", format->info.name,
                                    reason);
        return myr_format_report_loss(job, "'%s' is written without the field '%s': the format %s cannot carry %s",
                                      job->path, name, format->info.name, reason);
    }
    job->field[job->fields] = myr_particles_field_name(job->particles, index);
    job->components[job->fields++] = components;
    return MYR_OK;
}

/* Fails if a particle has a type that the format cannot store. */
static myr_status snapshot_check_types(const myr_format *format, const myr_particles *p)
{
    const int32_t *type = myr_particles_types(p);
    for (int64_t i = 0; format->types && i < myr_particles_count(p); i++)
        if (type[i] >= format->types)
            return myr_context_fail(myr_particles_context(p), MYR_ERROR_VALUE,
                                    "the format %s cannot carry type %d of particle %lld (id %lld): it has types 0 to "
                                    "%d",
                                    format->info.name, (int)type[i], (long long)i, (long long)myr_particles_ids(p)[i],
                                    format->types - 1);
    return MYR_OK;
}

/* Reports data besides fields that the format does not store, once, for the first frame with such data. */
static myr_status snapshot_check_losses(const myr_format *format, myr_format_job *job)
{
    const myr_snapshot_header *h = &job->header;
    int ids = 0, types = 0, names = 0;
    for (int64_t i = 0; i < myr_particles_count(job->particles); i++) {
        ids |= myr_particles_ids(job->particles)[i] != i;
        types |= myr_particles_types(job->particles)[i] != 0;
        names |= myr_particles_name(job->particles, i) != NULL;
    }
    const struct {
        unsigned what;
        int there;
        const char *name;
        int singular;
    } part[] = {
        {MYR_SNAPSHOT_IDS, ids, "the ids", 0},
        {MYR_SNAPSHOT_TYPES, types, "the types", 0},
        {MYR_SNAPSHOT_NAMES, names, "the names", 0},
        {MYR_SNAPSHOT_TIME, h->time != 0, "the time", 1},
        {MYR_SNAPSHOT_BOX, h->box[0] > 0 || h->box[1] > 0 || h->box[2] > 0, "the periodic box", 1},
        {MYR_SNAPSHOT_ORIGIN, h->origin[0] != 0 || h->origin[1] != 0 || h->origin[2] != 0, "the origin of the box", 1},
        {MYR_SNAPSHOT_UNITS, h->unit_length > 0 || h->unit_mass > 0 || h->unit_time > 0 || h->unit_charge > 0,
         "the units", 0}};
    myr_status status = MYR_OK;
    for (size_t k = 0; !status && k < sizeof part / sizeof part[0]; k++)
        if (part[k].there && !(format->keeps & part[k].what) && !(job->reported & part[k].what)) {
            job->reported |= part[k].what;
            status = myr_format_report_loss(job, "'%s' is written without %s: the format %s cannot carry %s", job->path,
                                            part[k].name, format->info.name, part[k].singular ? "it" : "them");
        }
    return status;
}

/* Reports values that are rounded when a field is stored in 32 bits; fails if a value would become infinite. */
static myr_status snapshot_check_bits(const myr_format *format, myr_format_job *job, int k)
{
    const myr_particles *p = job->particles;
    const int64_t n = myr_particles_count(p);
    int64_t rounded = 0;
    for (int c = 0; c < job->components[k]; c++) {
        const double *x = myr_particles_component_const(p, job->field[k], c);
        for (int64_t i = 0; i < n; i++) {
            if (isfinite(x[i]) && fabs(x[i]) > FLT_MAX)
                return myr_context_fail(myr_particles_context(p), MYR_ERROR_VALUE,
                                        "the format %s stores '%s' in 32 bits, which cannot hold %g of particle %lld "
                                        "(id %lld)",
                                        format->info.name, job->field[k], x[i], (long long)i,
                                        (long long)myr_particles_ids(p)[i]);
            rounded += (double)(float)x[i] != x[i] && !isnan(x[i]);
        }
    }
    if (!rounded || job->reported_fields >> k & 1)
        return MYR_OK;
    job->reported_fields |= (uint64_t)1 << k;
    return myr_format_report_loss(
        job, "'%s' has rounded numbers: the format %s stores '%s' in 32 bits, and %lld of %lld change", job->path,
        format->info.name, job->field[k], (long long)rounded, (long long)n * job->components[k]);
}

/* All checks before the writer of the format starts. */
static myr_status snapshot_check(const myr_format *format, myr_format_job *job)
{
    double value = 0;
    const char *bad = myr_format_bad_number(&job->header, &value);
    if (bad)
        return myr_context_fail(myr_particles_context(job->particles), MYR_ERROR_VALUE,
                                "the %s of a snapshot cannot be %g", bad, value);
    myr_status status = snapshot_check_types(format, job->particles);
    for (int k = 0; !status && k < job->fields; k++)
        if (myr_format_bits(format, job->field[k]) < 64)
            status = snapshot_check_bits(format, job, k);
    return status ? status : snapshot_check_losses(format, job);
}

/* Checks frame f as a job of its own; a missing field is an error. */
static myr_status snapshot_check_frame(const myr_format *format, myr_format_job *job, int64_t f)
{
    myr_format_job one = *job;
    one.particles = job->frame[f];
    one.header = job->frame_header[f];
    for (int k = 0; f > 0 && k < job->fields; k++) {
        const int index = snapshot_index(one.particles, job->field[k]);
        if (index < 0 || myr_particles_field_components(one.particles, index) != job->components[k])
            return myr_context_fail(myr_particles_context(job->particles), MYR_ERROR_FIELD,
                                    "frame %lld of '%s' has no field '%s' with %d component%s as frame 0 has",
                                    (long long)f, job->path, job->field[k], job->components[k],
                                    myr_plural(job->components[k]));
    }
    const myr_status status = snapshot_check(format, &one);
    job->reported = one.reported;
    job->reported_fields = one.reported_fields;
    return status;
}

/* Finds the format and the fields, checks all frames, and writes the file. */
static myr_status snapshot_write(myr_format_job *job, const char *format, const char *const *fields)
{
    const myr_format *f = NULL;
    myr_context *context = myr_particles_context(job->particles);
    myr_status status = format ? myr_format_find(context, format, &f) : myr_format_by_ending(context, job->path, &f);
    if (status || !f)
        return status;
    if (!f->write)
        return myr_context_fail(context, MYR_ERROR_UNAVAILABLE, "files of the format %s can be read, not written",
                                f->info.name);
    if (job->frames > 1 && !f->many_frames)
        return myr_context_fail(context, MYR_ERROR_VALUE, "the format %s cannot carry more than one frame",
                                f->info.name);
    if (fields)
        for (; !status && *fields; fields++)
            status = snapshot_add_field(f, *fields, 1, job);
    else
        for (int k = 0; !status && k < myr_particles_fields(job->particles); k++)
            status = snapshot_add_field(f, myr_particles_field_name(job->particles, k), 0, job);
    for (int64_t k = 0; !status && k < job->frames; k++)
        status = snapshot_check_frame(f, job, k);
    return status ? status : f->write(job);
}

int myr_format_with_others(const char *format)
{
    for (int k = 0; format && myr_format_at(k); k++)
        if (strcmp(myr_format_at(k)->info.name, format) == 0)
            return myr_format_at(k)->with_others && myr_format_at(k)->info.available;
    return 0;
}

myr_status myr_format_write(const myr_particles *particles, const char *path, const char *format,
                            const char *const *fields, const myr_snapshot_header *header,
                            const myr_format_others *others)
{
    myr_format_job job = {.particles = particles,
                          .path = path,
                          .header = *header,
                          .frames = 1,
                          .frame = &particles,
                          .frame_header = header,
                          .others = others};
    return snapshot_write(&job, format, fields);
}

myr_status myr_snapshot_write_frames(int64_t frames, const myr_particles *const *particles, const char *path,
                                     const char *format, const char *const *fields, const myr_snapshot_header *headers)
{
    if (frames < 1 || !particles || !path || !headers)
        return MYR_ERROR_ARGUMENT;
    for (int64_t k = 0; k < frames; k++)
        if (!particles[k])
            return MYR_ERROR_ARGUMENT;
    myr_format_job job = {.particles = particles[0],
                          .path = path,
                          .header = headers[0],
                          .frames = frames,
                          .frame = particles,
                          .frame_header = headers};
    return snapshot_write(&job, format, fields);
}

myr_status myr_snapshot_write(const myr_particles *particles, const char *path, const char *format,
                              const char *const *fields, const myr_snapshot_header *header)
{
    const myr_snapshot_header nothing = {0};
    return myr_snapshot_write_frames(1, &particles, path, format, fields, header ? header : &nothing);
}
