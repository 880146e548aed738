/* box_check.cuh - comparison of the list of a GPU with all pairs, for tests (check: true); included by box.cuh. */

/* Pairs of a target within the cutoff: their number, and a sum that tells which they are. */
struct checked_pairs {
    unsigned long long count[CLUSTER], mark[CLUSTER];
};

MYR_FN unsigned long long mark_of(const box_point &p)
{
    unsigned long long h = 0;
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        h = (h ^ (unsigned long long)p.x[c]) * 0x9E3779B97F4A7C15ull;
        h ^= h >> 31;
    }
    return h;
}

MYR_FN void count_pair(const myr_box_check &a, const box_constants &k, const box_targets &t, int i, const box_point &p,
                       checked_pairs &found)
{
#if BOX_TYPED
    const lane cutoff2 = ((const real *)a.all.table)[t.row[i] + (int)p.type * MYR_BOX_CONSTANTS + CUT_RADIUS2];
#else
    const lane cutoff2 = (lane)a.cutoff2;
#endif
    lane d[3];
    MYR_UNROLL
    for (int c = 0; c < 3; c++)
        d[c] = (lane)coordinate_difference(t.x[i][c], p.x[c]) * k.unit[c];
    if (!(lane_madd(d[2], d[2], lane_madd(d[1], d[1], d[0] * d[0])) < cutoff2))
        return;
    found.count[i]++;
    found.mark[i] += mark_of(p);
}

/* The pairs that the loop over the list finds, and those of all particles: n^2 distances. On several ranks the targets
 * are own particles, and copies of those of other ranks are sources. */
extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS) box_check(const __grid_constant__ myr_box_check a)
{
    const myr_box_slot now = a.all.slot[0];
    if (myr_box_task(&now) != MYR_BOX_STEP) /* the list has expired, or is being made */
        return;
    const int32_t thread = blockIdx.x * MYR_BOX_THREADS + threadIdx.x;
    const int cluster = thread / BOX_LANES, member = thread % BOX_LANES;
    const box_constants k = prepare_constants(a.all, 0);
    const void *point = a.all.point[now.face];
    const box_targets t = load_targets<0>(a.all, point, cluster);
    checked_pairs listed = {}, all = {};
    each_source(a.all, point, cluster, member, [&](const box_point &p, int own, int32_t) {
        for (int i = 0; i < CLUSTER; i++)
            if (!(own && i == member) && cluster * CLUSTER + i < a.all.n)
                count_pair(a, k, t, i, p, listed);
    });
    for (int32_t j = member; j < a.all.n; j += BOX_LANES)
        for (int i = 0; i < CLUSTER; i++)
            if (j != cluster * CLUSTER + i && cluster * CLUSTER + i < a.all.n)
                count_pair(a, k, t, i, load_point(point, j), all);
    checked_pairs *const both[2] = {&listed, &all};
    unsigned long long count[2], mark[2];
    MYR_UNROLL
    for (int c = 0; c < 2; c++) {
        const checked_pairs &f = *both[c];
        count[c] = sum_of_target(f.count[0], f.count[1], f.count[2], f.count[3], member);
        mark[c] = sum_of_target(f.mark[0], f.mark[1], f.mark[2], f.mark[3], member);
    }
    if (member >= CLUSTER || cluster * CLUSTER + member >= a.all.n ||
        !is_own(a.all, now.side, cluster * CLUSTER + member) || (count[0] == count[1] && mark[0] == mark[1]))
        return;
    atomicAdd(a.wrong, 1ull);
    atomicAdd(a.wrong + 1, count[0]);
    atomicAdd(a.wrong + 2, count[1]);
    atomicOr(&a.all.slot[0].state, (uint32_t)MYR_BOX_WRONG);
}
