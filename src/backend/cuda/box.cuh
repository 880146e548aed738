/* box.cuh - particles in a box, resident on a GPU: pair list, forces, steps. Compiled at run time with
 *   MYR_ARITH, MYR_LANE_BYTES   as in unit_prologue.h; MYR_LANE_BYTES is 0
 *   BOX_SUMS    0 = integer sums, 1 = sums of floats, 2 = sums of doubles
 *   BOX_TYPED   1 = several types; BOX_ROOT: 1 = treatments of the cutoff with square roots
 *   BOX_LANES   threads that share a cluster: 4, 8 or 16
 *   BOX_AHEAD   sources that are loaded ahead
 *   BOX_LANGEVIN   1 = with Langevin dynamics; BOX_BLOCKS: blocks per multiprocessor for which registers must suffice
 *
 * Particles are sorted into columns along z in serpentine order, as on the processor (backend/short_range.h); four
 * consecutive ones are a cluster. A row of the list has every particle within the search length of one of the four.
 * Each thread of a cluster keeps the four targets in registers and takes every BOX_LANES-th source, so that a pair
 * costs a quarter of a load. Every pair is evaluated for both of its particles: there are no atomic additions.
 *
 * Integer sums do not depend on the order. In portable arithmetic a force is rounded to integers component by component,
 * as on the processor, and has its bits. Otherwise the factor of the distance vector is rounded, and multiplied by the
 * integer coordinates: one conversion per pair instead of three, which a GPU does at an eighth of the rate of other
 * instructions. Both are antisymmetric. */
#include "backend/unit_prologue.h"

#include "backend/cuda/box_args.h"
#include "backend/guard.h"
#include "core/random_inside.h"
#include "kernel/lennard_jones_cut.h"
#include "backend/box_motion.h"

/* 1/r^2: in single arithmetic the reciprocal of the device, whose error is one unit in the last place. */
MYR_FN lane box_reciprocal(lane r2)
{
#if MYR_ARITH == MYR_ARITH_SINGLE && defined(__CUDACC__)
    asm("rcp.approx.ftz.f32 %0, %0;" : "+f"(r2));
    return r2;
#else
    return K(1) / r2;
#endif
}

enum { CLUSTER = MYR_BOX_CLUSTER, TABLE_STRIDE = 16, CLOSE_LEAST = 1024 };
static_assert(CUT_CONSTANTS <= TABLE_STRIDE, "a row of the table holds all constants of a pair of types");
#define BOX_PORTABLE (MYR_ARITH == MYR_ARITH_PORTABLE || MYR_ARITH == MYR_ARITH_DOUBLE)

struct __align__(4 * sizeof(real)) box_point {
    real_int x[3];
    real_int type;
};

#if BOX_SUMS == 0
typedef uint64_t box_sum; /* modulo 2^64: pairs that do not fit are corrected afterwards */
typedef int64_t box_value;
#elif BOX_SUMS == 1
typedef float box_sum, box_value;
#else
typedef double box_sum, box_value;
#endif

MYR_FN real_int point_coordinate(uint64_t q)
{
#if MYR_ARITH == MYR_ARITH_DOUBLE
    return (real_int)(q >> 12 << 12);
#else
    return (real_int)(q >> 32);
#endif
}

MYR_FN real_int coordinate_difference(real_int a, real_int b)
{
    return (real_int)((real_uint)a - (real_uint)b);
}

/* Loads a point in pieces of 16 bytes. */
MYR_FN box_point load_point(const void *point, int32_t i)
{
    box_point p;
    int4 piece[sizeof p / sizeof(int4)];
    const int4 *from = (const int4 *)((const box_point *)point + i);
    MYR_UNROLL
    for (int k = 0; k < (int)(sizeof p / sizeof(int4)); k++)
        piece[k] = __ldg(from + k);
    memcpy(&p, piece, sizeof p);
    return p;
}

/* --- the state between launches ----------------------------------------------------------------------------------- */

MYR_FN int is_first_thread(void)
{
    return blockIdx.x == 0 && threadIdx.x == 0;
}

/* Copies the slot of a launch that does nothing. */
MYR_FN void pass_on(myr_box_slot *slot, const myr_box_slot &now)
{
    if (!is_first_thread())
        return;
    slot[1].made = now.made;
    slot[1].side = now.side;
    slot[1].face = now.face;
    slot[1].longest = now.longest;
    slot[1].crowd = now.crowd;
    atomicOr(&slot[1].state, now.state);
}

/* --- pairs -------------------------------------------------------------------------------------------------------- */

struct box_constants {
    lane c[CUT_CONSTANTS];
    lane unit[3];
    const real *table; /* in shared memory, of several types */
    int types;
};

struct box_targets {
    real_int x[CLUSTER][3];
    int type[CLUSTER];
};

MYR_FN box_constants prepare_constants(const myr_box_common &a, const real *table)
{
    box_constants k;
    k.table = table;
    k.types = a.types;
    MYR_UNROLL
    for (int c = 0; c < 3; c++)
        k.unit[c] = (lane)a.unit[c];
    MYR_UNROLL
    for (int c = 0; c < CUT_CONSTANTS; c++)
        k.c[c] = BOX_TYPED ? K(0) : ((const real *)a.table)[c];
    return k;
}

/* Copies the table of several types to shared memory, if there is room for it. */
extern __shared__ __align__(16) char box_shared[];
MYR_FN const real *share_table(const myr_box_common &a, int room)
{
#if BOX_TYPED
    const int size = a.types * a.types * TABLE_STRIDE;
    if (size * (int)sizeof(real) > room)
        return (const real *)a.table;
    for (int k = threadIdx.x; k < size; k += blockDim.x)
        ((real *)box_shared)[k] = ((const real *)a.table)[k];
    __syncthreads();
    return (const real *)box_shared;
#else
    return 0;
#endif
}

