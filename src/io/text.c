/* text.c - writing and reading of text files: buffer, locale, lines, numbers, names. */
#include "io/text.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/context.h"
#include "core/memory.h"

enum { TEXT_BUFFER = 1 << 16 };

const myr_text_key myr_text_keys[] = {{"time", offsetof(myr_snapshot_header, time)},
                                      {"unit_length_in_m", offsetof(myr_snapshot_header, unit_length)},
                                      {"unit_mass_in_kg", offsetof(myr_snapshot_header, unit_mass)},
                                      {"unit_time_in_s", offsetof(myr_snapshot_header, unit_time)},
                                      {"unit_charge_in_C", offsetof(myr_snapshot_header, unit_charge)},
                                      {0, 0}};

double myr_text_get(const myr_snapshot_header *header, const myr_text_key *key)
{
    double value;
    memcpy(&value, (const char *)header + key->offset, sizeof value);
    return value;
}

void myr_text_set(myr_snapshot_header *header, const myr_text_key *key, double value)
{
    memcpy((char *)header + key->offset, &value, sizeof value);
}

void myr_text_plain(myr_text_language *language)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    language->plain = (void *)plain;
    language->before = (void *)uselocale(plain);
}

void myr_text_restore(const myr_text_language *language)
{
    uselocale((locale_t)language->before);
    freelocale((locale_t)language->plain);
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

struct myr_text_writer {
    myr_file file;
    uint64_t offset;
    size_t used;
    char buffer[TEXT_BUFFER];
    myr_status status;
};

myr_status myr_text_create(myr_context *context, const char *path, myr_text_writer **writer)
{
    myr_text_writer *w = *writer = calloc(1, sizeof *w);
    if (!w)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory to write '%s'", path);
    const myr_status status = myr_file_create(context, path, &w->file);
    if (status) {
        free(w);
        *writer = NULL;
    }
    return status;
}

static void text_flush(myr_text_writer *w)
{
    if (!w->status)
        w->status = myr_file_write(&w->file, w->offset, w->buffer, w->used);
    w->offset += w->used;
    w->used = 0;
}

void myr_text_put(myr_text_writer *writer, const char *format, ...)
{
    va_list args;
    if (writer->used > TEXT_BUFFER - MYR_TEXT_WORD)
        text_flush(writer);
    va_start(args, format);
    const size_t length = (size_t)vsnprintf(writer->buffer + writer->used, MYR_TEXT_WORD, format, args);
    writer->used += length < MYR_TEXT_WORD ? length : MYR_TEXT_WORD - 1;
    va_end(args);
}

myr_status myr_text_status(const myr_text_writer *writer)
{
    return writer->status;
}

myr_status myr_text_publish(myr_text_writer **writer)
{
    myr_text_writer *w = *writer;
    text_flush(w);
    if (!w->status)
        w->status = myr_file_flush(&w->file);
    if (!w->status)
        w->status = myr_file_publish(&w->file);
    else
        myr_file_discard(&w->file);
    const myr_status status = w->status;
    free(w);
    *writer = NULL;
    return status;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

myr_status myr_text_load(myr_context *context, const char *path, myr_text *text)
{
    int descriptor;
    uint64_t size;
    *text = (myr_text){.context = context, .path = path, .line = 1};
    myr_status status = myr_file_open(context, path, &descriptor, &size);
    if (status)
        return status;
    text->text = size < SIZE_MAX - 1 ? malloc((size_t)size + 1) : NULL;
    if (!text->text) {
        close(descriptor);
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the %llu bytes of '%s'",
                                (unsigned long long)size, path);
    }
    status = myr_file_read(context, path, descriptor, 0, text->text, (size_t)size);
    close(descriptor);
    text->end = text->text + (status ? 0 : size);
    *text->end = 0;
    text->at = text->text;
    if (!status && size >= 3 && memcmp(text->text, "\xef\xbb\xbf", 3) == 0)
        text->at += 3;
    text->line_start = text->at;
    return status;
}

void myr_text_free(myr_text *text)
{
    free(text->text);
    *text = (myr_text){0};
}

myr_status myr_text_read_particles(myr_context *context, const char *path, size_t bytes,
                                   myr_status (*read)(void *reader, int64_t frame, myr_snapshot_header *header),
                                   int64_t frame, myr_particles **particles, myr_snapshot_header *header)
{
    return myr_text_read_particles_as(context, path, NULL, bytes, read, frame, particles, header);
}

myr_status myr_text_read_particles_as(myr_context *context, const char *path, const void *options, size_t bytes,
                                      myr_status (*read)(void *reader, int64_t frame, myr_snapshot_header *header),
                                      int64_t frame, myr_particles **particles, myr_snapshot_header *header)
{
    myr_text_language language;
    myr_text_particles *set = calloc(1, bytes);
    if (!set)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory to read '%s'", path);
    set->options = options;
    myr_text_plain(&language);
    myr_status status = myr_text_load(context, path, &set->text);
    if (!status)
        status = read(set, frame, header);
    myr_text_restore(&language);
    if (status)
        myr_particles_destroy(&set->into);
    *particles = set->into;
    free(set->ids);
    free(set->types);
    myr_text_free(&set->text);
    free(set);
    return status;
}

myr_status myr_text_make(myr_text_particles *set, int64_t n)
{
    set->ids = myr_memory_zeros(n, sizeof *set->ids);
    set->types = myr_memory_zeros(n, sizeof *set->types);
    if (!set->ids || !set->types)
        return myr_context_fail(set->text.context, MYR_ERROR_MEMORY, "no memory for the %lld particles of '%s'",
                                (long long)n, set->text.path);
    return myr_particles_create(set->text.context, n, &set->into);
}

myr_status myr_text_fail(const myr_text *text, const char *at, const char *format, ...)
{
    char sentence[MYR_MESSAGE_MAX / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return myr_context_fail(text->context, MYR_ERROR_FORMAT, "%s:%ld:%ld: %s", text->path, text->line,
                            (long)(at - text->line_start) + 1, sentence);
}

char *myr_text_line_end(const myr_text *text)
{
    char *newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
    return newline ? newline : text->end;
}

void myr_text_next_line(myr_text *text)
{
    text->at = myr_text_line_end(text);
    if (text->at < text->end)
        text->at++;
    text->line_start = text->at;
    text->line++;
}

void myr_text_warn_unended(const myr_text *text)
{
    if (text->end > text->text && text->end[-1] != '\n')
        myr_context_warn(text->context,
                         "the last line of '%s' has no end; if the file was cut short, so was its last value",
                         text->path);
}

void myr_text_skip_blanks(myr_text *text)
{
    while (*text->at == ' ' || *text->at == '\t')
        text->at++;
}

int myr_text_at_end(myr_text *text)
{
    myr_text_skip_blanks(text);
    if (*text->at == '\r' && (text->at + 1 == text->end || text->at[1] == '\n'))
        text->at++;
    return *text->at == '\n' || text->at == text->end;
}

myr_status myr_text_double(myr_text *text, double *value)
{
    char *rest;
    myr_text_skip_blanks(text);
    if (isspace((unsigned char)*text->at)) /* strtod would skip white space beyond the end of the line */
        return myr_text_fail(text, text->at, "a number was expected");
    *value = strtod(text->at, &rest); /* out of range gives 0 or infinity, which is checked later */
    if (rest == text->at)
        return myr_text_fail(text, text->at, "a number was expected");
    text->at = rest;
    return MYR_OK;
}

myr_status myr_text_integer(myr_text *text, const char *what, int64_t lowest, int64_t highest, int64_t *value)
{
    char *rest;
    myr_text_skip_blanks(text);
    if (isspace((unsigned char)*text->at))
        return myr_text_fail(text, text->at, "an integer was expected");
    errno = 0;
    *value = strtoll(text->at, &rest, 10);
    if (rest == text->at)
        return myr_text_fail(text, text->at, "an integer was expected");
    if (errno || *value < lowest || *value > highest)
        return myr_text_fail(text, text->at, "%s out of range", what);
    text->at = rest;
    return MYR_OK;
}

/* --- names -------------------------------------------------------------------------------------------------------- */

static int text_is_word(const char *name)
{
    if (!*name || *name == '_')
        return 0;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_')
            return 0;
    return 1;
}

void myr_text_encode(const char *name, int taken, char word[3 * MYR_FORMAT_NAME_MAX + 2])
{
    if (text_is_word(name) && !taken) {
        strcpy(word, name);
        return;
    }
    *word++ = '_';
    for (; *name; name++)
        if (isalnum((unsigned char)*name) || *name == '_')
            *word++ = *name;
        else
            word += sprintf(word, "%%%02X", (unsigned)(unsigned char)*name);
    *word = 0;
}

int myr_text_decode(const char *word, char name[MYR_FORMAT_NAME_MAX + 1])
{
    const int encoded = *word == '_' && word[1];
    size_t used = 0;
    for (word += encoded; *word; word++) {
        unsigned code;
        if (used == MYR_FORMAT_NAME_MAX)
            return 0;
        if (encoded && *word == '%' && isxdigit((unsigned char)word[1]) && isxdigit((unsigned char)word[2]) &&
            sscanf(word + 1, "%2x", &code) == 1 && code) {
            name[used++] = (char)code;
            word += 2;
        } else {
            name[used++] = *word;
        }
    }
    name[used] = 0;
    return used > 0;
}
