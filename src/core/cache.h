/* cache.h - compiled results kept on disk under the hash of what they were made from.
 *
 * Entries lie in $MYRIAD_CACHE, else $XDG_CACHE_HOME/myriad, else ~/.cache/myriad. The folder is made for its owner
 * alone; a folder or an entry that belongs to somebody else, or that others may write, is never used, because entries
 * are code that will run. An entry is written under a name of its own and then renamed: many processes may write the
 * same one. Where the build has no xxHash there is no cache: nothing is found, and writing says why. */
#ifndef MYR_CORE_CACHE_H
#define MYR_CORE_CACHE_H

#include <stddef.h>

enum { MYR_CACHE_KEY = 33 };

/* The key of n texts: 128 bits in hexadecimal digits, with the null byte. Where texts begin and end counts. All zeros
 * where the build has no xxHash. */
void myr_cache_key(const char *const *text, int n, char key[MYR_CACHE_KEY]);

/* Reads the entry KEY.SUFFIX. 1 where it is there and whole; *bytes is then the caller's to free. */
int myr_cache_read(const char *key, const char *suffix, void **bytes, size_t *size);

/* Writes it. 1, or 0 and a sentence in message. */
int myr_cache_write(const char *key, const char *suffix, const void *bytes, size_t size, char *message, size_t room);

/* The path at which an entry lies or would lie; 0 where there is no folder for it (message says why). Makes the
 * folder. For entries that something else must open by name: what is there has not been checked. */
int myr_cache_path(const char *key, const char *suffix, char *path, size_t path_room, char *message, size_t room);

/* Waits until no other process makes an entry, at most so many seconds: of many that need the same one, the first makes
 * it and the others find it. Gives what myr_cache_unlock takes; -1 where there is no folder, or time is up, which is no
 * reason not to go on. */
int myr_cache_lock(double seconds);
void myr_cache_unlock(int lock);

#endif
