/* observable.h - interface of an observable: one const table of functions. The state of an observable is one array of
 * doubles, allocated at the first sample, when types and particles are known; a checkpoint stores the array as it
 * is. */
#ifndef MYR_DIAGNOSTIC_OBSERVABLE_H
#define MYR_DIAGNOSTIC_OBSERVABLE_H

#include <myriad/observable.h>

#include "backend/box_counts.h"
#include "backend/box_paths.h"
#include "core/context.h"

/* Sample: the particles at one time. */
typedef struct {
    const myr_particles *particles;
    double time;
    double box[3], origin[3];
    const double *x[3], *v[3], *image[3]; /* position, velocity and periodic image; null = the set has no such field */
    const int32_t *type;
} myr_observable_sample;

typedef struct {
    myr_choice_info info;
    int64_t rows; /* default number of table rows */

    /* Checks the options and the first sample, and sets options that were left open. Null = no condition. */
    myr_status (*begin)(myr_observable *o, const myr_observable_sample *sample);

    /* Number of doubles in the state. */
    int64_t (*size)(const myr_observable *o);
    myr_status (*add)(myr_observable *o, const myr_observable_sample *sample);

    /* Observables that are counts, after the first sample: ask = what is to be counted in a sample with this time and
     * box, whose particles need not be there (or fails); take = adds counts [columns][rows]. Null = no counts. */
    myr_status (*ask)(myr_observable *o, const myr_observable_sample *sample, box_counting *counting);
    void (*take)(myr_observable *o, const myr_observable_sample *sample, const int64_t *count);

    /* Time correlations, after the first sample: ask = what is to be correlated with a sample of this time and box,
     * whose particles need not be there; returns 0 if they must be there. take = adds sums of chunks of particles
     * [compares][types][chunks]. Null = no correlations. */
    int (*ask_paths)(myr_observable *o, const myr_observable_sample *sample, box_correlation *correlation);
    void (*take_paths)(myr_observable *o, const myr_observable_sample *sample, const box_correlation *correlation);

    /* Columns of the table: number, name and dimension of each column, and the value in a row. */
    int (*columns)(const myr_observable *o);
    const char *(*name)(const myr_observable *o, int k, char name[MYR_OBSERVABLE_NAME_MAX + 1]);
    double (*value)(const myr_observable *o, int k, int64_t row);
} myr_observable_table;

struct myr_observable {
    myr_context *context;
    const myr_observable_table *kind;
    myr_observable_options options;
    /* is_asked: the user gave the reach; has_warned: the warning that the reach exceeds half the box was given */
    int is_asked, has_warned;
    int64_t n, samples;
    int types;
    int64_t of_type[MYR_OBSERVABLE_TYPES_MAX]; /* number of particles of each type */
    int64_t size;
    double *state;
};

#define MYR_OBSERVABLE(name) extern const myr_observable_table myr_observe_##name;
#include "diagnostic/observables.def"
#undef MYR_OBSERVABLE

/* Name of a column: "NAME" for type < 0, else "NAME_2" for type 2. */
const char *myr_observable_of_type(const char *base, int type, char name[MYR_OBSERVABLE_NAME_MAX + 1]);

/* Number of columns of a function per type: the argument, all particles, and each type if there are several. */
int myr_observable_type_columns(const myr_observable *o);

#endif
