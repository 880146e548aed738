/* mesh.cuh - vortex elements on the mesh of a periodic box, on a GPU (method/mesh/mesh.h): places are sorted by tiles of
 * the mesh; a block spreads the strengths of a tile's sources in integers in shared memory, so that the order of
 * additions does not matter; Fourier transforms by cuFFT; a block gathers the velocity and its gradient at the targets
 * of a tile. The macros:
 *   MESH_DOUBLE   1 = doubles and 64-bit integers, 0 = floats and 32-bit integers
 *   MESH_WIDTH    points of the window along an axis
 *   MESH_DEGREE   degree of its polynomials */
#include "backend/cuda/mesh_args.h"

#define MESH_FN static __device__ __forceinline__
#define MESH_KERNEL(name, threads)                                                                                     \
    extern "C" __global__ void __launch_bounds__(threads) name(const __grid_constant__ myr_cuda_mesh_pass p)
#define MESH_UNROLL _Pragma("unroll")
#define MESH_LOOP _Pragma("unroll 1")

enum {
    W = MESH_WIDTH,
    TILE_X = MYR_CUDA_MESH_TILE_X,
    TILE_Y = MYR_CUDA_MESH_TILE_Y,
    TILE_Z = MYR_CUDA_MESH_TILE_Z,
    /* points that the places of a tile touch */
    SPAN_X = TILE_X + W - 1,
    SPAN_Y = TILE_Y + W - 1,
    SPAN_Z = TILE_Z + W - 1,
    POINTS = SPAN_X * SPAN_Y * SPAN_Z
};

#if MESH_DOUBLE
typedef double real;
typedef long long integer;
#define MESH_FMA fma
#define WINDOW(which, power, point) p.window.wide[which][(power) * MYR_CUDA_MESH_WIDEST + (point)]
enum { SUM_BITS = 61 };
#else
typedef float real;
typedef int integer;
#define MESH_FMA fmaf
#define WINDOW(which, power, point) p.window.single[which][(power) * MYR_CUDA_MESH_WIDEST + (point)]
enum { SUM_BITS = 30 };
#endif

struct __align__(16) record {
    real beyond[3];   /* distance to the first touched point along each axis, in spacings, 0 to 1 */
    real strength[3]; /* of the source, or of the target */
    uint32_t number;  /* of the source, or of the target */
    uint32_t local;   /* first touched point within the tile: x + 32 y + 1024 z */
};

struct __align__(2 * sizeof(real)) number {
    real re, im;
};

extern __shared__ __align__(16) char mesh_shared[];

/* --- places ------------------------------------------------------------------------------------------------------- */

struct place {
    int first[3];
    real beyond[3];
};

/* Place of a position; returns 0 if it is not finite. */
MESH_FN int place_find(const myr_cuda_mesh_pass &p, int64_t i, place &to)
{
    int finite = 1;
    MESH_UNROLL
    for (int c = 0; c < 3; c++) {
        double u = p.x[c][i] / p.edge[c];
        if (!(fabs(u) < 1e300)) {
            u = 0;
            finite = 0;
        }
        u = (u - floor(u)) * p.side[c] - 0.5 * W;
        const double first = ceil(u);
        int at = (int)first;
        at += at < 0 ? p.side[c] : 0;
        to.first[c] = at < p.side[c] ? at : at - p.side[c];
        to.beyond[c] = (real)(first - u);
    }
    return finite;
}

MESH_FN int place_tile(const myr_cuda_mesh_pass &p, const place &at)
{
    return (at.first[2] / TILE_Z * p.tiles[1] + at.first[1] / TILE_Y) * p.tiles[0] + at.first[0] / TILE_X;
}

