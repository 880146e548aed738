/* sweep.h - template of the hot loop. Included after unit_kernel.h for each accumulator with MYR_ACC naming it;
 * instantiates MYR_KERNEL x MYR_ACC for the lane type of the translation unit, with TILE_VECTORS target vectors and
 * TILE_STEPS bag entries per iteration. The bag consists of vectors or of reals, see unit_kernel.h.
 *
 * Without include guard, because it is included several times. */

#define ACC_(f) MYR_CAT(MYR_ACC, f)
#define ACC_WIDE MYR_CAT(MYR_ACC, _WIDE)
/* Symbol name searched for by disassembly tools, for example myr_loop_gravity_single_avx512_fixed_many. */
#define SWEEP_(f) MYR_CAT(MYR_CAT(LOOP_PREFIX, MYR_ACC), f)

/* One vector of targets against one bag entry: evaluates the formula and adds its contributions to acc[output]. The
 * careful loop passes the lanes that count, and receives the number of skipped coincident pairs. */
MYR_FN void SWEEP_(_pair)(const myr_pair *in, const myr_acc_scale *scale, const int careful, lmask counts,
                          ACC_(_state) * acc, ilane *range, ilane *skipped)
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
        ACC_(_add)(&acc[k], range, &scale[k], sk, dk);
    }
}

#if !defined(__CUDACC__) /* loops of a GPU are in cuda/sweep.cuh */
enum { SWEEP_(_vectors) = TILE_VECTORS };

/* Loop over a bag: sums the contributions of `steps` sources into acc[vector][output], and collects in range[vector]
 * which lanes had a contribution beyond the accumulator's range. */
MYR_FN void SWEEP_(_bag)(const myr_sweep *t, const int vectors, const int careful, ACC_(_state) (*acc)[OUTPUTS],
                         ilane *range, ilane *skipped)
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
            SWEEP_(_pair)(&in, t->scale, careful, counts, acc[v], &range[v], skipped);
        }
    }
}

#if ACC_WIDE
/* Sources of entries n .. n + LANES - 1 of the bag, one per lane, as lane l of the targets meets them; past the last
 * entry the last source is repeated. */
MYR_FN void SWEEP_(_entries)(const myr_sweep *t, int l, int64_t n, lane *source)
{
    (void)l;
    for (int c = 0; c < SOURCE_LANES; c++) {
        if (t->plain) {
            memcpy(&source[c], (const real *)t->plain[c] + t->first + n, sizeof source[c]);
            continue;
        }
        for (int j = 0; j < LANES; j++) {
            const int64_t entry = (n + j < t->steps ? n + j : t->steps - 1) * SOURCE_LANES + c;
            LANE_AT(source[c], j) = ((const real *)t->bag)[BAG_REAL(entry, l)];
        }
    }
}

/* Parameters of the pairs of lane l of vector v with entries n .. n + LANES - 1. */
MYR_FN void SWEEP_(_entry_pairs)(const myr_sweep *t, int v, int l, int64_t n, lane *pp)
{
    for (int j = 0; PAIR && j < LANES; j++) {
        const int64_t entry = n + j < t->steps ? n + j : t->steps - 1;
        const lane *from = (const lane *)t->pair_table + t->pair_offset[entry] + v * PAIR;
        for (int c = 0; c < PAIR; c++)
            LANE_AT(pp[c], j) = LANE_AT(from[c], l);
    }
    (void)l;
}

/* Takes the contributions of entries n .. n + LANES - 1 to lane l of vector v that are beyond the range out of the sums
 * `acc`, and adds them to the wide integers `over`; returns 1 if one is not finite. `counts`: bit j set
 * = entry n + j counts. */
MYR_FN uint32_t SWEEP_(_take_out)(const myr_sweep *t, const myr_pair *in, int careful, uint32_t counts, int l,
                                  ACC_(_state) * acc, myr_word *over)
{
    const lmask all = mask_from_bits(counts);
    myr_guard guard = {1, all, ilane_set(0)};
    lane s[MYR_KERNEL_OUTPUTS_MAX], d[MYR_KERNEL_OUTPUTS_MAX];
    ulane coarse[OUTPUTS], fine[OUTPUTS];
    ilane range = ilane_set(0);
    uint32_t flag = 0;
    KERNEL_(_pair)(in, &guard, s, d);
    for (int k = 0; k < OUTPUTS; k++) {
        s[k] = lane_keep(guard.ok, s[k]);
        d[k] = lane_keep(guard.ok, d[k]);
        ACC_(_round)(&t->scale[k], s[k], d[k], &coarse[k], &fine[k]);
        range = range | (ilane)(coarse[k] ^ ACC_(_large)(&t->scale[k]));
    }
    if (!careful) /* coincident particles, which the loop did not skip */
        flag |= ilane_any(guard.skipped);
    if (!ilane_any(ilane_shift_right(range, REAL_MANTISSA)))
        return flag;
    for (int j = 0; j < LANES; j++)
        for (int k = 0; (real_uint)LANE_AT(range, j) >> REAL_MANTISSA && k < OUTPUTS; k++) {
            const ulane large = ACC_(_large)(&t->scale[k]);
            if (!((LANE_AT(coarse[k], j) ^ LANE_AT(large, j)) >> REAL_MANTISSA))
                continue;
            t->beyond[k]++;
            flag |= ACC_(_take_out)(&acc[k], l, over + k * MYR_ACC_WIDE_WORDS * LANES, &t->scale[k], LANE_AT(s[k], j),
                                    LANE_AT(d[k], j), LANE_AT(coarse[k], j), LANE_AT(fine[k], j));
        }
    return flag;
}

