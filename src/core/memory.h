/* memory.h - memory aligned for the widest lanes, with sizes checked for overflow. */
#ifndef MYR_CORE_MEMORY_H
#define MYR_CORE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

enum { MYR_ALIGN = 64 };

/* count * size zeroed bytes aligned to MYR_ALIGN; null where that overflows or memory is short. Free with free(). */
void *myr_memory_zeros(int64_t count, size_t size);

#endif
