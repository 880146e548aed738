/* sweep.h - template of the hot loop. Included after unit_kernel.h for each accumulator with MYR_ACC naming it;
 * instantiates MYR_KERNEL x MYR_ACC for the lane type of the translation unit, with TILE_VECTORS target vectors and
 * TILE_STEPS bag entries per iteration. The bag consists of vectors or of reals, see unit_kernel.h.
 *
 * Without include guard, because it is included several times. */

#define ACC_(f) MYR_CAT(MYR_ACC, f)
/* Symbol name searched for by disassembly tools, for example myr_loop_gravity_single_avx512_fixed_many. */
#define SWEEP_(f) MYR_CAT(MYR_CAT(LOOP_PREFIX, MYR_ACC), f)

/* One vector of targets against one bag entry: evaluates the formula and adds its contributions to acc[output]. The
 * careful loop passes the lanes that count, and receives the number of skipped coincident pairs. */
MYR_FN void SWEEP_(_pair)(const myr_pair *in, const myr_acc_scale *scale, const int careful, lmask counts,
                          ACC_(_state) * acc, ilane *skipped)
{
    myr_guard guard = {careful, counts, *skipped};
    lane s[MYR_KERNEL_OUTPUTS_MAX], d[MYR_KERNEL_OUTPUTS_MAX];
    KERNEL_(_pair)(in, &guard, s, d);
    *skipped = guard.skipped;
    MYR_UNROLL
    for (int k = 0; k < OUTPUTS; k++) {
        lane sk = s[k], dk = d[k];
        if (careful) {
            sk = lane_keep(guard.ok, sk);
            dk = lane_keep(guard.ok, dk);
        }
        ACC_(_add)(&acc[k], &scale[k], sk, dk);
    }
}

#if !defined(__CUDACC__) /* loops of a GPU are in cuda/sweep.cuh */
enum { SWEEP_(_vectors) = TILE_VECTORS };

/* Loop over a bag: sums the contributions of `steps` sources into acc[vector][output]. */
MYR_FN void SWEEP_(_bag)(const myr_sweep *t, const int vectors, const int careful, ACC_(_state) (*acc)[OUTPUTS],
                         ilane *skipped)
{
    const bag_item *bag = (const bag_item *)t->bag;
    const lane *target = (const lane *)t->target;
    MYR_UNROLL_BY(TILE_STEPS)
    for (int64_t n = 0; n < t->steps; n++, bag += SOURCE_LANES) {
        lane room[SOURCE_LANES];
        const lane *source = bag_lanes(bag, room);
        const lane *pp = PAIR ? (const lane *)t->pair_table + t->pair_offset[n] : 0;
        MYR_UNROLL
        for (int v = 0; v < vectors; v++) {
            const lane *own = target + v * TARGET_LANES;
            const myr_pair in = {(const coord *)own,         (const coord *)source,
                                 own + COORD_LANES * COORDS, source + COORD_LANES * COORDS,
                                 PAIR ? pp + v * PAIR : 0,   (const lane *)t->constant};
            const lmask counts = mask_from_bits(careful ? t->mask[n * vectors + v] : 0);
            SWEEP_(_pair)(&in, t->scale, careful, counts, acc[v], skipped);
        }
    }
}

MYR_FN void SWEEP_(_any)(const myr_sweep *t, const int vectors, const int careful)
{
    ACC_(_state) acc[SWEEP_(_vectors)][OUTPUTS];
    const int row = MYR_ACC_WORDS * LANES;
    ilane skipped = ilane_set(0);
    uint32_t flag = 0;
    MYR_UNROLL
    for (int v = 0; v < vectors; v++) {
        MYR_UNROLL
        for (int k = 0; k < OUTPUTS; k++)
            acc[v][k] = ACC_(_begin)(t->wide + (v * OUTPUTS + k) * row, &t->scale[k]);
    }
    SWEEP_(_bag)(t, vectors, careful, acc, &skipped);
    MYR_UNROLL
    for (int v = 0; v < vectors; v++) {
        MYR_UNROLL
        for (int k = 0; k < OUTPUTS; k++)
            flag |= ACC_(_end)(&acc[v][k], t->wide + (v * OUTPUTS + k) * row, &t->scale[k], t->steps);
    }
    *t->flag |= flag;
    if (careful)
        for (int l = 0; l < LANES; l++)
            *t->skipped += LANE_AT(skipped, l);
}

#if MYR_LANE_BYTES > 0
__attribute__((unused)) static void SWEEP_(_many)(const myr_sweep *t)
{
    SWEEP_(_any)(t, SWEEP_(_vectors), 0);
}
#endif

__attribute__((unused)) static void SWEEP_(_one)(const myr_sweep *t)
{
    SWEEP_(_any)(t, 1, 0);
}

__attribute__((unused)) static void SWEEP_(_careful)(const myr_sweep *t)
{
    SWEEP_(_any)(t, 1, 1);
}

#endif

#undef ACC_
#undef SWEEP_
#undef MYR_ACC
