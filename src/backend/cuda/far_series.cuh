/* far_series.cuh - passes of the fast multipole method with expansions on a GPU; conventions as in backend/expansion.h.
 * Compiled at run time with
 *   FAR_ORDER         number of degrees of the expansions
 *   FAR_DOUBLE        1 = expansions in double
 *   FAR_WIDE_RECORD   1 = particles are doubles; FAR_COORD_LANES: reals per coordinate
 *   FAR_REACH         as in far_lists.cuh
 *   FAR_STRENGTHS     expansions per cell; FAR_NEGATED: 1 = series FAR_STRENGTHS .. 2 FAR_STRENGTHS - 1 are their
 * negatives FAR_LISTED        series derived from them, these included; FAR_STEPS: steps of their derivation FAR_SUMS
 * series evaluated at a target; FAR_DEPTH: largest number of derivatives in one FAR_PARITY        1 = with M2L by
 * reflections (far_parity.cuh): floats, separation 1 FAR_PORTABLE      1 = the bits of portable arithmetic
 * (backend/expansion_order.h); FAR_RELAXED: see far_portable.cuh user_kernel.h     constants of the order: far_first,
 * far_up, far_down, far_swap, far_axial; of the far field (method/fmm/far_field.h): far_step[FAR_STEPS][3],
 * far_sum[FAR_SUMS][2]
 *
 * Every sum is computed in an order that follows from the tree alone. */
#include <stdint.h>

#if FAR_PORTABLE && FAR_DOUBLE
#define MYR_ARITH 3
#define MYR_SEPARATE
#elif FAR_PORTABLE
#define MYR_ARITH 2
#endif
#if FAR_PORTABLE
#define MYR_LANE_BYTES 0
#include "backend/lane/lane.h"
#endif

#include "backend/cuda/far_args.h"
#include "backend/expansion_order.h"

#define FAR_FN static __device__ __forceinline__
#define FAR_INSIDE __device__ __forceinline__ /* of a structure */
#define FAR_SERIES 1
#include "backend/cuda/far_lists.cuh"

/* far_real: reals of the far field of a particle */
#if FAR_PORTABLE
typedef double far_real;
#define FAR_RSQRT(x) (FAR_DOUBLE ? (real)(1.0 / sqrt((double)(x))) : lane_rsqrt_pos(x))
#define FAR_FMA(x, y, z) ((x) * (y) + (z))
#elif FAR_DOUBLE
typedef double real, far_real;
#define FAR_RSQRT(x) (1.0 / sqrt(x))
#define FAR_FMA(x, y, z) fma(x, y, z)
#else
typedef float real, far_real;
#define FAR_RSQRT(x) (1.0f / sqrtf(x))
#define FAR_FMA(x, y, z) fmaf(x, y, z)
#endif
#if FAR_WIDE_RECORD
typedef double record_real;
#else
typedef float record_real;
#endif

/* Loops over coefficients are unrolled, and coefficients are in registers, up to these orders: in rotations, for which
 * NVRTC needs half a minute at order 12, where some are spilled; elsewhere. */
#if FAR_ORDER <= (FAR_DOUBLE ? 8 : 12) && !FAR_RELAXED
#define FAR_UNROLL_TURNS _Pragma("unroll")
#else
#define FAR_UNROLL_TURNS _Pragma("unroll 1")
#endif
#if FAR_ORDER <= (FAR_DOUBLE || FAR_PORTABLE ? 8 : 14) && !FAR_RELAXED
#define FAR_UNROLL _Pragma("unroll")
#else
#define FAR_UNROLL FAR_UNROLL_TURNS
#endif

#include "user_kernel.h"

enum {
    P = FAR_ORDER,
    TERMS = P * P,
    SIZE = (TERMS + 3) / 4 * 4,               /* reals of a series in memory */
    MORE = (P + FAR_DEPTH) * (P + FAR_DEPTH), /* terms of the derivatives of a multipole series */
    DEGREES = P + FAR_DEPTH + 1,              /* row of the tables of the recurrence */
    SERIES_WARPS = 32768 / (MORE * FAR_LISTED * (int)sizeof(real)),
    L2P_WARPS = SERIES_WARPS < 1                      ? 1
                : SERIES_WARPS < MYR_FAR_THREADS / 32 ? SERIES_WARPS
                                                      : MYR_FAR_THREADS / 32
};

