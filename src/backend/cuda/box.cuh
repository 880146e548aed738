/* box.cuh - particles in a box, resident on a GPU: pair list, forces, steps. Compiled at run time with
 *   MYR_ARITH, MYR_LANE_BYTES   as in unit_prologue.h; MYR_LANE_BYTES is 0
 *   BOX_SUMS    0 = integer sums, 1 = sums of floats, 2 = sums of doubles
 *   BOX_TYPED   1 = several types, 2 = so many that their constants do not fit in shared memory
 *   BOX_ROOT    1 = treatments of the cutoff with square roots
 *   BOX_LANES   threads that share a cluster: 4 or 8; BOX_GROUP: clusters whose rows a warp finds at once
 *   BOX_EXTERNAL   1 = with restraints, external fields or walls; BOX_OPEN: 1 = an axis is open
 *   BOX_EXACT   1 = steps are reversed exactly; BOX_DIVIDED: 1 = the box is divided among several ranks
 *   BOX_TASKS   1 = one kernel makes steps and lists, as the state says that the last launch left
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

#include "backend/cuda/box_common.cuh"
#include "backend/cuda/box_pairs.cuh"
#include "backend/cuda/box_ring.cuh"

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
    const int high = member & 2, odd = member & 1;
    number even_sum = high ? c : a, odd_sum = high ? d : b;
    even_sum += __shfl_xor_sync(~0u, high ? a : c, 2);
    odd_sum += __shfl_xor_sync(~0u, high ? b : d, 2);
    const number sent = odd ? even_sum : odd_sum;
    number sum = (odd ? odd_sum : even_sum) + __shfl_xor_sync(~0u, sent, 1);
    MYR_UNROLL
    for (int far = CLUSTER; far < BOX_LANES; far *= 2)
        sum += __shfl_xor_sync(~0u, sum, far);
    return sum;
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
    each_source(a, point, cluster, member, [&](const box_point &p, int own, int32_t) {
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
    each_source(a, point, cluster, member, [&](box_point &p, int own, int32_t) {
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
    float spare;
    real_int type;
};

/* point: points with its type; null = there are none yet. */
MYR_FN void load_particle(const myr_box_common &a, const myr_box_slot &now, const void *point, int32_t i,
                          box_particle &p)
{
    const myr_box_side &s = a.side[now.side];
    p.inverse = s.inverse[i];
    p.row = s.row[i];
    p.spare = a.spare[i];
    p.type = !BOX_TYPED ? 0 : point ? ((const box_point *)point)[i].type : (real_int)a.type[p.row];
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        p.m.v[c] = s.v[c][i];
        p.m.q[c] = s.q[c][i];
        p.old[c] = a.old[c][i];
    }
}

/* Moves particle i, whose velocity is multiplied by a factor first; returns reasons to stop. first: 1 = in the first
 * step of a call, whose forces were there, and whose velocities are those at the end of a step in Langevin dynamics. */
