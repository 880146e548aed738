/* engine.c - one evaluation on the public interface of Myriad, in the terms of the GRAPE libraries. */
#include "engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIPES = 256, PIPES_MOST = 1 << 20 };

/* A program that is linked again and not changed has no other way to say how it wants to be computed. */
static const struct {
    const char *variable, *key;
} choices[] = {{"MYRIAD_GRAPE_ARITHMETIC", "arithmetic"},
               {"MYRIAD_GRAPE_ACCUMULATOR", "accumulator"},
               {"MYRIAD_GRAPE_BACKEND", "backend"},
               {"MYRIAD_GRAPE_ISA", "isa"}};

enum { CHOICES = sizeof choices / sizeof choices[0] };

int grape_pipes(void)
{
    const char *text = getenv("MYRIAD_GRAPE_PIPES");
    const long pipes = text ? strtol(text, NULL, 10) : 0;
    return pipes > 0 && pipes <= PIPES_MOST ? (int)pipes : PIPES;
}

void *grape_resize(void *memory, size_t count, size_t size, int *ok)
{
    void *moved = reallocarray(memory, count ? count : 1, size);
    if (moved)
        return moved;
    *ok = 0;
    return memory;
}

static myr_status engine_choose(grape_engine *e)
{
    myr_status status = MYR_OK;
    for (int k = 0; k < CHOICES && !status; k++) {
        const char *value = getenv(choices[k].variable);
        if (value && *value)
            status = myr_interaction_choose(e->interaction, choices[k].key, value);
    }
    return status;
}

myr_status grape_engine_ready(grape_engine *e, const char *kernel)
{
    if (e->interaction)
        return MYR_OK;
    myr_status status = e->context ? MYR_OK : myr_context_create(&e->context);
    if (!status)
        status = myr_interaction_create(e->context, kernel, &e->interaction);
    if (!status) /* as on the boards, a mass is a number of either sign */
        status = myr_interaction_allow_negative_masses(e->interaction, 1);
    if (!status)
        status = engine_choose(e);
    if (status)
        myr_interaction_destroy(&e->interaction);
    return status;
}

void grape_engine_free(grape_engine *e)
{
    myr_particles_destroy(&e->targets);
    myr_interaction_destroy(&e->interaction);
    myr_context_destroy(&e->context);
}

myr_status grape_engine_size(grape_engine *e, myr_particles **set, int64_t n)
{
    if (*set && myr_particles_count(*set) == n)
        return MYR_OK;
    myr_particles_destroy(set);
    return myr_particles_create(e->context, n, set);
}

/* Copies the listed rows of values[][3] into a field. */
static myr_status engine_gather(myr_particles *set, const char *field, int n, const int *pick,
                                const double (*values)[3])
{
    const myr_status status = myr_particles_add_field(set, field, 3);
    for (int c = 0; c < 3 && !status; c++) {
        double *component = myr_particles_component(set, field, c);
        for (int k = 0; k < n; k++)
            component[k] = values[pick[k]][c];
    }
    return status;
}

static void engine_scatter(myr_particles *set, const char *field, int n, const int *pick, double (*values)[3])
{
    for (int c = 0; c < 3; c++) {
        const double *component = myr_particles_component_const(set, field, c);
        for (int k = 0; k < n; k++)
            values[pick[k]][c] = component[k];
    }
}

/* Gives the interaction the exclusions of the listed targets. */
static myr_status engine_exclude(grape_engine *e, const grape_targets *t, int n, const int *pick)
{
    if (!t->offset)
        return myr_interaction_set_exclusions(e->interaction, 0, NULL, NULL, MYR_EXCLUDE_ON_THE_FLY);
    int64_t *offset = malloc((size_t)(n + 1) * sizeof *offset);
    int64_t *partner = malloc((size_t)(t->offset[t->n] + 1) * sizeof *partner);
    myr_status status = offset && partner ? MYR_OK : MYR_ERROR_MEMORY;
    if (!status) {
        offset[0] = 0;
        for (int k = 0; k < n; k++) {
            const int64_t first = t->offset[pick[k]], count = t->offset[pick[k] + 1] - first;
            memcpy(partner + offset[k], t->partner + first, (size_t)count * sizeof *partner);
            offset[k + 1] = offset[k] + count;
        }
        status = myr_interaction_set_exclusions(e->interaction, n, offset, partner, MYR_EXCLUDE_ON_THE_FLY);
    }
    free(offset);
    free(partner);
    return status;
}

