/* memory.c - aligned, zeroed memory. */
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

void *myr_memory_zeros(int64_t count, size_t size)
{
    size_t bytes;
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes) || bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + MYR_ALIGN - 1) / MYR_ALIGN * MYR_ALIGN + MYR_ALIGN;
    void *p = aligned_alloc(MYR_ALIGN, bytes);
    if (p)
        memset(p, 0, bytes);
    return p;
}
