/* snapshot.c - reading of particle files in any format, and checks of the result. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <myriad/snapshot.h>

#include "core/context.h"
#include "io/format.h"
#include "io/quantity.h"
#include "io/sample.h"

const myr_choice_info *myr_snapshot_format(int k)
{
    const myr_format *f = myr_format_at(k);
    return f ? &f->info : NULL;
}

/* Format by name, without an error message; null if there is none. */
static const myr_format *snapshot_find_format(const char *name)
{
    for (int k = 0; name && myr_format_at(k); k++)
        if (strcmp(myr_format_at(k)->info.name, name) == 0)
            return myr_format_at(k);
    return NULL;
}

int myr_snapshot_format_describe(const char *format, myr_snapshot_format_info *info)
{
    const myr_format *f = snapshot_find_format(format);
    if (!f || !info)
        return 0;
    *info = (myr_snapshot_format_info){.info = f->info,
                                       .ending = f->endings[0] + 1,
                                       .can_write = f->write != NULL,
                                       .any_field = f->any_field,
                                       .bits = f->bits,
                                       .keeps = f->keeps,
                                       .types = f->types,
                                       .many_frames = f->many_frames,
                                       .in_parts = f->read_some != NULL};
    return 1;
}

int myr_snapshot_format_field(const char *format, int k, myr_snapshot_field_info *field)
{
    const myr_format *f = snapshot_find_format(format);
    if (!f || !field || k < 0)
        return 0;
    for (int i = 0; i <= k; i++)
        if (!f->fields[i].name)
            return 0;
    const myr_format_field *entry = &f->fields[k];
    const myr_quantity *q = myr_quantity_find(entry->name);
    *field = (myr_snapshot_field_info){.name = entry->name,
                                       .stored = entry->stored,
                                       .components = entry->components,
                                       .bits = myr_format_bits(f, entry->name),
                                       .text = q ? q->text : ""};
    myr_quantity_unit(q, field->unit, sizeof field->unit);
    return 1;
}

int myr_snapshot_field(const myr_particles *particles, const char *name, myr_snapshot_field_info *field)
{
    for (int k = 0; field && name && k < myr_particles_fields(particles); k++) {
        if (strcmp(myr_particles_field_name(particles, k), name) != 0)
            continue;
        const myr_quantity *q = myr_quantity_of(particles, name);
        *field = (myr_snapshot_field_info){.name = myr_particles_field_name(particles, k),
                                           .components = myr_particles_field_components(particles, k),
                                           .text = q ? q->text : ""};
        myr_quantity_unit(q, field->unit, sizeof field->unit);
        return 1;
    }
    return 0;
}

myr_status myr_snapshot_format_of(myr_context *context, const char *path, const char **format)
{
    const myr_format *f = NULL;
    if (!context || !path || !format)
        return MYR_ERROR_ARGUMENT;
    const myr_status status = myr_format_by_bytes(context, path, &f);
    *format = status || !f ? NULL : f->info.name;
    return status;
}

myr_status myr_snapshot_format_for(myr_context *context, const char *path, const char **format)
{
    const myr_format *f = NULL;
    if (!context || !path || !format)
        return MYR_ERROR_ARGUMENT;
    const myr_status status = myr_format_by_ending(context, path, &f);
    *format = status || !f ? NULL : f->info.name;
    return status;
}

/* Checks for values that are not finite: an error in fields that the motion depends on, a warning in others. */
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
                                "'%s' has %lld value%s not finite in '%s'; the first is of particle %lld (id %lld)",
                                path, (long long)bad, bad == 1 ? " that is" : "s that are", name, (long long)first, id);
    myr_context_warn(context, "'%s' has %lld value%s not finite in '%s'; the first is of particle %lld (id %lld)", path,
                     (long long)bad, bad == 1 ? " that is" : "s that are", name, (long long)first, id);
    return MYR_OK;
}

static myr_status snapshot_check_header(myr_context *context, const char *path, const myr_snapshot_header *h)
{
    double value = 0;
    const char *bad = myr_format_bad_number(h, &value);
    return bad ? myr_context_fail(context, MYR_ERROR_FORMAT, "'%s' cannot be used: its %s is %g", path, bad, value)
               : MYR_OK;
}

