/* far_parity.cuh - M2L by reflections: translations between the children of cells as products of matrices.
 *
 * The children of a cell have 8 series. Reflections of space at its centre exchange the children and change the signs
 * of coefficients, so that sums of the children's coefficients with signs are of one of 8 classes: even or odd along
 * each axis. Class c has one sum per coefficient k:
 *
 *   W_c[k] = sum_o (-1)^|(c ^ t(k)) & o| M_o[k],   t(k): parities of harmonic k, a bit per axis as in octants
 *
 * Offsets of cells that differ by reflections need one matrix: for the axes along which the offset is not 0 (bits of
 * `along`), the neighbours on both sides are added with signs, and class c of the result gets from class c ^ e, e
 * within `along`, with one matrix of order^2 x order^2. There are 26 pairs (along, e). That is 27 order^4 multiply-adds
 * per cell where a matrix per translation would need 189 order^4, and a rotated translation about 3 order^3.
 *
 * Every sum is in an order of its own. Included by far_series.cuh; floats, separation 1. */

enum {
    PARITY_BLOCKS = 26,                /* pairs (along, e) */
    PARITY_DEEP = (TERMS + 7) / 8 * 8, /* coefficients of a class in memory */
    PARITY_FOURS = SIZE / 4,           /* groups of four coefficients, of which a block of a matrix has all */
    PARITY_STEPS = (PARITY_BLOCKS * PARITY_FOURS + 3) / 4, /* of 16 terms each in a product */
    PARITY_TILES = (TERMS + 7) / 8,                        /* of 8 columns each in a product */
    PARITY_WIDE = 8 * PARITY_TILES                         /* coefficients of a class of the result in memory */
};

/* Parities of a harmonic: cosines (m >= 0) and sines of m phi. */
FAR_FN int parity_of(int k)
{
    const int n = degree_of(k), m = k - n * n - n, size = m < 0 ? -m : m;
    return ((size + (m < 0)) & 1) << 2 | (m < 0) << 1 | ((n - size) & 1);
}

FAR_FN real parity_sign(int bits)
{
    return __popc((unsigned)bits) & 1 ? -1.f : 1.f;
}

/* Block number q as `along` and e. */
FAR_FN void parity_block(int q, int *along, int *e)
{
    for (*along = 1;; ++*along) {
        const int many = 1 << __popc((unsigned)*along);
        if (q < many)
            break;
        q -= many;
    }
    *e = 0;
    for (int axis = 0, bit = 0; axis < 3; axis++)
        if (*along >> axis & 1)
            *e |= (q >> bit++ & 1) << axis;
}

/* v[c] = sum_o (-1)^|c & o| v[o] */
FAR_FN void parity_transform(real *v)
{
#pragma unroll
    for (int half = 1; half < 8; half *= 2)
#pragma unroll
        for (int o = 0; o < 8; o++)
            if (!(o & half)) {
                const real x = v[o], y = v[o | half];
                v[o] = x + y;
                v[o | half] = x - y;
            }
}

/* --- matrices ----------------------------------------------------------------------------------------------------- */

/* The columns of all translations: dense[offset][column][SIZE]; `local` is where they go, `multipole` has the columns
 * of the unit matrix. */
extern "C" __global__ void __launch_bounds__(128) far_parity_dense(const __grid_constant__ myr_far_series a)
{
    enum { WIDTH = 7, OFFSETS = WIDTH * WIDTH * WIDTH };
    const int t = (int)(blockIdx.x * 128 + threadIdx.x), offset = t / TERMS, k = t % TERMS;
    const int x = offset / (WIDTH * WIDTH) - 3, y = offset / WIDTH % WIDTH - 3, z = offset % WIDTH - 3;
    real sum[TERMS];
    if (offset >= OFFSETS)
        return;
    FAR_UNROLL
    for (int j = 0; j < TERMS; j++)
        sum[j] = 0;
    if (x < -1 || x > 1 || y < -1 || y > 1 || z < -1 || z > 1)
        translate((const real *)a.multipole + (int64_t)k * SIZE, (const real *)a.offset + (int64_t)offset * 5 * P, sum);
    FAR_UNROLL
    for (int j = 0; j < TERMS; j++)
        ((real *)a.local)[((int64_t)offset * TERMS + k) * SIZE + j] = sum[j];
}

