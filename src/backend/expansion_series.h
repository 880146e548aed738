/* expansion_series.h - particles to series and series to particles, one vector of particles at a time. Included by
 * expansion_unit.c. */
#ifndef MYR_BACKEND_EXPANSION_SERIES_H
#define MYR_BACKEND_EXPANSION_SERIES_H

typedef struct {
    lane x, y, z, r2, start; /* start: value of H_00 */
} harmonic_point;

/* All H_nm of degrees below `order`, times the start value. */
MYR_FN void harmonics(const myr_harmonics *h, int order, const harmonic_point *p, lane *value)
{
    const real *first = h->first, *up = h->up, *down = h->down;
    const lane zero = lane_set(K(0));
    lane c = p->start, s = zero;
    for (int m = 0; m < order; m++) {
        if (m) {
            const lane f = lane_set(first[m]), fx = f * p->x, fy = f * p->y, t = lane_madd(c, fx, -(s * fy));
            s = lane_madd(c, fy, s * fx);
            c = t;
        }
        lane before_c = zero, at_c = c, before_s = zero, at_s = s;
        for (int n = m; n < order; n++) {
            const lane u = lane_set(up[n * DEGREES + m]) * p->z, v = lane_set(-down[n * DEGREES + m]) * p->r2;
            const lane next_c = lane_madd(u, at_c, v * before_c), next_s = lane_madd(u, at_s, v * before_s);
            value[AT(n, -m)] = at_s;
            value[AT(n, m)] = at_c; /* stored after the sine: for m = 0 both have the same index */
            before_c = at_c;
            before_s = at_s;
            at_c = next_c;
            at_s = next_s;
        }
    }
}

/* Loads one vector of particles; lanes past the end get a valid position and charge 0. q = null: charges 1. */
MYR_FN harmonic_point series_point(const void *const x[3], const void *q, int64_t at, int64_t n, int irregular)
{
    harmonic_point p;
    lane place[3], charge = q ? series_load((const real *)q + at) : lane_set(K(1));
    for (int axis = 0; axis < 3; axis++)
        place[axis] = series_load((const real *)x[axis] + at);
    for (int64_t l = n - at; l < LANES; l++) {
        for (int axis = 0; axis < 3; axis++)
            LANE_AT(place[axis], l) = irregular ? K(1) : K(0);
        LANE_AT(charge, l) = K(0);
    }
    p.x = place[0];
    p.y = place[1];
    p.z = place[2];
    p.r2 = lane_madd(p.z, p.z, lane_madd(p.y, p.y, p.x * p.x));
    p.start = charge;
    if (irregular) { /* I(x) = H(x / r^2) / r */
        const lane inverse = lane_rsqrt_pos(p.r2), square = inverse * inverse;
        p.x = p.x * square;
        p.y = p.y * square;
        p.z = p.z * square;
        p.r2 = square;
        p.start = charge * inverse;
    }
    return p;
}

/* Vectors of partial sums: one; with MYR_SEPARATE as many as make the partial sums of expansion_order.h. */
#ifdef MYR_SEPARATE
enum { SERIES_VECTORS = MYR_EXPANSION_PARTIAL / LANES };
#else
enum { SERIES_VECTORS = 1 };
#endif

static void series_collect(const myr_harmonics *h, int order, int irregular, int64_t n, const void *const x[3],
                           const void *q, void *series)
{
    const int terms = order * order, size = myr_expansion_size(order);
    lane value[TERMS], sum[SERIES_VECTORS][TERMS + PAD];
    real *to = series;
    for (int v = 0; v < SERIES_VECTORS; v++)
        for (int k = 0; k < size; k++)
            sum[v][k] = lane_set(K(0));
    for (int64_t i = 0; i < n; i += LANES) {
        const harmonic_point p = series_point(x, q, i, n, irregular);
        lane *at = sum[i / LANES % SERIES_VECTORS];
        harmonics(h, order, &p, value);
        for (int k = 0; k < terms; k++)
            at[k] = at[k] + value[k];
    }
    for (int k = 0; k < size; k += LANES) {
        lane all = lane_set(K(0));
        for (int v = 0; v < SERIES_VECTORS; v++) {
            lanes_transpose(sum[v] + k);
            for (int l = 0; l < LANES; l++)
                all = all + sum[v][k + l];
        }
        series_store(to + k, series_load(to + k) + all);
    }
}

MYR_FN void series_sum(const lane *value, int terms, const int sums, const void *const *series, lane *sum)
{
    MYR_UNROLL
    for (int s = 0; s < sums; s++)
        sum[s] = lane_set(K(0));
    for (int k = 0; k < terms; k++) {
        MYR_UNROLL
        for (int s = 0; s < sums; s++)
            sum[s] = lane_madd(lane_set(((const real *)series[s])[k]), value[k], sum[s]);
    }
}

static void series_field(const myr_harmonics *h, int order, int irregular, int64_t n, const void *const x[3], int sums,
                         const void *const *series, void *const *out)
{
    lane value[TERMS], sum[MYR_EXPANSION_SUMS];
    for (int64_t i = 0; i < n; i += LANES) {
        const harmonic_point p = series_point(x, 0, i, n, irregular);
        harmonics(h, order, &p, value);
        if (sums == MYR_EXPANSION_SUMS)
            series_sum(value, order * order, MYR_EXPANSION_SUMS, series, sum);
        else
            for (int s = 0; s < sums; s++)
                series_sum(value, order * order, 1, series + s, sum + s);
        for (int s = 0; s < sums; s++)
            series_store((real *)out[s] + i, sum[s]);
    }
}

static void series_derive(const myr_harmonics *h, int order, int irregular, int axis, const void *from, void *to)
{
    const myr_derivative *d = &h->derivative[axis];
    const real *factor = d->factor, *a = from;
    real *b = to;
    if (irregular) /* transpose with opposite sign */
        for (int k = 0; k < d->end[order]; k++)
            b[d->from[k]] -= factor[k] * a[d->to[k]];
    else
        for (int k = 0; k < d->end[order]; k++)
            b[d->to[k]] += factor[k] * a[d->from[k]];
}

#endif
