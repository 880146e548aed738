/* particle_fields.c - engine arrays as fields of the user's particle set. */
#include <stdlib.h>
#include <string.h>

#include "molecular/molecular.h"

enum { COLUMNS_AXES = 3 };

/* Fields that the engine provides; image only in a periodic box. */
typedef enum { COLUMN_POSITION, COLUMN_VELOCITY, COLUMN_FORCE, COLUMN_IMAGE, COLUMN_MASS, COLUMN_CARRIED } column_kind;

static const char *const column_name[] = {"position", "velocity", "force", "image", "mass"};

static column_kind column_of(const char *field)
{
    int kind = 0;
    while (kind < COLUMN_CARRIED && strcmp(column_name[kind], field) != 0)
        kind++;
    return (column_kind)kind;
}

static int column_images(const myr_molecular *m)
{
    return m->box.periodic[0] || m->box.periodic[1] || m->box.periodic[2];
}

myr_status myr_molecular_add_fields(const myr_molecular *m, myr_particles *set)
{
    myr_status status = MYR_OK;
    for (int kind = 0; kind <= COLUMN_IMAGE && !status; kind++)
        if (kind != COLUMN_IMAGE || column_images(m))
            status = myr_particles_add_field(set, column_name[kind], COLUMNS_AXES);
    return status;
}

/* Destination of one component of a field. */
typedef struct {
    const int64_t *place; /* [n], row of each particle; null = particle index */
    int64_t before;       /* number of rows before the first row of the destination */
    int64_t stride;
    double *to; /* first value of the component */
} column_target;

/* Copies one component; v holds the present velocities if kind is COLUMN_VELOCITY. */
static void column_fill(const myr_molecular *m, column_kind kind, int c, double *const *v, const column_target *t)
{
#pragma omp parallel for num_threads(m->team) if (m->n > 4096)
    for (int64_t i = 0; i < m->n; i++) {
        double *to = t->to + (t->place ? t->place[i] - t->before : i) * t->stride;
        switch (kind) {
        case COLUMN_POSITION:
            *to = myr_box_position(&m->box, c, m->q[c][i], 0);
            break;
        case COLUMN_VELOCITY:
            *to = v[c][i];
            break;
        case COLUMN_FORCE:
            *to = m->f[c][i];
            break;
        case COLUMN_IMAGE:
            *to = m->image[c][i];
            break;
        case COLUMN_MASS:
            *to = m->mass[i];
            break;
        case COLUMN_CARRIED: /* here c is the column among all carried columns */
            *to = m->carried[i * m->columns + c];
            break;
        }
    }
}

static double *const *column_prepare(myr_molecular *m, column_kind kind)
{
    if (kind == COLUMN_IMAGE)
        myr_molecular_count(m);
    return kind == COLUMN_VELOCITY ? myr_molecular_velocities(m) : NULL;
}

myr_status myr_molecular_fetch(myr_molecular *m, myr_particles *particles)
{
    const myr_status copied = myr_molecular_gpu_fetch(m);
    if (copied)
        return copied;
    const myr_status status = myr_molecular_add_fields(m, particles);
    if (status)
        return status;
    for (int kind = 0; kind <= (column_images(m) ? COLUMN_IMAGE : COLUMN_FORCE); kind++) {
        double *const *v = column_prepare(m, (column_kind)kind);
        for (int c = 0; c < COLUMNS_AXES; c++) {
            const column_target t = {m->index, m->before, 1, myr_particles_component(particles, column_name[kind], c)};
            column_fill(m, (column_kind)kind, c, v, &t);
        }
    }
    return MYR_OK;
}

int myr_molecular_carries(const char *field)
{
    return column_of(field) == COLUMN_CARRIED;
}

int myr_molecular_carried(const myr_particles *set, int k)
{
    int columns = 0;
    for (int before = 0; before < k; before++)
        if (myr_molecular_carries(myr_particles_field_name(set, before)))
            columns += myr_particles_field_components(set, before);
    return columns;
}

static void column_carry(myr_molecular *m, int k, const myr_particles *from, int64_t first)
{
    const char *name = myr_particles_field_name(m->set, k);
    const int column = myr_molecular_carried(m->set, k);
    for (int c = 0; c < myr_particles_field_components(m->set, k); c++) {
        const double *values = myr_particles_component_const(from, name, c);
        for (int64_t i = 0; i < m->n; i++)
            m->carried[i * m->columns + column + c] = values ? values[m->index[i] - first] : 0;
    }
}

myr_status myr_molecular_carry(myr_molecular *m, const myr_particles *set, const myr_particles *from, int64_t first)
{
    const int fields = myr_particles_fields(set);
    m->set = set;
    m->columns = myr_molecular_carried(set, fields);
    if (m->columns == 0)
        return MYR_OK;
    m->capacity = -1; /* forces a new allocation that includes the carried columns */
    const myr_status status = myr_molecular_reserve(m, m->n);
    for (int k = 0; k < fields && !status; k++)
        if (myr_molecular_carries(myr_particles_field_name(set, k)))
            column_carry(m, k, from, first);
    return status;
}

void myr_molecular_column(myr_molecular *m, const char *field, const int64_t *place, int components, double *to)
{
    const column_kind kind = column_of(field);
    (void)myr_molecular_gpu_fetch(m); /* after a failure the arrays are those of the last copy */
    double *const *v = column_prepare(m, kind);
    int first = 0;
    if (kind == COLUMN_CARRIED)
        for (int k = 0; k < myr_particles_fields(m->set); k++)
            if (strcmp(myr_particles_field_name(m->set, k), field) == 0)
                first = myr_molecular_carried(m->set, k);
    for (int c = 0; c < components; c++) {
        const column_target t = {place, 0, components, to + c};
        column_fill(m, kind, first + c, v, &t);
    }
}
