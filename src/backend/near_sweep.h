/* near_sweep.h - the loops of near.h for one accumulator. Included by near_unit.c after sweep.h, whose pair it calls,
 * with MYR_ACC naming the accumulator.
 *
 * No include guard: it is a template. */

#define ACC_(f) MYR_CAT(MYR_ACC, f)
#define SWEEP_(f) MYR_CAT(MYR_CAT(LOOP_PREFIX, MYR_ACC), f)

MYR_FN void SWEEP_(_near_bag)(const myr_sweep *t, const int vectors, const int careful, ACC_(_state) (*acc)[OUTPUTS],
                              ilane *skipped)
{
    const real *source = (const real *)t->bag;
    const lane *target = (const lane *)t->target;
    for (int64_t n = 0; n < t->steps; n++, source += SOURCE_LANES) {
        lane bag[SOURCE_LANES];
        MYR_UNROLL
        for (int c = 0; c < SOURCE_LANES; c++)
            bag[c] = lane_set(source[c]);
        MYR_UNROLL
        for (int v = 0; v < vectors; v++) {
            const lane *me = target + v * TARGET_LANES;
            const myr_pair in = {
                (const coord *)me,        (const coord *)bag, me + COORD_LANES * COORDS, bag + COORD_LANES * COORDS, 0,
                (const lane *)t->constant};
            const lmask counts = mask_from_bits(careful ? t->mask[n * vectors + v] : 0);
            SWEEP_(_pair)(&in, t->scale, careful, counts, acc[v], skipped);
        }
    }
}

MYR_FN void SWEEP_(_near_any)(const myr_sweep *t, const int vectors, const int careful)
{
    ACC_(_state) acc[NEAR_VECTORS][OUTPUTS];
    const int row = MYR_ACC_WORDS * LANES;
    ilane skipped = ilane_set(0);
    uint32_t flag = 0;
    MYR_UNROLL
    for (int v = 0; v < vectors; v++) {
        MYR_UNROLL
        for (int k = 0; k < OUTPUTS; k++)
            acc[v][k] = ACC_(_begin)(t->wide + (v * OUTPUTS + k) * row, &t->scale[k]);
    }
    SWEEP_(_near_bag)(t, vectors, careful, acc, &skipped);
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

#if NEAR_VECTORS > 1
static void SWEEP_(_near_many)(const myr_sweep *t)
{
    SWEEP_(_near_any)(t, NEAR_VECTORS, 0);
}
#endif

static void SWEEP_(_near_one)(const myr_sweep *t)
{
    SWEEP_(_near_any)(t, 1, 0);
}

static void SWEEP_(_near_careful)(const myr_sweep *t)
{
    SWEEP_(_near_any)(t, 1, 1);
}

#undef ACC_
#undef SWEEP_
#undef MYR_ACC
