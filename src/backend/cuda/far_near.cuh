/* far_near.cuh - near field of the fast multipole method on a GPU: the targets of a leaf against ranges of sources.
 * Compiled at run time for one kernel, accumulator and arithmetic with the macros of sums.cuh and
 *   CUDA_TARGETS   largest number of targets per thread
 *   CUDA_WIDE      threads of a warp with different targets
 *   CUDA_WORDS     words of a sum that the accumulator uses
 *   CUDA_BLOCKS    blocks per multiprocessor for which registers must suffice
 *   CUDA_SUMS      sums of the far field per target; 0 = far cells are sources
 *   CUDA_FINISH    number of outputs that the kernel's function NAME_finish makes of its sums, whose pairs share
 * numbers of a source (NAME_share); 0 = sums are outputs
 *
 * A block of two warps has an item: up to MYR_FAR_TARGETS targets of a leaf. Sources are in shared memory; the next
 * ones are copied while the present ones are processed. CUDA_WIDE threads of a warp have different targets,
 * CUDA_TARGETS each at most; the other threads of the block share these targets and take other sources. The order of
 * all sums follows from the tree. */
#define CUDA_OUTPUTS 0
#define CUDA_TYPES 1
#define SWEEP_PAIRS_ONLY 1
#include "backend/cuda/sums.cuh"

#include "backend/cuda/far_args.h"

enum {
    TARGET_FIELDS = TARGET_LANES - COORDS * COORD_LANES,
    LANES_WIDE = CUDA_WIDE,
    VALUES = CUDA_FINISH ? CUDA_FINISH : OUTPUTS,
    LIST_ROOM = MYR_FAR_RANGES_HELD,
    LIST_BYTES = MYR_FAR_LISTED,
    HELD_BYTES = MYR_FAR_HELD(SOURCE_LANES), /* ranges and sizes */
    WORDS_BYTES = MYR_FAR_FOLDED(CUDA_TARGETS, OUTPUTS, CUDA_WORDS),
    SPLITS = MYR_FAR_NEAR_THREADS / LANES_WIDE,
    WARPS = MYR_FAR_NEAR_THREADS / 32,
    SUMS_BYTES = MYR_FAR_MERGED(OUTPUTS, CUDA_WORDS),
    BAGS_BYTES = MYR_FAR_BAGS((int)sizeof(source_record)),
    SHARED_BYTES = SUMS_BYTES > BAGS_BYTES ? SUMS_BYTES : BAGS_BYTES
};
static_assert(SHARED_BYTES + HELD_BYTES + WORDS_BYTES <= MYR_FAR_SHARED, "a block has at most 48 kB of shared memory");

/* Some ranges of a list in shared memory, and how many sources are before each. */
struct near_ranges {
    myr_far_range range[LIST_ROOM];
    int32_t before[LIST_ROOM + 2]; /* one more than there are ranges, and one to keep the size a multiple of 8 */
};
static_assert(sizeof(near_ranges) == LIST_BYTES, "far_args.h");

/* Where the next bag begins. */
struct near_cursor {
    int32_t next;        /* entry of the list behind those in shared memory */
    int32_t done, total; /* sources of these ranges that were copied, and all of them */
    int32_t mine;        /* range of the source that this thread copied last */
    int32_t range;       /* range of the next source */
    int32_t image;       /* of the sources of the bag that was filled last */
};