/* Scans the bag again for one target, lane l of vector v, with the sources across the lanes. */
__attribute__((noinline, unused)) static uint32_t SWEEP_(_scan)(const myr_sweep *t, int vectors, int v, int careful,
                                                                int l, ACC_(_state) * acc, myr_word *over)
{
    lane own[TARGET_LANES], source[SOURCE_LANES], pp[PAIR ? PAIR : 1];
    uint32_t flag = 0;
    for (int c = 0; c < TARGET_LANES; c++)
        own[c] = lane_set(LANE_AT(((const lane *)t->target)[v * TARGET_LANES + c], l));
    const myr_pair in = {
        (const coord *)own, (const coord *)source,    own + COORD_LANES * COORDS, source + COORD_LANES * COORDS,
        PAIR ? pp : 0,      (const lane *)t->constant};
    for (int64_t n = 0; n < t->steps; n += LANES) {
        const int here = t->steps - n < LANES ? (int)(t->steps - n) : LANES;
        uint32_t counts = (uint32_t)((UINT64_C(1) << here) - 1);
        for (int j = 0; careful && j < here; j++)
            counts &= ~((~t->mask[(n + j) * vectors + v] >> l & 1u) << j);
        SWEEP_(_entries)(t, l, n, source);
        SWEEP_(_entry_pairs)(t, v, l, n, pp);
        flag |= SWEEP_(_take_out)(t, &in, careful, counts, l, acc, over);
    }
    return flag;
}

/* Moves all contributions beyond the range from the sums of vector v to its wide integers. */
__attribute__((noinline, unused)) static uint32_t SWEEP_(_settle)(const myr_sweep *t, int vectors, int v, int careful,
                                                                  ilane range, ACC_(_state) * acc)
{
    myr_word *over = t->over + v * OUTPUTS * MYR_ACC_WIDE_WORDS * LANES;
    uint32_t flag = 0;
    for (int l = 0; l < LANES; l++)
        if ((real_uint)LANE_AT(range, l) >> REAL_MANTISSA)
            flag |= SWEEP_(_scan)(t, vectors, v, careful, l, acc, over);
    return flag;
}

#endif

MYR_FN void SWEEP_(_any)(const myr_sweep *t, const int vectors, const int careful)
{
    ACC_(_state) acc[SWEEP_(_vectors)][OUTPUTS];
    ilane range[SWEEP_(_vectors)];
    const int row = MYR_ACC_LOOP_WORDS * LANES;
    ilane skipped = ilane_set(0);
    uint32_t flag = 0;
    MYR_UNROLL
    for (int v = 0; v < vectors; v++) {
        range[v] = ilane_set(0);
        MYR_UNROLL
        for (int k = 0; k < OUTPUTS; k++)
            acc[v][k] = ACC_(_begin)(t->wide + (v * OUTPUTS + k) * row, &t->scale[k]);
    }
    SWEEP_(_bag)(t, vectors, careful, acc, range, &skipped);
    MYR_UNROLL
    for (int v = 0; v < vectors; v++) {
        const uint32_t beyond = ilane_any(ilane_shift_right(range[v], REAL_MANTISSA));
#if ACC_WIDE
        if (__builtin_expect(beyond != 0, 0)) {
            ACC_(_state) copy[OUTPUTS]; /* the sums themselves stay in registers */
            for (int k = 0; k < OUTPUTS; k++)
                copy[k] = acc[v][k];
            flag |= SWEEP_(_settle)(t, vectors, v, careful, range[v], copy);
            for (int k = 0; k < OUTPUTS; k++)
                acc[v][k] = copy[k];
        }
#else
        flag |= beyond;
#endif
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
#undef ACC_WIDE
#undef SWEEP_
#undef MYR_ACC
