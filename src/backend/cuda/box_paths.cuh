/* box_paths.cuh - time correlations of particles in a box on a GPU (backend/box_paths.h), included by box.cuh. All
 * arrays are in the order of the user. */

/* What is correlated, at present. */
extern "C" __global__ void __launch_bounds__(256) box_paths_now(const __grid_constant__ myr_box_paths a)
{
    const myr_box_common &all = a.sums.all;
    const myr_box_slot now = all.slot[0];
    const myr_box_side &s = all.side[now.side];
    const int32_t i = blockIdx.x * 256 + threadIdx.x;
    if (i >= all.n)
        return;
    const int32_t row = s.row[i];
    const int64_t n = all.n, to = a.index[row];
    double v[3];
    present_velocity(a.sums, now, i, v);
    for (int c = 0; c < 3; c++) {
        const uint64_t q = s.q[c][i];
        const double x = a.origin[c] + a.length[c] * ((double)q * 0x1p-64);
        const double image = (double)(all.image[c][row] + crossings(all, c, i, q));
        a.now[c * n + to] = a.set.velocities ? v[c]
                                             : box_paths_path(&a.set, c, a.path[c * n + to], a.path[(3 + c) * n + to],
                                                              box_paths_place(&a.set, c, x, image));
    }
    a.type[to] = a.set.types > 1 ? all.type[row] : 0;
}

/* Sums over a chunk of particles of their terms with one origin of time, a block for each of both. */
extern "C" __global__ void __launch_bounds__(BOX_PATHS_CHUNK) box_paths_sums(const __grid_constant__ myr_box_paths a)
{
    __shared__ double term[BOX_PATHS_CHUNK];
    const int64_t n = a.sums.all.n, chunk = blockIdx.x % a.chunks, which = blockIdx.x / a.chunks;
    const int64_t i = chunk * BOX_PATHS_CHUNK + threadIdx.x, at = i < n ? i : 0;
    const double *slot = a.slot + (size_t)a.compare[which] * 3 * (size_t)n;
    double now[3], then[3];
    for (int c = 0; c < 3; c++) {
        now[c] = a.now[c * n + at];
        then[c] = slot[c * n + at];
    }
    const double mine = box_paths_term(&a.set, now, then);
    for (int t = 0; t < a.set.types; t++) {
        term[threadIdx.x] = i < n && a.type[at] == t ? mine : 0.0;
        for (int far = BOX_PATHS_CHUNK / 2; far > 0; far /= 2) {
            __syncthreads();
            const double other = (int)threadIdx.x < far ? term[threadIdx.x + far] : 0.0;
            if ((int)threadIdx.x < far)
                term[threadIdx.x] += other;
        }
        if (threadIdx.x == 0)
            a.part[((size_t)which * a.set.types + t) * (size_t)a.chunks + (size_t)chunk] = term[0];
        __syncthreads();
    }
}
