/* amber.c - reader of AMBER coordinate text files (inpcrd, restrt, rst7).
 *
 *   title
 *      22  0.1000000E+04                     number of atoms and, optionally, the time in ps
 *     2.0000010   1.0000000  -0.0000013 ...  positions in Angstrom, columns of 12 characters, six per line
 *                                            velocities in Angstrom per 1/20.455 ps, optional
 *                                            edges, and mostly angles, of a periodic box, optional
 *
 * The optional parts are recognised by the number of values alone. With one or two atoms the count is ambiguous, and
 * the values are taken as velocities. Masses, charges and bonds are in the topology file (topology_read.c). */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "io/text.h"

enum { AMBER_WIDTH = 12, AMBER_PER_LINE = 6 };

#define AMBER_VELOCITY 20.455 /* stored velocity for 1 Angstrom/ps */
#define AMBER_TIME 4.888821290839616e-14
#define AMBER_PS (1e-12 / AMBER_TIME) /* 1 ps in the unit of time, Angstrom sqrt(g/kcal) */
#define AMBER_MASS (1e-3 / 6.02214076e23)
#define AMBER_CHARGE 1.602176634e-19

static const myr_format_field amber_fields[] = {
    {"position", "coordinates", 3, 0}, {"velocity", "velocities", 3, 0}, {0, 0, 0, 0}};

/* 1 if twelve characters are a word for a value that is not finite. */
static int amber_is_no_number(const unsigned char *at)
{
    char text[AMBER_WIDTH + 1], *rest;
    memcpy(text, at, AMBER_WIDTH);
    text[AMBER_WIDTH] = 0;
    const double value = strtod(text, &rest);
    return rest != text && *rest == 0 && !isfinite(value);
}

/* 1 if twelve characters are a number with seven decimals, or asterisks, NaN or Infinity, which programs write for
 * other values; the reader then reports their position. */
static int amber_column(const unsigned char *at)
{
    return (at[4] == '.' && isdigit(at[11])) || memcmp(at, "************", AMBER_WIDTH) == 0 || amber_is_no_number(at);
}

/* Probes the third line for numbers with seven decimals in columns of twelve characters. */
static int amber_probe(const myr_format_file *file)
{
    const unsigned char *at = file->head, *end = file->head + file->head_size;
    for (int line = 0; line < 2; line++) {
        const unsigned char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline)
            return MYR_FORMAT_NO;
        if (line == 1) {
            while (at < newline && *at == ' ')
                at++;
            if (at == newline || !isdigit(*at))
                return MYR_FORMAT_NO;
        }
        at = newline + 1;
    }
    if (end - at < 3 * AMBER_WIDTH)
        return MYR_FORMAT_NO;
    for (int k = 0; k < 3; k++)
        if (!amber_column(at + AMBER_WIDTH * k))
            return MYR_FORMAT_NO;
    return MYR_FORMAT_SURELY;
}

/* Parses column number `field` of the present line; *present = 0 if the line is shorter. */
static myr_status amber_field(myr_text *t, int field, double *value, int *present)
{
    const char *start = t->line_start + AMBER_WIDTH * field;
    char text[AMBER_WIDTH + 1], *rest;
    const char *end = myr_text_line_end(t);
    while (end > t->line_start && isspace((unsigned char)end[-1]))
        end--;
    *present = end - t->line_start > AMBER_WIDTH * field;
    if (!*present)
        return MYR_OK;
    const size_t length = (size_t)(end - start < AMBER_WIDTH ? end - start : AMBER_WIDTH);
    memcpy(text, start, length);
    text[length] = 0;
    *value = strtod(text, &rest);
    if (rest == text || rest[strspn(rest, " ")] || !isfinite(*value))
        return myr_text_fail(t, start, "a number was expected in 12 columns, not '%s'", text);
    return MYR_OK;
}

/* Reads all remaining numbers, at most `most`. */
static myr_status amber_numbers(myr_text *t, int64_t most, double *value, int64_t *n)
{
    *n = 0;
    for (; t->at < t->end; myr_text_next_line(t))
        for (int field = 0, present = 1; field < AMBER_PER_LINE; field++) {
            double x = 0;
            const myr_status status = amber_field(t, field, &x, &present);
            if (status || !present) {
                if (status)
                    return status;
                break;
            }
            if (*n == most)
                return myr_text_fail(t, t->line_start, "there are more numbers than positions, velocities and a box");
            value[(*n)++] = x;
        }
    return MYR_OK;
}

