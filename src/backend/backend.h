/* backend.h - instruction sets, the abilities of this machine, and the units compiled for each instruction set. */
#ifndef MYR_BACKEND_H
#define MYR_BACKEND_H

#include "backend/expansion.h"
#include "backend/near.h"
#include "backend/tile.h"
#include "backend/short_range.h"

/* Kernels, in the order of kernels.def. */
typedef enum {
#define MYR_KERNEL(name, header) MYR_KERNEL_##name,
#include "kernel/kernels.def"
#undef MYR_KERNEL
    MYR_KERNEL_COUNT
} myr_kernel_id;

/* Kernels used by methods of the library, in the order of internal.def. */
typedef enum {
#define MYR_INTERNAL_KERNEL(name, header) MYR_INTERNAL_##name,
#include "kernel/internal.def"
#undef MYR_INTERNAL_KERNEL
    MYR_INTERNAL_COUNT
} myr_internal_id;

/* Arithmetics, in the order of MYR_ARITH in backend/lane/lane.h. */
enum { MYR_ARITHMETIC_SINGLE, MYR_ARITHMETIC_MIXED, MYR_ARITHMETIC_PORTABLE, MYR_ARITHMETIC_DOUBLE, MYR_ARITH_COUNT };

/* Loop of gravity x single x single arithmetic with other unrollings, for the benchmark of paper 001, Fig. 1. */
typedef struct myr_unrolled {
    int vectors, steps; /* numbers of target vectors and of bag entries per iteration */
    myr_sweep_fn loop;
} myr_unrolled;

/* Table of one instruction set (isa.c). Units left out of the build are null: request units through backend/units.h,
 * which compiles them. */
typedef struct {
    const char *name;
    const char *backend; /* "ref" or "simd" */
    int has_fma;
    const myr_unit *const (*units)[MYR_ARITH_COUNT]; /* [MYR_KERNEL_COUNT]: units by kernel and arithmetic */
    const myr_unit *const *internal;                 /* [MYR_INTERNAL_COUNT]: units in portable arithmetic */
    /* [MYR_ARITH_COUNT]: loops of short-range pairs; none in mixed arithmetic */
    const myr_short_range_unit *const *windows;
    /* [MYR_EXPANSION_COUNT]: near-field loops */
    const myr_near_unit *const (*nears)[MYR_ARITH_COUNT];
    const myr_expansion_ops *const *expansion; /* [MYR_EXPANSION_FORMS]: operators of expansions */
    /* Executes rounds x MYR_ISSUE_CHAIN multiply-adds, in float or double, and returns their sum, so that the compiler
     * cannot remove them. */
    double (*issue)(int in_double, int64_t rounds);
    int lanes_single, lanes_double;
    const myr_unrolled *unrolled; /* ends with a null loop; null in scalar code */
    const struct myr_gpu *gpu;    /* GPU on which the loops run; null = processor */
} myr_isa_table;

enum { MYR_ISSUE_CHAIN = 16 };

/* Instruction set k of this build, plain code first and best last; null past the end. */
enum { MYR_ISAS_MAX = 8 };
const myr_isa_table *myr_backend_isa(int k);

/* Index of an instruction set by name; 0 (plain code) for an unknown name. */
int myr_backend_isa_number(const char *name);

/* Best instruction set this machine can run. */
const myr_isa_table *myr_backend_best(void);

/* Returns 1 if this machine can run the instruction set. */
int myr_backend_isa_usable(const myr_isa_table *isa);

/* One-line description of an instruction set. */
const char *myr_backend_isa_text(const myr_isa_table *isa);

#endif
