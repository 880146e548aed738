/* machine.h - what this machine can do, measured. */
#ifndef MYRIAD_MACHINE_H
#define MYRIAD_MACHINE_H

#include <myriad/context.h>

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

MYR_END_DECLS

#endif
