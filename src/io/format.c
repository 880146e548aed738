/* format.c - table of file formats: selection by name, ending or content, and functions that formats share. */
#include "io/format.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/context.h"
#include "io/file.h"

static const myr_format *const formats[] = {
#define MYR_FORMAT(name) &myr_##name##_format,
#include "io/formats.def"
#undef MYR_FORMAT
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

const myr_format *myr_format_at(int k)
{
    return k >= 0 && k < FORMATS ? formats[k] : NULL;
}

static const char *format_name(int k)
{
    return k < FORMATS ? formats[k]->info.name : NULL;
}

/* Comma-separated list of all names or all endings. */
static void format_list(int endings, char *text, size_t size)
{
    size_t used = 0;
    *text = 0;
    for (int k = 0; k < FORMATS; k++)
        for (int e = 0; endings ? formats[k]->endings[e] != NULL : e == 0; e++) {
            const char *word = endings ? formats[k]->endings[e] : formats[k]->info.name;
            const int n = snprintf(text + used, size - used, "%s%s", used ? ", " : "", word);
            used += (size_t)n < size - used ? (size_t)n : 0;
        }
}

myr_status myr_format_find(myr_context *context, const char *name, const myr_format **format)
{
    char list[512];
    for (int k = 0; k < FORMATS; k++)
        if (strcmp(formats[k]->info.name, name) == 0) {
            *format = formats[k];
            return MYR_OK;
        }
    const char *near = myr_nearest(name, format_name);
    format_list(0, list, sizeof list);
    return myr_context_fail(context, MYR_ERROR_NAME, "there is no file format '%s'%s%s%s; there are: %s", name,
                            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", list);
}

myr_status myr_format_by_ending(myr_context *context, const char *path, const myr_format **format)
{
    char list[512];
    const size_t length = strlen(path);
    for (int k = 0; k < FORMATS; k++)
        for (int e = 0; formats[k]->endings[e]; e++) {
            const size_t n = strlen(formats[k]->endings[e]);
            if (length > n && strcasecmp(path + length - n, formats[k]->endings[e]) == 0) {
                *format = formats[k];
                return MYR_OK;
            }
        }
    format_list(1, list, sizeof list);
    return myr_context_fail(context, MYR_ERROR_NAME, "the ending of '%s' tells no file format; known are: %s", path,
                            list);
}

/* Format whose probe is most certain about the file. */
static const myr_format *format_probe(const myr_format_file *file)
{
    const myr_format *best = NULL;
    int certain = MYR_FORMAT_NO;
    for (int k = 0; k < FORMATS; k++) {
        const int answer = formats[k]->probe(file);
        if (answer > certain) {
            best = formats[k];
            certain = answer;
        }
    }
    return best;
}

myr_status myr_format_by_bytes(myr_context *context, const char *path, const myr_format **format)
{
    unsigned char head[MYR_FORMAT_HEAD];
    char list[512];
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
    *format = format_probe(&(myr_format_file){context, path, head, n, size});
    if (*format)
        return MYR_OK;
    format_list(0, list, sizeof list);
    return myr_context_fail(context, MYR_ERROR_FORMAT, "'%s' is in no format that can be read; those are: %s", path,
                            list);
}

const myr_format_field *myr_format_field_find(const myr_format *format, const char *name)
{
    for (const myr_format_field *f = format->fields; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

const char *myr_format_stored(const myr_format *format, const char *name)
{
    const myr_format_field *f = myr_format_field_find(format, name);
    return f ? f->stored : NULL;
}

const char *myr_format_field_of(const myr_format *format, const char *stored)
{
    for (const myr_format_field *f = format->fields; f->name; f++)
        if (strcmp(f->stored, stored) == 0)
            return f->name;
    return NULL;
}

int myr_format_bits(const myr_format *format, const char *name)
{
    const myr_format_field *f = myr_format_field_find(format, name);
    return f && f->bits ? f->bits : format->bits;
}

const char *myr_format_refuses(const myr_format *format, const char *name, int components,
                               char reason[MYR_FORMAT_REASON_MAX])
{
    const myr_format_field *f = myr_format_field_find(format, name);
    if (f && f->components && f->components != components)
        snprintf(reason, MYR_FORMAT_REASON_MAX, "the field '%s' with %d component%s: it has %d there", name, components,
                 myr_plural(components), f->components);
    else if (!f && !format->any_field)
        snprintf(reason, MYR_FORMAT_REASON_MAX, "the field '%s'", name);
    else if (!f && format->can_name && !format->can_name(name))
        snprintf(reason, MYR_FORMAT_REASON_MAX, "a field of the name '%s'", name);
    else
        return NULL;
    return reason;
}

const char *myr_format_bad_number(const myr_snapshot_header *header, double *value)
{
    const struct {
        const char *name;
        double value;
        int positive;
    } number[] = {{"time", header->time, 0},
                  {"unit of length", header->unit_length, 1},
                  {"unit of mass", header->unit_mass, 1},
                  {"unit of time", header->unit_time, 1},
                  {"unit of charge", header->unit_charge, 1},
                  {"box", header->box[0], 1},
                  {"box", header->box[1], 1},
                  {"box", header->box[2], 1},
                  {"origin of the box", header->origin[0], 0},
                  {"origin of the box", header->origin[1], 0},
                  {"origin of the box", header->origin[2], 0}};
    for (size_t k = 0; k < sizeof number / sizeof number[0]; k++)
        if (!isfinite(number[k].value) || (number[k].positive && number[k].value < 0)) {
            *value = number[k].value;
            return number[k].name;
        }
    return NULL;
}

myr_status myr_format_report_loss(const myr_format_job *job, const char *format, ...)
{
    char text[MYR_MESSAGE_MAX];
    myr_context *context = myr_particles_context(job->particles);
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (job->header.strict)
        return myr_context_fail(context, MYR_ERROR_FIELD, "%s", text);
    myr_context_warn(context, "%s", text);
    return MYR_OK;
}

myr_status myr_format_set_ids(myr_particles *particles, const char *path, const int64_t *ids)
{
    char reason[MYR_MESSAGE_MAX / 2];
    myr_context *context = myr_particles_context(particles);
    const myr_status status = myr_particles_set_ids(particles, ids);
    if (status != MYR_ERROR_VALUE)
        return status;
    snprintf(reason, sizeof reason, "%.500s", myr_context_message(context));
    return myr_context_fail(context, MYR_ERROR_FORMAT, "'%s' cannot be used: %s", path, reason);
}

myr_status myr_format_frame(myr_context *context, const char *path, int64_t frames, int64_t *frame)
{
    const int64_t asked = *frame;
    if (asked < 0)
        *frame += frames;
    if (*frame >= 0 && *frame < frames)
        return MYR_OK;
    return myr_context_fail(context, MYR_ERROR_VALUE, "'%s' has no frame %lld: it has %lld, counted from 0", path,
                            (long long)asked, (long long)frames);
}
