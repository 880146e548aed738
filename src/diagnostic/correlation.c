/* correlation.c - time correlations: mean-square displacement and velocity autocorrelation as functions of the lag t,
 *
 *   msd(t) = < |x(t0 + t) - x(t0)|^2 >,    vacf(t) = < v(t0 + t) . v(t0) >
 *
 * averaged over particles and over time origins t0. A new origin is opened every `spacing` samples and closed after as
 * many samples as the table has lags, so that only a few origins are stored at a time. Positions are unfolded by their
 * periodic images. A change of the box moves its particles without diffusion: a path is the sum of displacements in
 * fractions of the box edge between samples at which the box has changed, times the mean of the edges before and after;
 * the box of a run either changes all the time or never.
 *
 * Particles that are on a GPU are correlated there (backend/box_paths.h). The vectors of the origins are stored here as
 * well, so that nothing of the state is on the device alone. */
#include <math.h>
#include <string.h>

#include "diagnostic/observable.h"

/* Layout of the state array: sums [rows][columns]; number of origins [rows] and sum of lags [rows]; one slot per origin
 * with the index of its first sample, its time and a vector per particle. For displacements also the unfolded path of
 * each particle in the last sample with which the box had changed, its position there in fractions of the box edge, and
 * the edges. */

static int64_t correlation_slots(const myr_observable *o)
{
    return (o->options.rows + o->options.spacing - 1) / o->options.spacing;
}

/* Number of columns of sums: all particles, and each type if there are several. */
static int correlation_sums(const myr_observable *o)
{
    return myr_observable_type_columns(o) - 1;
}

static int64_t correlation_size(const myr_observable *o)
{
    return o->options.rows * (correlation_sums(o) + 2) + correlation_slots(o) * (2 + 3 * o->n);
}

static double *correlation_origins(const myr_observable *o)
{
    return o->state + o->options.rows * correlation_sums(o);
}

static double *correlation_lags(const myr_observable *o)
{
    return correlation_origins(o) + o->options.rows;
}

static double *correlation_slot(const myr_observable *o, int64_t slot)
{
    return correlation_lags(o) + o->options.rows + slot * (2 + 3 * o->n);
}

static int64_t msd_size(const myr_observable *o)
{
    return correlation_size(o) + 6 * o->n + 3;
}

static double *msd_path(const myr_observable *o)
{
    return o->state + correlation_size(o);
}

static box_paths correlation_set(const myr_observable *o, const myr_observable_sample *s, int velocities)
{
    box_paths set = {.velocities = velocities, .types = o->types};
    memcpy(set.edge, s->box, sizeof set.edge);
    memcpy(set.origin, s->origin, sizeof set.origin);
    return set;
}

static double msd_place(const box_paths *set, const myr_observable_sample *s, int c, int64_t i)
{
    return box_paths_place(set, c, s->x[c][i], s->image[c] ? s->image[c][i] : 0);
}

/* The vector that is correlated: path or velocity of particle i. */
static void correlation_vector(const myr_observable *o, const myr_observable_sample *s, const box_paths *set, int64_t i,
                               double to[3])
{
    const double *path = msd_path(o), *place = path + 3 * o->n;
    for (int c = 0; c < 3; c++)
        to[c] = set->velocities
                    ? s->v[c][i]
                    : box_paths_path(set, c, path[c * o->n + i], place[c * o->n + i], msd_place(set, s, c, i));
}

/* Opens a new origin in the slot of the origin that has just been closed. Returns its number, or -1 if the sample is
 * none. */
static int64_t correlation_open_origin(const myr_observable *o, const myr_observable_sample *s)
{
    if (o->samples % o->options.spacing != 0)
        return -1;
    const int64_t k = o->samples / o->options.spacing % correlation_slots(o);
    double *slot = correlation_slot(o, k);
    slot[0] = (double)o->samples + 1; /* 0 = unused slot */
    slot[1] = s->time;
    return k;
}

/* Row of the table for a sample and an origin; -1 = none. */
static int64_t correlation_row(const myr_observable *o, int64_t slot)
{
    const double first = correlation_slot(o, slot)[0];
    const int64_t row = o->samples + 1 - (int64_t)first;
    return first > 0 && row < o->options.rows ? row : -1;
}