/* Entry of the matrix of a class of the result, in the order of far_parity_product. */
FAR_FN int64_t parity_entry(int to, int q, int column, int row)
{
    const int four = q * PARITY_FOURS + column / 4; /* column: coefficient of the source */
    const int64_t tile = ((int64_t)to * PARITY_STEPS + four / 4) * PARITY_TILES + row / 8;
    return (tile * 32 + row % 8 * 4 + four % 4) * 4 + column % 4;
}

/* The matrices of the classes from the dense ones: one thread per `along`, column and row. The memory is zero where
 * there are no terms. */
extern "C" __global__ void __launch_bounds__(128) far_parity_matrix(const __grid_constant__ myr_far_series a)
{
    const int64_t t = (int64_t)blockIdx.x * 128 + threadIdx.x;
    const int row = (int)(t % TERMS), column = (int)(t / TERMS % TERMS), along = 1 + (int)(t / (TERMS * TERMS));
    if (along > 7)
        return;
    const int to = parity_of(row), from = parity_of(column);
    real v[8][8]; /* [octant of the target][octant of the source]; then their classes */
    for (int o = 0; o < 8; o++)
        for (int p = 0; p < 8; p++) {
            int offset = 0;
            for (int axis = 2; axis >= 0; axis--)
                offset = 7 * offset + 3 + (o >> axis & 1) - (p >> axis & 1) - 2 * (along >> axis & 1);
            v[o][p] = ((const real *)a.local)[((int64_t)offset * TERMS + column) * SIZE + row];
        }
    for (int half = 1; half < 8; half *= 2)
        for (int o = 0; o < 8; o++)
            for (int p = 0; p < 8; p++)
                if (!(o & half)) {
                    const real x = v[o][p], y = v[o | half][p];
                    v[o][p] = x + y;
                    v[o | half][p] = x - y;
                }
    for (int half = 1; half < 8; half *= 2)
        for (int o = 0; o < 8; o++)
            for (int p = 0; p < 8; p++)
                if (!(p & half)) {
                    const real x = v[o][p], y = v[o][p | half];
                    v[o][p] = x + y;
                    v[o][p | half] = x - y;
                }
    for (int q = 0; q < PARITY_BLOCKS; q++) {
        int axes, e;
        parity_block(q, &axes, &e);
        for (int c = 0; axes == along && c < 8; c++)
            ((real *)a.matrix)[parity_entry(c, q, column, row)] = v[c ^ to][c ^ e ^ from] * (real)(1.0 / 64);
    }
}

/* --- cells -------------------------------------------------------------------------------------------------------- */

/* Numbers the cells with children, row[cell] = 2 x number, -1 = a leaf; and lists those whose near cells have enough
 * children for matrices to be worth it, for which row[cell] is odd. Places depend on the order of threads, and results
 * do not. */
extern "C" __global__ void __launch_bounds__(MYR_FAR_THREADS) far_parity_rows(const __grid_constant__ myr_far_series a)
{
    const int32_t c = a.begin + (int32_t)((int64_t)blockIdx.x * MYR_FAR_THREADS + threadIdx.x);
    if (c >= a.end)
        return;
    const myr_far_cell cell = a.cell[c];
    if (!cell.mask) {
        a.row[c] = -1;
        return;
    }
    int sources = 0;
    for (int k = 0; k < FAR_NEAR; k++) {
        const int32_t other = a.near[(int64_t)c * FAR_NEAR + k];
        sources += other >= 0 && k != FAR_NEAR / 2 ? __popc(a.cell[other].mask) : 0;
    }
    const int listed = cell.level + 1 >= a.met && __popc(cell.mask) * sources >= MYR_FAR_PARITY_WORTH;
    const int32_t row = atomicAdd(&a.used[0], 1);
    a.row[c] = 2 * row + listed;
    a.parent[row] = c;
    if (listed && share_meets(a.share, cell))
        a.target[atomicAdd(&a.used[1], 1)] = c;
}