/* Brings the next ranges of the list to shared memory. All threads of the block take part. */
MYR_FN void ranges_load(const myr_far_near &a, const myr_far_leaf &list, near_cursor &at, near_ranges *held)
{
    const int left = list.ranges - at.next, some = left < LIST_ROOM ? left : LIST_ROOM, lane = threadIdx.x % 32;
    __syncthreads();
    for (int k = threadIdx.x; k < some; k += MYR_FAR_NEAR_THREADS)
        held->range[k] = a.range[list.range + at.next + k];
    __syncthreads();
    if (threadIdx.x < 32) {
        int32_t before = 0;
        for (int k = lane; k - lane < some; k += 32) { /* inclusive sums over the warp, 32 ranges at a time */
            int32_t sum = k < some ? held->range[k].count : 0;
            for (int step = 1; step < 32; step *= 2) {
                const int32_t other = __shfl_up_sync(~0u, sum, step);
                sum += lane >= step ? other : 0;
            }
            if (k < some)
                held->before[k + 1] = before + sum;
            before += __shfl_sync(~0u, sum, 31);
        }
        if (lane == 0)
            held->before[0] = 0;
    }
    __syncthreads();
    at.next += some;
    at.done = at.mine = at.range = 0;
    at.total = held->before[some];
}

/* Sources from at.done on that are of one image of a periodic box. */
MYR_FN int cursor_alike(near_cursor &at, const near_ranges *held)
{
    while (held->before[at.range + 1] <= at.done)
        at.range++;
    at.image = held->range[at.range].image;
    int end = at.range;
    while (held->before[end + 1] < at.total && held->range[end + 1].image == at.image)
        end++;
    return held->before[end + 1] - at.done;
}

/* Copies the next sources of the list to a bag; returns their number. All threads of the block do the same. */
MYR_FN int bag_fill(const myr_far_near &a, const myr_far_leaf &list, near_cursor &at, near_ranges *held,
                    source_record *bag)
{
    const int pieces = (int)sizeof(source_record) / MYR_CUDA_BAG_ALIGN;
    while (at.done == at.total && at.next < list.ranges)
        ranges_load(a, list, at, held);
    if (at.done == at.total)
        return 0;
    const int alike = a.period > 0 ? cursor_alike(at, held) : at.total - at.done;
    const int some = alike < MYR_FAR_BAG ? alike : MYR_FAR_BAG;
    for (int n = threadIdx.x; n < some; n += MYR_FAR_NEAR_THREADS) {
        while (held->before[at.mine + 1] <= at.done + n)
            at.mine++;
        const myr_far_range range = held->range[at.mine];
        const source_record *from =
            (const source_record *)a.sweep.source + range.first + (at.done + n - held->before[at.mine]);
        MYR_UNROLL
        for (int k = 0; k < pieces; k++)
            copy_piece((char *)(bag + n) + k * MYR_CUDA_BAG_ALIGN, (const char *)from + k * MYR_CUDA_BAG_ALIGN);
    }
    at.done += some;
    return some;
}

/* Copies sources of the leaf itself. */
MYR_FN int bag_own(const myr_far_near &a, const myr_far_cell &leaf, int done, source_record *bag)
{
    const int pieces = (int)sizeof(source_record) / MYR_CUDA_BAG_ALIGN;
    const int left = leaf.acting - done, some = left < MYR_FAR_BAG ? left : MYR_FAR_BAG;
    const char *from = (const char *)((const source_record *)a.sweep.source + leaf.first + done);
    for (int n = threadIdx.x; n < some * pieces; n += MYR_FAR_NEAR_THREADS)
        copy_piece((char *)bag + n * MYR_CUDA_BAG_ALIGN, from + n * MYR_CUDA_BAG_ALIGN);
    return some;
}

/* Targets of a thread and their sums. */
template <int T> struct near_work {
    target_record target[T];
    int32_t place[T]; /* in tree order; past the end the last target is repeated */
    int valid[T];
    sum_state sum[T][OUTPUTS];
    myr_word *wide;   /* folded sums of this thread: shared memory, see near_word */
    int split, steps; /* steps since the sums were folded */
    uint32_t flag;
    long long skipped;
};

/* Word r of the folded sum of output k of target v. Folded sums are in shared memory, adjacent threads beside each
 * other: they are seldom needed, and would take more registers than the sums of the loop. */
MYR_FN myr_word &near_word(myr_word *wide, int v, int k, int r)
{
    return wide[((v * OUTPUTS + k) * CUDA_WORDS + r) * MYR_FAR_NEAR_THREADS];
}

