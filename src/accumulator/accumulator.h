/* accumulator.h - what an accumulator is.
 *
 * An accumulator is one header and one line in accumulators.def (and in loops.def, where it brings a loop of its
 * own). The header says what it promises and holds, for NAME:
 *
 *   NAME_state                       what the loop keeps in registers per target and output
 *   MYR_FN NAME_state NAME_begin(const myr_word *w, const myr_acc_scale *c)   from the carried words
 *   MYR_FN void NAME_add(NAME_state *a, const myr_acc_scale *c, lane s, lane d)   adds s*d
 *   MYR_FN uint32_t NAME_end(const NAME_state *a, myr_word *w, const myr_acc_scale *c, int64_t steps)
 *                                    folds into the carried words; 1 where the range was left
 *   NAME_MAX_STEPS                   additions between begin and end at most
 *   NAME_REGISTERS                   lanes of its state, for the choice of unrolling
 *   static void NAME_merge(myr_word *into, const myr_word *from)    adds two carried sums (stride 1)
 *   static void NAME_negate(myr_word *w)                            the carried sum with the other sign
 *   static double NAME_value(const myr_word *w, const myr_acc_scale *c)   the sum in double
 *
 * Carried words: MYR_ACC_WORDS rows of LANES 64-bit words; all zero bits is the empty sum. */
#ifndef MYR_ACCUMULATOR_H
#define MYR_ACCUMULATOR_H

#include <stdint.h>

enum { MYR_ACC_WORDS = 4 };

typedef union {
    double f;
    int64_t i;
} myr_word;

/* Loops, in the order of loops.def. */
typedef enum {
#define MYR_ACC_LOOP(name, arithmetics) MYR_ACC_##name,
#include "accumulator/loops.def"
#undef MYR_ACC_LOOP
    MYR_ACC_COUNT
} myr_acc_loop;

/* The grid of one output field. Contributions must stay below 2^(exponent-1). */
typedef struct {
    int exponent;
    int fold;      /* single: fold into double after every bag (chamomile) */
    double large;  /* 1.5 * 2^exponent: adding it rounds to the coarse grid; 0 = no offset (nitadori) */
    double both;   /* large + 3 units of the coarse grid */
    double coarse; /* unit of the coarse grid, 2^(exponent - mantissa) */
    double fine;   /* unit of the fine grid */
    double middle; /* 1.5 coarse (narumi) */
} myr_acc_scale;

#endif
