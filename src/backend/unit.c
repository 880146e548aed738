/* unit.c - all loops of one kernel in one arithmetic for one instruction set. Compiled many times with
 *   MYR_KERNEL, MYR_KERNEL_FILE   kernel and its header
 *   MYR_ARITH, MYR_LANE_BYTES     lane type (MYR_ARITH_NAME: its name in the exported symbol)
 *   MYR_ISA                       name of the instruction set in the exported symbol
 *   MYR_BAG_OF_REALS              defined if the loops read bags of reals, see unit_kernel.h; such bags are not packed
 * The build generates unit_loops.h and unit_table.h from accumulator/loops.def: one inclusion of sweep.h and one table
 * entry per accumulator available in this arithmetic. */
#include "backend/unit_prologue.h"

#include "backend/tile.h"
#include "backend/unit_kernel.h"

#define LOOP_PREFIX MYR_CAT(MYR_CAT(myr_loop_, UNIT_WORDS), _)
#define UNIT_NAME MYR_CAT(myr_unit_, UNIT_WORDS)

/* Target vectors per iteration: four if targets, sums and a source fit the registers, else two, which hide latency and
 * halve the loads; one if the sums of two leave no registers for the formula (jerk 9 % faster on a Zen 4), and in
 * scalar code. */
#if MYR_LANE_BYTES == 64 || defined(__aarch64__)
#define TILE_REGISTERS 31
#else
#define TILE_REGISTERS 15
#endif
#define TILE_NEED(acc) (4 * (TARGET_LANES + OUTPUTS * acc##_REGISTERS) + SOURCE_LANES)
#define TILE_SUMS(acc) (OUTPUTS * acc##_REGISTERS)
#define TILE_VECTORS_OF(acc)                                                                                           \
    (MYR_LANE_BYTES == 0 ? 1 : TILE_NEED(acc) <= TILE_REGISTERS ? 4 : 2 * TILE_SUMS(acc) + 8 <= TILE_REGISTERS ? 2 : 1)
#define TILE_VECTORS MYR_EXPAND(TILE_VECTORS_OF, MYR_ACC)
#define TILE_STEPS 1
/* scalar loops test every contribution: they are references for the others */
#define SWEEP_BOUNDED (MYR_LANE_BYTES > 0)

#include "backend/unit_loops.h"

#ifndef MYR_BAG_OF_REALS
/* Repeats `replicas` reals to fill a vector; inlined with each possible count. Two floats are copied as one 64-bit
 * broadcast, because smaller pieces would cost more than the loop that reads them. */
MYR_FN void unit_repeat(char *to, const real *from, const size_t replicas)
{
#if LANES_LITERAL > 1
    if (replicas * sizeof(real) == sizeof(int64_t)) {
        typedef int64_t whole __attribute__((vector_size(MYR_LANE_BYTES)));
        int64_t two;
        memcpy(&two, from, sizeof two);
        const whole all = two - (whole){0};
        memcpy(to, &all, sizeof all);
        return;
    }
#endif
    for (size_t l = 0; l < LANES; l += replicas)
        memcpy(to + l * sizeof(real), from, replicas * sizeof(real));
}

MYR_FN void unit_spread(void *bag, const void *const *source, int64_t first, int64_t steps, const int replicas)
{
    char *to = (char *)bag;
    for (int64_t n = 0; n < steps; n++)
        for (int c = 0; c < SOURCE_LANES; c++, to += sizeof(lane))
            unit_repeat(to, (const real *)source[c] + first + n * replicas, (size_t)replicas);
}

static void unit_pack(void *bag, const void *const *source, int64_t first, int64_t steps, int replicas)
{
    lane *to = (lane *)bag;
    switch (replicas) {
    case 1:
        for (int64_t n = 0; n < steps; n++)
            for (int c = 0; c < SOURCE_LANES; c++)
                *to++ = lane_set(((const real *)source[c])[first + n]);
        break;
#if LANES_LITERAL >= 2
    case 2:
        unit_spread(bag, source, first, steps, 2);
        break;
#endif
#if LANES_LITERAL >= 4
    case 4:
        unit_spread(bag, source, first, steps, 4);
        break;
#endif
#if LANES_LITERAL >= 8
    case 8:
        unit_spread(bag, source, first, steps, 8);
        break;
#endif
#if LANES_LITERAL >= 16
    case 16:
        unit_spread(bag, source, first, steps, 16);
        break;
#endif
    }
}

#define UNIT_PACK unit_pack
#else
#define UNIT_PACK 0
#endif

#if KERNEL_BOUNDED && SWEEP_BOUNDED
static void unit_enlarge(void *most, const void *const *source, int64_t first, int64_t count)
{
    for (int c = 0; c < SOURCE_LANES; c++) {
        const real *from = (const real *)source[c] + first;
        real_int largest; /* the bits of |x| order numbers as the numbers themselves, and NaN above them */
        memcpy(&largest, (real *)most + c, sizeof largest);
        ilane all = ilane_set(largest);
        for (int64_t j = 0; j < count; j += LANES) {
            /* the last vector overlaps the one before; one that reads past a few sources can only raise the sizes */
            lane x;
            memcpy(&x, &from[j + LANES <= count || count < LANES ? j : count - LANES], sizeof x);
            const ilane bits = lane_bits(lane_abs(x));
            const ilane more = bits > all;
            all = (bits & more) | (all & ~more);
        }
        for (int l = 0; l < LANES; l++)
            largest = LANE_AT(all, l) > largest ? LANE_AT(all, l) : largest;
        memcpy((real *)most + c, &largest, sizeof largest);
    }
}
#define UNIT_ENLARGE unit_enlarge
#else
#define UNIT_ENLARGE 0
#endif

static void unit_gather(void *block, const void *const *array, int components, const int64_t *index, int64_t steps)
{
    real *to = (real *)block;
    for (int64_t n = 0; n < steps; n++, index += LANES)
        for (int c = 0; c < components; c++)
            for (int l = 0; l < LANES; l++)
                *to++ = ((const real *)array[c])[index[l]];
}

extern const myr_unit UNIT_NAME;
const myr_unit UNIT_NAME = {
    .desc = &KERNEL_(_desc),
    .arithmetic = MYR_ARITH,
    .lanes = LANES,
    .real_bytes = (int)sizeof(real),
    .mantissa = REAL_MANTISSA,
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
    .pack = UNIT_PACK,
    .enlarge = UNIT_ENLARGE,
    .gather = unit_gather,
    .loops =
        {
#include "backend/unit_table.h"
        },
};