/* Sums W of all cells with children: spread[row][class][PARITY_DEEP], one thread per cell and coefficient. */
extern "C" __global__ void __launch_bounds__(MYR_FAR_THREADS)
    far_parity_spread(const __grid_constant__ myr_far_series a)
{
    const int64_t t = (int64_t)blockIdx.x * MYR_FAR_THREADS + threadIdx.x, row = t / PARITY_DEEP;
    const int k = (int)(t % PARITY_DEEP);
    if (row >= a.used[0])
        return;
    const myr_far_cell cell = a.cell[a.parent[row]];
    real v[8];
    for (int o = 0; o < 8; o++) {
        const int32_t child = cell_child(cell, o);
        v[o] = child >= 0 && k < TERMS ? ((const real *)a.multipole)[series_at(child, a.number) + k] : (real)0;
    }
    parity_transform(v);
    const int parity = k < TERMS ? parity_of(k) : 0;
    real *to = (real *)a.spread + row * 8 * PARITY_DEEP + k;
    for (int o = 0; o < 8; o++)
        to[(o ^ parity) * PARITY_DEEP] = v[o];
}

/* --- between parents and children --------------------------------------------------------------------------------- */

/* The matrices of the octants between parents and children differ by signs, (-1)^|(t(j) ^ t(k)) & o|, so that one
 * serves all. */
enum {
    PARITY_PARENTS = MYR_FAR_PARENTS,
    PARITY_FAMILY = PARITY_DEEP + (36 - PARITY_DEEP % 32) % 32
}; /* classes in other banks */

/* M2M: a block has PARITY_PARENTS parents, whose children's sums by class are in shared memory. */
extern "C" __global__ void __launch_bounds__(MYR_FAR_THREADS) far_parity_up(const __grid_constant__ myr_far_series a)
{
    __shared__ real sums[PARITY_PARENTS][8][PARITY_FAMILY];
    const int32_t first = a.begin + (int32_t)blockIdx.x * PARITY_PARENTS;
    const int count = a.end - first < PARITY_PARENTS ? a.end - first : PARITY_PARENTS;
    for (int t = threadIdx.x; t < count * TERMS; t += MYR_FAR_THREADS) {
        const myr_far_cell cell = a.cell[first + t / TERMS];
        const int k = t % TERMS, parity = parity_of(k);
        real v[8];
#pragma unroll
        for (int o = 0; o < 8; o++) {
            const int32_t child = cell.mask ? cell_child(cell, o) : -1;
            v[o] = child >= 0 ? ((const real *)a.multipole)[series_at(child, a.number) + k] : (real)0;
        }
        parity_transform(v);
#pragma unroll
        for (int o = 0; o < 8; o++)
            sums[t / TERMS][o ^ parity][k] = v[o];
    }
    __syncthreads();
    for (int t = threadIdx.x; t < count * TERMS; t += MYR_FAR_THREADS) {
        const int32_t c = first + t / TERMS;
        const int j = t % TERMS, columns = (degree_of(j) + 1) * (degree_of(j) + 1);
        const real *from = sums[t / TERMS][parity_of(j)], *matrix = (const real *)a.up + j;
        real sum = 0;
        if (!a.cell[c].mask)
            continue;
        for (int k = 0; k < columns; k++)
            sum = FAR_FMA(matrix[(int64_t)k * TERMS], from[k], sum);
        ((real *)a.multipole)[series_at(c, a.number) + j] = sum;
    }
}

/* L2L: one thread per parent and coefficient of its children, which adds by the class of the parent's coefficients. */
extern "C" __global__ void __launch_bounds__(MYR_FAR_THREADS) far_parity_down(const __grid_constant__ myr_far_series a)
{
    const int64_t t = (int64_t)blockIdx.x * MYR_FAR_THREADS + threadIdx.x;
    const int32_t c = a.begin + (int32_t)(t / TERMS);
    const int j = (int)(t % TERMS), parity = parity_of(j), least = degree_of(j) * degree_of(j);
    if (c >= a.end || !a.cell[c].mask)
        return;
    const myr_far_cell cell = a.cell[c];
    const real *from = (const real *)a.local + series_at(c, a.number), *matrix = (const real *)a.down + j;
    real v[8] = {};
#pragma unroll
    for (int k = 0; k < TERMS; k++) /* unrolled, so that classes are known */
        if (k >= least)
            v[parity_of(k)] = FAR_FMA(matrix[(int64_t)k * TERMS], from[k], v[parity_of(k)]);
    parity_transform(v);
#pragma unroll
    for (int o = 0; o < 8; o++) {
        const int32_t child = cell_child(cell, o);
        if (child >= 0)
            ((real *)a.local)[series_at(child, a.number) + j] += parity_sign(parity & o) * v[o];
    }
}

