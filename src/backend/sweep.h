/* sweep.h - template of the hot loop. Included after unit_kernel.h for each accumulator with MYR_ACC naming it;
 * instantiates MYR_KERNEL x MYR_ACC for the lane type of the translation unit, with TILE_VECTORS target vectors and
 * TILE_STEPS bag entries per iteration. The bag consists of vectors or of reals, see unit_kernel.h.
 *
 * Without include guard, because it is included several times. */

#define ACC_(f) MYR_CAT(MYR_ACC, f)
#define ACC_WIDE MYR_CAT(MYR_ACC, _WIDE)
/* 1 = loops that are not careful keep the smallest r2 instead of testing contributions. The including file defines
 * SWEEP_BOUNDED if its callers give the sizes of the sources (myr_sweep.most). */
#define SWEEP_PROVES (ACC_WIDE && KERNEL_BOUNDED && SWEEP_BOUNDED)
/* Symbol name searched for by disassembly tools, for example myr_loop_gravity_single_avx512_fixed_many. */
#define SWEEP_(f) MYR_CAT(MYR_CAT(LOOP_PREFIX, MYR_ACC), f)

/* What a loop collects of a vector of targets for the end of the bag: which contributions were beyond the range, or the
 * smallest r2. The one that is not used costs nothing. */
typedef struct {
    ilane range; /* bits at or above REAL_MANTISSA: a contribution was beyond the range */
    lane least;
} SWEEP_(_reach);

MYR_FN SWEEP_(_reach) SWEEP_(_reach_begin)(void)
{
    const SWEEP_(_reach) none = {ilane_set(0), lane_set(K(INFINITY))};
    return none;
}

/* One vector of targets against one bag entry: evaluates the formula and adds its contributions to acc[output]. The
 * careful loop passes the lanes that count, and receives the number of skipped coincident pairs. */
MYR_FN void SWEEP_(_pair)(const myr_pair *in, const myr_acc_scale *scale, const int careful, lmask counts,
                          ACC_(_state) * acc, SWEEP_(_reach) * reach, ilane *skipped)
{
    myr_guard guard = {careful, counts, *skipped, lane_set(K(0))};
    lane s[MYR_KERNEL_SUMS_MAX], d[MYR_KERNEL_SUMS_MAX];
    KERNEL_(_pair)(in, &guard, s, d);
    *skipped = guard.skipped;
#if SWEEP_PROVES
    if (!careful) {
        reach->least = lane_min(guard.r2, reach->least);
        MYR_UNROLL
        for (int k = 0; k < OUTPUTS; k++)
            (void)ACC_(_sum)(&acc[k], &scale[output_start(k)], s[k], d[k]);
        return;
    }
#endif
    MYR_UNROLL
    for (int k = 0; k < OUTPUTS; k++) {
        lane sk = s[k], dk = d[k];
        if (careful) {
            sk = lane_keep(guard.ok, sk);
            dk = lane_keep(guard.ok, dk);
        }
        ACC_(_add)(&acc[k], &reach->range, &scale[output_start(k)], sk, dk);
    }
}

#if SWEEP_PROVES
/* Lanes in which a contribution of pairs with this r2 or more may be beyond the range, in bits at or above
 * REAL_MANTISSA. `own`: lane [TARGET_LANES]; `most`: as in myr_sweep. */
MYR_FN ilane SWEEP_(_open)(const lane *own, const real *most, const lane *constant, const myr_acc_scale *scale, lane r2)
{
    lane source[SOURCE_LANES];
    real range[MYR_KERNEL_OUTPUTS_MAX];
    MYR_UNROLL
    for (int c = 0; c < SOURCE_LANES; c++)
        source[c] = lane_set(most[c]);
    MYR_UNROLL
    for (int k = 0; k < MYR_KERNEL_OUTPUTS_MAX; k++) /* outputs that are not summed have no range */
        range[k] = k < OUTPUTS ? K(scale[k].large) * K(1.0 / 3) : BOUND_FINITE;
    const myr_pair in = {(const coord *)own,
                         (const coord *)source,
                         own + COORD_LANES * COORDS,
                         source + COORD_LANES * COORDS,
                         0,
                         constant};
    const lmask inside = KERNEL_(_inside)(&in, r2, range);
    return lane_bits(lane_select(inside, lane_set(K(0)), lane_set(K(1))));
}

/* r2 from which on all contributions are proven to be within the range: at most twice the smallest such r2, which saves
 * most of a second evaluation of the bag; NaN if there is no proof, which no distance exceeds or equals. */
MYR_FN lane SWEEP_(_limit)(const lane *own, const real *most, const lane *constant, const myr_acc_scale *scale,
                           lane least)
{
    lane limit = least;
    lmask closed = lane_lt(limit, limit);
    for (int n = 0; n < 64 && !lane_all(closed); n++) {
        const ilane open = SWEEP_(_open)(own, most, constant, scale, limit);
        closed = lane_eq(lane_from_bits(open), lane_set(K(0)));
        limit = lane_select(closed, limit, limit + limit);
    }
    return lane_select(closed, limit, lane_set(K(NAN)));
}

