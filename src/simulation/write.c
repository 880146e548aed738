/* write.c - snapshots of particles in a box that several ranks write together: every rank writes a part of the rows
 * into the one file, whose tables rank 0 has laid out. The file is that of one rank. */
#include <stdlib.h>
#include <string.h>

#include "domain/ranks.h"
#include "io/file.h"
#include "simulation/rows.h"
#include "simulation/shared.h"

enum { WRITE_PATH = 4096 };

/* A hole as it is told. */
typedef struct {
    int64_t column, components;
    int64_t field; /* of the set */
    uint64_t offset;
} write_hole;

/* A file that all ranks write to. */
typedef struct {
    char temporary[WRITE_PATH];
    int64_t holes;
    write_hole hole[MYR_FORMAT_HOLES];
} write_file;

/* The rows of this rank into one table. */
static myr_status write_rows(const myr_simulation *s, myr_rows *r, const write_hole *hole, myr_file *file)
{
    const size_t width = (size_t)hole->components * sizeof(double), size = (size_t)(r->last - r->first) * width;
    void *values = malloc(size + 1);
    myr_status status = MYR_OK;
    if (!values)
        status = myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for %lld rows of a snapshot",
                                  (long long)(r->last - r->first));
    status = myr_ranks_agree(s->context, status);
    if (!status)
        status = myr_rows_get(r, (myr_format_column)hole->column,
                              myr_particles_field_name(s->particles, (int)hole->field), (int)hole->components, values);
    if (!status)
        status = myr_file_write(file, hole->offset + (uint64_t)r->first * width, values, size);
    free(values);
    return status;
}

/* All ranks write their rows; those of one that cannot are missed by all. */
static myr_status write_fill(myr_simulation *s, const write_file *w)
{
    myr_rows rows = {0};
    myr_file file;
    myr_status status = myr_file_join(s->context, w->temporary, &file);
    const int joined = !status;
    if (!status)
        status = myr_rows_open(s, &rows);
    for (int64_t k = 0; k < w->holes && !status; k++)
        status = write_rows(s, &rows, &w->hole[k], &file);
    myr_rows_close(&rows);
    if (joined) {
        const myr_status left = myr_file_leave(&file);
        status = status ? status : left;
    }
    return myr_ranks_agree(s->context, status);
}

static myr_status write_lead(void *user, const char *temporary, int holes, const myr_format_hole *from)
{
    myr_simulation *s = user;
    write_file w = {.holes = holes};
    if (strlen(temporary) >= sizeof w.temporary)
        return myr_context_fail(s->context, MYR_ERROR_FILE, "the name '%s' is too long for several ranks", temporary);
    strcpy(w.temporary, temporary);
    for (int k = 0; k < holes; k++) {
        write_hole *hole = &w.hole[k];
        *hole = (write_hole){from[k].column, from[k].components, 0, from[k].offset};
        while (from[k].field && strcmp(myr_particles_field_name(s->particles, (int)hole->field), from[k].field) != 0)
            hole->field++;
    }
    const myr_status status = myr_ranks_share(s->context, &w, sizeof w);
    return status ? status : write_fill(s, &w);
}

static myr_status write_follow(myr_simulation *s)
{
    write_file w;
    const myr_status status = myr_ranks_share(s->context, &w, sizeof w);
    return status ? status : write_fill(s, &w);
}

myr_status myr_simulation_write(myr_simulation *simulation, const char *path, const char *format,
                                const char *const *fields, const myr_snapshot_header *header)
{
    myr_simulation *s = simulation;
    const myr_snapshot_header nothing = {0};
    const myr_particles *particles;
    if (!s || (!path && !myr_shared_follows(s)))
        return MYR_ERROR_ARGUMENT;
    if (!s->domains || (path && !myr_format_with_others(format))) {
        const myr_status status = myr_simulation_particles(s, &particles);
        return status ? status : myr_snapshot_write(particles, path, format, fields, header);
    }
    const myr_order order = {.kind = MYR_ORDER_SNAPSHOT};
    const myr_format_others others = {s, myr_simulation_count(s), write_lead};
    myr_status status = myr_shared_begin(s, &order);
    if (!status)
        status = path ? myr_format_write(s->particles, path, format, fields, header ? header : &nothing, &others)
                      : write_follow(s);
    return myr_shared_end(s, status);
}
