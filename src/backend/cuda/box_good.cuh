/* box_good.cuh - copies of the particles in a box that stay on a GPU; included by box.cuh after box_sums.cuh. */

template <class number> MYR_FN void keep_number(number *here, number *kept, int32_t i, int back)
{
    if (back)
        here[i] = kept[i];
    else
        kept[i] = here[i];
}

/* Copies the state at the start of a call, or brings it back. */
extern "C" __global__ void __launch_bounds__(256) box_keep(const __grid_constant__ myr_box_keep a)
{
    const myr_box_side &s = a.all.side[a.side];
    const int32_t i = blockIdx.x * 256 + threadIdx.x;
    if (i >= a.all.n)
        return;
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        keep_number(s.q[c], a.kept.q[c], i, a.back);
        keep_number(s.v[c], a.kept.v[c], i, a.back);
        keep_number(a.all.f[c], a.f[c], i, a.back);
        keep_number(a.all.old[c], a.old[c], i, a.back);
        keep_number(a.all.image[c], a.image[c], i, a.back);
    }
    keep_number(s.inverse, a.kept.inverse, i, a.back);
    keep_number(s.row, a.kept.row, i, a.back);
}

/* Copies coordinates and present velocities in the order of the user. */
extern "C" __global__ void __launch_bounds__(256) box_good(const __grid_constant__ myr_box_good a)
{
    const myr_box_slot now = a.sums.all.slot[0];
    const myr_box_side &s = a.sums.all.side[now.side];
    const int32_t i = blockIdx.x * 256 + threadIdx.x;
    if (i >= a.sums.all.n)
        return;
    const int64_t to = a.index[s.row[i]];
    double v[3];
    present_velocity(a.sums, now, i, v);
    for (int c = 0; c < 3; c++) {
        a.q[c][to] = s.q[c][i];
        a.v[c][to] = v[c];
    }
}
