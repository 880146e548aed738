/* box_good.cuh - the copy of the particles in a box that stays on a GPU; included by box.cuh after box_sums.cuh. */

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