/* Adds the sums of all types over the particles to a row. */
static void correlation_store(const myr_observable *o, const myr_observable_sample *s, int64_t k, const double *sum)
{
    const int64_t n = o->n, row = correlation_row(o, k);
    const double *slot = correlation_slot(o, k);
    double all = 0;
    for (int t = 0; t < o->types; t++)
        all += sum[t];
    double *row_sums = o->state + row * correlation_sums(o);
    row_sums[0] += n ? all / (double)n : 0;
    for (int t = 0; o->types > 1 && t < o->types; t++)
        row_sums[1 + t] += o->of_type[t] ? sum[t] / (double)o->of_type[t] : 0;
    correlation_origins(o)[row]++;
    correlation_lags(o)[row] += s->time - slot[1];
}

/* Sum of a chunk in pairs. Changes the terms. */
static double correlation_chunk(double term[BOX_PATHS_CHUNK])
{
    for (int far = BOX_PATHS_CHUNK / 2; far > 0; far /= 2)
        for (int k = 0; k < far; k++)
            term[k] += term[k + far];
    return term[0];
}

/* Adds the correlation of a sample with one origin. */
static void correlation_compare(const myr_observable *o, const myr_observable_sample *s, const box_paths *set,
                                int64_t k)
{
    double sum[MYR_OBSERVABLE_TYPES_MAX] = {0}, term[BOX_PATHS_CHUNK], mine[BOX_PATHS_CHUNK];
    const int64_t n = o->n;
    const double *slot = correlation_slot(o, k) + 2;
    for (int64_t first = 0; first < n; first += BOX_PATHS_CHUNK) {
        for (int64_t j = 0; j < BOX_PATHS_CHUNK; j++) {
            const int64_t i = first + j < n ? first + j : n - 1;
            const double then[3] = {slot[i], slot[n + i], slot[2 * n + i]};
            double now[3];
            correlation_vector(o, s, set, i, now);
            term[j] = first + j < n ? box_paths_term(set, now, then) : 0;
        }
        for (int t = 0; t < o->types; t++) {
            for (int64_t j = 0; j < BOX_PATHS_CHUNK; j++)
                mine[j] = first + j < n && (o->types == 1 || s->type[first + j] == t) ? term[j] : 0;
            sum[t] += correlation_chunk(mine);
        }
    }
    correlation_store(o, s, k, sum);
}

/* What a GPU correlates with the present sample, which opens an origin if it is one. */
static void correlation_ask(myr_observable *o, const myr_observable_sample *s, int velocities, box_correlation *c)
{
    c->key = o;
    c->samples = o->samples;
    c->set = correlation_set(o, s, velocities);
    c->path = velocities ? NULL : msd_path(o);
    c->slots = correlation_slots(o);
    c->slot = correlation_slot(o, 0) + 2;
    c->stride = 2 + 3 * o->n;
    c->open = correlation_open_origin(o, s);
    c->compares = 0;
    for (int64_t k = 0; k < c->slots; k++)
        if (correlation_row(o, k) >= 0)
            c->compare[c->compares++] = (int32_t)k;
}

static void correlation_take(myr_observable *o, const myr_observable_sample *s, const box_correlation *c)
{
    const int64_t chunks = (o->n + BOX_PATHS_CHUNK - 1) / BOX_PATHS_CHUNK;
    for (int64_t m = 0; m < c->compares; m++) {
        double sum[MYR_OBSERVABLE_TYPES_MAX] = {0};
        for (int t = 0; t < o->types; t++)
            for (int64_t chunk = 0; chunk < chunks; chunk++)
                sum[t] += c->part[(m * o->types + t) * chunks + chunk];
        correlation_store(o, s, c->compare[m], sum);
    }
}

