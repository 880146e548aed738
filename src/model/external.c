/* external.c - external fields by name, with their parameters. */
#include "model/external.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "model/external_function.h"
#include "model/nemo.h"

static const myr_external_class *const classes[] = {
#define MYR_EXTERNAL(name) &myr_##name##_external,
#include "model/externals.def"
#undef MYR_EXTERNAL
};

/* Centre of the field, parameters of every field; they follow the field's own parameters. */
static const myr_model_parameter_entry centre_entry[] = {
    {{"x", "centre of the field", 0, -MYR_HUGE, MYR_HUGE}, MYR_LENGTH},
    {{"y", "centre of the field", 0, -MYR_HUGE, MYR_HUGE}, MYR_LENGTH},
    {{"z", "centre of the field", 0, -MYR_HUGE, MYR_HUGE}, MYR_LENGTH},
};

enum { CLASSES = sizeof classes / sizeof classes[0], CENTRE = sizeof centre_entry / sizeof centre_entry[0] };

struct myr_external {
    myr_context *context;
    const myr_external_class *class;
    const myr_external_function *function; /* function of the user; null = a field of the library */
    int own;                               /* number of the field's own parameters; the centre follows */
    double value[MYR_EXTERNAL_PARAMETERS + CENTRE];
};

static int external_own(const myr_external_class *class)
{
    int n = 0;
    while (class->param[n].info.name)
        n++;
    return n;
}

static const myr_model_parameter_entry *external_parameter(const myr_external_class *class, int n)
{
    const int own = external_own(class);
    return n < 0 || n >= own + CENTRE ? NULL : n < own ? &class->param[n] : &centre_entry[n - own];
}

const myr_choice_info *myr_external_kind(int k)
{
    return k >= 0 && k < CLASSES ? &classes[k]->info : NULL;
}

const myr_parameter_info *myr_external_parameter(int k, int n)
{
    const myr_model_parameter_entry *p = k >= 0 && k < CLASSES ? external_parameter(classes[k], n) : NULL;
    return p ? &p->info : NULL;
}

const char *myr_external_dimension(int k, int n)
{
    const myr_model_parameter_entry *p = k >= 0 && k < CLASSES ? external_parameter(classes[k], n) : NULL;
    return p ? p->dimension : NULL;
}

static const char *external_name(int k)
{
    return k >= 0 && k < CLASSES ? classes[k]->info.name : NULL;
}

myr_status myr_external_create(myr_context *context, const char *kind, myr_external **external)
{
    if (!context || !external)
        return MYR_ERROR_ARGUMENT;
    *external = NULL;
    int k = 0;
    while (k < CLASSES && kind && strcmp(classes[k]->info.name, kind) != 0)
        k++;
    const myr_external_function *function = kind ? myr_external_function_find(context, kind) : NULL;
    const myr_status status = myr_nemo_is(kind) ? myr_nemo_find(context, kind, &function) : MYR_OK;
    if (status)
        return status;
    if (!kind || (k == CLASSES && !function)) {
        const char *near = myr_nearest(kind, external_name);
        return myr_context_fail(context, MYR_ERROR_NAME, "there is no external field '%s'%s%s%s",
                                kind ? kind : "(null)", near ? "; did you mean '" : "", near ? near : "",
                                near ? "'?" : "");
    }
    myr_external *made = calloc(1, sizeof *made);
    if (!made)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for an external field");
    made->context = context;
    made->class = function ? &function->class : classes[k];
    made->function = function;
    made->own = external_own(made->class);
    const myr_model_parameter_entry *p;
    for (int n = 0; (p = external_parameter(made->class, n)); n++)
        made->value[n] = p->info.value;
    *external = made;
    return MYR_OK;
}

void myr_external_destroy(myr_external **external)
{
    if (!external)
        return;
    free(*external);
    *external = NULL;
}

const char *myr_external_name(const myr_external *external)
{
    return external ? external->class->info.name : NULL;
}

static int external_find(const myr_external *external, const char *parameter)
{
    const myr_model_parameter_entry *p;
    for (int n = 0; parameter && (p = external_parameter(external->class, n)); n++)
        if (strcmp(p->info.name, parameter) == 0)
            return n;
    return -1;
}

myr_status myr_external_set(myr_external *external, const char *parameter, double value)
{
    if (!external)
        return MYR_ERROR_ARGUMENT;
    const int n = external_find(external, parameter);
    if (n < 0)
        return myr_context_fail(external->context, MYR_ERROR_NAME, "external field '%s' has no parameter '%s'",
                                external->class->info.name, parameter ? parameter : "(null)");
    const myr_parameter_info *p = &external_parameter(external->class, n)->info;
    if (!(value >= p->lower && value <= p->upper))
        return myr_context_fail(external->context, MYR_ERROR_VALUE, "%s of '%s' cannot be %g; it is from %g to %g",
                                p->name, external->class->info.name, value, p->lower, p->upper);
    external->value[n] = value;
    return MYR_OK;
}

double myr_external_get(const myr_external *external, const char *parameter)
{
    const int n = external ? external_find(external, parameter) : -1;
    return n < 0 ? NAN : external->value[n];
}

void myr_external_at(const myr_external *external, const double position[3], const double velocity[3], double time,
                     double acceleration[3], double jerk[3], double *potential)
{
    static const double rest[3] = {0, 0, 0};
    myr_external_field field;
    double x[3];
    for (int c = 0; c < 3; c++)
        x[c] = position[c] - external->value[external->own + c];
    if (external->function)
        myr_external_function_at(external, x, velocity ? velocity : rest, time, &field);
    else
        external->class->at(external->value, x, velocity ? velocity : rest, time, &field);
    for (int c = 0; c < 3 && acceleration; c++)
        acceleration[c] = field.acceleration[c];
    for (int c = 0; c < 3 && jerk; c++)
        jerk[c] = field.jerk[c];
    if (potential)
        *potential = field.potential;
}

const myr_external_function *myr_external_function_of(const myr_external *external)
{
    return external->function;
}

myr_context *myr_external_context(const myr_external *external)
{
    return external->context;
}

const myr_parameter_info *myr_external_own_parameter(const myr_external *external, int n)
{
    const myr_model_parameter_entry *p = external_parameter(external->class, n);
    return p ? &p->info : NULL;
}

double myr_external_rate(const myr_external *external)
{
    return external->class->rate ? external->class->rate(external->value) : 0;
}

int myr_external_falls(const myr_external *external)
{
    return external->class->rate != NULL;
}

int myr_external_round(const myr_external *external)
{
    return !external->function && (!external->class->round || external->class->round(external->value));
}

void myr_external_centre(const myr_external *external, double centre[3])
{
    for (int c = 0; c < 3; c++)
        centre[c] = external->value[external->own + c];
}

void myr_external_central(const double x[3], const double v[3], double pull, double change, myr_external_field *field)
{
    const double xv = x[0] * v[0] + x[1] * v[1] + x[2] * v[2];
    for (int c = 0; c < 3; c++) {
        field->acceleration[c] = -pull * x[c];
        field->jerk[c] = -pull * v[c] - change * xv * x[c];
    }
}
