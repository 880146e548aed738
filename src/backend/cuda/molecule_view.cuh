/* molecule_view.cuh - what the threads of molecule.cuh know of their replica and their block, and how they wait. */
#ifndef MYR_BACKEND_CUDA_MOLECULE_VIEW_CUH
#define MYR_BACKEND_CUDA_MOLECULE_VIEW_CUH

enum {
    WORD = MYR_MOLECULE_WORD,
    BLOCK_WARPS = CUDA_THREADS / 32,
    ROOM_AT = 0, /* offsets in shared memory: the room of the block, a bag of sources for each warp, the pair table */
    BAGS_AT = (sizeof(myr_molecule_room) + 15) / 16 * 16,
    /* reals of a source, of the pairs or of a solvent */
    BAG_REALS = (3 * COORD_LANES + (CUDA_BORN ? 3 : 2) + RECORD - 1) / RECORD * RECORD,
    TABLE_AT = BAGS_AT + BLOCK_WARPS * WORD * BAG_REALS * sizeof(real),
#if MYR_ARITH == MYR_ARITH_DOUBLE
    SUM_WORDS = 4, /* low 32 bits and the rest, of the coarse and of the fine units */
#else
    SUM_WORDS = 1, /* fine units */
#endif
    LANES_OF_UNIT = MYR_MOLECULE_LANES,
    UNITS_OF_WARP = 32 / LANES_OF_UNIT,
    SUMS = CUDA_BORN ? MYR_MOLECULE_SUMS : OUTPUTS /* sums of an atom */
};

extern __shared__ __align__(16) char molecule_shared[];

MYR_FN myr_molecule_room &block_room()
{
    return *(myr_molecule_room *)(molecule_shared + ROOM_AT);
}

/* A replica as the threads of its blocks see it. */
struct replica_view {
    int replica, rank; /* rank of the block among those of the replica */
    unsigned round;    /* barriers so far */
    myr_molecule_one *one;
    uint64_t *q[3];
    double *v[3], *f[3], *x[3], *z[3];
    unsigned long long *bonded[3];
    unsigned long long *sum; /* [SUMS][SUM_WORDS][padded] */
    myr_molecule_unit unit;  /* the first one of the thread */
#if CUDA_BATH
    int turn;        /* sums of the kinetic energy so far */
    box_chain chain; /* state of the thermostat, the same in all threads */
#endif
#if CUDA_CLOCKS
    long long since;
#endif
};

MYR_FN replica_view view_begin(const myr_molecule_steps &m)
{
    replica_view w;
    const int64_t n = m.n;
    w.replica = blockIdx.x / m.blocks;
    w.rank = blockIdx.x - w.replica * m.blocks;
    w.round = 0;
    w.one = m.one + w.replica;
    w.sum = m.sum + (int64_t)w.replica * SUMS * SUM_WORDS * m.padded;
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        const int64_t at = (3 * (int64_t)w.replica + c) * n;
        w.q[c] = m.q + at;
        w.v[c] = m.v + at;
        w.f[c] = m.f + at;
        w.x[c] = m.x + at;
        w.z[c] = m.z + at;
        w.bonded[c] = m.bonded + at;
    }
#if CUDA_BATH
    w.turn = 0;
    w.chain = w.one->chain;
#endif
    return w;
}

/* Threads of the replica, of which this one is number `mine`: neighbours are in different blocks. */
MYR_FN int thread_mine(const myr_molecule_steps &m, const replica_view &w)
{
    return threadIdx.x * m.blocks + w.rank;
}

/* Likewise warps, and the places of units: the first ones are in different warps. */
MYR_FN int warp_mine(const myr_molecule_steps &m, const replica_view &w)
{
    return threadIdx.x / 32 * m.blocks + w.rank;
}

MYR_FN int unit_mine(const myr_molecule_steps &m, const replica_view &w)
{
    return threadIdx.x % 32 * (BLOCK_WARPS * m.blocks) + warp_mine(m, w);
}

/* --- cycles of the phases ----------------------------------------------------------------------------------------- */

MYR_FN void clock_begin(replica_view &w)
{
#if CUDA_CLOCKS
    w.since = clock64();
#endif
}

