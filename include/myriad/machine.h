/* machine.h - what this machine can do, measured. */
#ifndef MYRIAD_MACHINE_H
#define MYRIAD_MACHINE_H

#include <stdint.h>

#include <myriad/interaction.h>

MYR_BEGIN_DECLS

/* Vector multiply-adds per second that one core issues with an instruction set ("avx512", ...), timed for about
 * `seconds` now; `lanes` numbers wide in the arithmetic ("single" or "double"). The bound that speeds are compared
 * with. Where the set has no fused multiply-add, a multiply and an add count as two. */
MYR_API myr_status myr_machine_issue_rate(myr_context *context, const char *isa, const char *arithmetic, double seconds,
                                          double *rate, int *lanes);

/* The symbol of the hot loop that an interaction would run, so that tools can count what was emitted; "" if none.
 * Loops: "many", "one", "careful". */
MYR_API const char *myr_machine_loop_symbol(myr_context *context, const char *kernel, const char *accumulator,
                                            const char *arithmetic, const char *isa, const char *loop);

/* A GPU that backend cuda uses. */
typedef struct {
    char name[128];
    int major, minor; /* compute capability */
    int multiprocessors;
    double memory; /* bytes */
} myr_gpu_info;

/* GPU k of those in use, from 0. MYR_ERROR_VALUE past the last; MYR_ERROR_UNAVAILABLE, and the reason in the context,
 * where there is none at all. */
MYR_API myr_status myr_machine_gpu(myr_context *context, int k, myr_gpu_info *gpu);

/* Multiply-adds per second that the first GPU issues now in "single" or "double" arithmetic, each thread's counted. */
MYR_API myr_status myr_machine_gpu_issue_rate(myr_context *context, const char *arithmetic, double *rate);

/* Times an evaluation of the n listed particles (null = all) against the whole set on the first GPU, from data that is
 * there already and by its own clock: seconds[samples], each the mean of evaluations in a row. Evaluate once before:
 * scales must be known. */
MYR_API myr_status myr_machine_gpu_time(myr_interaction *interaction, const myr_particles *particles, int64_t n,
                                        const int64_t *index, int samples, double *seconds);

/* Writes the machine code that such an evaluation runs to a file, for a disassembler; `pairs` is how many an iteration
 * of its hot loop handles. */
MYR_API myr_status myr_machine_gpu_code(myr_interaction *interaction, const myr_particles *particles, int64_t n,
                                        const int64_t *index, const char *path, int *pairs);

MYR_END_DECLS

#endif
