/* write_snapshot.c - snapshots of particles in a box written by several ranks together: every rank writes its range of
 * rows into one file, whose tables rank 0 has laid out. The file is identical to that of one rank. */
#include <stdlib.h>
#include <string.h>

#include "domain/ranks.h"
#include "io/file.h"
#include "simulation/ranks/gather_rows.h"
#include "simulation/ranks/commands.h"

enum { WRITE_PATH = 4096 };

/* Description of a hole (a table to be filled) in a message. */
typedef struct {
    int64_t column, components;
    int64_t field; /* index of the field in the set */
    uint64_t offset;
} write_hole;

/* Arguments of a request. */
typedef struct {
    const char *path, *format;
    const char *const *fields;
    const myr_snapshot_header *header;
} write_request;

/* File that all ranks write to. */
typedef struct {
    char temporary[WRITE_PATH];
    int64_t holes;
    write_hole hole[MYR_FORMAT_HOLES];
} write_file;

/* Writes the rows of this rank into one table. */
static myr_status write_rows(myr_gather_rows *r, const write_hole *hole, myr_file *file)
{
    const size_t width = (size_t)hole->components * sizeof(double), size = (size_t)(r->last - r->first) * width;
    void *values = malloc(size + 1);
    myr_status status = MYR_OK;
    if (!values)
        status = myr_context_fail(r->context, MYR_ERROR_MEMORY, "no memory for %lld rows of a snapshot",
                                  (long long)(r->last - r->first));
    status = myr_ranks_agree(r->context, status);
    if (!status)
        status = myr_gather_rows_get(r, (myr_format_column)hole->column,
                                     myr_particles_field_name(r->set, (int)hole->field), (int)hole->components, values);
    if (!status)
        status = myr_file_write(file, hole->offset + (uint64_t)r->first * width, values, size);
    free(values);
    return status;
}

/* All ranks write their rows; a failure of one rank fails on all. */
static myr_status write_fill(myr_simulation *s, const myr_kept *kept, const write_file *w)
{
    myr_gather_rows rows = {0};
    myr_file file;
    myr_status status = myr_file_join(s->context, w->temporary, &file);
    const int joined = !status;
    if (!status)
        status = myr_gather_rows_open(s, kept, &rows);
    for (int64_t k = 0; k < w->holes && !status; k++)
        status = write_rows(&rows, &w->hole[k], &file);
    myr_gather_rows_close(&rows);
    if (joined) {
        const myr_status left = myr_file_leave(&file);
        status = status ? status : left;
    }
    return myr_ranks_agree(s->context, status);
}

/* Input of rank 0 for laying out a file. */
typedef struct {
    myr_simulation *s;
    const myr_kept *kept;
    const myr_particles *set;
} write_job;

static myr_status write_lead(void *user, const char *temporary, int holes, const myr_format_hole *from)
{
    const write_job *job = user;
    myr_context *context = job->s->context;
    write_file w = {.holes = holes};
    if (strlen(temporary) >= sizeof w.temporary)
        return myr_context_fail(context, MYR_ERROR_FILE, "the name '%s' is too long for several ranks", temporary);
    strcpy(w.temporary, temporary);
    for (int k = 0; k < holes; k++) {
        write_hole *hole = &w.hole[k];
        *hole = (write_hole){from[k].column, from[k].components, 0, from[k].offset};
        while (from[k].field && strcmp(myr_particles_field_name(job->set, (int)hole->field), from[k].field) != 0)
            hole->field++;
    }
    const myr_status status = myr_ranks_share(context, &w, sizeof w);
    return status ? status : write_fill(job->s, job->kept, &w);
}

static myr_status write_follow(myr_simulation *s, const myr_kept *kept)
{
    write_file w;
    const myr_status status = myr_ranks_share(s->context, &w, sizeof w);
    return status ? status : write_fill(s, kept, &w);
}

/* If the format cannot be written in parallel, rank 0 gathers all particles temporarily. */
static myr_status write_alone(myr_simulation *s, const myr_kept *kept, const write_request *q)
{
    myr_particles *whole;
    myr_status status = myr_gather_rows_all(s, kept, &whole);
    if (!status && whole)
        status = myr_snapshot_write(whole, q->path, q->format, q->fields, q->header);
    myr_particles_destroy(&whole);
    return status;
}

/* Writes a snapshot, on all ranks; a request without a path is that of a following rank. */
static myr_status write_all(myr_simulation *s, const myr_kept *kept, const write_request *q)
{
    write_job job = {s, kept, kept ? kept->set : s->particles};
    const myr_format_others others = {&job, myr_simulation_count(s), write_lead};
    const myr_snapshot_header nothing = {0};
    int64_t together = myr_format_with_others(q->format);
    const myr_status status = myr_ranks_share(s->context, &together, sizeof together);
    if (status || !together)
        return status ? status : write_alone(s, kept, q);
    return q->path ? myr_format_write(job.set, q->path, q->format, q->fields, q->header ? q->header : &nothing, &others)
                   : write_follow(s, kept);
}

myr_status myr_simulation_write(myr_simulation *simulation, const char *path, const char *format,
                                const char *const *fields, const myr_snapshot_header *header)
{
    myr_simulation *s = simulation;
    const write_request request = {path, format, fields, header};
    const myr_particles *particles;
    if (!s || (!path && !myr_commands_follows(s)))
        return MYR_ERROR_ARGUMENT;
    myr_status status = myr_commands_whole(s);
    if (status)
        return status;
    if (!myr_commands_particles(s)) {
        status = myr_simulation_particles(s, &particles);
        return status ? status : myr_snapshot_write(particles, path, format, fields, header);
    }
    const myr_command order = {.kind = MYR_COMMAND_SNAPSHOT};
    status = myr_commands_begin(s, &order);
    if (!status)
        status = write_all(s, NULL, &request);
    return myr_commands_end(s, status);
}

myr_status myr_simulation_write_kept(myr_simulation *simulation, const char *path, const char *format,
                                     const char *const *fields, const myr_snapshot_header *header)
{
    myr_simulation *s = simulation;
    if (!s || (!path && !myr_commands_follows(s)))
        return MYR_ERROR_ARGUMENT;
    if (!s->kept)
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "no particles have been kept");
    myr_kept_fetch(s);
    myr_snapshot_header then = header ? *header : (myr_snapshot_header){0};
    then.time = s->kept->at.time;
    then.step = s->kept->at.step;
    memcpy(then.box, s->kept->at.box, sizeof then.box);
    memcpy(then.origin, s->kept->at.origin, sizeof then.origin);
    const write_request request = {path, format, fields, &then};
    if (!s->ranks.domains)
        return myr_snapshot_write(s->kept->set, path, format, fields, &then);
    const myr_command order = {.kind = MYR_COMMAND_WRITE_KEPT};
    myr_status status = myr_commands_begin(s, &order);
    if (!status)
        status = write_all(s, s->kept, &request);
    return myr_commands_end(s, status);
}
