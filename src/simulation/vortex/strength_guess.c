/* strength_guess.c - extrapolation of strengths within a step, by the polynomial through the solutions so far; see
 * strength_guess.h. */
#include "simulation/vortex/strength_guess.h"

#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "simulation/vortex/element_motion.h"

enum { GUESS_FEW = 8192 }; /* elements below which one thread does it */

myr_status myr_strength_guess_keep(myr_simulation *s, double time, double *const strength[3])
{
    myr_strength_guess *g = &s->elements->collocation.guess;
    const int64_t n = s->motion.n;
    if (g->n != n)
        myr_strength_guess_release(s);
    g->n = n;
    g->known = time == s->motion.time ? 0 : g->known;
    for (int k = 0; k < g->known; k++) /* an integrator that evaluates again at a time has another state then */
        g->known = g->time[k] == time ? k : g->known;
    if (g->known == MYR_STRENGTH_GUESSES)
        return MYR_OK;
    double **to = &g->strength[g->known];
    if (!*to && !(*to = myr_memory_some(3 * n, sizeof **to)))
        return myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for the strengths of %lld elements",
                                (long long)n);
    for (int c = 0; c < 3; c++)
        memcpy(*to + c * n, strength[c], (size_t)n * sizeof **to);
    g->time[g->known++] = time;
    return MYR_OK;
}

/* Values at a time of the polynomials through the solutions. */
static void guess_extrapolate(const myr_simulation *s, double time, double *const strength[3])
{
    const myr_strength_guess *g = &s->elements->collocation.guess;
    double part[MYR_STRENGTH_GUESSES];
    for (int k = 0; k < g->known; k++) {
        part[k] = 1;
        for (int j = 0; j < g->known; j++)
            part[k] *= j == k ? 1 : (time - g->time[j]) / (g->time[k] - g->time[j]);
    }
    for (int c = 0; c < 3; c++)
#pragma omp parallel for num_threads(myr_context_threads(s->context)) schedule(static) if (g->n > GUESS_FEW)
        for (int64_t i = 0; i < g->n; i++) {
            double sum = 0;
            for (int k = 0; k < g->known; k++)
                sum += part[k] * g->strength[k][c * g->n + i];
            strength[c][i] = sum;
        }
}

void myr_strength_guess_make(const myr_simulation *s, double time, double *const strength[3])
{
    const myr_strength_guess *g = &s->elements->collocation.guess;
    if (time != s->motion.time && g->n == s->motion.n && g->known > 1)
        guess_extrapolate(s, time, strength);
}

void myr_strength_guess_finish(myr_simulation *s, double *const strength[3])
{
    myr_strength_guess *g = &s->elements->collocation.guess;
    if (g->n == s->motion.n && g->known > 1)
        guess_extrapolate(s, s->motion.time, strength);
    g->known = 0;
}

void myr_strength_guess_release(myr_simulation *s)
{
    myr_strength_guess *g = &s->elements->collocation.guess;
    for (int k = 0; k < MYR_STRENGTH_GUESSES; k++)
        free(g->strength[k]);
    *g = (myr_strength_guess){0};
}
