/* box_cube.cuh - forces in boxes with equal edges in single arithmetic, included by box.cuh.
 *
 * Integer sums multiply differences of integer coordinates, which are converted to floats for each pair: what a pair
 * contributes does not depend on the cluster in which it is evaluated. For sums of floats coordinates are converted
 * once for each source of a row, relative to one of the four targets, and subtracted as floats. Clusters whose
 * targets are so far from each other that such differences may pass half the box are left to sum_pairs. */

#define CUBE_RELATIVE (BOX_SUMS != 0)

/* Targets; relative to one of them for sums of floats. */
struct cube_targets {
    uint32_t at[3];
    real_int whole[CLUSTER][3];
    lane x[CLUSTER][3];
    int row[CLUSTER]; /* as in box_targets, in bytes */
};

/* Returns 1 if the targets are too far from each other. */
MYR_FN int cube_place(const myr_box_common &a, const box_targets &t, cube_targets &to)
{
    lane furthest = 0;
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        to.at[c] = (uint32_t)t.x[1][c]; /* about the middle of four particles in a column */
        MYR_UNROLL
        for (int i = 0; i < CLUSTER; i++) {
            to.whole[i][c] = t.x[i][c];
            to.x[i][c] = (lane)coordinate_difference(t.x[i][c], t.x[1][c]);
            furthest = fmaxf(furthest, fabsf(to.x[i][c]));
        }
    }
    MYR_UNROLL
    for (int i = 0; i < CLUSTER; i++)
        to.row[i] = t.row[i] * (int)sizeof(real);
    return CUBE_RELATIVE && furthest > a.widest;
}

struct cube_source {
    int32_t whole[3];
    lane x[3];
    lane far;     /* one type: infinite for an entry that fills a row, else 0 */
    int column;   /* place of its type in a row of the table, in bytes */
    box_quad all; /* constants with all targets, where these are alike */
};

/* alike: 1 = the targets of each cluster of the warp have one type, so that a source has the same constants with all.
 */
template <int alike> MYR_FN cube_source cube_convert(const box_constants &k, const cube_targets &t, const box_point &p)
{
    cube_source s;
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        s.whole[c] = CUBE_RELATIVE ? (int32_t)((uint32_t)p.x[c] - t.at[c]) : p.x[c];
        pin(s.whole[c]); /* the point was read before its place is written again */
        s.x[c] = (lane)s.whole[c];
    }
    int32_t type = p.type;
    pin(type); /* all words of a load stay in use */
    s.far = BOX_TYPED ? K(0) : lane_from_bits(type);
    s.column = cube_column(type);
    if (alike)
        s.all = cube_quad(k, t.row[0], s.column);
    return s;
}

struct cube_sums {
    box_sum sum[CLUSTER][3];
    int32_t most; /* largest factor */
};

/* Pair of target i and a source; far: infinite for pairs that do not count. */
template <int alike>
MYR_FN int32_t cube_pair(const box_constants &k, const cube_targets &t, int i, const cube_source &s, lane far,
                         cube_sums &sums)
{
    const box_quad q = alike ? s.all : cube_quad(k, t.row[i], s.column);
    real_int way[3];
    lane d[3];
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        way[c] = coordinate_difference(t.whole[i][c], s.whole[c]);
        d[c] = CUBE_RELATIVE ? t.x[i][c] - s.x[c] : (lane)way[c];
    }
    const lane r2 = lane_madd(d[2], d[2], lane_madd(d[1], d[1], lane_madd(d[0], d[0], far)));
    const lane y = q.c[CUBE_STRENGTH] * box_reciprocal(r2);
    lane factor = cube_factor(q, y);
    box_sum *sum = sums.sum[i];
    pin(factor);
#if BOX_SUMS == 0
    int32_t whole = __float2int_rn(factor);
    pin(whole);
    if (r2 < q.c[CUBE_RADIUS2]) {
        MYR_UNROLL
        for (int c = 0; c < 3; c++)
            sum[c] += (box_sum)((int64_t)whole * (int64_t)way[c]);
    }
    return whole;
#else
    if (r2 < q.c[CUBE_RADIUS2]) {
        MYR_UNROLL
        for (int c = 0; c < 3; c++)
            sum[c] = BOX_SUMS == 1 ? (box_sum)lane_madd(factor, d[c], (lane)sum[c]) : sum[c] + (box_sum)(factor * d[c]);
    }
    return 0;
#endif
}

/* Largest of three, in one instruction. */
MYR_FN int32_t largest_of(int32_t a, int32_t b, int32_t c)
{
    const int32_t larger = b > c ? b : c;
    return a > larger ? a : larger;
}

