/* csv_names.c - the head of a table of text: its separator, the names of its columns, and what each column holds.
 *
 * A line with a number is a row of values. Names stand in the line before the first row, or, as numpy.savetxt writes
 * them, in a comment with as many words as a row has values. The caller may choose columns by name or place. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/csv_inside.h"

enum { CSV_LIST = 400 };

/* --- finding the names -------------------------------------------------------------------------------------------- */

/* Copies one name, which may be quoted, and moves behind it. */
static myr_status csv_copy_name(csv_reader *r, myr_text *text, char separator)
{
    char *from, *to, *after = myr_csv_cell(text->at, text->end, separator, &from, &to);
    const size_t length = (size_t)(to - from);
    if (!after)
        return myr_text_fail(text, from, "this quote is not closed");
    if (length == 0 || length > MYR_FORMAT_NAME_MAX)
        return myr_text_fail(text, from, "a column needs a name of 1 to %d characters", MYR_FORMAT_NAME_MAX);
    if (memchr(from, 0, length))
        return myr_text_fail(text, from, "this is not text");
    if (r->columns == CSV_COLUMNS_MAX)
        return myr_text_fail(text, from, "there are more than %d columns", CSV_COLUMNS_MAX);
    if (myr_csv_is_number(from, to))
        return myr_text_fail(text, from, "the first line must name the columns, such as x,y,z; this is a number: %.*s",
                             (int)length, from);
    memcpy(r->name[r->columns], from, length);
    r->name[r->columns][length] = 0;
    r->name_at[r->columns++] = (int)(from - text->line_start) - (from > text->text && from[-1] == '"');
    text->at = after;
    return MYR_OK;
}

/* Copies the names of a line, from text->at on. */
static myr_status csv_copy_names(csv_reader *r, myr_text *text)
{
    const char separator = myr_csv_separator(text->at, text->end);
    r->names_line = *text;
    for (;;) {
        myr_status status = csv_copy_name(r, text, separator);
        myr_text rest = *text;
        if (status || myr_csv_at_end(&rest, separator))
            return status;
        status = myr_csv_end_value(text, separator, 0, 2);
        if (status)
            return status;
    }
}

/* Reads the comments at the start of a file, up to the first other line. */
static void csv_skip_comments(csv_reader *r, myr_snapshot_header *header)
{
    for (; r->set.text.at < r->set.text.end; myr_text_next_line(&r->set.text)) {
        if (*r->set.text.at == '#')
            myr_csv_read_comment(r, header);
        else if (!myr_text_at_end(&r->set.text))
            break;
    }
    r->set.text.at = r->set.text.text + (r->set.text.line_start - r->set.text.text);
}

/* Last comment before the rows with a word per column; text->at = null if there is none. */
static void csv_find_comment(const csv_reader *r, const myr_text *start, int cells, myr_text *found)
{
    found->at = NULL;
    for (myr_text t = *start; t.at < r->set.text.at; myr_text_next_line(&t)) {
        myr_csv_shape shape;
        if (*t.at != '#')
            continue;
        myr_text words = t;
        while (*words.at == '#')
            words.at++;
        myr_csv_measure(words.at, words.end, &shape);
        if (shape.cells == cells && shape.numbers == 0 && shape.distinct)
            *found = words;
    }
}

/* Finds the names and moves to the first row. */
static myr_status csv_find_names(csv_reader *r, int named_by_caller, myr_snapshot_header *header)
{
    const myr_text start = r->set.text;
    myr_csv_shape shape;
    myr_text names;
    csv_skip_comments(r, header);
    myr_csv_measure(r->set.text.at, r->set.text.end, &shape);
    r->separator = shape.separator;
    if (shape.numbers == 0) {
        myr_status status = csv_copy_names(r, &r->set.text);
        myr_text_next_line(&r->set.text);
        myr_csv_shape first; /* names and rows may be separated differently */
        myr_csv_measure(r->set.text.at, r->set.text.end, &first);
        r->separator = first.cells == r->columns || first.cells > shape.cells ? first.separator : shape.separator;
        return status;
    }
    csv_find_comment(r, &start, shape.cells, &names);
    if (names.at)
        return csv_copy_names(r, &names);
    if (!named_by_caller) {
        names = r->set.text;
        const myr_status status = csv_copy_names(r, &names); /* names the number that stands for a name */
        return status ? status : myr_text_fail(&names, names.line_start, "the first line must name the columns");
    }
    if (shape.cells > CSV_COLUMNS_MAX)
        return myr_text_fail(&r->set.text, r->set.text.at, "there are more than %d columns", CSV_COLUMNS_MAX);
    r->names_line = r->set.text;
    r->columns = shape.cells;
    return MYR_OK;
}

/* --- what the columns hold ---------------------------------------------------------------------------------------- */

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

/* Fails at column k of the line of names. */
#define csv_fail_at(r, k, ...)                                                                                         \
    myr_text_fail(&(r)->names_line, (r)->names_line.line_start + (r)->name_at[k], __VA_ARGS__)

/* Ids, types or names; 0 if the name is none of these words. */
static int csv_special(const char *name)
{
    return strcmp(name, "id") == 0     ? CSV_ID
           : strcmp(name, "type") == 0 ? CSV_TYPE
           : strcmp(name, "name") == 0 ? CSV_NAME
                                       : 0;
}