/* Largest (sigma/r)^2 of pairs whose integers fit, whatever rows there are. */
MYR_FN lane close_limit(const myr_box_common &a, unsigned crowd)
{
    const float fits = fminf(a.fit_one, a.fit_all / (float)(crowd > 0 ? crowd : 1));
    return fits > 0.0f ? (lane)(0.999f * exp2f(log2f(fits) * (1.0f / 7.0f))) : K(0);
}

struct box_pair {
    real_int whole[3]; /* difference of coordinates */
    lane d[3], r2;
    lennard_jones_cut at;
    lane c[CUT_CONSTANTS];
    int near; /* 1 = closer than the cutoff */
};

/* Pair of target i and a source. cube: 1 = the unit of length is that of the coordinates, which is the same along all
 * axes; 0 = sigma. In both cases the factor is the force per sigma of distance. */
MYR_FN void find_pair(const box_constants &k, const box_targets &t, int i, const box_point &p, const int cube,
                      const int energy, box_pair &pair)
{
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        pair.whole[c] = coordinate_difference(t.x[i][c], p.x[c]);
        pair.d[c] = cube ? (lane)pair.whole[c] : (lane)pair.whole[c] * k.unit[c];
    }
    pair.r2 = lane_madd(pair.d[2], pair.d[2], lane_madd(pair.d[1], pair.d[1], pair.d[0] * pair.d[0]));
#if BOX_TYPED
    const real *row = k.table + (t.type[i] * k.types + (int)p.type) * TABLE_STRIDE;
    MYR_UNROLL
    for (int c = 0; c < CUT_CONSTANTS; c++)
        pair.c[c] = row[c]; /* those that the formula does not read are not loaded */
#else
    MYR_UNROLL
    for (int c = 0; c < CUT_CONSTANTS; c++)
        pair.c[c] = k.c[c];
    if (!cube)
        pair.c[CUT_SIGMA2] = K(1); /* lengths are in units of sigma */
#endif
    pair.at = lennard_jones_cut_near(pair.r2, box_reciprocal(pair.r2), pair.c, BOX_ROOT, energy);
    pair.near = pair.r2 < pair.c[CUT_RADIUS2];
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

MYR_FN void add_pair(const box_pair &pair, box_sum *sum)
{
#if BOX_SUMS == 0 && !BOX_PORTABLE
    const int factor = __float2int_rn(pair.at.factor); /* once for all components */
#endif
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
#if BOX_SUMS == 0 && !BOX_PORTABLE
        sum[c] += (box_sum)((int64_t)factor * (int64_t)pair.whole[c]);
#elif BOX_SUMS == 0
        sum[c] += (box_sum)pair_integer(pair, c);
#else
        sum[c] = sum[c] + (box_sum)(pair.at.factor * pair.d[c]);
#endif
    }
}

/* Sources of one thread: those of its own cluster, then every BOX_LANES-th entry of the row. `use` is called with a
 * point, its index, and 1 for members of the cluster. */
template <class function>
MYR_FN void each_source(const myr_box_common &a, const void *point, int cluster, int member, function use)
{
    const int32_t own = cluster * CLUSTER + member;
    if (member < CLUSTER && own < a.n)
        use(load_point(point, own), 1);
    if (cluster >= a.clusters)
        return;
    const int32_t *entry = a.entry + (size_t)cluster * a.room;
    const int count = a.entries[cluster];
    int e = member;
    if (e >= count)
        return;
    /* The next BOX_AHEAD points are loaded while the present one is used. Entries past the end of the row are read too,
     * and not used: they are 0 or belong to other rows or an earlier list. */
    box_point p[BOX_AHEAD];
    MYR_UNROLL
    for (int k = 0; k < BOX_AHEAD; k++)
        p[k] = load_point(point, __ldg(entry + e + k * BOX_LANES));
    int32_t next = __ldg(entry + e + BOX_AHEAD * BOX_LANES);
    for (; e < count; e += BOX_LANES) {
        const box_point now = p[0];
        MYR_UNROLL
        for (int k = 0; k + 1 < BOX_AHEAD; k++)
            p[k] = p[k + 1];
        p[BOX_AHEAD - 1] = load_point(point, next);
        next = __ldg(entry + e + (BOX_AHEAD + 1) * BOX_LANES);
        use(now, 0);
    }
}

MYR_FN box_targets load_targets(const myr_box_common &a, const void *point, int cluster)
{
    box_targets t;
    MYR_UNROLL
    for (int i = 0; i < CLUSTER; i++) {
        const int32_t at = cluster * CLUSTER + i;
        const box_point p = load_point(point, at < a.n ? at : a.n - 1);
        MYR_UNROLL
        for (int c = 0; c < 3; c++)
            t.x[i][c] = p.x[c];
        t.type[i] = (int)p.type;
    }
    return t;
}

/* Sum over the threads of a cluster: thread `member` receives component sums of target member % CLUSTER. */
template <class number> MYR_FN number sum_of_target(number a, number b, number c, number d, int member)
{
    MYR_UNROLL
    for (int far = BOX_LANES / 2; far >= CLUSTER; far /= 2) {
        a += __shfl_xor_sync(~0u, a, far);
        b += __shfl_xor_sync(~0u, b, far);
        c += __shfl_xor_sync(~0u, c, far);
        d += __shfl_xor_sync(~0u, d, far);
    }
    const int high = member & 2, odd = member & 1;
    number even_sum = high ? c : a, odd_sum = high ? d : b;
    even_sum += __shfl_xor_sync(~0u, high ? a : c, 2);
    odd_sum += __shfl_xor_sync(~0u, high ? b : d, 2);
    const number sent = odd ? even_sum : odd_sum;
    return (odd ? odd_sum : even_sum) + __shfl_xor_sync(~0u, sent, 1);
}

#if BOX_SUMS == 0
MYR_FN __int128 shuffle_wide(__int128 x, int far)
{
    const uint64_t low = __shfl_xor_sync(~0u, (unsigned long long)x, far);
    const int64_t high = __shfl_xor_sync(~0u, (long long)(x >> 64), far);
    return ((__int128)high << 64) + (__int128)low;
}

