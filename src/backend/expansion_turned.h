/* expansion_turned.h - translation in a rotated frame, LANES pairs of cells at a time: O(p^3). Included by
 * expansion_unit.c.
 *
 * Two implementations of one formula: straight-line code for the most used orders, and loops. Between the rotations the
 * coefficients are ordered by m: cosine m of degrees m .. order-1, for m = 0, 1, ..; then the sines. */
#ifndef MYR_BACKEND_EXPANSION_TURNED_H
#define MYR_BACKEND_EXPANSION_TURNED_H

/* Index of (n, m) in the order by m. */
MYR_FN int by_cos(int order, int n, int m)
{
    return m * order - m * (m - 1) / 2 + n - m;
}

MYR_FN int by_sin(int order, int n, int m)
{
    return order * (order + 1) / 2 + (m - 1) * order - m * (m - 1) / 2 + n - m;
}

/* First index of the matrices of a degree, or of an m. */
MYR_FN int turn_cos(int n)
{
    return n * (2 * n * n + 1) / 3; /* sum of (k+1)^2 + k^2 for k < n */
}

MYR_FN int turn_sin(int n)
{
    return turn_cos(n) + (n + 1) * (n + 1);
}

MYR_FN int axial_at(int order, int m)
{
    const int a = order, b = order - m; /* sum of k^2 for b < k <= a */
    return a * (a + 1) * (2 * a + 1) / 6 - b * (b + 1) * (2 * b + 1) / 6;
}

/* Loads the series of LANES cells, one vector per coefficient. Lanes without a cell repeat the first cell. */
MYR_FN void turned_read(int size, const void *const *from, int cells, lane *v)
{
    for (int k = 0; k < size; k += LANES) {
        MYR_UNROLL
        for (int c = 0; c < LANES; c++)
            v[k + c] = series_load((const real *)from[c < cells ? c : 0] + k);
        lanes_transpose(v + k);
    }
}

MYR_FN void turned_add(int size, void *const *to, int cells, lane *w)
{
    for (int k = 0; k < size; k += LANES) {
        lanes_transpose(w + k);
        for (int c = 0; c < cells; c++) {
            real *at = (real *)to[c] + k;
            series_store(at, series_load(at) + w[k + c]);
        }
    }
}

MYR_FN int turned_size(int order)
{
    return (order * order + LANES - 1) / LANES * LANES;
}

/* --- loops ------------------------------------------------------------------------------------------------------- */

enum { TURN_ROWS = 12 };

/* Layout of the rows of a product: row r goes to start + r * step + r (r - 1) / 2 * bend. */
typedef struct {
    int start, step, bend;
} turn_rows;

MYR_FN int turn_row(const turn_rows *to, int r)
{
    return to->start + r * to->step + r * (r - 1) / 2 * to->bend;
}

/* Rows first .. first + some - 1 of matrix times in. The columns are summed upward; if `down`, from the last to the
 * first, which for sines is from m = 1 upward as for cosines. */
MYR_FN void turn_some(const int some, const real *matrix, int size, int down, const lane *in, int first, lane *out,
                      const turn_rows *to)
{
    const int step = down ? -1 : 1;
    lane sum[TURN_ROWS];
    MYR_UNROLL
    for (int r = 0; r < some; r++)
        sum[r] = lane_set(K(0));
    matrix += first + (down ? (size - 1) * size : 0);
    in += down ? size - 1 : 0;
    for (int k = 0; k < size; k++, matrix += step * size, in += step) {
        MYR_UNROLL
        for (int r = 0; r < some; r++)
            sum[r] = lane_madd(lane_set(matrix[r]), *in, sum[r]);
    }
    MYR_UNROLL
    for (int r = 0; r < some; r++)
        out[turn_row(to, first + r)] = sum[r];
}

/* out = matrix in, with `size` rows and columns. */
static void turn_product(const real *matrix, int size, int down, const lane *in, lane *out, turn_rows to)
{
    int first = 0;
    for (; size - first > TURN_ROWS; first += 8)
        turn_some(8, matrix, size, down, in, first, out, &to);
    switch (size - first) {
#define CASE(n)                                                                                                        \
    case n:                                                                                                            \
        turn_some(n, matrix, size, down, in, first, out, &to);                                                         \
        break;
        CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12)
#undef CASE
    }
}