/* Counts the places of each tile, one addition per tile and warp, and finds the largest strength. */
MESH_KERNEL(mesh_count, MYR_CUDA_MESH_THREADS)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int tile = -1, fine = 1;
    double most = 0;
    if (i < p.n) {
        place at;
        fine = place_find(p, i, at);
        tile = place_tile(p, at);
        MESH_UNROLL
        for (int c = 0; c < 3; c++) {
            const double size = p.strength[c] ? fabs(p.strength[c][i]) : 0;
            fine &= size < 1e300;
            most = size > most ? size : most; /* not if it is no number */
        }
    }
    const int lane = threadIdx.x % 32;
    const unsigned same = __match_any_sync(~0u, tile);
    const int leader = __ffs((int)same) - 1;
    unsigned base = 0;
    if (tile >= 0 && lane == leader)
        base = atomicAdd(p.first + tile, (unsigned)__popc(same));
    base = __shfl_sync(~0u, base, leader);
    if (i < p.n)
        p.rank[i] = base + (unsigned)__popc(same & ((1u << lane) - 1));
    for (int far = 16; far > 0; far /= 2) {
        const double other = __shfl_xor_sync(~0u, most, far);
        most = other > most ? other : most;
    }
    const unsigned long long bits = (unsigned long long)__double_as_longlong(most);
    if (lane == 0 && bits > __ldcg(&p.state->most))
        atomicMax(&p.state->most, bits);
    if (!fine)
        atomicOr(&p.state->bad, 1u);
}

/* Sums before each tile from the counts of the tiles: one block. */
MESH_KERNEL(mesh_scan, MYR_CUDA_MESH_SCAN)
{
    __shared__ unsigned part[MYR_CUDA_MESH_SCAN];
    const int tiles = p.tiles[0] * p.tiles[1] * p.tiles[2], me = threadIdx.x;
    const int each = (tiles + MYR_CUDA_MESH_SCAN - 1) / MYR_CUDA_MESH_SCAN;
    const int begin = me * each, end = begin + each < tiles ? begin + each : tiles;
    unsigned sum = 0;
    for (int t = begin; t < end; t++)
        sum += p.first[t];
    part[me] = sum;
    for (int far = 1; far < MYR_CUDA_MESH_SCAN; far *= 2) {
        __syncthreads();
        const unsigned before = me >= far ? part[me - far] : 0;
        __syncthreads();
        part[me] += before;
    }
    unsigned at = part[me] - sum;
    for (int t = begin; t < end; t++) {
        const unsigned count = p.first[t];
        p.first[t] = at;
        at += count;
    }
    if (me == MYR_CUDA_MESH_SCAN - 1)
        p.first[tiles] = part[me];
}

MESH_KERNEL(mesh_place, MYR_CUDA_MESH_THREADS)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.n)
        return;
    place at;
    record r;
    (void)place_find(p, i, at);
    MESH_UNROLL
    for (int c = 0; c < 3; c++) {
        const double strength = p.strength[c] ? p.strength[c][i] : 0;
        r.beyond[c] = at.beyond[c];
        r.strength[c] = (real)(fabs(strength) < 1e300 ? strength : 0);
    }
    r.number = (uint32_t)i;
    r.local = (uint32_t)(at.first[0] % TILE_X + 32 * (at.first[1] % TILE_Y) + 1024 * (at.first[2] % TILE_Z));
    ((record *)p.record)[p.first[place_tile(p, at)] + p.rank[i]] = r;
}

/* --- the unit of the integers ------------------------------------------------------------------------------------- */