template <int alike>
MYR_FN void cube_pairs(const box_constants &k, const cube_targets &t, const cube_source &s, cube_sums &sums)
{
    MYR_UNROLL
    for (int i = 0; i < CLUSTER; i += 2) {
        const int32_t a = cube_pair<alike>(k, t, i, s, s.far, sums);
        const int32_t b = cube_pair<alike>(k, t, i + 1, s, s.far, sums);
        sums.most = largest_of(sums.most, a, b);
    }
}

/* Pairs within the cluster: the source of a thread is target `member`. */
template <int alike>
MYR_FN void cube_own(const myr_box_common &a, const void *point, const box_constants &k, const cube_targets &t,
                     int cluster, int member, cube_sums &sums)
{
    const int32_t own = cluster * CLUSTER + member;
    const int has_own = member < CLUSTER && own < a.n;
    const cube_source s = cube_convert<alike>(k, t, load_point(point, has_own ? own : 0));
    MYR_UNROLL
    for (int i = 0; i < CLUSTER; i++) {
        const int counts = has_own && i != member; /* targets that are not there have sums that nobody reads */
        const int32_t factor = cube_pair<alike>(k, t, i, s, counts ? K(0) : K(INFINITY), sums);
        sums.most = largest_of(sums.most, factor, factor);
    }
}

/* Sums over the row of a cluster, two sources of a thread at a time. The row ends with entries that do not count
 * (fill_row); with many threads per cluster there are many of them, which are left out. */
template <int alike>
MYR_FN void cube_row(const myr_box_common &a, const void *point, const box_constants &k, const cube_targets &t,
                     int cluster, int member, cube_sums &sums)
{
    enum { TURN = MYR_BOX_PIECE * BOX_LANES };
    const int has_row = cluster < a.clusters;
    const int4 *row = (const int4 *)(a.entry + (size_t)(has_row ? cluster : 0) * a.room) + member;
    int left = has_row ? a.entries[cluster] : 0;
    int4 piece = *row;
    copy_point(0, point, piece.x);
    copy_point(1, point, piece.y);
    end_copies();
    copy_point(2, point, piece.z);
    copy_point(3, point, piece.w);
    end_copies();
    piece = row[BOX_LANES];
    cube_own<alike>(a, point, k, t, cluster, member, sums);
    while (left > 0) {
        row += BOX_LANES;
        wait_copies<1>();
        cube_source first = cube_convert<alike>(k, t, read_point(0));
        cube_source second = cube_convert<alike>(k, t, read_point(1));
        copy_point(0, point, piece.x);
        copy_point(1, point, piece.y);
        end_copies();
        cube_pairs<alike>(k, t, first, sums);
        if (BOX_LANES > 4 && left <= BOX_LANES)
            break;
        cube_pairs<alike>(k, t, second, sums);
        if (left <= 2 * BOX_LANES)
            break;
        wait_copies<1>();
        first = cube_convert<alike>(k, t, read_point(2));
        second = cube_convert<alike>(k, t, read_point(3));
        copy_point(2, point, piece.z);
        copy_point(3, point, piece.w);
        end_copies();
        piece = row[BOX_LANES];
        cube_pairs<alike>(k, t, first, sums);
        if (BOX_LANES > 4 && left <= 3 * BOX_LANES)
            break;
        cube_pairs<alike>(k, t, second, sums);
        left -= TURN;
    }
    wait_copies<0>();
}

/* As sum_pairs; returns 0 if the targets are too far from each other, and no sums then. */
MYR_FN int sum_cube(const myr_box_common &a, const void *point, const box_constants &k, int cluster, int member,
                    box_sums_of &to)
{
    cube_targets t;
    cube_sums sums = {};
    if (__any_sync(~0u, cube_place(a, load_targets<1>(a, point, cluster), t)))
        return 0;
    int alike = 1;
    MYR_UNROLL
    for (int i = 1; i < CLUSTER; i++)
        alike &= t.row[i] == t.row[0];
    if (!BOX_TYPED || !__any_sync(~0u, !alike))
        cube_row<1>(a, point, k, t, cluster, member, sums);
    else
        cube_row<0>(a, point, k, t, cluster, member, sums);
    MYR_UNROLL
    for (int i = 0; i < CLUSTER; i++)
        MYR_UNROLL
    for (int c = 0; c < 3; c++)
        to.sum[i][c] = sums.sum[i][c];
    to.most = sums.most;
    return 1;
}
