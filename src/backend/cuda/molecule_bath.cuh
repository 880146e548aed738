/* molecule_bath.cuh - motion with a thermostat that scales velocities, of molecule.cuh. */
#ifndef MYR_BACKEND_CUDA_MOLECULE_BATH_CUH
#define MYR_BACKEND_CUDA_MOLECULE_BATH_CUH

#if CUDA_BATH
/* The thermostat at a temperature `heat`: the kinetic energy is summed in integers (core/sum.h), and every thread finds
 * the same factor. The sums of this turn were cleared two turns before. */
static __device__ __noinline__ void bath_all(const myr_molecule_steps &m, replica_view &w, double heat)
{
    myr_molecule_kinetic &sum = w.one->kinetic[w.turn % MYR_MOLECULE_TURNS];
    const int first = thread_mine(m, w), all = CUDA_THREADS * m.blocks;
    double most = 0, twice = 0;
    for (int i = first; i < m.n; i += all) {
        const double v2 = w.v[0][i] * w.v[0][i] + w.v[1][i] * w.v[1][i] + w.v[2][i] * w.v[2][i];
        most = m.mass[i] * v2 > most ? m.mass[i] * v2 : most;
    }
    if (most > 0)
        atomicMax(&sum.largest, (unsigned long long)__double_as_longlong(most));
    if (first == 0)
        w.one->kinetic[(w.turn + 1) % MYR_MOLECULE_TURNS] = {};
    wait_for_replica(m, w);
    const double largest = __longlong_as_double((long long)__ldcg(&sum.largest));
    const int exponent = largest > 0 ? ilogb(largest) + 1 : 0;
    const double scale = ldexp(1.0, 62 - exponent);
    for (int i = first; i < m.n; i += all)
        for (int c = 0; c < 3; c++) {
            const long long units = __double2ll_rn(m.mass[i] * (w.v[c][i] * w.v[c][i]) * scale);
            atomicAdd(&sum.total[c][0], (unsigned long long)(uint32_t)units);
            atomicAdd(&sum.total[c][1], (unsigned long long)(units >> 32));
        }
    wait_for_replica(m, w);
    for (int c = 0; c < 3; c++) {
        const unsigned long long half[2] = {__ldcg(&sum.total[c][0]), __ldcg(&sum.total[c][1])};
        twice += halves_value(half, exponent);
    }
    const double factor = block_room().one.bath.kind == BOX_BATH_CHAIN
                              ? box_chain_advance(&block_room().one.bath, &w.chain, twice, heat, 0.5 * m.dt)
                              : box_berendsen_factor(&block_room().one.bath, twice, heat);
    for (int i = first; i < m.n; i += all)
        for (int c = 0; c < 3; c++)
            w.v[c][i] *= factor;
    w.turn++;
    wait_for_replica(m, w);
}

/* As motion_plain. */
MYR_FN void motion_bath(const myr_molecule_steps &m, replica_view &w, int step, int ends, int begins)
{
    const unit_task end = {step, 1, ends, 0, 1}, begin = {step, 0, 0, 1, 0};
    double furthest;
    int stop = 0;
    (void)motion_units(m, w, end, &furthest);
    wait_for_replica(m, w);
    if (ends)
        bath_all(m, w, heat_of(m, w, step - 1)[1]);
    if (begins && block_room().one.bath.kind == BOX_BATH_CHAIN)
        bath_all(m, w, heat_of(m, w, step)[0]);
    if (begins)
        stop = motion_units(m, w, begin, &furthest);
    if (begins)
        motion_note_way(m, w, step, furthest);
    if (stop)
        raise_stop(w, step + 1, step);
}
#endif

#endif