/* What pairs beyond the limit lack in the sums of the loop: their whole integers instead of those that did not fit. Not
 * hot. Returns reasons to stop. */
template <int cube>
__device__ __noinline__ uint32_t correct_close(const myr_box_common &a, const void *point, const real *table,
                                               lane limit, int cluster, int member, int64_t lacking[3])
{
    const box_constants k = prepare_constants(a, table);
    __int128 lack[CLUSTER][3] = {};
    uint32_t state = 0;
    const box_targets t = load_targets(a, point, cluster);
    each_source(a, point, cluster, member, [&](const box_point &p, int own) {
        for (int i = 0; i < CLUSTER; i++) {
            box_pair pair;
            if ((own && i == member) || cluster * CLUSTER + i >= a.n)
                continue;
            find_pair(k, t, i, p, cube, 0, pair);
            if (!(pair.at.y > limit) || !pair.near)
                continue;
            if (!(pair.at.y <= K(CLOSE_LEAST)) || !(fabs((double)pair.at.factor) < 0x1p50)) {
                state = MYR_BOX_CLOSE;
                continue;
            }
            for (int c = 0; c < 3; c++)
                lack[i][c] += pair_whole(pair, c) - pair_integer(pair, c);
        }
    });
    for (int c = 0; c < 3; c++) {
        __int128 sum = 0;
        for (int i = 0; i < CLUSTER; i++) {
            __int128 all = lack[i][c];
            for (int far = BOX_LANES / 2; far > 0; far /= 2)
                all += shuffle_wide(all, far);
            sum = member % CLUSTER == i ? all : sum;
        }
        if (sum > ((__int128)1 << 62) || sum < -((__int128)1 << 62))
            state = MYR_BOX_CLOSE;
        lacking[c] = (int64_t)sum;
    }
    return state;
}
#endif

/* Larger of two numbers that are not negative, by their bits, so that three are compared in one instruction; a NaN is
 * larger than all numbers. */
MYR_FN real_int larger_bits(real_int a, lane b)
{
    const real_int bits = lane_bits(b);
    return a > bits ? a : bits;
}

/* Force on target member % CLUSTER of a cluster. Called by whole warps. */
template <int cube>
MYR_FN uint32_t find_force(const myr_box_common &a, const void *point, const box_constants &k, lane limit, int cluster,
                           int member, double force[3])
{
    box_sum sum[CLUSTER][3] = {};
    real_int most = 0;
    const box_targets t = load_targets(a, point, cluster);
    each_source(a, point, cluster, member, [&](const box_point &p, int own) {
        MYR_UNROLL
        for (int i = 0; i < CLUSTER; i++) {
            box_pair pair;
            find_pair(k, t, i, p, cube, 0, pair);
            const int counts = !own || (i != member && cluster * CLUSTER + i < a.n);
            if (BOX_SUMS == 0)
                most = larger_bits(most, own && !counts ? K(0) : pair.at.y);
            if (pair.near && counts)
                add_pair(pair, sum[i]);
        }
    });
    uint32_t state = 0;
    box_sum total[3];
    MYR_UNROLL
    for (int c = 0; c < 3; c++)
        total[c] = sum_of_target(sum[0][c], sum[1][c], sum[2][c], sum[3][c], member);
#if BOX_SUMS == 0
    if (__any_sync(~0u, most > lane_bits(limit))) {
        int64_t lacking[3];
        state = correct_close<cube>(a, point, k.table, limit, cluster, member, lacking);
        MYR_UNROLL
        for (int c = 0; c < 3; c++)
            total[c] += (box_sum)lacking[c];
    }
#endif
    MYR_UNROLL
    for (int c = 0; c < 3; c++)
        force[c] = (double)(box_value)total[c] * a.scale[c];
    return state;
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

/* Moves particle i, and returns reasons to stop. */
MYR_FN uint32_t move_particle(const myr_box_step &a, const myr_box_slot &now, int32_t i, const double force[3])
{
    const myr_box_side &s = a.all.side[now.side];
    const double w = a.kick * s.inverse[i];
    const int32_t row = s.row[i];
    box_motion m;
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        m.v[c] = a.factor == 1 ? s.v[c][i] : s.v[c][i] * a.factor;
        m.q[c] = s.q[c][i];
    }
    double v2;
    if (BOX_LANGEVIN) {
        if (!a.first)
            box_motion_kick(&m, w, force);
        v2 = box_motion_kick(&m, w, force);
        box_motion_langevin(&m, a.seed, (uint64_t)a.all.id[row], a.number + now.made, a.keep,
                            sqrt(a.heat[now.made] * s.inverse[i]), a.drift);
    } else
        v2 = box_motion_kick_drift(&m, w, force, a.drift);
    box_point p;
    float way2 = 0;
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        s.v[c][i] = m.v[c];
        s.q[c][i] = m.q[c];
        p.x[c] = point_coordinate(m.q[c]);
        const float way = (float)(int32_t)((uint32_t)(m.q[c] >> 32) - a.all.old[c][i]) * a.displace[c];
        way2 += way * way;
    }
    p.type = BOX_TYPED ? (real_int)a.all.type[row] : 0;
    ((box_point *)a.all.point[1 - now.face])[i] = p;
    return (way2 < a.allowed2 ? 0 : MYR_BOX_EXPIRED) | (v2 < a.fastest2 ? 0 : MYR_BOX_REFUSED);
}

MYR_FN void end_step(const myr_box_step &a, const myr_box_slot &now, int32_t i, const double force[3])
{
    const myr_box_side &s = a.all.side[now.side];
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        a.all.f[c][i] = force[c];
        if (BOX_LANGEVIN && a.ends)
            s.v[c][i] = s.v[c][i] + a.kick * s.inverse[i] * force[c];
    }
}

