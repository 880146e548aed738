/* operation_counts.h - operation counts of kernel formulas, which benchmarks relate speeds to. The counts of the
 * library's kernels are in interaction/operation_counts.def; users' pipelines are counted when their text is read. */
#ifndef MYR_BACKEND_OPERATION_COUNTS_H
#define MYR_BACKEND_OPERATION_COUNTS_H

/* Operations per pair, in three conventions. None counts comparisons or operations that depend on the target alone or
 * on the source alone. */
typedef struct {
    int flops;     /* each operation counts once (paper 001, A.1) */
    int flops_gpu; /* convention of the GRAPE literature: 1/sqrt 20, division 10, any other function 20 */
    /* smallest number of vector instructions on AVX-512 in single arithmetic with a plain sum: fused multiply-adds,
     * masks merged into arithmetic; functions as below */
    int issue;
} myr_operation_counts;

/* Smallest number of vector instructions of a function on AVX-512 in single arithmetic: the hardware approximation
 * counts as three, a Newton step as four (rsqrt) or two (recip); others as in backend/lane/functions.def, an
 * exponential as a power of two, sine and cosine of turns as the mean of both. */
enum {
    MYR_ISSUE_RSQRT = 3 + 4,
    MYR_ISSUE_RECIP = 3 + 2,
    MYR_ISSUE_EXP = 12,
    MYR_ISSUE_LOG = 22,
    MYR_ISSUE_ERF = 31,
    MYR_ISSUE_SIN = 12 /* sine or cosine */
};

#endif
