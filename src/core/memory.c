/* memory.c - aligned, zeroed memory. */
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { LINE = 64, PAGE = 4096, STRIDE = 11 * LINE, HUGE_PAGE = 1 << 21, LARGE = 4 * HUGE_PAGE };

/* Memory aligned to a huge page. The huge pages themselves are a hint to the kernel: small pages also work, slower. */
static void *memory_huge(size_t bytes)
{
    void *p = aligned_alloc(HUGE_PAGE, (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
#if defined(MADV_HUGEPAGE)
    if (p)
        (void)madvise(p, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
    return p;
}

void *myr_memory_some(int64_t count, size_t size)
{
    size_t bytes;
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes) || bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + MYR_ALIGN - 1) / MYR_ALIGN * MYR_ALIGN + MYR_ALIGN;
    return bytes < LARGE ? aligned_alloc(MYR_ALIGN, bytes) : memory_huge(bytes);
}

void *myr_memory_zeros(int64_t count, size_t size)
{
    void *p = myr_memory_some(count, size);
    if (p)
        memset(p, 0, ((size_t)count * size + MYR_ALIGN - 1) / MYR_ALIGN * MYR_ALIGN + MYR_ALIGN);
    return p;
}

myr_memory_room myr_memory_room_create(int64_t bytes, int arrays)
{
    myr_memory_room room = {NULL, 0, 0, 0};
    const int64_t most = (int64_t)1 << 48;
    if (bytes < 0 || bytes > most || arrays < 0 || arrays > 1 << 20)
        return room;
    const size_t size = (size_t)bytes + 2 * (size_t)arrays * PAGE + PAGE;
    const size_t align = size >= HUGE_PAGE ? HUGE_PAGE : PAGE;
    room.size = (size + align - 1) / align * align;
    room.block = align == PAGE ? aligned_alloc(PAGE, room.size) : memory_huge(room.size);
    if (!room.block)
        return room;
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

int64_t myr_memory_peak(void)
{
    struct rusage usage = {0};
    return getrusage(RUSAGE_SELF, &usage) ? 0 : (int64_t)usage.ru_maxrss * 1024;
}