/* Counts the cycles since the last call for a phase. */
MYR_FN void clock_note(replica_view &w, int phase)
{
#if CUDA_CLOCKS
    const long long now = clock64();
    if (threadIdx.x % 32 == 0)
        block_room().clock[phase][threadIdx.x / 32] += now - w.since;
    w.since = now;
#endif
}

/* The first block stores cycles per step: of its slowest warp, and their mean. */
MYR_FN void clock_end(const myr_molecule_steps &m, const replica_view &w, int steps)
{
#if CUDA_CLOCKS
    __syncthreads();
    if (blockIdx.x > 0 || threadIdx.x >= MYR_MOLECULE_CLOCKS || steps == 0)
        return;
    long long most = 0, all = 0;
    for (int k = 0; k < BLOCK_WARPS; k++) {
        const long long own = block_room().clock[threadIdx.x][k];
        most = own > most ? own : most;
        all += own;
    }
    m.clock[2 * threadIdx.x] = (double)most / steps;
    m.clock[2 * threadIdx.x + 1] = (double)all / BLOCK_WARPS / steps;
#endif
}

/* --- records and sums --------------------------------------------------------------------------------------------- */

MYR_FN source_record *records_of(const myr_molecule_steps &m, int replica)
{
    return (source_record *)m.record + (int64_t)replica * m.padded;
}

/* Writes component c of the position of atom i to its record. */
MYR_FN void record_move_one(const myr_molecule_steps &m, const replica_view &w, int i, int c, double x)
{
    source_record *r = records_of(m, w.replica) + i;
#if MYR_ARITH == MYR_ARITH_DOUBLE
    r->lane[c] = x;
#else
    r->lane[COORD_LANES * c] = (float)x;
    if (COORD_LANES == 2)
        r->lane[COORD_LANES * c + 1] = (float)(x - (double)(float)x);
#endif
}

/* Writes the position x of atom i to its record. */
MYR_FN void record_move(const myr_molecule_steps &m, const replica_view &w, int i, const double *x)
{
    MYR_UNROLL
    for (int c = 0; c < 3; c++)
        record_move_one(m, w, i, c, x[c]);
}

/* Writes the fields of atom i that do not move to its record. */
MYR_FN void record_begin(const myr_molecule_steps &m, const replica_view &w, int i)
{
    source_record *r = records_of(m, w.replica) + i;
    r->lane[COORD_LANES * COORDS] = ((const real *)m.charge)[i];
    r->lane[SOURCE_LANES] = lane_from_bits((ilane)((int64_t)m.type[i] * m.row));
}

/* First sum of a set among those of an atom. */
MYR_FN int sum_first(int set)
{
    return set <= MYR_MOLECULE_PAIRS       ? 0
           : set == MYR_MOLECULE_INTEGRALS ? 3
           : set == MYR_MOLECULE_BORN      ? 4
           : set == MYR_MOLECULE_CHAIN     ? 8
                                           : MYR_MOLECULE_SUMS;
}

/* Sums of output k of a set, [SUM_WORDS][padded]. */
MYR_FN unsigned long long *sums_of(const myr_molecule_steps &m, const replica_view &w, int set, int k)
{
    return w.sum + (int64_t)(sum_first(set) + k) * SUM_WORDS * m.padded;
}

/* A sum of an atom as it is in memory. */
struct atom_sum {
    unsigned long long word[SUM_WORDS];
};

MYR_FN atom_sum sum_load(const myr_molecule_steps &m, const replica_view &w, int set, int k, int i)
{
    const unsigned long long *from = sums_of(m, w, set, k) + i;
    atom_sum s;
    MYR_UNROLL
    for (int r = 0; r < SUM_WORDS; r++)
        s.word[r] = from[r * (int64_t)m.padded];
    return s;
}

MYR_FN void sum_clear(const myr_molecule_steps &m, const replica_view &w, int set, int k, int i)
{
    unsigned long long *at = sums_of(m, w, set, k) + i;
    MYR_UNROLL
    for (int r = 0; r < SUM_WORDS; r++)
        at[r * (int64_t)m.padded] = 0;
}

/* A sum with a wide integer, which few atoms have: number `row` of those of its set. */
static __device__ __noinline__ double sum_wide(int set, int64_t row, int k, sum_words total)
{
    const myr_cuda_sweep &a = block_room().sweep[set];
    myr_integer256 sum = {{0, 0, 0, 0}};
    for (int n = 0; n < MYR_CUDA_DIGITS; n++) {
        long long *digit = &a.over[row].digit[n];
        sum = myr_integer256_add(sum, myr_integer256_from((__int128)__ldcg(digit), 32 * n));
        *digit = 0;
    }
    return fixed_total(total.word, sum, &a.scale[k]) * a.factor;
}

