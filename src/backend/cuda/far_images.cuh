/* far_images.cuh - images of a periodic box in the far field on a GPU: those that are not near act through one matrix on
 * the root's multipoles, and with three periodic axes a background makes the box neutral (method/fmm/fmm_periodic.c).
 * Included by far_series.cuh. */
#ifndef MYR_BACKEND_CUDA_FAR_IMAGES_CUH
#define MYR_BACKEND_CUDA_FAR_IMAGES_CUH

/* Local series of the root from all images that are not near: one thread per coefficient and strength, one block. */
extern "C" __global__ void __launch_bounds__(MYR_FAR_THREADS) far_images(const __grid_constant__ myr_far_series a)
{
    for (int t = threadIdx.x; t < TERMS * FAR_STRENGTHS; t += MYR_FAR_THREADS) {
        const real *from = (const real *)a.multipole + series_at(0, t / TERMS);
        const double *row = a.lattice + (int64_t)(t % TERMS) * TERMS;
        double sum = 0;
        for (int column = 0; column < TERMS; column++)
            sum += row[column] * (double)from[column];
        ((real *)a.local)[series_at(0, t / TERMS) + t % TERMS] = (real)sum;
    }
}

enum { QUADRATIC = 5 }; /* numbers of a quadratic c + l.x + q |x|^2: c, l, q */

/* Position of a particle relative to the root's centre, in the root's sides. */
FAR_FN void root_position(const myr_far_series &a, int64_t i, double *x)
{
    const record_real *r = (const record_real *)a.record + i * a.stride;
    const cell_frame frame = frame_of(a, a.cell[0], 0);
    for (int axis = 0; axis < 3; axis++) {
        const record_real *at = r + axis * FAR_COORD_LANES;
        const double whole = FAR_COORD_LANES == 2 ? (double)at[0] + (double)at[FAR_COORD_LANES - 1] : (double)at[0];
        x[axis] = (whole - frame.centre[axis]) * frame.per_side;
    }
}

/* Quadratic 2 pi/3 sum q |x - y|^2 of one strength (fmm_periodic.c): one thread per partial sum, whose particles and
 * order are those of backend/expansion_order.h. */
extern "C" __global__ void __launch_bounds__(MYR_FAR_THREADS) far_background(const __grid_constant__ myr_far_series a)
{
    const double factor = 2.09439510239319549231;
    const int share = (int)(blockIdx.x * MYR_FAR_THREADS + threadIdx.x);
    double sum[QUADRATIC] = {};
    for (int64_t i = share; i < a.n; i += MYR_EXPANSION_SHARES) {
        const record_real *r = (const record_real *)a.record + i * a.stride;
        const double q = factor * ((double)r[a.factor[0]] * (a.factor[1] < 0 ? 1 : (double)r[a.factor[1]]));
        double y[3];
        root_position(a, i, y);
        sum[0] += q * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
        for (int axis = 0; axis < 3; axis++)
            sum[1 + axis] -= 2 * q * y[axis];
        sum[4] += q;
    }
    for (int k = 0; k < QUADRATIC; k++)
        a.part[((int64_t)share * FAR_STRENGTHS + a.number) * QUADRATIC + k] = sum[k];
}

/* Adds the partial sums in pairs and derives the quadratics of the other series; one block. */
extern "C" __global__ void __launch_bounds__(MYR_FAR_THREADS) far_quadratics(const __grid_constant__ myr_far_series a)
{
    __shared__ double all[FAR_LISTED][QUADRATIC];
    for (int half = MYR_EXPANSION_SHARES / 2; half > 0; half /= 2) {
        const int count = half * FAR_STRENGTHS * QUADRATIC;
        for (int t = threadIdx.x; t < count; t += MYR_FAR_THREADS)
            a.part[t] += a.part[count + t];
        __syncthreads();
    }
    for (int t = threadIdx.x; t < FAR_LISTED * QUADRATIC; t += MYR_FAR_THREADS) {
        const int s = t / QUADRATIC, negated = FAR_NEGATED && s >= FAR_STRENGTHS;
        const int number = s - (negated ? FAR_STRENGTHS : 0);
        const double sum = number < FAR_STRENGTHS ? a.part[number * QUADRATIC + t % QUADRATIC] : 0;
        all[s][t % QUADRATIC] = negated ? -sum : sum;
    }
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (int step = 0; step < FAR_STEPS; step++) {
        const int to = far_step[step][0], from = far_step[step][1], axis = far_step[step][2];
        all[to][0] += all[from][1 + axis];
        all[to][1 + axis] += 2 * all[from][4];
    }
    for (int k = 0; k < FAR_LISTED * QUADRATIC; k++)
        a.quadratic[k] = all[k / QUADRATIC][k % QUADRATIC];
}

/* Adds the quadratics at particle i. */
FAR_FN void background_at(const myr_far_series &a, int64_t i, double *far)
{
    const double per_side = 1 / a.state->side;
    double x[3];
    root_position(a, i, x);
    FAR_UNROLL
    for (int q = 0; q < FAR_SUMS; q++) {
        const double *p = a.quadratic + far_sum[q][0] * QUADRATIC;
        double scale = per_side;
        for (int d = 0; d < far_sum[q][1]; d++)
            scale *= per_side;
        far[q] += scale * (p[0] + p[1] * x[0] + p[2] * x[1] + p[3] * x[2] +
                           p[4] * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
    }
}

#endif
