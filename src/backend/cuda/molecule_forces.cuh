/* molecule_forces.cuh - forces of a replica, of molecule.cuh: pieces of work that warps take in turn, each with pairs,
 * bonded terms or random numbers, so that these run side by side. */
#ifndef MYR_BACKEND_CUDA_MOLECULE_FORCES_CUH
#define MYR_BACKEND_CUDA_MOLECULE_FORCES_CUH

/* 32 bonded terms of one kind; returns 1 if a force is no number. */
template <int kind>
__device__ __forceinline__ int bonded_item(const myr_molecule_steps &m, const replica_view &w, int item)
{
    const int64_t k = (int64_t)item * 32 + threadIdx.x % 32;
    int bad = 0;
    if (k >= m.terms[kind])
        return 0;
    const molecule_term t = m.term[kind][k];
    double f[3][3], energy[2];
    const int atoms = molecule_term_force(kind, &t, &m.law, w.x, f, energy);
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        int64_t rest = 0;
        MYR_UNROLL
        for (int a = 0; a < 3; a++)
            if (a < atoms - 1) {
                const int64_t units = term_round(f[a][c], &bad);
                atomicAdd(&w.bonded[c][t.atom[a]], (unsigned long long)units);
                rest -= units;
            }
        if (atoms > 0)
            atomicAdd(&w.bonded[c][t.atom[atoms - 1]], (unsigned long long)rest);
    }
    return bad;
}

/* Numbers of a step: see myr_molecule_steps. */
MYR_FN const double *heat_of(const myr_molecule_steps &m, const replica_view &w, int step)
{
    return m.heat + 2 * ((int64_t)w.replica * m.heats + (m.heats > 1 ? step : 0));
}

/* Random forces of a step on 32 atoms, which depend on no position: found while others sum the forces before it. */
MYR_FN void noise_item(const myr_molecule_steps &m, const replica_view &w, int item, int step)
{
    const int i = item * 32 + threadIdx.x % 32;
    if (i >= m.n)
        return;
    double z[3] = {0, 0, 0};
    box_motion_shake(z, block_room().one.seed, (uint64_t)m.id[i], block_room().one.number + step, 0,
                     sqrt(heat_of(m, w, step)[0] * m.inverse[i]));
    MYR_UNROLL
    for (int c = 0; c < 3; c++)
        w.z[c][i] = z[c];
}

/* A piece of work after those with pairs, of a kind given by the place of its number among the ends of the kinds. */
MYR_FN int other_item(const myr_molecule_steps &m, replica_view &w, int item, int step)
{
    int bad = 0;
    if (item < m.item_end[MYR_BONDED_DIHEDRALS])
        bad = bonded_item<MYR_BONDED_DIHEDRALS>(m, w, item - m.pair_items);
    else if (item < m.item_end[MYR_BONDED_ANGLES])
        bad = bonded_item<MYR_BONDED_ANGLES>(m, w, item - m.item_end[MYR_BONDED_DIHEDRALS]);
    else if (item < m.item_end[MYR_BONDED_PAIRS14])
        bad = bonded_item<MYR_BONDED_PAIRS14>(m, w, item - m.item_end[MYR_BONDED_ANGLES]);
    else if (item < m.item_end[MYR_BONDED_BONDS])
        bad = bonded_item<MYR_BONDED_BONDS>(m, w, item - m.item_end[MYR_BONDED_PAIRS14]);
    else if (step + 1 < block_room().one.steps)
        noise_item(m, w, item - m.item_end[MYR_BONDED_BONDS], step + 1);
    clock_note(w, item < m.item_end[MYR_BONDED_BONDS] ? MYR_MOLECULE_CLOCK_BONDED : MYR_MOLECULE_CLOCK_NOISE);
    return bad;
}

/* Forces at the end of step `step`; -1 = at the start. */
MYR_FN void forces_all(const myr_molecule_steps &m, replica_view &w, int step)
{
    const int warps = m.blocks * BLOCK_WARPS;
    int bad = 0, item = warp_mine(m, w);
    for (; item < m.pair_items; item += warps) {
        bad |= pair_item(m, w, item) != 0;
#if CUDA_BORN
        bad |= born_item(m, w, item);
#endif
        clock_note(w, MYR_MOLECULE_CLOCK_PAIRS);
    }
    for (; item < m.items; item += warps)
        bad |= other_item(m, w, item, step);
#if CUDA_BORN
    bad |= born_all(m, w);
#endif
    if (bad)
        raise_stop(w, step + 1, step < 0 ? 0 : step);
}

#endif
