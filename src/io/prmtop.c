/* prmtop.c - sections of an AMBER topology file: their positions, and their values by columns. */
#include "io/prmtop.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"

enum { PRMTOP_FIELD = 96 }; /* longest field, in characters */

myr_status myr_prmtop_fail(const myr_prmtop *file, const myr_prmtop_section *section, const char *format, ...)
{
    char sentence[MYR_MESSAGE_MAX / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    if (!section)
        return myr_context_fail(file->text.context, MYR_ERROR_FORMAT, "%s: %s", file->text.path, sentence);
    return myr_context_fail(file->text.context, MYR_ERROR_FORMAT, "%s:%ld:1: section %s: %s", file->text.path,
                            section->line, section->name, sentence);
}

/* --- positions of the sections ------------------------------------------------------------------------------------ */

/* Parses "%FORMAT(10I8)": fields per line, kind and width. A format of another form leaves the kind 0, which is an
 * error only where the section is read: CHARMM and AMOEBA topologies have such sections, and are refused for what they
 * are. */
static myr_status prmtop_format(myr_text *t, myr_prmtop_section *section)
{
    int used = 0, per_line = 0, width = 0;
    char kind = 0;
    if (strncmp(t->at, "%FORMAT", 7) != 0)
        return myr_text_fail(t, t->at, "%%FORMAT(...) was expected after %%FLAG %s", section->name);
    if (sscanf(t->at + 7, " (%4d%c%4d%n", &per_line, &kind, &width, &used) != 3 || !used)
        return MYR_OK;
    kind = (char)toupper((unsigned char)kind);
    kind = (char)(kind == 'F' || kind == 'G' || kind == 'D' ? 'E' : kind);
    if (strchr("IEA", kind) && per_line >= 1 && width >= 1 && width < PRMTOP_FIELD) {
        section->kind = kind;
        section->per_line = per_line;
        section->width = width;
    }
    return MYR_OK;
}

/* Reads from a %FLAG line to the next one. */
static myr_status prmtop_section(myr_prmtop *file)
{
    myr_text *t = &file->text;
    if (file->sections == MYR_PRMTOP_SECTIONS)
        return myr_text_fail(t, t->at, "there are more than %d sections", MYR_PRMTOP_SECTIONS);
    myr_prmtop_section *s = &file->section[file->sections];
    *s = (myr_prmtop_section){.line = t->line};
    const char *from = t->at + 5;
    from += strspn(from, " \t");
    const size_t length = strcspn(from, " \t\r\n");
    if (length == 0 || length > MYR_PRMTOP_NAME)
        return myr_text_fail(t, from, "a section needs a name of 1 to %d letters after %%FLAG", MYR_PRMTOP_NAME);
    memcpy(s->name, from, length);
    if (myr_prmtop_find(file, s->name))
        return myr_text_fail(t, from, "section %s is there already", s->name);
    myr_text_next_line(t);
    while (t->at < t->end && strncmp(t->at, "%COMMENT", 8) == 0)
        myr_text_next_line(t);
    const myr_status status = prmtop_format(t, s);
    if (status)
        return status;
    myr_text_next_line(t);
    s->line = t->line;
    s->at = t->at;
    while (t->at < t->end && *t->at != '%')
        myr_text_next_line(t);
    s->end = t->at;
    file->sections++;
    return MYR_OK;
}

myr_status myr_prmtop_open(myr_context *context, const char *path, myr_prmtop *file)
{
    file->sections = 0;
    myr_status status = myr_text_load(context, path, &file->text);
    myr_text *t = &file->text;
    if (!status && strncmp(t->at, "%VERSION", 8) != 0 && strncmp(t->at, "%FLAG", 5) != 0)
        status = myr_text_fail(t, t->at,
                               "this is no AMBER topology: it starts with neither %%VERSION nor %%FLAG (files of "
                               "AMBER 6 and before must be converted first)");
    while (!status && t->at < t->end) {
        if (strncmp(t->at, "%FLAG", 5) == 0)
            status = prmtop_section(file);
        else
            myr_text_next_line(t);
    }
    return status;
}

void myr_prmtop_close(myr_prmtop *file)
{
    myr_text_free(&file->text);
    file->sections = 0;
}

const myr_prmtop_section *myr_prmtop_find(const myr_prmtop *file, const char *name)
{
    for (int k = 0; k < file->sections; k++)
        if (strcmp(file->section[k].name, name) == 0)
            return &file->section[k];
    return NULL;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

/* Position in a section. */
typedef struct {
    const myr_prmtop *file;
    const myr_prmtop_section *section;
    char *line_at, *line_end;
    long line;
    int field; /* index of the next field in the line */
} prmtop_cursor;

static void prmtop_line(prmtop_cursor *c, char *at)
{
    char *end = memchr(at, '\n', (size_t)(c->section->end - at));
    c->line_at = at;
    c->line_end = end ? end : c->section->end;
    while (c->line_end > at && (c->line_end[-1] == '\r' || c->line_end[-1] == ' ' || c->line_end[-1] == '\t'))
        c->line_end--;
    c->field = 0;
}

static prmtop_cursor prmtop_begin(const myr_prmtop *file, const myr_prmtop_section *section)
{
    prmtop_cursor c = {.file = file, .section = section, .line = section->line};
    prmtop_line(&c, section->at);
    return c;
}

/* Moves to the start of the next line; 0 at the end of the section. */
static int prmtop_next_line(prmtop_cursor *c)
{
    char *newline = memchr(c->line_end, '\n', (size_t)(c->section->end - c->line_end));
    if (!newline || newline + 1 >= c->section->end)
        return 0;
    prmtop_line(c, newline + 1);
    c->line++;
    return 1;
}

/* Copies the next field, null-terminated. Trailing blanks of a line may have been removed, so that words exist up to
 * the number of fields per line, whereas numbers end with the line. 0 = end of the section. */
static int prmtop_field(prmtop_cursor *c, int words, char field[PRMTOP_FIELD])
{
    const int width = c->section->width;
    for (;;) {
        const ptrdiff_t from = (ptrdiff_t)c->field * width, length = c->line_end - c->line_at;
        if (c->field < c->section->per_line && (from < length || (words && c->field > 0))) {
            const ptrdiff_t here = from >= length ? 0 : length - from < width ? length - from : width;
            memcpy(field, c->line_at + (here ? from : 0), (size_t)here);
            field[here] = 0;
            c->field++;
            return 1;
        }
        if (!prmtop_next_line(c))
            return 0;
    }
}

static myr_status prmtop_bad_field(const prmtop_cursor *c, const char *field, const char *expected)
{
    return myr_context_fail(c->file->text.context, MYR_ERROR_FORMAT, "%s:%ld:%d: section %s: %s was expected, not '%s'",
                            c->file->text.path, c->line, (c->field - 1) * c->section->width + 1, c->section->name,
                            expected, field);
}

static myr_status prmtop_short(const prmtop_cursor *c, int64_t found, int64_t n)
{
    return myr_context_fail(c->file->text.context, MYR_ERROR_FORMAT,
                            "%s:%ld:1: section %s ends after %lld of %lld values; the file is cut short or POINTERS "
                            "does not belong to it",
                            c->file->text.path, c->line, c->section->name, (long long)found, (long long)n);
}

/* Finds a section that must exist with a kind and room for n values. */
static myr_status prmtop_need(const myr_prmtop *file, const char *name, char kind, int64_t n,
                              const myr_prmtop_section **section)
{
    const myr_prmtop_section *s = *section = myr_prmtop_find(file, name);
    if (!s)
        return myr_prmtop_fail(file, NULL, "section %s is missing; the file is cut short, or is no complete topology",
                               name);
    if (!s->kind)
        return myr_prmtop_fail(file, s,
                               "its format is not understood; expected one such as (10I8), (5E16.8) or (20a4)");
    if (s->kind != kind)
        return myr_prmtop_fail(file, s, "its format is one of %s, expected %s",
                               s->kind == 'I'   ? "integers"
                               : s->kind == 'E' ? "numbers"
                                                : "words",
                               kind == 'I'   ? "integers"
                               : kind == 'E' ? "numbers"
                                             : "words");
    if (n > s->end - s->at) { /* checked before memory is allocated: each value has at least one character */
        const prmtop_cursor c = prmtop_begin(file, s);
        return prmtop_short(&c, s->end - s->at, n);
    }
    return MYR_OK;
}

/* Fails if anything but blanks follows the last value. */
static myr_status prmtop_done(prmtop_cursor *c, int64_t n)
{
    char field[PRMTOP_FIELD];
    while (prmtop_field(c, 0, field))
        if (field[strspn(field, " \t")])
            return prmtop_bad_field(c, field, n ? "the end of the section" : "an empty section");
    return MYR_OK;
}

static int prmtop_is_integer(const char *field, int64_t *value)
{
    char *rest;
    errno = 0;
    *value = strtoll(field, &rest, 10);
    return rest != field && !errno && !rest[strspn(rest, " \t")];
}

static int prmtop_is_real(const char *field, double *value)
{
    char *rest;
    *value = strtod(field, &rest);
    return rest != field && !rest[strspn(rest, " \t")] && *value - *value == 0;
}

myr_status myr_prmtop_integers(const myr_prmtop *file, const char *name, int64_t n, int64_t lowest, int64_t highest,
                               int64_t **values)
{
    const myr_prmtop_section *s;
    char field[PRMTOP_FIELD], expected[96];
    *values = NULL;
    myr_status status = prmtop_need(file, name, 'I', n, &s);
    if (status)
        return status;
    int64_t *v = *values = myr_memory_zeros(n + 1, sizeof *v);
    if (!v)
        return myr_prmtop_fail(file, s, "no memory for %lld values", (long long)n);
    prmtop_cursor c = prmtop_begin(file, s);
    for (int64_t k = 0; k < n; k++) {
        if (!prmtop_field(&c, 0, field))
            return prmtop_short(&c, k, n);
        if (!prmtop_is_integer(field, &v[k]) || v[k] < lowest || v[k] > highest) {
            snprintf(expected, sizeof expected, "an integer from %lld to %lld", (long long)lowest, (long long)highest);
            return prmtop_bad_field(&c, field, expected);
        }
    }
    return prmtop_done(&c, n);
}

myr_status myr_prmtop_reals(const myr_prmtop *file, const char *name, int64_t n, double **values)
{
    const myr_prmtop_section *s;
    char field[PRMTOP_FIELD];
    *values = NULL;
    myr_status status = prmtop_need(file, name, 'E', n, &s);
    if (status)
        return status;
    double *v = *values = myr_memory_zeros(n + 1, sizeof *v);
    if (!v)
        return myr_prmtop_fail(file, s, "no memory for %lld values", (long long)n);
    prmtop_cursor c = prmtop_begin(file, s);
    for (int64_t k = 0; k < n; k++) {
        if (!prmtop_field(&c, 0, field))
            return prmtop_short(&c, k, n);
        if (!prmtop_is_real(field, &v[k]))
            return prmtop_bad_field(&c, field, "a finite number");
    }
    return prmtop_done(&c, n);
}

myr_status myr_prmtop_words(const myr_prmtop *file, const char *name, int64_t n, char *to, size_t room)
{
    const myr_prmtop_section *s;
    char field[PRMTOP_FIELD];
    const myr_status status = prmtop_need(file, name, 'A', n, &s);
    if (status)
        return status;
    prmtop_cursor c = prmtop_begin(file, s);
    for (int64_t k = 0; k < n; k++, to += room) {
        if (!prmtop_field(&c, 1, field))
            return prmtop_short(&c, k, n);
        char *word = field + strspn(field, " \t");
        size_t length = strlen(word);
        while (length > 0 && isspace((unsigned char)word[length - 1]))
            length--;
        if (length >= room)
            length = room - 1;
        memcpy(to, word, length);
        to[length] = 0;
    }
    return MYR_OK;
}

int64_t myr_prmtop_count(const myr_prmtop *file, const myr_prmtop_section *section)
{
    prmtop_cursor c = prmtop_begin(file, section);
    char field[PRMTOP_FIELD];
    int64_t n = 0;
    while (prmtop_field(&c, 0, field))
        n++;
    return n;
}
