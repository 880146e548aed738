/* sweep.cuh - the tile loop on a GPU. Compiled at run time for one kernel, accumulator and arithmetic with
 *   MYR_KERNEL, MYR_KERNEL_FILE, MYR_ARITH   as in unit.c; MYR_LANE_BYTES is 0
 *   MYR_ACC_NAME, MYR_ACC_FILE               loop of the accumulator
 *   CUDA_TARGETS   targets per thread
 *   CUDA_STEPS     pairs of bag entries per iteration
 *   CUDA_CAREFUL   1 = self pairs and coincident particles can be masked; 2 = also listed pairs
 *   CUDA_TYPES     number of types for which the pair table has room, a power of two
 *   CUDA_TABLE     1 = the pair table is copied to shared memory
 *   CUDA_CARRY     1 = continue from the sums in `part`, with one split
 *   CUDA_FOLD      as myr_acc_scale.fold, the same for all outputs
 *   CUDA_SLICES    number of threads that share a target: each takes every CUDA_SLICES-th source
 *   CUDA_RESIDENT  1 = targets are records of the sources, identified by `at`
 *   CUDA_OUTPUTS   0 = all outputs of the kernel, else the number of leading outputs
 *   CUDA_THREADS   largest number of threads per block; CUDA_BLOCKS: smallest number of blocks per multiprocessor
 *
 * The Chamomile scheme: a bag of sources is in shared memory, copied there while the previous bag is processed; each
 * thread keeps CUDA_TARGETS targets and their sums in registers and sweeps over the bag; the sums are folded after
 * every bag. If there are few targets, CUDA_SLICES threads of a block share them, and their sums are merged at the end.
 * The order in which a thread adds pairs depends on sizes only. */
#include "backend/cuda/sums.cuh"

/* --- bags and threads --------------------------------------------------------------------------------------------- */
MYR_FN void copy_bag(source_record *bag, const myr_cuda_sweep &a, int64_t first, int64_t end)
{
    const int pieces = (int)sizeof(source_record) / MYR_CUDA_BAG_ALIGN;
    const int64_t left = end - first;
    const int count = (int)(left < a.bag ? left : a.bag) * pieces;
    const char *from = (const char *)((const source_record *)a.source + first);
    for (int n = threadIdx.x; n < count; n += blockDim.x)
        copy_piece((char *)bag + n * MYR_CUDA_BAG_ALIGN, from + n * MYR_CUDA_BAG_ALIGN);
}

/* --- state of a thread -------------------------------------------------------------------------------------------- */
struct thread_work {
    target_record target[CUDA_TARGETS];
    const real *pairs[CUDA_TARGETS]; /* column of the pair table for the target's type */
    pair_record only[CUDA_TARGETS];  /* parameters of the pair if there is only one type */
    int64_t at[CUDA_TARGETS];               /* index of the target; past the end the last target is repeated */
    int self[CUDA_TARGETS];
    int64_t next[CUDA_TARGETS], last[CUDA_TARGETS]; /* range of excluded partners not yet passed */
    sum_words wide[CUDA_TARGETS][OUTPUTS];
    int64_t group;     /* index of the group of targets of the block */
    int slice, column; /* index among the threads that share a target; index of the targets in the block */
    uint32_t flag;
    long long skipped;
};

/* Index of target v of this thread; may be past the last. */
MYR_FN int64_t work_target(const thread_work &w, int v)
{
    return (w.group * CUDA_TARGETS + v) * (blockDim.x / CUDA_SLICES) + w.column;
}

/* Parameters of a pair: adjacent threads read adjacent numbers for any types of their targets. The record of a source
 * holds the offset of its row in bytes. */
MYR_FN pair_record pair_load(const real *column, const source_record &source)
{
    const real *at = (const real *)((const char *)column + (int)lane_bits(source.lane[PAIR ? SOURCE_LANES : 0]));
    pair_record pp;
    MYR_UNROLL
    for (int k = 0; k < PAIR; k++)
        pp.lane[k] = at[k * CUDA_TYPES];
    return pp;
}