/* Sets what column k holds. */
static myr_status csv_set_column(csv_reader *r, int k, const char *meaning)
{
    csv_column *column = &r->column[k];
    char name[MYR_FORMAT_NAME_MAX + 1];
    strcpy(name, meaning);
    column->field = csv_special(name);
    if (column->field) {
        for (int j = 0; j < k; j++)
            if (r->column[j].field == column->field)
                return csv_fail_at(r, k, "there are two columns '%s'", name);
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
        return csv_fail_at(r, k, "no room for column '%s': at most %d fields", meaning, MYR_FORMAT_FIELDS_MAX);
    const uint32_t bit = 1u << column->component;
    if (r->field[column->field].seen & bit)
        return csv_fail_at(r, k, "column '%s' is there already", meaning);
    r->field[column->field].seen |= bit;
    r->field[column->field].single |= single;
    return MYR_OK;
}

/* The names of all columns for a message, "x, y, z". */
static void csv_list(const csv_reader *r, char list[CSV_LIST])
{
    size_t used = 0;
    *list = 0;
    for (int k = 0; k < r->columns && used < CSV_LIST; k++)
        used += (size_t)snprintf(list + used, CSV_LIST - used, "%s%s", k ? ", " : "", r->name[k]);
    if (used >= CSV_LIST)
        strcpy(list + CSV_LIST - 4, "...");
}

/* Column with a name, or with a number from 1; -1 = none. */
static int csv_find_column(const csv_reader *r, const char *wanted)
{
    char *rest;
    for (int k = 0; k < r->columns; k++)
        if (strcmp(r->name[k], wanted) == 0)
            return k;
    const long number = isdigit((unsigned char)*wanted) ? strtol(wanted, &rest, 10) : 0;
    return number >= 1 && number <= r->columns && !*rest ? (int)number - 1 : -1;
}

/* Chooses columns by "meaning=column"; the others are left out. */
static myr_status csv_choose_named(csv_reader *r, const char *const *choice)
{
    const char *chosen[CSV_COLUMNS_MAX] = {NULL};
    char list[CSV_LIST], meaning[MYR_FORMAT_NAME_MAX + 1];
    for (; *choice; choice++) {
        const char *equals = strchr(*choice, '=');
        const int k = equals ? csv_find_column(r, equals + 1) : -1;
        if (k < 0) {
            csv_list(r, list);
            return myr_text_fail(&r->names_line, r->names_line.line_start,
                                 "there is no column '%s'; the columns found are: %s", equals ? equals + 1 : *choice,
                                 *r->name[0] ? list : "numbered from 1, without names");
        }
        if (chosen[k])
            return csv_fail_at(r, k, "column '%s' is chosen twice", equals + 1);
        chosen[k] = *choice;
    }
    myr_status status = MYR_OK;
    for (int k = 0; k < r->columns && !status; k++) {
        r->column[k].field = CSV_SKIP;
        if (!chosen[k])
            continue;
        snprintf(meaning, sizeof meaning, "%.*s", (int)(strchr(chosen[k], '=') - chosen[k]), chosen[k]);
        status = csv_set_column(r, k, meaning);
    }
    return status;
}

/* Chooses all columns by their places. */
static myr_status csv_choose_placed(csv_reader *r, const char *const *choice)
{
    int count = 0;
    char list[CSV_LIST];
    while (choice[count])
        count++;
    if (count != r->columns) {
        csv_list(r, list);
        return myr_text_fail(&r->names_line, r->names_line.line_start, "%d column%s named; the file has %d%s%s", count,
                             count == 1 ? " is" : "s are", r->columns, *r->name[0] ? ": " : "",
                             *r->name[0] ? list : "");
    }
    myr_status status = MYR_OK;
    for (int k = 0; k < count && !status; k++) {
        r->column[k].field = CSV_SKIP;
        if (strcmp(choice[k], "skip") != 0)
            status = csv_set_column(r, k, choice[k]);
    }
    return status;
}

/* Checks the words of a choice; *named = 1 if it chooses by names. */
static myr_status csv_check_choice(const csv_reader *r, const char *const *choice, int *named)
{
    int with = 0, without = 0;
    for (const char *const *c = choice; c && *c; c++) {
        const char *equals = strchr(*c, '=');
        const size_t length = equals ? (size_t)(equals - *c) : strlen(*c);
        if (length == 0 || length > MYR_FORMAT_NAME_MAX)
            return myr_text_fail(&r->set.text, r->set.text.at,
                                 "the choice of columns has '%.80s'; expected a name of 1 to %d characters", *c,
                                 MYR_FORMAT_NAME_MAX);
        with += equals != NULL;
        without += !equals;
    }
    *named = with > 0;
    if (with && without)
        return myr_text_fail(&r->set.text, r->set.text.at,
                             "the choice of columns mixes names and places; expected MEANING=COLUMN for each, or the "
                             "meanings of all columns");
    return MYR_OK;
}

myr_status myr_csv_read_head(csv_reader *r, myr_snapshot_header *header)
{
    const char *const *choice = r->set.options;
    int named = 0;
    myr_status status = csv_check_choice(r, choice, &named);
    if (!status)
        status = csv_find_names(r, choice != NULL, header);
    if (status)
        return status;
    if (choice)
        status = named ? csv_choose_named(r, choice) : csv_choose_placed(r, choice);
    for (int k = 0; !choice && k < r->columns && !status; k++)
        status = csv_set_column(r, k, r->name[k]);
    for (int k = 0; k < r->fields && !status; k++)
        if (r->field[k].seen & (r->field[k].seen + 1) || (r->field[k].single && r->field[k].seen != 1))
            status = myr_text_fail(&r->names_line, r->names_line.line_start,
                                   "the columns of '%s' are not components 0, 1, 2, ...", r->field[k].name);
    return status;
}
