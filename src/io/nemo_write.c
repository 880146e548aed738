/* nemo_write.c - writes NEMO snapshots in the byte order of this machine. */
#include <string.h>

#include "io/nemo.h"

enum { NEMO_OVERHEAD = 1024 /* approximate bytes besides the numbers */ };

static void nemo_put_start(myr_binary_out *out, uint16_t magic, char type, const char *tag)
{
    const char letters[2] = {type, 0};
    myr_binary_put(out, &magic, sizeof magic);
    myr_binary_put(out, letters, sizeof letters);
    if (tag)
        myr_binary_put(out, tag, strlen(tag) + 1);
}

static void nemo_open(myr_binary_out *out, const char *tag)
{
    nemo_put_start(out, MYR_NEMO_SINGLE, '(', tag);
}

static void nemo_close(myr_binary_out *out)
{
    nemo_put_start(out, MYR_NEMO_SINGLE, ')', NULL);
}

static void nemo_put_integer(myr_binary_out *out, const char *tag, uint32_t value)
{
    nemo_put_start(out, MYR_NEMO_SINGLE, 'i', tag);
    myr_binary_put_u32(out, value);
}

static void nemo_put_number(myr_binary_out *out, const char *tag, double value)
{
    nemo_put_start(out, MYR_NEMO_SINGLE, 'd', tag);
    myr_binary_put_f64(out, value);
}

/* Writes the start of an array [a][b][c]; b and c may be 0 = no such dimension. */
static void nemo_put_array(myr_binary_out *out, char type, const char *tag, int64_t a, int b, int c)
{
    nemo_put_start(out, MYR_NEMO_ARRAY, type, tag);
    myr_binary_put_u32(out, (uint32_t)a);
    if (b)
        myr_binary_put_u32(out, (uint32_t)b);
    if (c)
        myr_binary_put_u32(out, (uint32_t)c);
    myr_binary_put_u32(out, 0);
}

/* Index of a field in the job, or -1. */
static int nemo_index(const myr_format_job *job, const char *field)
{
    for (int k = 0; k < job->fields; k++)
        if (strcmp(job->field[k], field) == 0)
            return k;
    return -1;
}

/* 1 if positions and velocities are written as one array, the only form that older NEMO programs know. */
static int nemo_has_phase(const myr_format_job *job)
{
    return nemo_index(job, "position") >= 0 && nemo_index(job, "velocity") >= 0;
}

static void nemo_put_columns(myr_binary_out *out, const myr_format_job *job, int first, int second)
{
    myr_binary_column from[2 * 16];
    int columns = 0;
    for (int f = first; f >= 0; f = f == first ? second : -1)
        for (int c = 0; c < job->components[f]; c++)
            from[columns++] = (myr_binary_column){
                .kind = MYR_BINARY_DOUBLE, .from = myr_particles_component_const(job->particles, job->field[f], c)};
    myr_binary_put_columns(out, myr_particles_count(job->particles), columns, from, NULL);
}

/* Writes one field under its own name. */
static void nemo_put_field(myr_binary_out *out, const myr_format_job *job, int field)
{
    const char *stored = myr_format_stored(&myr_nemo_format, job->field[field]);
    nemo_put_array(out, 'd', stored ? stored : job->field[field], myr_particles_count(job->particles),
                   job->components[field] > 1 ? job->components[field] : 0, 0);
    nemo_put_columns(out, job, field, -1);
}

/* Writes masses first, then positions and velocities, as NEMO's own programs do. */
static void nemo_put_fields(myr_binary_out *out, const myr_format_job *job)
{
    const int mass = nemo_index(job, "mass"), phase = nemo_has_phase(job);
    const int position = nemo_index(job, "position"), velocity = nemo_index(job, "velocity");
    if (mass >= 0)
        nemo_put_field(out, job, mass);
    if (phase) {
        nemo_put_array(out, 'd', MYR_NEMO_PHASE, myr_particles_count(job->particles), 2, 3);
        nemo_put_columns(out, job, position, velocity);
    }
    for (int f = 0; f < job->fields; f++)
        if (f != mass && !(phase && (f == position || f == velocity)))
            nemo_put_field(out, job, f);
}

/* Keys have 64 bits only if an id needs that, because NEMO's programs read 32. */
static int nemo_has_long_ids(const myr_particles *p)
{
    const int64_t *ids = myr_particles_ids(p);
    for (int64_t i = 0; i < myr_particles_count(p); i++)
        if (ids[i] < INT32_MIN || ids[i] > INT32_MAX)
            return 1;
    return 0;
}

