/* box_sums.cuh - sums over pairs and particles in a box on a GPU, and copies for the host; included by box.cuh. */

/* 1 if pairs of particle i count here. */
MYR_FN int is_target(const myr_box_common &a, const myr_box_slot &now, int32_t i)
{
    return i < a.n && is_own(a, now.side, i);
}

/* Adds a term to a sum of integers; returns 0 if it does not fit, and the sum is of no use then. The grid is a power of
 * two: the product with it is exact in floats too, and so is that of the processor. */
MYR_FN int add_term(lane term, double grid, int64_t &sum)
{
#if MYR_ARITH == MYR_ARITH_DOUBLE
    const double x = term * grid;
    sum += __double2ll_rn(x);
    return fabs(x) < 0x1p52;
#else
    const float x = term * (float)grid;
    sum += __float2ll_rn(x);
    return fabsf(x) < 0x1p52f;
#endif
}

/* Energy and virial of all pairs, both particles of a pair counted. A pair has the same terms from both sides: it is
 * evaluated once, but for those with copies of particles of other ranks. */
extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS) box_sums(const __grid_constant__ myr_box_sums a)
{
    enum { COUNTED = BOX_DIVIDED ? 1 : 2 };
    const myr_box_slot now = a.all.slot[0];
    const int32_t thread = blockIdx.x * MYR_BOX_THREADS + threadIdx.x;
    const int cluster = thread / BOX_LANES, member = thread % BOX_LANES;
    int64_t sum[MYR_BOX_TERMS] = {};
    double plain[MYR_BOX_TERMS] = {};
    uint32_t state = 0;
    const real *table = share_table<0>(a.all);
    const box_constants k = prepare_constants(a.all, table);
    const void *point = a.all.point[now.face];
    const box_targets t = load_targets<0>(a.all, point, cluster);
    each_source(a.all, point, cluster, member, [&](const box_point &p, int own, int32_t source) {
        if (!BOX_DIVIDED && source < cluster * CLUSTER) /* a target of another cluster, which takes these pairs */
            return;
        for (int i = 0; i < CLUSTER; i++) {
            box_pair pair;
            if ((own && (BOX_DIVIDED ? i == member : i <= member)) || !is_target(a.all, now, cluster * CLUSTER + i))
                continue;
            find_pair(k, t, i, p, 0, 1, pair);
            if (!pair.near)
                continue;
            lane force[3], term[MYR_BOX_TERMS];
            for (int c = 0; c < 3; c++)
                force[c] = pair_force(pair, c);
            box_terms(pair.at.energy, pair.d, force, term);
            int fits = BOX_SUMS != 0 || pair_fits(a.all, 0, pair);
            for (int m = 0; m < MYR_BOX_TERMS; m++) {
                if (BOX_SUMS != 0)
                    plain[m] += (double)term[m];
                else
                    fits &= add_term(term[m], a.grid, sum[m]);
            }
            state = fits ? state : MYR_BOX_CLOSE;
        }
    });
    for (int m = 0; m < MYR_BOX_TERMS; m++) {
        if (BOX_SUMS == 0) {
            wide_sum wide = {0, 0};
            for (int k = 0; k < COUNTED; k++)
                add_wide(wide, sum[m]);
            store_wide(a.total + 2 * m, wide);
            continue;
        }
        for (int far = 16; far > 0; far /= 2) /* in a fixed order: a part for every warp, added by box_plain */
            plain[m] += __shfl_xor_sync(~0u, plain[m], far);
        if (threadIdx.x % 32 == 0)
            a.to[0][(size_t)(thread / 32) * MYR_BOX_TERMS + m] = COUNTED * plain[m];
    }
    if (state)
        atomicOr(&a.all.slot[0].state, state);
}

/* Adds the parts of box_sums in to[0] in a fixed order, a term for each block; to[1] receives the sums. */
extern "C" __global__ void __launch_bounds__(MYR_BOX_ADDERS) box_plain(const __grid_constant__ myr_box_sums a)
{
    __shared__ double of_warp[MYR_BOX_ADDERS / 32];
    double sum = 0;
    for (int64_t part = threadIdx.x; part < a.parts; part += MYR_BOX_ADDERS)
        sum += a.to[0][part * MYR_BOX_TERMS + blockIdx.x];
    for (int far = 16; far > 0; far /= 2)
        sum += __shfl_xor_sync(~0u, sum, far);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (int k = 1; k < MYR_BOX_ADDERS / 32; k++)
        sum += of_warp[k];
    a.to[1][blockIdx.x] = sum;
}

