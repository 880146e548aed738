/* box.cuh - particles in a box, resident on a GPU: pair list, forces, steps. Compiled at run time with
 *   MYR_ARITH, MYR_LANE_BYTES   as in unit_prologue.h; MYR_LANE_BYTES is 0
 *   BOX_SUMS    0 = integer sums, 1 = sums of floats, 2 = sums of doubles
 *   BOX_TYPED   1 = several types; BOX_ROOT: 1 = treatments of the cutoff with square roots
 *   BOX_LANES   threads that share a cluster: 4, 8 or 16
 *   BOX_AHEAD   sources that are loaded ahead
 *   BOX_EXTERNAL   1 = with restraints, external fields or walls; BOX_OPEN: 1 = an axis is open
 *   BOX_EXACT   1 = steps are reversed exactly; BOX_DIVIDED: 1 = the box is divided among several ranks
 *   BOX_WHOLE   1 = velocities are those at the end of every step (box_bath.cuh)
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
#include "backend/exact_motion.h"

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

enum { CLUSTER = MYR_BOX_CLUSTER, CLOSE_LEAST = 1024 };
static_assert(CUT_CONSTANTS <= MYR_BOX_CONSTANTS, "a row of the table holds all constants of a pair of types");
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

/* Crossings of the boundary of a periodic axis since the last list. */
MYR_FN int32_t crossings(const myr_box_common &a, int c, int32_t i, uint64_t q)
{
    const uint32_t now = (uint32_t)(q >> 32), before = a.old[c][i];
    const int32_t way = (int32_t)(now - before);
    return a.periodic[c] ? (way > 0 && now < before) - (way < 0 && now > before) : 0;
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

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

/* Raises a total to the largest number of the threads of a warp, none of which is negative: as bits, which have the
 * order of the numbers. */
MYR_FN void raise_total(unsigned long long *total, double x)
{
    unsigned long long bits = (unsigned long long)__double_as_longlong(x);
    for (int far = 16; far > 0; far /= 2) {
        const unsigned long long other = __shfl_xor_sync(~0u, bits, far);
        bits = other > bits ? other : bits;
    }
    if (threadIdx.x % 32 == 0)
        atomicMax(total, bits);
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
    const int size = a.types * a.types * MYR_BOX_CONSTANTS;
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
    const real *row = k.table + (t.type[i] * k.types + (int)p.type) * MYR_BOX_CONSTANTS;
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

#include "backend/cuda/box_ranks.cuh"
#include "backend/cuda/box_fields.cuh"

/* --- steps -------------------------------------------------------------------------------------------------------- */

/* Moves particle i, whose velocity is multiplied by a factor first; returns reasons to stop. */
MYR_FN uint32_t move_particle(const myr_box_step &a, const myr_box_slot &now, int32_t i, double factor,
                              const double force[3], box_effect &effect)
{
    const myr_box_side &s = a.all.side[now.side];
    const double w = a.kick * s.inverse[i];
    const int32_t row = s.row[i];
    box_motion m;
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        m.v[c] = factor == 1 ? s.v[c][i] : s.v[c][i] * factor;
        m.q[c] = s.q[c][i];
    }
    double v2;
    if (BOX_LANGEVIN) {
        if (!a.first)
            box_motion_kick(&m, w, force);
        v2 = box_motion_kick(&m, w, force);
        const double before[3] = {m.v[0], m.v[1], m.v[2]};
        box_motion_drift(&m, a.drift);
        reflect_particle(a.all, row, m, effect);
        box_motion_shake(m.v, a.seed, (uint64_t)a.all.id[row], a.number + now.made, a.keep,
                         sqrt(a.heat[now.made] * s.inverse[i]));
        effect.fastest2 = BOX_OPEN ? box_motion_way2(before, m.v, has_mirrors(a.all)) : 0.0;
        box_motion_drift(&m, a.drift);
        reflect_particle(a.all, row, m, effect);
    } else if (BOX_EXACT) {
        v2 = 0;
        MYR_UNROLL
        for (int c = 0; c < 3; c++) {
            m.v[c] = exact_kick(m.v[c], w, force[c], a.halves, a.all.magic);
            v2 += m.v[c] * m.v[c];
        }
        effect.fastest2 = v2;
        box_motion_drift(&m, a.drift);
        reflect_particle(a.all, row, m, effect);
    } else {
        effect.fastest2 = v2 = box_motion_kick_drift(&m, w, force, a.drift);
        reflect_particle(a.all, row, m, effect);
    }
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
    effect.way2 = way2;
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

/* Leaves the state for the next launch; moved: 1 = the particles have moved. */
MYR_FN void leave_slot(const myr_box_common &a, const myr_box_slot &now, uint32_t state, int moved)
{
    if (state)
        atomicOr(&a.slot[1].state, state);
    if (!is_first_thread())
        return;
    a.slot[1].made = now.made + moved;
    a.slot[1].side = now.side;
    a.slot[1].face = moved ? 1 - now.face : now.face;
    a.slot[1].longest = now.longest;
    a.slot[1].crowd = now.crowd;
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
    box_effect effect = {};
    if (a.evaluate) {
        const real *table = share_table(a.all, MYR_BOX_SHARED);
        const lane limit = close_limit(a.all, now.crowd);
        state = find_force<cube>(a.all, a.all.point[now.face], prepare_constants(a.all, table), limit, cluster, member,
                                 force);
        if (BOX_SUMS == 0 && !(limit > K(0))) /* rows so long that no sum is proven to fit */
            state |= MYR_BOX_CLOSE;
    } else if (i < a.all.n)
        for (int c = 0; c < 3; c++)
            force[c] = a.all.f[c][i];
    if (member < CLUSTER && i < a.all.n && is_own(a.all, now.side, i)) {
        if (BOX_EXTERNAL && a.evaluate)
            add_external(a, now, i, force, effect);
        if (a.move)
            state |= move_particle(a, now, i, 1.0, force, effect);
        else
            end_step(a, now, i, force);
    }
    store_effect(a.all, effect);
    leave_slot(a.all, now, state, a.move != 0);
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

#include "backend/cuda/box_list.cuh"
#include "backend/cuda/box_sums.cuh"
#include "backend/cuda/box_good.cuh"
#include "backend/cuda/box_fire.cuh"
#if BOX_WHOLE
#include "backend/cuda/box_bath.cuh"
#endif
#include "backend/cuda/box_check.cuh"
