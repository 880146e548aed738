/* force_errors.c - errors and offsets of forces, and medians. */
#include "force_errors.h"

#include <math.h>
#include <stdlib.h>

#include "cli.h"

static int measure_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double measure_median(double *values, int count)
{
    if (count < 1)
        return NAN;
    qsort(values, (size_t)count, sizeof *values, measure_compare);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

/* What an output that is antisymmetric for equal strengths must be multiplied with to be a force: the source's mass or
 * charge, its first field of one component. */
static const double *measure_strength(const myr_particles *particles, const myr_kernel_info *kernel)
{
    for (const myr_field_info *f = kernel->source; f->name; f++)
        if (f->components == 1)
            return myr_particles_component_const(particles, f->name, 0);
    return NULL;
}

/* Whether all are the same number, so that sums of accelerations stand for sums of forces. */
static int measure_equal(const double *strength, int64_t n)
{
    for (int64_t i = 1; strength && i < n; i++)
        if (strength[i] != strength[0])
            return 0;
    return 1;
}

static double measure_length(const double *v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

int measure_net_force(myr_context *context, const myr_interaction *interaction, const myr_particles *particles,
                      const myr_kernel_info *kernel, double *net)
{
    const myr_field_info *f = kernel->output;
    const int64_t n = myr_particles_count(particles);
    const double *x[3], *strength = measure_strength(particles, kernel);
    double total[3] = {0}, sum = 0;
    *net = NAN;
    while (f->name && !(f->antisymmetric && f->components == 3))
        f++;
    if (!f->name)
        return CLI_OK;
    for (int c = 0; c < 3; c++)
        x[c] = myr_particles_component_const(particles, f->name, c);
    const int weigh = f->antisymmetric == 2 && !measure_equal(strength, n);
    for (int c = 0; c < 3 && !weigh; c++) {
        const int code = cli_check(context, myr_interaction_net(interaction, f->name, c, &total[c]));
        if (code)
            return code;
    }
    for (int64_t i = 0; i < n; i++) {
        const double w = weigh ? strength[i] : 1, v[3] = {w * x[0][i], w * x[1][i], w * x[2][i]};
        sum += measure_length(v);
        for (int c = 0; c < 3 && weigh; c++)
            total[c] += v[c];
    }
    *net = sum > 0 ? measure_length(total) / sum : 0;
    return CLI_OK;
}

/* |F_i - R_i| and |R_i| of one particle. */
static void measure_one(const myr_particles *p, const char *output, const double *reference, int64_t i, double *error,
                        double *size)
{
    double difference[3];
    for (int c = 0; c < 3; c++)
        difference[c] = myr_particles_component_const(p, output, c)[i] - reference[3 * i + c];
    *error = measure_length(difference);
    *size = measure_length(reference + 3 * i);
}

double measure_mean_error(const myr_particles *particles, const char *output, const double *reference)
{
    double sum = 0, sizes = 0, error, size;
    for (int64_t i = 0; i < myr_particles_count(particles); i++) {
        measure_one(particles, output, reference, i, &error, &size);
        sum += error;
        sizes += size;
    }
    return sum / sizes;
}

double measure_max_error(const myr_particles *particles, const char *output, const double *reference)
{
    double most = 0, error, size;
    for (int64_t i = 0; i < myr_particles_count(particles); i++) {
        measure_one(particles, output, reference, i, &error, &size);
        if (error / size > most)
            most = error / size;
    }
    return most;
}