/* Rotation about z: by -phi with sign 1, by phi with sign -1. */
MYR_FN void turn_about_z(const myr_turned *t, int sign, lane *v)
{
    const real *cosine = t->turn, *sine = cosine + t->order;
    for (int m = 1; m < t->order; m++) {
        const lane c = lane_set(cosine[m]), s = lane_set((real)sign * sine[m]);
        for (int n = m; n < t->order; n++) {
            const lane a = v[AT(n, m)], b = v[AT(n, -m)];
            v[AT(n, m)] = lane_madd(c, a, s * b);
            v[AT(n, -m)] = lane_madd(c, b, -(s * a));
        }
    }
}

static void turned_loops(const myr_turned *t, int cells, const void *const *from, void *const *to)
{
    const int p = t->order, size = turned_size(p);
    const real *forward = t->forward, *back = t->back, *axial = t->axial;
    lane v[TERMS + PAD], w[TERMS + PAD];
    turned_read(size, from, cells, v);
    turn_about_z(t, 1, v);
    for (int n = 0; n < p; n++) { /* row m goes to its index in the order by m: steps of order - m - 1 */
        turn_product(forward + turn_cos(n), n + 1, 0, v + AT(n, 0), w, (turn_rows){n, p - 1, -1});
        if (n) /* row r is sine n - r, in reverse order */
            turn_product(forward + turn_sin(n), n, 1, v + AT(n, -n), w, (turn_rows){by_sin(p, n, n), -(p - n), -1});
    }
    for (int m = 0; m < p; m++) {
        turn_product(axial + axial_at(p, m), p - m, 0, w + by_cos(p, m, m), v, (turn_rows){AT(m, m), 2 * m + 2, 2});
        if (m)
            turn_product(axial + axial_at(p, m), p - m, 0, w + by_sin(p, m, m), v,
                         (turn_rows){AT(m, -m), 2 * m + 2, 2});
    }
    for (int n = 0; n < p; n++) {
        turn_product(back + turn_cos(n), n + 1, 0, v + AT(n, 0), w, (turn_rows){AT(n, 0), 1, 0});
        if (n)
            turn_product(back + turn_sin(n), n, 1, v + AT(n, -n), w, (turn_rows){AT(n, -n), 1, 0});
    }
    turn_about_z(t, -1, w);
    for (int k = p * p; k < size; k++)
        w[k] = lane_set(K(0));
    turned_add(size, to, cells, w);
}

/* --- straight-line code ------------------------------------------------------------------------------------------ */

#if MYR_LANE_BYTES == 64
#define TURNED_STRAIGHT 1

/* Rotates degree n about z, then y, into the order by m; or about y, then z, back into the order by degree. */
MYR_FN void straight_turn(const int p, const int n, const int forward, const myr_turned *t, const lane *v, lane *w)
{
    const real *matrix = forward ? t->forward : t->back, *cosine = t->turn, *sine = cosine + p;
    const real *mc = matrix + turn_cos(n), *ms = matrix + turn_sin(n);
    lane sum_c[TURN_ROWS], sum_s[TURN_ROWS]; /* sum_s[r] is sine n - r */
    MYR_UNROLL
    for (int r = 0; r <= n; r++)
        sum_c[r] = sum_s[r] = lane_set(K(0));
    MYR_UNROLL
    for (int k = 0; k <= n; k++) {
        lane a = v[AT(n, k)], b = v[AT(n, -k)];
        if (forward && k) {
            const lane c = lane_set(cosine[k]), s = lane_set(sine[k]), turned = lane_madd(c, a, s * b);
            b = lane_madd(c, b, -(s * a));
            a = turned;
        }
        MYR_UNROLL
        for (int r = 0; r <= n; r++)
            sum_c[r] = lane_madd(lane_set(mc[k * (n + 1) + r]), a, sum_c[r]);
        if (k) {
            MYR_UNROLL
            for (int r = 0; r < n; r++)
                sum_s[r] = lane_madd(lane_set(ms[(n - k) * n + r]), b, sum_s[r]);
        }
    }
    MYR_UNROLL
    for (int k = 0; k <= n; k++) {
        lane a = sum_c[k], b = k ? sum_s[n - k] : a;
        if (!forward && k) {
            const lane c = lane_set(cosine[k]), s = lane_set(sine[k]), turned = lane_madd(c, a, -(s * b));
            b = lane_madd(c, b, s * a);
            a = turned;
        }
        w[forward ? by_cos(p, n, k) : AT(n, k)] = a;
        if (k)
            w[forward ? by_sin(p, n, k) : AT(n, -k)] = b;
    }
}

