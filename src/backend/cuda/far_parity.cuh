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
    PARITY_BLOCKS = 26,                                          /* pairs (along, e) */
    PARITY_STEP = 8,                                             /* coefficients in shared memory at a time */
    PARITY_DEEP = (TERMS + 7) / 8 * 8,                           /* coefficients of a class in memory */
    PARITY_COLUMNS = TERMS <= 88 ? 8 : 16,                       /* threads along the coefficients of the result */
    PARITY_EACH = (TERMS + PARITY_COLUMNS - 1) / PARITY_COLUMNS, /* coefficients per thread */
    PARITY_WIDE = PARITY_EACH * PARITY_COLUMNS,
    PARITY_THREADS = PARITY_COLUMNS == 8 ? 128 : 256,
    PARITY_CELLS = PARITY_EACH <= 11 ? 8 : 4, /* per thread */
    PARITY_TILE = PARITY_THREADS / PARITY_COLUMNS * PARITY_CELLS,
    PARITY_ROW = PARITY_TILE + 4,
    PARITY_TASKS = (2 * PARITY_TILE + PARITY_THREADS - 1) / PARITY_THREADS, /* pieces of 16 bytes per thread and step */
    PARITY_PIECES = (PARITY_STEP * PARITY_WIDE / 4 + PARITY_THREADS - 1) / PARITY_THREADS
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

/* Entry of the list of near cells: +1 along the axes of `along`, -1 along those of `back`. */
FAR_FN int parity_near(int along, int back)
{
    int k = 0;
    for (int axis = 2; axis >= 0; axis--)
        k = 3 * k + 1 + (along >> axis & 1) - 2 * (back >> axis & 1);
    return k;
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

/* The matrices of the classes, matrix[class of the result][block][column][row], from the dense ones: one thread per
 * `along`, column and row. */
extern "C" __global__ void __launch_bounds__(128) far_parity_matrix(const __grid_constant__ myr_far_series a)
{
    const int64_t t = (int64_t)blockIdx.x * 128 + threadIdx.x;
    const int row = (int)(t % PARITY_WIDE), column = (int)(t / PARITY_WIDE % PARITY_DEEP),
              along = 1 + (int)(t / (PARITY_WIDE * PARITY_DEEP));
    if (along > 7)
        return;
    const int is = row < TERMS && column < TERMS, to = is ? parity_of(row) : 0, from = is ? parity_of(column) : 0;
    real v[8][8]; /* [octant of the target][octant of the source]; then their classes */
    for (int o = 0; o < 8; o++)
        for (int p = 0; p < 8; p++) {
            int offset = 0;
            for (int axis = 2; axis >= 0; axis--)
                offset = 7 * offset + 3 + (o >> axis & 1) - (p >> axis & 1) - 2 * (along >> axis & 1);
            v[o][p] = is ? ((const real *)a.local)[((int64_t)offset * TERMS + column) * SIZE + row] : 0;
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
            ((real *)a.matrix)[(((int64_t)c * PARITY_BLOCKS + q) * PARITY_DEEP + column) * PARITY_WIDE + row] =
                v[c ^ to][c ^ e ^ from] * (real)(1.0 / 64);
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

/* What a block of threads works on: a tile of listed cells, and a class of the result. */
struct parity_work {
    const int32_t (*near)[FAR_NEAR]; /* rows of the near cells of the tile's cells: shared memory */
    const real *spread, *matrix;
    int to; /* class */
};

/* Next coefficients of the sources: 4 of one cell, added over reflections of the offset, of which half are on their
 * way; and of the matrix. */
struct parity_pieces {
    float4 source[PARITY_TASKS], half[PARITY_TASKS][4], matrix[PARITY_PIECES];
};

FAR_FN void parity_add(float4 *sum, const float4 &x, real sign)
{
    sum->x = fmaf(sign, x.x, sum->x);
    sum->y = fmaf(sign, x.y, sum->y);
    sum->z = fmaf(sign, x.z, sum->z);
    sum->w = fmaf(sign, x.w, sum->w);
}

/* Coefficients first .. first + PARITY_STEP - 1 of block q, which are read next. */
struct parity_cursor {
    int q, first, along, e;
};

FAR_FN void parity_advance(parity_cursor &at)
{
    at.first += PARITY_STEP;
    if (at.first < PARITY_DEEP)
        return;
    at.first = 0;
    parity_block(++at.q, &at.along, &at.e);
}

/* Begins to read half of the neighbours. Nothing waits for them here: that is what parity_fold does. */
FAR_FN void parity_fetch(const parity_work &w, const parity_cursor &at, int half, parity_pieces &next)
{
    const real *from = w.spread + (int64_t)(w.to ^ at.e) * PARITY_DEEP + at.first;
#pragma unroll
    for (int t = 0; t < PARITY_TASKS; t++) {
        const int task = (int)threadIdx.x + t * PARITY_THREADS, cell = task / 2 % PARITY_TILE;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const int back = 4 * half + k;
            if (!(back & ~at.along))
                next.half[t][k] =
                    *(const float4 *)(from + (int64_t)w.near[cell][parity_near(at.along, back)] * 8 * PARITY_DEEP +
                                      task % 2 * 4);
        }
    }
}

FAR_FN void parity_fold(const parity_cursor &at, int half, parity_pieces &next)
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const int back = 4 * half + k;
        if (!(back & ~at.along)) {
            const real sign = parity_sign(at.e & back);
#pragma unroll
            for (int t = 0; t < PARITY_TASKS; t++)
                parity_add(&next.source[t], next.half[t][k], sign);
        }
    }
}

