/* tile.h - tile: a block of targets times a block of sources, and types shared by all backends.
 *
 * The hot loop itself is sweep.h, compiled once per kernel, accumulator, arithmetic and instruction set. */
#ifndef MYR_BACKEND_TILE_H
#define MYR_BACKEND_TILE_H

#include <stdint.h>

#include "accumulator/accumulator.h"
#include "kernel/kernel.h"

/* Arguments of one call of the hot loop: `vectors` x LANES targets (an I-POT) against `steps` bag entries (a J-BAG).
 * Vectors are aligned to their size. A bag entry holds one source per lane: the same source in all lanes, or different
 * sources if few targets are replicated to fill the lanes. */
typedef struct {
    const void *target;       /* lane [vectors][TARGET_LANES]: coordinates, then fields */
    const void *bag;          /* lane [steps][SOURCE_LANES] */
    const void *const *plain; /* [SOURCE_LANES]: arrays of reals from whose entries `first` on the bag was packed, */
    int64_t first;            /* one source per entry; null = read the bag */
    /* real [SOURCE_LANES]: largest |component| of the bag's sources, NaN above all; null = unknown. Only for kernels
     * with a proof (kernel/kernel.h, NAME_inside) */
    const void *most;
    const void *constant;       /* lane [CONSTANTS] */
    const void *pair_table;     /* lane [..][PAIR]: pair tables, blocks of [vectors][PAIR] */
    const int32_t *pair_offset; /* [steps]: first lane of each entry's block in pair_table */
    const uint32_t *mask;       /* [steps][vectors], careful loop only: bit l set = lane l counts */
    int64_t steps;
    const myr_acc_scale *scale; /* [OUTPUTS] */
    myr_word *wide;             /* [vectors][OUTPUTS][MYR_ACC_LOOP_WORDS][LANES]: sums, kept from call to call */
    myr_word *over;             /* [vectors][OUTPUTS][MYR_ACC_WIDE_WORDS][LANES]: wide integers, kept likewise */
    uint32_t *over_used;        /* [vectors]: bit l is set if lane l may get wide integers; null = not noted */
    int64_t *skipped;           /* number of skipped coincident pairs, counted by the careful loop */
    int64_t *beyond;            /* [OUTPUTS]: contributions that were added to wide integers, counted */
    uint32_t *flag;             /* set to 1 if a contribution or sum is beyond what the accumulator can add */
} myr_sweep;

typedef void (*myr_sweep_fn)(const myr_sweep *);

/* Loops of one kernel x accumulator x arithmetic x instruction set, and operations on their sums
 * (accumulator/accumulator.h). `many` is null if the combination is not compiled. */
typedef struct {
    myr_sweep_fn many;    /* `unroll` target vectors */
    myr_sweep_fn one;     /* one target vector */
    myr_sweep_fn careful; /* one target vector; pairs can be masked, coincident particles are skipped and counted */
    void (*merge)(myr_word *into, const myr_word *from);
    void (*negate)(myr_word *w);
    double (*value)(const myr_word *w, const myr_acc_scale *scale);
    int max_steps; /* largest number of bag entries per call */
    int unroll;
} myr_loops;

/* Everything compiled for one kernel x arithmetic x instruction set. */
typedef struct {
    const myr_kernel_desc *desc;
    int arithmetic; /* MYR_ARITH */
    int lanes;
    int real_bytes;
    int mantissa; /* stored bits of a real's significand */
    int coord_lanes;
    int target_lanes, source_lanes, pair, constants, outputs;
    double (*prepare)(const double *parameter, double *constant);
    void (*prepare_pair)(const double *user, double *pair);
    /* Fills a bag of `steps` entries from sources `first` on. source[c] is the array of lane component c of all
     * sources. An entry holds `replicas` sources (1, 2, 4, .. lanes): lane l has source l % replicas of the entry. */
    void (*pack)(void *bag, const void *const *source, int64_t first, int64_t steps, int replicas);
    /* Raises most[c], real [source_lanes], to the largest |component c| of `count` sources from `first` on; null if the
     * loops do not need it */
    void (*enlarge)(void *most, const void *const *source, int64_t first, int64_t count);
    /* Fills `steps` blocks of `components` vectors: lane l of entry n comes from particle index[n * lanes + l]. */
    void (*gather)(void *block, const void *const *array, int components, const int64_t *index, int64_t steps);
    myr_loops loops[MYR_ACC_COUNT];
} myr_unit;

#endif
