/* backend.h - where tiles are evaluated: instruction sets, what this machine has, and the units compiled for them. */
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

/* Kernels that methods of the library use, in the order of internal.def. */
typedef enum {
#define MYR_INTERNAL_KERNEL(name, header) MYR_INTERNAL_##name,
#include "kernel/internal.def"
#undef MYR_INTERNAL_KERNEL
    MYR_INTERNAL_COUNT
} myr_internal_id;

/* Arithmetics, in the order of MYR_ARITH in backend/lane/lane.h. */
enum { MYR_ARITHMETIC_SINGLE, MYR_ARITHMETIC_MIXED, MYR_ARITHMETIC_PORTABLE, MYR_ARITHMETIC_DOUBLE, MYR_ARITH_COUNT };

/* The loop of gravity x single x single arithmetic with other unrollings, for the bench: paper 001, Fig. 1. */
typedef struct myr_unrolled {
    int vectors, steps; /* target vectors and bag entries per iteration */
    myr_sweep_fn loop;
} myr_unrolled;

/* One instruction set as compiled (isa.c). Units that the build left out are null: ask for units by backend/units.h,
 * which compiles those. */
typedef struct {
    const char *name;
    const char *backend; /* "ref" or "simd" */
    int has_fma;
    const myr_unit *const (*units)[MYR_ARITH_COUNT];      /* [MYR_KERNEL_COUNT] */
    const myr_unit *const *internal;                      /* [MYR_INTERNAL_COUNT], in portable arithmetic */
    const myr_short_range_unit *const *windows;           /* [MYR_ARITH_COUNT]: short-range pairs; none in mixed */
    const myr_near_unit *const (*nears)[MYR_ARITH_COUNT]; /* [MYR_EXPANSION_COUNT]; none in portable */
    const myr_expansion_ops *const *expansion;            /* [2]: in floats, in doubles */
    /* Runs rounds x MYR_ISSUE_CHAIN multiply-adds (in double arithmetic if asked) and gives their sum, so that nothing
     * is optimised away. */
    double (*issue)(int in_double, int64_t rounds);
    int lanes_single, lanes_double;
    const myr_unrolled *unrolled; /* ends with a null loop; null in scalar code */
    const struct myr_gpu *gpu;    /* where the loops run; null = on the processor */
} myr_isa_table;

enum { MYR_ISSUE_CHAIN = 16 };

/* Instruction set k of this build, plain code first and best last; null past the end. */
enum { MYR_ISAS_MAX = 8 };
const myr_isa_table *myr_backend_isa(int k);

/* The number of an instruction set by its name; 0, which is plain code, where there is none of that name. */
int myr_backend_isa_number(const char *name);

/* The best that this machine can run. */
const myr_isa_table *myr_backend_best(void);

/* Whether this machine can run it. */
int myr_backend_isa_usable(const myr_isa_table *isa);

/* One line about it. */
const char *myr_backend_isa_text(const myr_isa_table *isa);

#endif