/* First coefficient of a series of a cell. */
FAR_FN int64_t series_at(int32_t cell, int number)
{
    return ((int64_t)cell * FAR_STRENGTHS + number) * SIZE;
}

FAR_FN constexpr int term(int n, int m)
{
    return n * n + n + m;
}

/* --- harmonics ---------------------------------------------------------------------------------------------------- */

template <class number> struct harmonic_point_of {
    number x, y, z, r2, start; /* start: value of H_00 */
};
typedef harmonic_point_of<real> harmonic_point;

/* Reals of two points. */
struct real_pair {
    real one, two;
    FAR_INSIDE real_pair(real x) : one(x), two(x)
    {
    }
    FAR_INSIDE real_pair(real x, real y) : one(x), two(y)
    {
    }
};

FAR_FN real_pair operator*(const real_pair &x, const real_pair &y)
{
    return {x.one * y.one, x.two * y.two};
}

FAR_FN real_pair operator-(const real_pair &x)
{
    return {-x.one, -x.two};
}

FAR_FN real far_fma(real x, real y, real z)
{
    return FAR_FMA(x, y, z);
}

FAR_FN real_pair far_fma(const real_pair &x, const real_pair &y, const real_pair &z)
{
    return {FAR_FMA(x.one, y.one, z.one), FAR_FMA(x.two, y.two, z.two)};
}

/* Calls use(index, value) for all H_nm(x) of degrees below ORDER, times the start value. */
template <int ORDER, class number, class function>
FAR_FN void harmonics(const harmonic_point_of<number> &p, function use)
{
    number c = p.start, s = (real)0;
    FAR_UNROLL
    for (int m = 0; m < ORDER; m++) {
        if (m) {
            const number fx = number(far_first[m]) * p.x, fy = number(far_first[m]) * p.y,
                         t = far_fma(c, fx, -(s * fy));
            s = far_fma(c, fy, s * fx);
            c = t;
        }
        number before_c = (real)0, at_c = c, before_s = (real)0, at_s = s;
        FAR_UNROLL
        for (int n = m; n < ORDER; n++) {
            use(term(n, m), at_c);
            if (m)
                use(term(n, -m), at_s);
            const number u = number(far_up[n * DEGREES + m]) * p.z, v = number(-far_down[n * DEGREES + m]) * p.r2;
            const number next_c = far_fma(u, at_c, v * before_c), next_s = far_fma(u, at_s, v * before_s);
            before_c = at_c;
            before_s = at_s;
            at_c = next_c;
            at_s = next_s;
        }
    }
}

/* Centre and side of a cell. */
struct cell_frame {
    double centre[3], per_side;
};

FAR_FN double power_of_half(int k)
{
    return __longlong_as_double((long long)(1023 - k) << 52);
}

/* The frame of a cell in an image of a periodic box. */
FAR_FN cell_frame frame_of(const myr_far_series &a, const myr_far_cell &cell, int32_t image)
{
    cell_frame f;
    const double part = power_of_half(cell.level);
    for (int axis = 0; axis < 3; axis++)
        f.centre[axis] = a.state->origin[axis] + a.state->side * (((double)cell.at[axis] + 0.5) * part) +
                         (double)image_by(image, axis) * a.state->side;
    f.per_side = 1 / (a.state->side * part);
    return f;
}

FAR_FN real strength_of(const myr_far_series &a, const record_real *r)
{
    const real q = (real)r[a.factor[0]];
    return a.factor[1] < 0 ? q : q * (real)r[a.factor[1]];
}