/* Begins to read coefficients of the matrix and half of the neighbours. */
FAR_FN void parity_begin(const parity_work &w, const parity_cursor &at, parity_pieces &next)
{
    const float4 none = {0, 0, 0, 0};
#pragma unroll
    for (int t = 0; t < PARITY_TASKS; t++)
        next.source[t] = none;
    parity_fetch(w, at, 0, next);
    const float4 *rows =
        (const float4 *)(w.matrix + (((int64_t)w.to * PARITY_BLOCKS + at.q) * PARITY_DEEP + at.first) * PARITY_WIDE);
#pragma unroll
    for (int t = 0; t < PARITY_PIECES; t++) {
        const int piece = (int)threadIdx.x + t * PARITY_THREADS;
        if (piece < PARITY_STEP * PARITY_WIDE / 4)
            next.matrix[t] = rows[piece];
    }
}

struct parity_shared {
    real source[2][PARITY_STEP][PARITY_ROW]; /* [coefficient][cell] */
    __align__(16) real matrix[2][PARITY_STEP * PARITY_WIDE];
    int32_t near[PARITY_TILE][FAR_NEAR];
};

FAR_FN void parity_store(const parity_pieces &next, int turn, parity_shared &shared)
{
#pragma unroll
    for (int t = 0; t < PARITY_TASKS; t++) {
        const int task = (int)threadIdx.x + t * PARITY_THREADS, cell = task / 2, k = task % 2 * 4;
        if (cell < PARITY_TILE) {
            shared.source[turn][k][cell] = next.source[t].x;
            shared.source[turn][k + 1][cell] = next.source[t].y;
            shared.source[turn][k + 2][cell] = next.source[t].z;
            shared.source[turn][k + 3][cell] = next.source[t].w;
        }
    }
#pragma unroll
    for (int t = 0; t < PARITY_PIECES; t++) {
        const int piece = (int)threadIdx.x + t * PARITY_THREADS;
        if (piece < PARITY_STEP * PARITY_WIDE / 4)
            ((float4 *)shared.matrix[turn])[piece] = next.matrix[t];
    }
}

