/* operation_counts.h - how many operations the formula of a kernel takes: what benchmarks compare speeds with. The
 * counts of the library's kernels are in interaction/operation_counts.def, those of users' pipelines are counted when
 * their text is read. */
#ifndef MYR_BACKEND_OPERATION_COUNTS_H
#define MYR_BACKEND_OPERATION_COUNTS_H

/* Operations per pair, in three conventions. None counts comparisons, nor what depends on the target alone or on the
 * source alone. */
typedef struct {
    int flops;     /* each operation once (paper 001, A.1) */
    int flops_gpu; /* as the GRAPE literature counts: 1/sqrt 20, division 10, any other function 20 */
    int issue;     /* fewest vector instructions on AVX-512 in single arithmetic with a plain sum: fused multiply-adds,
                      masks merged into arithmetic; functions as below */
} myr_operation_counts;

/* Vector instructions that a function takes at least on AVX-512 in single arithmetic: the hardware's guess counts as
 * three, a Newton step as four (rsqrt) or two (recip); the others as in backend/lane/functions.def, an exponential as a
 * power of two, a sine and a cosine of turns as the mean of the two. */
enum {
    MYR_ISSUE_RSQRT = 3 + 4,
    MYR_ISSUE_RECIP = 3 + 2,
    MYR_ISSUE_EXP = 12,
    MYR_ISSUE_ERF = 31,
    MYR_ISSUE_SIN = 12 /* or a cosine */
};

#endif