/* Particle i relative to a cell, in the cell's sides. I(x) = H(x / r^2) / r for irregular harmonics. */
FAR_FN harmonic_point point_of(const myr_far_series &a, const cell_frame &f, int64_t i, int irregular, int charged)
{
    const record_real *r = (const record_real *)a.record + i * a.stride;
    real x[3];
    for (int axis = 0; axis < 3; axis++) {
        const record_real *at = r + axis * FAR_COORD_LANES;
        const double whole = FAR_COORD_LANES == 2 ? (double)at[0] + (double)at[FAR_COORD_LANES - 1] : (double)at[0];
        x[axis] = (real)((whole - f.centre[axis]) * f.per_side);
    }
    harmonic_point p = {x[0], x[1], x[2], FAR_FMA(x[2], x[2], FAR_FMA(x[1], x[1], x[0] * x[0])),
                        charged ? strength_of(a, r) : (real)1};
    if (irregular) {
        const real inverse = FAR_RSQRT(p.r2), square = inverse * inverse;
        p = {p.x * square, p.y * square, p.z * square, square, p.start * inverse};
    }
    return p;
}

/* --- particles to series ------------------------------------------------------------------------------------------ */

#if !FAR_PORTABLE
/* P2M: eight threads per leaf. */
extern "C" __global__ void __launch_bounds__(MYR_FAR_THREADS) far_p2m(const __grid_constant__ myr_far_series a)
{
    const int32_t c = a.begin + (int32_t)(((int64_t)blockIdx.x * MYR_FAR_THREADS + threadIdx.x) / 8);
    const int part = threadIdx.x % 8;
    real sum[TERMS];
    FAR_UNROLL
    for (int k = 0; k < TERMS; k++)
        sum[k] = 0;
    const int is = c < a.end && !a.cell[c < a.end ? c : a.begin].mask;
    if (is) {
        const myr_far_cell cell = a.cell[c];
        const cell_frame frame = frame_of(a, cell, 0);
        for (int i = part; i < cell.acting; i += 8)
            harmonics<P>(point_of(a, frame, cell.first + i, 0, 1), [&](int k, real value) { sum[k] += value; });
    }
    FAR_UNROLL
    for (int k = 0; k < TERMS; k++) {
        real all = sum[k];
        for (int half = 4; half > 0; half /= 2)
            all += __shfl_xor_sync(~0u, all, half);
        if (is && part == k % 8)
            ((real *)a.multipole)[series_at(c, a.number) + k] = all;
    }
}
#endif

/* Leaf k of the cell's X list among the near cells of an ancestor: near the parent and not near the cell; else -1.
 * *image: of the leaf. */
FAR_FN int32_t coarse_leaf(const myr_far_series &a, const myr_far_cell &cell, int32_t ancestor, int k, int32_t *image)
{
    const int32_t other = k < FAR_NEAR ? a.near[(int64_t)ancestor * FAR_NEAR + k] : -1;
    if (other < 0 || k == FAR_NEAR / 2 || a.cell[other].mask)
        return -1;
    const myr_far_cell leaf = a.cell[other];
    *image = near_image(a.cell[ancestor], k);
    const int32_t back = image_opposite(*image);
    if (ancestor != cell.parent && !cells_are_near(leaf, a.cell[cell.parent], back))
        return -1;
    return cells_are_near(leaf, cell, back) ? -1 : other;
}

