/* cache.h - cache of compiled code on disk, addressed by the hash of the source text and compiler options.
 *
 * Entries are files in $MYRIAD_CACHE, else $XDG_CACHE_HOME/myriad, else ~/.cache/myriad. Entries are executable code: a
 * folder or an entry that belongs to another user, or that other users may write, is never used, and the folder is
 * created with mode 0700. An entry is written under a temporary name and then renamed, so that several processes can
 * write the same entry at once. A build without xxHash has no cache: every read misses, and every write fails with a
 * message. */
#ifndef MYR_CORE_CACHE_H
#define MYR_CORE_CACHE_H

#include <stddef.h>

enum { MYR_CACHE_KEY = 33 };

/* Cache key of n texts: a 128-bit hash as hexadecimal digits, null-terminated. The hash includes the length of each
 * text, so that moving a character from one text to the next changes the key. All zeros if the build has no xxHash. */
void myr_cache_key(const char *const *text, int n, char key[MYR_CACHE_KEY]);

/* Reads the entry KEY.SUFFIX. Returns 1 if the entry exists and its hash is right; the caller then frees *bytes. */
int myr_cache_read(const char *key, const char *suffix, void **bytes, size_t *size);

/* Writes the entry KEY.SUFFIX. Returns 1 on success, or 0 with a sentence in message. */
int myr_cache_write(const char *key, const char *suffix, const void *bytes, size_t size, char *message, size_t room);

/* Path of the entry KEY.SUFFIX, whether or not the entry exists, for callers that must open the file by name; the
 * content is not checked. Creates the cache folder. Returns 0 with a sentence in message if there is no usable
 * folder. */
int myr_cache_path(const char *key, const char *suffix, char *path, size_t path_room, char *message, size_t room);

/* Takes the lock of one entry, waiting at most `seconds`, so that one process compiles an entry and the others read it.
 * Returns a handle for myr_cache_unlock, or -1 if there is no folder or the wait timed out; the caller may then go on
 * without the lock. */
int myr_cache_lock(const char *key, double seconds);
void myr_cache_unlock(int lock);

#endif