template <int cube> MYR_FN void make_step(const myr_box_step &a)
{
    const myr_box_slot now = a.all.slot[0];
    if (now.state || (a.move && now.made >= a.all.most)) {
        pass_on(a.all.slot, now);
        return;
    }
    const int32_t thread = blockIdx.x * MYR_BOX_THREADS + threadIdx.x;
    const int cluster = a.evaluate ? thread / BOX_LANES : thread / CLUSTER;
    const int member = a.evaluate ? thread % BOX_LANES : thread % CLUSTER;
    const int32_t i = cluster * CLUSTER + member;
    double force[3];
    uint32_t state = 0;
    if (a.evaluate) {
        const real *table = share_table(a.all, 48 << 10);
        const lane limit = close_limit(a.all, now.crowd);
        state = find_force<cube>(a.all, a.all.point[now.face], prepare_constants(a.all, table), limit, cluster, member,
                                 force);
        if (BOX_SUMS == 0 && !(limit > K(0))) /* rows so long that no sum is proven to fit */
            state |= MYR_BOX_CLOSE;
    } else if (i < a.all.n)
        for (int c = 0; c < 3; c++)
            force[c] = a.all.f[c][i];
    if (member < CLUSTER && i < a.all.n) {
        if (a.move)
            state |= move_particle(a, now, i, force);
        else
            end_step(a, now, i, force);
    }
    if (state)
        atomicOr(&a.all.slot[1].state, state);
    if (!is_first_thread())
        return;
    a.all.slot[1].made = now.made + (a.move != 0);
    a.all.slot[1].side = now.side;
    a.all.slot[1].face = a.move ? 1 - now.face : now.face;
    a.all.slot[1].longest = now.longest;
    a.all.slot[1].crowd = now.crowd;
}

extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS, BOX_BLOCKS) box_step(const __grid_constant__ myr_box_step a)
{
    make_step<0>(a);
}

#if MYR_ARITH == MYR_ARITH_SINGLE && !BOX_ROOT
extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS, BOX_BLOCKS)
    box_step_cube(const __grid_constant__ myr_box_step a)
{
    make_step<1>(a);
}
#endif

/* --- a new list ------------------------------------------------------------------------------------------------------
 * Five launches, all of which read the same slot: count the particles of each bin, scan, place, sort the particles,
 * search. */

MYR_FN int is_wanted(const myr_box_list &a, const myr_box_slot &now)
{
    return !(now.state & ~(uint32_t)MYR_BOX_EXPIRED) && ((now.state & MYR_BOX_EXPIRED) || (a.always && now.made < a.all.most));
}

MYR_FN int32_t list_cell(const myr_box_list &a, int c, uint32_t q)
{
    return (int32_t)(((uint64_t)(q - a.low[c]) * a.factor[c]) >> 32);
}

MYR_FN int32_t list_column(const myr_box_list &a, int32_t x, int32_t y)
{
    return x * a.cells[1] + (x & 1 ? a.cells[1] - 1 - y : y);
}

extern "C" __global__ void __launch_bounds__(256) box_count(const __grid_constant__ myr_box_list a)
{
    const myr_box_slot now = a.all.slot[0];
    const int32_t i = blockIdx.x * 256 + threadIdx.x;
    if (!is_wanted(a, now) || i >= a.all.n)
        return;
    const myr_box_side &s = a.all.side[now.side];
    uint32_t q[3];
    for (int c = 0; c < 3; c++) {
        q[c] = (uint32_t)(s.q[c][i] >> 32);
        if (!a.all.periodic[c])
            continue;
        const uint32_t before = a.all.old[c][i];
        const int32_t way = (int32_t)(q[c] - before), crossed = (way > 0 && q[c] < before) - (way < 0 && q[c] > before);
        if (crossed)
            a.all.image[c][s.row[i]] += crossed;
    }
    const int32_t column = list_column(a, list_cell(a, 0, q[0]), list_cell(a, 1, q[1])), z = list_cell(a, 2, q[2]);
    const int32_t bin = column * a.cells[2] + (column & 1 ? a.cells[2] - 1 - z : z);
    a.bin[i] = bin;
    atomicAdd(&a.count[bin], 1);
}

/* Exclusive scan of 256 numbers by a block; *all receives their sum. */
MYR_FN int32_t scan_block(int32_t x, int32_t *all)
{
    __shared__ int32_t of_warp[8];
    int32_t up = x;
    MYR_UNROLL
    for (int far = 1; far < 32; far *= 2) {
        const int32_t other = __shfl_up_sync(~0u, up, far);
        up += (int)threadIdx.x % 32 >= far ? other : 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 31)
        of_warp[threadIdx.x / 32] = up;
    __syncthreads();
    int32_t below = 0, sum = 0;
    MYR_UNROLL
    for (int k = 0; k < 8; k++) {
        below += k < (int)threadIdx.x / 32 ? of_warp[k] : 0;
        sum += of_warp[k];
    }
    *all = sum;
    return below + up - x;
}

/* Blocks of MYR_BOX_SCAN bins: step 0 scans each, step 1 the sums of blocks (one block), step 2 adds these. */
extern "C" __global__ void __launch_bounds__(256) box_scan(const __grid_constant__ myr_box_list a)
{
    enum { EACH = MYR_BOX_SCAN / 256 };
    const myr_box_slot now = a.all.slot[0];
    if (!is_wanted(a, now))
        return;
    const int64_t first = (int64_t)blockIdx.x * MYR_BOX_SCAN + threadIdx.x * EACH;
    int32_t x[EACH], sum = 0, all;
    for (int k = 0; k < EACH; k++) {
        x[k] = first + k < a.bins ? a.count[first + k] : 0;
        sum += x[k];
    }
    int32_t below = scan_block(sum, &all);
    for (int k = 0; k < EACH; k++) {
        if (first + k <= a.bins)
            a.count[first + k] = below;
        below += x[k];
    }
    if (threadIdx.x == 0)
        a.part[blockIdx.x] = all;
}

