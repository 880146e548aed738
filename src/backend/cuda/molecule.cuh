/* molecule.cuh - whole steps of molecules on a GPU: all pairs without the excluded ones, bonded terms, rigid bonds and
 * integrators. Compiled at run time for one kernel, accumulator `fixed` and one arithmetic with the macros of sums.cuh and
 *   CUDA_TARGETS   targets per thread
 *   CUDA_THREADS   threads per block; CUDA_BLOCKS: blocks per multiprocessor for which registers must suffice
 *
 * One launch makes many steps of many replicas of a molecule. Some blocks share a replica and wait for each other twice
 * in a step: after the forces, which are sums of integers in any order, and after the motion, in which a thread has a
 * cluster of rigid bonds or an atom. The formulas of the motion and of the bonded terms are those of the processor. A step
 * that cannot be made here (a force that is no number, a bond that cannot be held, an atom that moves too far) stops its
 * replica; the host repeats the steps before it. */
#define CUDA_OUTPUTS 3
#define SWEEP_BOUNDED 0
#define SWEEP_PAIRS_ONLY 1
#include "backend/cuda/sums.cuh"

#include "backend/cuda/molecule_args.h"
#include "backend/cuda/halves.cuh"
#include "domain/box_inside.h"

enum {
    WORD = MYR_MOLECULE_WORD,
    BAG_WORDS = CUDA_THREADS / 32, /* warps, each with a bag of its own */
#if MYR_ARITH == MYR_ARITH_DOUBLE
    SUM_WORDS = 4 /* low 32 bits and the rest, of the coarse and of the fine units */
#else
    SUM_WORDS = 2
#endif
};

/* A replica as the threads of its blocks see it. */
struct replica_view {
    int replica, rank;        /* rank of the block among those of the replica */
    unsigned round;           /* barriers so far */
    int turn;                 /* sums of the kinetic energy so far */
    box_chain chain;          /* state of the thermostat, the same in all threads */
    myr_molecule_one *one;
    uint64_t *q[3];
    double *v[3], *f[3], *x[3], *g[3], *z[3];
    unsigned long long *bonded[3];
};

MYR_FN replica_view view_begin(const myr_molecule_steps &m)
{
    replica_view w;
    const int64_t n = m.n;
    w.replica = blockIdx.x / m.blocks;
    w.rank = blockIdx.x - w.replica * m.blocks;
    w.round = 0;
    w.turn = 0;
    w.one = m.one + w.replica;
    w.chain = w.one->chain;
    for (int c = 0; c < 3; c++) {
        const int64_t at = (3 * (int64_t)w.replica + c) * n;
        w.q[c] = m.q + at;
        w.v[c] = m.v + at;
        w.f[c] = m.f + at;
        w.x[c] = m.x + at;
        w.g[c] = m.g + at;
        w.z[c] = m.z + at;
        w.bonded[c] = m.bonded + at;
    }
    return w;
}

/* Notes that a step cannot be made here. `phase` counts the evaluations of the forces: threads that have not yet looked
 * after the one before do not stop because of it. */
MYR_FN void raise_stop(const replica_view &w, int phase, int step)
{
    atomicMax(&w.one->stop, MYR_MOLECULE_NEVER - phase);
    atomicMax(&w.one->failed, MYR_MOLECULE_NEVER - step);
}

MYR_FN int has_stopped(const replica_view &w, int phase)
{
    const int32_t stop = *(volatile int32_t *)&w.one->stop;
    return stop && MYR_MOLECULE_NEVER - stop <= phase;
}

/* Waits for all threads of the replica. Its blocks are resident at the same time. */
MYR_FN void wait_for_replica(const myr_molecule_steps &m, replica_view &w)
{
    __syncthreads();
    if (m.blocks == 1)
        return;
    w.round++;
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&w.one->barrier, 1u);
        while (*(volatile unsigned *)&w.one->barrier < w.round * (unsigned)m.blocks)
            ;
        __threadfence();
    }
    __syncthreads();
}

/* --- pairs -------------------------------------------------------------------------------------------------------- */

MYR_FN source_record *records_of(const myr_molecule_steps &m, int replica)
{
    return (source_record *)m.record + (int64_t)replica * m.padded;
}

/* Writes the record of atom i at its present position. */
MYR_FN void record_write(const myr_molecule_steps &m, const replica_view &w, int i)
{
    source_record r = {};
    for (int c = 0; c < 3; c++) {
        const double x = w.x[c][i];
#if MYR_ARITH == MYR_ARITH_DOUBLE
        r.lane[c] = x;
#else
        r.lane[COORD_LANES * c] = (float)x;
        if (COORD_LANES == 2)
            r.lane[COORD_LANES * c + 1] = (float)(x - (double)(float)x);
#endif
    }
    r.lane[COORD_LANES * COORDS] = ((const real *)m.charge)[i];
    r.lane[SOURCE_LANES] = lane_from_bits((ilane)((int64_t)m.type[i] * m.row));
    records_of(m, w.replica)[i] = r;
}

