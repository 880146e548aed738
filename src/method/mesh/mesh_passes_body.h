/* mesh_passes_body.h - passes over a mesh in one precision: mesh_passes.c includes it with REAL, INTEGER, PASS(name),
 * and the transforms of a plane and of a row, defined. */

/* Plane z of the integers to three fields; points beyond the end of a row belong to its beginning. */
static void PASS(forward)(const myr_mesh *m, int64_t z)
{
    const int64_t *side = m->choice.side, half = 2 * myr_fourier_half(side[0]);
    const REAL unit = (REAL)m->unit;
    for (int64_t y = 0; y < side[1]; y++) {
        const int64_t r = z * side[1] + y;
        INTEGER *row = (INTEGER *)m->grid + r * m->row;
        for (int64_t k = 0; k < 3 * m->choice.width; k++)
            row[k] += row[3 * side[0] + k];
        for (int c = 0; c < 3; c++) {
            REAL *to = (REAL *)m->field[c] + r * half;
            for (int64_t x = 0; x < side[0]; x++)
                to[x] = (REAL)row[3 * x + c] * unit;
        }
    }
    for (int c = 0; c < 3; c++)
        PLANE_FORWARD(m->fourier, m->field[c], z);
}

/* Plane z of three fields to numbers of the grid, with copies of the beginning of each row after its end. */
static void PASS(inverse)(const myr_mesh *m, int64_t z)
{
    const int64_t *side = m->choice.side, half = 2 * myr_fourier_half(side[0]);
    for (int c = 0; c < 3; c++)
        PLANE_INVERSE(m->fourier, m->field[c], z);
    for (int64_t y = 0; y < side[1]; y++) {
        const int64_t r = z * side[1] + y;
        REAL *row = (REAL *)m->grid + r * m->row;
        const REAL *from[3];
        for (int c = 0; c < 3; c++)
            from[c] = (const REAL *)m->field[c] + r * half;
        for (int64_t x = 0; x < side[0]; x++)
            for (int c = 0; c < 3; c++)
                row[3 * x + c] = from[c][x];
        for (int64_t k = 0; k < 3 * m->choice.width; k++)
            row[3 * side[0] + k] = row[k];
        for (int64_t k = 3 * (side[0] + m->choice.width); k < m->row; k++)
            row[k] = 0;
    }
}

/* Row ky of all kz: the coefficients of the sources, kept or taken from those that were kept. */
static void PASS(row_forward)(const myr_mesh *m, int64_t r, int again)
{
    const int64_t *side = m->choice.side, half = myr_fourier_half(side[0]);
    const int64_t y = myr_fourier_place(side[1], r - (side[1] / 2 - 1));
    for (int c = 0; c < 3; c++) {
        if (!again)
            ROW(m->fourier, 1, m->field[c], r);
        for (int64_t z = 0; z < side[2] && m->kept[c]; z++) {
            const int64_t at = 2 * (z * side[1] + y) * half;
            REAL *field = (REAL *)m->field[c] + at, *kept = (REAL *)m->kept[c] + at;
            memcpy(again ? field : kept, again ? kept : field, (size_t)side[0] * sizeof *kept);
        }
    }
}

/* Row ky of all kz: along z, times the kernel, and back. room: 7 numbers for each of the waves of kx. */
static void PASS(row)(const myr_mesh *m, int64_t r, int again, double *room, myr_mesh_kernel *kernel, void *user)
{
    const int64_t *side = m->choice.side, half = myr_fourier_half(side[0]), waves = side[0] / 2;
    const int64_t y = myr_fourier_place(side[1], r - (side[1] / 2 - 1));
    double *g = room, *hat[3] = {room + waves, room + 3 * waves, room + 5 * waves};
    PASS(row_forward)(m, r, again);
    for (int64_t z = 0; z < side[2]; z++) {
        const int64_t at = 2 * (z * side[1] + y) * half;
        const double yz = m->damped[1][y] * m->damped[2][z];
        for (int64_t x = 0; x < waves; x++)
            g[x] = m->damped[0][x] * yz;
        for (int c = 0; c < 3; c++)
            for (int64_t x = 0; x < 2 * waves; x++)
                hat[c][x] = (double)((const REAL *)m->field[c])[at + x];
        const myr_mesh_row row = {waves, m->wave[0], g, m->wave[1][y], m->wave[2][z], {hat[0], hat[1], hat[2]}};
        kernel(user, &row);
        for (int c = 0; c < 3; c++)
            for (int64_t x = 0; x < 2 * waves; x++)
                ((REAL *)m->field[c])[at + x] = (REAL)hat[c][x];
    }
    for (int c = 0; c < 3; c++)
        ROW(m->fourier, 0, m->field[c], r);
}

