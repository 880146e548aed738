/* csv_read.c - particles from comma-separated text, with line and column of what is wrong. */
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
#include "io/csv.h"
#include "io/file.h"

enum { CSV_COLUMNS_MAX = 2 + MYR_FORMAT_FIELDS_MAX * MYR_CSV_COMPONENTS_MAX, CSV_ID = -1, CSV_TYPE = -2 };

typedef struct {
    int field; /* index, or CSV_ID, CSV_TYPE */
    int component;
    double *to;
} csv_column;

/* A file being read. */
typedef struct {
    myr_context *context;
    const char *path;
    char *text;     /* all of it, with a zero behind */
    char *at, *end; /* where we are, and the zero */
    const char *line_start;
    long line;
    int columns, fields;
    csv_column column[CSV_COLUMNS_MAX];
    struct {
        char name[MYR_FORMAT_NAME_MAX + 1];
        uint32_t seen; /* bit c: there is component c */
        int single;    /* it came without brackets */
    } field[MYR_FORMAT_FIELDS_MAX];
    myr_particles *into;
    int64_t *ids;
    int32_t *types;
} csv_reader;

static myr_status csv_fail(const csv_reader *r, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static myr_status csv_fail(const csv_reader *r, const char *at, const char *format, ...)
{
    char text[MYR_MESSAGE_MAX / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return myr_context_fail(r->context, MYR_ERROR_FORMAT, "%s:%ld:%ld: %s", r->path, r->line,
                            (long)(at - r->line_start) + 1, text);
}

static myr_status csv_load(csv_reader *r)
{
    int descriptor;
    uint64_t size;
    myr_status status = myr_file_open(r->context, r->path, &descriptor, &size);
    if (status)
        return status;
    r->text = size < SIZE_MAX - 1 ? malloc((size_t)size + 1) : NULL;
    if (!r->text) {
        close(descriptor);
        return myr_context_fail(r->context, MYR_ERROR_MEMORY, "no memory for the %llu bytes of '%s'",
                                (unsigned long long)size, r->path);
    }
    status = myr_file_read(r->context, r->path, descriptor, 0, r->text, (size_t)size);
    close(descriptor);
    if (status)
        return status;
    r->end = r->text + size;
    *r->end = 0;
    r->at = r->text;
    if (size >= 3 && memcmp(r->text, "\xef\xbb\xbf", 3) == 0)
        r->at += 3;
    r->line_start = r->at;
    r->line = 1;
    return MYR_OK;
}

/* The end of the line that we are in: before its newline. */
static char *csv_line_end(const csv_reader *r)
{
    char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    return newline ? newline : r->end;
}

static void csv_next_line(csv_reader *r)
{
    r->at = csv_line_end(r);
    if (r->at < r->end)
        r->at++;
    r->line_start = r->at;
    r->line++;
}

static void csv_skip_blanks(csv_reader *r)
{
    while (*r->at == ' ' || *r->at == '\t')
        r->at++;
}

/* Goes past blanks; 1 at the end of a line. */
static int csv_at_end(csv_reader *r)
{
    csv_skip_blanks(r);
    if (*r->at == '\r' && (r->at + 1 == r->end || r->at[1] == '\n'))
        r->at++;
    return *r->at == '\n' || r->at == r->end;
}

/* "name[2]" is component 2 of "name": cuts the name and gives the component, or -1 without brackets. */
static int csv_split(char *name)
{
    char *open = strchr(name, '['), *rest;
    if (!open || open == name || open[1] < '0' || open[1] > '9')
        return -1;
    const long component = strtol(open + 1, &rest, 10);
    if (strcmp(rest, "]") != 0 || component >= MYR_CSV_COMPONENTS_MAX)
        return -1;
    *open = 0;
    return (int)component;
}

/* Finds or adds a field. */
static int csv_find_field(csv_reader *r, const char *name)
{
    for (int k = 0; k < r->fields; k++)
        if (strcmp(r->field[k].name, name) == 0)
            return k;
    if (r->fields == MYR_FORMAT_FIELDS_MAX)
        return -1;
    strcpy(r->field[r->fields].name, name);
    return r->fields++;
}

/* Takes one column's name in. */
static myr_status csv_add_column(csv_reader *r, const char *at, char *name)
{
    csv_column *column = &r->column[r->columns++];
    const int as_id = strcmp(name, "id") == 0, as_type = strcmp(name, "type") == 0;
    char whole[MYR_FORMAT_NAME_MAX + 1];
    strcpy(whole, name);
    if (as_id || as_type) {
        column->field = as_id ? CSV_ID : CSV_TYPE;
        for (int k = 0; k < r->columns - 1; k++)
            if (r->column[k].field == column->field)
                return csv_fail(r, at, "there are two columns '%s'", name);
        return MYR_OK;
    }
    int component = csv_split(name), single = component < 0;
    for (const myr_csv_short *s = myr_csv_shorts; single && s->column; s++)
        if (strcmp(name, s->column) == 0) {
            component = s->component;
            single = 0;
            strcpy(name, s->field);
        }
    column->field = csv_find_field(r, name);
    column->component = single ? 0 : component;
    if (column->field < 0)
        return csv_fail(r, at, "no room for column '%s': at most %d fields", whole, MYR_FORMAT_FIELDS_MAX);
    const uint32_t bit = 1u << column->component;
    if (r->field[column->field].seen & bit)
        return csv_fail(r, at, "column '%s' is there already", whole);
    r->field[column->field].seen |= bit;
    r->field[column->field].single |= single;
    return MYR_OK;
}

/* Reads one name, which may stand in quotes, to name[MYR_FORMAT_NAME_MAX + 1]. */
static myr_status csv_read_name(csv_reader *r, char *name)
{
    const int quoted = *r->at == '"';
    const char *from = r->at += quoted;
    while (r->at < r->end && *r->at != '\n' && *r->at != (quoted ? '"' : ','))
        r->at++;
    const char *to = r->at;
    while (!quoted && to > from && (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '\r'))
        to--;
    if (quoted && *r->at != '"')
        return csv_fail(r, from, "this quote is not closed");
    r->at += quoted;
    if (to == from || to - from > MYR_FORMAT_NAME_MAX)
        return csv_fail(r, from, "a column needs a name of 1 to %d characters", MYR_FORMAT_NAME_MAX);
    if (memchr(from, 0, (size_t)(to - from)))
        return csv_fail(r, from, "this is not text");
    memcpy(name, from, (size_t)(to - from));
    name[to - from] = 0;
    return MYR_OK;
}

static myr_status csv_read_names(csv_reader *r)
{
    char name[MYR_FORMAT_NAME_MAX + 1];
    for (;;) {
        csv_skip_blanks(r);
        const char *at = r->at;
        myr_status status = csv_read_name(r, name);
        if (!status && r->columns == CSV_COLUMNS_MAX)
            status = csv_fail(r, at, "there are more than %d columns", CSV_COLUMNS_MAX);
        if (!status && strspn(name, "+-.0123456789eE") == strlen(name))
            status = csv_fail(r, at, "the first line must name the columns, such as x,y,z; this is a number: %s", name);
        if (!status)
            status = csv_add_column(r, at, name);
        if (status)
            return status;
        if (csv_at_end(r))
            break;
        if (*r->at++ != ',')
            return csv_fail(r, r->at - 1, "a comma was expected");
    }
    for (int k = 0; k < r->fields; k++)
        if (r->field[k].seen & (r->field[k].seen + 1) || (r->field[k].single && r->field[k].seen != 1))
            return csv_fail(r, r->line_start, "the columns of '%s' are not components 0, 1, 2, ...", r->field[k].name);
    return MYR_OK;
}

/* "# key = value" */
static void csv_read_comment(const csv_reader *r, myr_snapshot_header *header)
{
    for (const myr_csv_key *key = myr_csv_keys; key->key; key++) {
        const size_t length = strlen(key->key);
        const char *at = r->at + 1;
        at += strspn(at, " \t");
        if (strncmp(at, key->key, length) != 0)
            continue;
        at += length;
        at += strspn(at, " \t");
        if (*at != '=')
            continue;
        at++;
        at += strspn(at, " \t");
        char *rest = NULL;
        const double value = isspace((unsigned char)*at) ? 0 : strtod(at, &rest);
        if (rest > at)
            memcpy((char *)header + key->offset, &value, sizeof value);
    }
}

/* Lines that hold a particle. */
static int64_t csv_count(const csv_reader *start)
{
    csv_reader r = *start;
    int64_t n = 0;
    for (; r.at < r.end; csv_next_line(&r)) {
        const int comment = *r.at == '#';
        n += !comment && !csv_at_end(&r);
    }
    return n;
}

static myr_status csv_make_particles(csv_reader *r, int64_t n)
{
    r->ids = myr_memory_zeros(n, sizeof *r->ids);
    r->types = myr_memory_zeros(n, sizeof *r->types);
    if (!r->ids || !r->types)
        return myr_context_fail(r->context, MYR_ERROR_MEMORY, "no memory for the %lld particles of '%s'", (long long)n,
                                r->path);
    myr_status status = myr_particles_create(r->context, n, &r->into);
    for (int k = 0; !status && k < r->fields; k++)
        status = myr_particles_add_field(r->into, r->field[k].name, __builtin_popcount(r->field[k].seen));
    for (int k = 0; !status && k < r->columns; k++)
        if (r->column[k].field >= 0)
            r->column[k].to =
                myr_particles_component(r->into, r->field[r->column[k].field].name, r->column[k].component);
    return status;
}

/* One number of particle i, and where it ends. */
static myr_status csv_read_number(csv_reader *r, int64_t i, const csv_column *column)
{
    char *rest;
    csv_skip_blanks(r);
    const char *at = r->at;
    if (isspace((unsigned char)*at)) /* the functions below would go past it, and past the end of the line */
        return csv_fail(r, at, "a number was expected");
    errno = 0;
    if (column->field >= 0) {
        column->to[i] = strtod(at, &rest); /* beyond the range it is 0 or infinity, which is checked later */
    } else {
        const long long value = strtoll(at, &rest, 10);
        if (errno || (column->field == CSV_TYPE && (value < 0 || value > INT32_MAX)))
            return csv_fail(r, at, "%s out of range", column->field == CSV_ID ? "id" : "type");
        if (column->field == CSV_ID)
            r->ids[i] = value;
        else
            r->types[i] = (int32_t)value;
    }
    if (rest == at)
        return csv_fail(r, at, column->field >= 0 ? "a number was expected" : "an integer was expected");
    r->at = rest;
    return MYR_OK;
}

static myr_status csv_read_line(csv_reader *r, int64_t i)
{
    for (int k = 0; k < r->columns; k++) {
        if (csv_at_end(r))
            return csv_fail(r, r->at, "this line has %d values; the first line names %d", k, r->columns);
        myr_status status = csv_read_number(r, i, &r->column[k]);
        if (status)
            return status;
        const int at_end = csv_at_end(r);
        if (at_end && k + 1 < r->columns)
            return csv_fail(r, r->at, "this line has %d values; the first line names %d", k + 1, r->columns);
        if (!at_end && (*r->at != ',' || k + 1 == r->columns))
            return csv_fail(r, r->at, k + 1 < r->columns ? "a comma was expected" : "the line should end here");
        if (!at_end)
            r->at++;
    }
    return MYR_OK;
}

static myr_status csv_read_all(csv_reader *r, myr_snapshot_header *header)
{
    myr_status status = csv_load(r);
    if (status || !r->at)
        return status;
    status = csv_read_names(r);
    if (status)
        return status;
    csv_next_line(r);
    const int64_t n = csv_count(r);
    status = csv_make_particles(r, n);
    int64_t i = 0;
    for (; !status && r->at < r->end; csv_next_line(r)) {
        if (*r->at == '#')
            csv_read_comment(r, header);
        else if (!csv_at_end(r))
            status = csv_read_line(r, i++);
    }
    for (int k = 0; !status && k < r->columns; k++) {
        if (r->column[k].field == CSV_ID)
            status = myr_format_set_ids(r->into, r->path, r->ids);
        else if (r->column[k].field == CSV_TYPE)
            status = myr_particles_set_types(r->into, r->types);
    }
    return status;
}

myr_status myr_csv_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                        myr_snapshot_header *header)
{
    (void)frame; /* there is one */
    csv_reader *r = calloc(1, sizeof *r);
    if (!r)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory to read '%s'", path);
    r->context = context;
    r->path = path;
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(plain);
    const myr_status status = csv_read_all(r, header);
    uselocale(before);
    freelocale(plain);
    if (status)
        myr_particles_destroy(&r->into);
    *particles = r->into;
    free(r->ids);
    free(r->types);
    free(r->text);
    free(r);
    return status;
}
