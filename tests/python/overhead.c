/* overhead.c - what tests/python/overhead.py does, in C: an evaluation, and leapfrog steps of a few bodies. */
#include <myriad/myriad.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    const long n = argc > 1 ? atol(argv[1]) : 100000, bodies = 100, steps = 20000;
    myr_context *context;
    myr_particles *stars = NULL;
    myr_interaction *far = NULL;
    myr_simulation *sim = NULL;
    if (myr_context_create(&context) || myr_context_set_threads(context, 1) ||
        myr_model_create(context, "plummer", n, 1, &stars) ||
        myr_interaction_create(context, "gravity_potential", &far) || myr_interaction_choose(far, "method", "fmm") ||
        myr_interaction_evaluate(far, stars, stars))
        return fprintf(stderr, "%s\n", myr_context_message(context)), 1;
    double best = 1e9;
    for (int k = 0; k < 5; k++) {
        const double start = seconds();
        myr_interaction_evaluate(far, stars, stars);
        best = seconds() - start < best ? seconds() - start : best;
    }
    printf("evaluation_seconds %.6f\n", best);
    myr_interaction_destroy(&far);
    myr_particles_destroy(&stars);
    if (myr_model_create(context, "plummer", bodies, 1, &stars) || myr_interaction_create(context, "gravity", &far) ||
        myr_interaction_set(far, "eps", 0.1) || myr_simulation_create(context, stars, far, &sim) ||
        myr_simulation_set(sim, "dt", 1.0 / 1024) || myr_simulation_step(sim, 1e300))
        return fprintf(stderr, "%s\n", myr_context_message(context)), 1;
    best = 1e9;
    for (int k = 0; k < 5; k++) {
        const double start = seconds();
        const int64_t last = myr_simulation_steps(sim) + steps;
        while (myr_simulation_steps(sim) < last)
            if (myr_simulation_advance(sim, 1e300, 1e300, last - myr_simulation_steps(sim)))
                return fprintf(stderr, "%s\n", myr_context_message(context)), 1;
        best = seconds() - start < best ? seconds() - start : best;
    }
    printf("step_seconds %.9f\n", best / (double)steps);
    myr_simulation_destroy(&sim);
    myr_context_destroy(&context);
    return 0;
}
