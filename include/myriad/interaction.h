/* interaction.h - one evaluation is four independent choices: kernel, accumulator, method, backend.
 *
 *   myr_interaction *f;
 *   myr_interaction_create(context, "gravity", &f);
 *   myr_interaction_choose(f, "accumulator", "fixed");
 *   myr_interaction_set(f, "eps", 0.01);
 *   myr_interaction_evaluate(f, stars, stars);
 *   const double *ax = myr_particles_component(stars, "acceleration", 0);
 */
#ifndef MYRIAD_INTERACTION_H
#define MYRIAD_INTERACTION_H

#include <stdint.h>

#include <myriad/particles.h>

MYR_BEGIN_DECLS

typedef struct myr_interaction myr_interaction;

/* Makes an interaction with everything but the kernel at its default: accumulator fixed, arithmetic mixed, method
 * direct, backend auto. */
MYR_API myr_status myr_interaction_create(myr_context *context, const char *kernel, myr_interaction **interaction);

/* Frees it and clears the pointer. Null is allowed. */
MYR_API void myr_interaction_destroy(myr_interaction **interaction);

/* Makes a choice by name. Keys: "kernel", "accumulator", "arithmetic", "method", "backend", "isa", and
 * "softening" ("plummer" or "spline"; gravity kernels). */
MYR_API myr_status myr_interaction_choose(myr_interaction *interaction, const char *key, const char *value);

/* What is chosen for a key; for "isa" and "backend" what "auto" came to. Null for an unknown key. */
MYR_API const char *myr_interaction_choice(const myr_interaction *interaction, const char *key);

/* Sets a parameter of the kernel ("eps", "cutoff", ...) or of the method: "tolerance" (relative rms error of the
 * outputs, 1e-5), which chooses what is not set, or is 0, of "order", "separation" (fmm), "theta", "group" (tree) and
 * "leaf". */
MYR_API myr_status myr_interaction_set(myr_interaction *interaction, const char *parameter, double value);

/* Puts the particles into a box that repeats along the axes whose edges are not 0 (all 0 = open again); origin: its
 * lowest corner, null = 0. They are taken at their places in it, wherever they are. Methods "fmm", "tree" and "pseudo":
 * edges are to be equal, and along open axes the particles within one edge. All images count, as in an Ewald sum with a
 * conductor around it: no dipole term, and where three axes are periodic a uniform background makes the box neutral.
 * Where only one or two are, strengths that do not add up to 0 leave the constant of the potential open. With the
 * parameter "images" n, an even number, only n images along each axis count, n/2 on each side, without such
 * corrections. */
MYR_API myr_status myr_interaction_set_box(myr_interaction *interaction, const double edges[3], const double origin[3]);

/* The edges of that box, 0 where it is open, and its lowest corner. */
MYR_API myr_status myr_interaction_box(const myr_interaction *interaction, double edges[3], double origin[3]);

/* The value of a parameter, after an evaluation the one that was chosen; NaN for an unknown one. */
MYR_API double myr_interaction_get(const myr_interaction *interaction, const char *parameter);

/* Sets one parameter per pair of types from values[types][types], which must be symmetric. All parameters of the
 * kernel's pair list must be given, with the same number of types. */
MYR_API myr_status myr_interaction_set_pair(myr_interaction *interaction, const char *parameter, int types,
                                            const double *values);

typedef enum {
    MYR_EXCLUDE_ON_THE_FLY,  /* excluded pairs are masked in the loop */
    MYR_EXCLUDE_AFTERWARDS,  /* all pairs are summed, then the excluded ones are taken off */
    MYR_EXCLUDE_BY_PROCESSOR /* the same, and what a GPU sums the processor takes the excluded pairs off: it works them
                                out while the GPU works on all. Portable arithmetic, in which both find the same */
} myr_exclusion_mode;

/* Pairs that do not interact (bonded atoms): partners of target i are the source indices
 * partner[offset[i] .. offset[i+1]), sorted. offset has n+1 entries for n targets. Copied. Null offset removes. */
MYR_API myr_status myr_interaction_set_exclusions(myr_interaction *interaction, int64_t n, const int64_t *offset,
                                                  const int64_t *partner, myr_exclusion_mode mode);

/* Fixes the exponent of the accumulator's grid for an output field: contributions must stay below 2^(exponent-1).
 * Without this it is chosen from the data, kept between evaluations, and raised when a contribution does not fit. */