/* Translation along z of one m, for cosines (sign 1) or sines (-1). */
MYR_FN void straight_axial(const int p, const int m, const int sign, const real *matrix, const lane *in, lane *v)
{
    const int size = p - m;
    lane sum[TURN_ROWS];
    MYR_UNROLL
    for (int r = 0; r < size; r++)
        sum[r] = lane_set(K(0));
    MYR_UNROLL
    for (int k = 0; k < size; k++) {
        MYR_UNROLL
        for (int r = 0; r < size; r++)
            sum[r] = lane_madd(lane_set(matrix[k * size + r]), in[k], sum[r]);
    }
    MYR_UNROLL
    for (int r = 0; r < size; r++)
        v[AT(m + r, sign * m)] = sum[r];
}

MYR_FN void turned_straight(const int p, const myr_turned *t, int cells, const void *const *from, void *const *to)
{
    enum { MOST = 9 * 9 + PAD };
    const int size = turned_size(p);
    const real *axial = t->axial;
    lane v[MOST], w[MOST];
    turned_read(size, from, cells, v);
    MYR_UNROLL
    for (int n = 0; n < p; n++)
        straight_turn(p, n, 1, t, v, w);
    MYR_UNROLL
    for (int m = 0; m < p; m++) {
        straight_axial(p, m, 1, axial + axial_at(p, m), w + by_cos(p, m, m), v);
        if (m)
            straight_axial(p, m, -1, axial + axial_at(p, m), w + by_sin(p, m, m), v);
    }
    MYR_UNROLL
    for (int n = 0; n < p; n++)
        straight_turn(p, n, 0, t, v, w);
    for (int k = p * p; k < size; k++)
        w[k] = lane_set(K(0));
    turned_add(size, to, cells, w);
}

#define STRAIGHT(p)                                                                                                    \
    static __attribute__((noinline)) void turned_straight_##p(const myr_turned *t, int cells, const void *const *from, \
                                                              void *const *to)                                         \
    {                                                                                                                  \
        turned_straight(p, t, cells, from, to);                                                                        \
    }
/* A unit compiled on demand contains the straight-line code of one order only. */
#ifdef MYR_ONLY_ORDER
#define STRAIGHT_HAS(p) (MYR_ONLY_ORDER == (p))
#else
#define STRAIGHT_HAS(p) 1
#endif
#if STRAIGHT_HAS(5)
STRAIGHT(5)
#endif
#if STRAIGHT_HAS(6)
STRAIGHT(6)
#endif
#if STRAIGHT_HAS(7)
STRAIGHT(7)
#endif
#if STRAIGHT_HAS(8)
STRAIGHT(8)
#endif
#if STRAIGHT_HAS(9)
STRAIGHT(9)
#endif
#endif

typedef void (*turned_fn)(const myr_turned *t, int cells, const void *const *from, void *const *to);

static turned_fn turned_choose(int order)
{
#ifdef TURNED_STRAIGHT
    static const turned_fn straight[] = {
#if STRAIGHT_HAS(5)
        [5] = turned_straight_5,
#endif
#if STRAIGHT_HAS(6)
        [6] = turned_straight_6,
#endif
#if STRAIGHT_HAS(7)
        [7] = turned_straight_7,
#endif
#if STRAIGHT_HAS(8)
        [8] = turned_straight_8,
#endif
#if STRAIGHT_HAS(9)
        [9] = turned_straight_9,
#endif
        [10] = NULL,
    };
    if (order >= 0 && order < (int)(sizeof straight / sizeof *straight) && straight[order])
        return straight[order];
#endif
    (void)order;
    return turned_loops;
}

static void turned_apply(const myr_turned *t, int64_t n, const void *const *from, void *const *to)
{
    const turned_fn apply = turned_choose(t->order);
    for (int64_t c = 0; c < n; c += LANES)
        apply(t, (int)(n - c < LANES ? n - c : LANES), from + c, to + c);
}

#endif