/* Sums of the strengths of each tile, as parts of the largest one, rounded up: one warp per tile. */
MESH_KERNEL(mesh_weigh, MYR_CUDA_MESH_THREADS)
{
    const int tiles = p.tiles[0] * p.tiles[1] * p.tiles[2], lane = threadIdx.x % 32;
    const int t = (int)(((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32);
    const double most = __longlong_as_double((long long)p.state->most);
    const real unit = most > 0 ? (real)((1 << MYR_CUDA_MESH_PARTS) / most) : 0;
    unsigned long long sum = 0;
    for (uint32_t j = t < tiles ? p.first[t] + lane : 0; t < tiles && j < p.first[t + 1]; j += 32) {
        const record r = ((const record *)p.record)[j];
        real size = 0;
        MESH_UNROLL
        for (int c = 0; c < 3; c++)
            size = fabs(r.strength[c]) > size ? fabs(r.strength[c]) : size;
        sum += (unsigned long long)(size * unit) + 1;
    }
    for (int far = 16; far > 0; far /= 2)
        sum += __shfl_xor_sync(~0u, sum, far);
    if (lane == 0 && t < tiles) {
        p.sum[t] = sum;
        atomicAdd(&p.state->total, sum);
    }
}

/* The largest sum over the tiles whose sources can touch one point. */
MESH_KERNEL(mesh_bound, MYR_CUDA_MESH_THREADS)
{
    const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x), tiles = p.tiles[0] * p.tiles[1] * p.tiles[2];
    if (t >= tiles)
        return;
    const int at[3] = {t % p.tiles[0], t / p.tiles[0] % p.tiles[1], t / p.tiles[0] / p.tiles[1]};
    unsigned long long sum = 0;
    for (int z = 0; z <= p.reach[2]; z++)
        for (int y = 0; y <= p.reach[1]; y++)
            for (int x = 0; x <= p.reach[0]; x++) {
                const int from[3] = {(at[0] - x + p.tiles[0]) % p.tiles[0], (at[1] - y + p.tiles[1]) % p.tiles[1],
                                     (at[2] - z + p.tiles[2]) % p.tiles[2]};
                sum += p.sum[(from[2] * p.tiles[1] + from[1]) * p.tiles[0] + from[0]];
            }
    if (sum > __ldcg(&p.state->bound))
        atomicMax(&p.state->bound, sum);
}

/* Binary exponent of the integers per unit of strength: a sum of all strengths within reach has SUM_BITS bits. */
MESH_FN int unit_exponent(const myr_cuda_mesh_pass &p)
{
    const double most = __longlong_as_double((long long)p.state->most);
    const double bound = most * (double)p.state->bound / (1 << MYR_CUDA_MESH_PARTS);
    return bound > 0 ? SUM_BITS - 1 - ilogb(bound) : 0;
}

/* --- window ------------------------------------------------------------------------------------------------------- */

/* Weight of a point (which = 0), or that of a derivative by position, in spacings (1), for s = 2 beyond - 1. */
MESH_FN real window_at(const myr_cuda_mesh_pass &p, int which, real s, int point)
{
    real value = WINDOW(which, MESH_DEGREE, point);
    MESH_UNROLL
    for (int power = MESH_DEGREE - 1; power >= 0; power--)
        value = MESH_FMA(value, s, WINDOW(which, power, point));
    return value;
}

/* --- tiles -------------------------------------------------------------------------------------------------------- */

struct tile {
    int first[3];        /* mesh point */
    uint32_t begin, end; /* places */
};

MESH_FN tile tile_of(const myr_cuda_mesh_pass &p, int t)
{
    const tile at = {{t % p.tiles[0] * TILE_X, t / p.tiles[0] % p.tiles[1] * TILE_Y, t / p.tiles[0] / p.tiles[1] * TILE_Z},
                     p.first[t],
                     p.first[t + 1]};
    return at;
}

/* Where point q of a tile's span is in the grid, without the component. */
MESH_FN int64_t tile_point(const myr_cuda_mesh_pass &p, const tile &t, int q)
{
    const int x = (t.first[0] + q % SPAN_X) % p.side[0], y = (t.first[1] + q / SPAN_X % SPAN_Y) % p.side[1],
              z = (t.first[2] + q / SPAN_X / SPAN_Y) % p.side[2];
    return ((int64_t)z * p.side[1] + y) * p.row + x;
}

MESH_FN int64_t mesh_points(const myr_cuda_mesh_pass &p)
{
    return (int64_t)p.row * p.side[1] * p.side[2];
}

/* First point of a record in the span. */
MESH_FN int span_first(const record &r)
{
    return (int)(r.local & 31) + SPAN_X * ((int)(r.local >> 5 & 31) + SPAN_Y * (int)(r.local >> 10));
}

/* --- spreading ---------------------------------------------------------------------------------------------------- */

#if MESH_DOUBLE
/* 64-bit integers as two words of 32 bits: additions with a carry, modulo 2^64. */
MESH_FN void span_add(int at, real x)
{
    unsigned *low = (unsigned *)mesh_shared, *high = low + POINTS;
    const unsigned long long v = (unsigned long long)__double2ll_rn(x);
    const unsigned more = (unsigned)v, before = atomicAdd(low + at, more);
    const unsigned carry = before + more < before, above = (unsigned)(v >> 32) + carry;
    if (above)
        atomicAdd(high + at, above);
}

MESH_FN integer span_sum(int at)
{
    const unsigned *low = (const unsigned *)mesh_shared, *high = low + POINTS;
    return (integer)((unsigned long long)high[at] << 32 | low[at]);
}
enum { SPREAD_ONCE = 1, SPREAD_WORDS = 2 * POINTS }; /* components spread at a time */
#else
MESH_FN void span_add(int at, real x)
{
    atomicAdd((int *)mesh_shared + at, __float2int_rn(x));
}

MESH_FN integer span_sum(int at)
{
    return ((const int *)mesh_shared)[at];
}
enum { SPREAD_ONCE = 3, SPREAD_WORDS = 3 * POINTS };
#endif

MESH_FN void spread_one(const myr_cuda_mesh_pass &p, const record &r, int component, real scale)
{
    real wx[W], wy[W], a[SPREAD_ONCE];
    const real s[3] = {2 * r.beyond[0] - 1, 2 * r.beyond[1] - 1, 2 * r.beyond[2] - 1};
    MESH_UNROLL
    for (int k = 0; k < W; k++) {
        wx[k] = window_at(p, 0, s[0], k);
        wy[k] = window_at(p, 0, s[1], k);
    }
    MESH_UNROLL
    for (int c = 0; c < SPREAD_ONCE; c++)
        a[c] = (SPREAD_ONCE == 1 ? component == 0   ? r.strength[0]
                                   : component == 1 ? r.strength[1]
                                                    : r.strength[2]
                                 : r.strength[c]) *
               scale;
    int at = span_first(r);
    MESH_LOOP
    for (int z = 0; z < W; z++, at += SPAN_X * SPAN_Y) {
        const real wz = window_at(p, 0, s[2], z);
        MESH_UNROLL
        for (int y = 0; y < W; y++)
            MESH_UNROLL
            for (int c = 0; c < SPREAD_ONCE; c++) {
                const real part = a[c] * (wz * wy[y]);
                MESH_UNROLL
                for (int x = 0; x < W; x++)
                    span_add(c * POINTS + at + y * SPAN_X + x, part * wx[x]);
            }
    }
}

MESH_KERNEL(mesh_spread, MYR_CUDA_MESH_THREADS)
{
    const tile t = tile_of(p, (int)blockIdx.x);
    const real scale = (real)ldexp(1.0, unit_exponent(p));
    if (t.begin == t.end)
        return; /* all threads of the block */
    for (int component = 0; component < 3; component += SPREAD_ONCE) {
        for (int q = threadIdx.x; q < SPREAD_WORDS; q += MYR_CUDA_MESH_THREADS)
            ((unsigned *)mesh_shared)[q] = 0;
        __syncthreads();
        for (uint32_t j = t.begin + threadIdx.x; j < t.end; j += MYR_CUDA_MESH_THREADS)
            spread_one(p, ((const record *)p.record)[j], component, scale);
        __syncthreads();
        for (int q = threadIdx.x; q < POINTS; q += MYR_CUDA_MESH_THREADS) {
            const int64_t to = tile_point(p, t, q);
            MESH_UNROLL
            for (int c = 0; c < SPREAD_ONCE; c++) {
                const integer sum = span_sum(c * POINTS + q);
#if MESH_DOUBLE
                if (sum)
                    atomicAdd((unsigned long long *)p.grid + (component + c) * mesh_points(p) + to,
                              (unsigned long long)sum);
#else
                if (sum)
                    atomicAdd((int *)p.grid + (component + c) * mesh_points(p) + to, sum);
#endif
            }
        }
        __syncthreads();
    }
}

/* Integers to reals, in place. */
MESH_KERNEL(mesh_real, MYR_CUDA_MESH_THREADS)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 3 * mesh_points(p))
        return;
    const real unit = (real)ldexp(1.0, -unit_exponent(p));
    const integer sum = ((const integer *)p.grid)[i];
    ((real *)p.grid)[i] = unit * (real)sum;
}