MYR_FN void work_begin(thread_work &w, const myr_cuda_sweep &a, const real *table, int64_t group)
{
    const int wide = blockDim.x / CUDA_SLICES;
    w.group = group;
    w.slice = threadIdx.x / wide;
    w.column = threadIdx.x - w.slice * wide;
    w.flag = 0;
    w.skipped = 0;
    MYR_UNROLL
    for (int v = 0; v < CUDA_TARGETS; v++) {
        const int64_t i = work_target(w, v);
        w.at[v] = i < a.targets ? i : a.targets - 1;
        const int64_t place = CUDA_RESIDENT && a.at ? a.at[w.at[v]] : w.at[v];
        if (CUDA_RESIDENT)
            MYR_UNROLL
            for (int c = 0; c < TARGET_LANES; c++)
                w.target[v].lane[c] = ((const source_record *)a.source)[place].lane[c];
        else
            w.target[v] = ((const target_record *)a.target)[place];
        w.pairs[v] = PAIR ? table + a.target_type[place] : 0;
        if (PAIR && CUDA_TYPES == 1)
            MYR_UNROLL
            for (int k = 0; k < PAIR; k++)
                w.only[v].lane[k] = ((const real *)a.pair_table)[k];
        w.self[v] = CUDA_RESIDENT ? (int)place : CUDA_CAREFUL && a.self ? a.self[place] : -1;
        MYR_UNROLL
        for (int k = 0; k < OUTPUTS; k++)
            if (CUDA_CARRY && w.slice == 0)
                w.wide[v][k] = ((const sum_words *)a.part)[w.at[v] * OUTPUTS + k];
            else
                w.wide[v][k] = {};
    }
}

/* Finds the first excluded partner that is not before source `first`. */
MYR_FN void work_seek(thread_work &w, const myr_cuda_sweep &a, int64_t first)
{
    for (int v = 0; v < CUDA_TARGETS; v++) {
        const int64_t row = CUDA_RESIDENT ? w.self[v] : a.row ? a.row[w.at[v]] : w.at[v];
        int64_t low = a.excluded.offset[row], high = w.last[v] = a.excluded.offset[row + 1];
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (a.excluded.partner[middle] < first)
                low = middle + 1;
            else
                high = middle;
        }
        w.next[v] = low;
    }
}

/* Returns 1 if source j is excluded for target v; called for ascending j. */
MYR_FN int work_excluded(thread_work &w, const myr_cuda_sweep &a, int v, int64_t j)
{
    if (CUDA_CAREFUL < 2)
        return 0;
    while (w.next[v] < w.last[v] && a.excluded.partner[w.next[v]] < j)
        w.next[v]++;
    return w.next[v] < w.last[v] && a.excluded.partner[w.next[v]] == j;
}

/* Evaluates one source against the targets of the thread. */
template <int careful>
__device__ __forceinline__ void work_source(thread_work &w, const myr_cuda_sweep &a, const sum_scales &scale,
                                            const real *constant, const source_record &source, int64_t j,
                                            sum_state (*sum)[OUTPUTS], sum_reach *reach, ilane *skipped)
{
    MYR_UNROLL
    for (int v = 0; v < CUDA_TARGETS; v++) {
        const real *me = w.target[v].lane;
        pair_record pp;
        if (PAIR)
            pp = CUDA_TYPES == 1 ? w.only[v] : pair_load(w.pairs[v], source);
        const myr_pair in = {(const coord *)me,
                             (const coord *)source.lane,
                             me + COORD_LANES * COORDS,
                             source.lane + COORD_LANES * COORDS,
                             pp.lane,
                             constant};
        const lmask counts = careful ? j != w.self[v] && !work_excluded(w, a, v, j) : 1;
        SUM_(_pair)(&in, scale.output, careful, counts, sum[v], &reach[v], skipped);
    }
}

/* Hot loop: sources first .. first + count - 1 of a bag, two at a time. Returns the number of sources this thread
 * processed. */