/* Evaluates the n listed targets, which have one softening. */
static myr_status engine_group(grape_engine *e, const grape_targets *t, const myr_particles *sources, int n,
                               const int *pick, const grape_forces *forces)
{
    if (n < 1)
        return MYR_OK;
    myr_status status = grape_engine_size(e, &e->targets, n);
    if (!status)
        status = engine_gather(e->targets, "position", n, pick, t->x);
    if (!status && t->v)
        status = engine_gather(e->targets, "velocity", n, pick, t->v);
    if (!status)
        status = engine_exclude(e, t, n, pick);
    if (!status)
        status = myr_interaction_set(e->interaction, "eps", sqrt(t->eps2[pick[0]]));
    if (!status)
        status = myr_interaction_evaluate(e->interaction, e->targets, sources);
    if (status)
        return status;
    engine_scatter(e->targets, "acceleration", n, pick, forces->a);
    if (forces->jerk)
        engine_scatter(e->targets, "jerk", n, pick, forces->jerk);
    const double *potential = myr_particles_component_const(e->targets, "potential", 0);
    for (int k = 0; k < n; k++)
        forces->potential[pick[k]] = potential[k];
    return MYR_OK;
}

/* The targets that have the softening of `first` and come after it; those before have been done. */
static int engine_pick(const grape_targets *t, int first, int *pick, char *done)
{
    int n = 0;
    for (int i = first; i < t->n; i++)
        if (!done[i] && t->eps2[i] == t->eps2[first]) {
            pick[n++] = i;
            done[i] = 1;
        }
    return n;
}

/* Without sources nothing pulls. */
static void forces_clear(const grape_forces *forces, int n)
{
    for (int i = 0; i < n; i++) {
        memset(forces->a[i], 0, sizeof forces->a[i]);
        if (forces->jerk)
            memset(forces->jerk[i], 0, sizeof forces->jerk[i]);
        forces->potential[i] = 0;
    }
}

myr_status grape_engine_run(grape_engine *e, const grape_targets *targets, const myr_particles *sources,
                            const grape_forces *forces)
{
    if (targets->n <= 0)
        return MYR_OK;
    if (!sources || myr_particles_count(sources) == 0) {
        forces_clear(forces, targets->n);
        return MYR_OK;
    }
    for (int i = 0; i < targets->n; i++)
        if (!(targets->eps2[i] >= 0))
            return MYR_ERROR_ARGUMENT;
    int *pick = malloc((size_t)(unsigned)targets->n * sizeof *pick);
    char *done = calloc((size_t)(unsigned)targets->n, 1);
    myr_status status = pick && done ? MYR_OK : MYR_ERROR_MEMORY;
    for (int i = 0; i < targets->n && !status; i++)
        if (!done[i]) {
            const int n = engine_pick(targets, i, pick, done);
            status = engine_group(e, targets, sources, n, pick, forces);
        }
    free(pick);
    free(done);
    return status;
}

int grape_engine_failed(grape_engine *e, myr_status status)
{
    e->message[0] = 0;
    if (!status)
        return 0;
    const char *text = e->context ? myr_context_message(e->context) : "";
    snprintf(e->message, sizeof e->message, "%s", *text ? text : myr_status_text(status));
    return 1;
}

void grape_forces_spoil(const grape_forces *forces, int n)
{
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < 3; c++) {
            if (forces->a)
                forces->a[i][c] = NAN;
            if (forces->jerk)
                forces->jerk[i][c] = NAN;
        }
        if (forces->potential)
            forces->potential[i] = NAN;
    }
}
