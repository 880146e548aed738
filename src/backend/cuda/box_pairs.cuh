/* box_pairs.cuh - constants, targets and forces of pairs of particles in a box, included by box.cuh. */

struct box_constants {
    lane c[PAIR_CONSTANTS];
    box_quad cube; /* one type, in boxes with equal edges */
    lane unit[3];
    const real *table; /* in shared memory, of several types */
};

struct box_targets {
    real_int x[CLUSTER][3];
    int row[CLUSTER]; /* several types: first place of the constants of pairs with type 0 in the table */
};

MYR_FN box_constants prepare_constants(const myr_box_common &a, const real *table)
{
    box_constants k;
    k.table = table;
    MYR_UNROLL
    for (int c = 0; c < 3; c++)
        k.unit[c] = (lane)a.unit[c];
    MYR_UNROLL
    for (int c = 0; c < PAIR_CONSTANTS; c++)
        k.c[c] = BOX_TYPED ? K(0) : ((const real *)a.table)[c];
    MYR_UNROLL
    for (int c = 0; c < 4; c++)
        k.cube.c[c] = BOX_TYPED ? K(0) : ((const real *)a.table)[c];
    return k;
}

/* Reals of a row of the table of pairs of types. */
MYR_FN int table_row(const myr_box_common &a, const int cube)
{
    return cube ? (a.types + 1) * CUBE_CONSTANTS : a.types * MYR_BOX_CONSTANTS;
}

/* Constants of pairs of types, copied to shared memory where they fit. */
extern __shared__ __align__(16) char box_shared[];
template <int cube> MYR_FN const real *share_table(const myr_box_common &a)
{
#if BOX_TYPED == 1
    const int size = a.types * table_row(a, cube);
    for (int k = threadIdx.x; k < size; k += blockDim.x)
        ((real *)box_shared)[k] = ((const real *)a.table)[k];
    __syncthreads();
    return (const real *)box_shared;
#else
    return (const real *)a.table;
#endif
}

/* Keeps the compiler from moving the computation of x into a branch that only some threads of a warp take: a pair is
 * evaluated for all of them at once, and only its addition depends on the distance. */
#ifdef __CUDACC__
MYR_FN void pin(float &x)
{
    asm volatile("" : "+f"(x));
}

MYR_FN void pin(double &x)
{
    asm volatile("" : "+d"(x));
}

MYR_FN void pin(int32_t &x)
{
    asm volatile("" : "+r"(x));
}

MYR_FN void pin(int64_t &x)
{
    asm volatile("" : "+l"(x));
}
#else
template <class number> void pin(number &)
{
}
#endif

#ifdef MYR_KERNEL
#include "backend/cuda/box_formula.cuh"
#else
/* Largest (sigma/r)^2 of pairs whose integers fit, whatever rows there are; in boxes with equal edges their largest
 * factor. */
MYR_FN lane close_limit(const myr_box_common &a, const int cube, unsigned crowd)
{
    const float fits = fminf(a.fit_one, a.fit_all / (float)(crowd > 0 ? crowd : 1));
    return !(fits > 0.0f) ? K(0) : (lane)(0.999f * (cube ? fits : exp2f(log2f(fits) * (1.0f / 7.0f))));
}

/* In boxes with equal edges the unit of length is that of the coordinates, and the factor of a pair of types is
 * y^7 - c[1] y^4 + c[3] where y = c[0]/r^2: one multiplication less than with (sigma/r)^2, and four constants that are
 * loaded at once. */
MYR_FN lane cube_factor(const box_quad &q, lane y)
{
    const lane y2 = y * y;
    return lane_madd(y2 * y2, lane_madd(y2, y, -q.c[CUBE_PULL]), q.c[CUBE_PUSH]);
}

/* row and column: places in the table in bytes. */
MYR_FN box_quad cube_quad(const box_constants &k, int row, int column)
{
    return BOX_TYPED ? *(const box_quad *)((const char *)k.table + (row + column)) : k.cube;
}

MYR_FN int cube_column(real_int type)
{
    return BOX_TYPED ? (int)type * (int)sizeof(box_quad) : 0;
}

struct box_pair {
    real_int whole[3]; /* difference of coordinates */
    lane d[3], r2;
    lennard_jones_cut at;
    lane c[CUT_CONSTANTS];
    int near; /* 1 = closer than the cutoff */
};

/* Pair of target i and a source. cube: 1 = the unit of length is that of the coordinates, which is the same along all
 * axes, and at.y is the y of cube_factor; 0 = sigma. In both cases the factor is the force per sigma of distance. */