extern "C" __global__ void __launch_bounds__(256) box_scan_parts(const __grid_constant__ myr_box_list a)
{
    const myr_box_slot now = a.all.slot[0];
    if (!is_wanted(a, now))
        return;
    const int32_t parts = a.bins / MYR_BOX_SCAN + 1;
    int32_t before = 0, all;
    for (int32_t first = 0; first < parts; first += 256) {
        const int32_t at = first + threadIdx.x, x = at < parts ? a.part[at] : 0;
        const int32_t below = scan_block(x, &all);
        if (at < parts)
            a.part[at] = before + below;
        before += all;
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(256) box_place(const __grid_constant__ myr_box_list a)
{
    const myr_box_slot now = a.all.slot[0];
    const int32_t i = blockIdx.x * 256 + threadIdx.x;
    if (!is_wanted(a, now) || i >= a.all.n)
        return;
    const int32_t bin = a.bin[i];
    a.order[a.count[bin] + a.part[bin / MYR_BOX_SCAN] + atomicAdd(&a.fill[bin], 1)] = i;
}

MYR_FN int32_t list_start(const myr_box_list &a, int32_t bin)
{
    return a.count[bin] + a.part[bin / MYR_BOX_SCAN];
}

/* Particles of a bin are in the order of their ids, whatever order the atomic additions had. */
extern "C" __global__ void __launch_bounds__(256) box_sort(const __grid_constant__ myr_box_list a)
{
    const myr_box_slot now = a.all.slot[0];
    const int32_t at = blockIdx.x * 256 + threadIdx.x;
    if (!is_wanted(a, now) || at >= a.all.n)
        return;
    const myr_box_side &from = a.all.side[now.side], &to = a.all.side[1 - now.side];
    const int32_t i = a.order[at], bin = a.bin[i], row = from.row[i];
    const int32_t first = list_start(a, bin), last = list_start(a, bin + 1);
    const int64_t id = a.all.id[row];
    int32_t place = first;
    for (int32_t k = first; k < last; k++)
        place += last - first > 1 && a.all.id[from.row[a.order[k]]] < id;
    box_point p;
    for (int c = 0; c < 3; c++) {
        const uint64_t q = from.q[c][i];
        to.q[c][place] = q;
        to.v[c][place] = from.v[c][i];
        a.all.old[c][place] = (uint32_t)(q >> 32);
        p.x[c] = point_coordinate(q);
    }
    p.type = BOX_TYPED ? (real_int)a.all.type[row] : 0;
    ((box_point *)a.all.point[now.face])[place] = p;
    to.inverse[place] = from.inverse[i];
    to.row[place] = row;
}

MYR_FN int32_t list_fold(int32_t cell, int32_t cells)
{
    return cell < 0 ? cell + cells : cell >= cells ? cell - cells : cell;
}

/* Bounds of a cluster, relative to its first particle. */
struct cluster_bounds {
    uint32_t at[3];
    float low[3], high[3]; /* in units of the upper halves of coordinates, as `base` */
    float off[CLUSTER][3], unit[3];
    float base[3]; /* place of the first particle in the grid */
    int is_wide;   /* 1 = differences from the first particle may pass half the box, or have too few digits */
};

MYR_FN uint32_t upper_half(real_int x)
{
    return (uint32_t)(MYR_ARITH == MYR_ARITH_DOUBLE ? (uint64_t)x >> 32 : (uint64_t)x);
}

MYR_FN cluster_bounds find_bounds(const myr_box_list &a, const void *point, int cluster)
{
    cluster_bounds b;
    MYR_UNROLL
    for (int i = 0; i < CLUSTER; i++) {
        const int32_t k = cluster * CLUSTER + i < a.all.n ? cluster * CLUSTER + i : cluster * CLUSTER;
        const box_point p = load_point(point, k);
        MYR_UNROLL
        for (int c = 0; c < 3; c++) {
            if (i == 0) {
                b.unit[c] = (float)(MYR_ARITH == MYR_ARITH_DOUBLE ? a.all.unit[c] * 0x1p32 : a.all.unit[c]);
                b.at[c] = upper_half(p.x[c]);
                b.base[c] = (float)(b.at[c] - a.low[c]);
                b.low[c] = b.high[c] = 0;
            }
            const float way = (float)(int32_t)(upper_half(p.x[c]) - b.at[c]);
            b.low[c] = fminf(b.low[c], way);
            b.high[c] = fmaxf(b.high[c], way);
            b.off[i][c] = way * b.unit[c];
        }
    }
    b.is_wide = 0;
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        const float reach = sqrtf(a.search2) / b.unit[c], furthest = fmaxf(b.high[c], -b.low[c]) + reach;
        b.is_wide |= furthest > 0x1p31f * 0.999f || furthest > 32.0f * reach;
    }
    return b;
}

/* Cells along an axis within `reach` of a cluster: `first` may be negative, and on periodic axes first + count may exceed
 * the number of cells. In floats, whose errors the slack exceeds. */
struct cell_range {
    int32_t first, count;
};

MYR_FN cell_range list_range(const myr_box_list &a, const cluster_bounds &b, int c, float reach)
{
    cell_range r;
    const float cells = (float)a.factor[c] * 0x1p-32f, more = a.slack[c] / b.unit[c] + 2.0f;
    int32_t first = (int32_t)floorf((b.base[c] + b.low[c] - reach - more) * cells);
    int32_t last = (int32_t)floorf((b.base[c] + b.high[c] + reach + more) * cells);
    if (!a.all.periodic[c]) {
        first = first < 0 ? 0 : first;
        last = last < a.cells[c] ? last : a.cells[c] - 1;
        first = first < a.cells[c] ? first : a.cells[c] - 1;
        last = last < first ? first : last;
    }
    const int is_part = last - first + 1 < a.cells[c];
    r.first = is_part ? first : 0;
    r.count = is_part ? last - first + 1 : a.cells[c];
    return r;
}

/* Gap between the cluster and cell `cell` (which may be beyond the ends of a periodic axis) along x or y. */
MYR_FN float column_gap(const myr_box_list &a, const cluster_bounds &b, int c, int32_t cell)
{
    const float low = (b.base[c] + b.low[c]) * b.unit[c], high = (b.base[c] + b.high[c]) * b.unit[c];
    const float left = (float)cell * a.width[c], right = left + a.width[c];
    return fmaxf(0.0f, fmaxf(left - high, low - right) - a.slack[c]);
}

/* Runs of particles in one column, within the search length of the cluster: two if the run passes the end of a periodic
 * axis. */
struct column_runs {
    int32_t start[2], length[2];
};

MYR_FN column_runs find_runs(const myr_box_list &a, const cluster_bounds &b, int32_t ux, int32_t uy, const cell_range *range)
{
    column_runs r = {{0, 0}, {0, 0}};
    const int32_t bins = a.cells[2];
    const int32_t column = list_column(a, list_fold(ux, a.cells[0]), list_fold(uy, a.cells[1]));
    const float gx = range[0].count < a.cells[0] ? column_gap(a, b, 0, ux) : 0.0f;
    const float gy = range[1].count < a.cells[1] ? column_gap(a, b, 1, uy) : 0.0f;
    const float left2 = a.search2 * 1.0001f - (gx * gx + gy * gy);
    if (!(left2 > 0.0f))
        return r;
    const cell_range z = list_range(a, b, 2, sqrtf(left2) / b.unit[2]);
    const int32_t first = z.count < bins ? list_fold(z.first, bins) : 0;
    for (int part = 0; part < 2; part++) {
        const int32_t past = first + z.count - bins; /* bins beyond the end */
        const int32_t from = part ? 0 : first, last = part ? past - 1 : past > 0 ? bins - 1 : first + z.count - 1;
        if (last < from)
            continue;
        const int32_t lower = column & 1 ? bins - 1 - last : from, upper = column & 1 ? bins - 1 - from : last;
        r.start[part] = list_start(a, column * bins + lower);
        r.length[part] = list_start(a, column * bins + upper + 1) - r.start[part];
    }
    return r;
}

/* nearest2 for wide clusters, by a difference of integers for each particle. Not hot. */
__device__ __noinline__ float nearest2_wide(const myr_box_list &a, const void *point, int cluster, const box_point &p)
{
    float least = INFINITY;
    for (int i = 0; i < CLUSTER && cluster * CLUSTER + i < a.all.n; i++) {
        const box_point target = load_point(point, cluster * CLUSTER + i);
        float r2 = 0;
        for (int c = 0; c < 3; c++) {
            const double unit = MYR_ARITH == MYR_ARITH_DOUBLE ? a.all.unit[c] * 0x1p32 : a.all.unit[c];
            const float d = (float)(int32_t)(upper_half(p.x[c]) - upper_half(target.x[c])) * (float)unit;
            r2 = fmaf(d, d, r2);
        }
        least = fminf(least, r2);
    }
    return least;
}

/* Square of the distance of a particle from the nearest of the cluster. */
MYR_FN float nearest2(const cluster_bounds &b, const box_point &p)
{
    float d[3], least = INFINITY;
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        d[c] = (float)(int32_t)(upper_half(p.x[c]) - b.at[c]) * b.unit[c];
    }
    MYR_UNROLL
    for (int i = 0; i < CLUSTER; i++) {
        const float x = d[0] - b.off[i][0], y = d[1] - b.off[i][1], z = d[2] - b.off[i][2];
        least = fminf(least, fmaf(x, x, fmaf(y, y, z * z)));
    }
    return least;
}

