/* csv_read.c - reads the rows of a table of text as particles; errors name line and column. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "io/csv_inside.h"

/* Takes the value of a comment "# key = value" for the keys of one list. */
static void csv_read_keys(const csv_reader *r, const myr_text_key *key, myr_snapshot_header *header)
{
    for (; key->key; key++) {
        const size_t length = strlen(key->key);
        const char *at = r->set.text.at + 1;
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
            myr_text_set(header, key, value);
    }
}

void myr_csv_read_comment(const csv_reader *r, myr_snapshot_header *header)
{
    csv_read_keys(r, myr_text_keys, header);
    csv_read_keys(r, myr_csv_boxes, header);
}

/* Number of lines that contain a particle. */
static int64_t csv_count(const csv_reader *r)
{
    myr_text t = r->set.text;
    int64_t n = 0;
    for (; t.at < t.end; myr_text_next_line(&t)) {
        const int comment = *t.at == '#';
        n += !comment && !myr_text_at_end(&t);
    }
    return n;
}

static myr_status csv_make_particles(csv_reader *r, int64_t n)
{
    myr_status status = myr_text_make(&r->set, n);
    for (int k = 0; !status && k < r->fields; k++)
        status = myr_particles_add_field(r->set.into, r->field[k].name, __builtin_popcount(r->field[k].seen));
    for (int k = 0; !status && k < r->columns; k++)
        if (r->column[k].field >= 0)
            r->column[k].to =
                myr_particles_component(r->set.into, r->field[r->column[k].field].name, r->column[k].component);
    return status;
}

/* Reads the name of particle i; an empty cell is no name. */
static myr_status csv_read_name(csv_reader *r, int64_t i)
{
    char name[MYR_PARTICLES_NAME_MAX + 1];
    char *from, *to, *after = myr_csv_cell(r->set.text.at, r->set.text.end, r->separator, &from, &to);
    const size_t length = (size_t)(to - from);
    if (!after)
        return myr_text_fail(&r->set.text, from, "this quote is not closed");
    r->set.text.at = after;
    if (length == 0)
        return MYR_OK;
    if (length > MYR_PARTICLES_NAME_MAX || memchr(from, 0, length))
        return myr_text_fail(&r->set.text, from, "a name has up to %d characters", MYR_PARTICLES_NAME_MAX);
    memcpy(name, from, length);
    name[length] = 0;
    const myr_status status = myr_particles_set_name(r->set.into, i, name);
    return status == MYR_ERROR_VALUE ? myr_text_fail(&r->set.text, from, "a name has no control characters and quotes")
                                     : status;
}

/* Moves behind a cell that is not wanted. */
static myr_status csv_skip_cell(csv_reader *r)
{
    char *from, *to, *after = myr_csv_cell(r->set.text.at, r->set.text.end, r->separator, &from, &to);
    if (!after)
        return myr_text_fail(&r->set.text, from, "this quote is not closed");
    r->set.text.at = after;
    return MYR_OK;
}

/* Reads one number of particle i. */
static myr_status csv_read_number(csv_reader *r, int64_t i, const csv_column *column)
{
    int64_t value = 0;
    if (column->field == CSV_ID)
        return myr_text_integer(&r->set.text, "id", INT64_MIN, INT64_MAX, &r->set.ids[i]);
    if (column->field == CSV_TYPE) {
        const myr_status status = myr_text_integer(&r->set.text, "type", 0, INT32_MAX, &value);
        r->set.types[i] = (int32_t)value;
        return status;
    }
    const char *at = r->set.text.at;
    const myr_status status = myr_text_double(&r->set.text, &column->to[i]);
    if (status == MYR_ERROR_FORMAT && isalpha((unsigned char)*at))
        return myr_text_fail(&r->set.text, at, "a number was expected; only the column 'name' may hold text");
    return status;
}

/* Reads one value of particle i; a spreadsheet may put quotes around it. */
static myr_status csv_read_value(csv_reader *r, int64_t i, const csv_column *column)
{
    myr_text *text = &r->set.text;
    if (column->field == CSV_NAME)
        return csv_read_name(r, i);
    if (column->field == CSV_SKIP)
        return csv_skip_cell(r);
    const int quoted = *text->at == '"';
    text->at += quoted;
    const myr_status status = csv_read_number(r, i, column);
    if (!status && quoted && *text->at != '"')
        return myr_text_fail(text, text->at, "the closing quote was expected");
    text->at += !status && quoted;
    return status;
}

static myr_status csv_read_line(csv_reader *r, int64_t i)
{
    for (int k = 0; k < r->columns; k++) {
        myr_status status = myr_csv_expect_value(&r->set.text, r->separator, k, r->columns);
        if (!status)
            status = csv_read_value(r, i, &r->column[k]);
        if (!status)
            status = myr_csv_end_value(&r->set.text, r->separator, k, r->columns);
        if (status)
            return status;
    }
    return MYR_OK;
}

static myr_status csv_read_all(csv_reader *r, myr_snapshot_header *header)
{
    myr_status status = myr_csv_read_head(r, header);
    if (status)
        return status;
    const int64_t n = csv_count(r);
    status = csv_make_particles(r, n);
    int64_t i = 0;
    for (; !status && r->set.text.at < r->set.text.end; myr_text_next_line(&r->set.text)) {
        if (*r->set.text.at == '#') {
            myr_csv_read_comment(r, header);
        } else if (!myr_text_at_end(&r->set.text)) {
            status = csv_read_line(r, i++);
        }
    }
    for (int k = 0; !status && k < r->columns; k++) {
        if (r->column[k].field == CSV_ID)
            status = myr_format_set_ids(r->set.into, r->set.text.path, r->set.ids);
        else if (r->column[k].field == CSV_TYPE)
            status = myr_particles_set_types(r->set.into, r->set.types);
    }
    if (!status)
        myr_text_warn_unended(&r->set.text);
    return status;
}

static myr_status csv_read_one(void *reader, int64_t frame, myr_snapshot_header *header)
{
    (void)frame; /* the format has a single frame */
    return csv_read_all(reader, header);
}

myr_status myr_csv_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                        myr_snapshot_header *header)
{
    return myr_text_read_particles(context, path, sizeof(csv_reader), csv_read_one, frame, particles, header);
}

myr_status myr_csv_read_columns(myr_context *context, const char *path, const char *const *columns,
                                myr_particles **particles, myr_snapshot_header *header)
{
    return myr_text_read_particles_as(context, path, columns, sizeof(csv_reader), csv_read_one, 0, particles, header);
}