#if !FAR_PORTABLE
/* P2L: one warp per cell with many particles. */
extern "C" __global__ void __launch_bounds__(MYR_FAR_THREADS) far_p2l(const __grid_constant__ myr_far_series a)
{
    const int32_t c = a.begin + (int32_t)(((int64_t)blockIdx.x * MYR_FAR_THREADS + threadIdx.x) / 32);
    const int lane = threadIdx.x % 32;
    if (c >= a.end || a.cell[c].few & MYR_FAR_TARGET)
        return;
    const myr_far_cell cell = a.cell[c];
    unsigned long long sources = 0;
    real sum[TERMS];
    FAR_UNROLL
    for (int k = 0; k < TERMS; k++)
        sum[k] = 0;
    const int coarsest = MYR_FAR_DEPTH + 1 - a.state->leaf_above; /* level of a leaf */
    for (int32_t ancestor = cell.parent; ancestor >= 0 && a.cell[ancestor].level >= coarsest;
         ancestor = a.cell[ancestor].parent)
        for (int first = 0; first < FAR_NEAR; first += 32) {
            int32_t image = 0;
            const int32_t mine = coarse_leaf(a, cell, ancestor, first + lane, &image);
            for (unsigned found = __ballot_sync(~0u, mine >= 0); found; found &= found - 1) {
                const int from = __ffs((int)found) - 1;
                const myr_far_cell leaf = a.cell[__shfl_sync(~0u, mine, from)];
                /* the cell as the leaf's image sees it */
                const cell_frame frame = frame_of(a, cell, image_opposite(__shfl_sync(~0u, image, from)));
                for (int i = lane; i < leaf.acting; i += 32)
                    harmonics<P>(point_of(a, frame, leaf.first + i, 1, 1), [&](int k, real value) { sum[k] += value; });
                sources += (unsigned long long)leaf.acting;
            }
        }
    if (!sources)
        return;
    FAR_UNROLL
    for (int k = 0; k < TERMS; k++) {
        real all = sum[k];
        for (int half = 16; half > 0; half /= 2)
            all += __shfl_xor_sync(~0u, all, half);
        if (lane == k % 32)
            ((real *)a.local)[series_at(c, a.number) + k] += all;
    }
    if (lane == 0 && a.number == 0)
        atomicAdd(&a.state->far_sources, sources);
}
#endif

/* --- between parents and children --------------------------------------------------------------------------------- */

FAR_FN int degree_of(int k)
{
    int n = 0;
    while ((n + 1) * (n + 1) <= k)
        n++;
    return n;
}

/* M2M: one thread per parent and coefficient. Degree n gets from degrees up to n. */
extern "C" __global__ void __launch_bounds__(MYR_FAR_THREADS) far_m2m(const __grid_constant__ myr_far_series a)
{
    const int64_t t = (int64_t)blockIdx.x * MYR_FAR_THREADS + threadIdx.x;
    const int32_t c = a.begin + (int32_t)(t / TERMS);
    const int r = (int)(t % TERMS);
    if (c >= a.end || !a.cell[c].mask)
        return;
    const int columns = (degree_of(r) + 1) * (degree_of(r) + 1);
    const myr_far_cell cell = a.cell[c];
    real sum = 0;
    for (int o = 0; o < 8; o++) {
        const int32_t child = cell_child(cell, o);
        if (child < 0)
            continue;
        const real *from = (const real *)a.multipole + series_at(child, a.number);
        const real *matrix = (const real *)a.up + (int64_t)o * TERMS * TERMS + r;
        for (int k = 0; k < columns; k++)
            sum = FAR_FMA(matrix[(int64_t)k * TERMS], from[k], sum);
    }
    ((real *)a.multipole)[series_at(c, a.number) + r] = sum;
}

/* L2L: one thread per child and coefficient. Degree n gets from degrees n and up. */
extern "C" __global__ void __launch_bounds__(MYR_FAR_THREADS) far_l2l(const __grid_constant__ myr_far_series a)
{
    const int64_t t = (int64_t)blockIdx.x * MYR_FAR_THREADS + threadIdx.x;
    const int32_t c = a.begin + (int32_t)(t / TERMS);
    const int r = (int)(t % TERMS);
    if (c >= a.end)
        return;
    const int first = degree_of(r) * degree_of(r);
    const real *from = (const real *)a.local + series_at(a.cell[c].parent, a.number);
    const real *matrix = (const real *)a.down + (int64_t)a.cell[c].octant * TERMS * TERMS + r;
    real sum = ((const real *)a.local)[series_at(c, a.number) + r];
    for (int k = first; k < TERMS; k++)
        sum = FAR_FMA(matrix[(int64_t)k * TERMS], from[k], sum);
    ((real *)a.local)[series_at(c, a.number) + r] = sum;
}

/* --- M2L ---------------------------------------------------------------------------------------------------------- */

