/* particle_parts_read.c - reads the parts of a checkpoint into the user's set and the engine. The hash of a part was
 * verified before; its contents are validated nevertheless. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulation/checkpoint/particle_parts.h"
#include "simulation/box_motion.h"
#include "simulation/checkpoint/particle_parts_layout.h"

/* --- columns ------------------------------------------------------------------------------------------------------ */

myr_status myr_particle_parts_columns(myr_simulation *s, myr_particle_parts_column **column, int64_t *columns)
{
    myr_molecular_field field[MYR_MOLECULAR_FIELDS];
    const int fields = myr_molecular_fields(s->box->engine, field), others = myr_particles_fields(s->particles);
    *columns = 0;
    *column = calloc((size_t)(fields + others) + 1, sizeof **column);
    if (!*column)
        return myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for a checkpoint");
    for (int k = 0; k < fields; k++) {
        if (!field[k].name)
            continue;
        myr_particle_parts_column *c = *column + (*columns)++;
        snprintf(c->head.name, sizeof c->head.name, "%s", field[k].name);
        c->head.bytes = (int64_t)field[k].bytes;
        c->array = field[k].array;
    }
    for (int k = 0; k < others; k++) {
        const char *name = myr_particles_field_name(s->particles, k);
        if (!myr_molecular_carries(name))
            continue;
        myr_particle_parts_column *c = *column + (*columns)++;
        snprintf(c->head.name, sizeof c->head.name, "%s%s", MYR_PARTICLE_PARTS_PREFIX, name);
        c->head.bytes = myr_particles_field_components(s->particles, k) * (int64_t)sizeof(double);
        c->field = name;
        c->carried = myr_molecular_carried(s->particles, k);
    }
    return MYR_OK;
}

/* --- one part ----------------------------------------------------------------------------------------------------- */

typedef struct {
    myr_context *context;
    const myr_checkpoint *file;
    int64_t k;
    myr_particle_parts_head head;
    myr_particle_parts_column_head *column; /* [head.columns] */
} part_reader;

static myr_status part_bad(const part_reader *r, const char *what)
{
    return myr_context_fail(r->context, MYR_ERROR_FORMAT,
                            "the checkpoint does not make sense: section 'particles %lld', %s", (long long)r->k, what);
}

/* Returns 1 if head, columns and values add up to the size of the part. */
static int part_fits(const part_reader *r)
{
    uint64_t left = myr_checkpoint_part_size(r->file, r->k) - sizeof r->head;
    left -= (uint64_t)r->head.columns * sizeof *r->column;
    for (int64_t c = 0; c < r->head.columns; c++) {
        const int64_t bytes = r->column[c].bytes;
        if (!memchr(r->column[c].name, 0, sizeof r->column[c].name) || bytes < 1 || bytes > INT32_MAX ||
            (uint64_t)(bytes * r->head.particles) > left)
            return 0;
        left -= (uint64_t)(bytes * r->head.particles);
    }
    return left == 0;
}

/* Reads the head and the columns of a part. The caller frees the columns. */
static myr_status part_open(part_reader *r)
{
    const uint64_t size = myr_checkpoint_part_size(r->file, r->k);
    r->column = NULL;
    if (size < sizeof r->head)
        return part_bad(r, "which has no head");
    myr_status status = myr_checkpoint_part_read(r->file, r->k, 0, &r->head, sizeof r->head);
    if (status)
        return status;
    if (r->head.particles < 0 || r->head.particles > INT32_MAX || r->head.columns < 1 ||
        r->head.columns > MYR_PARTICLE_PARTS_COLUMNS ||
        size - sizeof r->head < (uint64_t)r->head.columns * sizeof *r->column)
        return part_bad(r, "whose numbers cannot be");
    r->column = malloc((size_t)r->head.columns * sizeof *r->column);
    if (!r->column)
        return myr_context_fail(r->context, MYR_ERROR_MEMORY, "no memory to read a checkpoint");
    status =
        myr_checkpoint_part_read(r->file, r->k, sizeof r->head, r->column, (size_t)r->head.columns * sizeof *r->column);
    return status ? status : part_fits(r) ? MYR_OK : part_bad(r, "whose columns do not fill it");
}

