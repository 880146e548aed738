/* box_ranks.cuh - one rank of several that share a box: exchange of coordinates; included by box.cuh.
 *
 * Copies of particles of other ranks are sorted and listed among own particles. They are sources: no kernel moves or
 * counts them, and clusters without own particles have empty rows. Their coordinates arrive before every evaluation. */

/* 1 if particle i is not a copy of a particle of another rank. */
MYR_FN int is_own(const myr_box_common &a, int side, int32_t i)
{
    return !BOX_DIVIDED || a.side[side].row[i] < a.own;
}

/* 1 if a cluster has a particle that is not a copy. */
MYR_FN int has_own(const myr_box_common &a, int side, int cluster)
{
    int found = !BOX_DIVIDED;
    for (int i = 0; BOX_DIVIDED && i < CLUSTER && cluster * CLUSTER + i < a.n; i++)
        found |= is_own(a, side, cluster * CLUSTER + i);
    return found;
}

#if BOX_DIVIDED
/* Places of the rows of the host, after the particles were sorted. */
extern "C" __global__ void __launch_bounds__(256) box_where(const __grid_constant__ myr_box_ranks a)
{
    const int32_t i = blockIdx.x * 256 + threadIdx.x;
    if (i < a.all.n)
        a.where[a.all.side[a.all.slot[0].side].row[i]] = i;
}

/* Writes own coordinates to the messages for other ranks. */
extern "C" __global__ void __launch_bounds__(256) box_pack(const __grid_constant__ myr_box_ranks a)
{
    const int32_t e = blockIdx.x * 256 + threadIdx.x;
    const int32_t row = e < a.entries ? a.entry[e] : a.all.own;
    if (row >= a.all.own)
        return;
    const int32_t i = a.where[row];
    for (int c = 0; c < 3; c++)
        a.out[3 * (size_t)e + c] = a.all.side[a.all.slot[0].side].q[c][i];
}

/* Takes the coordinates of copies from the messages of other ranks. */
extern "C" __global__ void __launch_bounds__(256) box_unpack(const __grid_constant__ myr_box_ranks a)
{
    const myr_box_slot now = a.all.slot[0];
    const int32_t k = blockIdx.x * 256 + threadIdx.x;
    if (k >= a.halo)
        return;
    const int32_t row = a.all.own + k, i = a.where[row];
    box_point p;
    for (int c = 0; c < 3; c++) {
        const uint64_t q = a.in[3 * (size_t)k + c];
        a.all.side[now.side].q[c][i] = q;
        p.x[c] = point_coordinate(q);
    }
    p.type = BOX_TYPED ? (real_int)a.all.type[row] : 0;
    ((box_point *)a.all.point[now.face])[i] = p;
}
#endif
