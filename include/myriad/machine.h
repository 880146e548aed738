/* machine.h - measured capabilities of this machine. */
#ifndef MYRIAD_MACHINE_H
#define MYRIAD_MACHINE_H

#include <stdint.h>

#include <myriad/interaction.h>

MYR_BEGIN_DECLS

/* Measures the vector multiply-adds per second that one core issues with an instruction set ("avx512", ...) for about
 * `seconds`; `lanes` receives the vector width in numbers of the arithmetic ("single" or "double"). The bound for
 * measured speeds. Without fused multiply-add, a multiply and an add count as two. */
MYR_API myr_status myr_machine_issue_rate(myr_context *context, const char *isa, const char *arithmetic, double seconds,
                                          double *rate, int *lanes);

/* Path of the file that contains the hot loops of a kernel of the library: the library, the program that it is linked
 * into, or a cache entry. Loops that this build does not contain are compiled first. "" if there is no such file. */
MYR_API const char *myr_machine_loop_file(myr_context *context, const char *kernel, const char *arithmetic,
                                          const char *isa);

/* Symbol of the hot loop that an interaction would run, so that tools can count its instructions; "" if none. Loops:
 * "many", "one", "careful". */
MYR_API const char *myr_machine_loop_symbol(myr_context *context, const char *kernel, const char *accumulator,
                                            const char *arithmetic, const char *isa, const char *loop);

/* GPU that the backend cuda uses. */
typedef struct {
    char name[128];
    int major, minor; /* compute capability */
    int multiprocessors;
    double memory; /* memory in bytes */
} myr_gpu_info;

/* GPU k in use, from 0. MYR_ERROR_VALUE past the last; MYR_ERROR_UNAVAILABLE, with the reason in the context, if there
 * is no GPU. */
MYR_API myr_status myr_machine_gpu(myr_context *context, int k, myr_gpu_info *gpu);

/* Number of the GPU that each rank uses for direct sums and for a box, as myr_machine_gpu counts on the machine of that
 * rank; -1 for a rank without a GPU. gpu: [number of ranks]. Collective. */
MYR_API myr_status myr_machine_gpu_of_ranks(myr_context *context, int *gpu);

/* Measures the multiply-adds per second that the first GPU issues in "single" or "double" arithmetic, summed over its
 * threads. */
MYR_API myr_status myr_machine_gpu_issue_rate(myr_context *context, const char *arithmetic, double *rate);

/* Times evaluations of the n listed particles (null = all) against the whole set on the first GPU, with data already in
 * GPU memory and by the GPU clock: seconds[samples], each the mean of consecutive evaluations. One evaluation must
 * precede, because scales must be known. */
MYR_API myr_status myr_machine_gpu_time(myr_interaction *interaction, const myr_particles *particles, int64_t n,
                                        const int64_t *index, int samples, double *seconds);

/* Writes the machine code of such an evaluation to a file, for a disassembler; *pairs receives the number of pairs per
 * iteration of its hot loop. */
MYR_API myr_status myr_machine_gpu_code(myr_interaction *interaction, const myr_particles *particles, int64_t n,
                                        const int64_t *index, const char *path, int *pairs);

MYR_END_DECLS

#endif