MYR_FN uint32_t move_particle(const myr_box_step &a, const myr_box_slot &now, int32_t i, const box_particle &from,
                              int first, double factor, const double force[3], box_effect &effect)
{
    const myr_box_side &s = a.all.side[now.side];
    const double w = (first ? a.first_kick : a.kick) * from.inverse;
    const int32_t row = from.row;
    box_motion m = from.m;
    MYR_UNROLL
    for (int c = 0; c < 3; c++)
        m.v[c] = factor == 1 ? m.v[c] : m.v[c] * factor;
    double v2;
    if (BOX_LANGEVIN) {
        if (!first)
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
            m.v[c] = exact_kick(m.v[c], w, force[c], first ? a.first_halves : a.halves, a.all.magic);
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
    p.type = from.type;
    ((box_point *)a.all.point[1 - now.face])[i] = p;
    return (way2 < from.spare ? 0 : MYR_BOX_EXPIRED) | (v2 < a.fastest2 ? 0 : MYR_BOX_REFUSED);
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
    a.slot[1].task = BOX_TASKS && !moved ? MYR_BOX_DONE : MYR_BOX_STEP;
    a.slot[1].side = now.side;
    a.slot[1].face = moved ? 1 - now.face : now.face;
    a.slot[1].longest = now.longest;
    a.slot[1].crowd = now.crowd;
}

/* 1 if the launch makes a step, 0 if it evaluates the forces at the end of the last one. */
MYR_FN int does_move(const myr_box_step &a, const myr_box_slot &now)
{
    return BOX_TASKS ? now.made < a.all.most : a.move;
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
    if (does_move(a, now))
        return move_particle(a, now, i, particle, 0, 1.0, force, effect);
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
        load_particle(a.all, now, point, i, particle); /* in time for the move */
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

template <int cube> MYR_FN void make_step(const myr_box_step &a, const myr_box_slot &now)
{
    const box_constants k = prepare_constants(a.all, share_table<cube>(a.all));
    const lane limit = close_limit(a.all, cube, now.crowd);
    uint32_t state = step_clusters<cube, 0>(a, now, k, limit);
    if ((BOX_SUMS == 0 || cube) && state == MYR_BOX_AGAIN)
        state = step_carefully<cube>(a, k.table, limit);
    if (BOX_SUMS == 0 && !(limit > K(0))) /* rows so long that no sum is proven to fit */
        state |= MYR_BOX_CLOSE;
    leave_slot(a.all, now, state, does_move(a, now));
}

/* The first step of a call, with the forces that are there; the list may have expired. */
MYR_FN void make_first_step(const myr_box_step &a, const myr_box_slot &now)
{
    const int32_t i = blockIdx.x * MYR_BOX_THREADS + threadIdx.x;
    uint32_t state = is_first_thread() ? now.state : 0;
    box_effect effect = {};
    if (i < a.all.n && is_own(a.all, now.side, i)) {
        const double force[3] = {a.all.f[0][i], a.all.f[1][i], a.all.f[2][i]};
        box_particle particle;
        load_particle(a.all, now, 0, i, particle);
        state |= move_particle(a, now, i, particle, 1, 1.0, force, effect);
    }
    store_effect(a.all, effect);
    leave_slot(a.all, now, state, 1);
}

#include "backend/cuda/box_list.cuh"

/* --- launches ----------------------------------------------------------------------------------------------------- */

#if BOX_TASKS
/* What the slot says: a step, or a part of a new list. */
template <int cube> MYR_FN void take_turn(const myr_box_turn &a)
{
    wait_for_last();
    const myr_box_slot now = a.step.all.slot[0];
    const int32_t task = myr_box_task(&now);
    if (is_first_thread())
        a.step.all.slot[1].time = device_time();
    if (task == MYR_BOX_STEP)
        make_step<cube>(a.step, now);
    else if (task == MYR_BOX_FIRST)
        make_first_step(a.step, now);
    else if (task == MYR_BOX_DONE)
        pass_on(a.step.all.slot, now, now.task);
    else
        list_part(a.list, now, task);
}

typedef myr_box_turn box_launch;
#else
/* 1 if a launch has nothing to do. */
MYR_FN int is_over(const myr_box_step &a, const myr_box_slot &now)
{
    return now.state || (a.move && now.made >= a.all.most);
}

template <int cube> MYR_FN void take_turn(const myr_box_step &a)
{
    wait_for_last();
    const myr_box_slot now = a.all.slot[0];
    if (is_over(a, now))
        pass_on(a.all.slot, now, now.task);
    else
        make_step<cube>(a, now);
}

typedef myr_box_step box_launch;

extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS) box_first_step(const __grid_constant__ myr_box_step a)
{
    wait_for_last();
    const myr_box_slot now = a.all.slot[0];
    if (is_over(a, now))
        pass_on(a.all.slot, now, now.task);
    else
        make_first_step(a, now);
}
#endif

extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS, BOX_BLOCKS) box_step(const __grid_constant__ box_launch a)
{
    take_turn<0>(a);
}

#if BOX_CUBE
extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS, BOX_BLOCKS)
    box_step_cube(const __grid_constant__ box_launch a)
{
    take_turn<1>(a);
}
#endif

#include "backend/cuda/box_sums.cuh"
#include "backend/cuda/box_good.cuh"
#include "backend/cuda/box_counts.cuh"
#include "backend/cuda/box_paths.cuh"
#include "backend/cuda/box_fire.cuh"
#if BOX_WHOLE
#include "backend/cuda/box_bath.cuh"
#endif
#include "backend/cuda/box_check.cuh"
