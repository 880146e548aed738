/* kernel_registry.c - kernels made from source, owned by their context. */
#include "interaction/kernel_registry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/pipeline/pipeline_units.h"
#include "backend/units.h"
#include "interaction/catalogue.h"
#include "interaction/interaction.h"

enum { KERNELS_FILE_MAX = 1 << 20 };

/* One source text: one or two kernels. */
typedef struct made {
    myr_pipeline *pipeline;
    myr_pipeline_units *units;
    myr_kernel_info info[2];
    char *header; /* null until requested */
    int compiled; /* 1 = the last request for loops needed the compiler */
    double seconds;
    struct made *next;
} made;

static void made_free(void *list)
{
    for (made *m = list, *next; m; m = next) {
        next = m->next;
        myr_pipeline_units_destroy(&m->units);
        myr_pipeline_destroy(&m->pipeline);
        free(m->header);
        free(m);
    }
}

/* Source text of a kernel index past those of the library; null if there is none. */
static made *made_at(const myr_context *context, int kernel)
{
    made *m = kernel < MYR_KERNEL_COUNT ? NULL : context->kernels;
    for (int k = (kernel - MYR_KERNEL_COUNT) / 2; m && k > 0; k--)
        m = m->next;
    return m;
}

static int made_with_potential(int kernel)
{
    return (kernel - MYR_KERNEL_COUNT) % 2;
}

int myr_kernel_registry_find(const myr_context *context, const char *name)
{
    const int built_in = myr_catalogue_kernel(name);
    int k = MYR_KERNEL_COUNT;
    if (built_in >= 0 || !name)
        return built_in;
    for (const made *m = context->kernels; m; m = m->next, k += 2)
        for (int with = 0; with < 2; with++)
            if (m->info[with].name && strcmp(m->info[with].name, name) == 0)
                return k + with;
    return -1;
}

const myr_kernel_desc *myr_kernel_registry_desc(const myr_context *context, int kernel)
{
    const made *m = made_at(context, kernel);
    return m ? myr_pipeline_desc(m->pipeline, made_with_potential(kernel)) : myr_catalogue_desc(kernel);
}

const myr_pipeline *myr_kernel_registry_pipeline(const myr_context *context, int kernel, int *with_potential)
{
    const made *m = made_at(context, kernel);
    *with_potential = m ? made_with_potential(kernel) : 0;
    return m ? m->pipeline : NULL;
}

const char *myr_kernel_registry_header(myr_context *context, int kernel)
{
    made *m = made_at(context, kernel);
    if (m && !m->header)
        m->header = myr_pipeline_header(m->pipeline);
    return m ? m->header : NULL;
}

/* Messages and statistics of a request for loops. */
static const void *made_report(myr_context *context, made *m, const void *unit, const myr_unit_report *report,
                               const char *message)
{
    if (!unit)
        myr_context_fail(context, MYR_ERROR_UNAVAILABLE, "kernel %s: %s", myr_pipeline_desc(m->pipeline, 0)->name,
                         message);
    if (report->warning[0])
        myr_context_warn(context, "kernel %s was compiled, but not kept for the next time: %s",
                         myr_pipeline_desc(m->pipeline, 0)->name, report->warning);
    m->compiled = report->compiled;
    m->seconds = report->seconds;
    return unit;
}

const myr_unit *myr_kernel_registry_unit(myr_context *context, int kernel, const myr_isa_table *isa, int arithmetic)
{
    made *m = made_at(context, kernel);
    myr_unit_report report;
    char message[MYR_MESSAGE_MAX - 128] = "";
    if (!m)
        return myr_units_kernel(context, isa, kernel, arithmetic);
    const myr_unit *unit =
        myr_pipeline_unit(m->units, made_with_potential(kernel), isa, arithmetic, &report, message, sizeof message);
    return made_report(context, m, unit, &report, message);
}

const myr_short_range_unit *myr_kernel_registry_box_unit(myr_context *context, int kernel, const myr_isa_table *isa,
                                                         int arithmetic, int fixed, int halo)
{
    made *m = made_at(context, kernel);
    myr_unit_report report;
    char message[MYR_MESSAGE_MAX - 128] = "";
    const myr_short_range_unit *unit =
        myr_pipeline_box_unit(m->units, isa, arithmetic, fixed, halo, &report, message, sizeof message);
    return made_report(context, m, unit, &report, message);
}

static made *made_create(myr_context *context, const char *file, const char *text)
{
    char message[MYR_MESSAGE_MAX - 1];
    made *m = calloc(1, sizeof *m);
    if (!m) {
        myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for a kernel");
        return NULL;
    }
    m->pipeline = myr_pipeline_create(file, text, message, sizeof message);
    if (!m->pipeline)
        myr_context_fail(context, MYR_ERROR_FORMAT, "%s", message);
    else if (!(m->units = myr_pipeline_units_create(m->pipeline)))
        myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for a kernel");
    if (m->units) {
        for (int with = 0; with < 2; with++)
            if (myr_pipeline_desc(m->pipeline, with))
                myr_catalogue_info(myr_pipeline_desc(m->pipeline, with), myr_pipeline_counts(m->pipeline, with),
                                   &m->info[with]);
        return m;
    }
    made_free(m);
    return NULL;
}

