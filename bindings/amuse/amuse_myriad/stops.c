/* stops.c - looks for AMUSE's stopping conditions after a step. */
#include "stops.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include <stopcond.h>

static long steps;
static double begin; /* seconds */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int enabled(int condition)
{
    int result = 0;
    is_stopping_condition_enabled(condition, &result);
    return result;
}

void amuse_stops_offer(void)
{
    initialize_stopping_conditions();
    set_support_for_condition(COLLISION_DETECTION);
    set_support_for_condition(TIMEOUT_DETECTION);
    set_support_for_condition(NUMBER_OF_STEPS_DETECTION);
    set_support_for_condition(OUT_OF_BOX_DETECTION);
}

void amuse_stops_begin(void)
{
    reset_stopping_conditions();
    steps = 0;
    begin = seconds();
}

int amuse_stops_enabled(void)
{
    return enabled_conditions != 0;
}

/* Reports a condition with one or two bodies; null = none. AMUSE keeps a limited number of them. */
static void report(int condition, const amuse_body *one, const amuse_body *two)
{
    const int index = next_index_for_stopping_condition();
    if (index < 0)
        return;
    set_stopping_condition_info(index, condition);
    if (one)
        set_stopping_condition_particle_index(index, 0, one->index);
    if (two)
        set_stopping_condition_particle_index(index, 1, two->index);
}

/* --- collisions --------------------------------------------------------------------------------------------------- */

/* Lower end of a body along x. */
static double low_end(const amuse_body *b)
{
    return b->x[0] - b->radius;
}

static int by_low_end(const void *a, const void *b)
{
    const double x = low_end(*(const amuse_body *const *)a), y = low_end(*(const amuse_body *const *)b);
    return (x > y) - (x < y);
}

static int touch(const amuse_body *a, const amuse_body *b)
{
    const double reach = a->radius + b->radius;
    double r2 = 0;
    for (int c = 0; c < 3; c++)
        r2 += (a->x[c] - b->x[c]) * (a->x[c] - b->x[c]);
    return reach > 0 && r2 < reach * reach;
}

/* Bodies in the order of their lower ends: a body can touch only those that begin before it ends. */
static void find_collisions(const amuse_bodies *bodies)
{
    const amuse_body **sorted = malloc(((size_t)bodies->count + 1) * sizeof *sorted);
    if (!sorted)
        return;
    for (int i = 0; i < bodies->count; i++)
        sorted[i] = &bodies->body[i];
    qsort(sorted, (size_t)bodies->count, sizeof *sorted, by_low_end);
    for (int i = 0; i < bodies->count; i++)
        for (int k = i + 1; k < bodies->count && low_end(sorted[k]) < sorted[i]->x[0] + sorted[i]->radius; k++)
            if (touch(sorted[i], sorted[k]))
                report(COLLISION_DETECTION, sorted[i], sorted[k]);
    free(sorted);
}

/* --- a box -------------------------------------------------------------------------------------------------------- */

/* Bodies farther than the parameter from the origin, or from the centre of mass where the user wants that. */
static void find_outside(const amuse_bodies *bodies)
{
    double centre[3] = {0}, mass = 0;
    for (int i = 0; i < bodies->count && use_center_of_mass_parameter; i++) {
        mass += bodies->body[i].mass;
        for (int c = 0; c < 3; c++)
            centre[c] += bodies->body[i].mass * bodies->body[i].x[c];
    }
    for (int i = 0; i < bodies->count; i++) {
        double r2 = 0;
        for (int c = 0; c < 3; c++) {
            const double d = bodies->body[i].x[c] - (mass > 0 ? centre[c] / mass : 0);
            r2 += d * d;
        }
        if (r2 > out_of_box_parameter * out_of_box_parameter)
            report(OUT_OF_BOX_DETECTION, &bodies->body[i], NULL);
    }
}

int amuse_stops_met(const amuse_bodies *bodies)
{
    steps++;
    if (enabled(COLLISION_DETECTION))
        find_collisions(bodies);
    if (enabled(OUT_OF_BOX_DETECTION))
        find_outside(bodies);
    if (enabled(NUMBER_OF_STEPS_DETECTION) && steps >= number_of_steps_parameter)
        report(NUMBER_OF_STEPS_DETECTION, NULL, NULL);
    if (enabled(TIMEOUT_DETECTION) && seconds() - begin > timeout_parameter)
        report(TIMEOUT_DETECTION, NULL, NULL);
    return set_conditions != 0;
}