/* Targets of a thread, and their sums. */
struct pair_work {
    target_record target[CUDA_TARGETS];
    const real *pairs[CUDA_TARGETS]; /* column of the pair table */
    int at[CUDA_TARGETS];            /* past the end the last atom is repeated, */
    int counts[CUDA_TARGETS];        /* and 0 here */
    sum_words wide[CUDA_TARGETS][OUTPUTS];
};

/* Parameters of a pair; the record of a source holds the offset of its row in bytes. */
MYR_FN pair_record pair_load(const real *column, const source_record &source)
{
    const real *at = (const real *)((const char *)column + (int)lane_bits(source.lane[SOURCE_LANES]));
    pair_record pp;
    MYR_UNROLL
    for (int k = 0; k < PAIR; k++)
        pp.lane[k] = at[k * CUDA_TYPES];
    return pp;
}

MYR_FN myr_pair pair_of(const real *me, const source_record &source, const pair_record &pp, const real *constant)
{
    const myr_pair in = {(const coord *)me,
                         (const coord *)source.lane,
                         me + COORD_LANES * COORDS,
                         source.lane + COORD_LANES * COORDS,
                         pp.lane,
                         constant};
    return in;
}

/* One source against the targets of the thread; bit `bit` of mask[v] = the pair does not count. */
template <int careful>
__device__ __forceinline__ void work_source(const pair_work &w, const sum_scales &scale, const real *constant,
                                            const source_record &source, const uint32_t *mask, int bit,
                                            sum_state (*sum)[OUTPUTS], sum_reach *reach, ilane *skipped)
{
    MYR_UNROLL
    for (int v = 0; v < CUDA_TARGETS; v++) {
        const pair_record pp = pair_load(w.pairs[v], source);
        const myr_pair in = pair_of(w.target[v].lane, source, pp, constant);
        const lmask counts = careful ? !(mask[v] >> bit & 1) : 1;
        SUM_(_pair)(&in, scale.output, careful, counts, sum[v], &reach[v], skipped);
    }
}

template <int careful>
__device__ __forceinline__ void work_word(const pair_work &w, const sum_scales &scale, const real *constant,
                                          const source_record *bag, const uint32_t *mask, sum_state (*sum)[OUTPUTS],
                                          sum_reach *reach, ilane *skipped)
{
    MYR_UNROLL_BY(2)
    for (int k = 0; k < WORD; k += 2) {
        const source_record one = bag[k], two = bag[k + 1];
        work_source<careful>(w, scale, constant, one, mask, k, sum, reach, skipped);
        work_source<careful>(w, scale, constant, two, mask, k + 1, sum, reach, skipped);
    }
}

/* Moves contributions beyond the range from the sums of target `at` to its wide integers; returns 1 if one cannot be
 * added. Few threads have any. Everything is read again, so that the loop keeps its numbers in registers. */
static __device__ __noinline__ uint32_t work_settle(const myr_cuda_sweep &a, const source_record *record,
                                                    const real *column, int at, const source_record *bag, uint32_t mask,
                                                    sum_state *sum)
{
    const sum_scales scale(a);
    const source_record own = record[at];
    real constant[CONSTANTS > 0 ? CONSTANTS : 1];
    beyond_words out = {};
    uint32_t flag = 0;
    for (int k = 0; k < CONSTANTS; k++)
        constant[k] = REAL_OF(a.constant[k]);
    for (int k = 0; k < WORD; k++) {
        const source_record source = bag[k];
        const pair_record pp = pair_load(column, source);
        const myr_pair in = pair_of(own.lane, source, pp, constant);
        if (!(mask >> k & 1))
            flag |= pair_beyond(a, scale, &in, 0, 1, at, 0, out);
    }
    for (int k = 0; k < OUTPUTS; k++) {
        sum[k].coarse -= out.coarse[k];
        sum[k].fine -= out.fine[k];
    }
    return flag;
}

