/* far_portable.cuh - passes of the fast multipole method with expansions on a GPU in portable arithmetic: the order of
 * operations, and so the bits, of backend/expansion_order.h. Included by far_series.cuh if FAR_PORTABLE is 1; with
 *   FAR_RELAXED   1 = far offsets have fewer degrees, and some of them the form of a matrix */
#ifndef MYR_BACKEND_CUDA_FAR_PORTABLE_CUH
#define MYR_BACKEND_CUDA_FAR_PORTABLE_CUH

enum { PARTIAL = MYR_EXPANSION_PARTIAL, BATCH = MYR_EXPANSION_BATCH, EACH_PART = (TERMS + PARTIAL - 1) / PARTIAL };

/* All harmonics, then use(index, value) in the order of the indices. */
template <int ORDER, class function> FAR_FN void harmonics_in_order(const harmonic_point &p, function use)
{
    real all[ORDER * ORDER];
    harmonics<ORDER>(p, [&](int k, real value) { all[k] = value; });
    FAR_UNROLL
    for (int k = 0; k < ORDER * ORDER; k++)
        use(k, all[k]);
}

/* --- particles to series ------------------------------------------------------------------------------------------ */

/* Adds the expansion of `count` particles from `first` on to a series, of which thread t of 16 has the coefficients t,
 * t + 16, .. in `mine`. Thread t sums the particles t, t + 16, .. of each batch. All threads of the warp take part. */
template <int IRREGULAR>
FAR_FN void collect(const myr_far_series &a, const cell_frame &frame, int32_t first, int count, real *mine,
                    real (*room)[PARTIAL + 1])
{
    const int part = threadIdx.x % PARTIAL;
    for (int done = 0; __ballot_sync(~0u, done < count); done += BATCH) {
        const int end = count < done + BATCH ? count : done + BATCH;
        real sum[EACH_PART * PARTIAL];
        FAR_UNROLL
        for (int k = 0; k < EACH_PART * PARTIAL; k++)
            sum[k] = 0;
        for (int i = done + part; i < end; i += PARTIAL)
            harmonics<P>(point_of(a, frame, first + i, IRREGULAR, 1), [&](int k, real value) { sum[k] += value; });
        FAR_UNROLL
        for (int e = 0; e < EACH_PART; e++) {
            real all = 0;
            FAR_UNROLL
            for (int k = 0; k < PARTIAL; k++)
                room[k][part] = sum[e * PARTIAL + k];
            __syncwarp();
            FAR_UNROLL
            for (int l = 0; l < PARTIAL; l++)
                all += room[part][l];
            mine[e] += done < count ? all : (real)0;
            __syncwarp();
        }
    }
}

/* P2M: sixteen threads per leaf. */
extern "C" __global__ void __launch_bounds__(MYR_FAR_THREADS) far_p2m(const __grid_constant__ myr_far_series a)
{
    __shared__ real room[MYR_FAR_THREADS / PARTIAL][PARTIAL][PARTIAL + 1];
    const int32_t c = a.begin + (int32_t)(((int64_t)blockIdx.x * MYR_FAR_THREADS + threadIdx.x) / PARTIAL);
    const int part = threadIdx.x % PARTIAL, is = c < a.end && !a.cell[c < a.end ? c : a.begin].mask;
    const myr_far_cell cell = a.cell[is ? c : a.begin];
    real mine[EACH_PART] = {};
    collect<0>(a, frame_of(a, cell, 0), cell.first, is ? cell.acting : 0, mine, room[threadIdx.x / PARTIAL]);
    FAR_UNROLL
    for (int e = 0; e < EACH_PART; e++)
        if (is && e * PARTIAL + part < TERMS)
            ((real *)a.multipole)[series_at(c, a.number) + e * PARTIAL + part] = mine[e];
}

/* P2L: one warp per cell with many particles, of which the first half sums. */
extern "C" __global__ void __launch_bounds__(MYR_FAR_THREADS) far_p2l(const __grid_constant__ myr_far_series a)
{
    __shared__ real room[MYR_FAR_THREADS / PARTIAL][PARTIAL][PARTIAL + 1];
    const int32_t c = a.begin + (int32_t)(((int64_t)blockIdx.x * MYR_FAR_THREADS + threadIdx.x) / 32);
    const int lane = threadIdx.x % 32, adds = lane < PARTIAL;
    if (c >= a.end || a.cell[c].few & MYR_FAR_TARGET)
        return;
    const myr_far_cell cell = a.cell[c];
    real *local = (real *)a.local + series_at(c, a.number);
    unsigned long long sources = 0;
    real mine[EACH_PART];
    FAR_UNROLL
    for (int e = 0; e < EACH_PART; e++)
        mine[e] = adds && e * PARTIAL + lane < TERMS ? local[e * PARTIAL + lane] : (real)0;
    for (int32_t ancestor = cell.parent; ancestor >= 0; ancestor = a.cell[ancestor].parent)
        for (int first = 0; first < FAR_NEAR; first += 32) {
            int32_t image = 0;
            const int32_t other = coarse_leaf(a, cell, ancestor, first + lane, &image);
            for (unsigned found = __ballot_sync(~0u, other >= 0); found; found &= found - 1) {
                const int from = __ffs((int)found) - 1;
                const myr_far_cell leaf = a.cell[__shfl_sync(~0u, other, from)];
                /* the cell as the leaf's image sees it */
                const cell_frame frame = frame_of(a, cell, image_opposite(__shfl_sync(~0u, image, from)));
                collect<1>(a, frame, leaf.first, adds ? leaf.acting : 0, mine, room[threadIdx.x / PARTIAL]);
                sources += (unsigned long long)leaf.acting;
            }
        }
    FAR_UNROLL
    for (int e = 0; e < EACH_PART; e++)
        if (adds && e * PARTIAL + lane < TERMS)
            local[e * PARTIAL + lane] = mine[e];
    if (lane == 0 && a.number == 0)
        atomicAdd(&a.state->far_sources, sources);
}

