/* particle_parts.c - writes the particles of an engine as the parts of a checkpoint. */
#include "simulation/checkpoint/particle_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domain/ranks.h"
#include "simulation/box_motion.h"
#include "simulation/checkpoint/particle_parts_layout.h"

enum { STORE_PATH = 4096 };

/* Data written by one rank. */
typedef struct {
    myr_simulation *s;
    int64_t columns;
    myr_particle_parts_column *column; /* [columns] */
    int64_t parts;
    myr_checkpoint_part *part; /* [parts]: parts already written */
    double *room;              /* buffer for a gathered column */
    myr_checkpoint_part_writer *hand;
} store_job;

static int64_t job_first(const store_job *j, int64_t k)
{
    return j->s->box->engine->n * k / j->parts; /* no overflow: below 2^31 particles and parts */
}

static size_t job_part_bytes(const store_job *j, int64_t k)
{
    size_t bytes = 0;
    for (int64_t c = 0; c < j->columns; c++)
        bytes += (size_t)j->column[c].head.bytes;
    return sizeof(myr_particle_parts_head) + (size_t)j->columns * sizeof(myr_particle_parts_column_head) +
           bytes * (size_t)(job_first(j, k + 1) - job_first(j, k));
}

/* Gathers a field of the user's set in the order of the engine. */
static const void *job_gather(const store_job *j, const myr_particle_parts_column *column, int64_t first, int64_t last)
{
    const myr_molecular *m = j->s->box->engine;
    const int components = (int)((size_t)column->head.bytes / sizeof(double)), divided = j->s->ranks.domains != NULL;
    for (int c = 0; c < components; c++) {
        const double *from = divided ? NULL : myr_particles_component_const(j->s->particles, column->field, c);
        for (int64_t i = first; i < last; i++)
            j->room[(i - first) * components + c] =
                divided ? m->carried[i * m->columns + column->carried + c] : from[m->index[i]];
    }
    return j->room;
}

static myr_status job_write_part(store_job *j, int64_t k)
{
    const int64_t first = job_first(j, k), last = job_first(j, k + 1);
    const myr_particle_parts_head head = {last - first, j->columns};
    myr_status status = myr_checkpoint_write(j->hand, &head, sizeof head);
    for (int64_t c = 0; c < j->columns && !status; c++)
        status = myr_checkpoint_write(j->hand, &j->column[c].head, sizeof j->column[c].head);
    for (int64_t c = 0; c < j->columns && !status; c++) {
        const size_t bytes = (size_t)j->column[c].head.bytes;
        const void *from = j->column[c].array ? (char *)*j->column[c].array + (size_t)first * bytes
                                              : job_gather(j, &j->column[c], first, last);
        status = myr_checkpoint_write(j->hand, from, (size_t)(last - first) * bytes);
    }
    j->part[k] = myr_checkpoint_end_part(j->hand);
    return status;
}

static myr_status job_write(store_job *j, const char *temporary, uint64_t offset)
{
    myr_status status = myr_checkpoint_join(j->s->context, temporary, offset, &j->hand);
    for (int64_t k = 0; k < j->parts && !status; k++)
        status = job_write_part(j, k);
    const myr_status left = myr_checkpoint_leave(&j->hand);
    return status ? status : left;
}

static myr_status job_begin(store_job *j)
{
    int64_t widest = 0;
    size_t bytes;
    myr_status status = myr_molecular_agree_push(j->s->box->engine);
    (void)myr_molecular_remember(j->s->box->engine, &bytes);
    if (!status)
        status = myr_particle_parts_columns(j->s, &j->column, &j->columns);
    for (int64_t c = 0; c < j->columns && !status; c++)
        if (!j->column[c].array && j->column[c].head.bytes > widest)
            widest = j->column[c].head.bytes;
    j->parts = (j->s->box->engine->n + MYR_PARTICLE_PARTS_PARTICLES - 1) / MYR_PARTICLE_PARTS_PARTICLES;
    j->part = calloc((size_t)j->parts + 1, sizeof *j->part);
    j->room = malloc((size_t)widest * MYR_PARTICLE_PARTS_PARTICLES + 1);
    if (!status && (!j->part || !j->room))
        status = myr_context_fail(j->s->context, MYR_ERROR_MEMORY, "no memory for a checkpoint");
    return status;
}

