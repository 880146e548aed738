/* unit.c - all loops of one kernel in one arithmetic for one instruction set. Compiled many times with
 *   MYR_KERNEL, MYR_KERNEL_FILE   the kernel and its header
 *   MYR_ARITH, MYR_LANE_BYTES     the lane type (MYR_ARITH_NAME: its word in the exported symbol)
 *   MYR_ISA                       the instruction set's word in the exported symbol
 * The build writes unit_loops.h and unit_table.h from accumulator/loops.def: one inclusion of sweep.h, and one entry
 * of the table, per accumulator that makes sense in this arithmetic. */
#include "backend/lane/lane.h"
#include "backend/tile.h"

#define MYR_CAT_(a, b) a##b
#define MYR_CAT(a, b) MYR_CAT_(a, b)
#define KERNEL_(f) MYR_CAT(MYR_KERNEL, f)

#include "backend/guard.h"
#include MYR_KERNEL_FILE

/* F: float arithmetic, D: double, P: portable; see loops.def */
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

/* Target vectors per iteration: two hide latency and halve the loads; scalar code stays plain. */
#ifndef TILE_VECTORS
#if MYR_LANE_BYTES == 0
#define TILE_VECTORS 1
#else
#define TILE_VECTORS 2
#endif
#endif

#include "backend/unit_loops.h"

#if TILE_VECTORS > 1
#define LOOPS(acc) {sweep_##acc##_many, sweep_##acc##_one, sweep_##acc##_careful, acc##_MAX_STEPS, TILE_VECTORS}
#else
#define LOOPS(acc) {sweep_##acc##_one, sweep_##acc##_one, sweep_##acc##_careful, acc##_MAX_STEPS, TILE_VECTORS}
#endif

#define UNIT_NAME MYR_CAT(MYR_CAT(MYR_CAT(MYR_CAT(MYR_CAT(myr_unit_, MYR_KERNEL), _), MYR_ARITH_NAME), _), MYR_ISA)
extern const myr_unit UNIT_NAME;
const myr_unit UNIT_NAME = {
    .desc = &KERNEL_(_desc),
    .lanes = LANES,
    .real_bytes = (int)sizeof(real),
    .coord_lanes = COORD_LANES,
    .target_lanes = TARGET_LANES,
    .source_lanes = SOURCE_LANES,
    .pair = PAIR,
    .constants = KERNEL_(_CONSTANTS),
    .outputs = OUTPUTS,
    .prepare = KERNEL_(_prepare),
#ifdef MYR_KERNEL_HAS_PAIR
    .prepare_pair = KERNEL_(_prepare_pair),
#endif
    .loops =
        {
#include "backend/unit_table.h"
        },
};
