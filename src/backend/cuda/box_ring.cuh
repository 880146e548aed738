/* box_ring.cuh - points of sources on their way to shared memory, included by box.cuh.
 *
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

/* Sources of one thread: those of its own cluster, then its pieces of the row. `use` is called with a point, 1 for
 * members of the cluster, and the number of the particle. Entries past the end of the row are read too, and not used:
 * they are 0 or belong to other rows or an earlier list. */
template <class function>
MYR_FN void each_source(const myr_box_common &a, const void *point, int cluster, int member, function use)
{
    enum { TURN = MYR_BOX_PIECE * BOX_LANES };
    const int32_t own = cluster * CLUSTER + member;
    const int has_row = cluster < a.clusters;
    const int4 *row = (const int4 *)(a.entry + (size_t)(has_row ? cluster : 0) * a.room) + member;
    const int count = has_row ? a.entries[cluster] : 0;
    int4 now = *row, piece = now; /* entries in use, and those whose points are asked for */
    box_point mine = load_point(point, own < a.n ? own : 0);
    ask_point(0, point, piece.x);
    ask_point(1, point, piece.y);
    ask_point(2, point, piece.z);
    ask_point(3, point, piece.w);
    piece = row[BOX_LANES];
    if (member < CLUSTER && own < a.n)
        use(mine, 1, own);
    for (int left = count - member; left > 0; left -= TURN) {
        row += BOX_LANES;
        const int4 next = row[BOX_LANES];
        box_point p = take_point(0);
        use(p, 0, now.x);
        ask_point(0, point, piece.x);
        if (left > BOX_LANES) {
            p = take_point(1);
            use(p, 0, now.y);
            ask_point(1, point, piece.y);
        }
        if (left > 2 * BOX_LANES) {
            p = take_point(2);
            use(p, 0, now.z);
            ask_point(2, point, piece.z);
        }
        if (left > 3 * BOX_LANES) {
            p = take_point(3);
            use(p, 0, now.w);
            ask_point(3, point, piece.w);
        }
        now = piece;
        piece = next;
    }
    wait_copies<0>();
}
