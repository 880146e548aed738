/* text.h - what formats of text share: numbers that come back with the same bits, "key = value" of a header, errors
 * with line and column, and names of fields as single words. */
#ifndef MYR_IO_TEXT_H
#define MYR_IO_TEXT_H

#include "io/file.h"
#include "io/format.h"

enum { MYR_TEXT_WORD = 512 }; /* characters that one call of myr_text_put may make */

/* A number of a header under the name that it has in text. The list ends with a null name. */
typedef struct {
    const char *key;
    size_t offset; /* of a double in myr_snapshot_header */
} myr_text_key;
extern const myr_text_key myr_text_keys[]; /* time and units */

/* The value of a key in a header, to read and to set. */
double myr_text_get(const myr_snapshot_header *header, const myr_text_key *key);
void myr_text_set(myr_snapshot_header *header, const myr_text_key *key, double value);

/* Until myr_text_restore, numbers have a point, whatever the language of the program that we are part of. */
typedef struct {
    void *plain, *before;
} myr_text_language;
void myr_text_plain(myr_text_language *language);
void myr_text_restore(const myr_text_language *language);

/* A file being written. Errors are kept until it is published. */
typedef struct myr_text_writer myr_text_writer;
myr_status myr_text_create(myr_context *context, const char *path, myr_text_writer **writer);
void myr_text_put(myr_text_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
myr_status myr_text_status(const myr_text_writer *writer);
myr_status myr_text_publish(myr_text_writer **writer);

/* A file being read: all of it, with a zero behind. */
typedef struct {
    myr_context *context;
    const char *path;
    char *text;
    char *at, *end; /* where we are, and the zero */
    const char *line_start;
    long line;
} myr_text;

/* Loads a file; free it with myr_text_free, also after an error. A mark of UTF-8 is passed over. */
myr_status myr_text_load(myr_context *context, const char *path, myr_text *text);
void myr_text_free(myr_text *text);

/* Stores "path:line:column: sentence" in the context, with the column of `at`; MYR_ERROR_FORMAT. */
myr_status myr_text_fail(const myr_text *text, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The end of the line that we are in: before its newline. */
char *myr_text_line_end(const myr_text *text);

/* Goes to the next line. */
void myr_text_next_line(myr_text *text);

/* Warns where the last line has no end: of a file that was cut within its last number there is no other sign. */
void myr_text_tell_end(const myr_text *text);

/* Goes past blanks. */
void myr_text_skip_blanks(myr_text *text);

/* Goes past blanks; 1 at the end of a line. */
int myr_text_at_end(myr_text *text);

/* Reads a number, and goes to where it ends. */
myr_status myr_text_double(myr_text *text, double *value);
myr_status myr_text_integer(myr_text *text, const char *what, int64_t lowest, int64_t highest, int64_t *value);

/* A set of particles being read from text: the first member of a reader. */
typedef struct {
    myr_text text;
    myr_particles *into;
    int64_t *ids;
    int32_t *types;
} myr_text_particles;

/* Reads one: a reader of so many bytes, all zero but its text, is handed to `read`, and freed with all that its set
 * holds but the particles. */
myr_status myr_text_read_particles(myr_context *context, const char *path, size_t bytes,
                                   myr_status (*read)(void *reader, int64_t frame, myr_snapshot_header *header),
                                   int64_t frame, myr_particles **particles, myr_snapshot_header *header);

/* Makes its n particles, without fields, and room for their ids and types, all 0. */
myr_status myr_text_make(myr_text_particles *set, int64_t n);

/* A field's name as one word of letters, digits and underscores: itself, or where it is no such word, starts with an
 * underscore or is `taken`, itself after an underscore with %XX for other signs. And back. */
void myr_text_encode(const char *name, int taken, char word[3 * MYR_FORMAT_NAME_MAX + 2]);
int myr_text_decode(const char *word, char name[MYR_FORMAT_NAME_MAX + 1]); /* 0 = too long, or no name */

#endif