/* Numbers of pairs by the exponent of their repulsion, both particles of a pair counted (neighbour_unit.c). */
extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS) box_measure(const __grid_constant__ myr_box_sums a)
{
    __shared__ unsigned of_block[MYR_BOX_SIZES];
    const myr_box_slot now = a.all.slot[0];
    const int32_t thread = blockIdx.x * MYR_BOX_THREADS + threadIdx.x;
    const int cluster = thread / BOX_LANES, member = thread % BOX_LANES;
    for (int k = threadIdx.x; k < MYR_BOX_SIZES; k += MYR_BOX_THREADS)
        of_block[k] = 0;
    const real *table = share_table<0>(a.all);
    __syncthreads();
    const box_constants k = prepare_constants(a.all, table);
    const void *point = a.all.point[now.face];
    const box_targets t = load_targets<0>(a.all, point, cluster);
    const real least = (real)ldexp(1.0, a.lowest), highest = (real)ldexp(1.0, a.lowest + MYR_BOX_SIZES);
    each_source(a.all, point, cluster, member, [&](const box_point &p, int own, int32_t) {
        for (int i = 0; i < CLUSTER; i++) {
            box_pair pair;
            if ((own && i == member) || !is_target(a.all, now, cluster * CLUSTER + i))
                continue;
            find_pair(k, t, i, p, 0, 0, pair);
            const lane size = pair_size(pair);
            if (!pair.near || !(size >= least))
                continue;
            const int last = MYR_BOX_SIZES - 1;
            const int found = (double)size < (double)highest ? ilogb((double)size) - a.lowest : last;
            atomicAdd(&of_block[found < last ? found : last], 1u);
        }
    });
    __syncthreads();
    for (int k = threadIdx.x; k < MYR_BOX_SIZES; k += MYR_BOX_THREADS)
        if (of_block[k])
            atomicAdd(a.total + k, (unsigned long long)of_block[k]);
}

/* --- motion of all particles -------------------------------------------------------------------------------------- */

/* Velocity of particle i at the present time. */
MYR_FN void present_velocity(const myr_box_sums &a, const myr_box_slot &now, int32_t i, double v[3])
{
    const myr_box_side &s = a.all.side[now.side];
    for (int c = 0; c < 3; c++)
        v[c] = a.h == 0    ? s.v[c][i]
               : BOX_EXACT ? exact_kick(s.v[c][i], a.h * s.inverse[i], a.all.f[c][i], 1, a.all.magic)
                           : s.v[c][i] + a.h * s.inverse[i] * a.all.f[c][i];
}

/* Largest m v^2 (power 2) or (m v)^2 (power 1), as bits, which have the order of the numbers. */
extern "C" __global__ void __launch_bounds__(256) box_largest(const __grid_constant__ myr_box_sums a)
{
    const myr_box_slot now = a.all.slot[0];
    double most = 0;
    for (int32_t i = blockIdx.x * 256 + threadIdx.x; i < a.all.n; i += (int32_t)gridDim.x * 256) {
        double v[3];
        if (!is_target(a.all, now, i))
            continue;
        present_velocity(a, now, i, v);
        const double mass = a.all.mass[a.all.side[now.side].row[i]];
        const double v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        most = fmax(most, mass * v2 * (a.power == 2 ? 1 : mass));
    }
    raise_total(a.total, most);
}

/* power 2: kinetic tensor, sum of m v_a v_b; power 1: momentum, sum of m v. */
extern "C" __global__ void __launch_bounds__(256) box_kinetic(const __grid_constant__ myr_box_sums a)
{
    const myr_box_slot now = a.all.slot[0];
    wide_sum sum[6] = {};
    for (int32_t i = blockIdx.x * 256 + threadIdx.x; i < a.all.n; i += (int32_t)gridDim.x * 256) {
        double v[3];
        if (!is_target(a.all, now, i))
            continue;
        present_velocity(a, now, i, v);
        const double mass = a.all.mass[a.all.side[now.side].row[i]];
        const int first[6] = {0, 1, 2, 1, 0, 0}, second[6] = {0, 1, 2, 2, 2, 1};
        MYR_UNROLL
        for (int k = 0; k < 6; k++) {
            const double term = a.power == 2 ? mass * (v[first[k]] * v[second[k]]) : k < 3 ? mass * v[k % 3] : 0.0;
            add_wide(sum[k], __double2ll_rn(term * a.scale));
        }
    }
    MYR_UNROLL
    for (int k = 0; k < 6; k++)
        if (k < 3 || a.power == 2)
            store_wide(a.total + 2 * k, sum[k]);
}

/* v = (v + h f / m) * factor - shift. */
extern "C" __global__ void __launch_bounds__(256) box_change(const __grid_constant__ myr_box_sums a)
{
    const myr_box_slot now = a.all.slot[0];
    const myr_box_side &s = a.all.side[now.side];
    const int32_t i = blockIdx.x * 256 + threadIdx.x;
    for (int c = 0; c < 3 && is_target(a.all, now, i); c++) {
        double v = s.v[c][i];
        v = a.h == 0 ? v : v + a.h * s.inverse[i] * a.all.f[c][i];
        v = a.factor == 1 ? v : v * a.factor;
        s.v[c][i] = a.shift[c] == 0 ? v : v - a.shift[c];
    }
}

/* Copies coordinates as bits (power 0), velocities (1) or forces (2) to the host's order in to[0], or forces back from
 * there (3). */
extern "C" __global__ void __launch_bounds__(256) box_fetch(const __grid_constant__ myr_box_sums a)
{
    const myr_box_slot now = a.all.slot[0];
    const myr_box_side &s = a.all.side[now.side];
    const int32_t i = blockIdx.x * 256 + threadIdx.x;
    if (i >= a.all.n)
        return;
    const int32_t row = s.row[i];
    for (int c = 0; c < 3; c++) {
        if (a.power == 0) {
            ((uint64_t *)a.to[0])[(size_t)c * a.all.n + row] = s.q[c][i];
            a.image[c][row] = a.all.image[c][row] + crossings(a.all, c, i, s.q[c][i]);
        } else if (a.power == 3)
            a.all.f[c][i] = a.to[0][(size_t)c * a.all.n + row];
        else
            a.to[0][(size_t)c * a.all.n + row] = a.power == 1 ? s.v[c][i] : a.all.f[c][i];
    }
}
