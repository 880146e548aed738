/* drive.h - what the drivers of the figures share: a Plummer sphere, and the library's own kernel in the
 * arithmetic of cunbody_api(), for targets and sources that are two sets, as they are there. */
#ifndef TESTS_PAPER_DRIVE_H
#define TESTS_PAPER_DRIVE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <myriad/myriad.h>

enum { BODIES = 1000, TARGETS = 800 };

static double x[BODIES][3], v[BODIES][3], m[BODIES];

const char *cunbody_message(void);

static void must(myr_context *context, myr_status status)
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", context ? myr_context_message(context) : "no memory");
    exit(1);
}

/* Fills x, v, m, and gives `output` of a kernel for the first `targets` bodies against all: values[targets][..]. */
static void library(const char *kernel, double eps, int targets, const char *output, double *values)
{
    myr_context *context = NULL;
    myr_particles *all, *some;
    myr_interaction *f;
    must(NULL, myr_context_create(&context));
    must(context, myr_model_create(context, "plummer", BODIES, 7, &all));
    must(context, myr_particles_get(all, "position", x[0]));
    must(context, myr_particles_get(all, "velocity", v[0]));
    must(context, myr_particles_get(all, "mass", m));
    must(context, myr_particles_create(context, targets, &some));
    must(context, myr_particles_set(some, "position", 3, x[0]));
    must(context, myr_particles_set(some, "velocity", 3, v[0]));
    must(context, myr_particles_set(some, "mass", 1, m));
    must(context, myr_interaction_create(context, kernel, &f));
    must(context, myr_interaction_choose(f, "arithmetic", "single"));
    must(context, myr_interaction_choose(f, "accumulator", "chamomile"));
    must(context, myr_interaction_set(f, "eps", eps));
    must(context, myr_interaction_evaluate(f, some, all));
    must(context, myr_particles_get(some, output, values));
    myr_interaction_destroy(&f);
    myr_particles_destroy(&some);
    myr_particles_destroy(&all);
    myr_context_destroy(&context);
}

/* The largest |a - b| / |b| over n vectors. */
static double largest_error(int n, int components, const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        double off = 0, size = 0;
        for (int c = 0; c < components; c++) {
            off += pow(a[i * components + c] - b[i * components + c], 2);
            size += pow(b[i * components + c], 2);
        }
        const double error = sqrt(off / size);
        most = error > most || isnan(error) ? error : most;
        if (isnan(most))
            return most;
    }
    return most;
}

/* 1 and a line where an error is not below its bar. */
static int above(const char *what, double error, double bar)
{
    printf("%-30s largest relative error %.3g (bar %.3g)\n", what, error, bar);
    return !(error < bar);
}

#endif