/* Rotation about z of one degree by -angle (sign 1) or angle (-1); row: cosines and sines of its multiples. */
template <int sign> FAR_FN void turn_degree(int n, const real *row, real *c, real *s)
{
    FAR_UNROLL_TURNS
    for (int m = 1; m <= n; m++) {
        const real cosine = row[m], sine = sign > 0 ? row[P + m] : -row[P + m], x = c[m];
        c[m] = FAR_FMA(cosine, x, sine * s[m]);
        s[m] = FAR_FMA(cosine, s[m], -(sine * x));
    }
}

enum { PIECE = 16 / (int)sizeof(real) };
struct __align__(16) series_piece
{
    real value[PIECE];
};

#if FAR_PORTABLE
#include "backend/cuda/far_portable.cuh"
#define FAR_HARMONICS harmonics_in_order
#else
#define FAR_HARMONICS harmonics
/* Rotation by 90 degrees about y of one degree, Y (sign 1) or its transpose (-1): cosines c[0 .. n], sines s[1 .. n].
 * Half of the entries are 0. */
template <int sign> FAR_FN void swap_degree(int n, real *c, real *s)
{
    const int first = n * (2 * n * n + 1) / 3, sines = first + (n + 1) * (n + 1);
    real to_c[P + 1], to_s[P + 1];
    FAR_UNROLL_TURNS
    for (int m = 0; m <= n; m++) {
        real sum_c = 0, sum_s = 0;
        FAR_UNROLL_TURNS
        for (int k = 0; k <= n; k++) {
            if ((n + m + k) % 2 == 0)
                sum_c = FAR_FMA(far_swap[first + (sign > 0 ? m * (n + 1) + k : k * (n + 1) + m)], c[k], sum_c);
            else if (m && k)
                sum_s = FAR_FMA(far_swap[sines + (sign > 0 ? (m - 1) * n + k - 1 : (k - 1) * n + m - 1)], s[k], sum_s);
        }
        to_c[m] = sum_c;
        to_s[m] = sum_s;
    }
    FAR_UNROLL_TURNS
    for (int m = 0; m <= n; m++) {
        c[m] = to_c[m];
        s[m] = to_s[m];
    }
}

/* sum += translation of a multipole series. In the frame whose z axis joins the cells the translation mixes degrees of
 * one m. The rotation to that frame is Z(-90) Y Z(-theta) Y^T Z(90 - phi), where Y is a rotation by 90 degrees about y,
 * the same for all offsets, and Z are rotations about z; the leftmost one commutes with the translation and is left
 * out. row: cos m f, sin m f, f = phi - 90 degrees; cos m theta, sin m theta; distance^-(n + 1/2). */