/* A warp for every cluster: its threads find the runs of particles in the columns around the cluster, write the places
 * of these particles to shared memory, and test them. */
extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS, 8) box_search(const __grid_constant__ myr_box_list a)
{
    enum { ROOM = 1024 };
    __shared__ int32_t candidates[MYR_BOX_THREADS / 32][ROOM];
    const myr_box_slot now = a.all.slot[0];
    if (!is_wanted(a, now)) {
        pass_on(a.all.slot, now);
        return;
    }
    if (is_first_thread()) {
        a.all.slot[1].made = now.made;
        a.all.slot[1].side = 1 - now.side;
        a.all.slot[1].face = now.face;
        atomicMax(&a.all.slot[1].longest, now.longest); /* of this list or an earlier one */
        atomicMax(&a.all.slot[1].crowd, now.crowd);
    }
    const int cluster = (blockIdx.x * MYR_BOX_THREADS + threadIdx.x) / 32, me = threadIdx.x % 32;
    if (cluster >= a.all.clusters)
        return;
    const cluster_bounds b = find_bounds(a, a.all.point[now.face], cluster);
    cell_range range[3];
    for (int c = 0; c < 2; c++)
        range[c] = list_range(a, b, c, sqrtf(a.search2) / b.unit[c]);
    const int32_t columns = range[0].count * range[1].count;
    int32_t *mine = candidates[threadIdx.x / 32], *entry = a.all.entry + (size_t)cluster * a.all.room;
    const void *points = a.all.point[now.face];
    const unsigned below = (1u << me) - 1, room = (unsigned)a.all.room;
    unsigned count = 0, crowd = 0;
    for (int32_t first = 0; first < columns; first += 32) {
        column_runs r = {{0, 0}, {0, 0}};
        if (first + me < columns)
            r = find_runs(a, b, range[0].first + (first + me) / range[1].count,
                          range[1].first + (first + me) % range[1].count, range);
        const int32_t length = r.length[0] + r.length[1];
        int32_t up = length;
        MYR_UNROLL
        for (int far = 1; far < 32; far *= 2) {
            const int32_t other = __shfl_up_sync(~0u, up, far);
            up += me >= far ? other : 0;
        }
        const int32_t total = __shfl_sync(~0u, up, 31), before = up - length;
        for (int32_t part = 0; part < total; part += ROOM) {
            /* candidates [part, part + ROOM) */
            for (int32_t k = before < part ? part - before : 0; k < length && before + k < part + ROOM; k++)
                mine[before + k - part] = k < r.length[0] ? r.start[0] + k : r.start[1] + (k - r.length[0]);
            __syncwarp();
            const int32_t here = total - part < ROOM ? total - part : ROOM;
            for (int32_t k = 0; k < here; k += 32) {
                /* particles of the cluster itself do not count; they fill the last round */
                const unsigned candidate = (unsigned)(k + me < here ? mine[k + me] : cluster * CLUSTER);
                const box_point p = load_point(points, (int32_t)candidate);
                const float r2 = b.is_wide ? nearest2_wide(a, points, cluster, p) : nearest2(b, p);
                const int near = r2 < a.search2 && candidate / CLUSTER != (unsigned)cluster;
                const unsigned found = __ballot_sync(~0u, near), place = count + __popc(found & below);
                crowd += near && r2 < a.near2;
                if (near && place < room)
                    entry[place] = (int32_t)candidate;
                count += __popc(found);
            }
            __syncwarp();
        }
    }
    MYR_UNROLL
    for (int far = 16; far > 0; far /= 2)
        crowd += __shfl_xor_sync(~0u, crowd, far);
    if (me != 0)
        return;
    crowd += CLUSTER - 1; /* those of the cluster itself */
    a.all.entries[cluster] = (int32_t)(count < room ? count : room);
    if (count > room)
        atomicOr(&a.all.slot[1].state, (uint32_t)MYR_BOX_FULL);
    if (count > now.longest) /* most clusters do not lengthen it */
        atomicMax(&a.all.slot[1].longest, count);
    if (crowd > now.crowd)
        atomicMax(&a.all.slot[1].crowd, crowd);
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

/* Energy and x_a F_b, as on the processor (short_range_loop.h). */
MYR_FN void box_terms(lane energy, const lane *d, const lane *force, lane *term)
{
    term[0] = energy;
    term[1] = d[0] * force[0];
    term[2] = d[1] * force[1];
    term[3] = d[2] * force[2];
    term[4] = d[1] * force[2];
    term[5] = d[0] * force[2];
    term[6] = d[0] * force[1];
}

/* Adds integers of the threads of a warp to a total, without overflow: low and high halves apart. */
MYR_FN void add_total(unsigned long long *total, int64_t x)
{
    uint64_t low = (uint32_t)x;
    int64_t high = x >> 32;
    MYR_UNROLL
    for (int far = 16; far > 0; far /= 2) {
        low += __shfl_xor_sync(~0u, (unsigned long long)low, far);
        high += __shfl_xor_sync(~0u, (long long)high, far);
    }
    if (threadIdx.x % 32 != 0)
        return;
    atomicAdd(total, (unsigned long long)low);
    atomicAdd(total + 1, (unsigned long long)high);
}

/* Energy and virial of all pairs, both particles of a pair counted; the forces as well. */
extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS) box_sums(const __grid_constant__ myr_box_sums a)
{
    const myr_box_slot now = a.all.slot[0];
    const int32_t thread = blockIdx.x * MYR_BOX_THREADS + threadIdx.x;
    const int cluster = thread / BOX_LANES, member = thread % BOX_LANES;
    int64_t sum[MYR_BOX_TERMS] = {};
    double plain[MYR_BOX_TERMS] = {};
    uint32_t state = 0;
    const real *table = share_table(a.all, 48 << 10);
    const box_constants k = prepare_constants(a.all, table);
    const void *point = a.all.point[now.face];
    const box_targets t = load_targets(a.all, point, cluster);
    each_source(a.all, point, cluster, member, [&](const box_point &p, int own) {
        for (int i = 0; i < CLUSTER; i++) {
            box_pair pair;
            if ((own && i == member) || cluster * CLUSTER + i >= a.all.n)
                continue;
            find_pair(k, t, i, p, 0, 1, pair);
            if (!pair.near)
                continue;
            lane force[3], term[MYR_BOX_TERMS];
            for (int c = 0; c < 3; c++)
                force[c] = pair.at.factor * pair.d[c];
            box_terms(pair.at.energy, pair.d, force, term);
            if (BOX_SUMS == 0 && !(pair.at.y <= K(CLOSE_LEAST)))
                state = MYR_BOX_CLOSE;
            for (int m = 0; m < MYR_BOX_TERMS; m++) {
                const double x = (double)term[m] * a.grid;
                if (BOX_SUMS != 0)
                    plain[m] += (double)term[m];
                else if (fabs(x) < 0x1p52)
                    sum[m] += __double2ll_rn(x);
                else
                    state = MYR_BOX_CLOSE;
            }
        }
    });
    for (int m = 0; m < MYR_BOX_TERMS; m++)
        if (BOX_SUMS == 0)
            add_total(a.total + 2 * m, sum[m]);
        else { /* in a fixed order: a part for every warp, added by the host */
            for (int far = 16; far > 0; far /= 2)
                plain[m] += __shfl_xor_sync(~0u, plain[m], far);
            if (threadIdx.x % 32 == 0)
                a.to[0][(size_t)(thread / 32) * MYR_BOX_TERMS + m] = plain[m];
        }
    if (state)
        atomicOr(&a.all.slot[0].state, state);
}

