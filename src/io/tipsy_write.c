/* tipsy_write.c - writes Tipsy files. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "io/fields_by_type.h"
#include "io/tipsy.h"

/* Kind of particle for a type; types other than gas and stars are dark matter. */
static int tipsy_kind(int32_t type)
{
    for (int k = 0; k < MYR_TIPSY_KINDS; k++)
        if (myr_tipsy_kinds[k].type == type)
            return k;
    return 1;
}

/* Sorts the particles by kind; count[k] is the number of each kind. */
static void tipsy_sort(const myr_particles *p, int64_t *order, int64_t count[MYR_TIPSY_KINDS])
{
    const int64_t n = myr_particles_count(p);
    const int32_t *type = myr_particles_types(p);
    int64_t next[MYR_TIPSY_KINDS] = {0};
    for (int64_t i = 0; i < n; i++)
        count[tipsy_kind(type[i])]++;
    for (int k = 1; k < MYR_TIPSY_KINDS; k++)
        next[k] = next[k - 1] + count[k - 1];
    for (int64_t i = 0; i < n; i++)
        order[next[tipsy_kind(type[i])]++] = i;
}

/* Mask of the types whose records have room for a field. */
static uint32_t tipsy_types_with(const char *field)
{
    uint32_t types = 0;
    for (int k = 0; k < MYR_TIPSY_KINDS; k++)
        for (int c = 0; c < myr_tipsy_kinds[k].columns; c++)
            if (strcmp(myr_tipsy_kinds[k].column[c].field, field) == 0)
                /* dark matter: all types except gas and stars */
                types |= k == 1 ? ~0x11u : 1u << myr_tipsy_kinds[k].type;
    return types;
}

static int tipsy_is_written(const myr_format_job *job, const char *field)
{
    for (int k = 0; k < job->fields; k++)
        if (strcmp(job->field[k], field) == 0)
            return 1;
    return 0;
}

static myr_status tipsy_check(const myr_format_job *job, const char *format)
{
    myr_context *context = myr_particles_context(job->particles);
    const int32_t *type = myr_particles_types(job->particles);
    const int64_t n = myr_particles_count(job->particles);
    int64_t other = 0, first = -1;
    myr_status status = MYR_OK;
    if (n > INT32_MAX)
        return myr_context_fail(context, MYR_ERROR_VALUE, "'%s': the format %s holds at most %d particles, not %lld",
                                job->path, format, INT32_MAX, (long long)n);
    for (int64_t i = 0; i < n; i++)
        if (type[i] != myr_tipsy_kinds[tipsy_kind(type[i])].type)
            first = other++ == 0 ? i : first;
    if (other)
        status = myr_format_report_loss(
            job,
            "'%s': the format %s has gas (type 0), dark (1) and star (4) particles; %lld particle%s "
            "of other types (the first has type %d) %s stored as dark",
            job->path, format, (long long)other, myr_plural(other), (int)type[first], other == 1 ? "is" : "are");
    for (int k = 0; !status && k < job->fields; k++)
        status = myr_fields_by_type_check(job, format, job->field[k], tipsy_types_with(job->field[k]));
    for (int k = 0; !status && n > 0 && k < 3; k++)
        if (!tipsy_is_written(job, myr_tipsy_fields[k].name))
            status = myr_format_report_loss(job, "'%s' is written with zeros as '%s': the format %s cannot do without",
                                            job->path, myr_tipsy_fields[k].name, format);
    return status;
}

static void tipsy_put_particles(myr_binary_out *out, const myr_format_job *job, int kind, int64_t count,
                                const int64_t *order)
{
    const myr_tipsy_kind *k = &myr_tipsy_kinds[kind];
    myr_binary_column from[MYR_TIPSY_COLUMNS];
    for (int c = 0; c < k->columns; c++) {
        const myr_tipsy_column *column = &k->column[c];
        from[c] = (myr_binary_column){.kind = MYR_BINARY_FLOAT};
        if (tipsy_is_written(job, column->field))
            from[c].from = myr_particles_component_const(job->particles, column->field, column->component);
    }
    myr_binary_put_columns(out, count, k->columns, from, order);
}

static myr_status tipsy_put(const myr_format_job *job, int swapped, const int64_t *order,
                            const int64_t count[MYR_TIPSY_KINDS])
{
    myr_binary_out out;
    uint64_t size = MYR_TIPSY_PADDED;
    for (int k = 0; k < MYR_TIPSY_KINDS; k++)
        size += (uint64_t)count[k] * myr_tipsy_record(k, 0);
    const myr_status status = myr_binary_create(myr_particles_context(job->particles), job->path, size, &out);
    if (status)
        return status;
    out.swapped = swapped;
    myr_binary_put_f64(&out, job->header.time);
    myr_binary_put_u32(&out, (uint32_t)myr_particles_count(job->particles));
    myr_binary_put_u32(&out, 3);
    for (int k = 0; k < MYR_TIPSY_KINDS; k++)
        myr_binary_put_u32(&out, (uint32_t)count[k]);
    myr_binary_put_u32(&out, 0); /* padding */
    for (int k = 0; k < MYR_TIPSY_KINDS; k++) {
        tipsy_put_particles(&out, job, k, count[k], order);
        order += count[k];
    }
    return myr_binary_publish(&out);
}

static myr_status tipsy_write(const myr_format_job *job, const char *format, int swapped)
{
    const int64_t n = myr_particles_count(job->particles);
    int64_t *order = myr_memory_zeros(n, sizeof *order), count[MYR_TIPSY_KINDS] = {0};
    if (!order)
        return myr_context_fail(myr_particles_context(job->particles), MYR_ERROR_MEMORY,
                                "no memory to sort %lld particles", (long long)n);
    tipsy_sort(job->particles, order, count);
    myr_status status = tipsy_check(job, format);
    /* ids first: a complete Tipsy file then always has its ids */
    if (!status)
        status = myr_tipsy_write_ids(job, order);
    if (!status)
        status = tipsy_put(job, swapped, order, count);
    free(order);
    return status;
}

myr_status myr_tipsy_write(const myr_format_job *job)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return tipsy_write(job, "tipsy", first == 1); /* big-endian */
}

myr_status myr_tipsy_write_native(const myr_format_job *job)
{
    return tipsy_write(job, "tipsy_native", 0);
}
