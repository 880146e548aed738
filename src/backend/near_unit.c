/* near_unit.c - loops of near.h for one kernel, arithmetic and instruction set. Compiled with the macros of unit.c. The
 * loops are those of sweep.h, over bags of reals. */
#include "backend/unit_prologue.h"

/* defined after unit_prologue.h: in portable arithmetic these loops have `fixed` sums only */
#define MYR_BAG_OF_REALS

#include "backend/near.h"
#include "backend/unit_kernel.h"

#define LOOP_PREFIX MYR_CAT(MYR_CAT(myr_near_loop_, UNIT_WORDS), _)
#define UNIT_NAME MYR_CAT(myr_near_, UNIT_WORDS)

/* A leaf has a few vectors of targets: two vectors at a time waste little and share the loads. */
#define TILE_VECTORS_OF(acc) (MYR_LANE_BYTES == 0 ? 1 : 2)
#define TILE_VECTORS MYR_EXPAND(TILE_VECTORS_OF, MYR_ACC)
#define TILE_STEPS 1
#define SWEEP_BOUNDED (MYR_LANE_BYTES > 0)

#include "backend/unit_loops.h"

extern const myr_near_unit UNIT_NAME;
const myr_near_unit UNIT_NAME = {
    .loops =
        {
#include "backend/unit_table.h"
        },
};
