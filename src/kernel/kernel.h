/* kernel.h - record of a pair kernel, and arguments of its formula.
 *
 * A kernel is one header in this folder and one line in kernels.def. The header holds, for the kernel NAME,
 *   - NAME_RECORD, the list of the kernel's inputs, parameters and outputs:
 *         TARGET(field, components)           a field of the target other than the position
 *         SOURCE(field, components)           a field of the source other than the position; a third argument
 *                                             MYR_STRENGTH marks the fields that are 0 in a source without effect
 *         PARAMETER(name, default, lower, upper, text)   a number set by the user, with inclusive bounds;
 *                                             a sixth argument MYR_CUTOFF marks the cutoff radius
 *         OUTPUT(field, components)           a field of the result; a third argument is its symmetry
 *         SIZE(CONSTANTS, n)                  number of constants filled by NAME_prepare; default 0
 *         SIZE(TABLE, n)                      numbers per pair of types filled by NAME_prepare_pair; default 0
 *         SIZE(COORDS, n)                     components of the position; default 3
 *         SIZE(NO_COORDS, 1)                  the position is among the fields, with the precision of a field
 *   - MYR_KERNEL_RECORD(NAME, facts), which makes the counts and the descriptor NAME_desc from the list; the facts are
 *   the
 *     members of the descriptor that differ from 0, from `text` on, in order
 *   - NAME_prepare and NAME_pair, the formula, written over lanes (backend/lane/lane.h); or macros that name those of
 *     another kernel, whose first outputs are then used, and the compiler drops the rest
 * NVRTC compiles these headers as C++: keep initialisers in order and free of nested designators. */
#ifndef MYR_KERNEL_H
#define MYR_KERNEL_H

#include <stdint.h>

enum {
    MYR_KERNEL_COORDS_MAX = 3, /* largest number of position components */
    /* largest number of fields per target or source other than the position, plus the terminating null name */
    MYR_KERNEL_FIELDS = 8,
    MYR_KERNEL_COMPONENTS = 10, /* largest number of components of these fields */
    MYR_KERNEL_OUTPUTS_MAX = 8, /* largest number of output components */
    MYR_KERNEL_SUMS_MAX = 9,    /* largest number of sums of a loop, from which outputs may be made at its end */
    MYR_KERNEL_OUTPUT_FIELDS = 3,
    MYR_KERNEL_PARAMETERS = 8,
    MYR_KERNEL_CONSTANTS_MAX = 12,
    MYR_KERNEL_PAIR_MAX = 4
};

enum {
    MYR_STRENGTH = 1, /* third argument of SOURCE */
    MYR_CUTOFF = 1    /* sixth argument of PARAMETER */
};

/* Particle field read by a kernel: `components` consecutive lanes. */
typedef struct {
    const char *name;
    int components;
    /* source fields only: 1 = a source whose marked fields are all 0 has no effect; for a kernel with pair tables, the
     * source's row of the table must be 0 as well */
    int is_strength;
} myr_kernel_field;

/* Number set by the user, with default and bounds. */
typedef struct {
    const char *name;
    double value;        /* default */
    double lower, upper; /* inclusive bounds */
    const char *text;
    int is_cutoff; /* 1 = radius beyond which pairs contribute nothing; the value 0 means no cutoff */
} myr_kernel_parameter;

/* Treatment of the pair of a particle with itself. */
typedef enum {
    MYR_SELF_VANISHES, /* the formula gives exactly 0 */
    MYR_SELF_SKIPPED,  /* the formula gives another value, which must be skipped */
    MYR_SELF_COUNTED   /* the pair is part of the sum (SPH density, self potential of a boundary element) */
} myr_self;

typedef enum {
    MYR_SYMMETRY_NONE,
    MYR_SYMMETRY_ANTI,      /* output_ij = -output_ji exactly: forces */
    MYR_SYMMETRY_ANTI_EQUAL /* output_ij = -output_ji exactly for equal strengths (masses): accelerations */
} myr_symmetry;

/* Field of the result. */
typedef struct {
    const char *name;
    int components;
    myr_symmetry symmetry;
} myr_kernel_output;

