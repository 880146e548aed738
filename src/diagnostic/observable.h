/* observable.h - what an observable is: one const table. Its state is one array of doubles, made at the first sample,
 * when types and particles are known; a checkpoint keeps it as it is. */
#ifndef MYR_DIAGNOSTIC_OBSERVABLE_H
#define MYR_DIAGNOSTIC_OBSERVABLE_H

#include <myriad/observable.h>

#include "core/context.h"

/* A sample. */
typedef struct {
    const myr_particles *particles;
    double time;
    double box[3], origin[3];
    const double *x[3], *v[3], *image[3]; /* null = none */
    const int32_t *type;
} myr_observable_sample;

typedef struct {
    myr_choice_info info;
    int64_t rows; /* where the options say nothing */

    /* What the options and the first sample must be; sets what the options leave open. Null = anything. */
    myr_status (*begin)(myr_observable *o, const myr_observable_sample *sample);

    /* How many numbers the state has. */
    int64_t (*size)(const myr_observable *o);
    myr_status (*add)(myr_observable *o, const myr_observable_sample *sample);

    /* The columns: how many, name and dimension of each, and a value. */
    int (*columns)(const myr_observable *o);
    const char *(*name)(const myr_observable *o, int k, char name[MYR_OBSERVABLE_NAME_MAX + 1]);
    double (*value)(const myr_observable *o, int k, int64_t row);
} myr_observable_table;

struct myr_observable {
    myr_context *context;
    const myr_observable_table *kind;
    myr_observable_options options;
    int is_asked, has_warned; /* of a reach: the options give it; somebody was told that it is too long by now */
    int64_t n, samples;
    int types;
    int64_t of_type[MYR_OBSERVABLE_TYPES_MAX]; /* particles of each type */
    int64_t size;
    double *state;
};

#define MYR_OBSERVABLE(name) extern const myr_observable_table myr_observe_##name;
#include "diagnostic/observables.def"
#undef MYR_OBSERVABLE

/* Names a column "NAME", or "NAME_2" where it is that of a type. */
const char *myr_observable_of_type(const char *base, int type, char name[MYR_OBSERVABLE_NAME_MAX + 1]);

/* The columns of a function per type: what it is a function of, all particles, and each type where there are several.
 */
int myr_observable_type_columns(const myr_observable *o);

#endif