/* Numbers of pairs by the exponent of their repulsion, both particles of a pair counted (neighbour_unit.c). */
extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS) box_measure(const __grid_constant__ myr_box_sums a)
{
    __shared__ unsigned of_block[MYR_BOX_SIZES];
    const myr_box_slot now = a.all.slot[0];
    const int32_t thread = blockIdx.x * MYR_BOX_THREADS + threadIdx.x;
    const int cluster = thread / BOX_LANES, member = thread % BOX_LANES;
    if (threadIdx.x < MYR_BOX_SIZES)
        of_block[threadIdx.x] = 0;
    const real *table = share_table(a.all, 40 << 10);
    __syncthreads();
    const box_constants k = prepare_constants(a.all, table);
    const void *point = a.all.point[now.face];
    const box_targets t = load_targets(a.all, point, cluster);
    const real least = (real)ldexp(1.0, a.lowest), highest = (real)ldexp(1.0, a.lowest + MYR_BOX_SIZES);
    each_source(a.all, point, cluster, member, [&](const box_point &p, int own) {
        for (int i = 0; i < CLUSTER; i++) {
            box_pair pair;
            if ((own && i == member) || cluster * CLUSTER + i >= a.all.n)
                continue;
            find_pair(k, t, i, p, 0, 0, pair);
            const lane y = pair.c[CUT_SIGMA2] * (K(1) / pair.r2), y3 = y * y * y;
            const lane size = pair.c[CUT_EPSILON_48] * (y3 * y3);
            if (!pair.near || !(size >= least))
                continue;
            const int last = MYR_BOX_SIZES - 1;
            const int found = (double)size < (double)highest ? ilogb((double)size) - a.lowest : last;
            atomicAdd(&of_block[found < last ? found : last], 1u);
        }
    });
    __syncthreads();
    if (threadIdx.x < MYR_BOX_SIZES && of_block[threadIdx.x])
        atomicAdd(a.total + threadIdx.x, (unsigned long long)of_block[threadIdx.x]);
}

