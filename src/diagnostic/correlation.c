/* correlation.c - time correlations: mean-square displacement and velocity autocorrelation as functions of the lag t,
 *
 *   msd(t) = < |x(t0 + t) - x(t0)|^2 >,    vacf(t) = < v(t0 + t) . v(t0) >
 *
 * averaged over particles and over time origins t0. A new origin is opened every `spacing` samples and closed after as
 * many samples as the table has lags, so that only a few origins are stored at a time. Positions are unfolded by their
 * periodic images. A change of the box moves its particles without diffusion: a path is the sum over samples of
 * displacements in fractions of the box edge, times the mean of the edges before and after. */
#include <math.h>

#include "diagnostic/observable.h"

/* Layout of the state array: sums [rows][columns]; number of origins [rows] and sum of lags [rows]; one slot per origin
 * with the index of its first sample, its time and a vector per particle. For displacements also the unfolded path of
 * each particle, its position in the last sample in fractions of the box edge, and the edges. */

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

/* Component c of the vector that is correlated: path or velocity of particle i. */
static double correlation_vector(const myr_observable *o, const myr_observable_sample *s, int velocities, int c,
                                 int64_t i)
{
    return velocities ? s->v[c][i] : msd_path(o)[c * o->n + i];
}

/* Opens a new origin in the slot of the origin that has just been closed. */
static void correlation_open_origin(const myr_observable *o, const myr_observable_sample *s, int velocities)
{
    double *slot = correlation_slot(o, o->samples / o->options.spacing % correlation_slots(o));
    slot[0] = (double)o->samples + 1; /* 0 = unused slot */
    slot[1] = s->time;
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < o->n; i++)
            slot[2 + c * o->n + i] = correlation_vector(o, s, velocities, c, i);
}

/* Adds the correlation of a sample with one origin. */
static void correlation_compare(const myr_observable *o, const myr_observable_sample *s, const double *slot,
                                int64_t row, int velocities)
{
    double sum[MYR_OBSERVABLE_TYPES_MAX] = {0}, all = 0;
    const int64_t n = o->n;
    for (int64_t i = 0; i < n; i++) {
        double square = 0;
        for (int c = 0; c < 3; c++) {
            const double now = correlation_vector(o, s, velocities, c, i), then = slot[2 + c * n + i];
            square += velocities ? now * then : (now - then) * (now - then);
        }
        sum[o->types > 1 ? s->type[i] : 0] += square;
    }
    for (int t = 0; t < o->types; t++)
        all += sum[t];
    double *row_sums = o->state + row * correlation_sums(o);
    row_sums[0] += n ? all / (double)n : 0;
    for (int t = 0; o->types > 1 && t < o->types; t++)
        row_sums[1 + t] += o->of_type[t] ? sum[t] / (double)o->of_type[t] : 0;
    correlation_origins(o)[row]++;
    correlation_lags(o)[row] += s->time - slot[1];
}

static myr_status correlation_add(myr_observable *o, const myr_observable_sample *s, int velocities)
{
    if (velocities && !s->v[0])
        return myr_context_fail(o->context, MYR_ERROR_FIELD, "the observable vacf needs the field 'velocity'");
    if (o->samples % o->options.spacing == 0)
        correlation_open_origin(o, s, velocities);
    for (int64_t k = 0; k < correlation_slots(o); k++) {
        const double *slot = correlation_slot(o, k);
        const int64_t row = o->samples + 1 - (int64_t)slot[0];
        if (slot[0] > 0 && row < o->options.rows)
            correlation_compare(o, s, slot, row, velocities);
    }
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

/* Extends the unfolded paths to a new sample. */
static void msd_extend_paths(const myr_observable *o, const myr_observable_sample *s)
{
    double *path = msd_path(o), *place = path + 3 * o->n, *edge = place + 3 * o->n;
    for (int c = 0; c < 3; c++) {
        const double now = s->box[c] > 0 ? s->box[c] : 1, mean = o->samples ? 0.5 * (edge[c] + now) : 0;
        const double origin = s->box[c] > 0 ? s->origin[c] : 0;
        for (int64_t i = 0; i < o->n; i++) {
            const double image = s->image[c] && s->box[c] > 0 ? s->image[c][i] : 0;
            const double to = (s->x[c][i] - origin) / now + image;
            path[c * o->n + i] += (to - place[c * o->n + i]) * mean;
            place[c * o->n + i] = to;
        }
        edge[c] = now;
    }
}

static myr_status msd_add(myr_observable *o, const myr_observable_sample *s)
{
    msd_extend_paths(o, s);
    return correlation_add(o, s, 0);
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
    .columns = myr_observable_type_columns,
    .name = msd_name,
    .value = correlation_value,
};

const myr_observable_table myr_observe_vacf = {
    .info = {"vacf", "velocity autocorrelation after a lag", 1},
    .rows = 100,
    .size = correlation_size,
    .add = vacf_add,
    .columns = myr_observable_type_columns,
    .name = vacf_name,
    .value = correlation_value,
};
