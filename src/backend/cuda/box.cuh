/* box.cuh - particles in a box, resident on a GPU: pair list, forces, steps. Compiled at run time with
 *   MYR_ARITH, MYR_LANE_BYTES   as in unit_prologue.h; MYR_LANE_BYTES is 0
 *   BOX_SUMS    0 = integer sums, 1 = sums of floats, 2 = sums of doubles
 *   BOX_TYPED   1 = several types, 2 = so many that their constants do not fit in shared memory
 *   BOX_ROOT    1 = treatments of the cutoff with square roots
 *   BOX_LANES   threads that share a cluster: 4 or 8; BOX_GROUP: clusters whose rows a warp finds at once
 *   BOX_EXTERNAL   1 = with restraints, external fields or walls; BOX_OPEN: 1 = an axis is open
 *   BOX_EXACT   1 = steps are reversed exactly; BOX_DIVIDED: 1 = the box is divided among several ranks
 *   BOX_WHOLE   1 = velocities are those at the end of every step (box_bath.cuh)
 *   BOX_LANGEVIN   1 = with Langevin dynamics; BOX_BLOCKS: blocks per multiprocessor for which registers must suffice
 *   MYR_KERNEL, MYR_KERNEL_FILE   kernel written by a user in place of Lennard-Jones (kernel/box_formula.h), its header
 *
 * Particles are sorted into columns along z in serpentine order, as on the processor (backend/short_range.h); four
 * consecutive ones are a cluster. A row of the list has every particle within the search length of one of the four.
 * Each thread of a cluster keeps the four targets in registers and takes every BOX_LANES-th source, so that a pair
 * costs a quarter of a load. Every pair is evaluated for both of its particles: there are no atomic additions.
 *
 * Integer sums do not depend on the order. In portable arithmetic a force is rounded to integers component by
 * component, as on the processor, and has its bits. Otherwise the factor of the distance vector is rounded, and
 * multiplied by the integer coordinates: one conversion per pair instead of three, which a GPU does at an eighth of the
 * rate of other instructions. Both are antisymmetric. */
#include "backend/unit_prologue.h"

#include "backend/cuda/box_args.h"
#include "backend/guard.h"
#include "core/random_inside.h"
#ifdef MYR_KERNEL
#include "kernel/box_formula.h"
#else
#include "kernel/lennard_jones_cut.h"
#endif
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

#ifdef MYR_KERNEL
enum { PAIR_CONSTANTS = FORMULA_CONSTANTS };
#else
enum { PAIR_CONSTANTS = CUT_CONSTANTS };
#endif
enum { CLUSTER = MYR_BOX_CLUSTER, CLOSE_LEAST = 1024 };
/* A step is to be made again with care; no state of a slot. */
enum { MYR_BOX_AGAIN = 1 << 30 };
static_assert(PAIR_CONSTANTS <= MYR_BOX_CONSTANTS, "a row of the table holds all constants of a pair of types");
/* 1 = there is a faster loop for boxes with equal edges (box_cube.cuh). */
#if MYR_ARITH == MYR_ARITH_SINGLE && !BOX_ROOT && !defined(MYR_KERNEL)
#define BOX_CUBE 1
#else
#define BOX_CUBE 0
#endif
#define BOX_PORTABLE (MYR_ARITH == MYR_ARITH_PORTABLE || MYR_ARITH == MYR_ARITH_DOUBLE)

struct __align__(4 * sizeof(real)) box_point
{
    real_int x[3];
    real_int type;
};

