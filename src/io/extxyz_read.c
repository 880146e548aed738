/* extxyz_read.c - reads one frame of extended XYZ; errors name line and column. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/context.h"
#include "io/extxyz.h"

enum {
    EXTXYZ_COLUMNS_MAX = 2048,
    EXTXYZ_SPECIES_MAX = 256,
    EXTXYZ_SPECIES_NAME = 15,
    /* meaning of a column that is not a component of a field */
    EXTXYZ_ID = -1,
    EXTXYZ_TYPE = -2,
    EXTXYZ_SPECIES = -3,
    EXTXYZ_LEFT_OUT = -4,
    EXTXYZ_NUMBER = -5,
};

typedef struct {
    int field; /* field index, or one of the values above */
    int component;
    int logical; /* 1 = values are T and F */
    double *to;
} extxyz_column;

/* Frame being read. */
typedef struct {
    myr_text_particles set;
    int columns, fields;
    extxyz_column column[EXTXYZ_COLUMNS_MAX];
    struct {
        char name[MYR_FORMAT_NAME_MAX + 1];
        int components;
    } field[MYR_FORMAT_FIELDS_MAX];
    int has_id, has_type, has_species, has_number;
    int species;
    char symbol[EXTXYZ_SPECIES_MAX][EXTXYZ_SPECIES_NAME + 1];
    double lattice[9];
    int has_lattice, open[3]; /* has_lattice: the key Lattice is present; open: axes for which pbc is F */
} extxyz_reader;

/* --- frames ------------------------------------------------------------------------------------------------------- */

/* Reads the number of particles at the start of a frame; checks that the file has at least two bytes per particle. */
static myr_status extxyz_count(myr_text *t, int64_t *n)
{
    const char *at = t->at;
    myr_status status = myr_text_integer(t, "the number of particles is", 0, INT64_MAX / 1024, n);
    if (!status && !myr_text_at_end(t))
        status = myr_text_fail(t, t->at, "only the number of particles was expected in this line");
    if (!status && *n > (t->end - t->at) / 2)
        status = myr_text_fail(t, at, "this frame says that it has %lld particle%s, but only %lld bytes follow",
                               (long long)*n, myr_plural(*n), (long long)(t->end - t->at));
    return status;
}

static int extxyz_rest_is_blank(const myr_text *t)
{
    for (const char *at = t->at; at < t->end; at++)
        if (!isspace((unsigned char)*at))
            return 0;
    return 1;
}

/* Skips a frame; *whole = 0 if the frame is truncated. */
static myr_status extxyz_skip_frame(myr_text *t, int *whole)
{
    int64_t n = 0, passed = 0;
    const myr_status status = extxyz_count(t, &n);
    if (status)
        return status;
    myr_text_next_line(t);
    *whole = t->at < t->end;
    myr_text_next_line(t);
    for (; passed < n && t->at < t->end; passed++)
        myr_text_next_line(t);
    *whole &= passed == n;
    return MYR_OK;
}

/* Moves to the requested frame. A truncated last frame is an error only if it is the requested one. */
static myr_status extxyz_seek(extxyz_reader *r, int64_t frame, myr_snapshot_header *header)
{
    myr_text walk = r->set.text;
    int64_t frames = 0;
    int whole = 1;
    myr_status status = MYR_OK;
    while (whole && !extxyz_rest_is_blank(&walk)) {
        if (frames == frame)
            r->set.text = walk;
        status = extxyz_skip_frame(&walk, &whole);
        if (status && (frame < 0 || frames <= frame))
            return status;
        if (status)
            break;
        frames++;
    }
    header->frames = frames;
    header->frame = frame;
    status = myr_format_frame(r->set.text.context, r->set.text.path, frames, &header->frame);
    if (frame >= 0 || status)
        return status;
    return extxyz_seek(r, header->frame, header); /* second pass, after the number of frames is known */
}

/* --- the line of key=value pairs ---------------------------------------------------------------------------------- */

static int extxyz_add_field(extxyz_reader *r, const char *name, int components)
{
    for (int k = 0; k < r->fields; k++)
        if (strcmp(r->field[k].name, name) == 0)
            return -1;
    strcpy(r->field[r->fields].name, name);
    r->field[r->fields].components = components;
    return r->fields++;
}

/* Meaning of a property with one column that is not a field; 0 if it is a field. */
static int extxyz_special(extxyz_reader *r, const char *name, char type)
{
    if (strcmp(name, "id") == 0 && (type == 'I' || type == 'S') && !r->has_id++)
        return EXTXYZ_ID;
    if (strcmp(name, "type") == 0 && type == 'I' && !r->has_type++)
        return EXTXYZ_TYPE;
    if (type == 'S' && (strcmp(name, "species") == 0 || strcmp(name, "type") == 0 || strcmp(name, "element") == 0) &&
        !r->has_species++)
        return EXTXYZ_SPECIES;
    if (strcmp(name, "Z") == 0 && type == 'I' && !r->has_number++)
        return EXTXYZ_NUMBER;
    return 0;
}