MYR_FN sum_words near_words(myr_word *wide, int v, int k)
{
    sum_words sum = {};
    MYR_UNROLL
    for (int r = 0; r < CUDA_WORDS; r++)
        sum.word[r] = near_word(wide, v, k, r);
    return sum;
}

/* Clears the sums. */
template <int T> __device__ __forceinline__ void near_begin(near_work<T> &w, const sum_scales &scale)
{
    const sum_words none = {};
    w.steps = 0;
    MYR_UNROLL
    for (int v = 0; v < T; v++) {
        MYR_UNROLL
        for (int k = 0; k < OUTPUTS; k++) {
            MYR_UNROLL
            for (int r = 0; r < CUDA_WORDS; r++)
                near_word(w.wide, v, k, r) = none.word[r];
            w.sum[v][k] = ACC_(_begin)(none.word, &scale.output[k]);
        }
    }
}

/* Adds the sums of the loop to the folded ones, and begins again. */
template <int T> __device__ __forceinline__ void near_fold(near_work<T> &w, const sum_scales &scale)
{
    MYR_UNROLL
    for (int v = 0; v < T; v++) {
        MYR_UNROLL
        for (int k = 0; k < OUTPUTS; k++) {
            sum_words sum = near_words(w.wide, v, k);
            w.flag |= ACC_(_end)(&w.sum[v][k], sum.word, &scale.output[k], w.steps);
            MYR_UNROLL
            for (int r = 0; r < CUDA_WORDS; r++)
                near_word(w.wide, v, k, r) = sum.word[r];
            w.sum[v][k] = ACC_(_begin)(sum.word, &scale.output[k]);
        }
    }
    w.steps = 0;
}

/* A target: its own record where it has fields, else the coordinates of the source that it is. */
MYR_FN target_record near_target(const myr_far_near &a, int32_t place)
{
    target_record target;
    if (TARGET_FIELDS)
        return ((const target_record *)a.sweep.target)[place];
    const source_record record = ((const source_record *)a.sweep.source)[place];
    MYR_UNROLL
    for (int c = 0; c < TARGET_LANES; c++)
        target.lane[c] = record.lane[c];
    return target;
}

/* A target as the sources of an image see it: moved by the opposite distance. */
MYR_FN target_record near_moved(const myr_far_near &a, int32_t place, int32_t image)
{
    target_record target = near_target(a, place);
    MYR_UNROLL
    for (int axis = 0; axis < 3 && image; axis++) {
        real *x = target.lane + axis * COORD_LANES;
        const double by = (double)(int8_t)(image >> (8 * axis)) * a.period;
        const double at = (COORD_LANES == 2 ? (double)x[0] + (double)x[COORD_LANES - 1] : (double)x[0]) - by;
        x[0] = (real)at;
        if (COORD_LANES == 2)
            x[COORD_LANES - 1] = (real)(at - (double)x[0]);
    }
    return target;
}

template <int T>
__device__ __forceinline__ void near_load(const myr_far_near &a, int32_t first, int count, near_work<T> &w)
{
    const int column = threadIdx.x % LANES_WIDE;
    w.split = threadIdx.x / LANES_WIDE;
    w.flag = 0;
    w.skipped = 0;
    MYR_UNROLL
    for (int v = 0; v < T; v++) {
        const int i = v * LANES_WIDE + column;
        w.valid[v] = i < count;
        w.place[v] = first + (i < count ? i : count - 1);
        w.target[v] = near_target(a, w.place[v]);
    }
}

/* One source against the targets of the thread; `j`: place of the source in tree order, or -1 where no target can be
 * it. */