/* --- products ----------------------------------------------------------------------------------------------------- */

/* Sums over the neighbours of a cell, as many as there are pairs (along, e), are formed first: they need additions
 * only. Products of these with the matrices of a class of the result are products of matrices of floats. Tensor cores
 * multiply numbers of 11 bits: a float is split in two of these, and three of the four products are taken, which leaves
 * 2^-21 of a term. The sums of tensor cores are truncated, so that after 16 terms they are added to others in
 * registers.
 *
 * Both factors are in memory in the order in which the threads of a warp hold them (mma.m16n8k8 of TF32): of 16 rows
 * and 16 terms thread 4 g + t has terms 4 t .. 4 t + 3 of rows g and g + 8, of 16 terms and 8 columns the same terms of
 * column g. Terms 4 t and 4 t + 1 take part in the first operation and the others in the second one: the order of terms
 * is free if it is the same for both factors. */
enum {
    MIX_THREADS = MYR_FAR_THREADS,
    MIX_ROWS = MIX_THREADS / PARITY_FOURS,                                       /* cells per block */
    PRODUCT_WARPS_WIDE = PARITY_TILES > 11 ? 2 : 1,                              /* warps that share rows */
    PRODUCT_EACH = (PARITY_TILES + PRODUCT_WARPS_WIDE - 1) / PRODUCT_WARPS_WIDE, /* tiles of columns per warp */
    PRODUCT_THREADS = 128 * PRODUCT_WARPS_WIDE,
    PRODUCT_STAGES = 4,                           /* steps in shared memory, all but one of them on their way */
    PRODUCT_LEFT = MYR_FAR_PARITY_ROWS / 16 * 64, /* pieces of 16 bytes of the left factor per step */
    PRODUCT_RIGHT = PARITY_TILES * 32,            /* and of the right one */
    PRODUCT_STAGE = PRODUCT_LEFT + PRODUCT_RIGHT
};
static_assert(PARITY_FOURS <= MIX_THREADS, "a thread per four coefficients");

FAR_FN float4 parity_plus(const float4 &x, const float4 &y)
{
    return {x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w};
}

FAR_FN float4 parity_minus(const float4 &x, const float4 &y)
{
    return {x.x - y.x, x.y - y.y, x.z - y.z, x.w - y.w};
}

/* Number of the pair (along, e), the inverse of parity_block. */
FAR_FN constexpr int parity_number(int along, int e)
{
    int q = 0;
    for (int a = 1; a < along; a++)
        q += 1 << ((a & 1) + (a >> 1 & 1) + (a >> 2));
    for (int axis = 0, bit = 0; axis < 3; axis++)
        if (along >> axis & 1)
            q += (e >> axis & 1) << bit++;
    return q;
}

/* Rows of the near cells of listed cells, mixing[place][27]; the row of zeros for none, and for the cell itself, whose
 * children are all near each other. */
extern "C" __global__ void __launch_bounds__(MYR_FAR_THREADS) far_parity_near(const __grid_constant__ myr_far_series a)
{
    const int64_t t = (int64_t)blockIdx.x * MYR_FAR_THREADS + threadIdx.x;
    const int k = (int)(t % FAR_NEAR);
    if (t / FAR_NEAR >= a.used[1])
        return;
    const int32_t other = a.near[(int64_t)a.target[t / FAR_NEAR] * FAR_NEAR + k];
    a.mixing[t] = other >= 0 && k != FAR_NEAR / 2 && a.row[other] >= 0 ? a.row[other] >> 1 : a.zeros;
}

/* Where a thread writes its four coefficients. */
struct mix_place {
    float4 *to; /* of class 0 and step 0 */
    int64_t per_class;
    int four; /* number of the coefficients in a block */
};

FAR_FN void mix_put(const mix_place &p, int from, int along, int e, const float4 &x)
{
    const int four = parity_number(along, e) * PARITY_FOURS + p.four;
    p.to[(from ^ e) * p.per_class + four / 4 * PRODUCT_LEFT + four % 4] = x;
}