/* Registers the columns of a property. */
static myr_status extxyz_add_property(extxyz_reader *r, const char *at, const char *name, char type, int columns)
{
    char field[MYR_FORMAT_NAME_MAX + 1];
    int what = columns == 1 ? extxyz_special(r, name, type) : 0;
    if (r->has_id > 1 || r->has_type > 1 || r->has_number > 1)
        return myr_text_fail(&r->set.text, at, "the property '%s' is there already", name);
    if (r->columns + columns > EXTXYZ_COLUMNS_MAX)
        return myr_text_fail(&r->set.text, at, "there are more than %d columns", EXTXYZ_COLUMNS_MAX);
    if (!what && (type == 'S' || columns > MYR_EXTXYZ_COMPONENTS_MAX)) {
        what = EXTXYZ_LEFT_OUT;
        myr_context_warn(r->set.text.context, "'%s' has a property '%s' that is left out: it is not 1 to %d numbers",
                         r->set.text.path, name, MYR_EXTXYZ_COMPONENTS_MAX);
    }
    if (!what) {
        if (!myr_extxyz_field(name, field))
            return myr_text_fail(&r->set.text, at, "the property '%.80s' needs a name of 1 to %d characters", name,
                                 MYR_FORMAT_NAME_MAX);
        if (r->fields == MYR_FORMAT_FIELDS_MAX)
            return myr_text_fail(&r->set.text, at, "no room for property '%s': at most %d fields", name,
                                 MYR_FORMAT_FIELDS_MAX);
        const myr_format_field *known = myr_format_field_find(&myr_extxyz_format, field);
        if (known && known->components != columns)
            return myr_text_fail(&r->set.text, at, "the property '%s' must have %d column%s, not %d", name,
                                 known->components, myr_plural(known->components), columns);
        what = extxyz_add_field(r, field, columns);
        if (what < 0)
            return myr_text_fail(&r->set.text, at, "the property '%s' is there already", name);
    }
    for (int c = 0; c < columns; c++)
        r->column[r->columns++] = (extxyz_column){.field = what, .component = c, .logical = type == 'L'};
    return MYR_OK;
}

/* Parses "species:S:1:pos:R:3". */
static myr_status extxyz_properties(extxyz_reader *r, char *value)
{
    char *rest = value;
    do {
        char *name = rest, *type = strchr(name, ':'), *count = type ? strchr(type + 1, ':') : NULL;
        if (!count || count != type + 2 || type == name || !strchr("RISL", type[1]))
            return myr_text_fail(&r->set.text, name, "a property is name:type:columns, with a type R, I, S or L");
        const long columns = strtol(count + 1, &rest, 10);
        if (!isdigit((unsigned char)count[1]) || columns < 1 || columns > EXTXYZ_COLUMNS_MAX || (*rest && *rest != ':'))
            return myr_text_fail(&r->set.text, count + 1, "a property has 1 to %d columns", EXTXYZ_COLUMNS_MAX);
        *type = 0;
        const myr_status status = extxyz_add_property(r, name, name, type[1], (int)columns);
        if (status)
            return status;
    } while (*rest++ == ':');
    return MYR_OK;
}

/* Parses n numbers, such as "5 0 0 0 5 0 0 0 5". */
static myr_status extxyz_numbers(extxyz_reader *r, const char *key, const char *value, int n, double *to)
{
    const char *at = value;
    for (int k = 0; k < n; k++) {
        char *rest;
        to[k] = strtod(at, &rest);
        if (rest == at)
            return myr_text_fail(&r->set.text, value, "%s must have %d numbers", key, n);
        at = rest;
    }
    return MYR_OK;
}