/* --- motion of all particles -------------------------------------------------------------------------------------- */

/* Velocity of particle i at the present time. */
MYR_FN void present_velocity(const myr_box_sums &a, const myr_box_slot &now, int32_t i, double v[3])
{
    const myr_box_side &s = a.all.side[now.side];
    for (int c = 0; c < 3; c++)
        v[c] = a.h == 0 ? s.v[c][i] : s.v[c][i] + a.h * s.inverse[i] * a.all.f[c][i];
}

/* Largest m v^2 (power 2) or (m v)^2 (power 1), as bits, which have the order of the numbers. */
extern "C" __global__ void __launch_bounds__(256) box_largest(const __grid_constant__ myr_box_sums a)
{
    const myr_box_slot now = a.all.slot[0];
    const int32_t i = blockIdx.x * 256 + threadIdx.x;
    double most = 0;
    if (i < a.all.n) {
        double v[3];
        present_velocity(a, now, i, v);
        const double mass = a.all.mass[a.all.side[now.side].row[i]];
        const double v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        most = mass * v2 * (a.power == 2 ? 1 : mass);
    }
    unsigned long long bits = (unsigned long long)__double_as_longlong(most);
    for (int far = 16; far > 0; far /= 2) {
        const unsigned long long other = __shfl_xor_sync(~0u, bits, far);
        bits = other > bits ? other : bits;
    }
    if (threadIdx.x % 32 == 0)
        atomicMax(a.total, bits);
}

/* power 2: kinetic tensor, sum of m v_a v_b; power 1: momentum, sum of m v. */
extern "C" __global__ void __launch_bounds__(256) box_kinetic(const __grid_constant__ myr_box_sums a)
{
    const myr_box_slot now = a.all.slot[0];
    const int32_t i = blockIdx.x * 256 + threadIdx.x;
    double v[3] = {0, 0, 0}, mass = 0;
    if (i < a.all.n) {
        present_velocity(a, now, i, v);
        mass = a.all.mass[a.all.side[now.side].row[i]];
    }
    const int first[6] = {0, 1, 2, 1, 0, 0}, second[6] = {0, 1, 2, 2, 2, 1};
    for (int k = 0; k < (a.power == 2 ? 6 : 3); k++) {
        const double term = a.power == 2 ? mass * (v[first[k]] * v[second[k]]) : mass * v[k];
        add_total(a.total + 2 * k, __double2ll_rn(term * a.scale));
    }
}

/* v = (v + h f / m) * factor - shift. */
extern "C" __global__ void __launch_bounds__(256) box_change(const __grid_constant__ myr_box_sums a)
{
    const myr_box_side &s = a.all.side[a.all.slot[0].side];
    const int32_t i = blockIdx.x * 256 + threadIdx.x;
    for (int c = 0; c < 3 && i < a.all.n; c++) {
        double v = s.v[c][i];
        v = a.h == 0 ? v : v + a.h * s.inverse[i] * a.all.f[c][i];
        v = a.factor == 1 ? v : v * a.factor;
        s.v[c][i] = a.shift[c] == 0 ? v : v - a.shift[c];
    }
}

/* Copies coordinates as bits (power 0), velocities (1) or forces (2) to the host's order in to[0], or forces back from
 * there (3). */
extern "C" __global__ void __launch_bounds__(256) box_fetch(const __grid_constant__ myr_box_sums a)
{
    const myr_box_slot now = a.all.slot[0];
    const myr_box_side &s = a.all.side[now.side];
    const int32_t i = blockIdx.x * 256 + threadIdx.x;
    if (i >= a.all.n)
        return;
    const int32_t row = s.row[i];
    for (int c = 0; c < 3; c++) {
        if (a.power == 0) {
            ((uint64_t *)a.to[0])[(size_t)c * a.all.n + row] = s.q[c][i];
            const uint32_t q = (uint32_t)(s.q[c][i] >> 32), before = a.all.old[c][i];
            const int32_t way = (int32_t)(q - before);
            const int32_t crossed = a.all.periodic[c] ? (way > 0 && q < before) - (way < 0 && q > before) : 0;
            a.image[c][row] = a.all.image[c][row] + crossed;
        } else if (a.power == 3)
            a.all.f[c][i] = a.to[0][(size_t)c * a.all.n + row];
        else
            a.to[0][(size_t)c * a.all.n + row] = a.power == 1 ? s.v[c][i] : a.all.f[c][i];
    }
}
