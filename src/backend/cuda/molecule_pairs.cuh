/* molecule_pairs.cuh - sums over all pairs of a replica, of molecule.cuh.
 *
 * A warp takes 32 targets per register of each thread and some sources, which it copies to shared memory a bag at a
 * time, and adds the integers of its sums to those of the replica. Bags without excluded pairs have a loop without
 * masks. */
#ifndef MYR_BACKEND_CUDA_MOLECULE_PAIRS_CUH
#define MYR_BACKEND_CUDA_MOLECULE_PAIRS_CUH

MYR_FN source_record *records_of(const myr_molecule_steps &m, int replica)
{
    return (source_record *)m.record + (int64_t)replica * m.padded;
}

/* Writes the position x of atom i to its record. */
MYR_FN void record_move(const myr_molecule_steps &m, const replica_view &w, int i, const double *x)
{
    source_record *r = records_of(m, w.replica) + i;
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
#if MYR_ARITH == MYR_ARITH_DOUBLE
        r->lane[c] = x[c];
#else
        r->lane[COORD_LANES * c] = (float)x[c];
        if (COORD_LANES == 2)
            r->lane[COORD_LANES * c + 1] = (float)(x[c] - (double)(float)x[c]);
#endif
    }
}

/* Writes the fields of atom i that do not move to its record. */
MYR_FN void record_begin(const myr_molecule_steps &m, const replica_view &w, int i)
{
    source_record *r = records_of(m, w.replica) + i;
    r->lane[COORD_LANES * COORDS] = ((const real *)m.charge)[i];
    r->lane[SOURCE_LANES] = lane_from_bits((ilane)((int64_t)m.type[i] * m.row));
}

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
    return (source_record *)(molecule_shared + BAGS_AT) + threadIdx.x / 32 * WORD;
}

/* Parameters of a pair; the record of a source holds the offset of its row in bytes. */
MYR_FN pair_record pair_load(int column, const source_record &source)
{
    const real *at = (const real *)(molecule_shared + TABLE_AT + (column + (int)lane_bits(source.lane[SOURCE_LANES])));
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
static __device__ __noinline__ uint32_t pair_settle(unsigned fired, const source_record *record, int column, int at,
                                                    int count, uint32_t mask, sum_state *sum)
{
    const myr_cuda_sweep &a = block_room().sweep;
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
            const source_record own = record[i], source = pair_bag()[lane];
            const pair_record pp = pair_load(row, source);
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

/* 1 if a pair of the targets of a group with a word of sources is masked. */
MYR_FN int pair_is_masked(const myr_molecule_steps &m, int group, int word)
{
    return word < m.padded / WORD && (m.busy[group * m.busy_words + word / 32] >> word % 32 & 1);
}

/* Masks of `count` sources from `first` on, which may be in two words. */
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

/* A bag of `count` sources from `first` on against the targets of the warp; returns 1 if a force is no number. */
MYR_FN uint32_t pair_one_bag(const myr_molecule_steps &m, const sum_scales &scale, const real *constant, pair_work &w,
                             const source_record *record, int group, int first, int count)
{
    sum_reach reach[CUDA_TARGETS];
    uint32_t mask[CUDA_TARGETS] = {}, flag = 0;
    ilane skipped = 0;
    MYR_UNROLL
    for (int v = 0; v < CUDA_TARGETS; v++)
        reach[v] = SUM_(_reach_begin)();
    if (pair_is_masked(m, group, first / WORD) || pair_is_masked(m, group, (first + count - 1) / WORD)) {
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
            flag |= pair_settle(fired, record, w.column[v], w.at[v], count, mask[v], copy);
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
            unsigned long long *to = view.sum + (int64_t)k * SUM_WORDS * m.padded + w.at[v];
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
    const myr_cuda_sweep &a = block_room().sweep;
    const sum_scales scale(a);
    const int lane = threadIdx.x % 32, group = item % m.groups, chunk = item / m.groups;
    const int begin = chunk * m.chunk, end = begin + m.chunk < m.sources ? begin + m.chunk : m.sources;
    const source_record *record = records_of(m, view.replica);
    source_record next = record[begin + lane < end ? begin + lane : begin];
    real constant[CONSTANTS > 0 ? CONSTANTS : 1];
    pair_work w;
    uint32_t flag = 0;
    pair_constants(a, constant);
    MYR_UNROLL
    for (int v = 0; v < CUDA_TARGETS; v++) {
        const int i = (group * CUDA_TARGETS + v) * 32 + lane;
        w.at[v] = i < m.n ? i : m.n - 1;
        w.counts[v] = i < m.n;
        MYR_UNROLL
        for (int c = 0; c < TARGET_LANES; c++)
            w.target[v].lane[c] = record[w.at[v]].lane[c];
        w.column[v] = m.type[w.at[v]] * (int)sizeof(real);
        MYR_UNROLL
        for (int k = 0; k < OUTPUTS; k++)
            w.sum[v][k] = ACC_(_begin)(0, &scale.output[k]);
    }
    for (int first = begin; first < end; first += WORD) {
        const int count = end - first < WORD ? end - first : WORD, more = first + WORD + lane;
        __syncwarp();
        pair_bag()[lane] = next;
        __syncwarp();
        next = record[more < end ? more : begin];
        flag |= pair_one_bag(m, scale, constant, w, record, group, first, count);
    }
    pair_add(m, view, scale, w, end - begin);
    return flag;
}

#endif
