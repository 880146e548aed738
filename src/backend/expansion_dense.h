/* expansion_dense.h - product of one matrix with many series, read and updated in place without packing. Included by
 * expansion_unit.c. */
#ifndef MYR_BACKEND_EXPANSION_DENSE_H
#define MYR_BACKEND_EXPANSION_DENSE_H

enum { DENSE_COLUMNS = 6, DENSE_ROWS = 4 }; /* series and row vectors kept in registers */

/* Product of `rows` row vectors with `n` series; both numbers are compile-time constants. */
MYR_FN void dense_block(const int rows, const int n, const real *t, int ld, int columns, const void *const *from,
                        void *const *to, int shift)
{
    lane sum[DENSE_COLUMNS][DENSE_ROWS];
    const real *in[DENSE_COLUMNS];
    MYR_UNROLL
    for (int c = 0; c < n; c++) {
        in[c] = from[c];
        MYR_UNROLL
        for (int v = 0; v < rows; v++)
            sum[c][v] = series_load((const real *)to[c] + shift + v * LANES);
    }
    for (int k = 0; k < columns; k++, t += ld) {
        lane column[DENSE_ROWS];
        MYR_UNROLL
        for (int v = 0; v < rows; v++)
            column[v] = series_load(t + v * LANES);
        MYR_UNROLL
        for (int c = 0; c < n; c++) {
            const lane b = lane_set(in[c][k]);
            MYR_UNROLL
            for (int v = 0; v < rows; v++)
                sum[c][v] = lane_madd(column[v], b, sum[c][v]);
        }
    }
    MYR_UNROLL
    for (int c = 0; c < n; c++) {
        MYR_UNROLL
        for (int v = 0; v < rows; v++)
            series_store((real *)to[c] + shift + v * LANES, sum[c][v]);
    }
}

MYR_FN void dense_rows(const int rows, const myr_dense *d, int first, int64_t n, const void *const *from,
                       void *const *to)
{
    const real *t = (const real *)d->matrix + first * LANES;
    const int shift = first * LANES;
    int64_t c = 0;
    for (; c + DENSE_COLUMNS <= n; c += DENSE_COLUMNS)
        dense_block(rows, DENSE_COLUMNS, t, d->rows, d->columns, from + c, to + c, shift);
    for (; c + 2 <= n; c += 2)
        dense_block(rows, 2, t, d->rows, d->columns, from + c, to + c, shift);
    for (; c < n; c++)
        dense_block(rows, 1, t, d->rows, d->columns, from + c, to + c, shift);
}

static void dense_apply(const myr_dense *t, int64_t n, const void *const *from, void *const *to)
{
    const int vectors = t->rows / LANES;
    for (int v = 0; v < vectors;) {
        const int left = vectors - v, some = left >= DENSE_ROWS ? DENSE_ROWS : left;
        switch (some) {
        case 4:
            dense_rows(4, t, v, n, from, to);
            break;
        case 3:
            dense_rows(3, t, v, n, from, to);
            break;
        case 2:
            dense_rows(2, t, v, n, from, to);
            break;
        default:
            dense_rows(1, t, v, n, from, to);
        }
        v += some;
    }
}

#endif