template <int careful>
__device__ __forceinline__ int work_pass(thread_work &w, const myr_cuda_sweep &a, const sum_scales &scale,
                                         const real *constant, const source_record *bag, int64_t first, int count,
                                         sum_state (*sum)[OUTPUTS], sum_reach *reach)
{
    ilane skipped = 0;
    const int steps = (count - w.slice + CUDA_SLICES - 1) / CUDA_SLICES;
    int n = w.slice;
    constexpr int unroll = careful ? 1 : CUDA_STEPS; /* the careful loop is not unrolled, to save registers */
#if defined(__CUDACC__) /* compilers of the processor take no constant of a template here */
    MYR_UNROLL_BY(unroll)
#else
    (void)unroll;
#endif
    for (int pairs = steps / 2; pairs > 0; pairs--, n += 2 * CUDA_SLICES) {
        const source_record one = bag[n], two = bag[n + CUDA_SLICES];
        work_source<careful>(w, a, scale, constant, one, first + n, sum, reach, &skipped);
        work_source<careful>(w, a, scale, constant, two, first + n + CUDA_SLICES, sum, reach, &skipped);
    }
    if (steps % 2) {
        const source_record last = bag[n];
        work_source<careful>(w, a, scale, constant, last, first + n, sum, reach, &skipped);
    }
    w.skipped += skipped;
    return steps;
}

MYR_FN int work_steps(thread_work &w, const myr_cuda_sweep &a, const sum_scales &scale, const real *constant,
                      const source_record *bag, int64_t first, int count, int careful, sum_state (*sum)[OUTPUTS],
                      sum_reach *reach)
{
    if (CUDA_CAREFUL && careful)
        return work_pass<1>(w, a, scale, constant, bag, a.origin + first, count, sum, reach);
    return work_pass<0>(w, a, scale, constant, bag, first, count, sum, reach);
}

