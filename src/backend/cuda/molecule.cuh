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
#include "backend/unit_prologue.h"

#include "backend/cuda/launch_args.h"
#include "backend/guard.h"
#include MYR_KERNEL_FILE
#include MYR_ACC_FILE

/* Records, sums and loops of each kernel have a namespace of their own. */
namespace pairs
{
#include "backend/cuda/sums.cuh"
}
using namespace pairs;

#include "backend/cuda/halves.cuh"
#include "backend/cuda/molecule_args.h"
#include "domain/box_inside.h"

#include "backend/cuda/molecule_view.cuh"

#define PAIRS_SET MYR_MOLECULE_PAIRS
#define PAIRS_SOLVENT 0
#define PAIRS_SELF 0
namespace pairs
{
#include "backend/cuda/molecule_pairs.cuh"
}

#include "backend/cuda/molecule_born.cuh"

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
    int step = 0;
    for (;; step++) { /* every phase is in the code once */
        forces_all(m, w, step - 1);
        unit_look(m, w);
        wait_for_replica(m, w);
        clock_note(w, MYR_MOLECULE_CLOCK_WAIT_FORCES);
        if (has_stopped(m, w, step))
            return;
        motion_all(m, w, step, step > 0, step < steps);
        clock_note(w, MYR_MOLECULE_CLOCK_MOTION);
        if (step == steps)
            break;
        wait_for_replica(m, w);
        clock_note(w, MYR_MOLECULE_CLOCK_WAIT_MOTION);
    }
    clock_end(m, w, step);
#if CUDA_BATH
    if (thread_mine(m, w) == 0)
        w.one->chain = w.chain;
#endif
}