/* A word of sources, which are in `bag`, against the targets of the warp; returns 1 if a force is no number. */
MYR_FN uint32_t work_bag(const myr_molecule_steps &m, const myr_cuda_sweep &a, const sum_scales &scale,
                         const real *constant, pair_work &w, const source_record *record, const source_record *bag,
                         int word)
{
    sum_state sum[CUDA_TARGETS][OUTPUTS];
    sum_reach reach[CUDA_TARGETS];
    uint32_t mask[CUDA_TARGETS], any = 0, flag = 0;
    ilane skipped = 0;
    MYR_UNROLL
    for (int v = 0; v < CUDA_TARGETS; v++) {
        mask[v] = m.mask[(int64_t)word * m.n + w.at[v]];
        any |= mask[v];
        reach[v] = SUM_(_reach_begin)();
        MYR_UNROLL
        for (int k = 0; k < OUTPUTS; k++)
            sum[v][k] = ACC_(_begin)(w.wide[v][k].word, &scale.output[k]);
    }
    if (__any_sync(~0u, any != 0))
        work_word<1>(w, scale, constant, bag, mask, sum, reach, &skipped);
    else
        work_word<0>(w, scale, constant, bag, mask, sum, reach, &skipped);
    MYR_UNROLL
    for (int v = 0; v < CUDA_TARGETS; v++) {
#if ACC_HOLDS
        MYR_UNROLL
        for (int k = 0; k < OUTPUTS; k++)
            ACC_(_flush)(&sum[v][k], &reach[v].range, &scale.output[k]);
#endif
        if (w.counts[v] && (real_uint)reach[v].range >> REAL_MANTISSA) {
            sum_state copy[OUTPUTS];
            for (int k = 0; k < OUTPUTS; k++)
                copy[k] = sum[v][k];
            flag |= work_settle(a, record, w.pairs[v], w.at[v], bag, mask[v], copy);
            for (int k = 0; k < OUTPUTS; k++)
                sum[v][k] = copy[k];
        }
        MYR_UNROLL
        for (int k = 0; k < OUTPUTS; k++)
            flag |= ACC_(_end)(&sum[v][k], w.wide[v][k].word, &scale.output[k], WORD);
    }
    return flag | (skipped != 0);
}

/* Adds the sums of the targets of a thread to those of the replica. */
MYR_FN void work_add(const myr_molecule_steps &m, const pair_work &w, int replica, int group)
{
    MYR_UNROLL
    for (int v = 0; v < CUDA_TARGETS; v++) {
        const int i = (group * CUDA_TARGETS + v) * 32 + threadIdx.x % 32;
        if (i >= m.n)
            continue;
        MYR_UNROLL
        for (int k = 0; k < OUTPUTS; k++) {
            unsigned long long *to = m.sum + ((int64_t)replica * OUTPUTS + k) * SUM_WORDS * m.padded + i;
            MYR_UNROLL
            for (int r = 0; r < 2; r++) {
#if MYR_ARITH == MYR_ARITH_DOUBLE
                const __int128 total = fixed_word(w.wide[v][k].word + r);
                atomicAdd(to + 2 * r * (int64_t)m.padded, (unsigned long long)(uint32_t)total);
                atomicAdd(to + (2 * r + 1) * (int64_t)m.padded, (unsigned long long)(int64_t)(total >> 32));
#else
                atomicAdd(to + r * (int64_t)m.padded, (unsigned long long)w.wide[v][k].word[r].i);
#endif
            }
        }
    }
}

/* Sums over all pairs: warps take groups of targets and chunks of sources in turn. Not inlined, like the bonded terms and
 * the motion, so that its loop has the registers to itself. */
static __device__ __noinline__ uint32_t pairs_all(const myr_molecule_steps &m, const myr_cuda_sweep &a, const real *table, source_record *bags,
                          const replica_view &view)
{
    const int lane = threadIdx.x % 32, words = m.padded / WORD;
    const int groups = (m.n + 32 * CUDA_TARGETS - 1) / (32 * CUDA_TARGETS), chunks = (words + m.chunk - 1) / m.chunk;
    const int warps = m.blocks * BAG_WORDS, first = view.rank + m.blocks * (threadIdx.x / 32);
    const source_record *record = records_of(m, view.replica);
    source_record *bag = bags + threadIdx.x / 32 * WORD;
    const sum_scales scale(a);
    real constant[CONSTANTS > 0 ? CONSTANTS : 1];
    uint32_t flag = 0;
    MYR_UNROLL
    for (int k = 0; k < CONSTANTS; k++)
        constant[k] = REAL_OF(a.constant[k]);
    for (int item = first; item < groups * chunks; item += warps) {
        pair_work w;
        const int group = item % groups, chunk = item / groups;
        const int end = (chunk + 1) * m.chunk < words ? (chunk + 1) * m.chunk : words;
        for (int v = 0; v < CUDA_TARGETS; v++) {
            const int i = (group * CUDA_TARGETS + v) * 32 + lane;
            w.at[v] = i < m.n ? i : m.n - 1;
            w.counts[v] = i < m.n;
            MYR_UNROLL
            for (int c = 0; c < TARGET_LANES; c++)
                w.target[v].lane[c] = record[w.at[v]].lane[c];
            w.pairs[v] = table + m.type[w.at[v]];
            for (int k = 0; k < OUTPUTS; k++)
                for (int r = 0; r < (int)(sizeof w.wide[v][k].word / sizeof(myr_word)); r++)
                    w.wide[v][k].word[r].i = 0;
        }
        for (int word = chunk * m.chunk; word < end; word++) {
            __syncwarp();
            bag[lane] = record[word * WORD + lane];
            __syncwarp();
            flag |= work_bag(m, a, scale, constant, w, record, bag, word);
        }
        work_add(m, w, view.replica, group);
    }
    return flag;
}