static void PASS(transform_row)(const myr_mesh *m, int64_t r)
{
    for (int c = 0; c < 3; c++)
        ROW(m->fourier, 1, m->field[c], r);
}

/* Adds to a row of a smaller mesh, from wave 0 along x on, the waves of this mesh at ky and kz that it cannot tell from
 * its own, or without `fold` its own alone. Of kx < 0 the opposite wave is known. */
static void PASS(fold)(const myr_mesh *m, int c, int64_t ky, int64_t kz, int64_t modes, int fold,
                       double *const wound[3], double *to)
{
    const int64_t *side = m->choice.side, half = myr_fourier_half(side[0]);
    for (int opposite = 0; opposite < 1 + fold; opposite++) {
        const int64_t y = myr_fourier_place(side[1], opposite ? -ky : ky);
        const int64_t z = myr_fourier_place(side[2], opposite ? -kz : kz);
        const REAL *from = (const REAL *)m->field[c] + 2 * (z * side[1] + y) * half;
        const double yz = wound[1][y] * wound[2][z];
        for (int64_t x = opposite; 2 * x < (fold || side[0] < modes ? side[0] : modes); x++) {
            const int64_t wave = (opposite ? modes - x % modes : x) % modes;
            if (2 * wave >= modes)
                continue;
            to[2 * wave] += wound[0][x] * yz * (double)from[2 * x];
            to[2 * wave + 1] += (opposite ? -1 : 1) * wound[0][x] * yz * (double)from[2 * x + 1];
        }
    }
}

/* Row ky of all kz of the smaller mesh, counted from the lowest ky; what the gathering window would do is put back. */
static void PASS(modes)(const myr_mesh *m, int64_t r, int64_t modes, int fold, double *const wound[3],
                        double *const hat[3])
{
    const int64_t most_y = (m->choice.side[1] - 1) / 2, most_z = (m->choice.side[2] - 1) / 2;
    const int64_t y = r + 1 - modes / 2, step = fold ? modes : 2 * modes + m->choice.side[1] + m->choice.side[2];
    for (int c = 0; c < 3; c++)
        for (int64_t z = 1 - modes / 2; z < modes / 2; z++) {
            if (llabs(y) > most_y || llabs(z) > most_z) /* a mesh with more waves than this one */
                continue;
            const int64_t row = myr_fourier_place(modes, z) * modes + myr_fourier_place(modes, y);
            double *to = hat[c] + 2 * row * myr_fourier_half(modes);
            for (int64_t ky = y - (most_y + y) / step * step; ky <= most_y; ky += step)
                for (int64_t kz = z - (most_z + z) / step * step; kz <= most_z; kz += step)
                    PASS(fold)(m, c, ky, kz, modes, fold, wound, to);
        }
}

/* Row ky of all kz from the coefficients of a smaller mesh, divided by what gathering does, transformed along z. */
static void PASS(values)(const myr_mesh *m, int64_t r, int64_t modes, double *const wound[3],
                         const double *const hat[3])
{
    const int64_t *side = m->choice.side, half = myr_fourier_half(side[0]), mode = r - (side[1] / 2 - 1);
    const int64_t y = myr_fourier_place(side[1], mode), few = modes < side[0] ? modes : side[0];
    for (int c = 0; c < 3; c++) {
        for (int64_t z = 0; z < side[2]; z++) {
            REAL *to = (REAL *)m->field[c] + 2 * (z * side[1] + y) * half;
            const int64_t kz = myr_fourier_mode(side[2], z);
            memset(to, 0, (size_t)(2 * half) * sizeof *to);
            if (2 * llabs(mode) >= modes || 2 * llabs(kz) >= modes)
                continue;
            const int64_t row = myr_fourier_place(modes, kz) * modes + myr_fourier_place(modes, mode);
            const double *from = hat[c] + 2 * row * myr_fourier_half(modes), yz = wound[1][y] * wound[2][z];
            for (int64_t x = 0; 2 * x < few; x++) {
                to[2 * x] = (REAL)(wound[0][x] * yz * from[2 * x]);
                to[2 * x + 1] = (REAL)(wound[0][x] * yz * from[2 * x + 1]);
            }
        }
        if (2 * llabs(mode) < modes)
            ROW(m->fourier, 0, m->field[c], r);
    }
}

const myr_mesh_passes PASSES = {PASS(forward),       PASS(row),   PASS(inverse),
                                PASS(transform_row), PASS(modes), PASS(values)};