/* Stores one key=value pair of the second line; the value is null-terminated. */
static myr_status extxyz_store_pair(extxyz_reader *r, const char *key, char *value, myr_snapshot_header *header)
{
    char *rest;
    if (strcasecmp(key, "Properties") == 0)
        return r->columns ? myr_text_fail(&r->set.text, value, "Properties are there already")
                          : extxyz_properties(r, value);
    if (strcasecmp(key, "Lattice") == 0) {
        r->has_lattice = 1;
        return extxyz_numbers(r, "Lattice", value, 9, r->lattice);
    }
    if (strcasecmp(key, "Origin") == 0)
        return extxyz_numbers(r, "Origin", value, 3, header->origin);
    if (strcasecmp(key, "pbc") == 0) {
        int axis = 0;
        for (const char *at = value; *at && axis < 3; at++)
            if (isalnum((unsigned char)*at) && (at == value || !isalnum((unsigned char)at[-1])))
                r->open[axis++] = *at == 'F' || *at == 'f' || *at == '0';
        return MYR_OK;
    }
    for (const myr_text_key *k = myr_text_keys; k->key; k++)
        if (strcasecmp(key, k->key) == 0) {
            const double number = strtod(value, &rest);
            if (rest == value || *rest)
                return myr_text_fail(&r->set.text, value, "%s must be a number", key);
            myr_text_set(header, k, number);
        }
    return MYR_OK;
}

/* Cuts the next key=value pair out of a line; returns its value, or null at the end. */
static char *extxyz_next_pair(char **at, char **key)
{
    for (;;) {
        *at += strspn(*at, " \t\r");
        if (!**at)
            return NULL;
        *key = *at;
        *at += strcspn(*at, " \t\r=");
        if (**at == '=')
            break; /* skip a word without a value */
    }
    *(*at)++ = 0;
    const char *close = **at == '"' ? "\"" : **at == '{' ? "}" : **at == '[' ? "]" : **at == '\'' ? "'" : NULL;
    *at += close != NULL;
    char *value = *at;
    *at += strcspn(*at, close ? close : " \t\r");
    if (**at)
        *(*at)++ = 0;
    return value;
}

static myr_status extxyz_comment(extxyz_reader *r, myr_snapshot_header *header)
{
    static char nothing_else[] = "species:S:1:pos:R:3";
    char *end = myr_text_line_end(&r->set.text), *at = r->set.text.at, *key, *value, plain[sizeof nothing_else];
    const char newline = *end;
    myr_status status = MYR_OK;
    if (memchr(at, 0, (size_t)(end - at)))
        return myr_text_fail(&r->set.text, at, "this is not text");
    *end = 0;
    while (!status && (value = extxyz_next_pair(&at, &key)))
        status = extxyz_store_pair(r, key, value, header);
    *end = newline;
    if (!status && r->columns == 0) {
        strcpy(plain, nothing_else);
        status = extxyz_properties(r, plain);
    }
    r->set.text.at = end;
    return status;
}

/* Periodic box from the lattice: edges along the axes, or no box with a warning if the lattice is not rectangular. */
static void extxyz_box(const extxyz_reader *r, double box[3])
{
    const double *l = r->lattice;
    if (!r->has_lattice)
        return;
    if (l[1] != 0 || l[2] != 0 || l[3] != 0 || l[5] != 0 || l[6] != 0 || l[7] != 0)
        myr_context_warn(r->set.text.context, "'%s' has a box with edges that are not along the axes; it is left out",
                         r->set.text.path);
    else
        for (int c = 0; c < 3; c++)
            box[c] = r->open[c] ? 0 : l[4 * c];
}

/* --- particles ---------------------------------------------------------------------------------------------------- */

static myr_status extxyz_make(extxyz_reader *r, int64_t n)
{
    myr_status status = myr_text_make(&r->set, n);
    for (int k = 0; !status && k < r->fields; k++)
        status = myr_particles_add_field(r->set.into, r->field[k].name, r->field[k].components);
    for (int k = 0; !status && k < r->columns; k++)
        if (r->column[k].field >= 0)
            r->column[k].to =
                myr_particles_component(r->set.into, r->field[r->column[k].field].name, r->column[k].component);
    return status;
}

/* Type of a species; types are numbered in the order of first appearance. */
static myr_status extxyz_species(extxyz_reader *r, int64_t i, const char *word, size_t length)
{
    if (length > EXTXYZ_SPECIES_NAME)
        return myr_text_fail(&r->set.text, word, "the name of a species has at most %d characters",
                             EXTXYZ_SPECIES_NAME);
    int k = 0;
    while (k < r->species && (strncmp(r->symbol[k], word, length) != 0 || r->symbol[k][length]))
        k++;
    if (k == EXTXYZ_SPECIES_MAX)
        return myr_text_fail(&r->set.text, word, "there are more than %d species", EXTXYZ_SPECIES_MAX);
    if (k == r->species) {
        memcpy(r->symbol[r->species], word, length);
        r->symbol[r->species++][length] = 0;
    }
    if (!r->has_type)
        r->set.types[i] = k;
    return MYR_OK;
}