/* --- bonded terms ------------------------------------------------------------------------------------------------- */

/* Threads of the replica, of which this one is number `mine`: neighbours are in different blocks. */
MYR_FN int thread_mine(const myr_molecule_steps &m, const replica_view &w)
{
    return threadIdx.x * m.blocks + w.rank;
}

template <int kind> __device__ __noinline__ int bonded_kind(const myr_molecule_steps &m, const replica_view &w)
{
    int bad = 0;
    for (int64_t k = thread_mine(m, w); k < m.terms[kind]; k += CUDA_THREADS * m.blocks) {
        const molecule_term t = m.term[kind][k];
        double f[3][3], energy[2];
        if (t.rigid)
            continue;
        const int atoms = molecule_term_force(kind, &t, &m.law, w.x, f, energy);
        for (int c = 0; c < 3; c++) {
            int64_t rest = 0;
            MYR_UNROLL
            for (int a = 0; a < 3; a++)
                if (a < atoms - 1) {
                    const int64_t units = term_round(f[a][c], &bad);
                    atomicAdd(&w.bonded[c][t.atom[a]], (unsigned long long)units);
                    rest -= units;
                }
            if (atoms > 0)
                atomicAdd(&w.bonded[c][t.atom[atoms - 1]], (unsigned long long)rest);
        }
    }
    return bad;
}

/* --- motion ------------------------------------------------------------------------------------------------------- */

/* Stores the force on atom i in f, and clears its sums. */
MYR_FN void force_finish(const myr_molecule_steps &m, const myr_cuda_sweep &a, const replica_view &w, int i)
{
    for (int k = 0; k < 3; k++) {
        unsigned long long *from = m.sum + ((int64_t)w.replica * OUTPUTS + k) * SUM_WORDS * m.padded + i;
        sum_words total;
        for (int r = 0; r < (int)(sizeof total.word / sizeof(myr_word)); r++)
            total.word[r].i = 0;
        for (int r = 0; r < 2; r++) {
#if MYR_ARITH == MYR_ARITH_DOUBLE
            const __int128 sum = (__int128)(int64_t)from[(2 * r + 1) * (int64_t)m.padded] * ((__int128)1 << 32) +
                                 from[2 * r * (int64_t)m.padded];
            total.word[r].i = (int64_t)sum;
            total.word[r + 2].i = (int64_t)(sum >> 64);
#else
            total.word[r].i = (int64_t)from[r * (int64_t)m.padded];
#endif
        }
        for (int r = 0; r < SUM_WORDS; r++)
            from[r * (int64_t)m.padded] = 0;
        w.f[k][i] = sum_value(a, i, k, total.word) + (double)(int64_t)w.bonded[k][i] * MYR_BONDED_UNIT;
        w.bonded[k][i] = 0;
    }
    sums_clear(a, i);
}

/* Position of atom i, and its record. */
MYR_FN void place_atom(const myr_molecule_steps &m, const replica_view &w, int i)
{
    for (int c = 0; c < 3; c++)
        w.x[c][i] = box_position(w.one->origin[c], w.one->length[c], w.q[c][i], 0);
    record_write(m, w, i);
}

/* Atoms and bonds of a unit. star: 1 = bond n is between atom 0 and atom n + 1. */
struct unit_view {
    const int32_t *atom;
    const rigid_bond *bond;
    int atoms, bonds, star;
};

/* The same star in registers: the sweeps over a few bonds follow each other, and nothing hides the time of memory. */
template <int bonds> struct star_view {
    double before[3][bonds + 1], now[3][bonds + 1], inverse[bonds + 1];
    rigid_bond bond[bonds];
};

