/* kernel.h - the record of a pair kernel, and the arguments that its formula gets.
 *
 * A kernel is one header in this folder and one line in kernels.def. The header holds, for the kernel NAME,
 *   - NAME_RECORD, the list of what the kernel reads, takes and gives:
 *         TARGET(field, components)           a field of the target beside the position
 *         SOURCE(field, components)           the same of the source; a third argument MYR_STRENGTH marks the fields
 *                                             that are 0 in a source that contributes nothing
 *         PARAMETER(name, default, lower, upper, text)   a number that the user sets, with its bounds, inclusive;
 *                                             a sixth argument MYR_CUTOFF marks the one that is a cutoff radius
 *         OUTPUT(field, components)           a field of the result; a third argument is its symmetry
 *         SIZE(CONSTANTS, n)                  constants that NAME_prepare fills; none unless given
 *         SIZE(TABLE, n)                      numbers per pair of types that NAME_prepare_pair fills; likewise
 *         SIZE(COORDS, n)                     components of the position; 3 unless given
 *         SIZE(NO_COORDS, 1)                  the position is among the fields, and no more precise than those
 *   - MYR_KERNEL_RECORD(NAME, facts): makes the counts and the descriptor NAME_desc of the list; the facts are members
 *     of the descriptor that differ from 0, from `text` on, in order
 *   - NAME_prepare and NAME_pair, the formula, written over lanes (backend/lane/lane.h); or macros that name those of
 *     another kernel, whose first outputs are then used, and the compiler drops the rest
 * NVRTC compiles these headers as C++: keep initialisers in order and free of nested designators.
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

enum {
    MYR_STRENGTH = 1, /* third argument of SOURCE */
    MYR_CUTOFF = 1    /* sixth argument of PARAMETER */
};

/* A particle field that a kernel reads: `components` consecutive lanes. */
typedef struct {
    const char *name;
    int components;
    int is_strength; /* of a source: 1 = a source whose fields so marked are all 0 contributes nothing; where the kernel
                        has parameters per pair of types, its row of that table must be 0 as well */
} myr_kernel_field;

/* A number that the user sets, with its default and what it may be. */
typedef struct {
    const char *name;
    double value;        /* default */
    double lower, upper; /* inclusive */
    const char *text;
    int is_cutoff; /* 1 = the radius beyond which pairs contribute nothing; the value 0 then means no cutoff */
} myr_kernel_parameter;

