/* molecule_pairs.cuh - sums over all pairs of a replica, of molecule.cuh, for one kernel. Included after sums.cuh, for
 * kernels of a solvent again, in namespaces of their own, with
 *   PAIRS_SET     the sums: MYR_MOLECULE_PAIRS or those of a solvent
 *   PAIRS_SOLVENT 1 = sums of a solvent, which have neither tables nor exclusions
 *   PAIRS_SELF    1 = the pair of an atom with itself counts
 *
 * A warp takes 32 targets per register of each thread and some sources, which it copies to shared memory a bag at a
 * time, and adds the integers of its sums to those of the replica. Bags without excluded pairs have a loop without
 * masks. */
#if !PAIRS_SOLVENT
/* Source i, and fields of atom i as a target. */
MYR_FN source_record pair_source_of(const myr_molecule_steps &m, const replica_view &view, int i)
{
    return records_of(m, view.replica)[i];
}

MYR_FN void pair_target_of(const myr_molecule_steps &m, const replica_view &view, int i, real *lane)
{
    MYR_UNROLL
    for (int c = 0; c < TARGET_LANES; c++)
        lane[c] = records_of(m, view.replica)[i].lane[c];
}
#else
MYR_FN void pair_place_of(const myr_molecule_steps &m, const replica_view &view, int i, real *lane)
{
    MYR_UNROLL
    for (int c = 0; c < COORD_LANES * COORDS; c++)
        lane[c] = records_of(m, view.replica)[i].lane[c];
}

MYR_FN source_record pair_source_of(const myr_molecule_steps &m, const replica_view &view, int i)
{
    source_record r = {};
    pair_place_of(m, view, i, r.lane);
    born_source(m, view, PAIRS_SET, i, r.lane + COORD_LANES * COORDS);
    return r;
}

MYR_FN void pair_target_of(const myr_molecule_steps &m, const replica_view &view, int i, real *lane)
{
    pair_place_of(m, view, i, lane);
    born_target(m, view, PAIRS_SET, i, lane + COORD_LANES * COORDS);
}
#endif

/* Targets of a thread, and their sums over at most MYR_MOLECULE_CHUNK sources. */
struct pair_work {
    target_record target[CUDA_TARGETS];
    int column[CUDA_TARGETS]; /* offset in bytes of the target's column in a row of the pair table */
    int at[CUDA_TARGETS];     /* past the end the last atom is repeated, */
    int counts[CUDA_TARGETS]; /* and 0 here */
    sum_state sum[CUDA_TARGETS][OUTPUTS];
};

/* Bag of the warp. */
MYR_FN source_record *pair_bag()
{
    return (source_record *)(molecule_shared + BAGS_AT + threadIdx.x / 32 * (WORD * BAG_REALS * (int)sizeof(real)));
}

