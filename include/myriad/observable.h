/* observable.h - averages over samples of particles in a box: radial distribution function (rdf), mean-square
 * displacement (msd), velocity autocorrelation (vacf), density profile along an axis (profile).
 *
 *   myr_observable_create(context, "rdf", &options, &o);
 *   at regular intervals: myr_observable_add(o, particles, time, box, origin);
 *   for each column: myr_observable_get(o, k, values);
 *
 * An observable is one file in src/diagnostic and one line in observables.def. The result is a table: the first column
 * is the argument of the functions in the other columns. With several particle types there are columns for each type or
 * for each pair of types. Counts are integers, and sums over particles run in order on one thread, so that the result
 * does not depend on the number of threads. */
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
    /* rows of the table: distances (rdf), lags (msd, vacf) or positions (profile); 0 = 200, 100, 100 */
    int64_t rows;
    /* rdf: largest distance; 0 = half the shortest edge of the box at the first sample. Distances beyond half a smaller
     * box are averaged over the other samples */
    double reach;
    int64_t spacing; /* msd, vacf: samples between time origins; 0 = 10 */
    int axis;        /* profile: axis, 0 to 2 */
} myr_observable_options;

/* Observable k ("rdf", ...); null past the last. */
MYR_API const myr_choice_info *myr_observable_kind(int k);

/* Creates an observable; options null = all 0. */
MYR_API myr_status myr_observable_create(myr_context *context, const char *kind, const myr_observable_options *options,
                                         myr_observable **observable);
MYR_API void myr_observable_destroy(myr_observable **observable);

/* Adds a sample: particles at a time in a box with given edges (0 = axis not periodic) and lowest corner. All samples
 * must have the particles of the first in the same order. Reads position, and image if present; vacf reads velocity. */
MYR_API myr_status myr_observable_add(myr_observable *observable, const myr_particles *particles, double time,
                                      const double box[3], const double origin[3]);

/* Number of samples so far. */
MYR_API int64_t myr_observable_samples(const myr_observable *observable);

/* Number of rows, number of columns, and name and dimension of a column ("length", "area", ..., "plain number"). The
 * table is empty before the first sample. */
MYR_API int64_t myr_observable_rows(const myr_observable *observable);
MYR_API int myr_observable_columns(const myr_observable *observable);
MYR_API const char *myr_observable_column(const myr_observable *observable, int k,
                                          char name[MYR_OBSERVABLE_NAME_MAX + 1]);

/* Values of a column, [rows]; NaN where there are none yet. */
MYR_API myr_status myr_observable_get(const myr_observable *observable, int k, double *values);

/* Saves the state as bytes for a checkpoint (bytes null = only returns the size), and loads it into an observable with
 * the same options. */
MYR_API size_t myr_observable_save(const myr_observable *observable, void *bytes);
MYR_API myr_status myr_observable_load(myr_observable *observable, const void *bytes, size_t size);

MYR_END_DECLS

#endif