/* --- waves -------------------------------------------------------------------------------------------------------- */

/* Velocities from strengths, u^ = i k x S g / k^2: myr_mesh_vortex_velocity. */
MESH_KERNEL(mesh_velocity, MYR_CUDA_MESH_THREADS)
{
    const int64_t waves = mesh_points(p) / 2, i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= waves)
        return;
    const uint32_t half = (uint32_t)p.row / 2, row = (uint32_t)i / half, x = (uint32_t)i % half;
    const uint32_t y = row % (uint32_t)p.side[1], z = row / (uint32_t)p.side[1];
    const uint32_t at[3] = {x, y, z};
    real k[3], g = 1;
    MESH_UNROLL
    for (int c = 0; c < 3; c++) {
        k[c] = ((const real *)p.wave[c])[at[c]];
        g *= ((const real *)p.damped[c])[at[c]];
    }
    const real k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2], factor = k2 > 0 ? g / k2 : 0;
    number *h = (number *)p.grid + i, in[3];
    MESH_UNROLL
    for (int c = 0; c < 3; c++)
        in[c] = h[c * waves];
    MESH_UNROLL
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        const number out = {-factor * (k[d] * in[e].im - k[e] * in[d].im), factor * (k[d] * in[e].re - k[e] * in[d].re)};
        h[c * waves] = out;
    }
}