/* --- M2L ---------------------------------------------------------------------------------------------------------- */

/* Reads a table from its beginning to its end, 16 bytes at a time where the loops that use it are unrolled. */
struct table_reader {
    const real *at;
    series_piece held;
    int next;
    __device__ __forceinline__ real operator()()
    {
#if FAR_RELAXED
        return at[next++];
#else
        if (next % PIECE == 0)
            held = *(const series_piece *)(at + next);
        return held.value[next++ % PIECE];
#endif
    }
};

/* Reals that a table takes: the next one begins at a multiple of 16 bytes. */
FAR_FN constexpr int table_room(int reals)
{
    return (reals + 3) / 4 * 4;
}

FAR_FN table_reader table_at(const myr_far_series &a, int32_t place)
{
    table_reader table = {};
    table.at = (const real *)a.translate + place;
    return table;
}

/* Rotation about y of one degree by the next matrices of a table: cosines c[0 .. n], sines s[1 .. n]. */
FAR_FN void rotate_degree(int n, table_reader &matrix, real *c, real *s)
{
    real to_c[P + 1], to_s[P + 1];
    FAR_UNROLL
    for (int r = 0; r <= n; r++)
        to_c[r] = to_s[r] = 0;
    FAR_UNROLL
    for (int m = 0; m <= n; m++) {
        FAR_UNROLL
        for (int r = 0; r <= n; r++)
            to_c[r] = FAR_FMA(matrix(), c[m], to_c[r]);
    }
    FAR_UNROLL
    for (int m = 1; m <= n; m++) {
        FAR_UNROLL
        for (int r = 1; r <= n; r++)
            to_s[r] = FAR_FMA(matrix(), s[m], to_s[r]);
    }
    FAR_UNROLL
    for (int r = 0; r <= n; r++) {
        c[r] = to_c[r];
        s[r] = to_s[r];
    }
}

FAR_FN void take_degree(int n, const real *v, real *c, real *s)
{
    FAR_UNROLL
    for (int m = 0; m <= n; m++) {
        c[m] = v[term(n, m)];
        s[m] = v[term(n, -m)];
    }
}

/* Translation along z of the coefficients of one m, cosines (sign 1) or sines (-1), by the next matrix of a table. */
FAR_FN void translate_along(int degrees, int m, int sign, table_reader matrix, real *v)
{
    real to[P];
    FAR_UNROLL
    for (int j = m; j < degrees; j++)
        to[j] = 0;
    FAR_UNROLL
    for (int n = m; n < degrees; n++) {
        FAR_UNROLL
        for (int j = m; j < degrees; j++)
            to[j] = FAR_FMA(matrix(), v[term(n, sign * m)], to[j]);
    }
    FAR_UNROLL
    for (int j = m; j < degrees; j++)
        v[term(j, sign * m)] = to[j];
}

/* sum += translation of the coefficients v, in the frame whose z axis joins the cells. */
FAR_FN void translate_turned(const myr_far_series &a, const int32_t *place, int degrees, real *v, real *sum)
{
    const real *turn = (const real *)a.translate + place[MYR_FAR_TURN];
    table_reader forward = table_at(a, place[MYR_FAR_FORWARD]), back = table_at(a, place[MYR_FAR_BACK]);
    real c[P + 1], s[P + 1];
    FAR_UNROLL
    for (int n = 0; n < degrees; n++) {
        take_degree(n, v, c, s);
        turn_degree<1>(n, turn, c, s);
        rotate_degree(n, forward, c, s);
        FAR_UNROLL
        for (int m = n; m >= 0; m--) { /* the sine of m = 0 has the place of the cosine */
            v[term(n, -m)] = s[m];
            v[term(n, m)] = c[m];
        }
    }
    int at = place[MYR_FAR_AXIAL];
    FAR_UNROLL
    for (int m = 0; m < degrees; m++) {
        translate_along(degrees, m, 1, table_at(a, at), v);
        if (m)
            translate_along(degrees, m, -1, table_at(a, at), v);
        at += table_room((degrees - m) * (degrees - m));
    }
    FAR_UNROLL
    for (int n = 0; n < degrees; n++) {
        take_degree(n, v, c, s);
        rotate_degree(n, back, c, s);
        turn_degree<-1>(n, turn, c, s);
        FAR_UNROLL
        for (int m = 0; m <= n; m++) {
            if (m)
                sum[term(n, -m)] += s[m];
            sum[term(n, m)] += c[m];
        }
    }
}