MYR_FN void find_pair(const box_constants &k, const box_targets &t, int i, const box_point &p, const int cube,
                      const int energy, box_pair &pair)
{
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        pair.whole[c] = coordinate_difference(t.x[i][c], p.x[c]);
        pair.d[c] = cube ? (lane)pair.whole[c] : (lane)pair.whole[c] * k.unit[c];
    }
    pair.r2 = lane_madd(pair.d[2], pair.d[2], lane_madd(pair.d[1], pair.d[1], pair.d[0] * pair.d[0]));
    if (cube) {
        const box_quad q = cube_quad(k, t.row[i] * (int)sizeof(real), cube_column(p.type));
        pair.at.y = q.c[CUBE_STRENGTH] * box_reciprocal(pair.r2);
        pair.at.factor = cube_factor(q, pair.at.y);
        pair.near = pair.r2 < q.c[CUBE_RADIUS2];
        return;
    }
#if BOX_TYPED
    const box_quad *row = (const box_quad *)(k.table + (t.row[i] + (int)p.type * MYR_BOX_CONSTANTS));
    MYR_UNROLL
    for (int c = 0; c < CUT_CONSTANTS; c++)
        pair.c[c] = row[c / 4].c[c % 4]; /* those that the formula does not read are not loaded */
#else
    MYR_UNROLL
    for (int c = 0; c < CUT_CONSTANTS; c++)
        pair.c[c] = k.c[c];
    pair.c[CUT_SIGMA2] = K(1); /* lengths are in units of sigma */
#endif
    pair.at = lennard_jones_cut_near(pair.r2, box_reciprocal(pair.r2), pair.c, BOX_ROOT, energy);
    pair.near = pair.r2 < pair.c[CUT_RADIUS2];
}

/* 1 if the whole integers of a pair can be formed here; closer pairs have another formula (lennard_jones_close.h). */
MYR_FN int pair_fits(const myr_box_common &a, const int cube, const box_pair &pair)
{
    return (cube ? pair.r2 >= a.closest2 : pair.at.y <= K(CLOSE_LEAST)) && fabs((double)pair.at.factor) < 0x1p50;
}

MYR_FN lane pair_force(const box_pair &pair, int c)
{
    return pair.at.factor * pair.d[c];
}

/* What close_limit bounds. */
MYR_FN lane pair_closeness(const box_pair &pair, const int cube)
{
    return cube ? pair.at.factor : pair.at.y;
}

/* Repulsion, by which pairs are counted (neighbour_unit.c). */
MYR_FN lane pair_size(const box_pair &pair)
{
    const lane y = pair.c[CUT_SIGMA2] * (K(1) / pair.r2), y3 = y * y * y;
    return pair.c[CUT_EPSILON_48] * (y3 * y3);
}

/* Integers of a pair: those of the loop, which fit 32 bits for pairs within the limit, or the whole ones. */
MYR_FN int64_t pair_integer(const box_pair &pair, int c)
{
#if MYR_ARITH == MYR_ARITH_DOUBLE
    return __double2ll_rn(pair.at.factor * pair.d[c]);
#elif BOX_PORTABLE
    return (int64_t)__float2int_rn(pair.at.factor * pair.d[c]);
#else
    return (int64_t)__float2int_rn(pair.at.factor) * (int64_t)pair.whole[c];
#endif
}

MYR_FN __int128 pair_whole(const box_pair &pair, int c)
{
#if MYR_ARITH == MYR_ARITH_DOUBLE
    return __double2ll_rn(pair.at.factor * pair.d[c]);
#elif BOX_PORTABLE
    return __float2ll_rn(pair.at.factor * pair.d[c]);
#else
    return (__int128)__float2ll_rn(pair.at.factor) * (__int128)pair.whole[c];
#endif
}

/* Adds a pair if it counts. */
MYR_FN void add_pair(box_pair &pair, int counts, box_sum *sum)
{
    pin(pair.at.factor);
#if BOX_SUMS == 0 && !BOX_PORTABLE
    int32_t factor = __float2int_rn(pair.at.factor); /* once for all components */
    pin(factor);
#endif
    if (!counts)
        return;
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
#if BOX_SUMS == 0 && !BOX_PORTABLE
        sum[c] += (box_sum)((int64_t)factor * (int64_t)pair.whole[c]);
#elif BOX_SUMS == 0
        sum[c] += (box_sum)pair_integer(pair, c);
#elif BOX_SUMS == 1 && MYR_ARITH == MYR_ARITH_SINGLE
        sum[c] = lane_madd(pair.at.factor, pair.d[c], sum[c]);
#else
        sum[c] = sum[c] + (box_sum)(pair.at.factor * pair.d[c]);
#endif
    }
}

#endif

/* Place of entry e of a row: every thread of a cluster has a piece of consecutive places, and threads side by side have
 * sources side by side, whose points are close together in memory. */
MYR_FN uint32_t row_place(uint32_t e)
{
    enum { TURN = BOX_LANES * MYR_BOX_PIECE };
    return e / TURN * TURN + e % BOX_LANES * MYR_BOX_PIECE + e / BOX_LANES % MYR_BOX_PIECE;
}
