/* format.c - what the formats share. */
#include "io/format.h"

#include <stdio.h>
#include <string.h>

#include "core/context.h"

const char *myr_format_stored(const myr_format *format, const char *name)
{
    for (const myr_format_field *f = format->fields; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f->stored;
    return NULL;
}

const char *myr_format_field_of(const myr_format *format, const char *stored)
{
    for (const myr_format_field *f = format->fields; f->name; f++)
        if (strcmp(f->stored, stored) == 0)
            return f->name;
    return NULL;
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