/* Offset of this rank's parts in the file: after those of the lower ranks. */
static myr_status job_offset(const store_job *j, uint64_t *offset)
{
    const int ranks = j->s->ranks.domains ? myr_ranks_count(j->s->context) : 1;
    int64_t bytes = 0, *all = calloc((size_t)ranks, sizeof *all);
    if (!all)
        return myr_context_fail(j->s->context, MYR_ERROR_MEMORY, "no memory for a checkpoint");
    for (int64_t k = 0; k < j->parts; k++)
        bytes += (int64_t)job_part_bytes(j, k);
    const myr_status status = j->s->ranks.domains ? myr_ranks_all(j->s->context, bytes, all) : MYR_OK;
    *offset = MYR_CHECKPOINT_BEGIN;
    for (int k = 0; k < ranks && k < myr_ranks_me(j->s->context); k++)
        *offset += (uint64_t)all[k];
    free(all);
    return status;
}

/* Sends the table entries to the rank that writes the table. */
static myr_status job_enter(const store_job *j, myr_checkpoint_writer *w)
{
    void *all = NULL;
    size_t bytes = (size_t)j->parts * sizeof *j->part;
    if (!j->s->ranks.domains)
        return myr_checkpoint_add_parts(w, j->part, j->parts);
    myr_status status = myr_box_domains_gather(j->s, j->part, bytes, &all, &bytes);
    if (!status && w)
        status = myr_checkpoint_add_parts(w, all, (int64_t)(bytes / sizeof *j->part));
    free(all);
    return status;
}

/* Broadcasts the name of the file from the rank that created it. */
static myr_status job_name(const store_job *j, const myr_checkpoint_writer *w, char path[STORE_PATH])
{
    const char *temporary = myr_checkpoint_temporary(w);
    if (temporary && strlen(temporary) >= STORE_PATH)
        return myr_context_fail(j->s->context, MYR_ERROR_FILE, "the name '%s' is too long", temporary);
    strcpy(path, temporary ? temporary : "");
    return j->s->ranks.domains ? myr_ranks_share(j->s->context, path, STORE_PATH) : MYR_OK;
}

myr_status myr_particle_parts_save(myr_simulation *s, myr_checkpoint_writer *w)
{
    store_job j = {.s = s};
    char path[STORE_PATH];
    uint64_t offset = 0;
    myr_status status = job_begin(&j);
    if (!status)
        status = job_name(&j, w, path);
    if (!status)
        status = job_offset(&j, &offset);
    if (!status)
        status = job_write(&j, path, offset);
    if (s->ranks.domains)
        status = myr_ranks_agree(s->context, status);
    if (!status)
        status = job_enter(&j, w);
    free(j.column);
    free(j.part);
    free(j.room);
    return status;
}

myr_status myr_particle_parts_save_fields(const myr_simulation *s, myr_checkpoint_writer *w)
{
    const int fields = myr_particles_fields(s->particles);
    myr_particle_parts_column_head *head = calloc((size_t)fields + 1, sizeof *head);
    if (!head)
        return myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for a checkpoint");
    for (int k = 0; k < fields; k++) {
        snprintf(head[k].name, sizeof head[k].name, "%s", myr_particles_field_name(s->particles, k));
        head[k].bytes = myr_particles_field_components(s->particles, k) * (int64_t)sizeof(double);
    }
    const myr_status status = myr_checkpoint_add(w, MYR_PARTICLE_PARTS_FIELDS, head, (size_t)fields * sizeof *head);
    free(head);
    return status;
}