template <int bonds>
__device__ __forceinline__ void star_begin(const myr_molecule_steps &m, const unit_view &u, star_view<bonds> &s)
{
    MYR_UNROLL
    for (int k = 0; k <= bonds; k++)
        s.inverse[k] = m.inverse[u.atom[k]];
    MYR_UNROLL
    for (int n = 0; n < bonds; n++) {
        s.bond[n].i = 0;
        s.bond[n].j = n + 1;
        s.bond[n].square = u.bond[n].square;
    }
}

template <int bonds> __device__ __forceinline__ int star_solve(star_view<bonds> &s, int velocities)
{
    double *const before[3] = {s.before[0], s.before[1], s.before[2]}, *const now[3] = {s.now[0], s.now[1], s.now[2]};
    return rigid_solve(s.bond, bonds, s.inverse, before, now, velocities);
}

/* Drift by dt of a star; returns 1 if its bonds cannot be held. */
template <int bonds>
__device__ __noinline__ int star_drift(const myr_molecule_steps &m, const replica_view &w, const unit_view &u, double dt)
{
    star_view<bonds> s;
    double v[3][bonds + 1];
    star_begin<bonds>(m, u, s);
    MYR_UNROLL
    for (int k = 0; k <= bonds; k++)
        MYR_UNROLL
        for (int c = 0; c < 3; c++) {
            v[c][k] = w.v[c][u.atom[k]];
            s.before[c][k] = box_position(w.one->origin[c], w.one->length[c], w.q[c][u.atom[k]], 0);
            s.now[c][k] = s.before[c][k] + v[c][k] * dt;
        }
    if (!star_solve<bonds>(s, 0))
        return 1;
    MYR_UNROLL
    for (int k = 0; k <= bonds; k++)
        MYR_UNROLL
        for (int c = 0; c < 3; c++) {
            const double way = rigid_displace(s.now[c][k], s.before[c][k], &v[c][k], dt);
            w.q[c][u.atom[k]] += (uint64_t)box_displacement(w.one->length[c], way);
            w.v[c][u.atom[k]] = v[c][k];
        }
    return 0;
}

/* Removes velocities along the bonds of a star; returns 1 if that is not possible. */
template <int bonds>
__device__ __noinline__ int star_speed(const myr_molecule_steps &m, const replica_view &w, const unit_view &u)
{
    star_view<bonds> s;
    star_begin<bonds>(m, u, s);
    MYR_UNROLL
    for (int k = 0; k <= bonds; k++)
        MYR_UNROLL
        for (int c = 0; c < 3; c++) {
            s.before[c][k] = w.x[c][u.atom[k]];
            s.now[c][k] = w.v[c][u.atom[k]];
        }
    if (!star_solve<bonds>(s, 1))
        return 1;
    MYR_UNROLL
    for (int k = 0; k <= bonds; k++)
        MYR_UNROLL
        for (int c = 0; c < 3; c++)
            w.v[c][u.atom[k]] = s.now[c][k];
    return 0;
}

MYR_FN int speed_rigid(const myr_molecule_steps &m, const replica_view &w, const unit_view &u)
{
    return u.star && u.bonds == 1   ? star_speed<1>(m, w, u)
           : u.star && u.bonds == 2 ? star_speed<2>(m, w, u)
           : u.star && u.bonds == 3 ? star_speed<3>(m, w, u)
                                    : !rigid_solve(u.bond, u.bonds, m.inverse, w.x, w.v, 1);
}

/* Drift by dt of the atoms of a unit with rigid bonds; returns 1 if these cannot be held. */
static __device__ __noinline__ int drift_any(const myr_molecule_steps &m, const replica_view &w, const unit_view &u,
                                             double dt)
{
    for (int k = 0; k < u.atoms; k++)
        for (int c = 0; c < 3; c++) {
            const int i = u.atom[k];
            const double x = box_position(w.one->origin[c], w.one->length[c], w.q[c][i], 0);
            w.g[c][i] = x;
            w.x[c][i] = x + w.v[c][i] * dt;
        }
    if (!rigid_solve(u.bond, u.bonds, m.inverse, w.g, w.x, 0))
        return 1;
    for (int k = 0; k < u.atoms; k++)
        for (int c = 0; c < 3; c++) {
            const int i = u.atom[k];
            const double way = rigid_displace(w.x[c][i], w.g[c][i], &w.v[c][i], dt);
            w.q[c][i] += (uint64_t)box_displacement(w.one->length[c], way);
        }
    return 0;
}