template <int T, int careful>
__device__ __forceinline__ void near_source(near_work<T> &w, const sum_scales &scale, const real *constant,
                                            const source_record &source, int32_t j, sum_reach *reach, ilane *skipped)
{
    const real *shared = 0;
#if CUDA_FINISH
    real numbers[KERNEL_(_SHARED)];
    KERNEL_(_share)(source.lane + COORD_LANES * COORDS, numbers);
    shared = numbers;
#endif
    MYR_UNROLL
    for (int v = 0; v < T; v++) {
        const real *me = w.target[v].lane;
        const myr_pair in = {(const coord *)me,
                             (const coord *)source.lane,
                             me + COORD_LANES * COORDS,
                             source.lane + COORD_LANES * COORDS,
                             shared,
                             constant};
        ilane coincident = 0;
        SUM_(_pair)(&in, scale.output, careful, careful ? j != w.place[v] : 1, w.sum[v], &reach[v], &coincident);
        *skipped += careful && w.valid[v] ? coincident : 0;
    }
}

#if ACC_WIDE
/* Adds the contributions of every SPLITS-th source of a bag that are beyond the range to the wide integers of a target,
 * and notes their words; the threads of a warp share the sources. Inlined: where it was not, only some of the
 * contributions were moved on an H200 (CUDA 13.0), so that fixed sums were wrong; emulated, they were right. */
MYR_FN uint32_t near_scan(const myr_far_near &a, const target_record &target, int32_t place, const real *most,
                          real least, const source_record *bag, int32_t first, int count, int split, int careful,
                          beyond_words &out)
{
    const sum_scales scale(a.sweep);
    real constant[CONSTANTS > 0 ? CONSTANTS : 1];
    uint32_t flag = 0;
    MYR_UNROLL
    for (int k = 0; k < CONSTANTS; k++)
        constant[k] = REAL_OF(a.sweep.constant[k]);
#if SUM_PROVES
    const real limit = careful ? K(INFINITY) : SUM_(_limit)(target.lane, most, constant, scale.output, least);
#endif
    for (int n = split + SPLITS * (threadIdx.x % 32); n < count; n += 32 * SPLITS) {
        const source_record source = bag[n];
        const myr_pair in = {(const coord *)target.lane,
                             (const coord *)source.lane,
                             target.lane + COORD_LANES * COORDS,
                             source.lane + COORD_LANES * COORDS,
                             0,
                             constant};
#if SUM_PROVES
        if (!careful && SUM_(_distances)(&in) >= limit)
            continue;
#endif
        flag |= pair_beyond(a.sweep, scale, &in, careful, first < 0 || first + n != place, place, 0, out);
    }
    return flag;
}

/* 1 if some contribution to target v may be beyond the range. */
template <int T>
MYR_FN int near_is_beyond(const near_work<T> &w, const sum_scales &scale, const real *constant, const real *most,
                          int careful, int v, const sum_reach &reach)
{
#if SUM_PROVES
    if (!careful)
        return w.valid[v] && SUM_(_open)(w.target[v].lane, most, constant, scale.output, reach.least) != 0;
#endif
    return w.valid[v] && (real_uint)reach.range >> REAL_MANTISSA != 0;
}

/* Moves the contributions beyond the range from the sums of target v to wide integers: the threads of a warp scan the
 * bag together for each thread whose target has some. */
template <int T>
__device__ __forceinline__ void near_settle(const myr_far_near &a, near_work<T> &w, const real *most,
                                            const source_record *bag, int32_t first, int count, int careful, int v,
                                            const sum_reach &reach, int beyond)
{
    const int me = threadIdx.x % 32;
    for (unsigned fired = __ballot_sync(~0u, beyond); fired; fired &= fired - 1) {
        const int from = __ffs((int)fired) - 1, split = __shfl_sync(~0u, w.split, from);
        const int32_t place = __shfl_sync(~0u, w.place[v], from);
        target_record target;
        beyond_words out = {};
        MYR_UNROLL
        for (int c = 0; c < TARGET_LANES; c++)
            target.lane[c] = __shfl_sync(~0u, w.target[v].lane[c], from);
        const real least = __shfl_sync(~0u, reach.least, from);
        w.flag |= near_scan(a, target, place, most, least, bag, first, count, split, careful, out);
        MYR_UNROLL
        for (int k = 0; k < OUTPUTS; k++) {
            const ulane coarse = warp_sum(out.coarse[k]), fine = warp_sum(out.fine[k]);
            w.sum[v][k].coarse -= me == from ? coarse : 0;
            w.sum[v][k].fine -= me == from ? fine : 0;
        }
        __syncwarp();
    }
}
#endif

