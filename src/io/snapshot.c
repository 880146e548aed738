/* snapshot.c - particle files by format: which one, what goes in, and whether what comes out makes sense. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <myriad/snapshot.h>

#include "core/context.h"
#include "io/file.h"
#include "io/format.h"

static const myr_format *const formats[] = {
#define MYR_FORMAT(name) &myr_##name##_format,
#include "io/formats.def"
#undef MYR_FORMAT
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

const myr_choice_info *myr_snapshot_format(int k)
{
    return k >= 0 && k < FORMATS ? &formats[k]->info : NULL;
}

static const char *snapshot_format_name(int k)
{
    return k < FORMATS ? formats[k]->info.name : NULL;
}

/* All names, or all endings, in one line. */
static void snapshot_list(int endings, char *text, size_t size)
{
    size_t used = 0;
    *text = 0;
    for (int k = 0; k < FORMATS; k++)
        for (int e = 0; e == 0 || (endings && formats[k]->endings[e]); e++) {
            const char *word = endings ? formats[k]->endings[e] : formats[k]->info.name;
            const int n = snprintf(text + used, size - used, "%s%s", used ? ", " : "", word);
            used += (size_t)n < size - used ? (size_t)n : 0;
        }
}

static myr_status snapshot_find(myr_context *context, const char *name, const myr_format **format)
{
    char list[256];
    for (int k = 0; k < FORMATS; k++)
        if (strcmp(formats[k]->info.name, name) == 0) {
            *format = formats[k];
            return MYR_OK;
        }
    const char *near = myr_nearest(name, snapshot_format_name);
    snapshot_list(0, list, sizeof list);
    return myr_context_fail(context, MYR_ERROR_NAME, "there is no file format '%s'%s%s%s; there are: %s", name,
                            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", list);
}

static myr_status snapshot_by_ending(myr_context *context, const char *path, const myr_format **format)
{
    char list[256];
    const size_t length = strlen(path);
    for (int k = 0; k < FORMATS; k++)
        for (int e = 0; formats[k]->endings[e]; e++) {
            const size_t n = strlen(formats[k]->endings[e]);
            if (length > n && strcasecmp(path + length - n, formats[k]->endings[e]) == 0) {
                *format = formats[k];
                return MYR_OK;
            }
        }
    snapshot_list(1, list, sizeof list);
    return myr_context_fail(context, MYR_ERROR_NAME, "the ending of '%s' tells no file format; known are: %s", path,
                            list);
}

static myr_status snapshot_by_bytes(myr_context *context, const char *path, const myr_format **format)
{
    unsigned char head[MYR_FORMAT_HEAD];
    char list[256];
    int descriptor;
    uint64_t size;
    myr_status status = myr_file_open(context, path, &descriptor, &size);
    if (status)
        return status;
    const size_t n = size < sizeof head ? (size_t)size : sizeof head;
    status = myr_file_read(context, path, descriptor, 0, head, n);
    close(descriptor);
    if (status)
        return status;
    if (n == 0)
        return myr_context_fail(context, MYR_ERROR_FORMAT, "'%s' is empty", path);
    for (int k = 0; k < FORMATS; k++)
        if (formats[k]->probe(head, n)) {
            *format = formats[k];
            return MYR_OK;
        }
    snapshot_list(0, list, sizeof list);
    return myr_context_fail(context, MYR_ERROR_FORMAT, "'%s' is in no format that can be read; those are: %s", path,
                            list);
}

/* Adds a field to the job, unless it is there or has to be refused. */
static myr_status snapshot_add(const myr_format *format, const char *name, myr_format_job *job)
{
    myr_context *context = myr_particles_context(job->particles);
    const int field_too = myr_particles_component_const(job->particles, name, 0) != NULL;
    if ((strcmp(name, "id") == 0 || strcmp(name, "type") == 0) && !field_too)
        return MYR_OK; /* always written */
    for (int k = 0; k < job->fields; k++)
        if (strcmp(job->field[k], name) == 0)
            return MYR_OK;
    for (int k = 0; k < myr_particles_fields(job->particles); k++) {
        if (strcmp(myr_particles_field_name(job->particles, k), name) != 0)
            continue;
        if (job->fields == MYR_FORMAT_FIELDS_MAX)
            return myr_context_fail(context, MYR_ERROR_VALUE, "no room for field '%s' in '%s': %d fields at most", name,
                                    job->path, MYR_FORMAT_FIELDS_MAX);
        if (!format->any_field && !myr_format_stored(format, name))
            return myr_context_fail(context, MYR_ERROR_FIELD, "the format %s cannot carry the field '%s'",
                                    format->info.name, name);
        job->field[job->fields] = myr_particles_field_name(job->particles, k);
        job->components[job->fields++] = myr_particles_field_components(job->particles, k);
        return MYR_OK;
    }
    return myr_context_fail(context, MYR_ERROR_FIELD, "the particles have no field '%s' to write to '%s'", name,
                            job->path);
}

static myr_status snapshot_check_header(myr_context *context, const myr_snapshot_header *h)
{
    const struct {
        const char *name;
        double value;
        int positive;
    } number[] = {{"time", h->time, 0},
                  {"unit of length", h->unit_length, 1},
                  {"unit of mass", h->unit_mass, 1},
                  {"unit of time", h->unit_time, 1},
                  {"box", h->box, 1}};
    for (size_t k = 0; k < sizeof number / sizeof number[0]; k++)
        if (!isfinite(number[k].value) || (number[k].positive && number[k].value < 0))
            return myr_context_fail(context, MYR_ERROR_VALUE, "the %s of a snapshot cannot be %g", number[k].name,
                                    number[k].value);
    return MYR_OK;
}

myr_status myr_snapshot_write(const myr_particles *particles, const char *path, const char *format,
                              const char *const *fields, const myr_snapshot_header *header)
{
    const myr_format *f = NULL;
    if (!particles || !path)
        return MYR_ERROR_ARGUMENT;
    myr_context *context = myr_particles_context(particles);
    myr_status status = format ? snapshot_find(context, format, &f) : snapshot_by_ending(context, path, &f);
    myr_format_job job = {.particles = particles, .path = path};
    if (header)
        job.header = *header;
    if (!status)
        status = snapshot_check_header(context, &job.header);
    if (!status && fields)
        for (; !status && *fields; fields++)
            status = snapshot_add(f, *fields, &job);
    else
        for (int k = 0; !status && k < myr_particles_fields(particles); k++)
            status = snapshot_add(f, myr_particles_field_name(particles, k), &job);
    return status || !f ? status : f->write(&job);
}

/* Values that are not finite: an error where the motion depends on them, a warning elsewhere. */
static myr_status snapshot_check_finite(const myr_particles *p, const char *path, int field)
{
    const char *name = myr_particles_field_name(p, field);
    const int64_t n = myr_particles_count(p);
    int64_t bad = 0, first = 0;
    for (int c = myr_particles_field_components(p, field) - 1; c >= 0; c--) {
        const double *x = myr_particles_component_const(p, name, c);
        for (int64_t i = n - 1; i >= 0; i--)
            if (!isfinite(x[i])) {
                first = bad++ && first < i ? first : i;
            }
    }
    if (!bad)
        return MYR_OK;
    myr_context *context = myr_particles_context(p);
    const long long id = (long long)myr_particles_ids(p)[first];
    if (strcmp(name, "position") == 0 || strcmp(name, "velocity") == 0 || strcmp(name, "mass") == 0)
        return myr_context_fail(context, MYR_ERROR_FORMAT,
                                "'%s' has %lld values that are not finite in '%s'; the first is of particle %lld (id "
                                "%lld)",
                                path, (long long)bad, name, (long long)first, id);
    myr_context_warn(context,
                     "'%s' has %lld values that are not finite in '%s'; the first is of particle %lld (id %lld)", path,
                     (long long)bad, name, (long long)first, id);
    return MYR_OK;
}

myr_status myr_snapshot_read(myr_context *context, const char *path, const char *format, myr_particles **particles,
                             myr_snapshot_header *header)
{
    const myr_format *f = NULL;
    myr_snapshot_header found = {0};
    if (!context || !path || !particles)
        return MYR_ERROR_ARGUMENT;
    *particles = NULL;
    myr_status status = format ? snapshot_find(context, format, &f) : snapshot_by_bytes(context, path, &f);
    if (!status && f)
        status = f->read(context, path, particles, &found);
    for (int k = 0; !status && k < myr_particles_fields(*particles); k++)
        status = snapshot_check_finite(*particles, path, k);
    if (status)
        myr_particles_destroy(particles);
    else if (header)
        *header = found;
    return status;
}