MYR_FN int drift_rigid(const myr_molecule_steps &m, const replica_view &w, const unit_view &u, double dt)
{
    return u.star && u.bonds == 1   ? star_drift<1>(m, w, u, dt)
           : u.star && u.bonds == 2 ? star_drift<2>(m, w, u, dt)
           : u.star && u.bonds == 3 ? star_drift<3>(m, w, u, dt)
                                    : drift_any(m, w, u, dt);
}

/* Drift of one atom; returns the square of its velocity. */
MYR_FN double drift_atom(const replica_view &w, int i, double dt)
{
    double v2 = 0;
    for (int c = 0; c < 3; c++) {
        const double v = w.v[c][i];
        v2 += v * v;
        w.q[c][i] += (uint64_t)box_motion_round(v * (dt * (0x1p64 / w.one->length[c])));
    }
    return v2;
}

/* Numbers of a step: see myr_molecule_steps. */
MYR_FN const double *heat_of(const myr_molecule_steps &m, const replica_view &w, int step)
{
    return m.heat + 2 * ((int64_t)w.replica * m.heats + (m.heats > 1 ? step : 0));
}

/* Random forces of a step, which depend on no position: found while others sum the forces before it. */
static __device__ __noinline__ void noise_all(const myr_molecule_steps &m, const replica_view &w, int step)
{
    const double heat = heat_of(m, w, step)[0];
    /* from the last thread on, since the first ones have more terms */
    for (int i = CUDA_THREADS * m.blocks - 1 - thread_mine(m, w); i < m.n; i += CUDA_THREADS * m.blocks) {
        double z[3] = {0, 0, 0};
        box_motion_shake(z, w.one->seed, (uint64_t)m.id[i], w.one->number + step, 0, sqrt(heat * m.inverse[i]));
        for (int c = 0; c < 3; c++)
            w.z[c][i] = z[c];
    }
}

/* Ornstein-Uhlenbeck step, as box_motion_shake. */
MYR_FN void shake_atom(const replica_view &w, int i)
{
    for (int c = 0; c < 3; c++)
        w.v[c][i] = w.one->keep * w.v[c][i] + w.z[c][i];
}

/* Kick by half a step, and drift; *way2 receives the square of the way of the atoms, as the processor bounds it. Returns 1
 * if the step needs the processor. */
MYR_FN int unit_begin(const myr_molecule_steps &m, const replica_view &w, const unit_view &u, int step, double *way2)
{
    const double half = 0.5 * m.dt;
    int stop = 0;
    *way2 = 0;
    for (int k = 0; k < u.atoms; k++) {
        const int i = u.atom[k];
        const double weight = half * m.inverse[i];
        double v2 = 0;
        for (int c = 0; c < 3; c++) {
            const double v = w.v[c][i] + weight * w.f[c][i];
            w.v[c][i] = v;
            v2 += v * v;
        }
        stop |= step == 0 && !(v2 * m.dt * m.dt < m.limit2);
    }
    if (stop)
        return 1;
    if (u.bonds > 0) {
        const int langevin = m.scheme == MYR_MOLECULE_LANGEVIN;
        stop = drift_rigid(m, w, u, langevin ? half : m.dt);
        for (int k = 0; langevin && !stop && k < u.atoms; k++)
            shake_atom(w, u.atom[k]);
        if (langevin && !stop)
            stop = drift_rigid(m, w, u, half);
        return stop;
    }
    for (int k = 0; k < u.atoms; k++) {
        const int i = u.atom[k];
        double here = 0;
        if (m.scheme == MYR_MOLECULE_LANGEVIN) {
            const double before[3] = {w.v[0][i], w.v[1][i], w.v[2][i]};
            (void)drift_atom(w, i, half);
            shake_atom(w, i);
            const double after[3] = {w.v[0][i], w.v[1][i], w.v[2][i]};
            (void)drift_atom(w, i, half);
            here = box_motion_way2(before, after, 0) * half * half;
        } else {
            here = drift_atom(w, i, m.dt);
        }
        *way2 = here <= *way2 ? *way2 : here;
    }
    return stop;
}

/* Kick by half a step that ends step `step` - 1. */
MYR_FN void unit_end(const myr_molecule_steps &m, const replica_view &w, const unit_view &u, int step)
{
    int stop = 0;
    for (int k = 0; k < u.atoms; k++) {
        const int i = u.atom[k];
        const double weight = 0.5 * m.dt * m.inverse[i];
        double next2 = 0;
        for (int c = 0; c < 3; c++) {
            const double kick = weight * w.f[c][i], now = w.v[c][i] + kick, next = now + kick;
            w.v[c][i] = now;
            next2 += next * next;
        }
        stop |= !(next2 * m.dt * m.dt < m.limit2);
    }
    if (stop)
        raise_stop(w, step + 1, step);
    if (u.bonds > 0 && speed_rigid(m, w, u))
        raise_stop(w, step + 1, step - 1);
}

