/* emitted.h - how many vector instructions per pair the compiler emitted, read from the disassembly of the library. */
#ifndef MYR_CLI_EMITTED_H
#define MYR_CLI_EMITTED_H

#include <myriad/myriad.h>

/* Vector instructions of the hot loop per vector of pairs; NaN where objdump or the symbol is missing. */
double emitted_count(myr_context *context, const char *kernel, const char *accumulator, const char *arithmetic,
                     const char *isa);

#endif
