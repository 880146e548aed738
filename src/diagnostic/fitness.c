/* fitness.c - quality of a set of vortex elements: divergence of their vorticity, and overlap of their cores. Sums run
 * over the elements in their order. */
#include <math.h>
#include <stdlib.h>

#include <myriad/elements.h>

#include "core/context.h"
#include "core/memory.h"
#include "method/gaussian/gaussian.h"

#define FITNESS_CUTOFF 5.0 /* cutoff of the Gaussian sums, in core radii */

/* Elements that are sampled: positions, and sums at these positions. */
typedef struct {
    const double *x[3], *a[3], *core;
    const int32_t *type;
    int64_t n, m;
    int64_t *index;
    double *memory, *at[3], *vorticity[3], *gradient[9], *density[3];
} fitness_state;

static double fitness_size(const double *const v[3], int64_t i)
{
    return sqrt(v[0][i] * v[0][i] + v[1][i] * v[1][i] + v[2][i] * v[2][i]);
}

static int fitness_is_tracer(const int32_t *type, const double *const strength[3], int64_t i)
{
    return type[i] == MYR_TRACER && fitness_size(strength, i) == 0;
}

int64_t myr_flow_tracers(const myr_particles *elements)
{
    const double *a[3];
    int64_t count = 0;
    for (int c = 0; c < 3; c++)
        if (!elements || !(a[c] = myr_particles_component_const(elements, "strength", c)))
            return 0;
    const int32_t *type = myr_particles_types(elements);
    for (int64_t i = 0; i < myr_particles_count(elements); i++)
        count += fitness_is_tracer(type, a, i);
    return count;
}

/* Chooses the elements that are sampled. Steps of the golden ratio do not resonate with the period of a lattice. */
static void fitness_choose(fitness_state *f, int64_t sample)
{
    const int64_t wanted = sample > 0 && sample < f->n ? sample : f->n;
    for (int64_t k = 0; k < wanted; k++) {
        const double turn = (double)k * 0.61803398874989485;
        const int64_t i = wanted == f->n ? k : (int64_t)((turn - floor(turn)) * (double)f->n);
        if (fitness_is_tracer(f->type, f->a, i))
            continue;
        f->index[f->m] = i;
        for (int c = 0; c < 3; c++)
            f->at[c][f->m] = f->x[c][i];
        f->m++;
    }
}

static int fitness_allocate(fitness_state *f)
{
    f->index = myr_memory_zeros(f->n, sizeof *f->index);
    f->memory = myr_memory_zeros(18 * f->n, sizeof(double));
    for (int k = 0; k < 18 && f->memory; k++) {
        double *part = f->memory + k * f->n;
        *(k < 3 ? &f->at[k] : k < 6 ? &f->vorticity[k - 3] : k < 15 ? &f->gradient[k - 6] : &f->density[k - 15]) = part;
    }
    return f->index && f->memory;
}

/* Number density of the elements, smoothed by their own cores; a lattice of that density has the spacing
 * density^(-1/3). */
static myr_status fitness_density(fitness_state *f, myr_context *context, myr_gaussian *g)
{
    double *one = myr_memory_zeros(f->n, sizeof *one);
    if (!one)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory to look at %lld elements", (long long)f->n);
    for (int64_t i = 0; i < f->n; i++)
        one[i] = !fitness_is_tracer(f->type, f->a, i);
    const double *const weight[3] = {one, one, one};
    const myr_status status = myr_gaussian_sum(g, weight, f->m, (const double *const *)f->at, f->density);
    free(one);
    return status;
}

static void fitness_sum(const fitness_state *f, myr_fitness *fit)
{
    double divergence = 0, gradient = 0, strength = 0;
    for (int64_t k = 0; k < f->m; k++) {
        const int64_t i = f->index[k];
        const double size = fitness_size(f->a, i);
        const double trace = f->gradient[0][k] + f->gradient[4][k] + f->gradient[8][k];
        divergence += trace * trace;
        for (int c = 0; c < 9; c++)
            gradient += f->gradient[c][k] * f->gradient[c][k];
        fit->vorticity = fmax(fit->vorticity, fitness_size((const double *const *)f->vorticity, k));
        fit->overlap += size * f->core[i] * cbrt(f->density[0][k]);
        strength += size;
    }
    fit->overlap = strength > 0 ? fit->overlap / strength : NAN;
    fit->divergence = gradient > 0 ? sqrt(divergence / gradient) : NAN;
}

static myr_status fitness_measure(fitness_state *f, myr_context *context, const double edge[3], int64_t sample,
                                  myr_fitness *fit)
{
    myr_gaussian *g = NULL;
    if (!fitness_allocate(f))
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory to look at %lld elements", (long long)f->n);
    fitness_choose(f, sample);
    myr_status status = myr_gaussian_create_in(context, f->n, f->x, f->core, FITNESS_CUTOFF, edge, &g);
    if (!status)
        status = fitness_density(f, context, g);
    if (!status) {
        myr_gaussian_gradient(g, f->a, f->m, (const double *const *)f->at, f->vorticity, f->gradient);
        fitness_sum(f, fit);
    }
    myr_gaussian_destroy(&g);
    return status;
}

myr_status myr_flow_fitness(const myr_particles *elements, const double edge[3], int64_t sample, myr_fitness *fitness)
{
    static const double open[3];
    if (!elements || !fitness)
        return MYR_ERROR_ARGUMENT;
    fitness_state f = {.n = myr_particles_count(elements), .type = myr_particles_types(elements)};
    int whole = f.n > 0 && (f.core = myr_particles_component_const(elements, "core", 0));
    for (int c = 0; c < 3; c++) {
        f.x[c] = myr_particles_component_const(elements, "position", c);
        f.a[c] = myr_particles_component_const(elements, "strength", c);
        whole = whole && f.x[c] && f.a[c];
    }
    for (int64_t i = 0; whole && i < f.n; i++)
        whole = f.core[i] > 0;
    *fitness = (myr_fitness){NAN, NAN, NAN};
    if (!whole) /* no cores: point vortices, or elements of a user's kernel */
        return MYR_OK;
    *fitness = (myr_fitness){0};
    const myr_status status = fitness_measure(&f, myr_particles_context(elements), edge ? edge : open, sample, fitness);
    free(f.index);
    free(f.memory);
    return status;
}
