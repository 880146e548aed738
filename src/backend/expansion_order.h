/* expansion_order.h - order of operations of expansions in portable arithmetic: every backend that follows it has the
 * same bits. All operations are IEEE multiplications, additions, quotients and roots, each rounded once to the reals of
 * the expansions (float or double); a multiply-add is a product and then a sum. "+=" adds to a stored series.
 *
 * Tables (method/fmm/expansion_operators.c, expansion_formula.c, lattice_sums.c) are computed in double by the
 * processor, without functions of libm other than sqrt, and then rounded to the reals.
 *
 * Particles relative to a cell (fmm_cells.c, fmm_leaves.c): x = ((high + low) - centre) * (1/side) in double, then
 * rounded; centre = origin + side * (at + 1/2) 2^-level.
 *
 * Harmonics of a point, `harmonics` in expansion_series.h. r2 = z z + (y y + x x). Irregular: i = 1/sqrt(r2)
 * (lane_rsqrt_pos), s = i i; then x, y, z become x s, y s, z s, r2 becomes s and the start value q becomes q i.
 *   for m = 0, 1, ..: with a = first[m] x, b = first[m] y:
 *     C' = C a + -(S b),  S' = C b + S a                              (C = start value, S = 0 at m = 0)
 *     for n = m, m + 1, ..: next = (up z) now + (-down r2) before     (cosines from C, sines from S, before = 0)
 *
 * P2M, P2L (`collect`): batches of MYR_EXPANSION_BATCH sources in tree order. In a batch, source i is added to partial
 * sum i mod MYR_EXPANSION_PARTIAL, in increasing i from 0. Then all = 0 + partial 0 + partial 1 + .. from left to
 * right, and series += all. Partial sums without a source are 0 and change nothing.
 *
 * M2M, L2L, M2L up to order 4 (`dense`): for each source series, in the order below, to[row] = to[row] + matrix[row][k]
 * from[k] for k = 0, 1, .. one after another.
 *   M2M: levels upward; octants 0 to 7.  L2L: levels downward; one parent per cell.
 *   M2L: offsets in increasing ((x + half) width + (y + half)) width + (z + half), with (x, y, z) = target cell minus
 *   source cell in cell sides, width = 4 separation + 3, half = width / 2. A target has one source per offset.
 *
 * M2L from order 5 on (`turned`), all sums from 0, then series += the result:
 *   1. about z: A = c a + s b, B = c b + -(s a), with a cosine m and b sine m
 *   2. about y, per degree: row = sum over m = 0, 1, .. of matrix[row][m] A_m; sines m = 1, 2, ..
 *   3. along z, per m: row j = sum over n = m, m + 1, .. of axial[j][n] V_n, cosines and sines alike
 *   4. about y by the transposed matrices, summed as in 2
 *   5. about z: A = c a + (-s) b, B = c b + -((-s) a)
 *
 * Derivatives (`derive`): entries in the order of the table, to[k] += factor from[k].
 *
 * L2P, M2P (`field`): sum over the coefficients k = 0, 1, .. from 0: sum = series[k] value[k] + sum. Then, in double,
 * far += scale sum, with scale = 1/side multiplied once more per derivative: the cell's local series first, then the
 * background of a periodic box, then finer cells in the order of the leaf's list.
 *
 * Background of a periodic box, in double: source i, in tree order, is added to partial sum i mod MYR_EXPANSION_SHARES,
 * in increasing i from 0. Then partial k += partial k + h for h = MYR_EXPANSION_SHARES/2, .., 2, 1 and k < h; the sum
 * is partial 0.
 *
 * Near field: sums of `fixed` (accumulator/fixed.h), which have no order. In an image of a periodic box the
 * target is moved: x = (high + low) - displacement in double, rounded to a pair of reals again. Result = (near + far) *
 * factor, in double; an output takes the sums of the far field one after another (far_field.h), in the order of
 * `sum`. */
#ifndef MYR_BACKEND_EXPANSION_ORDER_H
#define MYR_BACKEND_EXPANSION_ORDER_H

enum {
    MYR_EXPANSION_PARTIAL = 16,  /* partial sums of P2M and P2L */
    MYR_EXPANSION_BATCH = 128,   /* sources added to a series at a time */
    MYR_EXPANSION_SHARES = 4096, /* partial sums of the background of a periodic box */
    /* highest number of degrees for which a translation is one matrix; measured, see docs/notes/fmm.md */
    MYR_TRANSLATE_DENSE_MOST = 4
};

#endif
