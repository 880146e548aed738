/* profile.c - how particles are spread along an axis: numbers per volume in slices of the box. Along the axis the box
 * must be periodic; a slice is a part of its edge, whatever that is at the moment. */
#include <math.h>

#include "diagnostic/observable.h"

/* The state: per type and slice a density; then the sum of the places of the slices. */
static int64_t profile_size(const myr_observable *o)
{
    return (o->types + 1) * o->options.rows;
}

static myr_status profile_begin(myr_observable *o, const myr_observable_sample *s)
{
    if (s->box[0] > 0 && s->box[1] > 0 && s->box[2] > 0)
        return MYR_OK;
    return myr_context_fail(o->context, MYR_ERROR_VALUE,
                            "the observable profile needs a box that is periodic along all axes");
}

static myr_status profile_add(myr_observable *o, const myr_observable_sample *s)
{
    const int64_t rows = o->options.rows;
    const int axis = o->options.axis;
    const double each = (double)rows / (s->box[0] * s->box[1] * s->box[2]);
    for (int64_t i = 0; i < o->n; i++) {
        const double part = (s->x[axis][i] - s->origin[axis]) / s->box[axis];
        const int64_t slice = (int64_t)((part - floor(part)) * (double)rows);
        o->state[(o->types > 1 ? s->type[i] : 0) * rows + (slice < rows ? slice : rows - 1)] += each;
    }
    for (int64_t k = 0; k < rows; k++)
        o->state[o->types * rows + k] += s->origin[axis] + s->box[axis] * ((double)k + 0.5) / (double)rows;
    return MYR_OK;
}

static const char *profile_name(const myr_observable *o, int k, char name[MYR_OBSERVABLE_NAME_MAX + 1])
{
    const char axis[] = {"xyz"[o->options.axis], 0};
    myr_observable_of_type(k ? "density" : axis, k < 2 ? -1 : k - 2, name);
    return k ? "number density" : "length";
}

static double profile_value(const myr_observable *o, int k, int64_t row)
{
    const int64_t rows = o->options.rows;
    double sum = 0;
    if (k == 0)
        sum = o->state[o->types * rows + row];
    else if (k > 1)
        sum = o->state[(k - 2) * rows + row];
    else
        for (int t = 0; t < o->types; t++)
            sum += o->state[t * rows + row];
    return sum / (double)o->samples;
}

const myr_observable_table myr_observe_profile = {
    .info = {"profile", "number density in slices along an axis", 1},
    .rows = 100,
    .begin = profile_begin,
    .size = profile_size,
    .add = profile_add,
    .columns = myr_observable_type_columns,
    .name = profile_name,
    .value = profile_value,
};