/* Sums over the cells of a plane beside each other along y and z, of values at both sides with equal (1) and opposite
 * (2) signs: plane[3 y + z]. */
FAR_FN void mix_plane(const float *from, const int32_t *near, float4 *plane)
{
    float4 row[9];
#pragma unroll
    for (int k = 0; k < 9; k++)
        row[k] = *(const float4 *)(from + (int64_t)near[k] * 8 * PARITY_DEEP);
#pragma unroll
    for (int y = 0; y < 3; y++) {
        const float4 low = row[3 * y], high = row[3 * y + 2];
        row[3 * y] = row[3 * y + 1];
        row[3 * y + 1] = parity_plus(high, low);
        row[3 * y + 2] = parity_minus(high, low);
    }
#pragma unroll
    for (int z = 0; z < 3; z++) {
        plane[z] = row[3 + z];
        plane[3 + z] = parity_plus(row[6 + z], row[z]);
        plane[6 + z] = parity_minus(row[6 + z], row[z]);
    }
}

/* The sums over neighbours of class `blockIdx.x % 8` of some cells, for four coefficients per thread. */
extern "C" __global__ void __launch_bounds__(MIX_THREADS) far_parity_mix(const __grid_constant__ myr_far_series a)
{
    __shared__ int32_t near[MIX_ROWS][FAR_NEAR];
    const int32_t block = (int32_t)(blockIdx.x / 8) * MIX_ROWS, left = a.used[1] - a.begin;
    const int32_t most = left < a.end ? left : a.end, count = most - block < MIX_ROWS ? most - block : MIX_ROWS;
    const int from = (int)(blockIdx.x % 8), mine = (int)threadIdx.x / PARITY_FOURS;
    if (count <= 0)
        return;
    for (int k = threadIdx.x; k < count * FAR_NEAR; k += MIX_THREADS)
        near[k / FAR_NEAR][k % FAR_NEAR] = a.mixing[(int64_t)(a.begin + block) * FAR_NEAR + k];
    __syncthreads();
    if (mine >= count)
        return;
    const int32_t row = block + mine, inside = row % MYR_FAR_PARITY_ROWS, tiles = a.end / MYR_FAR_PARITY_ROWS;
    const int64_t per_tile = (int64_t)PARITY_STEPS * PRODUCT_LEFT;
    mix_place p = {(float4 *)a.mixed + row / MYR_FAR_PARITY_ROWS * per_tile + inside / 16 * 64 + inside % 16 * 4,
                   tiles * per_tile, (int)threadIdx.x % PARITY_FOURS};
    const float *source = (const float *)a.spread + from * PARITY_DEEP + 4 * p.four;
    float4 low[9], high[9];
    mix_plane(source, near[mine] + 9, low);
#pragma unroll
    for (int k = 1; k < 9; k++)
        mix_put(p, from, (k / 3 ? 2 : 0) | (k % 3 ? 1 : 0), (k / 3 == 2 ? 2 : 0) | (k % 3 == 2 ? 1 : 0), low[k]);
    mix_plane(source, near[mine], low);
    mix_plane(source, near[mine] + 18, high);
#pragma unroll
    for (int k = 0; k < 9; k++) {
        const int along = 4 | (k / 3 ? 2 : 0) | (k % 3 ? 1 : 0), e = (k / 3 == 2 ? 2 : 0) | (k % 3 == 2 ? 1 : 0);
        mix_put(p, from, along, e, parity_plus(high[k], low[k]));
        mix_put(p, from, along, e | 4, parity_minus(high[k], low[k]));
    }
    for (int four = PARITY_BLOCKS * PARITY_FOURS + p.four; four < 4 * PARITY_STEPS; four += PARITY_FOURS)
        p.to[from * p.per_class + four / 4 * PRODUCT_LEFT + four % 4] = {0, 0, 0, 0};
}

/* A float as two numbers of 11 bits, as bits. */
FAR_FN void product_split(float x, unsigned *high, unsigned *low)
{
    *high = (unsigned)__float_as_int(x) & 0xffffe000u;
    *low = (unsigned)__float_as_int(x - __int_as_float((int)*high));
}

