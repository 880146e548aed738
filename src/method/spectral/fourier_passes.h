/* fourier_passes.h - plans and passes of transforms of one precision: fourier.c includes it with REAL, FFTW(name), a
 * name of FFTW of that precision, and PASS(name) defined. Fields are those of fourier.h. */

typedef struct {
    /* along x, y and z: [0] coefficients to values, [1] values to coefficients */
    FFTW(plan) x[2], y[2], z[2];
} PASS(plans);

static int PASS(plan)(const fourier_shape *f, REAL *room, PASS(plans) * p)
{
    FFTW(complex) *at = (FFTW(complex) *)room;
    const int side[3] = {(int)f->side[0], (int)f->side[1], (int)f->side[2]};
    const int half = (int)f->half, kept = (int)f->kept[0], plane = side[1] * half;
    const unsigned how = FFTW_ESTIMATE;
    int planned = 1;
    p->x[0] = FFTW(plan_many_dft_c2r)(1, side, side[1], at, NULL, 1, half, room, NULL, 1, 2 * half, how);
    p->x[1] = FFTW(plan_many_dft_r2c)(1, side, side[1], room, NULL, 1, 2 * half, at, NULL, 1, half, how);
    for (int way = 0; way < 2; way++) {
        const int sign = way == 0 ? FFTW_BACKWARD : FFTW_FORWARD;
        p->y[way] = FFTW(plan_many_dft)(1, &side[1], kept, at, NULL, half, 1, at, NULL, half, 1, sign, how);
        p->z[way] = FFTW(plan_many_dft)(1, &side[2], kept, at, NULL, plane, 1, at, NULL, plane, 1, sign, how);
        planned = planned && p->x[way] && p->y[way] && p->z[way];
    }
    return planned;
}

static void PASS(forget)(PASS(plans) * p)
{
    for (int way = 0; way < 2; way++) {
        FFTW(plan) plan[] = {p->x[way], p->y[way], p->z[way]};
        for (int k = 0; k < 3; k++)
            if (plan[k])
                FFTW(destroy_plan)(plan[k]);
    }
}

/* Along z for the kept modes of x of row r of ky, counted from the lowest kept ky. Modes of kz that are not kept, whose
 * contents are undefined before an inverse transform, are cleared first. */
static void PASS(row)(const fourier_shape *f, const PASS(plans) * p, int forward, REAL *field, int64_t r)
{
    FFTW(complex) *row = (FFTW(complex) *)field + myr_fourier_place(f->side[1], r - f->kept[1] + 1) * f->half;
    for (int64_t z = f->kept[2]; z <= f->side[2] - f->kept[2] && !forward; z++)
        for (int64_t x = 0; x < f->kept[0]; x++)
            row[z * f->side[1] * f->half + x][0] = row[z * f->side[1] * f->half + x][1] = 0;
    FFTW(execute_dft)(p->z[forward], row, row);
}

/* Along y for the kept modes of x, then along x. Modes that are not kept are cleared first. */
static void PASS(plane_inverse)(const fourier_shape *f, const PASS(plans) * p, REAL *field, int64_t z)
{
    FFTW(complex) *plane = (FFTW(complex) *)field + z * f->side[1] * f->half;
    for (int64_t y = 0; y < f->side[1]; y++) {
        const int64_t mode = myr_fourier_mode(f->side[1], y);
        for (int64_t x = mode < f->kept[1] && mode > -f->kept[1] ? f->kept[0] : 0; x < f->half; x++)
            plane[y * f->half + x][0] = plane[y * f->half + x][1] = 0;
    }
    FFTW(execute_dft)(p->y[0], plane, plane);
    FFTW(execute_dft_c2r)(p->x[0], plane, (REAL *)plane);
}

static void PASS(plane_forward)(const fourier_shape *f, const PASS(plans) * p, REAL *field, int64_t z)
{
    const REAL scale = (REAL)(1 / ((double)f->side[0] * (double)f->side[1] * (double)f->side[2]));
    const int64_t plane = f->side[1] * f->half;
    FFTW(complex) *at = (FFTW(complex) *)field + z * plane;
    FFTW(execute_dft_r2c)(p->x[1], (REAL *)at, at);
    FFTW(execute_dft)(p->y[1], at, at);
    for (int64_t k = 0; k < plane; k++) {
        at[k][0] *= scale;
        at[k][1] *= scale;
    }
}