/* --- contributions beyond the range ------------------------------------------------------------------------------- */
#if ACC_WIDE
/* Returns 1 if source j is excluded for a target. */
MYR_FN int row_excludes(const myr_cuda_sweep &a, int64_t row, int64_t j)
{
    int64_t low = a.excluded.offset[row], high = a.excluded.offset[row + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (a.excluded.partner[middle] == j)
            return 1;
        if (a.excluded.partner[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

/* Returns 1 if a contribution to target v may have been beyond the range. */
MYR_FN int work_beyond(const thread_work &w, const sum_scales &scale, const real *constant, const real *most, int careful,
                       int v, const sum_reach &reach)
{
#if SUM_PROVES
    if (!careful)
        return SUM_(_open)(w.target[v].lane, most, constant, scale.output, reach.least) != 0;
#endif
    return (real_uint)reach.range >> REAL_MANTISSA != 0;
}

/* Moves the contributions beyond the range from the sums of target v to wide integers: the threads of a warp scan the
 * bag together for each target of the warp that has some. A thread past the last target repeats that target, and must
 * not add to its wide integers. Inlined: a call costs the loop more registers (jerk 4 % slower on an H200). */
MYR_FN void work_settle(thread_work &w, const myr_cuda_sweep &a, const sum_scales &scale, const real *constant,
                        const real *most, const source_record *bag, int64_t first, int count, int careful, int v,
                        const sum_reach &reach, sum_state *sum)
{
    const int me = threadIdx.x % 32;
    const int mine = work_beyond(w, scale, constant, most, careful, v, reach) && work_target(w, v) < a.targets;
    for (unsigned fired = __ballot_sync(~0u, mine); fired; fired &= fired - 1) {
        const int from = __ffs(fired) - 1, slice = __shfl_sync(~0u, w.slice, from);
        const int64_t at = __shfl_sync(~0u, w.at[v], from);
        const int self = __shfl_sync(~0u, w.self[v], from);
        const int64_t row = CUDA_RESIDENT ? self : a.row && CUDA_CAREFUL == 2 ? a.row[at] : at;
        target_record target;
        pair_record pp;
        beyond_words out = {};
        MYR_UNROLL
        for (int c = 0; c < TARGET_LANES; c++)
            target.lane[c] = __shfl_sync(~0u, w.target[v].lane[c], from);
        const real *pairs = (const real *)__shfl_sync(~0u, (unsigned long long)w.pairs[v], from);
#if SUM_PROVES
        const real least = __shfl_sync(~0u, reach.least, from);
        const real limit =
            careful ? K(INFINITY) : SUM_(_limit)(target.lane, most, constant, scale.output, least);
#endif
        for (int n = slice + CUDA_SLICES * me; n < count; n += 32 * CUDA_SLICES) {
            const source_record source = bag[n];
            const int64_t j = a.origin + first + n;
            if (PAIR)
                pp = CUDA_TYPES == 1 ? w.only[v] : pair_load(pairs, source);
            const myr_pair in = {(const coord *)target.lane,
                                 (const coord *)source.lane,
                                 target.lane + COORD_LANES * COORDS,
                                 source.lane + COORD_LANES * COORDS,
                                 pp.lane,
                                 constant};
#if SUM_PROVES
            if (!careful && SUM_(_distances)(&in) >= limit)
                continue;
#endif
            const int counts = !careful || (j != self && !(CUDA_CAREFUL == 2 && row_excludes(a, row, j)));
            w.flag |= pair_beyond(a, scale, &in, careful, counts, at, 0, out);
        }
        MYR_UNROLL
        for (int k = 0; k < OUTPUTS; k++) {
            const ulane coarse = warp_sum(out.coarse[k]), fine = warp_sum(out.fine[k]);
            sum[k].coarse -= me == from ? coarse : 0;
            sum[k].fine -= me == from ? fine : 0;
        }
        __syncwarp();
    }
}
#endif

/* Number of sums between small folds that an accumulator requires within its large folds; 0 if it specifies none. */
#define REFOLD MYR_CAT(MYR_ACC_NAME, _REFOLD)

/* Processes a bag, folding as often as the accumulator requires. `most`: largest |component| of its sources. */
MYR_FN void work_bag(thread_work &w, const myr_cuda_sweep &a, const real *constant, const real *most,
                     const source_record *bag, int64_t first, int count, int careful)
{
    const sum_scales scale(a);
    const int chunk = ACC_(_MAX_STEPS) * CUDA_SLICES;
    for (int done = 0; done < count; done += chunk) {
        const int some = count - done < chunk ? count - done : chunk;
        sum_state sum[CUDA_TARGETS][OUTPUTS];
        sum_reach reach[CUDA_TARGETS];
        int steps;
        MYR_UNROLL
        for (int v = 0; v < CUDA_TARGETS; v++) {
            reach[v] = SUM_(_reach_begin)();
            MYR_UNROLL
            for (int k = 0; k < OUTPUTS; k++)
                sum[v][k] = ACC_(_begin)(w.wide[v][k].word, &scale.output[k]);
        }
#if REFOLD > 0
        steps = 0;
        for (int at = 0; at < some; at += REFOLD * CUDA_SLICES) {
            const int few = some - at < REFOLD * CUDA_SLICES ? some - at : REFOLD * CUDA_SLICES;
            steps += work_steps(w, a, scale, constant, bag + done + at, first + done + at, few, careful, sum, reach);
            MYR_UNROLL
            for (int v = 0; v < CUDA_TARGETS; v++)
                MYR_UNROLL
                for (int k = 0; k < OUTPUTS; k++) {
                    ACC_(_flush)(&sum[v][k], &reach[v].range, &scale.output[k]);
                    ACC_(_refold)(&sum[v][k], &scale.output[k]);
                }
        }
#else
        steps = work_steps(w, a, scale, constant, bag + done, first + done, some, careful, sum, reach);
#endif
        MYR_UNROLL
        for (int v = 0; v < CUDA_TARGETS; v++) {
#if ACC_HOLDS
            MYR_UNROLL
            for (int k = 0; k < OUTPUTS; k++)
                ACC_(_flush)(&sum[v][k], &reach[v].range, &scale.output[k]);
#endif
#if ACC_WIDE
            work_settle(w, a, scale, constant, most, bag + done, first + done, some, CUDA_CAREFUL && careful, v,
                        reach[v], sum[v]);
#else
            w.flag |= (real_uint)reach[v].range >> REAL_MANTISSA != 0;
#endif
            MYR_UNROLL
            for (int k = 0; k < OUTPUTS; k++)
                w.flag |= ACC_(_end)(&sum[v][k], w.wide[v][k].word, &scale.output[k], steps);
        }
    }
}

/* Returns 1 if any thread of the block may have to mask a pair with sources first .. end - 1. */
MYR_FN int bag_is_careful(thread_work &w, const myr_cuda_sweep &a, int64_t first, int64_t end)
{
    int mine = a.careful;
    if (!CUDA_CAREFUL)
        return 0;
    if (CUDA_CAREFUL == 2)
        work_seek(w, a, first);
    for (int v = 0; v < CUDA_TARGETS; v++) {
        mine |= w.self[v] >= first && w.self[v] < end;
        mine |= CUDA_CAREFUL == 2 && w.next[v] < w.last[v] && a.excluded.partner[w.next[v]] < end;
    }
    return __syncthreads_or(mine);
}

/* --- finished sums ------------------------------------------------------------------------------------------------ */
/* Adds the sums of all slices into slice 0. `room` holds the words of one output of the block. */
MYR_FN void work_merge(thread_work &w, sum_words *room)
{
    for (int v = 0; v < CUDA_TARGETS; v++)
        for (int k = 0; k < OUTPUTS; k++) {
            __syncthreads();
            room[threadIdx.x] = w.wide[v][k];
            for (int half = CUDA_SLICES / 2; half > 0; half /= 2) {
                __syncthreads();
                if (w.slice < half)
                    ACC_(_merge)(room[threadIdx.x].word, room[threadIdx.x + half * (blockDim.x / CUDA_SLICES)].word);
            }
            w.wide[v][k] = room[threadIdx.x];
        }
}


MYR_FN void work_end(thread_work &w, const myr_cuda_sweep &a, int64_t split)
{
    for (int v = 0; v < CUDA_TARGETS; v++) {
        const int64_t i = work_target(w, v);
        for (int k = 0; w.slice == 0 && i < a.targets && k < OUTPUTS; k++)
            if (a.part)
                ((sum_words *)a.part)[(split * a.targets + i) * OUTPUTS + k] = w.wide[v][k];
            else
                sum_finish(a, i, k, w.wide[v][k].word);
        if (!a.part && w.slice == 0 && i < a.targets)
            sums_clear(a, i);
    }
    if (w.flag)
        atomicOr(&a.report->flag, w.flag);
    if (CUDA_CAREFUL && w.skipped)
        atomicAdd(&a.report->skipped, (unsigned long long)w.skipped);
}

/* Work of a block: group `group` of threads / CUDA_SLICES x CUDA_TARGETS targets against split `split` of the sources.
 * Shared memory: two bags and the pair table, or the sums of a block if slices are merged. */
MYR_FN void sweep_block(const myr_cuda_sweep &a, int64_t group, int64_t split, char *shared, thread_work &w)
{
    source_record *bag = (source_record *)shared, *other = bag + a.bag;
    real *table = (real *)(other + a.bag);
    const int64_t begin = split * a.per_split;
    const int64_t end = begin + a.per_split < a.sources ? begin + a.per_split : a.sources;
    real constant[CONSTANTS > 0 ? CONSTANTS : 1];
    const real *most = 0;
#if SUM_PROVES
    __shared__ size_bits sizes[2][SOURCE_LANES]; /* of the sources in this bag, and 0 for those of the next */
    int turn = 0;
    if (threadIdx.x < SOURCE_LANES)
        sizes[0][threadIdx.x] = 0;
#endif
    if (begin < end)
        copy_bag(bag, a, begin, end);
    copy_commit();
    MYR_UNROLL
    for (int k = 0; k < CONSTANTS; k++)
        constant[k] = REAL_OF(a.constant[k]);
    for (int n = threadIdx.x; PAIR && CUDA_TABLE && n < a.types * PAIR_ROW; n += blockDim.x)
        table[n] = ((const real *)a.pair_table)[n];
    work_begin(w, a, CUDA_TABLE ? table : (const real *)a.pair_table, group);
    for (int64_t first = begin; first < end; first += a.bag) {
        if (first + a.bag < end)
            copy_bag(other, a, first + a.bag, end);
        copy_commit();
        copy_wait<1>();
        const int64_t left = end - first;
        const int count = (int)(left < a.bag ? left : a.bag);
#if SUM_PROVES
        bag_measure(bag, count, sizes[turn]);
        most = (const real *)sizes[turn];
        turn = !turn;
        if (threadIdx.x < SOURCE_LANES)
            sizes[turn][threadIdx.x] = 0;
        if (!CUDA_CAREFUL) /* else bag_is_careful waits for all threads */
            __syncthreads();
#endif
        const int careful = bag_is_careful(w, a, a.origin + first, a.origin + first + count);
        work_bag(w, a, constant, most, bag, first, count, careful);
        __syncthreads();
        source_record *done = bag;
        bag = other;
        other = done;
    }
    if (CUDA_SLICES > 1)
        work_merge(w, (sum_words *)shared);
}

#if CUDA_OUTPUTS == 0
extern "C" __global__ void __launch_bounds__(CUDA_THREADS, CUDA_BLOCKS) sweep(const __grid_constant__ myr_cuda_sweep a)
{
    extern __shared__ __align__(16) char shared[];
    thread_work w;
    sweep_block(a, blockIdx.x, blockIdx.y, shared, w);
    work_end(w, a, blockIdx.y);
}

/* --- merging of splits -------------------------------------------------------------------------------------------- */
/* Entry e of the list of subtracted pairs, with the data of its source. */
struct taken_pair {
    int j;
    source_record source;
    pair_record pp;
    myr_pair in;
    __device__ __forceinline__ taken_pair(const myr_cuda_finish &f, int64_t e, int type, const target_record &target,
                                          const real *constant)
        : j(f.subtracted.partner[e]), source(((const source_record *)f.sweep.source)[j])
    {
        if (PAIR)
            pp = pair_load((const real *)f.sweep.pair_table + type, source);
        in = {(const coord *)target.lane,
              (const coord *)source.lane,
              target.lane + COORD_LANES * COORDS,
              source.lane + COORD_LANES * COORDS,
              pp.lane,
              constant};
    }
};

/* Contributions of the listed partners of target i, negated. */
MYR_FN uint32_t sum_taken(const myr_cuda_finish &f, const real *constant, int64_t i, sum_words *taken)
{
    const myr_cuda_sweep &a = f.sweep;
    const int64_t row = a.row ? a.row[i] : i, end = f.subtracted.offset[row + 1];
    const target_record target = ((const target_record *)a.target)[i];
    const int type = PAIR ? a.target_type[i] : 0, self = a.self ? a.self[i] : -1;
    const sum_scales scale(a);
    uint32_t flag = 0;
    ilane skipped = 0;
#if REFOLD > 0
    const int most = REFOLD;
#else
    const int most = ACC_(_MAX_STEPS);
#endif
    for (int64_t begin = f.subtracted.offset[row]; begin < end; begin += most) {
        const int64_t stop = end - begin < most ? end : begin + most;
        sum_state sum[OUTPUTS];
        sum_reach reach = SUM_(_reach_begin)();
        for (int k = 0; k < OUTPUTS; k++)
            sum[k] = ACC_(_begin)(taken[k].word, &scale.output[k]);
        for (int64_t e = begin; e < stop; e++) {
            const taken_pair pair(f, e, type, target, constant);
            SUM_(_pair)(&pair.in, scale.output, 1, pair.j != self, sum, &reach, &skipped);
        }
#if ACC_HOLDS
        for (int k = 0; k < OUTPUTS; k++)
            ACC_(_flush)(&sum[k], &reach.range, &scale.output[k]);
#endif
        if ((real_uint)reach.range >> REAL_MANTISSA) {
#if ACC_WIDE
            beyond_words out = {};
            for (int64_t e = begin; e < stop; e++) {
                const taken_pair pair(f, e, type, target, constant);
                flag |= pair_beyond(a, scale, &pair.in, 1, pair.j != self, i, 1, out);
            }
            for (int k = 0; k < OUTPUTS; k++) {
                sum[k].coarse -= out.coarse[k];
                sum[k].fine -= out.fine[k];
            }
#else
            flag = 1;
#endif
        }
        for (int k = 0; k < OUTPUTS; k++)
            flag |= ACC_(_end)(&sum[k], taken[k].word, &scale.output[k], stop - begin);
    }
    for (int k = 0; k < OUTPUTS; k++)
        ACC_(_negate)(taken[k].word);
    if (skipped) /* subtracted coincident pairs do not count as skipped */
        atomicAdd(&a.report->skipped, (unsigned long long)-(long long)skipped);
    return flag;
}

/* One thread per target: merges the splits in order, subtracts listed partners and converts to a number; then sums the
 * net of the block. */
extern "C" __global__ void __launch_bounds__(MYR_CUDA_BLOCK) finish(const __grid_constant__ myr_cuda_finish f)
{
    __shared__ sum_words room[MYR_CUDA_BLOCK];
    const myr_cuda_sweep &a = f.sweep;
    const int64_t i = (int64_t)blockIdx.x * MYR_CUDA_BLOCK + threadIdx.x;
    sum_words taken[OUTPUTS];
    real constant[CONSTANTS > 0 ? CONSTANTS : 1];
    for (int k = 0; k < CONSTANTS; k++)
        constant[k] = REAL_OF(a.constant[k]);
    for (int k = 0; k < OUTPUTS; k++)
        for (int r = 0; r < MYR_ACC_LOOP_WORDS; r++)
            taken[k].word[r].i = 0;
    if (i < a.targets && f.subtracted.offset) {
        const uint32_t flag = sum_taken(f, constant, i, taken);
        if (flag)
            atomicOr(&a.report->flag, flag);
    }
    for (int k = 0; k < OUTPUTS; k++) {
        sum_words sum = {};
        if (i < a.targets) {
            const sum_words *from = (const sum_words *)a.part + i * OUTPUTS + k;
            sum = *from;
            for (int64_t s = 1; s < f.splits; s++)
                ACC_(_merge)(sum.word, from[s * a.targets * OUTPUTS].word);
            if (f.subtracted.offset)
                ACC_(_merge)(sum.word, taken[k].word);
            if (f.keep)
                ((sum_words *)a.part)[i * OUTPUTS + k] = sum;
            sum_finish(a, i, k, sum.word);
#if ACC_WIDE
            if (__ldcg(&a.over_used[i]))
                over_add(&a.report->net[k], over_load(a, i, k));
#endif
        }
        if (!f.net)
            continue;
        __syncthreads();
        room[threadIdx.x] = sum;
        for (int half = MYR_CUDA_BLOCK / 2; half > 0; half /= 2) {
            __syncthreads();
            if (threadIdx.x < half)
                ACC_(_merge)(room[threadIdx.x].word, room[threadIdx.x + half].word);
        }
        if (threadIdx.x == 0)
            ((sum_words *)f.net)[blockIdx.x * OUTPUTS + k] = room[0];
    }
    if (i < a.targets && !f.keep)
        sums_clear(a, i);
}

/* --- records ------------------------------------------------------------------------------------------------------ */
template <typename number> __device__ __forceinline__ void pack_record(const myr_cuda_pack &p, int64_t r)
{
    number *to = (number *)p.record + r * p.stride;
    const int64_t i = p.at ? p.at[r] : r;
    for (int c = 0; c < p.stride; c++)
        to[c] = c < p.components ? ((const number *)p.component)[c * p.n + i] : 0;
    if (p.type)
        *(int32_t *)(to + p.components) = p.type[i] * p.row;
}

extern "C" __global__ void __launch_bounds__(MYR_CUDA_BLOCK) pack(const __grid_constant__ myr_cuda_pack p)
{
    const int64_t r = (int64_t)blockIdx.x * MYR_CUDA_BLOCK + threadIdx.x;
    if (r < p.records)
        pack_record<real>(p, r);
}
#endif