static myr_status extxyz_word(extxyz_reader *r, int64_t i, const extxyz_column *column)
{
    myr_text_skip_blanks(&r->set.text);
    const char *word = r->set.text.at;
    r->set.text.at += strcspn(word, " \t\r\n");
    if (r->set.text.at == word)
        return myr_text_fail(&r->set.text, word, "a word was expected");
    if (column->field == EXTXYZ_SPECIES)
        return extxyz_species(r, i, word, (size_t)(r->set.text.at - word));
    if (column->logical && column->field >= 0)
        column->to[i] = *word == 'T' || *word == 't' || *word == '1';
    return MYR_OK;
}

/* Reads one value of particle i. */
static myr_status extxyz_value(extxyz_reader *r, int64_t i, const extxyz_column *column)
{
    int64_t value = 0;
    myr_status status = MYR_OK;
    if (column->logical || column->field == EXTXYZ_SPECIES || column->field == EXTXYZ_LEFT_OUT)
        return extxyz_word(r, i, column);
    if (column->field >= 0)
        return myr_text_double(&r->set.text, &column->to[i]);
    if (column->field == EXTXYZ_ID)
        return myr_text_integer(&r->set.text, "id", INT64_MIN, INT64_MAX, &r->set.ids[i]);
    status = myr_text_integer(&r->set.text, "type", 0, INT32_MAX, &value);
    if (column->field == EXTXYZ_TYPE || (!r->has_type && !r->has_species))
        r->set.types[i] = (int32_t)value;
    return status;
}

static myr_status extxyz_line(extxyz_reader *r, int64_t i, int64_t n)
{
    for (int k = 0; k < r->columns; k++) {
        if (myr_text_at_end(&r->set.text))
            return myr_text_fail(&r->set.text, r->set.text.at,
                                 "this line ends after %d of %d values (particle %lld of %lld in the frame)", k,
                                 r->columns, (long long)i, (long long)n);
        const myr_status status = extxyz_value(r, i, &r->column[k]);
        if (status)
            return status;
        if (*r->set.text.at && !isspace((unsigned char)*r->set.text.at))
            return myr_text_fail(&r->set.text, r->set.text.at, "a blank was expected");
    }
    return myr_text_at_end(&r->set.text) ? MYR_OK
                                         : myr_text_fail(&r->set.text, r->set.text.at, "the line should end here");
}

/* Records in the header which type each species became. */
static void extxyz_note_species(const extxyz_reader *r, myr_snapshot_header *header)
{
    char list[256] = "";
    size_t used = 0;
    for (int k = 0; k < r->species && used < sizeof list - 32; k++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s = %d", k ? ", " : "", r->symbol[k], k);
    for (int k = 0; k < r->species && k < MYR_SNAPSHOT_SPECIES && !r->has_type; k++)
        strcpy(header->species[k], r->symbol[k]);
    if (r->species > 0 && !r->has_type)
        myr_context_warn(r->set.text.context,
                         "'%s' has species by name; unless 'species' of an input matches them, they become types: %s%s",
                         r->set.text.path, list, used < sizeof list - 32 ? "" : ", ...");
}

static myr_status extxyz_frame(extxyz_reader *r, myr_snapshot_header *header)
{
    int64_t n = 0;
    myr_status status = extxyz_count(&r->set.text, &n);
    if (status)
        return status;
    myr_text_next_line(&r->set.text);
    status = extxyz_comment(r, header);
    if (!status)
        status = extxyz_make(r, n);
    for (int64_t i = 0; !status && i < n; i++) {
        myr_text_next_line(&r->set.text);
        if (r->set.text.at == r->set.text.end)
            return myr_text_fail(&r->set.text, r->set.text.at,
                                 "the file is cut short: this frame has %lld of %lld particle%s", (long long)i,
                                 (long long)n, myr_plural(n));
        status = extxyz_line(r, i, n);
    }
    if (!status && r->has_id)
        status = myr_format_set_ids(r->set.into, r->set.text.path, r->set.ids);
    if (!status && (r->has_type || r->has_species || r->has_number))
        status = myr_particles_set_types(r->set.into, r->set.types);
    if (status)
        return status;
    extxyz_box(r, header->box);
    extxyz_note_species(r, header);
    if (myr_text_line_end(&r->set.text) == r->set.text.end) /* the last frame */
        myr_text_warn_unended(&r->set.text);
    return MYR_OK;
}

static myr_status extxyz_read_one(void *reader, int64_t frame, myr_snapshot_header *header)
{
    const myr_status status = extxyz_seek(reader, frame, header);
    return status ? status : extxyz_frame(reader, header);
}

myr_status myr_extxyz_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                           myr_snapshot_header *header)
{
    return myr_text_read_particles(context, path, sizeof(extxyz_reader), extxyz_read_one, frame, particles, header);
}