/* Reads the values of a column of known size. */
static myr_status part_column(const part_reader *r, const char *name, int64_t bytes, void *to)
{
    uint64_t offset = sizeof r->head + (uint64_t)r->head.columns * sizeof *r->column;
    for (int64_t c = 0; c < r->head.columns; c++) {
        if (strcmp(r->column[c].name, name) == 0)
            return r->column[c].bytes == bytes
                       ? myr_checkpoint_part_read(r->file, r->k, offset, to, (size_t)(bytes * r->head.particles))
                       : part_bad(r, name);
        offset += (uint64_t)(r->column[c].bytes * r->head.particles);
    }
    return part_bad(r, name);
}

/* Counts the particles of the parts on this rank. */
static myr_status parts_count(myr_context *context, const myr_checkpoint *file, int64_t *count)
{
    int64_t first, last;
    part_reader r = {.context = context, .file = file};
    myr_status status = MYR_OK;
    *count = 0;
    myr_checkpoint_parts(file, &first, &last);
    for (r.k = first; r.k < last && !status; r.k++) {
        status = part_open(&r);
        *count += status ? 0 : r.head.particles;
        free(r.column);
    }
    return status;
}

/* --- the user's set ----------------------------------------------------------------------------------------------- */

/* Set being filled, and a buffer for a column of one part. */
typedef struct {
    myr_particles *set;
    int64_t n;
    int64_t *id;
    int32_t *type;
    int64_t *row;
    double *value;
} set_reader;

static myr_status set_fields(myr_context *context, const myr_checkpoint *file, myr_particles *set)
{
    size_t size;
    const myr_particle_parts_column_head *head = myr_checkpoint_section(file, MYR_PARTICLE_PARTS_FIELDS, &size);
    myr_status status = MYR_OK;
    for (size_t k = 0; k < size / sizeof *head && !status; k++) {
        const int64_t components = head[k].bytes / (int64_t)sizeof(double);
        if (!memchr(head[k].name, 0, sizeof head[k].name) || components < 1 || components > 16)
            return myr_context_fail(context, MYR_ERROR_FORMAT, "the checkpoint does not make sense: its fields");
        status = myr_particles_add_field(set, head[k].name, (int)components);
    }
    return status;
}

/* Reads one field of one part; the mass comes from the engine. */
static myr_status set_field(const part_reader *r, set_reader *to, int field)
{
    const char *name = myr_particles_field_name(to->set, field);
    const int components = myr_particles_field_components(to->set, field);
    char column[MYR_PARTICLE_PARTS_NAME + sizeof MYR_PARTICLE_PARTS_PREFIX];
    const int is_mass = strcmp(name, "mass") == 0 && components == 1;
    snprintf(column, sizeof column, "%s%s", is_mass ? "" : MYR_PARTICLE_PARTS_PREFIX, name);
    if (!myr_molecular_carries(name) && !is_mass)
        return MYR_OK;
    double *value = realloc(to->value, (size_t)(r->head.particles * components + 1) * sizeof *value);
    if (!value)
        return myr_context_fail(r->context, MYR_ERROR_MEMORY, "no memory to read a checkpoint");
    to->value = value;
    const myr_status status = part_column(r, column, components * (int64_t)sizeof *value, value);
    for (int c = 0; c < components && !status; c++) {
        double *at = myr_particles_component(to->set, name, c);
        for (int64_t i = 0; i < r->head.particles; i++)
            at[to->row[i]] = value[i * components + c];
    }
    return status;
}

