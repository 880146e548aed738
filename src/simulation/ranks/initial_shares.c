/* initial_shares.c - initial particles of the ranks. Before the first step every rank has an arbitrary part of the
 * particles, which may be empty. */
#include "simulation/ranks/initial_shares.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domain/ranks.h"
#include "molecular/molecular.h"
#include "simulation/box_motion.h"

/* State of rank 0's simulation. */
typedef struct {
    int64_t steps, particle_steps, started, given;
    double time, shown, origin, unit;
    myr_molecular_options options;
} parts_state;

static myr_status parts_start(myr_simulation *s, int64_t *started)
{
    parts_state start = {.steps = s->motion.steps,
                         .particle_steps = s->motion.particle_steps,
                         .started = s->motion.started,
                         .given = s->box->options_given,
                         .time = s->motion.time,
                         .shown = s->motion.shown,
                         .origin = s->motion.origin,
                         .unit = s->motion.unit,
                         .options = s->box->options};
    const myr_status status = myr_ranks_share(s->context, &start, sizeof start);
    if (status)
        return status;
    *started = start.started;
    s->box->options = start.options;
    s->box->options_given = (int)start.given;
    s->motion.time = start.time;
    s->motion.shown = start.shown;
    s->motion.origin = start.origin;
    s->motion.unit = start.unit;
    s->motion.steps = start.steps;
    s->motion.particle_steps = start.particle_steps;
    return MYR_OK;
}

/* Rows of one rank. */
typedef struct {
    int64_t first, n;
} shares_rows;

static int parts_compare(const void *a, const void *b)
{
    const shares_rows *one = a, *two = b;
    return one->first != two->first ? (one->first > two->first) - (one->first < two->first)
                                    : (one->n > two->n) - (one->n < two->n);
}

/* Parts set by the user: checks that each row is in one of them. */
static myr_status shares_given(myr_simulation *s, shares_rows *rows, int ranks)
{
    int64_t next = 0;
    qsort(rows, (size_t)ranks, sizeof *rows, parts_compare);
    for (int r = 0; r < ranks; next += rows[r++].n)
        if (rows[r].n > 0 && rows[r].first != next)
            return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                    "the parts of the particles that ranks begin with do not fit: row %lld is in %s of "
                                    "them; each must be in one",
                                    (long long)(rows[r].first < next ? rows[r].first : next),
                                    rows[r].first < next ? "two" : "none");
    if (next != s->ranks.part.rows.all)
        return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                "the parts that ranks begin with have %lld particles together; %lld were told",
                                (long long)next, (long long)s->ranks.part.rows.all);
    return MYR_OK;
}

/* No parts were set: all ranks have the same particles, or rank 0 has all. */
static myr_status shares_usual(myr_simulation *s, const shares_rows *rows, int ranks)
{
    const int rank = myr_ranks_me(s->context);
    int other = 0, empty = 1;
    for (int r = 1; r < ranks; r++) {
        other = !other && rows[r].n != rows[0].n ? r : other;
        empty &= rows[r].n == 0;
    }
    if (other && !empty)
        return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                "rank %d has %lld particle%s, and rank 0 has %lld; give all ranks the same ones, or "
                                "none to those that follow, or say which part of them a rank has",
                                other, (long long)rows[other].n, myr_plural(rows[other].n), (long long)rows[0].n);
    s->ranks.part.rows.all = rows[0].n;
    s->ranks.part.same = !other;
    s->ranks.part.keep_first = myr_ranks_first(s->context, rows[0].n, rank);
    s->ranks.part.keep_last = myr_ranks_first(s->context, rows[0].n, rank + 1);
    return MYR_OK;
}

/* Description of a field in a message. */
typedef struct {
    char name[64];
    int64_t components;
} parts_field;

static myr_status parts_add(myr_simulation *s, const parts_field *field, int is_empty)
{
    const int components = (int)field->components;
    if (is_empty)
        return myr_particles_add_field(s->particles, field->name, components);
    return myr_particles_component_const(s->particles, field->name, components - 1) &&
                   !myr_particles_component_const(s->particles, field->name, components)
               ? MYR_OK
               : myr_context_fail(s->context, MYR_ERROR_FIELD,
                                  "the particles of this rank have no field '%s' with %d component%s, as those of "
                                  "others have; give all parts the same fields",
                                  field->name, components, myr_plural(components));
}

