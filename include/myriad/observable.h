/* observable.h - what is measured of particles in a box while they move, as averages over samples: how they are
 * arranged (rdf), how far they wander (msd), how long they remember their velocities (vacf), how they are spread along
 * an axis (profile).
 *
 *   myr_observable_create(context, "rdf", &options, &o);
 *   now and then: myr_observable_add(o, particles, time, box, origin);
 *   for each column: myr_observable_get(o, k, values);
 *
 * An observable is one file in src/diagnostic and one line in observables.def. The result is a table: the first column
 * is what the others are functions of. With particles of several types there are columns for each, or for each pair.
 * What is counted is counted in integers; sums over particles run in their order on one thread. So the result does not
 * depend on the number of threads. */
#ifndef MYRIAD_OBSERVABLE_H
#define MYRIAD_OBSERVABLE_H

#include <stddef.h>
#include <stdint.h>

#include <myriad/catalogue.h>
#include <myriad/particles.h>

MYR_BEGIN_DECLS

typedef struct myr_observable myr_observable;

enum { MYR_OBSERVABLE_TYPES_MAX = 16, MYR_OBSERVABLE_NAME_MAX = 31 };

typedef struct {
    int64_t rows;    /* of the table: distances, lags, places; 0 = 200, 100, 100 */
    double reach;    /* rdf: the largest distance; 0 = half the shortest edge of the box at the first sample. Distances
                      * that a smaller box does not hold are means over the other samples */
    int64_t spacing; /* msd, vacf: samples from one origin of time to the next; 0 = 10 */
    int axis;        /* profile: 0 to 2 */
} myr_observable_options;

/* Observable k ("rdf", ...); null past the end. */
MYR_API const myr_choice_info *myr_observable_kind(int k);

/* Makes one; options null = all 0. */
MYR_API myr_status myr_observable_create(myr_context *context, const char *kind, const myr_observable_options *options,
                                         myr_observable **observable);
MYR_API void myr_observable_destroy(myr_observable **observable);

/* Adds a sample: particles at a time in a box with these edges (0 = not periodic that way) and this lowest corner. All
 * samples need the particles of the first, in the same order. Reads position, and image where there is one; vacf reads
 * velocity. */
MYR_API myr_status myr_observable_add(myr_observable *observable, const myr_particles *particles, double time,
                                      const double box[3], const double origin[3]);

/* The samples so far. */
MYR_API int64_t myr_observable_samples(const myr_observable *observable);

/* The table: rows, columns, the name of a column and its dimension ("length", "area", ..., "plain number"). There are
 * none before the first sample. */
MYR_API int64_t myr_observable_rows(const myr_observable *observable);
MYR_API int myr_observable_columns(const myr_observable *observable);
MYR_API const char *myr_observable_column(const myr_observable *observable, int k,
                                          char name[MYR_OBSERVABLE_NAME_MAX + 1]);

/* The values of a column; NaN where there is none yet. */
MYR_API myr_status myr_observable_get(const myr_observable *observable, int k, double *values);

/* The state as bytes, for a checkpoint: null = only how many. And back, into an observable with the same options. */
MYR_API size_t myr_observable_save(const myr_observable *observable, void *bytes);
MYR_API myr_status myr_observable_load(myr_observable *observable, const void *bytes, size_t size);

MYR_END_DECLS

#endif
