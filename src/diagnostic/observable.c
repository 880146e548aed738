/* observable.c - observables by name: accumulates samples and returns a table. */
#include "diagnostic/observable.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

static const myr_observable_table *const kinds[] = {
#define MYR_OBSERVABLE(name) &myr_observe_##name,
#include "diagnostic/observables.def"
#undef MYR_OBSERVABLE
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

const myr_choice_info *myr_observable_kind(int k)
{
    return k >= 0 && k < KINDS ? &kinds[k]->info : NULL;
}

static const char *observable_name(int k)
{
    return k < KINDS ? kinds[k]->info.name : NULL;
}

myr_status myr_observable_create(myr_context *context, const char *kind, const myr_observable_options *options,
                                 myr_observable **observable)
{
    const myr_observable_options none = {0};
    if (!context || !kind || !observable)
        return MYR_ERROR_ARGUMENT;
    *observable = NULL;
    int k = 0;
    while (k < KINDS && strcmp(kinds[k]->info.name, kind) != 0)
        k++;
    if (k == KINDS) {
        const char *near = myr_nearest(kind, observable_name);
        return myr_context_fail(context, MYR_ERROR_NAME, "there is no observable '%s'%s%s%s", kind,
                                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    const myr_observable_options *o = options ? options : &none;
    if (o->rows < 0 || o->rows > 1000000 || !(o->reach >= 0) || o->spacing < 0 || o->axis < 0 || o->axis > 2)
        return myr_context_fail(context, MYR_ERROR_VALUE,
                                "an observable has up to 1000000 rows, a reach and a spacing of at least 0 and an axis "
                                "from 0 to 2");
    myr_observable *made = calloc(1, sizeof *made);
    if (!made)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for an observable");
    made->context = context;
    made->kind = kinds[k];
    made->options = *o;
    made->is_asked = o->reach > 0;
    if (made->options.rows == 0)
        made->options.rows = made->kind->rows;
    if (made->options.spacing == 0)
        made->options.spacing = 10;
    *observable = made;
    return MYR_OK;
}

void myr_observable_destroy(myr_observable **observable)
{
    if (!observable || !*observable)
        return;
    free((*observable)->state);
    free(*observable);
    *observable = NULL;
}

/* --- samples ------------------------------------------------------------------------------------------------------ */

static void observable_vector(const myr_particles *p, const char *name, const double *to[3])
{
    for (int c = 0; c < 3; c++)
        to[c] = myr_particles_component_const(p, name, c);
    if (!to[2])
        to[0] = to[1] = NULL;
}

/* Finds the fields of a sample; fails if positions or the box are not finite. */
static myr_status observable_read(const myr_observable *o, myr_observable_sample *s)
{
    const myr_particles *p = s->particles;
    observable_vector(p, "position", s->x);
    observable_vector(p, "velocity", s->v);
    observable_vector(p, "image", s->image);
    s->type = myr_particles_types(p);
    if (!s->x[0])
        return myr_context_fail(o->context, MYR_ERROR_FIELD, "the observable %s needs the field 'position'",
                                o->kind->info.name);
    for (int c = 0; c < 3; c++) {
        if (!(s->box[c] >= 0) || !isfinite(s->box[c]) || !isfinite(s->origin[c]))
            return myr_context_fail(o->context, MYR_ERROR_VALUE, "an edge of a box cannot be %g", s->box[c]);
        for (int64_t i = 0; i < myr_particles_count(p); i++)
            if (!isfinite(s->x[c][i]))
                return myr_context_fail(o->context, MYR_ERROR_NONFINITE,
                                        "the position of particle %lld (id %lld) is not a finite number", (long long)i,
                                        (long long)myr_particles_ids(p)[i]);
    }
    return MYR_OK;
}

/* Counts the particles of each type in the first sample. More types than columns are treated as one type. */
static void observable_types(myr_observable *o, const myr_observable_sample *s)
{
    o->n = myr_particles_count(s->particles);
    o->types = 1;
    for (int64_t i = 0; i < o->n; i++)
        if (s->type[i] >= o->types)
            o->types = s->type[i] < MYR_OBSERVABLE_TYPES_MAX ? s->type[i] + 1 : MYR_OBSERVABLE_TYPES_MAX + 1;
    if (o->types > MYR_OBSERVABLE_TYPES_MAX)
        o->types = 1;
    for (int64_t i = 0; i < o->n; i++)
        o->of_type[o->types > 1 ? s->type[i] : 0]++;
}

static myr_status observable_make_state(myr_observable *o)
{
    o->size = o->kind->size(o);
    o->state = myr_memory_zeros(o->size, sizeof *o->state);
    return o->state
               ? MYR_OK
               : myr_context_fail(o->context, MYR_ERROR_MEMORY, "no memory for the %lld numbers of the observable %s",
                                  (long long)o->size, o->kind->info.name);
}

static myr_status observable_begin(myr_observable *o, const myr_observable_sample *s)
{
    memset(o->of_type, 0, sizeof o->of_type);
    observable_types(o, s);
    const myr_status status = o->kind->begin ? o->kind->begin(o, s) : MYR_OK;
    return status ? status : observable_make_state(o);
}

myr_status myr_observable_add(myr_observable *observable, const myr_particles *particles, double time,
                              const double box[3], const double origin[3])
{
    myr_observable *o = observable;
    if (!o || !particles || !box)
        return MYR_ERROR_ARGUMENT;
    myr_observable_sample s = {.particles = particles, .time = time};
    for (int c = 0; c < 3; c++) {
        s.box[c] = box[c];
        s.origin[c] = origin ? origin[c] : 0;
    }
    myr_status status = observable_read(o, &s);
    if (!status && !o->state)
        status = observable_begin(o, &s);
    if (!status && myr_particles_count(particles) != o->n)
        status = myr_context_fail(
            o->context, MYR_ERROR_VALUE, "the observable %s began with %lld particle%s; there are %lld now",
            o->kind->info.name, (long long)o->n, myr_plural(o->n), (long long)myr_particles_count(particles));
    if (!status)
        status = o->kind->add(o, &s);
    if (!status)
        o->samples++;
    return status;
}

int64_t myr_observable_samples(const myr_observable *observable)
{
    return observable ? observable->samples : 0;
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

int64_t myr_observable_rows(const myr_observable *observable)
{
    return observable && observable->samples ? observable->options.rows : 0;
}

int myr_observable_columns(const myr_observable *observable)
{
    return observable && observable->samples ? observable->kind->columns(observable) : 0;
}

const char *myr_observable_column(const myr_observable *observable, int k, char name[MYR_OBSERVABLE_NAME_MAX + 1])
{
    *name = 0;
    return k >= 0 && k < myr_observable_columns(observable) ? observable->kind->name(observable, k, name) : NULL;
}

myr_status myr_observable_get(const myr_observable *observable, int k, double *values)
{
    if (!observable || !values || k < 0 || k >= myr_observable_columns(observable))
        return MYR_ERROR_ARGUMENT;
    for (int64_t row = 0; row < observable->options.rows; row++)
        values[row] = observable->kind->value(observable, k, row);
    return MYR_OK;
}

const char *myr_observable_of_type(const char *base, int type, char name[MYR_OBSERVABLE_NAME_MAX + 1])
{
    if (type < 0)
        snprintf(name, MYR_OBSERVABLE_NAME_MAX + 1, "%s", base);
    else
        snprintf(name, MYR_OBSERVABLE_NAME_MAX + 1, "%s_%d", base, type);
    return name;
}

int myr_observable_type_columns(const myr_observable *o)
{
    return 2 + (o->types > 1 ? o->types : 0);
}

/* --- checkpoints -------------------------------------------------------------------------------------------------- */

/* Header of a saved observable; the state array follows. */
typedef struct {
    myr_observable_options options;
    int64_t n, samples, size, types;
    int64_t of_type[MYR_OBSERVABLE_TYPES_MAX];
} observable_head;

size_t myr_observable_save(const myr_observable *observable, void *bytes)
{
    observable_head head;
    if (!observable || !observable->samples)
        return 0;
    const size_t state = (size_t)observable->size * sizeof *observable->state;
    if (!bytes)
        return sizeof head + state;
    memset(&head, 0, sizeof head); /* padding bytes are stored as well and must be reproducible */
    head.options.rows = observable->options.rows;
    head.options.reach = observable->options.reach;
    head.options.spacing = observable->options.spacing;
    head.options.axis = observable->options.axis;
    head.n = observable->n;
    head.samples = observable->samples;
    head.size = observable->size;
    head.types = observable->types;
    memcpy(head.of_type, observable->of_type, sizeof head.of_type);
    memcpy(bytes, &head, sizeof head);
    memcpy((char *)bytes + sizeof head, observable->state, state);
    return sizeof head + state;
}

myr_status myr_observable_load(myr_observable *observable, const void *bytes, size_t size)
{
    observable_head head = {0};
    myr_observable *o = observable;
    if (!o || (!bytes && size))
        return MYR_ERROR_ARGUMENT;
    if (size == 0)
        return MYR_OK; /* saved before the first sample: there is no state */
    if (size >= sizeof head)
        memcpy(&head, bytes, sizeof head);
    if (size < sizeof head || head.options.rows != o->options.rows || head.options.spacing != o->options.spacing ||
        head.options.axis != o->options.axis || head.types < 1 || head.types > MYR_OBSERVABLE_TYPES_MAX || head.n < 0)
        return myr_context_fail(o->context, MYR_ERROR_FORMAT, "the state of the observable %s is not one of its own",
                                o->kind->info.name);
    o->options.reach = head.options.reach;
    o->n = head.n;
    o->types = (int)head.types;
    memcpy(o->of_type, head.of_type, sizeof o->of_type);
    if (o->kind->size(o) != head.size || size - sizeof head != (uint64_t)head.size * sizeof *o->state)
        return myr_context_fail(o->context, MYR_ERROR_FORMAT, "the state of the observable %s has %zu bytes, not %zu",
                                o->kind->info.name, size, sizeof head + (size_t)o->kind->size(o) * sizeof *o->state);
    free(o->state);
    const myr_status status = observable_make_state(o);
    if (status)
        return status;
    o->samples = head.samples;
    memcpy(o->state, (const char *)bytes + sizeof head, (size_t)head.size * sizeof *o->state);
    return MYR_OK;
}