MYR_FN unit_view unit_of(const myr_molecule_steps &m, int k)
{
    const unit_view u = {m.unit_atom + m.unit_atoms[k], m.bond + m.unit_bonds[k], m.unit_atoms[k + 1] - m.unit_atoms[k],
                         m.unit_bonds[k + 1] - m.unit_bonds[k], m.unit_star[k]};
    return u;
}

/* Thermostat that scales velocities, at a temperature `heat`: the kinetic energy is summed in integers (core/sum.h), and
 * every thread finds the same factor. The sums of this turn were cleared two turns before. */
static __device__ __noinline__ void bath_all(const myr_molecule_steps &m, replica_view &w, double heat)
{
    myr_molecule_kinetic &sum = w.one->kinetic[w.turn % MYR_MOLECULE_TURNS];
    const int first = thread_mine(m, w), all = CUDA_THREADS * m.blocks;
    double most = 0, twice = 0;
    for (int k = first; k < m.units; k += all)
        for (int n = m.unit_atoms[k]; n < m.unit_atoms[k + 1]; n++) {
            const int i = m.unit_atom[n];
            const double v2 = w.v[0][i] * w.v[0][i] + w.v[1][i] * w.v[1][i] + w.v[2][i] * w.v[2][i];
            most = m.mass[i] * v2 > most ? m.mass[i] * v2 : most;
        }
    if (most > 0)
        atomicMax(&sum.largest, (unsigned long long)__double_as_longlong(most));
    if (first == 0)
        w.one->kinetic[(w.turn + 1) % MYR_MOLECULE_TURNS] = {};
    wait_for_replica(m, w);
    const double largest = __longlong_as_double((long long)__ldcg(&sum.largest));
    const int exponent = largest > 0 ? ilogb(largest) + 1 : 0;
    const double scale = ldexp(1.0, 62 - exponent);
    for (int k = first; k < m.units; k += all)
        for (int n = m.unit_atoms[k]; n < m.unit_atoms[k + 1]; n++)
            for (int c = 0; c < 3; c++) {
                const int i = m.unit_atom[n];
                const long long units = __double2ll_rn(m.mass[i] * (w.v[c][i] * w.v[c][i]) * scale);
                atomicAdd(&sum.total[c][0], (unsigned long long)(uint32_t)units);
                atomicAdd(&sum.total[c][1], (unsigned long long)(units >> 32));
            }
    wait_for_replica(m, w);
    for (int c = 0; c < 3; c++) {
        const unsigned long long half[2] = {__ldcg(&sum.total[c][0]), __ldcg(&sum.total[c][1])};
        twice += halves_value(half, exponent);
    }
    const double factor = w.one->bath.kind == BOX_BATH_CHAIN
                              ? box_chain_advance(&w.one->bath, &w.chain, twice, heat, 0.5 * m.dt)
                              : box_berendsen_factor(&w.one->bath, twice, heat);
    for (int k = first; k < m.units; k += all)
        for (int n = m.unit_atoms[k]; n < m.unit_atoms[k + 1]; n++)
            for (int c = 0; c < 3; c++)
                w.v[c][m.unit_atom[n]] *= factor;
    w.turn++;
}

/* motion_all with a thermostat that scales velocities. */
static __device__ __noinline__ void motion_bath(const myr_molecule_steps &m, const myr_cuda_sweep &a, replica_view &w,
                                                int step, int ends, int begins)
{
    const int first = thread_mine(m, w), all = CUDA_THREADS * m.blocks;
    double furthest = 0;
    for (int k = first; k < m.units; k += all) {
        const unit_view u = unit_of(m, k);
        for (int n = 0; n < u.atoms; n++)
            force_finish(m, a, w, u.atom[n]);
        if (ends)
            unit_end(m, w, u, step);
    }
    if (ends)
        bath_all(m, w, heat_of(m, w, step - 1)[1]);
    if (begins && w.one->bath.kind == BOX_BATH_CHAIN)
        bath_all(m, w, heat_of(m, w, step)[0]);
    for (int k = first; k < m.units && begins; k += all) {
        const unit_view u = unit_of(m, k);
        double way2 = 0;
        if (unit_begin(m, w, u, step, &way2))
            raise_stop(w, step + 1, step);
        for (int n = 0; n < u.atoms; n++)
            place_atom(m, w, u.atom[n]);
        furthest = way2 <= furthest ? furthest : way2;
    }
    if (begins && m.fastest)
        atomicMax(&m.fastest[(int64_t)w.replica * m.most + step], (unsigned long long)__double_as_longlong(furthest));
}