/* Largest number of additions after which an accumulator must be folded within a bag; 0 = it holds a whole bag. */
#if MYR_CAT(MYR_ACC_NAME, _REFOLD) > 0
#define NEAR_CHUNK MYR_CAT(MYR_ACC_NAME, _REFOLD)
#elif ACC_(_MAX_STEPS) < 128
#define NEAR_CHUNK ACC_(_MAX_STEPS)
#else
#define NEAR_CHUNK 0
#endif

/* `steps` sources of a bag from number n on, two at a time; every SPLITS-th one. */
template <int T, int careful>
__device__ __forceinline__ void near_steps(near_work<T> &w, const sum_scales &scale, const real *constant,
                                           const source_record *bag, int32_t first, int n, int steps, sum_reach *reach,
                                           ilane *skipped)
{
    MYR_UNROLL_BY(1)
    for (int pairs = steps / 2; pairs > 0; pairs--, n += 2 * SPLITS) {
        const source_record one = bag[n], two = bag[n + SPLITS];
        near_source<T, careful>(w, scale, constant, one, first < 0 ? -1 : first + n, reach, skipped);
        near_source<T, careful>(w, scale, constant, two, first < 0 ? -1 : first + n + SPLITS, reach, skipped);
    }
    if (steps % 2 == 1) {
        const source_record last = bag[n];
        near_source<T, careful>(w, scale, constant, last, first < 0 ? -1 : first + n, reach, skipped);
    }
}

/* Folds sums that a part of a bag has filled. */
template <int T>
__device__ __forceinline__ void near_refold(near_work<T> &w, const sum_scales &scale, int steps, sum_reach *reach)
{
    w.steps += steps;
#if MYR_CAT(MYR_ACC_NAME, _REFOLD) > 0
    MYR_UNROLL
    for (int v = 0; v < T; v++)
        MYR_UNROLL
    for (int k = 0; k < OUTPUTS; k++) {
        ACC_(_flush)(&w.sum[v][k], &reach[v].range, &scale.output[k]);
        ACC_(_refold)(&w.sum[v][k], &scale.output[k]);
    }
#elif NEAR_CHUNK > 0
    near_fold(w, scale);
#endif
}

/* The sources of a bag. first: place of the bag's first source if the bag has particles of the leaf
 * itself, else -1. */