/* sum += matrix times v */
FAR_FN void translate_dense(const myr_far_series &a, const int32_t *place, int terms, const real *v, real *sum)
{
    table_reader matrix = table_at(a, place[MYR_FAR_FORWARD]);
    FAR_UNROLL
    for (int k = 0; k < terms; k++) {
        FAR_UNROLL
        for (int r = 0; r < terms; r++)
            sum[r] = FAR_FMA(matrix(), v[k], sum[r]);
    }
}

/* sum += translation of a multipole series over an offset. */
FAR_FN void translate(const myr_far_series &a, const int32_t *place, const real *from, real *sum)
{
    const int degrees = FAR_RELAXED ? place[MYR_FAR_DEGREES] : (int)P;
    real v[SIZE];
    FAR_UNROLL
    for (int k = 0; k < SIZE; k += PIECE) { /* 16 bytes at a time */
        const series_piece piece = *(const series_piece *)(from + k);
        FAR_UNROLL
        for (int e = 0; e < PIECE; e++)
            v[k + e] = piece.value[e];
    }
    if constexpr (FAR_RELAXED || P <= MYR_TRANSLATE_DENSE_MOST)
        if (place[MYR_FAR_DENSE]) {
            translate_dense(a, place, degrees * degrees, v, sum);
            return;
        }
    if constexpr (P > MYR_TRANSLATE_DENSE_MOST)
        translate_turned(a, place, degrees, v, sum);
}

/* M2L: one thread per child of a parent, octant and strength; the threads of a warp have 32 parents and the same octant,
 * so that they read the same operators. Offsets are in increasing order. */
extern "C" __global__ void __launch_bounds__(128) far_m2l(const __grid_constant__ myr_far_series a)
{
    enum { REACH = 2 * FAR_REACH + 1, WIDTH = 2 * REACH + 1 };
    const int64_t warp = ((int64_t)blockIdx.x * 128 + threadIdx.x) / 32;
    const int octant = (int)(warp % 8), number = (int)(warp / 8 % FAR_STRENGTHS);
    const int64_t parent = a.begin + warp / (8 * FAR_STRENGTHS) * 32 + threadIdx.x % 32;
    const int32_t child = parent < a.end ? cell_child(a.cell[parent], octant) : -1;
    const int32_t mine = child >= 0 && share_meets(a.share, a.cell[child]) ? child : -1;
    real sum[SIZE];
    int count = 0;
    if (!__ballot_sync(~0u, mine >= 0))
        return;
    FAR_UNROLL
    for (int k = 0; k < SIZE; k++)
        sum[k] = 0;
    for (int offset = 0; offset < WIDTH * WIDTH * WIDTH; offset++) {
        const int32_t *place = a.place + offset * MYR_FAR_PLACE;
        /* the source among the children of the cells near the parent, whose own first child has the position 0 */
        const int x = (octant >> 2) - (offset / (WIDTH * WIDTH) - REACH);
        const int y = (octant >> 1 & 1) - (offset / WIDTH % WIDTH - REACH), z = (octant & 1) - (offset % WIDTH - REACH);
        const int i = (x >> 1) + FAR_REACH, j = (y >> 1) + FAR_REACH, k = (z >> 1) + FAR_REACH;
        if (!place[MYR_FAR_DEGREES] || i < 0 || j < 0 || k < 0 || i >= FAR_WIDTH || j >= FAR_WIDTH || k >= FAR_WIDTH)
            continue;
        const int32_t near =
            mine >= 0 ? a.near[parent * FAR_NEAR + (i * FAR_WIDTH + j) * FAR_WIDTH + k] : -1;
        const int32_t source = near >= 0 ? cell_child(a.cell[near], (x & 1) << 2 | (y & 1) << 1 | (z & 1)) : -1;
        if (source < 0)
            continue;
        translate(a, place, (const real *)a.multipole + series_at(source, number), sum);
        count++;
    }
    FAR_UNROLL
    for (int k = 0; k < TERMS; k++)
        if (mine >= 0)
            ((real *)a.local)[series_at(mine, number) + k] = sum[k];
    if (mine >= 0 && !share_has(a.share, a.cell[mine])) /* counted by the device that has the cell's first target */
        count = 0;
    for (int half = 16; half > 0; half /= 2)
        count += __shfl_xor_sync(~0u, count, half);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&a.state->translations, (unsigned long long)count);
}

#endif
