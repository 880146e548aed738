/* catalogue.h - lists of all choices: kernels, accumulators, arithmetics, methods, backends, instruction sets, models.
 *
 * Each list is indexed from 0; a function returns null (or 0) past the last entry. */
#ifndef MYRIAD_CATALOGUE_H
#define MYRIAD_CATALOGUE_H

#include <myriad/export.h>

MYR_BEGIN_DECLS

/* Particle field that a kernel reads or writes, with its number of components. */
typedef struct {
    const char *name;
    int components;
    /* outputs: 1 = the forces of all particles sum to zero; 2 = the accelerations do so for equal masses */
    int antisymmetric;
} myr_field_info;

/* Numeric parameter that the user may set. */
typedef struct {
    const char *name;
    const char *text;
    double value, lower, upper; /* default value and bounds */
} myr_parameter_info;

typedef struct {
    const char *name;
    const char *text;
    const char *formula;
    const char *position;         /* name of the field that holds the position: "position" or "value" */
    int position_components;      /* number of position components: 3 or 1 */
    myr_field_info target[8];     /* fields read per target besides the position, ended by a null name */
    myr_field_info source[8];     /* fields read per source, ended by a null name */
    const char *pair[8];          /* parameters per pair of types, ended by null */
    myr_parameter_info param[10]; /* parameters of the kernel, ended by a null name */
    myr_field_info output[8];     /* output fields, ended by a null name */
    const char *self;             /* pair of a particle with itself: "vanishes", "skipped" or "counted" */
    /* floating-point operations per pair; flops_gpu in the convention of the GRAPE literature */
    int flops, flops_gpu;
    /* minimum number of vector instructions per pair in single arithmetic with AVX-512, all included */
    int issue;
    int has_expansion, has_cutoff;
} myr_kernel_info;

typedef struct {
    const char *name;
    const char *letter; /* letter in the paper that compared accumulators, A to G, or "-" */
    const char *text;
    const char *arithmetics; /* names of the supported arithmetics, "single mixed double", ... */
    int order_independent;
} myr_accumulator_info;

/* Description of a choice: whether it is available on this machine, and if not, why. */
typedef struct {
    const char *name;
    const char *text;
    int available;
} myr_choice_info;

/* Description of kernel k; null past the last. */
MYR_API const myr_kernel_info *myr_kernel(int k);

/* Description of the kernel with that name, or null. */
MYR_API const myr_kernel_info *myr_kernel_find(const char *name);

/* Description of accumulator k; null past the last. */
MYR_API const myr_accumulator_info *myr_accumulator(int k);

/* Arithmetic k ("single", "mixed", "portable", "double"); null past the last. */
MYR_API const myr_choice_info *myr_arithmetic(int k);

/* Method k ("direct", ...); null past the last. */
MYR_API const myr_choice_info *myr_method(int k);

/* Backend k ("auto", "ref", "simd", ...); null past the last. */
MYR_API const myr_choice_info *myr_backend(int k);

/* Instruction set k ("scalar", "scalar_fma", "sse2", "avx2", "avx512", "neon"); null past the last. */
MYR_API const myr_choice_info *myr_isa(int k);

/* Name in a list that is nearest to `typed` by edit distance, or null if no name is near. next(k) returns name k, null
 * past the last. */
MYR_API const char *myr_nearest(const char *typed, const char *(*next)(int k));

MYR_END_DECLS

#endif