template <int T, int careful>
__device__ __forceinline__ void near_bag(const myr_far_near &a, near_work<T> &w, const sum_scales &scale,
                                         const real *constant, const real *most, const source_record *bag,
                                         int32_t first, int count)
{
    const int steps = (count - w.split + SPLITS - 1) / SPLITS;
    ilane skipped = 0;
    sum_reach reach[T];
    if ((w.steps && w.steps + MYR_FAR_BAG / SPLITS > ACC_(_MAX_STEPS)) || (CUDA_FOLD && w.steps))
        near_fold(w, scale);
    MYR_UNROLL
    for (int v = 0; v < T; v++)
        reach[v] = SUM_(_reach_begin)();
#if NEAR_CHUNK > 0
    for (int done = 0; done < steps; done += NEAR_CHUNK) {
        const int some = steps - done < NEAR_CHUNK ? steps - done : NEAR_CHUNK;
        near_steps<T, careful>(w, scale, constant, bag, first, w.split + done * SPLITS, some, reach, &skipped);
        near_refold<T>(w, scale, some, reach);
    }
#else
    near_steps<T, careful>(w, scale, constant, bag, first, w.split, steps, reach, &skipped);
    w.steps += steps > 0 ? steps : 0;
#endif
    w.skipped += skipped;
#if ACC_WIDE
    unsigned beyond = 0; /* bit v: target v */
#endif
    MYR_UNROLL
    for (int v = 0; v < T; v++) {
#if ACC_HOLDS
        MYR_UNROLL
        for (int k = 0; k < OUTPUTS; k++)
            ACC_(_flush)(&w.sum[v][k], &reach[v].range, &scale.output[k]);
#endif
#if ACC_WIDE
        beyond |= (unsigned)near_is_beyond<T>(w, scale, constant, most, careful, v, reach[v]) << v;
#else
        w.flag |= (real_uint)reach[v].range >> REAL_MANTISSA != 0;
#endif
    }
#if ACC_WIDE
    if (__ballot_sync(~0u, beyond) == 0) /* as in most bags */
        return;
    MYR_UNROLL
    for (int v = 0; v < T; v++)
        near_settle<T>(a, w, most, bag, first, count, careful, v, reach[v], beyond >> v & 1);
#endif
}

/* Adds the sums of the threads that share targets: within a warp, then through shared memory. Afterwards
 * room[(warp * MYR_FAR_TARGETS + target) * OUTPUTS + k] has the sum of a warp. */
template <int T> __device__ __forceinline__ void near_merge(near_work<T> &w, myr_word *room)
{
    const int warp = threadIdx.x / 32, column = threadIdx.x % LANES_WIDE;
    __syncthreads(); /* bags are not read any more */
    MYR_UNROLL
    for (int v = 0; v < T; v++) {
        MYR_UNROLL
        for (int k = 0; k < OUTPUTS; k++) {
            sum_words sum = near_words(w.wide, v, k);
            MYR_UNROLL
            for (int half = LANES_WIDE; half < 32; half *= 2) {
                sum_words other = {};
                MYR_UNROLL
                for (int r = 0; r < CUDA_WORDS; r++)
                    other.word[r].i = __shfl_xor_sync(~0u, (long long)sum.word[r].i, half);
                ACC_(_merge)(sum.word, other.word);
            }
            const int at = ((warp * MYR_FAR_TARGETS + v * LANES_WIDE + column) * OUTPUTS + k) * CUDA_WORDS;
            MYR_UNROLL
            for (int r = 0; r < CUDA_WORDS; r++)
                if (threadIdx.x % 32 < LANES_WIDE)
                    room[at + r] = sum.word[r];
        }
    }
    __syncthreads();
}

MYR_FN double far_sum(const myr_far_near &a, int32_t place, int q)
{
    const int64_t at = (int64_t)place * CUDA_SUMS + q;
    return a.sum_bytes == 8 ? ((const double *)a.sum)[at] : (double)((const float *)a.sum)[at];
}

/* Adds the sums of the warps of `count` targets in the order of the warps; [target][output][word] of `to`, which may be
 * the room of the first warp. */
MYR_FN void near_add(const myr_word *room, int count, myr_word *to)
{
    for (int at = (int)threadIdx.x; at < count * OUTPUTS; at += MYR_FAR_NEAR_THREADS) {
        sum_words sum = {};
        MYR_UNROLL
        for (int warp = 0; warp < WARPS; warp++) {
            sum_words part = {};
            MYR_UNROLL
            for (int r = 0; r < CUDA_WORDS; r++)
                part.word[r] = room[(warp * MYR_FAR_TARGETS * OUTPUTS + at) * CUDA_WORDS + r];
            ACC_(_merge)(sum.word, part.word);
        }
        MYR_UNROLL
        for (int r = 0; r < CUDA_WORDS; r++)
            to[at * CUDA_WORDS + r] = sum.word[r];
    }
}