static myr_status correlation_add(myr_observable *o, const myr_observable_sample *s, int velocities)
{
    if (velocities && !s->v[0])
        return myr_context_fail(o->context, MYR_ERROR_FIELD, "the observable vacf needs the field 'velocity'");
    const box_paths set = correlation_set(o, s, velocities);
    const int64_t open = correlation_open_origin(o, s);
    for (int64_t i = 0; i < o->n && open >= 0; i++) {
        double now[3];
        correlation_vector(o, s, &set, i, now);
        for (int c = 0; c < 3; c++)
            correlation_slot(o, open)[2 + c * o->n + i] = now[c];
    }
    for (int64_t k = 0; k < correlation_slots(o); k++)
        if (correlation_row(o, k) >= 0)
            correlation_compare(o, s, &set, k);
    return MYR_OK;
}

static double correlation_value(const myr_observable *o, int k, int64_t row)
{
    const double origins = correlation_origins(o)[row];
    if (origins == 0)
        return (double)NAN;
    if (k == 0)
        return correlation_lags(o)[row] / origins;
    return o->state[row * correlation_sums(o) + k - 1] / origins;
}

static const char *correlation_name(int k, const char *function, char name[MYR_OBSERVABLE_NAME_MAX + 1])
{
    myr_observable_of_type(k ? function : "lag", k < 2 ? -1 : k - 2, name);
    return name;
}

/* 1 if the box is that of the last sample. */
static int msd_box_is_same(const myr_observable *o, const myr_observable_sample *s)
{
    const double *edge = msd_path(o) + 6 * o->n;
    int is_same = o->samples > 0;
    for (int c = 0; c < 3; c++)
        is_same &= edge[c] == (s->box[c] > 0 ? s->box[c] : 1);
    return is_same;
}

/* Extends the unfolded paths to a new sample if its box is another. */
static void msd_extend_paths(const myr_observable *o, const myr_observable_sample *s)
{
    double *path = msd_path(o), *place = path + 3 * o->n, *edge = place + 3 * o->n;
    const box_paths set = correlation_set(o, s, 0);
    for (int c = 0; c < 3; c++) {
        const double now = s->box[c] > 0 ? s->box[c] : 1, mean = o->samples ? 0.5 * (edge[c] + now) : 0;
        for (int64_t i = 0; i < o->n; i++) {
            const double to = msd_place(&set, s, c, i);
            path[c * o->n + i] += (to - place[c * o->n + i]) * mean;
            place[c * o->n + i] = to;
        }
        edge[c] = now;
    }
}

static myr_status msd_add(myr_observable *o, const myr_observable_sample *s)
{
    if (!msd_box_is_same(o, s))
        msd_extend_paths(o, s);
    return correlation_add(o, s, 0);
}

static int msd_ask(myr_observable *o, const myr_observable_sample *s, box_correlation *correlation)
{
    if (!msd_box_is_same(o, s))
        return 0;
    correlation_ask(o, s, 0, correlation);
    return 1;
}

static const char *msd_name(const myr_observable *o, int k, char name[MYR_OBSERVABLE_NAME_MAX + 1])
{
    (void)o;
    correlation_name(k, "msd", name);
    return k ? "area" : "time";
}

static myr_status vacf_add(myr_observable *o, const myr_observable_sample *s)
{
    return correlation_add(o, s, 1);
}

static int vacf_ask(myr_observable *o, const myr_observable_sample *s, box_correlation *correlation)
{
    correlation_ask(o, s, 1, correlation);
    return 1;
}

static const char *vacf_name(const myr_observable *o, int k, char name[MYR_OBSERVABLE_NAME_MAX + 1])
{
    (void)o;
    correlation_name(k, "vacf", name);
    return k ? "energy per mass" : "time";
}

const myr_observable_table myr_observe_msd = {
    .info = {"msd", "mean-square displacement after a lag", 1},
    .rows = 100,
    .size = msd_size,
    .add = msd_add,
    .ask_paths = msd_ask,
    .take_paths = correlation_take,
    .columns = myr_observable_type_columns,
    .name = msd_name,
    .value = correlation_value,
};

const myr_observable_table myr_observe_vacf = {
    .info = {"vacf", "velocity autocorrelation after a lag", 1},
    .rows = 100,
    .size = correlation_size,
    .add = vacf_add,
    .ask_paths = vacf_ask,
    .take_paths = correlation_take,
    .columns = myr_observable_type_columns,
    .name = vacf_name,
    .value = correlation_value,
};
