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

/* Creates an interaction with a kernel and default choices: accumulator fixed, arithmetic mixed, method direct, backend
 * auto. */
MYR_API myr_status myr_interaction_create(myr_context *context, const char *kernel, myr_interaction **interaction);

/* Frees the interaction and sets *interaction to null. A null interaction is allowed. */
MYR_API void myr_interaction_destroy(myr_interaction **interaction);

/* Sets a choice by name. Keys: "kernel", "accumulator", "arithmetic", "method", "backend", "isa", and "softening"
 * ("plummer" or "spline"; gravity kernels). */
MYR_API myr_status myr_interaction_choose(myr_interaction *interaction, const char *key, const char *value);

/* Present choice for a key; for "isa" and "backend" the one that "auto" selected. Null for an unknown key. */
MYR_API const char *myr_interaction_choice(const myr_interaction *interaction, const char *key);

/* Sets a parameter of the kernel ("eps", "cutoff", ...) or of the method. Method parameters: "tolerance" (relative rms
 * error of the outputs, 1e-5), from which parameters that are 0 or not set are chosen; "order", "separation" (fmm);
 * "theta", "part", "group" (tree); "leaf". A parameter that the present method does not have is an error of the
 * evaluation. Choosing a method ends that: parameters that were set before and that the method does not have are
 * ignored, and count again once a method is chosen that has them. */
MYR_API myr_status myr_interaction_set(myr_interaction *interaction, const char *parameter, double value);

/* Puts the particles into a box that is periodic along the axes with nonzero edges (all 0 = open again); origin: lowest
 * corner, null = 0. Particles outside are folded into the box. Methods "fmm", "tree" and "pseudo": nonzero edges must
 * be equal, and along open axes the particles must be within one edge. All periodic images count, as in an Ewald sum
 * with conducting boundary: no dipole term, and with three periodic axes a uniform neutralising background. With one or
 * two periodic axes, strengths that do not sum to 0 leave the constant of the potential undefined. With the parameter
 * "images" = n, an even number, only n images along each axis count, n/2 on each side, without such corrections. */
MYR_API myr_status myr_interaction_set_box(myr_interaction *interaction, const double edges[3], const double origin[3]);

/* Edges of the periodic box, 0 along open axes, and its lowest corner. */
MYR_API myr_status myr_interaction_box(const myr_interaction *interaction, double edges[3], double origin[3]);

/* Value of a parameter, after an evaluation the one in use; NaN if the name is unknown. */
MYR_API double myr_interaction_get(const myr_interaction *interaction, const char *parameter);

/* Allows (1) or refuses (0, the default) negative masses of sources in the gravity kernels. Charges of other kernels
 * have either sign always. */
MYR_API myr_status myr_interaction_allow_negative_masses(myr_interaction *interaction, int allowed);

/* Sets one parameter per pair of types from values[types][types], which must be symmetric. All pair parameters of the
 * kernel must be set, with the same number of types. Kernels with a cutoff take "cutoff", too, and "inner", the radius
 * at which the cut "spline" begins: these replace the one cutoff and the one inner radius of all pairs in a box (method
 * "neighbour"); other methods refuse them. */
MYR_API myr_status myr_interaction_set_pair(myr_interaction *interaction, const char *parameter, int types,
                                            const double *values);

typedef enum {
    MYR_EXCLUDE_ON_THE_FLY, /* excluded pairs are masked in the loop */
    MYR_EXCLUDE_AFTERWARDS, /* all pairs are summed, then the excluded pairs are subtracted */
    /* as MYR_EXCLUDE_AFTERWARDS, but the processor computes the excluded pairs while the GPU sums all pairs; portable
     * arithmetic, in which both have the same bits */
    MYR_EXCLUDE_BY_PROCESSOR
} myr_exclusion_mode;

/* Sets pairs that do not interact (bonded atoms): the partners of target i are the source indices partner[offset[i] ..
 * offset[i+1]), sorted. offset has n+1 entries for n targets. The arrays are copied. A null offset removes all
 * exclusions. */
