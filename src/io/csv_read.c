/* csv_read.c - reads particles from comma-separated text; errors name line and column. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "io/csv.h"

enum { CSV_COLUMNS_MAX = 2 + MYR_FORMAT_FIELDS_MAX * MYR_CSV_COMPONENTS_MAX, CSV_ID = -1, CSV_TYPE = -2 };

typedef struct {
    int field; /* field index, or CSV_ID, CSV_TYPE */
    int component;
    double *to;
} csv_column;

/* CSV file being read. */
typedef struct {
    myr_text_particles set;
    int columns, fields;
    csv_column column[CSV_COLUMNS_MAX];
    struct {
        char name[MYR_FORMAT_NAME_MAX + 1];
        uint32_t seen; /* bit c = component c has a column */
        int single;    /* 1 = the name has no brackets */
    } field[MYR_FORMAT_FIELDS_MAX];
} csv_reader;

/* Splits "name[2]" into the name and the component 2; returns -1 if there are no brackets. */
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

/* Index of a field, which is added if it is new. */
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

/* Registers the column `name`. */
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
                return myr_text_fail(&r->set.text, at, "there are two columns '%s'", name);
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
        return myr_text_fail(&r->set.text, at, "no room for column '%s': at most %d fields", whole,
                             MYR_FORMAT_FIELDS_MAX);
    const uint32_t bit = 1u << column->component;
    if (r->field[column->field].seen & bit)
        return myr_text_fail(&r->set.text, at, "column '%s' is there already", whole);
    r->field[column->field].seen |= bit;
    r->field[column->field].single |= single;
    return MYR_OK;
}

/* Reads one column name, which may be quoted, into name[MYR_FORMAT_NAME_MAX + 1]. */
static myr_status csv_read_name(csv_reader *r, char *name)
{
    char *from, *to, *after = myr_csv_cell(r->set.text.at, r->set.text.end, &from, &to);
    if (!after)
        return myr_text_fail(&r->set.text, from, "this quote is not closed");
    r->set.text.at = after;
    if (to == from || to - from > MYR_FORMAT_NAME_MAX)
        return myr_text_fail(&r->set.text, from, "a column needs a name of 1 to %d characters", MYR_FORMAT_NAME_MAX);
    if (memchr(from, 0, (size_t)(to - from)))
        return myr_text_fail(&r->set.text, from, "this is not text");
    memcpy(name, from, (size_t)(to - from));
    name[to - from] = 0;
    return MYR_OK;
}

static myr_status csv_read_names(csv_reader *r)
{
    char name[MYR_FORMAT_NAME_MAX + 1];
    for (;;) {
        myr_text_skip_blanks(&r->set.text);
        const char *at = r->set.text.at;
        myr_status status = csv_read_name(r, name);
        if (!status && r->columns == CSV_COLUMNS_MAX)
            status = myr_text_fail(&r->set.text, at, "there are more than %d columns", CSV_COLUMNS_MAX);
        if (!status && strspn(name, "+-.0123456789eE") == strlen(name))
            status = myr_text_fail(&r->set.text, at,
                                   "the first line must name the columns, such as x,y,z; this is a number: %s", name);
        if (!status)
            status = csv_add_column(r, at, name);
        if (status)
            return status;
        if (myr_text_at_end(&r->set.text))
            break;
        if (*r->set.text.at++ != ',')
            return myr_text_fail(&r->set.text, r->set.text.at - 1, "a comma was expected");
    }
    for (int k = 0; k < r->fields; k++)
        if (r->field[k].seen & (r->field[k].seen + 1) || (r->field[k].single && r->field[k].seen != 1))
            return myr_text_fail(&r->set.text, r->set.text.line_start,
                                 "the columns of '%s' are not components 0, 1, 2, ...", r->field[k].name);
    return MYR_OK;
}

/* "# key = value" */
static void csv_read_comment(const csv_reader *r, const myr_text_key *key, myr_snapshot_header *header)
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

/* Reads one number of particle i. */
static myr_status csv_read_number(csv_reader *r, int64_t i, const csv_column *column)
{
    int64_t value = 0;
    if (column->field >= 0)
        return myr_text_double(&r->set.text, &column->to[i]);
    if (column->field == CSV_ID)
        return myr_text_integer(&r->set.text, "id", INT64_MIN, INT64_MAX, &r->set.ids[i]);
    const myr_status status = myr_text_integer(&r->set.text, "type", 0, INT32_MAX, &value);
    r->set.types[i] = (int32_t)value;
    return status;
}

static myr_status csv_read_line(csv_reader *r, int64_t i)
{
    for (int k = 0; k < r->columns; k++) {
        myr_status status = myr_csv_expect_value(&r->set.text, k, r->columns);
        if (!status)
            status = csv_read_number(r, i, &r->column[k]);
        if (!status)
            status = myr_csv_end_value(&r->set.text, k, r->columns);
        if (status)
            return status;
    }
    return MYR_OK;
}

static myr_status csv_read_all(csv_reader *r, myr_snapshot_header *header)
{
    myr_status status = csv_read_names(r);
    if (status)
        return status;
    myr_text_next_line(&r->set.text);
    const int64_t n = csv_count(r);
    status = csv_make_particles(r, n);
    int64_t i = 0;
    for (; !status && r->set.text.at < r->set.text.end; myr_text_next_line(&r->set.text)) {
        if (*r->set.text.at == '#') {
            csv_read_comment(r, myr_text_keys, header);
            csv_read_comment(r, myr_csv_boxes, header);
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