MYR_API myr_status myr_interaction_set_scale(myr_interaction *interaction, const char *output, int exponent);

/* The exponent in use for an output field after an evaluation. */
MYR_API myr_status myr_interaction_scale(const myr_interaction *interaction, const char *output, int *exponent);

/* Tuning that never changes the result of order-independent accumulators. Keys: "splits" (parts that the sources are
 * cut into, 0 = automatic), "bag" (bag entries per sweep, 0 = automatic), "careful" (1 = every pair through the loop
 * that checks for coincident bodies), "unroll" (gravity with plain sums only: 10 i + j for i target vectors and j bag
 * entries per iteration, 0 = as shipped). */
MYR_API myr_status myr_interaction_tune(myr_interaction *interaction, const char *key, int64_t value);

/* Whether everything that was chosen and set goes together, as evaluations ask first: the reason is in the context. */
MYR_API myr_status myr_interaction_check(const myr_interaction *interaction);

/* Sums over all pairs. The outputs become fields of the targets, added if they are not there. Where targets and
 * sources are the same set, a particle's pair with itself is treated as the kernel says (catalogue.h). Bodies at the
 * same place, where the formula has no value, are left out and counted. */
MYR_API myr_status myr_interaction_evaluate(myr_interaction *interaction, myr_particles *targets,
                                            const myr_particles *sources);

/* The same for the n particles of a set that index[] lists, against the whole set. Other particles keep what their
 * output fields hold. */
MYR_API myr_status myr_interaction_evaluate_subset(myr_interaction *interaction, myr_particles *particles, int64_t n,
                                                   const int64_t *index);

/* What the last evaluation was. */
typedef struct {
    int64_t targets, sources, pairs;
    int64_t skipped;    /* pairs of different particles at the same place, left out */
    int64_t repeats;    /* times it was done again, for range or coincidence */
    int64_t splits;     /* parts that the sources were cut into */
    double seconds;     /* of the last pass, packing included */
    double seconds_all; /* with repeats and the choice of scale */
    int net_exact;      /* whether `net` below was summed exactly */
} myr_evaluation;

/* Describes the last evaluation. */
MYR_API myr_status myr_interaction_last(const myr_interaction *interaction, myr_evaluation *evaluation);

/* What a method with a far field did in its last evaluation, and the error that it was found to have: sampled targets
 * are summed directly, in the first evaluation after a choice and in every 32nd. */
typedef struct {
    double tolerance; /* asked for */
    int64_t samples;
    const char *output[3]; /* fields; null past the end */
    double error[3];       /* of each: (sum |f - direct|^2 / sum |direct|^2)^(1/2) over the samples */
    int order, separation;
    int64_t leaf;
    int in_double; /* expansions in doubles */
    int64_t cells, leaves, levels;
    int64_t largest;                  /* most sources in a leaf */
    int64_t near_pairs, translations; /* particles one by one; series from cell to cell */
    double operations;                /* multiply-adds of the translations */
    int64_t bytes;                    /* of the method's own arrays */
    const char *part[12];             /* of the evaluation; null past the end */
    double seconds[12];
} myr_far_report;

/* Describes it. */
MYR_API myr_status myr_interaction_far(const myr_interaction *interaction, myr_far_report *report);

/* The sum over the last evaluation's targets of one component of an output field. With `fixed` and `narumi` it is
 * summed in integers, without rounding: exactly zero where the output is antisymmetric. */
MYR_API myr_status myr_interaction_net(const myr_interaction *interaction, const char *output, int component,
                                       double *net);

/* How wrong the results are, measured on sampled targets (relative to each target's own vector). */
typedef struct {
    double max_error, rms_error; /* against the same sum in double arithmetic */
    double sum_error;            /* rms, against the exact sum of the same contributions */
    double sum_bound_used; /* largest |sum - exact| / (2^-24 sum|f|) over samples and components (2^-53 in double) */
    int64_t samples;
} myr_accuracy;

/* Measures the accuracy of an output field as the targets now hold it: the last evaluation's result. */
MYR_API myr_status myr_interaction_accuracy(myr_interaction *interaction, myr_particles *targets,
                                            const myr_particles *sources, const char *output, int64_t samples,
                                            myr_accuracy *accuracy);

MYR_END_DECLS

#endif
