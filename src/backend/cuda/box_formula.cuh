/* box_formula.cuh - pairs of a kernel written by a user, included by box.cuh in place of Lennard-Jones pairs.
 *
 * In every arithmetic the force is rounded to integers component by component, as on the processor. */

/* Largest size of a pair whose integers are formed in the loop, and fit with all those of a row. */
MYR_FN lane close_limit(const myr_box_common &a, const int cube, unsigned crowd)
{
    (void)cube;
    const double row = 0x1p62 / (double)(a.room + CLUSTER);
    (void)crowd;
    return (lane)(MYR_ARITH == MYR_ARITH_DOUBLE ? fmin(0x1p50, row) : 0x1p30);
}

struct box_pair {
    real_int whole[3]; /* difference of coordinates */
    lane d[3];
    box_formula at;
    int near; /* 1 = closer than the cutoff */
};

/* Pair of target i and a source. The formula is 0 beyond its cutoff. */
MYR_FN void find_pair(const box_constants &k, const box_targets &t, int i, const box_point &p, const int cube,
                      const int energy, box_pair &pair)
{
    (void)cube;
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        pair.whole[c] = coordinate_difference(t.x[i][c], p.x[c]);
        pair.d[c] = (lane)pair.whole[c] * k.unit[c];
    }
    pair.at = box_formula_at(pair.d, k.c, energy);
    pair.near = pair.at.y > K(0);
}

/* 1 if the whole integers of a pair can be formed here. */
MYR_FN int pair_fits(const myr_box_common &a, const int cube, const box_pair &pair)
{
    (void)a;
    (void)cube;
    return pair.at.y < K(0x1p50);
}

MYR_FN lane pair_force(const box_pair &pair, int c)
{
    return pair.at.force[c];
}

/* What close_limit bounds. */
MYR_FN lane pair_closeness(const box_pair &pair, const int cube)
{
    (void)cube;
    return pair.at.y;
}

/* Size of the force, by which pairs are counted (neighbour_unit.c); without energies. */
MYR_FN lane pair_size(const box_pair &pair)
{
    return pair.at.y;
}

/* Integers of a pair: those of the loop, which fit 32 bits for pairs within the limit, or the whole ones. */
MYR_FN int64_t pair_integer(const box_pair &pair, int c)
{
#if MYR_ARITH == MYR_ARITH_DOUBLE
    return __double2ll_rn(pair.at.force[c]);
#else
    return (int64_t)__float2int_rn(pair.at.force[c]);
#endif
}

MYR_FN __int128 pair_whole(const box_pair &pair, int c)
{
#if MYR_ARITH == MYR_ARITH_DOUBLE
    return __double2ll_rn(pair.at.force[c]);
#else
    return __float2ll_rn(pair.at.force[c]);
#endif
}

/* Adds a pair if it counts. */
MYR_FN void add_pair(box_pair &pair, int counts, box_sum *sum)
{
    if (!counts)
        return;
    MYR_UNROLL
    for (int c = 0; c < 3; c++)
#if BOX_SUMS == 0
        sum[c] += (box_sum)pair_integer(pair, c);
#else
        sum[c] = sum[c] + (box_sum)pair.at.force[c];
#endif
}
