/* unit_kernel.h - properties of one kernel needed by the loops of sweep.h. Included after unit_prologue.h by the files
 * that instantiate the loops, with
 *   MYR_KERNEL, MYR_KERNEL_FILE   kernel and its header
 *   MYR_BAG_OF_REALS              defined = a bag holds one source after another as reals, and the loop broadcasts
 *   every
 *                                 real to all lanes; else a bag holds vectors ready to use
 *   UNIT_OUTPUTS                  number of summed outputs, if not all outputs of the kernel */
#ifndef MYR_BACKEND_UNIT_KERNEL_H
#define MYR_BACKEND_UNIT_KERNEL_H

#define KERNEL_(f) MYR_CAT(MYR_KERNEL, f)

#include "backend/guard.h"
#include MYR_KERNEL_FILE

/* 1 = the kernel proves from the smallest r2 of a bag that contributions are small (kernel/kernel.h) */
#define KERNEL_BOUNDED KERNEL_(_BOUNDED)

#ifndef UNIT_OUTPUTS
#define UNIT_OUTPUTS KERNEL_(_OUTPUTS)
#endif

enum {
    COORDS = KERNEL_(_COORDS),
    PAIR = KERNEL_(_PAIR),
    OUTPUTS = UNIT_OUTPUTS,
    TARGET_LANES = COORDS * COORD_LANES + KERNEL_(_TARGET),
    SOURCE_LANES = COORDS * COORD_LANES + KERNEL_(_SOURCE)
};

/* First component of the output field that component k belongs to. All components of a field have one grid: loops read
 * that of the first, which takes fewer registers. */
#define UNIT_FIELD(field, ...)                                                                                         \
    OUTPUT_FIRST_##field, OUTPUT_LAST_##field = OUTPUT_FIRST_##field + MYR_RECORD_FIRST(__VA_ARGS__, 0) - 1,
#define UNIT_FIELDS(kernel) MYR_RECORD_OUTPUTS(kernel, UNIT_FIELD)
#define UNIT_START(field, ...) +(k >= OUTPUT_FIRST_##field && k <= OUTPUT_LAST_##field ? OUTPUT_FIRST_##field : 0)
#define UNIT_STARTS(kernel) MYR_RECORD_OUTPUTS(kernel, UNIT_START)
enum { MYR_EXPAND(UNIT_FIELDS, MYR_KERNEL) };
MYR_FN int output_start(int k)
{
    return 0 MYR_EXPAND(UNIT_STARTS, MYR_KERNEL);
}

/* Vectors of the bag entry at `entry`; `room` holds them if the bag consists of reals. */
#ifdef MYR_BAG_OF_REALS
typedef real bag_item;
#define BAG_REAL(vector, l) (vector) /* index in a bag of the real that lane l reads of a vector */
MYR_FN const lane *bag_lanes(const bag_item *entry, lane *room)
{
    MYR_UNROLL
    for (int c = 0; c < SOURCE_LANES; c++)
        room[c] = lane_set(entry[c]);
    return room;
}
#else
typedef lane bag_item;
#define BAG_REAL(vector, l) ((vector)*LANES + (l))
MYR_FN const lane *bag_lanes(const bag_item *entry, lane *room)
{
    (void)room;
    return entry;
}
#endif

/* Name of this unit, part of the names of its table and loops. */
#define UNIT_WORDS MYR_CAT(CAT(MYR_KERNEL, _, MYR_ARITH_NAME, _), MYR_ISA)

/* Table entry of one accumulator. `many` processes TILE_VECTORS_OF(acc) vectors, defined by the including file. */
#define LOOP_NAME(acc, which) MYR_CAT(MYR_CAT(LOOP_PREFIX, acc), which)
#if MYR_LANE_BYTES > 0
#define LOOP_MANY(acc) LOOP_NAME(acc, _many)
#else
#define LOOP_MANY(acc) LOOP_NAME(acc, _one)
#endif
#define LOOPS(acc)                                                                                                     \
    {                                                                                                                  \
        LOOP_MANY(acc), LOOP_NAME(acc, _one), LOOP_NAME(acc, _careful), acc##_merge, acc##_negate, acc##_value,        \
            acc##_MAX_STEPS, TILE_VECTORS_OF(acc)                                                                      \
    }

#endif