/* Descriptor of a kernel. Lists end with a null name. MYR_KERNEL_RECORD fills the members before `text`. */
typedef struct {
    const char *name;
    int coords;                                 /* components of the position: 3 or 1; 0 = positions are fields */
    myr_kernel_field target[MYR_KERNEL_FIELDS]; /* fields other than the position */
    myr_kernel_field source[MYR_KERNEL_FIELDS];
    myr_kernel_parameter parameter[MYR_KERNEL_PARAMETERS + 1];
    myr_kernel_output output[MYR_KERNEL_OUTPUT_FIELDS + 1];
    const char *text;    /* one line for `myriad info` */
    const char *formula; /* formula as plain text */
    /* parameters per pair of types; a pair of types whose parameters are all 0 does not interact */
    const char *pair[MYR_KERNEL_PAIR_MAX + 1];
    myr_self self;
    const char *reach_field; /* particle field that sets the cutoff radius of each pair; null = none */
    /* a pair beyond reach_target * (the target's value of that field) + reach_source * (the source's value) contributes
     * exactly 0 */
    double reach_target, reach_source;
    int has_expansion; /* 1 = a multipole expansion exists: tree and fast multipole methods apply */
    /* 1 = contributions are proportional to the strength, and the formula omits the strength if MYR_KERNEL_EQUAL says
     * that all sources have the same */
    int proportional;
    /* 1 = the formula takes at most MYR_KERNEL_SHORT vector instructions besides its functions (1/sqrt, exp, ...): GPU
     * loops then unroll more copies of it */
    int is_short;
} myr_kernel_desc;

enum { MYR_KERNEL_SHORT = 14 };

/* --- from the list to counts and descriptor ----------------------------------------------------------------------- */

#define MYR_RECORD_NONE(...)
#define MYR_RECORD_COUNT(field, ...) +MYR_RECORD_FIRST(__VA_ARGS__, 0)
#define MYR_RECORD_FIELD(field, ...) {#field, MYR_RECORD_PAIR(__VA_ARGS__, 0, 0)},
#define MYR_RECORD_OUTPUT(field, ...) {#field, MYR_RECORD_PAIR(__VA_ARGS__, MYR_SYMMETRY_NONE, 0)},
#define MYR_RECORD_PARAMETER(name, value, lower, ...) {#name, value, lower, MYR_RECORD_THREE(__VA_ARGS__, 0, 0)},
#define MYR_RECORD_FIRST(first, ...) first
#define MYR_RECORD_PAIR(first, second, ...) first, second
#define MYR_RECORD_THREE(first, second, third, ...) first, second, third

/* All sizes packed into one number, a byte each. */
#define MYR_RECORD_SIZE(kind, n) +((n) << MYR_SIZE_##kind)
enum { MYR_SIZE_CONSTANTS = 0, MYR_SIZE_TABLE = 8, MYR_SIZE_COORDS = 16, MYR_SIZE_NO_COORDS = 24 };

/* Entries of one kind of the list of kernel NAME, each transformed by the macro MAKE. */
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

/* First component of the strength among the components of a source's fields, -1 = sources have no strength; and the
 * number of components. Fields marked as strength are adjacent. */
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

/* Index of the parameter that is the cutoff radius; -1 = none. */
static inline int myr_kernel_cutoff(const myr_kernel_desc *desc)
{
    for (int k = 0; desc->parameter[k].name; k++)
        if (desc->parameter[k].is_cutoff)
            return k;
    return -1;
}

/* Code compiled for one evaluation may assume that all sources have equal strength: the strength then multiplies the
 * sums instead of the contributions. */
#if !defined(MYR_KERNEL_EQUAL)
#define MYR_KERNEL_EQUAL 0
#endif

/* Functions of a kernel header, for the translation units that instantiate it:
 *
 *   static double NAME_prepare(const double *parameter, double *constant);
 *       computes the constants of the formula from the user's parameters, in the order of the descriptor; returns the
 *       factor that multiplies every sum at the end (G, 1/(4 pi), ...)
 *   static void NAME_prepare_pair(const double *user, double *pair);   if NAME_PAIR > 0; the header then defines
 *       MYR_KERNEL_HAS_PAIR
 *       converts one entry of the pair-of-types table from the user's form to the form of the formula
 *   MYR_FN void NAME_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d);
 *       contribution k of source j to target i is s[k] * d[k]; call guard_singular(guard, r2) if the formula has no
 *       value at r2 = 0
 *
 *   MYR_FN lmask NAME_inside(const myr_pair *most, lane r2, const real *range);   optional; the header then defines
 *       NAME_BOUNDED as 1
 *       a proof for `fixed` sums: lanes in which |contribution k| < range[k] for every k and every pair of a bag whose
 *       r2, as passed to guard_singular, is at least `r2`. `most` holds the target's own coordinates and fields, and
 *       the largest |component| of the bag's sources in place of a source's. With a proof the loop keeps the smallest
 *       r2 of a bag, one operation per pair, instead of testing every contribution. A lane may be left out although
 *       its contributions are small: its pairs are then tested one by one. A lane with a NaN, an infinity or an
 *       overflow must be left out, and so must r2 = 0 if the formula has no value there.
 *
 * myr_pair (backend/guard.h) holds
 *   xi, xj   coordinates: lane_delta(in->xj[0], in->xi[0])
 *   fi, fj   the other fields, flattened in the descriptor's order
 *   pp       parameters of this pair of types
 *   c        constants */
#endif
