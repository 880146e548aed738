/* memory.h - memory aligned for the widest lanes, with sizes checked for overflow. */
#ifndef MYR_CORE_MEMORY_H
#define MYR_CORE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

enum { MYR_ALIGN = 64 };

/* count * size bytes aligned to MYR_ALIGN; null where that overflows or memory is short. Free with free(). Large ones
 * ask for huge pages: a million particles that are looked up in another order need 8000 small ones, and making those
 * for every evaluation took a tenth of the fast multipole method's time. */
void *myr_memory_some(int64_t count, size_t size);

/* The same, and all of it is zero. */
void *myr_memory_zeros(int64_t count, size_t size);

/* Room for several arrays that are read and written side by side: huge pages where the system has them, and each array
 * begins at another cache line of its page. Arrays at equal offsets, as malloc makes large ones, compete for the same
 * lines and look to a store queue like each other: loops over six of them took twice as long. All is zero. */
typedef struct {
    char *block;
    size_t used, size;
    int arrays;
} myr_memory_room;

/* Makes room for so many arrays with so many bytes in all; null block where memory is short. */
myr_memory_room myr_memory_room_create(int64_t bytes, int arrays);

/* The next array of the room; null where the block is. */
void *myr_memory_room_take(myr_memory_room *room, int64_t bytes);

void myr_memory_room_destroy(myr_memory_room *room);

/* The most memory that the process has had, resident, in bytes. */
int64_t myr_memory_peak(void);

#endif