FAR_FN void translate(const real *from, const real *row, real *sum)
{
    real v[SIZE], c[P + 1], s[P + 1];
    FAR_UNROLL_TURNS
    for (int k = 0; k < SIZE; k += PIECE) { /* 16 bytes at a time */
        const series_piece piece = *(const series_piece *)(from + k);
        FAR_UNROLL_TURNS
        for (int e = 0; e < PIECE; e++)
            v[k + e] = piece.value[e];
    }
    FAR_UNROLL_TURNS
    for (int n = 0; n < P; n++) {
        FAR_UNROLL_TURNS
        for (int m = 0; m <= n; m++) {
            c[m] = v[term(n, m)];
            s[m] = v[term(n, -m)];
        }
        turn_degree<1>(n, row, c, s);
        swap_degree<-1>(n, c, s);
        turn_degree<1>(n, row + 2 * P, c, s);
        swap_degree<1>(n, c, s);
        FAR_UNROLL_TURNS
        for (int m = 0; m <= n; m++) {
            if (m)
                v[term(n, -m)] = s[m] * row[4 * P + n];
            v[term(n, m)] = c[m] * row[4 * P + n];
        }
    }
    int at = 0;
    FAR_UNROLL_TURNS
    for (int m = 0; m < P; m++) {
        real to_c[P], to_s[P];
        FAR_UNROLL_TURNS
        for (int j = m; j < P; j++) {
            to_c[j] = to_s[j] = 0;
            FAR_UNROLL_TURNS
            for (int n = m; n < P; n++) {
                const real factor = far_axial[at + (n - m) * (P - m) + j - m];
                to_c[j] = FAR_FMA(factor, v[term(n, m)], to_c[j]);
                if (m)
                    to_s[j] = FAR_FMA(factor, v[term(n, -m)], to_s[j]);
            }
        }
        FAR_UNROLL_TURNS
        for (int j = m; j < P; j++) {
            if (m)
                v[term(j, -m)] = to_s[j];
            v[term(j, m)] = to_c[j];
        }
        at += (P - m) * (P - m);
    }
    FAR_UNROLL_TURNS
    for (int n = 0; n < P; n++) {
        FAR_UNROLL_TURNS
        for (int m = 0; m <= n; m++) {
            c[m] = v[term(n, m)] * row[4 * P + n];
            s[m] = v[term(n, -m)] * row[4 * P + n];
        }
        swap_degree<-1>(n, c, s);
        turn_degree<-1>(n, row + 2 * P, c, s);
        swap_degree<1>(n, c, s);
        turn_degree<-1>(n, row, c, s);
        FAR_UNROLL_TURNS
        for (int m = 0; m <= n; m++) {
            if (m)
                sum[term(n, -m)] += s[m];
            sum[term(n, m)] += c[m];
        }
    }
}

/* Sums the translations to a cell from the children of near cells `part`, `part` + splits, .. of its parent. Siblings
 * are in adjacent threads and read the same series. */
FAR_FN int translate_part(const myr_far_series &a, const myr_far_cell &cell, int part, real *sum)
{
    enum { REACH = 2 * FAR_REACH + 1, WIDTH = 2 * REACH + 1 };
    int count = 0;
    for (int k = part; k < FAR_NEAR; k += a.splits) {
        const int32_t other = a.near[(int64_t)cell.parent * FAR_NEAR + k];
        if (other < 0 || !a.cell[other].mask)
            continue;
        const uint32_t mask = a.cell[other].mask;
        int32_t source = a.cell[other].child;
        /* offset from the first child, which is an image's where the near cell is */
        const int dx = (cell.octant >> 2) - 2 * (k / (FAR_WIDTH * FAR_WIDTH) - FAR_REACH);
        const int dy = (cell.octant >> 1 & 1) - 2 * (k / FAR_WIDTH % FAR_WIDTH - FAR_REACH);
        const int dz = (cell.octant & 1) - 2 * (k % FAR_WIDTH - FAR_REACH);
        for (int o = 0; o < 8; o++) {
            if (!(mask >> o & 1))
                continue;
            const int x = dx - (o >> 2), y = dy - (o >> 1 & 1), z = dz - (o & 1);
            const int near = x >= -FAR_REACH && x <= FAR_REACH && y >= -FAR_REACH && y <= FAR_REACH &&
                             z >= -FAR_REACH && z <= FAR_REACH;
            if (!near) {
                const int offset = ((x + REACH) * WIDTH + y + REACH) * WIDTH + z + REACH;
                translate((const real *)a.multipole + series_at(source, a.number),
                          (const real *)a.offset + (int64_t)offset * 5 * P, sum);
                count++;
            }
            source++;
        }
    }
    return count;
}