/* Results of one target: near and far field, in the order of the caller. near: [output][word]. */
MYR_FN void near_finish(const myr_far_near &a, const myr_word *near, int32_t place)
{
    const int64_t i = a.is_shared ? place : a.order[place];
    double far[CUDA_SUMS > 0 ? CUDA_SUMS : 1], field[1 + MYR_FAR_FIELDS] = {1, 0, 0, 0};
    for (int q = 0; q < CUDA_SUMS; q++)
        far[q] = far_sum(a, place, q);
    if (TARGET_FIELDS) {
        const target_record own = near_target(a, place);
        MYR_UNROLL
        for (int f = 0; f < TARGET_FIELDS; f++)
            field[1 + f] = (double)own.lane[COORDS * COORD_LANES + f];
    }
    double total[OUTPUTS];
    for (int k = 0; k < OUTPUTS; k++) {
        sum_words sum = {};
        for (int r = 0; r < CUDA_WORDS; r++)
            sum.word[r] = near[k * CUDA_WORDS + r];
        total[k] = sum_total(a.sweep, place, k, sum.word);
    }
#if CUDA_FINISH
    KERNEL_(_finish)(field + 1, total);
#endif
    for (int k = 0; k < VALUES; k++) {
        double value = total[k];
        for (int q = 0; q < CUDA_SUMS; q++) {
            const double *row = a.matrix + (k * CUDA_SUMS + q) * (1 + MYR_FAR_FIELDS);
            double factor = row[0];
            for (int f = 1; f <= TARGET_FIELDS; f++)
                factor += row[f] * field[f];
            value += factor * far[q];
        }
        value *= a.sweep.factor;
        if (a.sweep.value[k])
            a.sweep.value[k][i] = value;
        if (!isfinite(value))
            atomicMax(&a.sweep.report->bad, (int32_t)(0x7fffffff - i));
    }
    sums_clear(a.sweep, place);
}

/* Up to T x LANES_WIDE targets from `first` on against everything near their leaf. */
template <int T>
static __device__ __noinline__ void near_targets(const myr_far_near &a, int32_t number, int32_t first, int count,
                                                 char *shared)
{
    near_ranges *ranges = (near_ranges *)(shared + SHARED_BYTES);
    const myr_far_cell leaf = a.cell[number];
    const myr_far_leaf list = a.leaf[number];
    const sum_scales scale(a.sweep);
    real constant[CONSTANTS > 0 ? CONSTANTS : 1];
    source_record *bag = (source_record *)shared, *other = bag + MYR_FAR_BAG;
    near_work<T> w;
    MYR_UNROLL
    for (int k = 0; k < CONSTANTS; k++)
        constant[k] = REAL_OF(a.sweep.constant[k]);
    __syncthreads(); /* the shared memory of the targets before these */
    w.wide = (myr_word *)(shared + SHARED_BYTES + HELD_BYTES) + threadIdx.x;
    near_load<T>(a, first, count, w);
    near_begin(w, scale);
    near_cursor at = {0, 0, 0, 0, 0, 0};
    int32_t image = 0; /* of the sources that see the targets where they are in `w` */
    const real *most = 0;
#if SUM_PROVES
    size_bits(*sizes)[SOURCE_LANES] = (size_bits(*)[SOURCE_LANES])(shared + SHARED_BYTES + LIST_BYTES);
    int turn = 0;
    if (threadIdx.x < SOURCE_LANES)
        sizes[0][threadIdx.x] = 0;
#endif
    int own = leaf.acting < MYR_FAR_BAG ? leaf.acting : MYR_FAR_BAG, done = 0;
    int held = own > 0 ? bag_own(a, leaf, 0, bag) : bag_fill(a, list, at, ranges, bag);
    copy_commit();
    while (held > 0) {
        const int mine = own > 0; /* 1 = the bag has particles of the leaf itself */
        const int32_t there = mine ? 0 : at.image;
        const int32_t start = mine && a.masks_self ? leaf.first + done : -1;
        int next;
        done += own;
        if (done < leaf.acting)
            next = own = bag_own(a, leaf, done, other);
        else {
            own = 0;
            next = bag_fill(a, list, at, ranges, other);
        }
        copy_commit();
        copy_wait<1>();
        const int careful = start >= 0 || a.sweep.careful;
        if (there != image) {
            image = there;
            MYR_UNROLL
            for (int v = 0; v < T; v++)
                w.target[v] = near_moved(a, w.place[v], image);
        }
#if SUM_PROVES
        if (!careful) { /* sizes of the sources, for the proof that contributions are within the range */
            bag_measure(bag, held, sizes[turn]);
            turn = !turn;
            if (threadIdx.x < SOURCE_LANES)
                sizes[turn][threadIdx.x] = 0;
            __syncthreads();
            most = (const real *)sizes[!turn];
        }
#endif
        if (careful)
            near_bag<T, 1>(a, w, scale, constant, most, bag, start, held);
        else
            near_bag<T, 0>(a, w, scale, constant, most, bag, -1, held);
        __syncthreads();
        source_record *empty = bag;
        bag = other;
        other = empty;
        held = next;
    }
    copy_wait<0>();
    near_fold(w, scale);
    near_merge<T>(w, (myr_word *)shared);
#if ACC_WIDE
    near_add((const myr_word *)shared, count, a.word + (int64_t)first * OUTPUTS * CUDA_WORDS);
#else
    near_add((const myr_word *)shared, count, (myr_word *)shared);
    __syncthreads();
    if ((int)threadIdx.x < count)
        near_finish(a, (const myr_word *)shared + threadIdx.x * OUTPUTS * CUDA_WORDS, first + (int)threadIdx.x);
#endif
    if (w.flag)
        atomicOr(&a.sweep.report->flag, w.flag);
    if (w.skipped)
        atomicAdd(&a.sweep.report->skipped, (unsigned long long)w.skipped);
}