static myr_status set_rows(const part_reader *r, set_reader *to)
{
    int64_t *row = realloc(to->row, (size_t)(r->head.particles + 1) * sizeof *row);
    if (!row)
        return myr_context_fail(r->context, MYR_ERROR_MEMORY, "no memory to read a checkpoint");
    to->row = row;
    const myr_status status = part_column(r, "place", sizeof *row, row);
    for (int64_t i = 0; i < r->head.particles && !status; i++)
        if (row[i] < 0 || row[i] >= to->n)
            return part_bad(r, "rows");
    return status;
}

/* Reads ids and types through the buffer of the values. */
static myr_status set_names(const part_reader *r, set_reader *to)
{
    int64_t *id = malloc((size_t)(r->head.particles + 1) * sizeof *id);
    int32_t *type = malloc((size_t)(r->head.particles + 1) * sizeof *type);
    myr_status status =
        id && type ? MYR_OK : myr_context_fail(r->context, MYR_ERROR_MEMORY, "no memory to read a checkpoint");
    if (!status)
        status = part_column(r, "id", sizeof *id, id);
    if (!status)
        status = part_column(r, "type", sizeof *type, type);
    for (int64_t i = 0; i < r->head.particles && !status; i++) {
        to->id[to->row[i]] = id[i];
        to->type[to->row[i]] = type[i];
    }
    free(id);
    free(type);
    return status;
}

static myr_status set_part(part_reader *r, set_reader *to)
{
    myr_status status = part_open(r);
    if (!status)
        status = set_rows(r, to);
    if (!status)
        status = set_names(r, to);
    for (int k = 0; k < myr_particles_fields(to->set) && !status; k++)
        status = set_field(r, to, k);
    free(r->column);
    return status;
}

static myr_status set_fill(myr_context *context, const myr_checkpoint *file, set_reader *to)
{
    int64_t first, last;
    part_reader r = {.context = context, .file = file};
    myr_checkpoint_parts(file, &first, &last);
    myr_status status = set_fields(context, file, to->set);
    for (r.k = first; r.k < last && !status; r.k++)
        status = set_part(&r, to);
    if (!status)
        status = myr_particles_set_ids(to->set, to->id);
    return status ? status : myr_particles_set_types(to->set, to->type);
}

myr_status myr_particle_parts_load_fields(myr_context *context, const myr_checkpoint *file, myr_particles **set)
{
    myr_status status = myr_particles_create(context, 0, set);
    if (!status)
        status = set_fields(context, file, *set);
    if (status)
        myr_particles_destroy(set);
    return status;
}

myr_status myr_particle_parts_load_set(myr_context *context, const myr_checkpoint *file, int64_t count,
                                       myr_particles **set)
{
    set_reader to = {.n = count};
    int64_t found;
    myr_status status = parts_count(context, file, &found);
    if (!status && found != count)
        status = myr_context_fail(context, MYR_ERROR_FORMAT,
                                  "the checkpoint does not make sense: %lld particles in its parts, and %lld in all",
                                  (long long)found, (long long)count);
    if (!status)
        status = myr_particles_create(context, count, set);
    if (status)
        return status;
    to.set = *set;
    to.id = calloc((size_t)count + 1, sizeof *to.id);
    to.type = calloc((size_t)count + 1, sizeof *to.type);
    status = to.id && to.type ? set_fill(context, file, &to)
                              : myr_context_fail(context, MYR_ERROR_MEMORY, "no memory to read a checkpoint");
    free(to.id);
    free(to.type);
    free(to.row);
    free(to.value);
    if (status)
        myr_particles_destroy(set);
    return status;
}

/* --- the engine --------------------------------------------------------------------------------------------------- */