MYR_API myr_status myr_interaction_set_exclusions(myr_interaction *interaction, int64_t n, const int64_t *offset,
                                                  const int64_t *partner, myr_exclusion_mode mode);

/* Fixes the exponent of the accumulator's grid for an output field. With `narumi` and `nitadori_large` contributions
 * must stay below 2^(exponent-1); `fixed` adds larger ones as well, at more cost, in units of 2^(exponent-45)
 * (2^(exponent-103) in double arithmetic). By default the exponent is chosen from the data and kept between
 * evaluations; that of `fixed` is chosen again every 256 evaluations of all particles, others are raised when a
 * contribution does not fit. */
MYR_API myr_status myr_interaction_set_scale(myr_interaction *interaction, const char *output, int exponent);

/* Exponent in use for an output field after an evaluation. */
MYR_API myr_status myr_interaction_scale(const myr_interaction *interaction, const char *output, int *exponent);

/* Tuning that never changes the result of order-independent accumulators. Keys: "splits" (number of parts of the
 * sources, 0 = automatic), "bag" (bag entries per sweep, 0 = automatic), "careful" (1 = use the loop that checks for
 * coincident bodies for all pairs), "unroll" (gravity with plain sums only: 10 i + j for i target vectors and j bag
 * entries per iteration, 0 = default). */
MYR_API myr_status myr_interaction_tune(myr_interaction *interaction, const char *key, int64_t value);

/* Checks that all choices and parameters are compatible, as evaluations do first; the reason for a failure is in the
 * context. */
MYR_API myr_status myr_interaction_check(const myr_interaction *interaction);

/* Sums over all pairs. The outputs become fields of the targets, which are added if missing. If targets and sources are
 * the same set, the pair of a particle with itself is treated as the kernel says (catalogue.h). Pairs of coincident
 * bodies, for which the formula is undefined, are skipped and counted. */
MYR_API myr_status myr_interaction_evaluate(myr_interaction *interaction, myr_particles *targets,
                                            const myr_particles *sources);

/* As myr_interaction_evaluate, for the n particles listed in index[] against the whole set. Output fields of other
 * particles are unchanged. */
MYR_API myr_status myr_interaction_evaluate_subset(myr_interaction *interaction, myr_particles *particles, int64_t n,
                                                   const int64_t *index);

/* Description of the last evaluation. */
typedef struct {
    int64_t targets, sources;
    int64_t pairs;      /* pairs evaluated one by one: all with direct sums, fewer with other methods */
    int64_t skipped;    /* pairs of coincident different particles, skipped */
    int64_t repeats;    /* number of repetitions because of range or coincident bodies */
    int64_t splits;     /* number of parts of the sources */
    double seconds;     /* seconds of the last pass, packing included */
    double seconds_all; /* seconds including repetitions and the choice of scale */
    int net_exact;      /* 1 if myr_interaction_net is an exact sum */
} myr_evaluation;

/* Describes the last evaluation. */
MYR_API myr_status myr_interaction_last(const myr_interaction *interaction, myr_evaluation *evaluation);

/* Pairs of different particles of a set at the same place, as the arithmetic of the interaction stores positions:
 * *count is the number of all pairs, and the first `most` pairs go to pair[2 * most] as indices, lower index first,
 * sorted. Forces between such particles have no value without softening: evaluations skip them, and a simulation does
 * not start. */
MYR_API myr_status myr_interaction_coincident(const myr_interaction *interaction, const myr_particles *particles,
                                              int64_t most, int64_t *pair, int64_t *count);

/* Request for sources near targets. Source j is near target i if |r|^2 < radius2[i], r = x_j - x_i, or if
 * |r + ahead[i] u|^2 < radius2[i], u = v_j - v_i: now, or after that time. Numbers are compared in double. */
