/* text.h - functions shared by text formats: numbers that are read back with the same bits, "key = value" header lines,
 * errors with line and column, and field names as single words. */
#ifndef MYR_IO_TEXT_H
#define MYR_IO_TEXT_H

#include "io/file.h"
#include "io/format.h"

enum { MYR_TEXT_WORD = 512 }; /* largest number of characters that one call of myr_text_put may write */

/* Number of a header and its name in text. The list is ended by a null name. */
typedef struct {
    const char *key;
    size_t offset; /* offset of a double in myr_snapshot_header */
} myr_text_key;
extern const myr_text_key myr_text_keys[]; /* time and units */

/* Gets and sets the value of a key in a header. */
double myr_text_get(const myr_snapshot_header *header, const myr_text_key *key);
void myr_text_set(myr_snapshot_header *header, const myr_text_key *key, double value);

/* Switches to the C locale, so that numbers have a decimal point in a program with any locale, until
 * myr_text_restore. */
typedef struct {
    void *plain, *before;
} myr_text_language;
void myr_text_plain(myr_text_language *language);
void myr_text_restore(const myr_text_language *language);

/* Text file opened for writing. The first error is kept until publish. */
typedef struct myr_text_writer myr_text_writer;
myr_status myr_text_create(myr_context *context, const char *path, myr_text_writer **writer);
void myr_text_put(myr_text_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
myr_status myr_text_status(const myr_text_writer *writer);
myr_status myr_text_publish(myr_text_writer **writer);

/* Text file being read: the whole content, null-terminated. */
typedef struct {
    myr_context *context;
    const char *path;
    char *text;
    char *at, *end; /* read position, and the terminating zero */
    const char *line_start;
    long line;
} myr_text;

/* Loads a file; myr_text_free must be called, also after an error. A UTF-8 byte order mark is skipped. */
myr_status myr_text_load(myr_context *context, const char *path, myr_text *text);
void myr_text_free(myr_text *text);

/* Stores "path:line:column: sentence" in the context, with the column of `at`; MYR_ERROR_FORMAT. */
myr_status myr_text_fail(const myr_text *text, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* End of the present line, before its newline. */
char *myr_text_line_end(const myr_text *text);

/* Moves to the next line. */
void myr_text_next_line(myr_text *text);

/* Warns if the last line has no newline, the only sign of a file that was truncated within its last number. */
void myr_text_warn_unended(const myr_text *text);

/* Skips blanks. */
void myr_text_skip_blanks(myr_text *text);

/* Skips blanks; 1 at the end of a line. */
int myr_text_at_end(myr_text *text);

/* Reads a number and moves to its end. */
myr_status myr_text_double(myr_text *text, double *value);
myr_status myr_text_integer(myr_text *text, const char *what, int64_t lowest, int64_t highest, int64_t *value);

/* Particle set being read from text; must be the first member of a reader. */
typedef struct {
    myr_text text;
    myr_particles *into;
    int64_t *ids;
    int32_t *types;
    const void *options; /* choices of the caller; null = none */
} myr_text_particles;

/* Reads a particle set: allocates a zeroed reader of `bytes` bytes, loads the text, calls `read`, and frees the reader
 * with everything in its set except the particles. The second function gives the reader options. */
myr_status myr_text_read_particles(myr_context *context, const char *path, size_t bytes,
                                   myr_status (*read)(void *reader, int64_t frame, myr_snapshot_header *header),
                                   int64_t frame, myr_particles **particles, myr_snapshot_header *header);
myr_status myr_text_read_particles_as(myr_context *context, const char *path, const void *options, size_t bytes,
                                      myr_status (*read)(void *reader, int64_t frame, myr_snapshot_header *header),
                                      int64_t frame, myr_particles **particles, myr_snapshot_header *header);

/* Creates n particles without fields, and zeroed arrays for their ids and types. */
myr_status myr_text_make(myr_text_particles *set, int64_t n);

/* Field name as one word of letters, digits and underscores. A name that is not such a word, starts with an underscore
 * or is `taken` becomes an underscore and the name with %XX for other characters. myr_text_decode reverses that. */
void myr_text_encode(const char *name, int taken, char word[3 * MYR_FORMAT_NAME_MAX + 2]);
int myr_text_decode(const char *word, char name[MYR_FORMAT_NAME_MAX + 1]); /* 0 = too long, or not a name */

#endif