/* Reads carried data of one part. */
static myr_status engine_carried(const part_reader *r, myr_simulation *s, const myr_particle_parts_column *column,
                                 int64_t at)
{
    myr_molecular *m = s->box->engine;
    const int64_t bytes = column->head.bytes, components = bytes / (int64_t)sizeof(double);
    double *value = malloc((size_t)(bytes * r->head.particles) + 1);
    if (!value)
        return myr_context_fail(r->context, MYR_ERROR_MEMORY, "no memory to read a checkpoint");
    const myr_status status = part_column(r, column->head.name, bytes, value);
    for (int64_t i = 0; i < r->head.particles && !status; i++)
        memcpy(m->carried + (at + i) * m->columns + column->carried, value + i * components, (size_t)bytes);
    free(value);
    return status;
}

static myr_status engine_part(part_reader *r, myr_simulation *s, const myr_particle_parts_column *column,
                              int64_t columns, int64_t *at)
{
    myr_molecular *m = s->box->engine;
    myr_status status = part_open(r);
    if (!status && r->head.particles > m->n - *at)
        status = part_bad(r, "which has more particles than there are");
    for (int64_t c = 0; c < columns && !status; c++) {
        const int64_t bytes = column[c].head.bytes;
        if (column[c].array)
            status = part_column(r, column[c].head.name, bytes, (char *)*column[c].array + *at * bytes);
        else if (m->set)
            status = engine_carried(r, s, &column[c], *at);
    }
    for (int64_t i = *at; i < *at + r->head.particles && !status; i++)
        if (m->type[i] < 0 || m->type[i] >= m->types || m->index[i] < 0 || m->index[i] >= m->all)
            status = part_bad(r, "types or rows");
    *at += status ? 0 : r->head.particles;
    free(r->column);
    return status;
}

/* Allocates the particles of the parts on this rank, with all carried data. */
static myr_status engine_reserve(myr_simulation *s, const myr_checkpoint *file)
{
    myr_molecular *m = s->box->engine;
    int64_t count;
    myr_status status = parts_count(s->context, file, &count);
    if (!status)
        status = myr_molecular_add_fields(m, s->particles);
    if (!status)
        status = myr_molecular_carry(m, s->particles, s->particles, 0);
    if (!status)
        status = myr_molecular_reserve(m, count);
    if (!status)
        m->n = count;
    return status;
}

myr_status myr_particle_parts_load_engine(myr_simulation *s, const myr_checkpoint *file)
{
    int64_t first, last, at = 0, columns;
    myr_particle_parts_column *column = NULL;
    part_reader r = {.context = s->context, .file = file};
    myr_checkpoint_parts(file, &first, &last);
    myr_status status = s->ranks.part.known ? engine_reserve(s, file) : MYR_OK;
    if (!status)
        status = myr_particle_parts_columns(s, &column, &columns);
    for (r.k = first; r.k < last && !status; r.k++)
        status = engine_part(&r, s, column, columns, &at);
    free(column);
    return status;
}

/* Copies one field of all particles, reordered from rows to memory order. */
static myr_status set_column(myr_simulation *s, int k, double *value, myr_particles *set)
{
    const char *name = myr_particles_field_name(s->particles, k);
    const int components = myr_particles_field_components(s->particles, k);
    myr_molecular_column(s->box->engine, name, s->box->engine->index, components, value);
    return myr_particles_set(set, name, components, value);
}

myr_status myr_particle_parts_set(myr_simulation *s, myr_particles **set)
{
    enum { COMPONENTS = 16 };
    myr_molecular *m = s->box->engine;
    myr_status status = myr_particles_create(s->context, m->n, set);
    double *value = malloc(((size_t)m->n * COMPONENTS + 1) * sizeof *value);
    if (!status && !value)
        status = myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for %lld particles", (long long)m->n);
    for (int64_t i = 0; i < m->n; i++)
        m->index[i] = i;
    if (!status)
        status = myr_particles_set_ids(*set, m->id);
    if (!status)
        status = myr_particles_set_types(*set, m->type);
    for (int k = 0; k < myr_particles_fields(s->particles) && !status; k++)
        status = set_column(s, k, value, *set);
    free(value);
    if (status)
        myr_particles_destroy(set);
    return status;
}