/* Constants of a pair of types that are loaded at once. */
struct __align__(16) box_quad
{
    real c[4];
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

/* Loads a point in pieces of 16 bytes. Not by __ldg: the launch before this one may still write points. */
MYR_FN box_point load_point(const void *point, int32_t i)
{
    box_point p;
    int4 piece[sizeof p / sizeof(int4)];
    const int4 *from = (const int4 *)((const box_point *)point + i);
    MYR_UNROLL
    for (int k = 0; k < (int)(sizeof p / sizeof(int4)); k++)
        piece[k] = from[k];
    memcpy(&p, piece, sizeof p);
    return p;
}

/* Kernels of steps and lists are launched while the one before them ends. Each waits here before it reads anything that
 * another may write, and lets the next one be launched. */
MYR_FN void wait_for_last(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
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

/* Crossings of the boundary of a periodic axis between two upper halves of a coordinate. */
MYR_FN int32_t crossings_between(const myr_box_common &a, int c, uint32_t before, uint32_t now)
{
    const int32_t way = (int32_t)(now - before);
    return a.periodic[c] ? (way > 0 && now < before) - (way < 0 && now > before) : 0;
}

/* Crossings since the place for which the list was built, whose image is in a.image. */
MYR_FN int32_t crossings(const myr_box_common &a, int c, int32_t i, uint64_t q)
{
    return crossings_between(a, c, a.old[c][i], (uint32_t)(q >> 32));
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

/* Sum of 64-bit integers, low and high halves apart so that it does not overflow. */
struct wide_sum {
    uint64_t low;
    int64_t high;
};

MYR_FN void add_wide(wide_sum &sum, int64_t x)
{
    sum.low += (uint32_t)x;
    sum.high += x >> 32;
}

/* Adds the sums of the threads of a warp to a total. */
MYR_FN void store_wide(unsigned long long *total, wide_sum sum)
{
    MYR_UNROLL
    for (int far = 16; far > 0; far /= 2) {
        sum.low += __shfl_xor_sync(~0u, (unsigned long long)sum.low, far);
        sum.high += __shfl_xor_sync(~0u, (long long)sum.high, far);
    }
    if (threadIdx.x % 32 != 0)
        return;
    atomicAdd(total, (unsigned long long)sum.low);
    atomicAdd(total + 1, (unsigned long long)sum.high);
}

MYR_FN void add_total(unsigned long long *total, int64_t x)
{
    wide_sum sum = {0, 0};
    add_wide(sum, x);
    store_wide(total, sum);
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
    if (threadIdx.x % 32 == 0 && bits > __ldcg(total)) /* most warps do not raise it */
        atomicMax(total, bits);
}

/* --- pairs -------------------------------------------------------------------------------------------------------- */

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

/* --- points on their way ---------------------------------------------------------------------------------------------
 * The points of the next four sources of a thread are copied to shared memory while others are used. A thread reads
 * only what it has asked for. Loads to registers would share the few counters that a warp can wait for. */

enum { AHEAD = MYR_BOX_PIECE };

struct box_ring {
    int4 place[AHEAD][sizeof(box_point) / sizeof(int4)][MYR_BOX_THREADS];
};

__shared__ box_ring ring;

/* Begins the copy of a point; copies that began since the last call of end_copies arrive together. */
MYR_FN void copy_point(int k, const void *point, int32_t i)
{
    const int4 *from = (const int4 *)((const box_point *)point + i);
    MYR_UNROLL
    for (int part = 0; part < (int)(sizeof(box_point) / sizeof(int4)); part++) {
        int4 *to = &ring.place[k][part][threadIdx.x];
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                     "l"(__cvta_generic_to_global(from + part))
                     : "memory");
#else
        *to = from[part];
#endif
    }
}

MYR_FN void end_copies(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until all but the last `rest` groups of copies have arrived. */
template <int rest> MYR_FN void wait_copies(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(rest) : "memory");
#endif
}

MYR_FN box_point read_point(int k)
{
    box_point p;
    int4 piece[sizeof p / sizeof(int4)];
    MYR_UNROLL
    for (int part = 0; part < (int)(sizeof p / sizeof(int4)); part++)
        piece[part] = ring.place[k][part][threadIdx.x];
    memcpy(&p, piece, sizeof p);
    return p;
}

/* Asks for a point. */
MYR_FN void ask_point(int k, const void *point, int32_t i)
{
    copy_point(k, point, i);
    end_copies();
}

/* Takes the point that was asked for first, of AHEAD. */
MYR_FN box_point take_point(int k)
{
    wait_copies<AHEAD - 1>();
    return read_point(k);
}

/* Sources of one thread: those of its own cluster, then its pieces of the row. `use` is called with a point, and 1 for
 * members of the cluster. Entries past the end of the row are read too, and not used: they are 0 or belong to other
 * rows or an earlier list. */
template <class function>
MYR_FN void each_source(const myr_box_common &a, const void *point, int cluster, int member, function use)
{
    enum { TURN = MYR_BOX_PIECE * BOX_LANES };
    const int32_t own = cluster * CLUSTER + member;
    const int has_row = cluster < a.clusters;
    const int4 *row = (const int4 *)(a.entry + (size_t)(has_row ? cluster : 0) * a.room) + member;
    const int count = has_row ? a.entries[cluster] : 0;
    int4 piece = *row;
    box_point mine = load_point(point, own < a.n ? own : 0);
    ask_point(0, point, piece.x);
    ask_point(1, point, piece.y);
    ask_point(2, point, piece.z);
    ask_point(3, point, piece.w);
    piece = row[BOX_LANES];
    if (member < CLUSTER && own < a.n)
        use(mine, 1);
    for (int left = count - member; left > 0; left -= TURN) {
        row += BOX_LANES;
        const int4 next = row[BOX_LANES];
        box_point p = take_point(0);
        use(p, 0);
        ask_point(0, point, piece.x);
        if (left > BOX_LANES) {
            p = take_point(1);
            use(p, 0);
            ask_point(1, point, piece.y);
        }
        if (left > 2 * BOX_LANES) {
            p = take_point(2);
            use(p, 0);
            ask_point(2, point, piece.z);
        }
        if (left > 3 * BOX_LANES) {
            p = take_point(3);
            use(p, 0);
            ask_point(3, point, piece.w);
        }
        piece = next;
    }
    wait_copies<0>();
}

template <int cube> MYR_FN box_targets load_targets(const myr_box_common &a, const void *point, int cluster)
{
    box_targets t;
    MYR_UNROLL
    for (int i = 0; i < CLUSTER; i++) {
        const int32_t at = cluster * CLUSTER + i;
        const box_point p = load_point(point, at < a.n ? at : a.n - 1);
        MYR_UNROLL
        for (int c = 0; c < 3; c++)
            t.x[i][c] = p.x[c];
        t.row[i] = BOX_TYPED ? (int)p.type * table_row(a, cube) : 0;
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
MYR_FN uint32_t correct_close(const myr_box_common &a, const void *point, const real *table, lane limit, int cluster,
                              int member, int64_t lacking[3])
{
    const box_constants k = prepare_constants(a, table);
    __int128 lack[CLUSTER][3] = {};
    uint32_t state = 0;
    const box_targets t = load_targets<cube>(a, point, cluster);
    each_source(a, point, cluster, member, [&](const box_point &p, int own) {
        for (int i = 0; i < CLUSTER; i++) {
            box_pair pair;
            if ((own && i == member) || cluster * CLUSTER + i >= a.n)
                continue;
            find_pair(k, t, i, p, cube, 0, pair);
            if (!(pair_closeness(pair, cube) > limit) || !pair.near)
                continue;
            if (!pair_fits(a, cube, pair)) {
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

/* Sums of the four targets of a cluster over the sources of one thread. */
struct box_sums_of {
    box_sum sum[CLUSTER][3];
    real_int most; /* bits of the largest (sigma/r)^2; of box_cube.cuh: the largest factor */
};

template <int cube>
MYR_FN void sum_pairs(const myr_box_common &a, const void *point, const box_constants &k, int cluster, int member,
                      box_sums_of &s)
{
    const box_targets t = load_targets<cube>(a, point, cluster);
    MYR_UNROLL
    for (int i = 0; i < CLUSTER; i++)
        s.sum[i][0] = s.sum[i][1] = s.sum[i][2] = 0;
    s.most = 0;
    each_source(a, point, cluster, member, [&](box_point &p, int own) {
        pin(p.type); /* all words of a load stay in use: otherwise a register of it is written again while it waits */
        MYR_UNROLL
        for (int i = 0; i < CLUSTER; i++) {
            box_pair pair;
            find_pair(k, t, i, p, cube, 0, pair);
            const int counts = !own || (i != member && cluster * CLUSTER + i < a.n);
            if (BOX_SUMS == 0)
                s.most = larger_bits(s.most, own && !counts ? K(0) : pair.at.y);
            add_pair(pair, pair.near && counts, s.sum[i]);
        }
    });
}

#if BOX_CUBE
#include "backend/cuda/box_cube.cuh"
#endif

/* Force on target member % CLUSTER of a cluster, from the sums of all its threads. Called by whole warps. */
MYR_FN void find_force(const myr_box_common &a, const box_sums_of &s, const int64_t *lacking, int member,
                       double force[3])
{
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        box_sum total = sum_of_target(s.sum[0][c], s.sum[1][c], s.sum[2][c], s.sum[3][c], member);
        if (BOX_SUMS == 0)
            total += (box_sum)lacking[c];
        force[c] = (double)(box_value)total * a.scale[c];
    }
}

#include "backend/cuda/box_ranks.cuh"
#include "backend/cuda/box_fields.cuh"

/* --- steps -------------------------------------------------------------------------------------------------------- */

/* What a step reads of a particle. */
struct box_particle {
    box_motion m;
    double inverse; /* 1/mass */
    int32_t row;
    uint32_t old[3];
};

MYR_FN void load_particle(const myr_box_common &a, const myr_box_slot &now, int32_t i, box_particle &p)
{
    const myr_box_side &s = a.side[now.side];
    p.inverse = s.inverse[i];
    p.row = s.row[i];
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        p.m.v[c] = s.v[c][i];
        p.m.q[c] = s.q[c][i];
        p.old[c] = a.old[c][i];
    }
}

/* Moves particle i, whose velocity is multiplied by a factor first; returns reasons to stop. */
MYR_FN uint32_t move_particle(const myr_box_step &a, const myr_box_slot &now, int32_t i, const box_particle &from,
                              double factor, const double force[3], box_effect &effect)
{
    const myr_box_side &s = a.all.side[now.side];
    const double w = a.kick * from.inverse;
    const int32_t row = from.row;
    box_motion m = from.m;
    MYR_UNROLL
    for (int c = 0; c < 3; c++)
        m.v[c] = factor == 1 ? m.v[c] : m.v[c] * factor;
    double v2;
    if (BOX_LANGEVIN) {
        if (!a.first)
            box_motion_kick(&m, w, force);
        v2 = box_motion_kick(&m, w, force);
        const double before[3] = {m.v[0], m.v[1], m.v[2]};
        box_motion_drift(&m, a.drift);
        reflect_particle(a.all, row, m, effect);
        box_motion_shake(m.v, a.seed, (uint64_t)a.all.id[row], a.number + now.made, a.keep,
                         sqrt(a.heat[now.made] * from.inverse));
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
        const float way = (float)(int32_t)((uint32_t)(m.q[c] >> 32) - from.old[c]) * a.displace[c];
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

/* Step of particle i with a force, or the end of the steps. */
MYR_FN uint32_t step_particle(const myr_box_step &a, const myr_box_slot &now, int32_t i, const box_particle &particle,
                              double force[3], box_effect &effect)
{
    if (BOX_EXTERNAL)
        add_external(a, now, i, force, effect);
    MYR_UNROLL
    for (int c = 0; c < 3; c++)
        a.all.pull[c][i] = (float)(force[c] * particle.inverse);
    if (a.move)
        return move_particle(a, now, i, particle, 1.0, force, effect);
    end_step(a, now, i, force);
    return 0;
}

/* Forces on the particles of the clusters of a warp, and their step. Called by whole warps; returns reasons to stop.
 * Without `careful` clusters that have pairs beyond the limit, or are wide, are left as they are, and the answer is
 * MYR_BOX_AGAIN. */
template <int cube, int careful>
MYR_FN uint32_t step_clusters(const myr_box_step &a, const myr_box_slot &now, const box_constants &k, lane limit)
{
    const int32_t thread = blockIdx.x * MYR_BOX_THREADS + threadIdx.x;
    const int cluster = thread / BOX_LANES, member = thread % BOX_LANES;
    const void *point = a.all.point[now.face];
    uint32_t state = 0;
    box_sums_of sums;
    int64_t lacking[3] = {0, 0, 0};
#if BOX_CUBE
    if (cube && !careful) {
        if (!sum_cube(a.all, point, k, cluster, member, sums))
            return MYR_BOX_AGAIN;
    } else
#endif
        sum_pairs<cube>(a.all, point, k, cluster, member, sums);
#if BOX_SUMS == 0
    if (careful)
        state = correct_close<cube>(a.all, point, k.table, limit, cluster, member, lacking);
    else if (__any_sync(~0u, sums.most > (cube ? (real_int)limit : lane_bits(limit))))
        return MYR_BOX_AGAIN;
#endif
    const int32_t i = cluster * CLUSTER + member;
    const int is_mine = member < CLUSTER && i < a.all.n && is_own(a.all, now.side, i);
    box_particle particle;
    box_effect effect = {};
    double force[3];
    if (is_mine)
        load_particle(a.all, now, i, particle); /* in time for the move */
    find_force(a.all, sums, lacking, member, force);
    if (is_mine)
        state |= step_particle(a, now, i, particle, force, effect);
    store_effect(a.all, effect);
    return state;
}

/* The same for all clusters. Not hot: nothing of the loop above is kept in registers for it. */
template <int cube>
__device__ __noinline__ uint32_t step_carefully(const myr_box_step &a, const real *table, lane limit)
{
    const myr_box_slot now = a.all.slot[0];
    return step_clusters<cube, 1>(a, now, prepare_constants(a.all, table), limit);
}

/* 1 if a launch has nothing to do. */
MYR_FN int is_over(const myr_box_step &a, const myr_box_slot &now)
{
    return now.state || (a.move && now.made >= a.all.most);
}

template <int cube> MYR_FN void make_step(const myr_box_step &a)
{
    wait_for_last();
    const myr_box_slot now = a.all.slot[0];
    if (is_over(a, now)) {
        pass_on(a.all.slot, now);
        return;
    }
    const box_constants k = prepare_constants(a.all, share_table<cube>(a.all));
    const lane limit = close_limit(a.all, cube, now.crowd);
    uint32_t state = step_clusters<cube, 0>(a, now, k, limit);
    if ((BOX_SUMS == 0 || cube) && state == MYR_BOX_AGAIN)
        state = step_carefully<cube>(a, k.table, limit);
    if (BOX_SUMS == 0 && !(limit > K(0))) /* rows so long that no sum is proven to fit */
        state |= MYR_BOX_CLOSE;
    leave_slot(a.all, now, state, a.move != 0);
}

extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS, BOX_BLOCKS)
    box_step(const __grid_constant__ myr_box_step a)
{
    make_step<0>(a);
}

#if BOX_CUBE
extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS, BOX_BLOCKS)
    box_step_cube(const __grid_constant__ myr_box_step a)
{
    make_step<1>(a);
}
#endif

/* The first step of a call, with the forces that are there. */
extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS) box_first_step(const __grid_constant__ myr_box_step a)
{
    wait_for_last();
    const myr_box_slot now = a.all.slot[0];
    if (is_over(a, now)) {
        pass_on(a.all.slot, now);
        return;
    }
    const int32_t i = blockIdx.x * MYR_BOX_THREADS + threadIdx.x;
    uint32_t state = 0;
    box_effect effect = {};
    if (i < a.all.n && is_own(a.all, now.side, i)) {
        const double force[3] = {a.all.f[0][i], a.all.f[1][i], a.all.f[2][i]};
        box_particle particle;
        load_particle(a.all, now, i, particle);
        state = move_particle(a, now, i, particle, 1.0, force, effect);
    }
    store_effect(a.all, effect);
    leave_slot(a.all, now, state, 1);
}

#include "backend/cuda/box_list.cuh"
#include "backend/cuda/box_sums.cuh"
#include "backend/cuda/box_good.cuh"
#include "backend/cuda/box_fire.cuh"
#if BOX_WHOLE
#include "backend/cuda/box_bath.cuh"
#endif
#include "backend/cuda/box_check.cuh"
