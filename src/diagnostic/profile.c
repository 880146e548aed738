/* profile.c - density profile along an axis: number density in slices of the box. A slice is a fixed fraction of the
 * present box edge. Along an open axis the extent of the particles in the first sample replaces the edge; if the slices
 * lie along that axis, the extent is enlarged by half, so that a surface can move, and particles outside are not
 * counted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "diagnostic/observable.h"

/* Position and size of the sliced region in a sample. */
typedef struct {
    double low[3], edge[3];
} profile_frame;

/* Layout of the state: densities [types][rows]; sum of the slice positions [rows]; extent of the particles in the first
 * sample. */
enum { PROFILE_FRAME = sizeof(profile_frame) / sizeof(double) };

static int64_t profile_size(const myr_observable *o)
{
    return (o->types + 1) * o->options.rows + PROFILE_FRAME;
}

/* Extent of the particles along each axis; 1 where the extent is zero. */
static void profile_span(const myr_observable *o, const myr_observable_sample *s, profile_frame *frame)
{
    for (int c = 0; c < 3; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < o->n; i++) {
            low = fmin(low, s->x[c][i]);
            high = fmax(high, s->x[c][i]);
        }
        const int is_plane = !(high > low);
        frame->edge[c] = is_plane ? 1 : (high - low) * (c == o->options.axis ? 1.5 : 1);
        frame->low[c] = o->n ? 0.5 * (low + high) - 0.5 * frame->edge[c] : 0;
    }
}

static profile_frame profile_frame_of(const myr_observable *o, const myr_observable_sample *s)
{
    profile_frame frame;
    double *kept = o->state + (o->types + 1) * o->options.rows;
    if (o->samples == 0) {
        profile_span(o, s, &frame);
        memcpy(kept, &frame, sizeof frame);
    }
    memcpy(&frame, kept, sizeof frame);
    for (int c = 0; c < 3; c++)
        if (s->box[c] > 0) {
            frame.low[c] = s->origin[c];
            frame.edge[c] = s->box[c];
        }
    return frame;
}

static myr_status profile_ask(myr_observable *o, const myr_observable_sample *s, box_counting *counting)
{
    const int axis = o->options.axis;
    const profile_frame frame = profile_frame_of(o, s);
    *counting = (box_counting){.types = o->types,
                               .axis = axis,
                               .is_periodic = s->box[axis] > 0,
                               .rows = o->options.rows,
                               .columns = o->types,
                               .low = frame.low[axis],
                               .edge = frame.edge[axis]};
    return MYR_OK;
}

static void profile_take(myr_observable *o, const myr_observable_sample *s, const int64_t *count)
{
    const int64_t rows = o->options.rows;
    const int axis = o->options.axis;
    const profile_frame frame = profile_frame_of(o, s);
    const double each = (double)rows / (frame.edge[0] * frame.edge[1] * frame.edge[2]);
    for (int64_t k = 0; k < o->types * rows; k++)
        o->state[k] += (double)count[k] * each;
    for (int64_t k = 0; k < rows; k++)
        o->state[o->types * rows + k] += frame.low[axis] + frame.edge[axis] * ((double)k + 0.5) / (double)rows;
}

static myr_status profile_add(myr_observable *o, const myr_observable_sample *s)
{
    box_counting counting;
    const myr_status status = profile_ask(o, s, &counting);
    int64_t *count = myr_memory_zeros(counting.columns * counting.rows, sizeof *count);
    if (status || !count) {
        free(count);
        return status ? status : myr_context_fail(o->context, MYR_ERROR_MEMORY, "no memory for the observable profile");
    }
    for (int64_t i = 0; i < o->n; i++) {
        const int64_t slice = box_counting_slice(&counting, s->x[counting.axis][i]);
        if (slice >= 0)
            count[(o->types > 1 ? s->type[i] : 0) * counting.rows + slice]++;
    }
    profile_take(o, s, count);
    free(count);
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
    .size = profile_size,
    .add = profile_add,
    .ask = profile_ask,
    .take = profile_take,
    .columns = myr_observable_type_columns,
    .name = profile_name,
    .value = profile_value,
};
