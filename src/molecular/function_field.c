/* function_field.c - external fields of particles in a box that functions of the user compute, for all particles at
 * once and in the order of the user's set. A function may fail: the state before a step is kept, and taken back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "molecular/molecular.h"

/* What a step changes: the rows of all arrays, one array after the other, and numbers. */
struct myr_molecular_before {
    myr_molecular_memory memory;
    myr_wide own_push[3 * BOX_SIDES];
    int64_t push[3 * BOX_SIDES];
    char *rows;
    size_t bytes;
};

/* --- fields ------------------------------------------------------------------------------------------------------- */

/* Columns of doubles for the points: positions, velocities, accelerations, potential. */
enum { POINT_POSITION = 0, POINT_VELOCITY = 3, POINT_ACCELERATION = 6, POINT_POTENTIAL = 9, POINT_COLUMNS = 10 };

typedef struct {
    myr_field_points points;
    double *column; /* [POINT_COLUMNS][n] */
    int64_t *id;
} function_points;

static void points_free(function_points *p)
{
    free(p->column);
    free(p->id);
}

/* All particles, by their rows in the user's set; positions are those that the set shows. */
static myr_status points_make(const myr_molecular *m, double time, function_points *p)
{
    const int64_t n = m->n;
    *p = (function_points){.points = {.time = time, .n = n}};
    p->column = myr_memory_zeros(POINT_COLUMNS * n, sizeof *p->column);
    p->id = myr_memory_zeros(n, sizeof *p->id);
    if (!p->column || !p->id) {
        points_free(p);
        return myr_context_fail(m->context, MYR_ERROR_MEMORY, "no memory for an external field of %lld particles",
                                (long long)n);
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t row = m->index[i] - m->before;
        p->id[row] = m->id[i];
        for (int c = 0; c < 3; c++) {
            p->column[(POINT_POSITION + c) * n + row] = myr_box_position(&m->box, c, m->q[c][i], 0);
            p->column[(POINT_VELOCITY + c) * n + row] = m->v[c][i];
        }
    }
    p->points.ids = p->id;
    for (int c = 0; c < 3; c++) {
        p->points.position[c] = p->column + (POINT_POSITION + c) * n;
        p->points.velocity[c] = p->column + (POINT_VELOCITY + c) * n;
        p->points.acceleration[c] = p->column + (POINT_ACCELERATION + c) * n;
    }
    return MYR_OK;
}

static myr_status function_force(myr_molecular *m, double *const force[3], myr_neighbour_sums *sums)
{
    function_points p;
    myr_status status = points_make(m, m->now, &p);
    if (status)
        return status;
    status = m->function.call(m->function.user, &p.points);
    for (int64_t i = 0; !status && i < m->n; i++)
        for (int c = 0; c < 3; c++)
            force[c][i] += m->mass[i] * p.points.acceleration[c][m->index[i] - m->before];
    points_free(&p);
    (void)sums; /* as for the fields of the library: energy is reported separately */
    return status;
}

myr_status myr_molecular_function_energy(const myr_molecular *m, double *energy)
{
    function_points p;
    *energy = 0;
    if (!m->function.call)
        return MYR_OK;
    myr_status status = points_make(m, m->now, &p);
    if (status)
        return status;
    p.points.potential = p.column + POINT_POTENTIAL * m->n;
    status = m->function.call(m->function.user, &p.points);
    double *each = p.column; /* energies by rows, so that the sum does not depend on the order of the list */
    for (int64_t i = 0; !status && i < m->n; i++) {
        const int64_t row = m->index[i] - m->before;
        each[row] = m->mass[i] * p.points.potential[row];
    }
    for (int64_t row = 0; !status && row < m->n; row++)
        *energy += each[row];
    points_free(&p);
    return status;
}

myr_status myr_molecular_set_function(myr_molecular *m, const myr_molecular_function *function)
{
    if (m->options.exact_reverse)
        return myr_context_fail(m->context, MYR_ERROR_COMBINATION,
                                "a field that a function of the program computes does not go with exact_reverse");
    if (m->terms == MYR_MOLECULAR_TERMS)
        return myr_context_fail(m->context, MYR_ERROR_VALUE, "at most %d kinds of forces", MYR_MOLECULAR_TERMS);
    m->function = *function;
    m->term[m->terms++] = (myr_force_term){function_force, NULL};
    m->memory.degrees = myr_molecular_degrees(m);
    return MYR_OK;
}

/* --- the state before a step -------------------------------------------------------------------------------------- */

/* Copies the arrays that belong to particles to `rows` (0) or back (1); returns their bytes. rows: null = none. */
static size_t before_copy(myr_molecular *m, char *rows, int back)
{
    myr_molecular_field field[MYR_MOLECULAR_FIELDS];
    const int fields = myr_molecular_fields(m, field);
    size_t bytes = 0;
    for (int k = 0; k < fields; k++) {
        if (!field[k].name && !field[k].sorted) /* scratch */
            continue;
        const size_t size = (size_t)m->n * field[k].bytes;
        if (rows)
            memcpy(back ? *field[k].array : rows + bytes, back ? rows + bytes : *field[k].array, size);
        bytes += size;
    }
    return bytes;
}

myr_status myr_molecular_keep_before(myr_molecular *m)
{
    size_t bytes;
    if (!m->function.call)
        return MYR_OK;
    if (!m->before_step)
        m->before_step = calloc(1, sizeof *m->before_step);
    myr_molecular_before *b = m->before_step;
    const size_t size = before_copy(m, NULL, 0);
    if (b && b->bytes < size) {
        free(b->rows);
        b->rows = malloc(size);
        b->bytes = b->rows ? size : 0;
    }
    if (!b || !b->rows)
        return myr_context_fail(m->context, MYR_ERROR_MEMORY, "no memory for the state of %lld particles",
                                (long long)m->n);
    (void)myr_molecular_remember(m, &bytes);
    b->memory = m->memory;
    memcpy(b->own_push, m->own_push, sizeof b->own_push);
    memcpy(b->push, m->push, sizeof b->push);
    (void)before_copy(m, b->rows, 0);
    return MYR_OK;
}

void myr_molecular_take_back(myr_molecular *m)
{
    char message[MYR_MESSAGE_MAX]; /* of the failure */
    const myr_molecular_before *b = m->before_step;
    if (!m->function.call || !b)
        return;
    memcpy(message, m->context->message, sizeof message);
    (void)before_copy(m, b->rows, 1);
    m->memory = b->memory;
    memcpy(m->own_push, b->own_push, sizeof b->own_push);
    memcpy(m->push, b->push, sizeof b->push);
    (void)myr_molecular_loaded(m, 0); /* a list that cannot be built is an error of the next step */
    memcpy(m->context->message, message, sizeof message);
}

void myr_molecular_forget_before(myr_molecular *m)
{
    if (m->before_step)
        free(m->before_step->rows);
    free(m->before_step);
    m->before_step = NULL;
}
