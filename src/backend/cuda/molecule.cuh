/* molecule.cuh - whole steps of molecules on a GPU: all pairs without the excluded ones, bonded terms, rigid bonds and
 * integrators. Compiled at run time for one kernel, accumulator `fixed` and one arithmetic with the macros of sums.cuh
 * and CUDA_TARGETS   targets per thread CUDA_THREADS   threads per block; CUDA_BLOCKS: blocks per multiprocessor for
 * which registers must suffice CUDA_BATH      1 = the integrator has a thermostat that scales velocities CUDA_CLOCKS 1
 * = cycles of the phases of a step are counted
 *
 * One launch makes many steps of many replicas of a molecule. Some blocks share a replica and wait for each other twice
 * in a step: after the forces, which are sums of integers in any order, and after the motion, in which a thread has a
 * cluster of rigid bonds or an atom. The formulas of the motion and of the bonded terms are those of the processor. A
 * step that cannot be made here (a force that is no number, a bond that cannot be held, an atom that moves too far)
 * stops its replica; the host repeats the steps before it. */
#define CUDA_OUTPUTS 3
#define SWEEP_BOUNDED 0
#define SWEEP_PAIRS_ONLY 1
#include "backend/cuda/sums.cuh"

#include "backend/cuda/halves.cuh"
#include "backend/cuda/molecule_args.h"
#include "domain/box_inside.h"

#include "backend/cuda/molecule_view.cuh"

#include "backend/cuda/molecule_pairs.cuh"

#include "backend/cuda/molecule_forces.cuh"

#include "backend/cuda/molecule_motion.cuh"

#include "backend/cuda/molecule_bath.cuh"

/* Motion between two evaluations of the forces: the end of step `step` - 1 if `ends`, the first part of `step` if
 * `begins`. */
MYR_FN void motion_all(const myr_molecule_steps &m, replica_view &w, int step, int ends, int begins)
{
#if CUDA_BATH
    motion_bath(m, w, step, ends, begins);
#else
    motion_plain(m, w, step, ends, begins);
#endif
}

extern "C" __global__ void __launch_bounds__(CUDA_THREADS, CUDA_BLOCKS)
    molecule(const __grid_constant__ myr_molecule_steps m)
{
    replica_view w = view_begin(m);
    const int steps = w.one->steps;
    if (steps == 0)
        return;
    block_begin(m, w);
    for (int i = thread_mine(m, w); i < m.n; i += CUDA_THREADS * m.blocks) {
        record_begin(m, w, i);
        atom_place(m, w, i);
    }
    wait_for_replica(m, w);
    clock_begin(w);
    forces_all(m, w, -1);
    unit_look(m, w);
    wait_for_replica(m, w);
    clock_note(w, MYR_MOLECULE_CLOCK_WAIT_FORCES);
    int step = 0;
    for (; step < steps && !has_stopped(m, w, step); step++) {
        motion_all(m, w, step, step > 0, 1);
        clock_note(w, MYR_MOLECULE_CLOCK_MOTION);
        wait_for_replica(m, w);
        clock_note(w, MYR_MOLECULE_CLOCK_WAIT_MOTION);
        forces_all(m, w, step);
        unit_look(m, w);
        wait_for_replica(m, w);
        clock_note(w, MYR_MOLECULE_CLOCK_WAIT_FORCES);
    }
    clock_end(m, w, step);
    if (step < steps || has_stopped(m, w, step))
        return;
    motion_all(m, w, step, 1, 0);
#if CUDA_BATH
    if (thread_mine(m, w) == 0)
        w.one->chain = w.chain;
#endif
}