/* Reads a part of the particles if the format supports it, else all. */
static myr_status snapshot_read(const myr_format *f, myr_context *context, const char *path, int64_t frame,
                                myr_format_part *part, myr_particles **particles, myr_snapshot_header *header)
{
    if (part->shares && !f->read_some)
        return myr_context_fail(context, MYR_ERROR_FORMAT, "'%s': files in %s are not read in parts", path,
                                f->info.name);
    if (part->columns && !f->read_columns)
        return myr_context_fail(context, MYR_ERROR_FORMAT,
                                "'%s' is in %s, which has no columns to choose; expected a table of text (csv)", path,
                                f->info.name);
    if (part->columns)
        return f->read_columns(context, path, part->columns, particles, header);
    if ((part->most >= 0 || part->shares) && f->read_some)
        return f->read_some(context, path, frame, part, particles, header);
    const myr_status status = f->read(context, path, frame, particles, header);
    part->of = myr_particles_count(*particles);
    return status;
}

static myr_status snapshot_read_part(myr_context *context, const char *path, const char *format, int64_t frame,
                                     myr_format_part *part, myr_particles **particles, myr_snapshot_header *header)
{
    const myr_format *f = NULL;
    myr_snapshot_header found = {0};
    *particles = NULL;
    myr_status status = format ? myr_format_find(context, format, &f) : myr_format_by_bytes(context, path, &f);
    if (!status && f && !(f->keeps & MYR_SNAPSHOT_FRAMES))
        status = myr_format_frame(context, path, 1, &frame);
    if (!status && f)
        status = snapshot_read(f, context, path, frame, part, particles, &found);
    if (!status)
        status = snapshot_check_header(context, path, &found);
    for (int k = 0; !status && k < myr_particles_fields(*particles); k++)
        status = snapshot_check_finite(*particles, path, k);
    if (!status && part->most >= 0)
        status = myr_sample_thin(particles, part->most);
    if (status)
        myr_particles_destroy(particles);
    else if (header) {
        *header = found;
        header->frames = found.frames ? found.frames : 1;
    }
    return status;
}

myr_status myr_snapshot_read_frame(myr_context *context, const char *path, const char *format, int64_t frame,
                                   myr_particles **particles, myr_snapshot_header *header)
{
    myr_format_part all = {.most = -1};
    if (!context || !path || !particles)
        return MYR_ERROR_ARGUMENT;
    return snapshot_read_part(context, path, format, frame, &all, particles, header);
}

myr_status myr_snapshot_read_some(myr_context *context, const char *path, const char *format, int64_t most,
                                  const char *const *fields, myr_particles **particles, myr_snapshot_header *header,
                                  int64_t *of)
{
    myr_format_part part = {.most = most, .fields = fields};
    if (!context || !path || !particles || !of || most < 0)
        return MYR_ERROR_ARGUMENT;
    const myr_status status = snapshot_read_part(context, path, format, MYR_SNAPSHOT_LAST, &part, particles, header);
    *of = part.of;
    return status;
}

myr_status myr_snapshot_read(myr_context *context, const char *path, const char *format, myr_particles **particles,
                             myr_snapshot_header *header)
{
    return myr_snapshot_read_frame(context, path, format, MYR_SNAPSHOT_LAST, particles, header);
}

myr_status myr_snapshot_read_columns(myr_context *context, const char *path, const char *const *columns,
                                     myr_particles **particles, myr_snapshot_header *header)
{
    myr_format_part part = {.most = -1, .columns = columns};
    const myr_format *found = NULL;
    if (!context || !path || !particles)
        return MYR_ERROR_ARGUMENT;
    /* A table that nothing tells from other text is read as the choice of columns says. */
    const myr_status status = myr_format_by_bytes(context, path, &found);
    if (status && status != MYR_ERROR_FORMAT)
        return status;
    return snapshot_read_part(context, path, found ? found->info.name : "csv", MYR_SNAPSHOT_LAST, &part, particles,
                              header);
}

myr_status myr_snapshot_read_share(myr_context *context, const char *path, const char *format, int share, int shares,
                                   myr_particles **particles, myr_snapshot_header *header, int64_t *first, int64_t *of)
{
    myr_format_part part = {.most = -1, .share = share, .shares = shares};
    if (!context || !path || !particles || !first || !of || share < 0 || share >= shares)
        return MYR_ERROR_ARGUMENT;
    const myr_status status = snapshot_read_part(context, path, format, MYR_SNAPSHOT_LAST, &part, particles, header);
    *first = part.first;
    *of = part.of;
    return status;
}
