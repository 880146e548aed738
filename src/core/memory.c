/* memory.c - aligned, zeroed memory. */
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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

enum { LINE = 64, PAGE = 4096, STRIDE = 11 * LINE, HUGE_PAGE = 1 << 21 };

myr_memory_room myr_memory_room_create(int64_t bytes, int arrays)
{
    myr_memory_room room = {NULL, 0, 0, 0};
    const int64_t most = (int64_t)1 << 48;
    if (bytes < 0 || bytes > most || arrays < 0 || arrays > 1 << 20)
        return room;
    const size_t size = (size_t)bytes + 2 * (size_t)arrays * PAGE + PAGE;
    const size_t align = size >= HUGE_PAGE ? HUGE_PAGE : PAGE;
    room.size = (size + align - 1) / align * align;
    room.block = aligned_alloc(align, room.size);
    if (!room.block)
        return room;
#if defined(MADV_HUGEPAGE)
    if (align == HUGE_PAGE)
        (void)madvise(room.block, room.size, MADV_HUGEPAGE); /* a wish: small pages do as well, only slower */
#endif
    memset(room.block, 0, room.size);
    return room;
}

void *myr_memory_room_take(myr_memory_room *room, int64_t bytes)
{
    if (!room->block)
        return NULL;
    const size_t offset = (size_t)room->arrays++ * STRIDE % PAGE;
    const size_t at = (room->used + PAGE - 1) / PAGE * PAGE + offset;
    room->used = at + (size_t)bytes;
    return room->used <= room->size ? room->block + at : NULL;
}

void myr_memory_room_destroy(myr_memory_room *room)
{
    free(room->block);
    *room = (myr_memory_room){NULL, 0, 0, 0};
}