/* --- gathering ---------------------------------------------------------------------------------------------------- */

/* Sums of a place: velocity [3], and its derivatives [3][3] by component and axis, by places. */
struct gathered {
    real u[3], g[3][3];
};

/* Rows of the mesh near a place. */
struct rows {
#if MESH_DOUBLE
    const real *grid;
    int first[3];
#else
    int at;
#endif
};

MESH_FN rows rows_of(const myr_cuda_mesh_pass &p, const tile &t, const record &r)
{
#if MESH_DOUBLE
    return rows{(const real *)p.grid,
                {t.first[0] + (int)(r.local & 31), t.first[1] + (int)(r.local >> 5 & 31), t.first[2] + (int)(r.local >> 10)}};
#else
    return rows{span_first(r)};
#endif
}

/* Sums along x at row y, z of component c: values and slopes. */
MESH_FN void row_sum(const myr_cuda_mesh_pass &p, const rows &from, int c, int y, int z, const real *wx, const real *dx,
                     real &value, real &slope)
{
    real v = 0, d = 0;
#if MESH_DOUBLE
    const int iy = (from.first[1] + y) % p.side[1], iz = (from.first[2] + z) % p.side[2];
    const real *row = from.grid + c * mesh_points(p) + ((int64_t)iz * p.side[1] + iy) * p.row;
#else
    const real *row = (const real *)mesh_shared + c * POINTS + from.at + (z * SPAN_Y + y) * SPAN_X;
#endif
    MESH_UNROLL
    for (int x = 0; x < W; x++) {
#if MESH_DOUBLE
        const int ix = from.first[0] + x;
        const real f = row[ix < p.side[0] ? ix : ix - p.side[0]];
#else
        const real f = row[x];
#endif
        v = MESH_FMA(wx[x], f, v);
        d = MESH_FMA(dx[x], f, d);
    }
    value = v;
    slope = d;
}