/* Value of output k of a set; used: 1 = there are wide integers, which are cleared. */
MYR_FN double sum_number(const atom_sum &s, int set, int i, int k, uint32_t used)
{
    const myr_cuda_sweep &a = block_room().sweep[set];
    sum_words total;
    MYR_UNROLL
    for (int r = 0; r < (int)(sizeof total.word / sizeof(myr_word)); r++)
        total.word[r].i = 0;
#if MYR_ARITH == MYR_ARITH_DOUBLE
    MYR_UNROLL
    for (int r = 0; r < 2; r++) {
        const __int128 sum = (__int128)(int64_t)s.word[2 * r + 1] * ((__int128)1 << 32) + s.word[2 * r];
        total.word[r].i = (int64_t)sum;
        total.word[r + 2].i = (int64_t)(sum >> 64);
    }
#else
    total.word[1].i = (int64_t)s.word[0];
#endif
    const int outputs = sum_first(set + 1) - sum_first(set);
    return used ? sum_wide(set, (int64_t)i * outputs + k, k, total) : fixed_value(total.word, &a.scale[k]) * a.factor;
}

/* --- begin, stop, wait -------------------------------------------------------------------------------------------- */

/* Fills the shared memory of the block: its replica, arguments of the replica's sums, and the pair table. */
MYR_FN void block_begin(const myr_molecule_steps &m, const replica_view &w)
{
    myr_molecule_room &room = block_room();
    if (threadIdx.x == 0) {
        room.one = *w.one;
        myr_cuda_sweep &pairs = room.sweep[MYR_MOLECULE_PAIRS];
        pairs = m.sweep;
        pairs.over = m.sweep.over + (int64_t)w.replica * m.n * OUTPUTS;
        pairs.over_used = m.sweep.over_used + (int64_t)w.replica * m.n;
        for (int k = 0; k < OUTPUTS; k++) {
            pairs.grid[k] = w.one->grid[k];
            pairs.scale[k] = w.one->scale[k];
        }
        for (int k = 1; k < (CUDA_BORN ? MYR_MOLECULE_SETS : 1); k++) {
            myr_cuda_sweep &own = room.sweep[k];
            own = m.born->sweep[k - 1];
            own.over += (int64_t)w.replica * m.n * (sum_first(k + 1) - sum_first(k));
            own.over_used += (int64_t)w.replica * m.n;
        }
        room.stop = 0;
    }
    real *table = (real *)(molecule_shared + TABLE_AT);
    for (int n = threadIdx.x; n < m.sweep.types * PAIR_ROW; n += CUDA_THREADS)
        table[n] = ((const real *)m.sweep.pair_table)[n];
#if CUDA_CLOCKS
    for (int n = threadIdx.x; n < MYR_MOLECULE_CLOCKS * BLOCK_WARPS; n += CUDA_THREADS)
        room.clock[n / BLOCK_WARPS][n % BLOCK_WARPS] = 0;
#endif
    __syncthreads();
}

/* Notes that a step cannot be made here. `phase` counts the evaluations of the forces: threads that have not yet looked
 * after the one before do not stop because of it. */
MYR_FN void raise_stop(const replica_view &w, int phase, int step)
{
    atomicMax(&w.one->stop, MYR_MOLECULE_NEVER - phase);
    atomicMax(&w.one->failed, MYR_MOLECULE_NEVER - step);
}

/* Of several blocks, one thread of each has read `stop` while it waited. */
MYR_FN int has_stopped(const myr_molecule_steps &m, const replica_view &w, int phase)
{
    const int32_t stop = m.blocks > 1 ? block_room().stop : *(volatile int32_t *)&w.one->stop;
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
        unsigned long long seen; /* `barrier`, and `stop` above it */
        __threadfence();
        atomicAdd(&w.one->barrier, 1u);
        do
            seen = *(volatile unsigned long long *)&w.one->barrier;
        while ((unsigned)seen < w.round * (unsigned)m.blocks);
        __threadfence();
        block_room().stop = (int32_t)(seen >> 32);
    }
    __syncthreads();
}

#endif
