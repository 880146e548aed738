/* near_unit.c - the loops of near.h for one kernel in one arithmetic and one instruction set. Compiled with the macros
 * of unit.c; the build writes near_loops.h and near_table.h from accumulator/loops.def. */
#include "backend/lane/lane.h"
#include "backend/near.h"

#define MYR_CAT_(a, b) a##b
#define MYR_CAT(a, b) MYR_CAT_(a, b)
#define KERNEL_(f) MYR_CAT(MYR_KERNEL, f)

#include "backend/guard.h"
#include MYR_KERNEL_FILE

#define UNIT_WORDS MYR_CAT(MYR_CAT(MYR_CAT(MYR_CAT(MYR_KERNEL, _), MYR_ARITH_NAME), _), MYR_ISA)
#define LOOP_PREFIX MYR_CAT(MYR_CAT(myr_near_loop_, UNIT_WORDS), _)
#define UNIT_NAME MYR_CAT(myr_near_, UNIT_WORDS)

#define MYR_IN_F (MYR_ARITH == MYR_ARITH_SINGLE || MYR_ARITH == MYR_ARITH_MIXED)
#define MYR_IN_D (MYR_ARITH == MYR_ARITH_DOUBLE)
#define MYR_IN_P (MYR_ARITH == MYR_ARITH_PORTABLE)

enum {
    COORDS = KERNEL_(_COORDS),
    PAIR = KERNEL_(_PAIR),
    FIRST = KERNEL_(_FIRST),
    OUTPUTS = KERNEL_(_OUTPUTS),
    TARGET_LANES = COORDS * COORD_LANES + KERNEL_(_TARGET),
    SOURCE_LANES = COORDS * COORD_LANES + KERNEL_(_SOURCE)
};

/* A leaf has a few vectors of targets: two at a time waste little and share the loads. */
#if MYR_LANE_BYTES == 0
#define NEAR_VECTORS 1
#else
#define NEAR_VECTORS 2
#endif
#define TILE_VECTORS NEAR_VECTORS /* of the loops in sweep.h, which are not used here */
#define TILE_STEPS 1

#include "backend/near_loops.h"

#define LOOP_NAME(acc, which) MYR_CAT(MYR_CAT(LOOP_PREFIX, acc), which)
#if NEAR_VECTORS > 1
#define LOOP_MANY(acc) LOOP_NAME(acc, _near_many)
#else
#define LOOP_MANY(acc) LOOP_NAME(acc, _near_one)
#endif
#define LOOPS(acc)                                                                                                     \
    {                                                                                                                  \
        LOOP_MANY(acc), LOOP_NAME(acc, _near_one), LOOP_NAME(acc, _near_careful), NEAR_VECTORS                         \
    }

extern const myr_near_unit UNIT_NAME;
const myr_near_unit UNIT_NAME = {
    .loops =
        {
#include "backend/near_table.h"
        },
};