/* M2L: `splits` threads per cell, 32 / splits cells per warp. */
extern "C" __global__ void __launch_bounds__(128) far_m2l(const __grid_constant__ myr_far_series a)
{
    const int wide = 32 / a.splits, lane = threadIdx.x % 32;
    const int64_t warp = ((int64_t)blockIdx.x * 128 + threadIdx.x) / 32;
    const int32_t c = a.begin + (int32_t)(warp * wide) + lane % wide;
    real sum[TERMS];
    int count = 0;
    FAR_UNROLL_TURNS
    for (int k = 0; k < TERMS; k++)
        sum[k] = 0;
    const int mine = c < a.end && !(a.row && a.row[a.cell[c].parent] & 1) && share_meets(a.share, a.cell[c]);
    if (!__ballot_sync(~0u, mine))
        return;
    if (mine)
        count = translate_part(a, a.cell[c], lane / wide, sum);
    FAR_UNROLL_TURNS
    for (int k = 0; k < TERMS; k++) {
        for (int half = wide; half < 32; half *= 2)
            sum[k] += __shfl_xor_sync(~0u, sum[k], half);
        if (mine && lane / wide == 0)
            ((real *)a.local)[series_at(c, a.number) + k] = sum[k];
    }
    if (mine && !share_has(a.share, a.cell[c])) /* counted by the device that has the cell's first target */
        count = 0;
    for (int half = 16; half > 0; half /= 2)
        count += __shfl_xor_sync(~0u, count, half);
    if (lane == 0)
        atomicAdd(&a.state->translations, (unsigned long long)count);
}
#endif

#if FAR_PARITY
#include "backend/cuda/copy.cuh"
#include "backend/cuda/far_parity.cuh"
#endif
#include "backend/cuda/far_images.cuh"

/* --- series to particles ------------------------------------------------------------------------------------------ */

/* Copies the series of a cell and derives the others, by all threads of a warp: series[term][FAR_LISTED]. */
template <int IRREGULAR> FAR_FN void derive(const myr_far_series &a, const real *from, real *series)
{
    const int terms = IRREGULAR ? MORE : TERMS;
    const real *factor = (const real *)a.derivative[IRREGULAR];
    const int32_t *source = a.source[IRREGULAR];
    __syncwarp();
    for (int k = threadIdx.x % 32; k < terms; k += 32)
        for (int s = 0; s < FAR_LISTED; s++) {
            const int negated = FAR_NEGATED && s >= FAR_STRENGTHS, number = s - (negated ? FAR_STRENGTHS : 0);
            const real here = number < FAR_STRENGTHS && k < TERMS ? from[number * SIZE + k] : (real)0;
            series[k * FAR_LISTED + s] = negated ? -here : here;
        }
    __syncwarp();
    for (int step = 0; step < FAR_STEPS; step++) {
        const int to = far_step[step][0], of = far_step[step][1], axis = far_step[step][2];
        for (int k = threadIdx.x % 32; k < terms; k += 32) {
            const int at = (axis * terms + k) * 2;
            real sum = series[k * FAR_LISTED + to];
            for (int e = 0; e < 2; e++)
                sum = FAR_FMA(factor[at + e], series[source[at + e] * FAR_LISTED + of], sum);
            series[k * FAR_LISTED + to] = sum;
        }
        __syncwarp();
    }
}

/* Adds what series sum to: the sums of a point, in lengths of the cell. */
FAR_FN void evaluate_add(const cell_frame &frame, const real *sum, double *far)
{
    FAR_UNROLL
    for (int q = 0; q < FAR_SUMS; q++) {
        double scale = frame.per_side;
        for (int d = 0; d < far_sum[q][1]; d++)
            scale *= frame.per_side;
        far[q] += scale * (double)sum[q];
    }
}

template <int IRREGULAR>
FAR_FN void evaluate(const myr_far_series &a, const myr_far_cell &cell, int32_t image, int64_t i, const real *series,
                     double *far)
{
    const cell_frame frame = frame_of(a, cell, image);
    real sum[FAR_SUMS] = {};
    FAR_HARMONICS<IRREGULAR ? P + FAR_DEPTH : P>(point_of(a, frame, i, IRREGULAR, 0), [&](int k, real value) {
        FAR_UNROLL
        for (int q = 0; q < FAR_SUMS; q++)
            sum[q] = FAR_FMA(series[k * FAR_LISTED + far_sum[q][0]], value, sum[q]);
    });
    evaluate_add(frame, sum, far);
}