/* d += a b of 16 x 8 and 8 x 8 numbers of 11 bits. */
FAR_FN void product_step(float *d, const unsigned *a, const unsigned *b)
{
#if !defined(__CUDA_ARCH__)
    emulated_mma(d, a, b);
#elif __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

/* Factors of a warp in one of two operations of a step: 16 rows, or 8 columns. */
struct product_rows {
    unsigned high[4], low[4];
};
struct product_columns {
    unsigned high[2], low[2];
};

/* Copies a step to shared memory. */
FAR_FN void product_fetch(const float4 *left, const float4 *right, int step, float4 *stage)
{
    left += (int64_t)step * PRODUCT_LEFT;
    right += (int64_t)step * PRODUCT_RIGHT;
    for (int k = threadIdx.x; k < PRODUCT_STAGE; k += PRODUCT_THREADS)
        copy_piece(stage + k, k < PRODUCT_LEFT ? left + k : right + (k - PRODUCT_LEFT));
}

/* sum[rows][columns] of a warp += a step: its 32 rows and PRODUCT_EACH tiles of columns from `first` on. */
FAR_FN void product_multiply(const float4 *stage, int warp, int first, float (*sum)[PRODUCT_EACH][4])
{
    const int lane = threadIdx.x % 32;
    product_rows rows[2][2];
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const float4 *at = stage + (2 * warp + r) * 64 + lane;
        const float4 x = at[0], y = at[32];
        const float value[2][4] = {{x.x, y.x, x.y, y.y}, {x.z, y.z, x.w, y.w}};
#pragma unroll
        for (int half = 0; half < 2; half++)
#pragma unroll
            for (int k = 0; k < 4; k++)
                product_split(value[half][k], &rows[r][half].high[k], &rows[r][half].low[k]);
    }
#pragma unroll
    for (int tile = 0; tile < PRODUCT_EACH; tile++) {
        if (first + tile >= PARITY_TILES)
            break;
        const float4 x = stage[PRODUCT_LEFT + (first + tile) * 32 + lane];
        const float value[2][2] = {{x.x, x.y}, {x.z, x.w}};
        product_columns columns[2];
#pragma unroll
        for (int half = 0; half < 2; half++)
#pragma unroll
            for (int k = 0; k < 2; k++)
                product_split(value[half][k], &columns[half].high[k], &columns[half].low[k]);
#pragma unroll
        for (int r = 0; r < 2; r++) {
            float d[4] = {0, 0, 0, 0};
#pragma unroll
            for (int half = 0; half < 2; half++) {
                product_step(d, rows[r][half].low, columns[half].high);
                product_step(d, rows[r][half].high, columns[half].low);
            }
#pragma unroll
            for (int half = 0; half < 2; half++)
                product_step(d, rows[r][half].high, columns[half].high);
#pragma unroll
            for (int k = 0; k < 4; k++)
                sum[r][tile][k] += d[k];
        }
    }
}

/* Sums of a warp: gathered[place in the list][class][PARITY_WIDE]. */
FAR_FN void product_write(const myr_far_series &a, int32_t place, int to, int first,
                          const float (*sum)[PRODUCT_EACH][4])
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int r = 0; r < 2; r++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int32_t mine = place + 16 * r + 8 * half + lane / 4;
            if (mine >= a.used[1])
                continue;
            float *row = (float *)a.gathered + ((int64_t)mine * 8 + to) * PARITY_WIDE + lane % 4 * 2;
#pragma unroll
            for (int tile = 0; tile < PRODUCT_EACH; tile++)
                if (first + tile < PARITY_TILES) {
                    row[(first + tile) * 8] = sum[r][tile][2 * half];
                    row[(first + tile) * 8 + 1] = sum[r][tile][2 * half + 1];
                }
        }
}