/* Checks that the name is neither that of a kernel of the library nor that of another text. */
static myr_status made_check(myr_context *context, const made *m, made **same)
{
    *same = NULL;
    for (int with = 0; with < 2 && m->info[with].name; with++) {
        const char *name = m->info[with].name;
        const int k = myr_kernel_registry_find(context, name);
        made *other = k < 0 ? NULL : made_at(context, k);
        if (k < 0)
            continue;
        if (!other)
            return myr_context_fail(
                context, MYR_ERROR_NAME,
                "%s: the library has a kernel '%s' of its own; give yours another name, with a line "
                "'name: my_%s'",
                myr_pipeline_file(m->pipeline), name, name);
        if (strcmp(myr_pipeline_text(other->pipeline), myr_pipeline_text(m->pipeline)) != 0)
            return myr_context_fail(context, MYR_ERROR_NAME,
                                    "%s: there is a kernel '%s' already, from %s; give this one another name, with a "
                                    "line 'name: ...'",
                                    myr_pipeline_file(m->pipeline), name, myr_pipeline_file(other->pipeline));
        *same = other;
    }
    return MYR_OK;
}

myr_status myr_kernel_from_source(myr_context *context, const char *file, const char *text,
                                  const myr_kernel_info **kernel)
{
    made *same;
    if (kernel)
        *kernel = NULL;
    if (!context || !file || !text)
        return MYR_ERROR_ARGUMENT;
    made *m = made_create(context, file, text);
    if (!m)
        return MYR_ERROR_FORMAT;
    const myr_status status = made_check(context, m, &same);
    if (status || same) {
        made_free(m);
        m = same;
    } else {
        made **end = (made **)&context->kernels;
        while (*end)
            end = &(*end)->next;
        *end = m;
        context->kernels_free = made_free;
    }
    if (!status && kernel)
        *kernel = &m->info[0];
    return status;
}

myr_status myr_kernel_from_file(myr_context *context, const char *path, const myr_kernel_info **kernel)
{
    if (kernel)
        *kernel = NULL;
    if (!context || !path)
        return MYR_ERROR_ARGUMENT;
    FILE *f = fopen(path, "rb");
    char *text = malloc(KERNELS_FILE_MAX + 1);
    const size_t size = f && text ? fread(text, 1, KERNELS_FILE_MAX + 1, f) : 0;
    const int error = errno, failed = !f || !text || ferror(f);
    myr_status status = MYR_OK;
    if (f)
        fclose(f);
    if (failed)
        status = myr_context_fail(context, MYR_ERROR_FILE, "%s: %s", path, strerror(error));
    else if (size > KERNELS_FILE_MAX || memchr(text, '\0', size))
        status = myr_context_fail(context, MYR_ERROR_FORMAT, "%s is not the text of a pipeline", path);
    else {
        text[size] = '\0';
        status = myr_kernel_from_source(context, path, text, kernel);
    }
    free(text);
    return status;
}

const myr_kernel_info *myr_kernel_known(const myr_context *context, const char *name)
{
    const int k = context ? myr_kernel_registry_find(context, name) : -1;
    const made *m = k < 0 ? NULL : made_at(context, k);
    return m ? &m->info[made_with_potential(k)] : myr_kernel(k);
}

const char *myr_kernel_source(const myr_context *context, const char *name, const char **file)
{
    int with;
    const int k = context ? myr_kernel_registry_find(context, name) : -1;
    const myr_pipeline *p = k < 0 ? NULL : myr_kernel_registry_pipeline(context, k, &with);
    if (file)
        *file = p ? myr_pipeline_file(p) : NULL;
    return p ? myr_pipeline_text(p) : NULL;
}

myr_status myr_kernel_compile(const myr_interaction *interaction, int *compiled, double *seconds)
{
    if (!interaction)
        return MYR_ERROR_ARGUMENT;
    const made *m = made_at(interaction->context, interaction->kernel);
    if (compiled)
        *compiled = 0;
    if (seconds)
        *seconds = 0;
    const myr_isa_table *isa = m ? myr_interaction_isa(interaction, 0) : NULL;
    if (!m || !isa)
        return m ? MYR_ERROR_UNAVAILABLE : MYR_OK;
    if (!myr_kernel_registry_unit(interaction->context, interaction->kernel, isa, interaction->arithmetic))
        return MYR_ERROR_UNAVAILABLE;
    if (compiled)
        *compiled = m->compiled;
    if (seconds)
        *seconds = m->seconds;
    return MYR_OK;
}
