/* kernel.h - what a pair kernel declares about itself, and the arguments its formula gets.
 *
 * A kernel is one header in this folder and one line in kernels.def. The header holds the formula,
 * `FORMULA_pair`, written over lanes (backend/lane/lane.h), `FORMULA_prepare`, and for each kernel NAME that uses it
 *   - enum constants NAME_COORDS, NAME_TARGET, NAME_SOURCE, NAME_PAIR, NAME_CONSTANTS, NAME_FIRST, NAME_OUTPUTS
 *   - a descriptor `static const myr_kernel_desc NAME_desc`
 *   - NAME_pair and NAME_prepare: the formula itself, or a macro that names it
 * Kernels that share a formula use ranges of its outputs (NAME_FIRST, NAME_OUTPUTS); the compiler drops the rest.
 * These headers are also compiled by nvcc: keep initialisers in order and free of nested designators.
 */
#ifndef MYR_KERNEL_H
#define MYR_KERNEL_H

#include <stdint.h>

enum {
    MYR_KERNEL_COORDS_MAX = 3,  /* components of the position */
    MYR_KERNEL_FIELDS = 8,      /* fields beside the position, per target or source, and the null name that ends them */
    MYR_KERNEL_COMPONENTS = 10, /* their components, flattened */
    MYR_KERNEL_OUTPUTS_MAX = 8, /* output components */
    MYR_KERNEL_OUTPUT_FIELDS = 3,
    MYR_KERNEL_PARAMETERS = 8,
    MYR_KERNEL_CONSTANTS_MAX = 12,
    MYR_KERNEL_PAIR_MAX = 4
};

/* A particle field that a kernel reads: `components` consecutive lanes. */
typedef struct {
    const char *name;
    int components;
} myr_kernel_field;

/* A number that the user sets, with its default and what it may be. */
typedef struct {
    const char *name;
    double value;        /* default */
    double lower, upper; /* inclusive */
    const char *text;
} myr_kernel_parameter;

/* What happens to the pair of a particle with itself. */
typedef enum {
    MYR_SELF_VANISHES, /* the formula gives exactly 0 */
    MYR_SELF_SKIPPED,  /* it would not, and must not be counted */
    MYR_SELF_COUNTED   /* it is part of the sum (SPH density, a boundary element on itself) */
} myr_self;

typedef enum {
    MYR_SYMMETRY_NONE,
    MYR_SYMMETRY_ANTI,      /* output_ij = -output_ji exactly: forces */
    MYR_SYMMETRY_ANTI_EQUAL /* the same where the strengths (masses) are equal: accelerations */
} myr_symmetry;

/* A field of the result. */
typedef struct {
    const char *name;
    int components;
    myr_symmetry symmetry;
} myr_kernel_output;

typedef struct {
    const char *name;
    const char *text;                           /* one line for `myriad info` */
    const char *formula;                        /* in plain characters */
    int coords;                                 /* components of the position: 3, or 1 */
    myr_kernel_field target[MYR_KERNEL_FIELDS]; /* besides the position; ends with a null name */
    myr_kernel_field source[MYR_KERNEL_FIELDS];
    const char *pair[MYR_KERNEL_PAIR_MAX + 1]; /* parameters per pair of types; ends with null */
    myr_kernel_parameter parameter[MYR_KERNEL_PARAMETERS];
    myr_kernel_output output[MYR_KERNEL_OUTPUT_FIELDS + 1];
    myr_self self;
    int null_source;         /* first component of the source fields that must be 0 to make a source count for nothing;
                                -1 where a pair-of-types table does that (the last row of the table is zero); where
                                there is both, a source counts for nothing with both */
    int null_components;     /* how many components from there on must be 0 (all of a vector) */
    int reach;               /* index of the parameter that is a cutoff radius, or -1 */
    const char *reach_field; /* the particle field that sets the cutoff radius of each pair; null = none */
    double reach_target, reach_source; /* a pair beyond reach_target * (the target's value of that field) +
                                          reach_source * (the source's value) contributes exactly 0 */
    int has_expansion;                 /* a multipole expansion exists: trees and FMM apply */
    int flops, flops_gpu; /* per pair: each operation once, comparisons not, nor what depends on the target alone or the
                             source alone (paper 001, A.1); the same as the GRAPE literature counts: 1/sqrt 20,
                             division 10, any other function 20 */
    int issue;            /* fewest vector instructions per pair in single arithmetic with a plain sum: fused
                             multiply-adds, masks merged into arithmetic, and nothing for what depends on the target
                             alone or the source alone; without rsqrt, recip, exp, ... which are counted next */
    int issue_rsqrt, issue_recip, issue_exp; /* how many of each */
    int issue_erf, issue_sin;                /* the same; a cosine is a sine */
    int proportional; /* 1 = contributions are proportional to component null_source of the source's fields, and the
                         formula leaves it out where MYR_KERNEL_EQUAL says that all sources have the same */
} myr_kernel_desc;

/* Code that is compiled for one evaluation may know that all sources are equally strong: then the strength multiplies
 * the sums and not the contributions. */
#if !defined(MYR_KERNEL_EQUAL)
#define MYR_KERNEL_EQUAL 0
#endif

/* The rest of a kernel header's contract, for the translation units that instantiate it:
 *
 *   static double NAME_prepare(const double *parameter, double *constant);
 *       the user's parameters, in the order of the descriptor -> the constants of the formula; returns the factor
 *       that multiplies every sum at the end (G, 1/(4 pi), ...)
 *   static void NAME_prepare_pair(const double *user, double *pair);   where NAME_PAIR > 0, and the header
 *       then defines MYR_KERNEL_HAS_PAIR
 *       one entry of the pair-of-types table as the user gave it -> as the formula wants it
 *   MYR_FN void NAME_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d);
 *       contribution k of source j to target i is s[k] * d[k]; call guard_singular(guard, r2) where the formula has
 *       no value at r2 = 0
 *
 * myr_pair (backend/tile.h) carries
 *   xi, xj   coordinates: lane_delta(in->xj[0], in->xi[0])
 *   fi, fj   the other fields, flattened in the descriptor's order
 *   pp       parameters of this pair of types
 *   c        constants
 */
#endif