/* Half of the coefficients in shared memory. */
FAR_FN void parity_multiply(const parity_shared &shared, int turn, int half, real (*sum)[PARITY_EACH])
{
    const int column = threadIdx.x % PARITY_COLUMNS, cells = threadIdx.x / PARITY_COLUMNS * PARITY_CELLS;
#pragma unroll
    for (int step = 0; step < PARITY_STEP / 2; step++) {
        const int k = half * (PARITY_STEP / 2) + step;
        real source[PARITY_CELLS];
#pragma unroll
        for (int i = 0; i < PARITY_CELLS; i += 4)
            *(float4 *)(source + i) = *(const float4 *)(shared.source[turn][k] + cells + i);
#pragma unroll
        for (int j = 0; j < PARITY_EACH; j++) {
            const real factor = shared.matrix[turn][k * PARITY_WIDE + j * PARITY_COLUMNS + column];
#pragma unroll
            for (int i = 0; i < PARITY_CELLS; i++)
                sum[i][j] = fmaf(source[i], factor, sum[i][j]);
        }
    }
}

/* Rows of the near cells of a tile's cells; the row of zeros for none, and for the cell itself, whose children are all
 * near each other. */
FAR_FN void parity_neighbours(const myr_far_series &a, int32_t first, int32_t count, int32_t (*near)[FAR_NEAR])
{
    for (int at = threadIdx.x; at < PARITY_TILE * FAR_NEAR; at += PARITY_THREADS) {
        const int32_t cell = at / FAR_NEAR, k = at % FAR_NEAR;
        const int32_t other = cell < count ? a.near[(int64_t)a.target[first + cell] * FAR_NEAR + k] : -1;
        near[cell][k] = other >= 0 && k != FAR_NEAR / 2 && a.row[other] >= 0 ? a.row[other] >> 1 : a.zeros;
    }
}

/* Class `blockIdx.x % 8` of the results of a tile of cells: gathered[place in the list][class][PARITY_WIDE]. */
extern "C" __global__ void __launch_bounds__(PARITY_THREADS, PARITY_THREADS == 128 ? 3
                                                             : PARITY_EACH > 9     ? 1
                                                                                   : 2)
    far_parity_sum(const __grid_constant__ myr_far_series a)
{
    __shared__ parity_shared shared;
    const int32_t first = (int32_t)(blockIdx.x / 8) * PARITY_TILE, listed = a.used[1];
    if (first >= listed)
        return;
    const int32_t count = listed - first < PARITY_TILE ? listed - first : PARITY_TILE;
    const parity_work w = {shared.near, (const real *)a.spread, (const real *)a.matrix, (int)(blockIdx.x % 8)};
    real sum[PARITY_CELLS][PARITY_EACH] = {};
    parity_pieces next;
    parity_neighbours(a, first, count, shared.near);
    __syncthreads();
    parity_cursor at = {-1, PARITY_DEEP, 0, 0};
    const int steps = PARITY_BLOCKS * PARITY_DEEP / PARITY_STEP;
    for (int step = 0, turn = 0; step <= steps; step++, turn = !turn) { /* reads one step ahead */
        if (step < steps) {
            parity_advance(at);
            parity_begin(w, at, next);
        }
        if (step > 0)
            parity_multiply(shared, !turn, 0, sum);
        if (step < steps) {
            parity_fold(at, 0, next);
            parity_fetch(w, at, 1, next);
        }
        if (step > 0)
            parity_multiply(shared, !turn, 1, sum);
        if (step < steps) {
            parity_fold(at, 1, next);
            parity_store(next, turn, shared);
        }
        __syncthreads();
    }
    const int column = threadIdx.x % PARITY_COLUMNS, cells = threadIdx.x / PARITY_COLUMNS * PARITY_CELLS;
#pragma unroll
    for (int i = 0; i < PARITY_CELLS; i++)
#pragma unroll
        for (int j = 0; j < PARITY_EACH; j++)
            if (cells + i < count)
                ((real *)a
                     .gathered)[((int64_t)(first + cells + i) * 8 + w.to) * PARITY_WIDE + j * PARITY_COLUMNS + column] =
                    sum[i][j];
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