/* What happens to the pair of a particle with itself. */
typedef enum {
    MYR_SELF_VANISHES, /* the formula gives exactly 0 */
    MYR_SELF_SKIPPED,  /* the formula gives another value, which must not be counted */
    MYR_SELF_COUNTED   /* the pair is part of the sum (SPH density, a boundary element on itself) */
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

/* The descriptor. Lists end with a null name. MYR_KERNEL_RECORD fills the members before `text`. */
typedef struct {
    const char *name;
    int coords;                                 /* components of the position: 3, or 1; 0 = positions are fields */
    myr_kernel_field target[MYR_KERNEL_FIELDS]; /* besides the position */
    myr_kernel_field source[MYR_KERNEL_FIELDS];
    myr_kernel_parameter parameter[MYR_KERNEL_PARAMETERS + 1];
    myr_kernel_output output[MYR_KERNEL_OUTPUT_FIELDS + 1];
    const char *text;                          /* one line for `myriad info` */
    const char *formula;                       /* in plain characters */
    const char *pair[MYR_KERNEL_PAIR_MAX + 1]; /* parameters per pair of types; a pair of types with all of them 0 does
                                                  not interact */
    myr_self self;
    const char *reach_field;           /* the particle field that sets the cutoff radius of each pair; null = none */
    double reach_target, reach_source; /* a pair beyond reach_target * (the target's value of that field) +
                                          reach_source * (the source's value) contributes exactly 0 */
    int has_expansion;                 /* 1 = a multipole expansion exists: trees and FMM apply */
    int proportional; /* 1 = contributions are proportional to the strength, and the formula leaves it out where
                         MYR_KERNEL_EQUAL says that all sources have the same */
    int is_short;     /* 1 = the formula takes at most MYR_KERNEL_SHORT vector instructions beside its functions
                         (1/sqrt, exp, ...): loops on a GPU then hold more copies of it */
} myr_kernel_desc;

enum { MYR_KERNEL_SHORT = 14 };

/* --- from the list to counts and descriptor --- */

#define MYR_RECORD_NONE(...)
#define MYR_RECORD_COUNT(field, ...) +MYR_RECORD_FIRST(__VA_ARGS__, 0)
#define MYR_RECORD_FIELD(field, ...) {#field, MYR_RECORD_PAIR(__VA_ARGS__, 0, 0)},
#define MYR_RECORD_OUTPUT(field, ...) {#field, MYR_RECORD_PAIR(__VA_ARGS__, MYR_SYMMETRY_NONE, 0)},
#define MYR_RECORD_PARAMETER(name, value, lower, ...) {#name, value, lower, MYR_RECORD_THREE(__VA_ARGS__, 0, 0)},
#define MYR_RECORD_FIRST(first, ...) first
#define MYR_RECORD_PAIR(first, second, ...) first, second
#define MYR_RECORD_THREE(first, second, third, ...) first, second, third

/* All sizes in one number, a byte each. */
#define MYR_RECORD_SIZE(kind, n) +((n) << MYR_SIZE_##kind)
enum { MYR_SIZE_CONSTANTS = 0, MYR_SIZE_TABLE = 8, MYR_SIZE_COORDS = 16, MYR_SIZE_NO_COORDS = 24 };

/* The entries of one kind; NAME is the kernel, MAKE what becomes of each of them. */
#define MYR_RECORD_TARGETS(NAME, MAKE)                                                                                 \
    NAME##_RECORD(MAKE, MYR_RECORD_NONE, MYR_RECORD_NONE, MYR_RECORD_NONE, MYR_RECORD_NONE)
#define MYR_RECORD_SOURCES(NAME, MAKE)                                                                                 \
    NAME##_RECORD(MYR_RECORD_NONE, MAKE, MYR_RECORD_NONE, MYR_RECORD_NONE, MYR_RECORD_NONE)
#define MYR_RECORD_PARAMETERS(NAME, MAKE)                                                                              \
    NAME##_RECORD(MYR_RECORD_NONE, MYR_RECORD_NONE, MAKE, MYR_RECORD_NONE, MYR_RECORD_NONE)
#define MYR_RECORD_OUTPUTS(NAME, MAKE)                                                                                 \
    NAME##_RECORD(MYR_RECORD_NONE, MYR_RECORD_NONE, MYR_RECORD_NONE, MAKE, MYR_RECORD_NONE)
#define MYR_RECORD_SIZES(NAME, KIND)                                                                                   \
    (((0 NAME##_RECORD(MYR_RECORD_NONE, MYR_RECORD_NONE, MYR_RECORD_NONE, MYR_RECORD_NONE, MYR_RECORD_SIZE)) >>        \
      MYR_SIZE_##KIND) &                                                                                               \
     0xff)

#define MYR_KERNEL_RECORD(NAME, ...)                                                                                   \
    enum {                                                                                                             \
        NAME##_COORDS = MYR_RECORD_SIZES(NAME, NO_COORDS) ? 0                                                          \
                        : MYR_RECORD_SIZES(NAME, COORDS)  ? MYR_RECORD_SIZES(NAME, COORDS)                             \
                                                          : 3,                                                          \
        NAME##_TARGET = 0 MYR_RECORD_TARGETS(NAME, MYR_RECORD_COUNT),                                                  \
        NAME##_SOURCE = 0 MYR_RECORD_SOURCES(NAME, MYR_RECORD_COUNT),                                                  \
        NAME##_PAIR = MYR_RECORD_SIZES(NAME, TABLE),                                                                   \
        NAME##_CONSTANTS = MYR_RECORD_SIZES(NAME, CONSTANTS),                                                          \
        NAME##_OUTPUTS = 0 MYR_RECORD_OUTPUTS(NAME, MYR_RECORD_COUNT)                                                  \
    };                                                                                                                 \
    static const myr_kernel_desc NAME##_desc = {                                                                       \
        .name = #NAME,                                                                                                 \
        .coords = NAME##_COORDS,                                                                                       \
        .target = {MYR_RECORD_TARGETS(NAME, MYR_RECORD_FIELD){0, 0, 0}},                                               \
        .source = {MYR_RECORD_SOURCES(NAME, MYR_RECORD_FIELD){0, 0, 0}},                                               \
        .parameter = {MYR_RECORD_PARAMETERS(NAME, MYR_RECORD_PARAMETER){0, 0, 0, 0, 0, 0}},                            \
        .output = {MYR_RECORD_OUTPUTS(NAME, MYR_RECORD_OUTPUT){0, 0, MYR_SYMMETRY_NONE}},                              \
        __VA_ARGS__,                                                                                                   \
    }

/* Where the strength begins among the components of a source's fields, -1 = sources have none; and of how many
 * components it is. The fields marked as strength are neighbours. */
static inline int myr_kernel_strength(const myr_kernel_desc *desc)
{
    int at = 0;
    for (const myr_kernel_field *f = desc->source; f->name; at += f->components, f++)
        if (f->is_strength)
            return at;
    return -1;
}

static inline int myr_kernel_strengths(const myr_kernel_desc *desc)
{
    int components = 0;
    for (const myr_kernel_field *f = desc->source; f->name; f++)
        components += f->is_strength ? f->components : 0;
    return components;
}

/* Which parameter is the cutoff radius; -1 = none is. */
static inline int myr_kernel_cutoff(const myr_kernel_desc *desc)
{
    for (int k = 0; desc->parameter[k].name; k++)
        if (desc->parameter[k].is_cutoff)
            return k;
    return -1;
}

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
