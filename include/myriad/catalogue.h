/* catalogue.h - what can be chosen: kernels, accumulators, arithmetics, methods, backends, instruction sets, models.
 *
 * Each list is walked with an index from 0; the functions give null (or 0) past its end. */
#ifndef MYRIAD_CATALOGUE_H
#define MYRIAD_CATALOGUE_H

#include <myriad/export.h>

MYR_BEGIN_DECLS

/* A field that a kernel reads or writes, with its number of components. */
typedef struct {
    const char *name;
    int components;
    int antisymmetric; /* outputs: 1 = the sum over all particles of forces is zero; 2 = the same for equal masses */
} myr_field_info;

/* A number that the user may set. */
typedef struct {
    const char *name;
    const char *text;
    double value, lower, upper; /* default and bounds */
} myr_parameter_info;

typedef struct {
    const char *name;
    const char *text;
    const char *formula;
    const char *position;         /* the field that is the position: "position", or "value" */
    int position_components;      /* 3, or 1 */
    myr_field_info target[8];     /* read per target, besides the position; ends with a null name */
    myr_field_info source[8];     /* read per source */
    const char *pair[8];          /* parameters per pair of types; ends with null */
    myr_parameter_info param[10]; /* ends with a null name */
    myr_field_info output[8];     /* ends with a null name */
    const char *self;             /* "vanishes", "skipped" or "counted" */
    int flops, flops_gpu;         /* per pair; flops_gpu in the convention of the GRAPE literature */
    int issue;                    /* fewest vector instructions per pair, single arithmetic, AVX-512, all included */
    int has_expansion, has_cutoff;
} myr_kernel_info;

typedef struct {
    const char *name;
    const char *letter; /* in the paper that compared them: A to G, or "-" */
    const char *text;
    const char *arithmetics; /* "single mixed double", ... */
    int order_independent;
} myr_accumulator_info;

/* One thing that can be chosen, whether it can be used here, and if not, why. */
typedef struct {
    const char *name;
    const char *text;
    int available;
} myr_choice_info;

/* Description of kernel k; null past the end. */
MYR_API const myr_kernel_info *myr_kernel(int k);

/* The kernel with that name, or null. */
MYR_API const myr_kernel_info *myr_kernel_find(const char *name);

/* Description of accumulator k; null past the end. */
MYR_API const myr_accumulator_info *myr_accumulator(int k);

/* Arithmetics ("single", "mixed", "portable", "double"); null past the end. */
MYR_API const myr_choice_info *myr_arithmetic(int k);

/* Methods ("direct", ...); null past the end. */
MYR_API const myr_choice_info *myr_method(int k);

/* Backends ("auto", "ref", "simd"); null past the end. */
MYR_API const myr_choice_info *myr_backend(int k);

/* Instruction sets ("scalar", "scalar_fma", "sse2", "avx2", "avx512", "neon"); null past the end. */
MYR_API const myr_choice_info *myr_isa(int k);

/* The name in a list that is nearest to what was typed (edit distance), or null if nothing is near.
 * next(k) gives name k, null past the end. */
MYR_API const char *myr_nearest(const char *typed, const char *(*next)(int k));

MYR_END_DECLS

#endif
