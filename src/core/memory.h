/* memory.h - memory aligned for the widest SIMD lanes, with overflow-checked sizes. */
#ifndef MYR_CORE_MEMORY_H
#define MYR_CORE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

enum { MYR_ALIGN = 64 };

/* count * size bytes aligned to MYR_ALIGN, uninitialised; null on overflow or if memory is short. Release with free().
 * Large blocks ask for huge pages: a million particles visited in another order touch 8000 small pages, whose page
 * faults took a tenth of the time of a fast multipole evaluation. */
void *myr_memory_some(int64_t count, size_t size);

/* As myr_memory_some, with all bytes zero. */
void *myr_memory_zeros(int64_t count, size_t size);

/* One zeroed block for several arrays that are read and written in the same loop. The block asks for huge pages, and
 * each array starts at a different cache line within its page: arrays at equal page offsets, as malloc returns for
 * large sizes, compete for the same cache sets and alias in the store queue, which made loops over six arrays take
 * twice as long. */
typedef struct {
    char *block;
    size_t used, size;
    int arrays;
} myr_memory_room;

/* Allocates a block for `arrays` arrays with `bytes` bytes in total; `block` is null if memory is short. */
myr_memory_room myr_memory_room_create(int64_t bytes, int arrays);

/* Next array of `bytes` bytes in the block; null if the block is null. */
void *myr_memory_room_take(myr_memory_room *room, int64_t bytes);

void myr_memory_room_destroy(myr_memory_room *room);

/* Peak resident set size of the process, in bytes. */
int64_t myr_memory_peak(void);

#endif
