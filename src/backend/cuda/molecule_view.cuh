/* molecule_view.cuh - what the threads of molecule.cuh know of their replica and their block, and how they wait. */
#ifndef MYR_BACKEND_CUDA_MOLECULE_VIEW_CUH
#define MYR_BACKEND_CUDA_MOLECULE_VIEW_CUH

enum {
    WORD = MYR_MOLECULE_WORD,
    BLOCK_WARPS = CUDA_THREADS / 32,
    ROOM_AT = 0, /* offsets in shared memory: the room of the block, a bag of sources for each warp, the pair table */
    BAGS_AT = (sizeof(myr_molecule_room) + 15) / 16 * 16,
    TABLE_AT = BAGS_AT + BLOCK_WARPS * WORD * sizeof(source_record),
#if MYR_ARITH == MYR_ARITH_DOUBLE
    SUM_WORDS = 4 /* low 32 bits and the rest, of the coarse and of the fine units */
#else
    SUM_WORDS = 1 /* fine units */
#endif
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
    unsigned long long *sum; /* [outputs][sum words][padded] */
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
    w.sum = m.sum + (int64_t)w.replica * OUTPUTS * SUM_WORDS * m.padded;
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

/* --- begin, stop, wait -------------------------------------------------------------------------------------------- */

/* Fills the shared memory of the block: its replica, arguments of the replica's sums, and the pair table. */
MYR_FN void block_begin(const myr_molecule_steps &m, const replica_view &w)
{
    myr_molecule_room &room = block_room();
    if (threadIdx.x == 0) {
        room.one = *w.one;
        room.sweep = m.sweep;
        room.sweep.over = m.sweep.over + (int64_t)w.replica * m.n * OUTPUTS;
        room.sweep.over_used = m.sweep.over_used + (int64_t)w.replica * m.n;
        for (int k = 0; k < OUTPUTS; k++) {
            room.sweep.grid[k] = w.one->grid[k];
            room.sweep.scale[k] = w.one->scale[k];
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