/* A class of the results of MYR_FAR_PARITY_ROWS cells. */
extern "C" __global__ void __launch_bounds__(PRODUCT_THREADS, PRODUCT_EACH > 11         ? 1
                                                              : PRODUCT_WARPS_WIDE == 2 ? 2
                                                                                        : 4)
    far_parity_product(const __grid_constant__ myr_far_series a)
{
    extern __shared__ __align__(16) char far_shared[]; /* float4 [PRODUCT_STAGES][PRODUCT_STAGE] */
    float4 *stages = (float4 *)far_shared;
    const int tiles = a.end / MYR_FAR_PARITY_ROWS, to = (int)blockIdx.x / tiles, tile = (int)blockIdx.x % tiles;
    const int warp = threadIdx.x / 32 % 4, first = threadIdx.x / 128 * PRODUCT_EACH;
    const int32_t place = a.begin + tile * MYR_FAR_PARITY_ROWS;
    if (place >= a.used[1])
        return;
    const float4 *left = (const float4 *)a.mixed + ((int64_t)to * tiles + tile) * PARITY_STEPS * PRODUCT_LEFT;
    const float4 *right = (const float4 *)a.matrix + (int64_t)to * PARITY_STEPS * PRODUCT_RIGHT;
    float sum[2][PRODUCT_EACH][4] = {};
    for (int step = 0; step < PRODUCT_STAGES - 1; step++) {
        if (step < PARITY_STEPS)
            product_fetch(left, right, step, stages + step * PRODUCT_STAGE);
        copy_commit();
    }
    for (int step = 0; step < PARITY_STEPS; step++) {
        const int next = step + PRODUCT_STAGES - 1;
        copy_wait<PRODUCT_STAGES - 2>(); /* this step is there, and the one before it is not read any more */
        if (next < PARITY_STEPS)
            product_fetch(left, right, next, stages + next % PRODUCT_STAGES * PRODUCT_STAGE);
        copy_commit();
        if (place + 32 * warp < a.used[1])
            product_multiply(stages + step % PRODUCT_STAGES * PRODUCT_STAGE, warp, first, sum);
    }
    copy_wait<0>();
    product_write(a, place + 32 * warp, to, first, sum);
}

/* --- results ------------------------------------------------------------------------------------------------------ */

/* Translations to the children of a cell. */
FAR_FN int parity_count(const myr_far_series &a, const myr_far_cell &cell, int32_t number)
{
    int count = 0;
    for (int k = 0; k < FAR_NEAR; k++) {
        const int32_t other = a.near[(int64_t)number * FAR_NEAR + k];
        const uint32_t mask = other >= 0 && k != FAR_NEAR / 2 ? a.cell[other].mask : 0;
        for (int o = 0; o < 8 && mask; o++) {
            uint32_t near = 0; /* children of the other cell that are near child o */
            for (int p = 0; p < 8; p++) {
                const int x = (o >> 2) - (p >> 2) - 2 * (k / 9 - 1),
                          y = (o >> 1 & 1) - (p >> 1 & 1) - 2 * (k / 3 % 3 - 1),
                          z = (o & 1) - (p & 1) - 2 * (k % 3 - 1);
                near |= (uint32_t)(x >= -1 && x <= 1 && y >= -1 && y <= 1 && z >= -1 && z <= 1) << p;
            }
            count += cell.mask >> o & 1 ? __popc(mask & ~near) : 0;
        }
    }
    return count;
}

/* Local series of the children of listed cells: one thread per cell and coefficient. */
extern "C" __global__ void __launch_bounds__(MYR_FAR_THREADS)
    far_parity_gather(const __grid_constant__ myr_far_series a)
{
    const int64_t t = (int64_t)blockIdx.x * MYR_FAR_THREADS + threadIdx.x, place = t / TERMS;
    const int k = (int)(t % TERMS), parity = parity_of(k);
    if (place >= a.used[1])
        return;
    const int32_t number = a.target[place];
    const myr_far_cell cell = a.cell[number];
    real v[8];
    for (int o = 0; o < 8; o++)
        v[o] = ((const real *)a.gathered)[(place * 8 + (o ^ parity)) * PARITY_WIDE + k];
    parity_transform(v);
    for (int o = 0; o < 8; o++) {
        const int32_t child = cell_child(cell, o);
        if (child >= 0)
            ((real *)a.local)[series_at(child, a.number) + k] = v[o];
    }
    if (k == 0 && share_has(a.share, cell)) { /* else counted by another device */
        const unsigned long long count = (unsigned long long)parity_count(a, cell, number);
        atomicAdd(&a.state->translations, count);
        atomicAdd(&a.state->replaced, count);
        atomicAdd(&a.state->products, 1ull);
    }
}
