/* molecule_born.cuh - generalised Born solvent of a replica, of molecule.cuh: integrals, which are summed beside the
 * pairs, Born radii, forces at given radii, forces by the change of the radii. What belongs to one atom is done by one
 * thread in between. The formulas are those of the processor (backend/born_atom.h), in its order. */
#ifndef MYR_BACKEND_CUDA_MOLECULE_BORN_CUH
#define MYR_BACKEND_CUDA_MOLECULE_BORN_CUH

#if CUDA_BORN
/* Fields of atom i as a source and as a target of a set of sums, after its position. */
MYR_FN void born_source(const myr_molecule_steps &m, const replica_view &view, int set, int i, real *field)
{
    const int64_t at = (int64_t)view.replica * m.padded + i;
    const real *reduced = (const real *)m.born->reduced_real, *screened = (const real *)m.born->screened_real;
    if (set == MYR_MOLECULE_INTEGRALS) {
        field[0] = screened[i];
    } else if (set == MYR_MOLECULE_BORN) {
        field[0] = records_of(m, view.replica)[i].lane[COORD_LANES * COORDS];
        field[1] = ((const real *)m.born->radius_real)[at];
    } else {
        field[0] = reduced[i];
        field[1] = screened[i];
        field[2] = ((const real *)m.born->weight_real)[at];
    }
}

MYR_FN void born_target(const myr_molecule_steps &m, const replica_view &view, int set, int i, real *field)
{
    if (set == MYR_MOLECULE_INTEGRALS)
        field[0] = ((const real *)m.born->reduced_real)[i];
    else
        born_source(m, view, set, i, field);
}

#include "kernel/gb_force.h"
#include "kernel/gb_integral.h"

#undef MYR_KERNEL
#undef MYR_KERNEL_FILE
#undef PAIRS_SET
#undef PAIRS_SOLVENT
#define PAIRS_SOLVENT 1
#define MYR_KERNEL gb_integral
#define MYR_KERNEL_FILE "kernel/gb_integral.h"
#define PAIRS_SET MYR_MOLECULE_INTEGRALS
namespace born_integrals
{
#include "backend/cuda/molecule_again.cuh"
}

#undef MYR_KERNEL
#undef PAIRS_SET
#define MYR_KERNEL gb_chain
#define PAIRS_SET MYR_MOLECULE_CHAIN
namespace born_chain
{
#include "backend/cuda/molecule_again.cuh"
}

#undef MYR_KERNEL
#undef MYR_KERNEL_FILE
#undef PAIRS_SET
#undef PAIRS_SELF
#define MYR_KERNEL gb_force
#define MYR_KERNEL_FILE "kernel/gb_force.h"
#define PAIRS_SET MYR_MOLECULE_BORN
#define PAIRS_SELF 1
namespace born_force
{
#include "backend/cuda/molecule_again.cuh"
}

/* Value of output k of a set for atom i, whose sum is cleared. */
MYR_FN double born_take(const myr_molecule_steps &m, const replica_view &w, int set, int k, int i)
{
    const uint32_t used = __ldcg(&block_room().sweep[set].over_used[i]);
    const double value = sum_number(sum_load(m, w, set, k, i), set, i, k, used);
    sum_clear(m, w, set, k, i);
    return value;
}

/* Born radii from the integrals. */
MYR_FN int born_radii_all(const myr_molecule_steps &m, const replica_view &w)
{
    const myr_molecule_born &b = *m.born;
    int bad = 0;
    for (int i = thread_mine(m, w); i < m.n; i += CUDA_THREADS * m.blocks) {
        const int64_t at = (int64_t)w.replica * m.n + i;
        const double integral = born_take(m, w, MYR_MOLECULE_INTEGRALS, 0, i);
        block_room().sweep[MYR_MOLECULE_INTEGRALS].over_used[i] = 0;
        double radius, slope;
        born_radius(&b.law, b.wide[i], b.reduced[i], integral, &radius, &slope);
        b.radius[at] = radius;
        b.slope[at] = slope;
        ((real *)b.radius_real)[(int64_t)w.replica * m.padded + i] = (real)radius;
        bad |= !isfinite(integral);
    }
    return bad;
}

/* Derivatives of the energy by the integrals; forces without those of their change go to f. */
MYR_FN int born_weights_all(const myr_molecule_steps &m, const replica_view &w)
{
    const myr_molecule_born &b = *m.born;
    int bad = 0;
    for (int i = thread_mine(m, w); i < m.n; i += CUDA_THREADS * m.blocks) {
        const int64_t at = (int64_t)w.replica * m.n + i;
        for (int c = 0; c < 3; c++) {
            const double pairs = born_take(m, w, MYR_MOLECULE_PAIRS, c, i);
            w.f[c][i] = pairs + born_take(m, w, MYR_MOLECULE_BORN, c, i);
        }
        const double weight =
            born_weight(&b.law, b.wide[i], b.radius[at], b.slope[at], born_take(m, w, MYR_MOLECULE_BORN, 3, i));
        block_room().sweep[MYR_MOLECULE_PAIRS].over_used[i] = 0;
        block_room().sweep[MYR_MOLECULE_BORN].over_used[i] = 0;
        ((real *)b.weight_real)[(int64_t)w.replica * m.padded + i] = (real)weight;
        bad |= !isfinite(weight);
    }
    return bad;
}

/* Integrals are pieces of work beside the pairs; returns 1 if one is no number. */
MYR_FN int born_item(const myr_molecule_steps &m, const replica_view &w, int item)
{
    return born_integrals::pair_item(m, w, item) != 0;
}

/* Everything after the integrals. */
MYR_FN int born_all(const myr_molecule_steps &m, replica_view &w)
{
    const int warps = m.blocks * BLOCK_WARPS;
    int bad = 0;
    wait_for_replica(m, w);
    bad |= born_radii_all(m, w);
    wait_for_replica(m, w);
    for (int item = warp_mine(m, w); item < m.pair_items; item += warps)
        bad |= born_force::pair_item(m, w, item) != 0;
    wait_for_replica(m, w);
    bad |= born_weights_all(m, w);
    wait_for_replica(m, w);
    for (int item = warp_mine(m, w); item < m.pair_items; item += warps)
        bad |= born_chain::pair_item(m, w, item) != 0;
    clock_note(w, MYR_MOLECULE_CLOCK_BORN);
    return bad;
}
#endif

#endif