/* Squared distance of pairs. */
MYR_FN lane SWEEP_(_distances)(const myr_pair *in)
{
    myr_guard guard = {0, mask_from_bits(0), ilane_set(0), lane_set(K(0))};
    lane s[MYR_KERNEL_SUMS_MAX], d[MYR_KERNEL_SUMS_MAX]; /* not used, and therefore not computed */
    KERNEL_(_pair)(in, &guard, s, d);
    return guard.r2;
}
#endif

#if !defined(__CUDACC__) && !defined(SWEEP_PAIRS_ONLY) /* loops of a GPU are in cuda/sweep.cuh */
enum { SWEEP_(_vectors) = TILE_VECTORS };

/* Loop over a bag: sums the contributions of `steps` sources into acc[vector][output], and collects in reach[vector]
 * what tells lanes with a contribution beyond the accumulator's range. */
MYR_FN void SWEEP_(_bag)(const myr_sweep *t, const int vectors, const int careful, ACC_(_state) (*acc)[OUTPUTS],
                         SWEEP_(_reach) * reach, ilane *skipped)
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
            SWEEP_(_pair)(&in, t->scale, careful, counts, acc[v], &reach[v], skipped);
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

/* Contributions of one target and the sources across the lanes, and their words. */
typedef struct {
    lane s[MYR_KERNEL_SUMS_MAX], d[MYR_KERNEL_SUMS_MAX];
    ulane coarse[OUTPUTS], fine[OUTPUTS];
    ilane range;   /* bits at or above REAL_MANTISSA: a contribution is beyond the range */
    ilane skipped; /* 1 = the source is where the target is */
} SWEEP_(_row);

/* `counts`: bit j set = the source in lane j counts. */
MYR_FN void SWEEP_(_evaluate)(const myr_sweep *t, const myr_pair *in, uint32_t counts, SWEEP_(_row) * row)
{
    myr_guard guard = {1, mask_from_bits(counts), ilane_set(0), lane_set(K(0))};
    KERNEL_(_pair)(in, &guard, row->s, row->d);
    row->range = ilane_set(0);
    MYR_UNROLL
    for (int k = 0; k < OUTPUTS; k++) {
        const myr_acc_scale *scale = &t->scale[output_start(k)];
        row->s[k] = lane_keep(guard.ok, row->s[k]);
        row->d[k] = lane_keep(guard.ok, row->d[k]);
        ACC_(_round)(scale, row->s[k], row->d[k], &row->coarse[k], &row->fine[k]);
        row->range = row->range | (ilane)(row->coarse[k] ^ ACC_(_large)(scale));
    }
    row->range = ilane_shift_right(row->range, REAL_MANTISSA);
    row->skipped = guard.skipped;
}

/* Takes the contributions of the sources across the lanes to lane l of a vector that are beyond the range out of the
 * sums `acc`, and adds them to the wide integers `over`; returns 1 if one is not finite. */
__attribute__((noinline, unused)) static uint32_t SWEEP_(_take_out)(const myr_sweep *t, const myr_pair *in, int careful,
                                                                    uint32_t counts, int l, ACC_(_state) * acc,
                                                                    myr_word *over)
{
    SWEEP_(_row) row;
    SWEEP_(_evaluate)(t, in, counts, &row);
    uint32_t flag = careful ? 0 : ilane_any(row.skipped); /* coincident particles, which the loop did not skip */
    for (int j = 0; j < LANES; j++)
        for (int k = 0; LANE_AT(row.range, j) && k < OUTPUTS; k++) {
            const ulane large = ACC_(_large)(&t->scale[k]);
            if (!((LANE_AT(row.coarse[k], j) ^ LANE_AT(large, j)) >> REAL_MANTISSA))
                continue;
            t->beyond[k]++;
            flag |=
                ACC_(_take_out)(&acc[k], l, over + k * MYR_ACC_WIDE_WORDS * LANES, &t->scale[k], LANE_AT(row.s[k], j),
                                LANE_AT(row.d[k], j), LANE_AT(row.coarse[k], j), LANE_AT(row.fine[k], j));
        }
    return flag;
}

/* Scans the bag again for one target, lane l of vector v, with the sources across the lanes. Contributions of pairs at
 * a squared distance of `limit` or more are known to be within the range. */