#if !FAR_PORTABLE
/* Local series at two points, which read the coefficients once. */
FAR_FN void evaluate_two(const myr_far_series &a, const myr_far_cell &cell, const int64_t *i, const real *series,
                         double (*far)[FAR_SUMS])
{
    const cell_frame frame = frame_of(a, cell, 0);
    const harmonic_point p = point_of(a, frame, i[0], 0, 0), q = point_of(a, frame, i[1], 0, 0);
    const harmonic_point_of<real_pair> both = {{p.x, q.x}, {p.y, q.y}, {p.z, q.z}, {p.r2, q.r2}, {p.start, q.start}};
    real sum[2][FAR_SUMS] = {};
    harmonics<P>(both, [&](int k, const real_pair &value) {
        FAR_UNROLL
        for (int n = 0; n < FAR_SUMS; n++) {
            const real factor = series[k * FAR_LISTED + far_sum[n][0]];
            sum[0][n] = FAR_FMA(factor, value.one, sum[0][n]);
            sum[1][n] = FAR_FMA(factor, value.two, sum[1][n]);
        }
    });
    for (int e = 0; e < 2; e++)
        evaluate_add(frame, sum[e], far[e]);
}
#endif

/* The local series of a leaf at the targets of an item: two per thread. */
FAR_FN void evaluate_leaf(const myr_far_series &a, const myr_far_cell &leaf, const myr_far_item &item,
                          const real *series, double (*far)[FAR_SUMS])
{
    enum { EACH = MYR_FAR_TARGETS / 32 };
    static_assert(EACH == 2, "two targets per thread");
    const int lane = threadIdx.x % 32;
#if !FAR_PORTABLE
    if (item.count > 32) { /* the last target is repeated */
        const int64_t i[2] = {item.first + lane, item.first + (lane + 32 < item.count ? lane + 32 : item.count - 1)};
        evaluate_two(a, leaf, i, series, far);
        return;
    }
#endif
    for (int e = 0; e < EACH; e++)
        if (e * 32 + lane < item.count)
            evaluate<0>(a, leaf, 0, item.first + e * 32 + lane, series, far[e]);
}

/* L2P and M2P: one warp per item, one thread per target, two at a time. */
extern "C" __global__ void __launch_bounds__(MYR_FAR_THREADS) far_l2p(const __grid_constant__ myr_far_series a)
{
    enum { EACH = MYR_FAR_TARGETS / 32 };
    extern __shared__ __align__(16) char far_shared[]; /* real [L2P_WARPS][MORE * FAR_LISTED] */
    const int64_t number = (int64_t)blockIdx.x * L2P_WARPS + threadIdx.x / 32;
    if (a.state->overflow || number >= a.state->used[MYR_FAR_WORK])
        return;
    const myr_far_item item = a.item[number];
    const myr_far_cell leaf = a.cell[item.cell];
    const myr_far_leaf list = a.leaf[item.cell];
    real *series = (real *)far_shared + threadIdx.x / 32 * (MORE * FAR_LISTED);
    double far[EACH][FAR_SUMS] = {};
    if (leaf.level >= a.coarsest) {
        derive<0>(a, (const real *)a.local + series_at(item.cell, 0), series);
        evaluate_leaf(a, leaf, item, series, far);
    }
    for (int e = 0; a.background && e < EACH; e++)
        if (e * 32 + (int)threadIdx.x % 32 < item.count)
            background_at(a, item.first + e * 32 + threadIdx.x % 32, far[e]);
    for (int k = 0; k < list.finers; k++) {
        const myr_far_finer finer = a.finer[list.finer + k];
        derive<1>(a, (const real *)a.multipole + series_at(finer.cell, 0), series);
        for (int e = 0; e < EACH; e++)
            if (e * 32 + (int)threadIdx.x % 32 < item.count)
                evaluate<1>(a, a.cell[finer.cell], finer.image, item.first + e * 32 + threadIdx.x % 32, series, far[e]);
    }
    for (int e = 0; e < EACH; e++)
        for (int q = 0; q < FAR_SUMS && e * 32 + (int)threadIdx.x % 32 < item.count; q++)
            ((far_real *)a.sum)[((int64_t)item.first + e * 32 + threadIdx.x % 32) * FAR_SUMS + q] = (far_real)far[e][q];
}