MESH_FN gathered gather_one(const myr_cuda_mesh_pass &p, const tile &t, const record &r)
{
    const real s[3] = {2 * r.beyond[0] - 1, 2 * r.beyond[1] - 1, 2 * r.beyond[2] - 1};
    const rows from = rows_of(p, t, r);
    real wx[W], dx[W], wy[W], dy[W];
    gathered sum = {{0, 0, 0}, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    MESH_UNROLL
    for (int k = 0; k < W; k++) {
        wx[k] = window_at(p, 0, s[0], k);
        dx[k] = window_at(p, 1, s[0], k);
        wy[k] = window_at(p, 0, s[1], k);
        dy[k] = window_at(p, 1, s[1], k);
    }
    MESH_LOOP
    for (int z = 0; z < W; z++) {
        const real wz = window_at(p, 0, s[2], z), dz = window_at(p, 1, s[2], z);
        MESH_UNROLL
        for (int c = 0; c < 3; c++) {
            real all = 0, by_x = 0, by_y = 0;
            MESH_UNROLL
            for (int y = 0; y < W; y++) {
                real v, d;
                row_sum(p, from, c, y, z, wx, dx, v, d);
                all = MESH_FMA(wy[y], v, all);
                by_x = MESH_FMA(wy[y], d, by_x);
                by_y = MESH_FMA(dy[y], v, by_y);
            }
            sum.u[c] = MESH_FMA(wz, all, sum.u[c]);
            sum.g[c][0] = MESH_FMA(wz, by_x, sum.g[c][0]);
            sum.g[c][1] = MESH_FMA(wz, by_y, sum.g[c][1]);
            sum.g[c][2] = MESH_FMA(dz, all, sum.g[c][2]);
        }
    }
    return sum;
}

/* Writes the outputs of a target. */
MESH_FN void gather_write(const myr_cuda_mesh_pass &p, const record &r, const gathered &sum)
{
    double size = 0;
    int k = 0;
    MESH_UNROLL
    for (int c = 0; c < 3; c++) {
        size += fabs((double)sum.u[c]);
        if (p.velocity && p.value[k])
            p.value[k][r.number] = (double)sum.u[c];
        k += p.velocity;
    }
    MESH_UNROLL
    for (int c = 0; c < 3; c++) {
        double classical = 0, transposed = 0;
        MESH_UNROLL
        for (int b = 0; b < 3; b++) {
            const double strength = (double)r.strength[b];
            classical += strength * (p.slope[b] * (double)sum.g[c][b]);
            transposed += strength * (p.slope[c] * (double)sum.g[b][c]);
        }
        const double stretching = p.classical * classical + p.transposed * transposed;
        size += fabs(stretching);
        if (p.stretching && p.value[k])
            p.value[k][r.number] = stretching;
        k += p.stretching;
    }
    if (!(size < 1e300))
        atomicOr(&p.state->bad, 2u);
}

MESH_KERNEL(mesh_gather, MYR_CUDA_MESH_THREADS)
{
    const tile t = tile_of(p, (int)blockIdx.x);
    if (t.begin == t.end)
        return; /* all threads of the block */
#if !MESH_DOUBLE
    for (int q = threadIdx.x; q < POINTS; q += MYR_CUDA_MESH_THREADS) {
        const int64_t from = tile_point(p, t, q);
        MESH_UNROLL
        for (int c = 0; c < 3; c++)
            ((real *)mesh_shared)[c * POINTS + q] = ((const real *)p.grid)[c * mesh_points(p) + from];
    }
    __syncthreads();
#endif
    for (uint32_t j = t.begin + threadIdx.x; j < t.end; j += MYR_CUDA_MESH_THREADS) {
        const record r = ((const record *)p.record)[j];
        gather_write(p, r, gather_one(p, t, r));
    }
}

/* --- motion ------------------------------------------------------------------------------------------------------- */

/* Sums of an integrator. */
extern "C" __global__ void __launch_bounds__(MYR_CUDA_MESH_THREADS) mesh_move(const __grid_constant__ myr_cuda_move a)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; i < a.bodies.n && k < a.sums; k++)
        motion_sum_at(&a.sum[k], i);
}
