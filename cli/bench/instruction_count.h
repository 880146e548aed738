/* instruction_count.h - how many vector instructions per pair the compiler emitted, read from the disassembly of the
 * loops. */
#ifndef MYR_CLI_BENCH_INSTRUCTION_COUNT_H
#define MYR_CLI_BENCH_INSTRUCTION_COUNT_H

#include <myriad/myriad.h>

/* Vector instructions of the hot loop per vector of pairs; NaN where objdump or the symbol is missing. *without_moves
 * (or null) receives those that are neither loads, stores, copies nor broadcasts. */
double instruction_count_of_loop(myr_context *context, const char *kernel, const char *accumulator,
                                 const char *arithmetic, const char *isa, double *without_moves);

/* Instructions per pair of the hot loop that an evaluation of the n listed particles (null = all) against the whole set
 * runs on a GPU; NaN where cuobjdump is missing or what it shows is not understood. */
double emitted_gpu_count(myr_interaction *interaction, const myr_particles *particles, int64_t n, const int64_t *index);

/* Instructions per pair of the loop over pairs of particles that move in a cube on a GPU; NaN likewise. */
double emitted_box_count(const myr_simulation *simulation);

#endif
