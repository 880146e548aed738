/* unit_prologue.h - common start of every file compiled once per instruction set: unit.c, near_unit.c,
 * expansion_unit.c, short_range.c and isa.c. Each is compiled with
 *   MYR_ARITH, MYR_LANE_BYTES   lane type, see lane/lane.h (MYR_ARITH_NAME: its name in the exported symbol)
 *   MYR_ISA                     name of the instruction set in the exported symbol */
#ifndef MYR_BACKEND_UNIT_PROLOGUE_H
#define MYR_BACKEND_UNIT_PROLOGUE_H

#include "backend/lane/lane.h"

/* Concatenate names after macro expansion. */
#define MYR_CAT_(a, b) a##b
#define MYR_CAT(a, b) MYR_CAT_(a, b)
#define CAT_(a, b, c, d) a##b##c##d
#define CAT(a, b, c, d) CAT_(a, b, c, d)
#define MYR_EXPAND(macro, argument) macro(argument)

/* LANES as a number for the preprocessor. */
#if MYR_LANE_BYTES == 0
#define LANES_LITERAL 1
#elif MYR_ARITH == MYR_ARITH_DOUBLE
#define LANES_LITERAL (MYR_LANE_BYTES / 8)
#else
#define LANES_LITERAL (MYR_LANE_BYTES / 4)
#endif

/* F: float arithmetic, D: double, P: portable, R: portable with bags of reals; see accumulator/loops.def. */
#define MYR_IN_F (MYR_ARITH == MYR_ARITH_SINGLE || MYR_ARITH == MYR_ARITH_MIXED)
#define MYR_IN_D (MYR_ARITH == MYR_ARITH_DOUBLE)
#define MYR_IN_P (MYR_ARITH == MYR_ARITH_PORTABLE)
#ifdef MYR_BAG_OF_REALS
#define MYR_IN_R MYR_IN_P
#else
#define MYR_IN_R 0
#endif

#endif