/* Motion between two evaluations of the forces: the end of step `step` - 1 if `ends`, the first part of `step` if
 * `begins`. */
static __device__ __noinline__ void motion_all(const myr_molecule_steps &m, const myr_cuda_sweep &a, const replica_view &w, int step, int ends,
                       int begins)
{
    int stop = 0;
    double furthest = 0;
    for (int k = thread_mine(m, w); k < m.units; k += CUDA_THREADS * m.blocks) {
        const unit_view u = unit_of(m, k);
        double way2 = 0;
        for (int n = 0; n < u.atoms; n++)
            force_finish(m, a, w, u.atom[n]);
        if (ends)
            unit_end(m, w, u, step);
        if (begins)
            stop |= unit_begin(m, w, u, step, &way2);
        for (int n = 0; begins && n < u.atoms; n++)
            place_atom(m, w, u.atom[n]);
        furthest = way2 <= furthest ? furthest : way2;
    }
    if (m.fastest && begins)
        atomicMax(&m.fastest[(int64_t)w.replica * m.most + step], (unsigned long long)__double_as_longlong(furthest));
    if (stop)
        raise_stop(w, step + 1, step);
}

/* Forces at the end of step `step`; -1 = at the start. */
MYR_FN void forces_all(const myr_molecule_steps &m, const myr_cuda_sweep &a, const real *table, source_record *bags,
                       const replica_view &w, int step)
{
    int bad = pairs_all(m, a, table, bags, w) != 0;
    if (m.scheme == MYR_MOLECULE_LANGEVIN && step + 1 < w.one->steps)
        noise_all(m, w, step + 1);
    bad |= bonded_kind<MYR_BONDED_BONDS>(m, w);
    bad |= bonded_kind<MYR_BONDED_ANGLES>(m, w);
    bad |= bonded_kind<MYR_BONDED_DIHEDRALS>(m, w);
    bad |= bonded_kind<MYR_BONDED_PAIRS14>(m, w);
    if (bad)
        raise_stop(w, step + 1, step < 0 ? 0 : step);
}

/* Arguments of the sums of a replica: its grids, and its wide integers. */
MYR_FN void sweep_of(const myr_molecule_steps &m, const replica_view &w, myr_cuda_sweep *own)
{
    *own = m.sweep;
    own->over = m.sweep.over + (int64_t)w.replica * m.n * OUTPUTS;
    own->over_used = m.sweep.over_used + (int64_t)w.replica * m.n;
    for (int k = 0; k < OUTPUTS; k++) {
        own->grid[k] = w.one->grid[k];
        own->scale[k] = w.one->scale[k];
    }
}

/* Shared memory: arguments of the sums, one word of sources for each warp, the pair table. */
extern "C" __global__ void __launch_bounds__(CUDA_THREADS, CUDA_BLOCKS) molecule(const __grid_constant__ myr_molecule_steps m)
{
    extern __shared__ __align__(16) char molecule_shared[];
    myr_cuda_sweep *own = (myr_cuda_sweep *)molecule_shared;
    source_record *bags = (source_record *)(molecule_shared + (sizeof *own + 15) / 16 * 16);
    real *table = (real *)(bags + BAG_WORDS * WORD);
    replica_view w = view_begin(m);
    const int steps = w.one->steps;
    if (steps == 0)
        return;
    if (threadIdx.x == 0)
        sweep_of(m, w, own);
    for (int n = threadIdx.x; n < m.sweep.types * PAIR_ROW; n += CUDA_THREADS)
        table[n] = ((const real *)m.sweep.pair_table)[n];
    for (int k = thread_mine(m, w); k < m.n; k += CUDA_THREADS * m.blocks)
        place_atom(m, w, k);
    wait_for_replica(m, w);
    forces_all(m, *own, table, bags, w, -1);
    wait_for_replica(m, w);
    int step = 0;
    for (; step < steps && !has_stopped(w, step); step++) {
        if (m.scheme == MYR_MOLECULE_BATH)
            motion_bath(m, *own, w, step, step > 0, 1);
        else
            motion_all(m, *own, w, step, step > 0, 1);
        wait_for_replica(m, w);
        forces_all(m, *own, table, bags, w, step);
        wait_for_replica(m, w);
    }
    if (step < steps || has_stopped(w, step))
        return;
    if (m.scheme == MYR_MOLECULE_BATH)
        motion_bath(m, *own, w, step, 1, 0);
    else
        motion_all(m, *own, w, step, 1, 0);
    if (thread_mine(m, w) == 0)
        w.one->chain = w.chain;
}
