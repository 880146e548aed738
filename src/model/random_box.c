/* random_box.c - random positions in a periodic cubic box of given number density, with a minimum distance between
 * particles.
 *
 * Positions are drawn in particle order and drawn again while an earlier particle or one of its periodic images is too
 * near; each attempt has its own random numbers. A cell list with cells at least as large as that distance holds the
 * particles placed so far. */
#include <math.h>
#include <stdlib.h>

#include "core/context.h"
#include "core/memory.h"
#include "core/random.h"
#include "model/thermal.h"

enum { DENSITY, DISTANCE, MASS, TEMPERATURE, CENTRE, ATTEMPTS = 10000, SIDE_MAX = 256 };

typedef struct {
    const myr_model_arrays *to;
    double edge, distance;
    int64_t side;
    /* [cells] first particle of each cell, [n] next particle in the same cell; index + 1, 0 = none */
    int64_t *head, *next;
} random_box;

static void random_draw(const random_box *box, uint64_t id, uint32_t attempt, double x[3])
{
    double u[4];
    myr_random_uniform(box->to->seed, MYR_STREAM_RADIUS, id, 2 * attempt, u);
    myr_random_uniform(box->to->seed, MYR_STREAM_RADIUS, id, 2 * attempt + 1, u + 2);
    for (int c = 0; c < 3; c++)
        x[c] = box->edge * (u[c] - 0.5);
}

static int64_t random_row(const random_box *box, double x)
{
    const int64_t row = (int64_t)floor((x / box->edge + 0.5) * (double)box->side);
    return row < 0 ? 0 : row >= box->side ? box->side - 1 : row;
}

/* Index of a cell from its row along each axis, periodically; a row may be one outside the box. */
static int64_t random_cell(const random_box *box, const int64_t row[3])
{
    int64_t cell = 0;
    for (int c = 0; c < 3; c++)
        cell = cell * box->side + (row[c] + box->side) % box->side;
    return cell;
}

static int random_taken(const random_box *box, int64_t cell, const double x[3])
{
    for (int64_t j = box->head[cell]; j; j = box->next[j - 1]) {
        double r2 = 0;
        for (int c = 0; c < 3; c++) {
            const double d = remainder(x[c] - box->to->position[c][j - 1], box->edge);
            r2 += d * d;
        }
        if (r2 < box->distance * box->distance)
            return 1;
    }
    return 0;
}

static int random_fits(const random_box *box, const double x[3])
{
    for (int k = 0; k < 27; k++) {
        const int64_t row[3] = {random_row(box, x[0]) + k / 9 - 1, random_row(box, x[1]) + k / 3 % 3 - 1,
                                random_row(box, x[2]) + k % 3 - 1};
        if (random_taken(box, random_cell(box, row), x))
            return 0;
    }
    return 1;
}

static void random_note(const random_box *box, int64_t i, const double x[3])
{
    const int64_t row[3] = {random_row(box, x[0]), random_row(box, x[1]), random_row(box, x[2])};
    const int64_t cell = random_cell(box, row);
    box->next[i] = box->head[cell];
    box->head[cell] = i + 1;
}

static myr_status random_fill(random_box *box)
{
    const myr_model_arrays *to = box->to;
    for (int64_t i = 0; i < to->n; i++) {
        double x[3];
        uint32_t attempt = 0;
        do {
            if (attempt == ATTEMPTS)
                return myr_context_fail(to->context, MYR_ERROR_VALUE,
                                        "no room for particle %lld at a distance of %g from the others; give a smaller "
                                        "distance or density",
                                        (long long)i, box->distance);
            random_draw(box, (uint64_t)(to->first + i), attempt++, x);
        } while (box->distance > 0 && !random_fits(box, x));
        for (int c = 0; c < 3; c++)
            to->position[c][i] = x[c];
        if (box->distance > 0)
            random_note(box, i, x);
    }
    return MYR_OK;
}

static myr_status random_place(const myr_model_arrays *to)
{
    random_box box = {.to = to, .edge = cbrt((double)to->all / to->value[DENSITY]), .distance = to->value[DISTANCE]};
    const double fit = box.distance > 0 ? fmin(box.edge / box.distance, cbrt((double)to->n)) : 1;
    box.side = fit < 1 ? 1 : fit > SIDE_MAX ? SIDE_MAX : (int64_t)fit;
    box.head = myr_memory_zeros(box.side * box.side * box.side, sizeof *box.head);
    box.next = myr_memory_zeros(box.distance > 0 ? to->n : 0, sizeof *box.next);
    myr_status status = MYR_OK;
    if (!box.head || !box.next)
        status = myr_context_fail(to->context, MYR_ERROR_MEMORY, "no memory for the cells of a box");
    if (!status)
        status = random_fill(&box);
    if (!status)
        status = myr_thermal_place(to, to->value[MASS], to->value[TEMPERATURE], 0);
    free(box.head);
    free(box.next);
    return status;
}

/* With a minimum distance, a particle depends on all earlier ones. */
static int random_in_rows(const myr_model_spec *spec)
{
    return spec->value[DISTANCE] == 0;
}

const myr_model_kind myr_random_model = {
    .info = {"random", "random in a periodic box of a number density, with thermal velocities; unit masses", 1},
    .place = random_place,
    .in_rows = random_in_rows,
    .param = {[DENSITY] = {{"density", "particles per volume", 1, 1e-300, MYR_HUGE}, MYR_PER_VOLUME},
              [DISTANCE] = {{"distance", "no two particles are nearer than this", 0, 0, MYR_HUGE}, MYR_LENGTH},
              [MASS] = MYR_THERMAL_MASS,
              [TEMPERATURE] = MYR_THERMAL_TEMPERATURE,
              [CENTRE] = MYR_THERMAL_CENTRE},
};
