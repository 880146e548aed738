/* force_errors.h - what is computed from results: errors and offsets of forces as paper 000 defines them, medians. */
#ifndef MYR_CLI_FORCE_ERRORS_H
#define MYR_CLI_FORCE_ERRORS_H

#include <myriad/myriad.h>

/* The median; sorts the values. NaN for none. */
double measure_median(double *values, int count);

/* Paper 000 eq. 11, |sum_i F_i| / sum_i |F_i|, of the kernel's first antisymmetric output after an evaluation of all
 * particles: F itself, or mass times acceleration. NaN where the kernel has none. */
int measure_net_force(myr_context *context, const myr_interaction *interaction, const myr_particles *particles,
                      const myr_kernel_info *kernel, double *net);

/* Paper 000 eq. 10, sum_i |F_i - R_i| / sum_i |R_i|, of an output field against reference[n][3]. */
double measure_mean_error(const myr_particles *particles, const char *output, const double *reference);

/* Paper 002 eq. 3, max_i |F_i - R_i| / |R_i|. */
double measure_max_error(const myr_particles *particles, const char *output, const double *reference);

#endif