/* "   22  0.1000000E+04" */
static myr_status amber_count(myr_text *t, int64_t *atoms, double *time)
{
    myr_text_next_line(t);
    if (t->at == t->end)
        return myr_text_fail(t, t->at, "the number of atoms was expected in the second line; the file is cut short");
    const char *at = t->at;
    myr_status status = myr_text_integer(t, "the number of atoms is", 1, INT32_MAX, atoms);
    if (!status && !myr_text_at_end(t))
        status = myr_text_double(t, time);
    if (!status && *atoms > (t->end - t->at) / 3)
        status = myr_text_fail(t, at, "this says that there are %lld atoms, but only %lld bytes follow",
                               (long long)*atoms, (long long)(t->end - t->at));
    if (!status)
        myr_text_next_line(t);
    return status;
}

/* Determines from the count n of numbers whether the file has velocities and a box. */
static myr_status amber_find_parts(const myr_text *t, int64_t atoms, int64_t n, int *velocities, int *box)
{
    *velocities = n >= 6 * atoms;
    const int64_t rest = n - (*velocities ? 6 : 3) * atoms;
    *box = rest == 3 || rest == 6;
    if (rest == 0 || *box)
        return MYR_OK;
    return myr_context_fail(t->context, MYR_ERROR_FORMAT,
                            "%s:%ld:1: there are %lld numbers for %lld atom%s; expected %lld of positions, as many of "
                            "velocities, and 3 or 6 of a box: the file is cut short or damaged",
                            t->path, t->line, (long long)n, (long long)atoms, myr_plural(atoms),
                            3LL * (long long)atoms);
}

static myr_status amber_fill(const myr_text *t, int64_t atoms, int64_t n, double *value, double time,
                             myr_particles **particles, myr_snapshot_header *header)
{
    int velocities, box;
    myr_status status = amber_find_parts(t, atoms, n, &velocities, &box);
    if (!status)
        status = myr_particles_create(t->context, atoms, particles);
    if (!status)
        status = myr_particles_set(*particles, "position", 3, value);
    if (!status && velocities) {
        for (int64_t k = 3 * atoms; k < 6 * atoms; k++)
            value[k] *= AMBER_VELOCITY / AMBER_PS;
        status = myr_particles_set(*particles, "velocity", 3, value + 3 * atoms);
    }
    const double *edge = value + (velocities ? 6 : 3) * atoms;
    for (int k = 0; !status && box && k < 3; k++) {
        const int angles = n - (edge - value) == 6;
        if (!(edge[k] > 0) || (angles && fabs(edge[3 + k] - 90.0) > 1e-6))
            return myr_context_fail(t->context, MYR_ERROR_FORMAT,
                                    "'%s' has a box with an edge of %g and an angle of %g degrees; only boxes with "
                                    "positive edges and right angles are possible",
                                    t->path, edge[k], angles ? edge[3 + k] : 90.0);
        header->box[k] = edge[k];
    }
    header->time = time * AMBER_PS;
    header->unit_length = 1e-10;
    header->unit_mass = AMBER_MASS;
    header->unit_time = AMBER_TIME;
    header->unit_charge = AMBER_CHARGE;
    return status;
}

static myr_status amber_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                             myr_snapshot_header *header)
{
    myr_text t;
    myr_text_language language;
    int64_t atoms = 0, n = 0;
    double time = 0, *value = NULL;
    (void)frame;
    myr_status status = myr_text_load(context, path, &t);
    myr_text_plain(&language);
    if (!status)
        status = amber_count(&t, &atoms, &time);
    if (!status && !(value = myr_memory_zeros(6 * atoms + 6, sizeof *value)))
        status =
            myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the %lld atoms of '%s'", (long long)atoms, path);
    if (!status)
        status = amber_numbers(&t, 6 * atoms + 6, value, &n);
    if (!status)
        status = amber_fill(&t, atoms, n, value, time, particles, header);
    myr_text_restore(&language);
    free(value);
    myr_text_free(&t);
    return status;
}

const myr_format myr_amber_format = {
    .info = {"amber", "coordinates of AMBER as text (inpcrd, rst7); read only", 1},
    .endings = {".inpcrd", ".rst7", ".restrt", ".crd"},
    .fields = amber_fields,
    .any_field = 0,
    .bits = 64,
    .keeps = MYR_SNAPSHOT_TIME | MYR_SNAPSHOT_BOX | MYR_SNAPSHOT_UNITS,
    .probe = amber_probe,
    .write = NULL,
    .read = amber_read,
};