/* Parameters of a pair; the record of a source holds the offset of its row in bytes. A solvent has no table. */
MYR_FN pair_record pair_load(int column, const source_record &source)
{
    pair_record pp;
#if !PAIRS_SOLVENT
    const real *at = (const real *)(molecule_shared + TABLE_AT + (column + (int)lane_bits(source.lane[SOURCE_LANES])));
    MYR_UNROLL
    for (int k = 0; k < PAIR; k++)
        pp.lane[k] = at[k * CUDA_TYPES];
#endif
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
__device__ __forceinline__ void pair_source(pair_work &w, const sum_scales &scale, const real *constant,
                                            const source_record &source, const uint32_t *mask, int bit,
                                            sum_reach *reach, ilane *skipped)
{
    MYR_UNROLL
    for (int v = 0; v < CUDA_TARGETS; v++) {
        const pair_record pp = pair_load(w.column[v], source);
        const myr_pair in = pair_of(w.target[v].lane, source, pp, constant);
        const lmask counts = careful ? !(mask[v] >> bit & 1) : 1;
        SUM_(_pair)(&in, scale.output, careful, counts, w.sum[v], &reach[v], skipped);
    }
}

/* The first `count` sources of the bag; `count` is even. */
template <int careful>
__device__ __forceinline__ void pair_loop(pair_work &w, const sum_scales &scale, const real *constant, int count,
                                          const uint32_t *mask, sum_reach *reach, ilane *skipped)
{
    const source_record *bag = pair_bag();
    MYR_UNROLL_BY(1)
    for (int k = 0; k < count; k += 2) {
        const source_record one = bag[k], two = bag[k + 1];
        pair_source<careful>(w, scale, constant, one, mask, k, reach, skipped);
        pair_source<careful>(w, scale, constant, two, mask, k + 1, reach, skipped);
    }
}

MYR_FN void pair_constants(const myr_cuda_sweep &a, real *constant)
{
    MYR_UNROLL
    for (int k = 0; k < CONSTANTS; k++)
        constant[k] = REAL_OF(a.constant[k]);
}

/* Moves contributions beyond the range from the sums of the targets of some threads (`fired`, a bit for each) to their
 * wide integers: all threads of the warp take a source each. Returns 1 if one cannot be added. Few threads have any. */
static __device__ __noinline__ uint32_t pair_settle(const myr_molecule_steps &m, replica_view view, unsigned fired,
                                                    int column, int at, int count, uint32_t mask, sum_state *sum)
{
    const myr_cuda_sweep &a = block_room().sweep[PAIRS_SET];
    const sum_scales scale(a);
    const int lane = threadIdx.x % 32;
    real constant[CONSTANTS > 0 ? CONSTANTS : 1];
    uint32_t flag = 0;
    pair_constants(a, constant);
    for (; fired; fired &= fired - 1) {
        const int from = __ffs(fired) - 1;
        const int i = __shfl_sync(~0u, at, from), row = __shfl_sync(~0u, column, from);
        const uint32_t masked = __shfl_sync(~0u, mask, from);
        beyond_words out = {};
        if (lane < count && !(masked >> lane & 1)) {
            const source_record source = pair_bag()[lane];
            const pair_record pp = pair_load(row, source);
            target_record own;
            pair_target_of(m, view, i, own.lane);
            const myr_pair in = pair_of(own.lane, source, pp, constant);
            flag |= pair_beyond(a, scale, &in, 0, 1, i, 0, out);
        }
        for (int k = 0; k < OUTPUTS; k++) {
            const ulane coarse = warp_sum(out.coarse[k]), fine = warp_sum(out.fine[k]);
            sum[k].coarse -= lane == from ? coarse : 0;
            sum[k].fine -= lane == from ? fine : 0;
        }
    }
    return flag;
}

#if !PAIRS_SOLVENT
MYR_FN int pair_word_is_busy(const myr_molecule_steps &m, int group, int word)
{
    return m.busy[group * m.busy_words + word / 32] >> word % 32 & 1;
}

/* 1 if a pair of the targets of a group with `count` sources from `first` on does not count. */
MYR_FN int pair_is_masked(const myr_molecule_steps &m, int group, int first, int count)
{
    return pair_word_is_busy(m, group, first / WORD) || pair_word_is_busy(m, group, (first + count - 1) / WORD);
}

/* Masks of the sources, which may be in two words. */
MYR_FN void pair_masks(const myr_molecule_steps &m, const pair_work &w, int first, int count, uint32_t *mask)
{
    const int word = first / WORD, shift = first % WORD;
    MYR_UNROLL
    for (int v = 0; v < CUDA_TARGETS; v++) {
        mask[v] = m.mask[(int64_t)word * m.n + w.at[v]] >> shift;
        if (shift + count > WORD)
            mask[v] |= m.mask[(int64_t)(word + 1) * m.n + w.at[v]] << (WORD - shift);
    }
}
#else
/* In a solvent all pairs count but, for some sums, those of atoms with themselves. */
MYR_FN int pair_is_masked(const myr_molecule_steps &m, int group, int first, int count)
{
    const int target = group * CUDA_TARGETS * 32;
    return first + count > m.n || (!PAIRS_SELF && first < target + CUDA_TARGETS * 32 && target < first + count);
}

MYR_FN void pair_masks(const myr_molecule_steps &m, const pair_work &w, int first, int count, uint32_t *mask)
{
    MYR_UNROLL
    for (int v = 0; v < CUDA_TARGETS; v++)
        for (int k = 0; k < count; k++)
            mask[v] |= (uint32_t)(first + k >= m.n || (!PAIRS_SELF && first + k == w.at[v])) << k;
}
#endif

/* A bag of `count` sources from `first` on against the targets of the warp; returns 1 if a force is no number. */
MYR_FN uint32_t pair_one_bag(const myr_molecule_steps &m, const replica_view &view, const sum_scales &scale,
                             const real *constant, pair_work &w, int group, int first, int count)
{
    sum_reach reach[CUDA_TARGETS];
    uint32_t mask[CUDA_TARGETS] = {}, flag = 0;
    ilane skipped = 0;
    MYR_UNROLL
    for (int v = 0; v < CUDA_TARGETS; v++)
        reach[v] = SUM_(_reach_begin)();
    if (pair_is_masked(m, group, first, count)) {
        pair_masks(m, w, first, count, mask);
        pair_loop<1>(w, scale, constant, count, mask, reach, &skipped);
    } else {
        pair_loop<0>(w, scale, constant, count, mask, reach, &skipped);
    }
    MYR_UNROLL
    for (int v = 0; v < CUDA_TARGETS; v++) {
#if ACC_HOLDS
        MYR_UNROLL
        for (int k = 0; k < OUTPUTS; k++)
            ACC_(_flush)(&w.sum[v][k], &reach[v].range, &scale.output[k]);
#endif
        const unsigned fired = __ballot_sync(~0u, w.counts[v] && (real_uint)reach[v].range >> REAL_MANTISSA);
        if (fired) {
            sum_state copy[OUTPUTS]; /* the sums themselves stay in registers */
            MYR_UNROLL
            for (int k = 0; k < OUTPUTS; k++)
                copy[k] = w.sum[v][k];
            flag |= pair_settle(m, view, fired, w.column[v], w.at[v], count, mask[v], copy);
            MYR_UNROLL
            for (int k = 0; k < OUTPUTS; k++) { /* what waits for the next contribution stays known */
                w.sum[v][k].coarse = copy[k].coarse;
                w.sum[v][k].fine = copy[k].fine;
            }
        }
    }
    return flag | (skipped != 0);
}

/* Adds the sums over `count` sources to those of the replica. */
MYR_FN void pair_add(const myr_molecule_steps &m, const replica_view &view, const sum_scales &scale, const pair_work &w,
                     int count)
{
    MYR_UNROLL
    for (int v = 0; v < CUDA_TARGETS; v++) {
        if (!w.counts[v])
            continue;
        MYR_UNROLL
        for (int k = 0; k < OUTPUTS; k++) {
            unsigned long long *to = sums_of(m, view, PAIRS_SET, k) + w.at[v];
            sum_words total;
            MYR_UNROLL
            for (int r = 0; r < (int)(sizeof total.word / sizeof(myr_word)); r++)
                total.word[r].i = 0;
            (void)ACC_(_end)(&w.sum[v][k], total.word, &scale.output[k], count);
#if MYR_ARITH == MYR_ARITH_DOUBLE
            MYR_UNROLL
            for (int r = 0; r < 2; r++) {
                const __int128 part = fixed_word(total.word + r);
                atomicAdd(to + 2 * r * (int64_t)m.padded, (unsigned long long)(uint32_t)part);
                atomicAdd(to + (2 * r + 1) * (int64_t)m.padded, (unsigned long long)(int64_t)(part >> 32));
            }
#else
            const long long units = total.word[0].i * (1ll << (REAL_MANTISSA - 1)) + total.word[1].i;
            atomicAdd(to, (unsigned long long)units);
#endif
        }
    }
}

/* One piece of the work of a warp: a group of targets and a chunk of sources. Returns 1 if a force is no number. */
MYR_FN uint32_t pair_item(const myr_molecule_steps &m, const replica_view &view, int item)
{
    const myr_cuda_sweep &a = block_room().sweep[PAIRS_SET];
    const sum_scales scale(a);
    const int lane = threadIdx.x % 32, group = item % m.groups, chunk = item / m.groups;
    const int begin = chunk * m.chunk, end = begin + m.chunk < m.sources ? begin + m.chunk : m.sources;
    source_record next = pair_source_of(m, view, begin + lane < end ? begin + lane : begin);
    real constant[CONSTANTS > 0 ? CONSTANTS : 1];
    pair_work w;
    uint32_t flag = 0;
    pair_constants(a, constant);
    MYR_UNROLL
    for (int v = 0; v < CUDA_TARGETS; v++) {
        const int i = (group * CUDA_TARGETS + v) * 32 + lane;
        w.at[v] = i < m.n ? i : m.n - 1;
        w.counts[v] = i < m.n;
        pair_target_of(m, view, w.at[v], w.target[v].lane);
        w.column[v] = PAIR ? m.type[w.at[v]] * (int)sizeof(real) : 0;
        MYR_UNROLL
        for (int k = 0; k < OUTPUTS; k++)
            w.sum[v][k] = ACC_(_begin)(0, &scale.output[k]);
    }
    for (int first = begin; first < end; first += WORD) {
        const int count = end - first < WORD ? end - first : WORD, more = first + WORD + lane;
        __syncwarp();
        pair_bag()[lane] = next;
        __syncwarp();
        next = pair_source_of(m, view, more < end ? more : begin);
        flag |= pair_one_bag(m, view, scale, constant, w, group, first, count);
    }
    pair_add(m, view, scale, w, end - begin);
    return flag;
}