typedef struct {
    const double *radius2; /* [targets] */
    const double *ahead;   /* [targets]; null = now only */
    int by_mass;           /* 1 = radius2 is multiplied by the mass of the source */
    int same_sources;      /* 1 = the sources are those of the call before, and have not changed since */
} myr_near_query;

/* Lists of near sources: those of target i are source[offset[i]] to source[offset[i + 1] - 1], ascending. A target that
 * is itself a source is in its own list. The interaction owns the lists until the next call. */
typedef struct {
    int64_t targets;
    const int64_t *offset; /* [targets + 1] */
    const int32_t *source;
} myr_near_lists;

/* Finds the sources near each target by comparing all pairs, on the processor or the GPU that the interaction would
 * use, with the same result. Particles need positions, and velocities if `ahead` is given. */
MYR_API myr_status myr_interaction_near(myr_interaction *interaction, const myr_particles *targets,
                                        const myr_particles *sources, const myr_near_query *query,
                                        myr_near_lists *lists);

/* Report of a method other than direct about its last evaluation, with what is measured in the first evaluation after a
 * change of choices and in every 32nd: the error of a far field, on sampled targets that are summed directly, or, of
 * method neighbour, the pairs looked at and those within the cutoff. */
typedef struct {
    double tolerance; /* requested relative rms error */
    int64_t samples;
    const char *output[3]; /* output fields; null past the last */
    double error[3];       /* error of each output: (sum |f - direct|^2 / sum |direct|^2)^(1/2) over the samples */
    int order, separation;
    int64_t leaf;
    int in_double; /* 1 = expansions in double */
    int64_t cells, leaves, levels;
    int64_t largest;                  /* largest number of sources in a leaf */
    int64_t near_pairs, translations; /* pairs of particles summed directly; translations of expansions between cells */
    double operations;                /* multiply-adds of the translations */
    int64_t bytes;                    /* memory of the method's own arrays in bytes */
    const char *part[12];             /* names of the parts of the evaluation; null past the last */
    double seconds[12];
    int64_t within_pairs; /* near_pairs that are nearer than the kernel's cutoff (neighbour); -1 for other methods */
    int64_t mesh[3];      /* points along each axis (mesh; `order` is then the points that an element touches), or 0 */
} myr_far_report;

/* Reports the last evaluation of a method other than direct. */
MYR_API myr_status myr_interaction_far(const myr_interaction *interaction, myr_far_report *report);

/* Sum of one component of an output field over the targets of the last evaluation. With `fixed` and `narumi` the sum is
 * exact, in integers: zero if the output is antisymmetric. */
MYR_API myr_status myr_interaction_net(const myr_interaction *interaction, const char *output, int component,
                                       double *net);

/* Errors measured on sampled targets, relative to the norm of the output vector of each target. */
typedef struct {
    double max_error, rms_error; /* relative to the same sum in double arithmetic */
    double sum_error;            /* rms error relative to the exact sum of the same contributions */
    double sum_bound_used; /* largest |sum - exact| / (2^-24 sum|f|) over samples and components (2^-53 in double) */
    int64_t samples;
    /* largest |output - right| / (2^-24 |sum|f||) over samples (2^-53 in double), norms of vectors, right being the
     * same sum in double arithmetic: a few where contributions were rounded to the arithmetic and no digit was lost
     * besides, even if they cancel */
    double rounding_used;
    /* errors of all samples together relative to their outputs: (sum |output - right|^2 / sum |right|^2)^(1/2), which
     * the tolerance of a method limits; smaller than rms_error where small outputs have the large relative errors */
    double norm_error;
} myr_accuracy;

/* Measures the accuracy of an output field of the targets, the result of the last evaluation. */
MYR_API myr_status myr_interaction_accuracy(myr_interaction *interaction, myr_particles *targets,
                                            const myr_particles *sources, const char *output, int64_t samples,
                                            myr_accuracy *accuracy);

MYR_END_DECLS

#endif
