/* accumulator.h - interface of an accumulator.
 *
 * An accumulator is one header and one line in accumulators.def (and one in loops.def, if the header is compiled into a
 * loop of its own). The header states its error bound and defines, for an accumulator NAME:
 *
 *   NAME_state                       registers of the loop per target and output
 *   MYR_FN NAME_state NAME_begin(const myr_word *w, const myr_acc_scale *c)   initialises from the carried words
 *   MYR_FN void NAME_add(NAME_state *a, ilane *range, const myr_acc_scale *c, lane s, lane d)
 *                                    adds s*d. `range` is one register per target, shared by all outputs: an
 *                                    accumulator with a limited range sets a bit at or above REAL_MANTISSA in it
 *   MYR_FN uint32_t NAME_end(const NAME_state *a, myr_word *w, const myr_acc_scale *c, int64_t steps)
 *                                    folds the state into the carried words; 1 if the sum left its range
 *   NAME_MAX_STEPS                   largest number of additions between begin and end
 *   NAME_WIDE                        1 = contributions beyond the range are taken out of the loop's sums and added to
 *                                    a wide integer (fixed.h); not defined = they are errors. The header then has
 *                                    NAME_sum, NAME_round, NAME_large and NAME_take_out as well
 *   NAME_REGISTERS                   lanes of the state, for the choice of unrolling
 *   static void NAME_merge(myr_word *into, const myr_word *from)    adds two carried sums (stride 1)
 *   static void NAME_negate(myr_word *w)                            changes the sign of a carried sum
 *   static double NAME_value(const myr_word *w, const myr_acc_scale *c)   value of a carried sum in double
 *
 * Carried words: MYR_ACC_LOOP_WORDS rows of LANES 64-bit words; all bits zero is the empty sum. A finished sum has
 * MYR_ACC_WORDS words: those of the loop, then a wide integer, which loops seldom touch and keep elsewhere. */
#ifndef MYR_ACCUMULATOR_H
#define MYR_ACCUMULATOR_H

#include <stdint.h>

#if !defined(__CUDACC__)
#include <math.h>
#endif

enum {
    MYR_ACC_LOOP_WORDS = 4,
    MYR_ACC_WIDE_WORDS = 4, /* those of an integer of 256 bits */
    MYR_ACC_WORDS = MYR_ACC_LOOP_WORDS + MYR_ACC_WIDE_WORDS
};

typedef union {
    double f;
    int64_t i;
} myr_word;

/* Accumulator loops in the order of loops.def. */
typedef enum {
#define MYR_ACC_LOOP(name, arithmetics) MYR_ACC_##name,
#include "accumulator/loops.def"
#undef MYR_ACC_LOOP
    MYR_ACC_COUNT
} myr_acc_loop;

/* Grid of one output field. The loops add contributions below 2^(exponent-1). */
typedef struct {
    int exponent;
    int fold;      /* single: 1 = fold into double after every bag (chamomile) */
    double large;  /* 1.5 * 2^exponent: adding this number rounds to the coarse grid; 0 = no offset (nitadori) */
    double both;   /* large + 3 units of the coarse grid */
    double coarse; /* unit of the coarse grid, 2^(exponent - mantissa) */
    double fine;   /* unit of the fine grid */
    double middle; /* 1.5 units of the coarse grid (narumi) */
} myr_acc_scale;

#if !defined(__CUDACC__)
/* Grid with an exponent; mantissa: stored bits of a real's significand. */
static inline myr_acc_scale myr_acc_grid(int exponent, int mantissa)
{
    myr_acc_scale s = {.exponent = exponent};
    s.large = ldexp(1.5, exponent);
    s.coarse = ldexp(1.0, exponent - mantissa);
    s.both = s.large + 3 * s.coarse;
    s.middle = 1.5 * s.coarse;
    s.fine = ldexp(s.coarse, 1 - mantissa);
    return s;
}
#endif

#endif