/* Calls near_targets for as few targets per thread as suffice. */
template <int T>
__device__ __forceinline__ void near_choose(const myr_far_near &a, int32_t number, int32_t first, int count,
                                            char *shared)
{
    if constexpr (T > 1)
        if (count <= (T - 1) * LANES_WIDE) {
            near_choose<T - 1>(a, number, first, count, shared);
            return;
        }
    near_targets<T>(a, number, first, count, shared);
}

extern "C" __global__ void __launch_bounds__(MYR_FAR_NEAR_THREADS, CUDA_BLOCKS)
    far_near(const __grid_constant__ myr_far_near a)
{
    __shared__ __align__(16) char shared[SHARED_BYTES + HELD_BYTES + WORDS_BYTES];
    if (a.state->overflow || (int)blockIdx.x >= (a.items ? a.items : a.state->used[MYR_FAR_WORK]))
        return;
    const myr_far_item item = a.item[blockIdx.x];
    const int most = CUDA_TARGETS * LANES_WIDE, parts = (item.count + most - 1) / most;
    for (int k = 0; k < parts; k++) { /* parts of nearly equal size */
        const int begin = item.count * k / parts, end = item.count * (k + 1) / parts;
        near_choose<CUDA_TARGETS>(a, item.cell, item.first + begin, end - begin, shared);
    }
}

#if ACC_WIDE
/* Results with fixed sums. A kernel of its own: one warp of a block would convert wide integers, and the others wait.
 */
extern "C" __global__ void __launch_bounds__(MYR_FAR_THREADS) far_finish(const __grid_constant__ myr_far_near a)
{
    const int32_t number = (int32_t)(blockIdx.x * MYR_FAR_THREADS + threadIdx.x), place = a.first + number;
    if (a.is_shared && (place < 0x7fffffff - a.state->own[0] || place >= a.state->own[1]))
        return;
    if (!a.state->overflow && number < a.sweep.targets)
        near_finish(a, a.word + (int64_t)place * OUTPUTS * CUDA_WORDS, place);
}
#endif
