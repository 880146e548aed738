/* external_function.h - external fields that functions of the user compute, registered in a context by name. */
#ifndef MYR_MODEL_EXTERNAL_FUNCTION_H
#define MYR_MODEL_EXTERNAL_FUNCTION_H

#include "model/external.h"

enum { MYR_EXTERNAL_NAME = 512 };

/* A function of the user; `class` describes the field like one of the library, except that it has no `at`. */
typedef struct myr_external_function {
    struct myr_external_function *next;
    char name[MYR_EXTERNAL_NAME];
    myr_external_class class;
    myr_field_fn field;
    void *user;
    void (*user_free)(void *user); /* frees `user` with the context; null = nobody does */
} myr_external_function;

/* Function registered by that name, or null. */
const myr_external_function *myr_external_function_find(const myr_context *context, const char *name);

/* Adds a function by a name that none has yet. On success the context owns `user`. */
myr_status myr_external_function_add(myr_context *context, const char *name, const char *text, myr_field_fn field,
                                     void *user, void (*user_free)(void *user), const myr_external_function **function);

/* Function of an external field; null for the fields of the library. */
const myr_external_function *myr_external_function_of(const myr_external *external);

/* Calls the function of a field. Outputs are NaN before the call, so that a value that the function does not set is
 * found. Positions are relative to the centre of the field. */
myr_status myr_external_function_call(const myr_external *external, const myr_field_points *points);

/* Field at one position, where there is no particle; NaN if the function fails. */
void myr_external_function_at(const myr_external *external, const double x[3], const double v[3], double time,
                              myr_external_field *field);

#endif