__attribute__((noinline, unused)) static uint32_t SWEEP_(_scan)(const myr_sweep *t, int vectors, int v, int careful,
                                                                int l, real limit, ACC_(_state) * acc, myr_word *over)
{
    lane own[TARGET_LANES], source[SOURCE_LANES], pp[PAIR ? PAIR : 1];
    uint32_t flag = 0;
    (void)limit;
    for (int c = 0; c < TARGET_LANES; c++)
        own[c] = lane_set(LANE_AT(((const lane *)t->target)[v * TARGET_LANES + c], l));
    const myr_pair in = {
        (const coord *)own, (const coord *)source,    own + COORD_LANES * COORDS, source + COORD_LANES * COORDS,
        PAIR ? pp : 0,      (const lane *)t->constant};
    for (int64_t n = 0; n < t->steps; n += LANES) {
        const int here = t->steps - n < LANES ? (int)(t->steps - n) : LANES;
        uint32_t counts = (uint32_t)((UINT64_C(1) << here) - 1);
        SWEEP_(_entries)(t, l, n, source);
        SWEEP_(_entry_pairs)(t, v, l, n, pp);
#if SWEEP_PROVES
        if (lane_all(lane_le(lane_set(limit), SWEEP_(_distances)(&in))))
            continue;
#endif
        for (int j = 0; careful && j < here; j++)
            counts &= ~((~t->mask[(n + j) * vectors + v] >> l & 1u) << j);
        SWEEP_(_row) row; /* in registers: most rows have nothing to take out */
        SWEEP_(_evaluate)(t, &in, counts, &row);
        if (ilane_any(row.range | row.skipped))
            flag |= SWEEP_(_take_out)(t, &in, careful, counts, l, acc, over);
    }
    return flag;
}

/* Moves all contributions beyond the range from the sums of vector v to its wide integers. */
__attribute__((noinline, unused)) static uint32_t SWEEP_(_settle)(const myr_sweep *t, int vectors, int v, int careful,
                                                                  ilane range, lane least, ACC_(_state) * acc)
{
    myr_word *over = t->over + v * OUTPUTS * MYR_ACC_WIDE_WORDS * LANES;
    lane limit = lane_set(K(NAN));
    uint32_t flag = 0;
#if SWEEP_PROVES
    const lane *own = (const lane *)t->target + v * TARGET_LANES;
    if (!careful && t->most)
        limit = SWEEP_(_limit)(own, (const real *)t->most, (const lane *)t->constant, t->scale, least);
#endif
    (void)least;
    for (int l = 0; l < LANES; l++)
        if ((real_uint)LANE_AT(range, l) >> REAL_MANTISSA) {
            flag |= SWEEP_(_scan)(t, vectors, v, careful, l, LANE_AT(limit, l), acc, over);
            if (t->over_used)
                t->over_used[v] |= 1u << l;
        }
    return flag;
}

#endif

/* Lanes of vector v that may have had a contribution beyond the range, in bits at or above REAL_MANTISSA. The smallest
 * r2 decides where the kernel has a proof, except in the careful loop: pairs that do not count would be in it. */
MYR_FN ilane SWEEP_(_beyond)(const myr_sweep *t, int v, const int careful, const SWEEP_(_reach) * reach)
{
#if SWEEP_PROVES
    const lane *own = (const lane *)t->target + v * TARGET_LANES;
    if (!careful)
        return t->most ? SWEEP_(_open)(own, (const real *)t->most, (const lane *)t->constant, t->scale, reach->least)
                       : lane_bits(lane_set(K(1)));
#endif
    (void)t;
    (void)v;
    (void)careful;
    return reach->range;
}

MYR_FN void SWEEP_(_any)(const myr_sweep *t, const int vectors, const int careful)
{
    ACC_(_state) acc[SWEEP_(_vectors)][OUTPUTS];
    SWEEP_(_reach) reach[SWEEP_(_vectors)];
    const int row = MYR_ACC_LOOP_WORDS * LANES;
    ilane skipped = ilane_set(0);
    uint32_t flag = 0;
    MYR_UNROLL
    for (int v = 0; v < vectors; v++) {
        reach[v] = SWEEP_(_reach_begin)();
        MYR_UNROLL
        for (int k = 0; k < OUTPUTS; k++)
            acc[v][k] = ACC_(_begin)(t->wide + (v * OUTPUTS + k) * row, &t->scale[k]);
    }
    SWEEP_(_bag)(t, vectors, careful, acc, reach, &skipped);
    MYR_UNROLL
    for (int v = 0; v < vectors; v++) {
        const ilane range = SWEEP_(_beyond)(t, v, careful, &reach[v]);
        const uint32_t beyond = ilane_any(ilane_shift_right(range, REAL_MANTISSA));
#if ACC_WIDE
        if (__builtin_expect(beyond != 0, 0)) {
            ACC_(_state) copy[OUTPUTS]; /* the sums themselves stay in registers */
            for (int k = 0; k < OUTPUTS; k++)
                copy[k] = acc[v][k];
            flag |= SWEEP_(_settle)(t, vectors, v, careful, range, reach[v].least, copy);
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
#undef SWEEP_PROVES
#undef SWEEP_
#undef MYR_ACC