/* Gives all ranks the fields of the first rank that has particles. */
static myr_status shares_fields(myr_simulation *s, const int64_t *count)
{
    int from = 0;
    while (from + 1 < myr_ranks_count(s->context) && count[from] == 0)
        from++;
    const int is_empty = myr_particles_count(s->particles) == 0, is_sender = from == myr_ranks_me(s->context);
    const int mine = myr_particles_fields(s->particles);
    int64_t fields = mine;
    myr_status status = myr_ranks_broadcast(s->context, &fields, sizeof fields, from);
    for (int k = 0; k < fields && !status; k++) {
        parts_field field = {.components = myr_particles_field_components(s->particles, k)};
        if (is_sender)
            snprintf(field.name, sizeof field.name, "%s", myr_particles_field_name(s->particles, k));
        status = myr_ranks_broadcast(s->context, &field, sizeof field, from);
        if (!status && !is_sender)
            status = parts_add(s, &field, is_empty);
        if (!status && strcmp(myr_particles_field_name(s->particles, k), field.name) != 0)
            status = myr_context_fail(s->context, MYR_ERROR_FIELD,
                                      "the particles of this rank have field '%s' in another place than those of "
                                      "others; add the fields of all parts in the same order",
                                      field.name);
    }
    if (!status && !is_empty && mine != fields)
        return myr_context_fail(s->context, MYR_ERROR_FIELD,
                                "the particles of this rank have %d fields, and those of others %d; give all parts "
                                "the same fields",
                                mine, (int)fields);
    return status;
}

/* Makes open axes long enough for the particles of all ranks. */
static myr_status shares_extent(myr_simulation *s)
{
    double most[6];
    myr_molecular_extent(s->particles, s->ranks.part.rows.low, s->ranks.part.rows.high);
    for (int c = 0; c < 3; c++) {
        most[c] = -s->ranks.part.rows.low[c];
        most[3 + c] = s->ranks.part.rows.high[c];
    }
    const myr_status status = myr_ranks_max(s->context, most, 6);
    for (int c = 0; c < 3; c++) {
        s->ranks.part.rows.low[c] = -most[c];
        s->ranks.part.rows.high[c] = most[3 + c];
    }
    return status;
}

myr_status myr_initial_shares_take(myr_simulation *s, myr_particles *set, int64_t first)
{
    myr_particles_destroy(&s->particles);
    myr_particles_destroy(&s->synchronous);
    s->particles = set;
    s->ranks.part.rows.first = first;
    s->ranks.part.same = 0;
    return shares_extent(s);
}

static myr_status parts_find(myr_simulation *s)
{
    const int ranks = myr_ranks_count(s->context);
    uint64_t given = (uint64_t)s->ranks.part.given;
    shares_rows *rows = calloc((size_t)ranks, sizeof *rows);
    int64_t *word = calloc(2 * (size_t)ranks, sizeof *word);
    myr_status status =
        rows && word ? MYR_OK : myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for %d ranks", ranks);
    if (!status)
        status = myr_ranks_any(s->context, &given, 1);
    if (!status)
        status = myr_ranks_all(s->context, s->ranks.part.rows.first, word);
    if (!status)
        status = myr_ranks_all(s->context, myr_particles_count(s->particles), word + ranks);
    for (int r = 0; r < ranks && !status; r++)
        rows[r] = (shares_rows){word[r], word[ranks + r]};
    if (!status)
        status = given ? shares_given(s, rows, ranks) : shares_usual(s, rows, ranks);
    if (!status)
        status = shares_fields(s, word + ranks);
    if (!status)
        status = shares_extent(s);
    free(rows);
    free(word);
    s->ranks.part.known = !status;
    s->ranks.part.given = given != 0;
    return status;
}

myr_status myr_initial_shares_prepare(myr_simulation *s)
{
    int64_t started = s->motion.started;
    if (s->ranks.part.known || myr_motion_of(s)->every_rank || myr_ranks_count(s->context) == 1)
        return MYR_OK;
    myr_status status = parts_start(s, &started);
    if (!status)
        status = parts_find(s);
    if (!status && started && !s->box->engine && myr_box_motion_wanted(s))
        status = myr_box_motion_open(s);
    if (!status)
        s->motion.started = (int)started;
    return status;
}

myr_status myr_simulation_set_part(myr_simulation *simulation, int64_t first, int64_t all)
{
    myr_simulation *s = simulation;
    if (!s)
        return MYR_ERROR_ARGUMENT;
    const int64_t n = myr_particles_count(s->particles);
    if (first < 0 || n > all || first > all - n)
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "%lld particles from row %lld on are no part of %lld",
                                (long long)n, (long long)first, (long long)all);
    if (s->motion.started || s->ranks.part.known)
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "a part of the particles is told before the first step");
    if (myr_ranks_count(s->context) == 1)
        return n == all ? MYR_OK
                        : myr_context_fail(s->context, MYR_ERROR_VALUE, "one rank alone needs all %lld particles",
                                           (long long)all);
    s->ranks.part.given = 1;
    s->ranks.part.rows.first = first;
    s->ranks.part.rows.all = all;
    return MYR_OK;
}
