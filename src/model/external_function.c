/* external_function.c - registry of the functions of the user, and their calls. */
#include "model/external_function.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"

static void functions_free(void *list)
{
    for (myr_external_function *f = list, *next; f; f = next) {
        next = f->next;
        if (f->user_free)
            f->user_free(f->user);
        free(f);
    }
}

const myr_external_function *myr_external_function_find(const myr_context *context, const char *name)
{
    const myr_external_function *f = context->fields;
    while (f && name && strcmp(f->name, name) != 0)
        f = f->next;
    return name ? f : NULL;
}

enum { FUNCTION_NAME = 64 }; /* of a function of the user, with its end */

/* Names are words of checkpoints: letters, digits and underscores. */
static int function_name_is_word(const char *name)
{
    size_t n = 0;
    while (name && (isalnum((unsigned char)name[n]) || name[n] == '_'))
        n++;
    return name && n > 0 && n < FUNCTION_NAME && !name[n];
}

static int function_name_is_taken(const char *name)
{
    const myr_choice_info *kind;
    for (int k = 0; (kind = myr_external_kind(k)); k++)
        if (strcmp(kind->name, name) == 0)
            return 1;
    return 0;
}

myr_status myr_external_function_add(myr_context *context, const char *name, const char *text, myr_field_fn field,
                                     void *user, void (*user_free)(void *user), const myr_external_function **function)
{
    myr_external_function *f = calloc(1, sizeof *f);
    if (!f)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for an external field");
    snprintf(f->name, sizeof f->name, "%s", name);
    f->class.info = (myr_choice_info){.name = f->name, .text = text, .available = 1};
    f->field = field;
    f->user = user;
    f->user_free = user_free;
    f->next = context->fields;
    context->fields = f;
    context->fields_free = functions_free;
    *function = f;
    return MYR_OK;
}

myr_status myr_external_register(myr_context *context, const char *name, myr_field_fn field, void *user)
{
    if (!context)
        return MYR_ERROR_ARGUMENT;
    if (!field || !function_name_is_word(name))
        return myr_context_fail(context, MYR_ERROR_ARGUMENT,
                                "a field needs a function, and a name of up to 63 letters, digits and underscores");
    if (function_name_is_taken(name))
        return myr_context_fail(context, MYR_ERROR_NAME, "'%s' is an external field of the library", name);
    myr_external_function *f = (myr_external_function *)myr_external_function_find(context, name);
    const myr_external_function *added;
    if (!f)
        return myr_external_function_add(context, name, "computed by a function of the user", field, user, NULL,
                                         &added);
    f->field = field;
    f->user = user;
    return MYR_OK;
}

static void function_clear(double *const *array, int count, int64_t n)
{
    for (int c = 0; c < count; c++)
        for (int64_t i = 0; array[c] && i < n; i++)
            array[c][i] = NAN;
}

myr_status myr_external_function_call(const myr_external *external, const myr_field_points *points)
{
    const myr_external_function *f = myr_external_function_of(external);
    myr_context *context = myr_external_context(external);
    function_clear(points->acceleration, 3, points->n);
    function_clear(points->jerk, 3, points->n);
    function_clear(&points->potential, 1, points->n);
    if (points->n == 0 || f->field(f->user, points) == 0)
        return MYR_OK;
    return myr_context_fail(context, MYR_ERROR_CANCELLED, "the function of the external field '%s' failed at time %g%s",
                            f->name, myr_context_time(context, points->time), myr_context_time_name(context));
}

void myr_external_function_at(const myr_external *external, const double x[3], const double v[3], double time,
                              myr_external_field *field)
{
    const int64_t none = -1;
    myr_field_points points = {.time = time, .n = 1, .ids = &none, .potential = &field->potential};
    for (int c = 0; c < 3; c++) {
        points.position[c] = &x[c];
        points.velocity[c] = &v[c];
        points.acceleration[c] = &field->acceleration[c];
        points.jerk[c] = &field->jerk[c];
    }
    if (myr_external_function_call(external, &points)) {
        field->potential = NAN;
        for (int c = 0; c < 3; c++)
            field->acceleration[c] = field->jerk[c] = NAN;
    }
}