static void nemo_put_identities(myr_binary_out *out, const myr_particles *p)
{
    const int64_t n = myr_particles_count(p);
    const int32_t *types = myr_particles_types(p);
    const int wide = nemo_has_long_ids(p);
    int32_t any = 0;
    nemo_put_array(out, wide ? 'l' : 'i', MYR_NEMO_KEY, n, 0, 0);
    myr_binary_put_integers(out, n, wide ? MYR_BINARY_INT64 : MYR_BINARY_INT32, NULL, myr_particles_ids(p));
    for (int64_t i = 0; i < n; i++)
        any |= types[i];
    if (!any)
        return;
    nemo_put_array(out, 'i', MYR_NEMO_TYPE, n, 0, 0);
    for (int64_t i = 0; i < n; i++)
        myr_binary_put_u32(out, (uint32_t)types[i]);
}

static void nemo_put_headline(myr_binary_out *out, const char *text)
{
    if (!text)
        return;
    nemo_put_array(out, 'c', "Headline", (int64_t)strlen(text) + 1, 0, 0);
    myr_binary_put(out, text, strlen(text) + 1);
}

static void nemo_put_snapshot(myr_binary_out *out, const myr_format_job *job)
{
    const int64_t n = myr_particles_count(job->particles);
    nemo_open(out, "SnapShot");
    nemo_open(out, "Parameters");
    nemo_put_integer(out, "Nobj", (uint32_t)n);
    nemo_put_number(out, "Time", job->header.time);
    for (const myr_nemo_number *number = myr_nemo_numbers; number->tag; number++) {
        double value;
        memcpy(&value, (const char *)&job->header + number->offset, sizeof value);
        if (value != 0)
            nemo_put_number(out, number->tag, value);
    }
    nemo_close(out);
    nemo_open(out, "Particles");
    nemo_put_integer(out, MYR_NEMO_COORDINATES, MYR_NEMO_CARTESIAN << 16 | 3 << 8 | 2);
    if (n > 0) { /* an empty array would look like the end of the dimensions */
        nemo_put_fields(out, job);
        nemo_put_identities(out, job->particles);
    }
    nemo_close(out);
    nemo_close(out);
}

/* Job that writes frame f alone. */
static myr_format_job nemo_frame(const myr_format_job *job, int64_t f)
{
    myr_format_job one = *job;
    one.particles = job->frame[f];
    one.header = job->frame_header[f];
    return one;
}

/* Checks that a frame can be written; adds its size to *size. */
static myr_status nemo_check(const myr_format_job *job, uint64_t *size)
{
    myr_context *context = myr_particles_context(job->particles);
    const int64_t n = myr_particles_count(job->particles);
    *size += NEMO_OVERHEAD + 8 * (uint64_t)n;
    if (n > INT32_MAX)
        return myr_context_fail(context, MYR_ERROR_VALUE, "'%s': the format nemo holds at most %d particles, not %lld",
                                job->path, INT32_MAX, (long long)n);
    if (job->fields > MYR_NEMO_ITEMS_MAX - 3)
        return myr_context_fail(context, MYR_ERROR_VALUE, "'%s': the format nemo holds at most %d fields, not %d",
                                job->path, MYR_NEMO_ITEMS_MAX - 3, job->fields);
    for (int k = 0; k < job->fields; k++)
        *size += 8 * (uint64_t)n * (uint64_t)job->components[k];
    return MYR_OK;
}

myr_status myr_nemo_write(const myr_format_job *job)
{
    myr_context *context = myr_particles_context(job->particles);
    myr_binary_out out;
    uint64_t size = 0;
    int wide = 0;
    myr_status status = MYR_OK;
    for (int64_t f = 0; !status && f < job->frames; f++) {
        const myr_format_job one = nemo_frame(job, f);
        status = nemo_check(&one, &size);
        wide |= nemo_has_long_ids(one.particles);
    }
    if (!status && wide)
        myr_context_warn(context, "'%s': NEMO's own programs read keys of 32 bits, and these ids need 64", job->path);
    if (!status)
        status = myr_binary_create(context, job->path, size, &out);
    if (status)
        return status;
    nemo_put_headline(&out, job->header.program);
    for (int64_t f = 0; f < job->frames; f++) {
        const myr_format_job one = nemo_frame(job, f);
        nemo_put_snapshot(&out, &one);
    }
    return myr_binary_publish(&out);
}
