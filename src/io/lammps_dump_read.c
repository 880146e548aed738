/* lammps_dump_read.c - reads one frame of a LAMMPS dump; errors name line and column. Positions may be absolute (x),
 * fractions of the box (xs), or unfolded (xu, xsu). */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "io/lammps.h"
#include "io/lammps_dump.h"

enum {
    LAMMPS_DUMP_COLUMNS = 256,
    /* meaning of a column that is not a field */
    LAMMPS_DUMP_ID = -1,
    LAMMPS_DUMP_TYPE = -2,
    LAMMPS_DUMP_OTHER = -3,
};

typedef struct {
    char field[MYR_FORMAT_NAME_MAX + 1];
    int what; /* component of the field, or one of the values above */
    int axis; /* axis of a position in fractions of the box, else -1 */
    double *to;
} lammps_dump_column;

typedef struct {
    myr_text_particles set;
    int64_t n, step;
    int has_count, has_bounds, has_ids, has_types;
    double bound[3][2], time;
    int open[3];
    int columns;
    lammps_dump_column column[LAMMPS_DUMP_COLUMNS];
} lammps_dump_reader;

/* --- header of a frame -------------------------------------------------------------------------------------------- */

/* Reads "ITEM: BOX BOUNDS pp pp pp" and the three lines after it. */
static myr_status lammps_dump_bounds(lammps_dump_reader *r, const char *rest)
{
    myr_text *t = &r->set.text;
    double tilt;
    for (int c = 0; c < 3; c++)
        r->open[c] = 0;
    if (strncmp(rest, "abc origin", 10) == 0)
        return myr_text_fail(t, t->at, "the box is triclinic: only boxes with edges along the axes can be read");
    const int tilted = strncmp(rest, "xy xz yz", 8) == 0;
    rest += tilted ? 8 : 0;
    for (int c = 0; c < 3; c++) {
        rest += strspn(rest, " \t");
        r->open[c] = *rest && *rest != 'p';
        rest += strcspn(rest, " \t");
    }
    for (int c = 0; c < 3; c++) {
        myr_text_next_line(t);
        myr_status status = myr_lammps_line_numbers(t, 2, r->bound[c]);
        if (!status && tilted)
            status = myr_lammps_line_numbers(t, 1, &tilt);
        if (!status && tilted && tilt != 0)
            return myr_text_fail(t, t->line_start,
                                 "the box is triclinic: only boxes with edges along the axes can be read");
        if (!status)
            status = myr_lammps_line_done(t);
        if (status)
            return status;
        if (!(r->bound[c][0] < r->bound[c][1]))
            return myr_text_fail(t, t->line_start, "the box needs %clo < %chi", "xyz"[c], "xyz"[c]);
    }
    r->has_bounds = 1;
    return MYR_OK;
}

static myr_status lammps_dump_count(lammps_dump_reader *r)
{
    myr_text *t = &r->set.text;
    myr_text_next_line(t);
    const char *start = t->at;
    myr_status status = myr_lammps_line_integer(t, "number of atoms", 0, INT64_MAX / 1024, &r->n);
    if (!status && r->n > (t->end - t->at) / 2)
        status = myr_text_fail(t, start, "this frame says that it has %lld atom%s, but only %lld bytes follow",
                               (long long)r->n, myr_plural(r->n), (long long)(t->end - t->at));
    r->has_count = !status;
    return status ? status : myr_lammps_line_done(t);
}

/* Reads one item of the header; *atoms is set to the column names when these are reached. */
static myr_status lammps_dump_item(lammps_dump_reader *r, const char **atoms)
{
    static const char item[] = "ITEM: ";
    char word[MYR_LAMMPS_WORD];
    myr_text *t = &r->set.text;
    myr_status status = MYR_OK;
    if (strncmp(t->at, item, sizeof item - 1) != 0)
        return myr_text_fail(t, t->at, "a line that starts with 'ITEM: ' was expected");
    t->at += sizeof item - 1;
    myr_lammps_line_rest(t, word);
    if (strncmp(word, "ATOMS", 5) == 0) {
        *atoms = t->at + 5;
        if (!r->has_count || !r->has_bounds)
            return myr_text_fail(t, t->at, "the frame has no %s before its atoms",
                                 r->has_count ? "BOX BOUNDS" : "NUMBER OF ATOMS");
    } else if (strncmp(word, "BOX BOUNDS", 10) == 0) {
        status = lammps_dump_bounds(r, word + 10 + strspn(word + 10, " "));
    } else if (strcmp(word, "NUMBER OF ATOMS") == 0) {
        status = lammps_dump_count(r);
    } else if (strcmp(word, "TIMESTEP") == 0) {
        myr_text_next_line(t);
        status = myr_lammps_line_integer(t, "step", INT64_MIN, INT64_MAX, &r->step);
    } else if (strcmp(word, "TIME") == 0) {
        myr_text_next_line(t);
        status = myr_lammps_line_numbers(t, 1, &r->time);
    } else if (strcmp(word, "UNITS") == 0) {
        myr_text_next_line(t);
    } else {
        return myr_text_fail(t, t->at, "'%s' is not an item of a dump of atoms", word);
    }
    myr_text_next_line(t);
    return status;
}

/* Reads the header of a frame, up to the first atom. */
static myr_status lammps_dump_head(lammps_dump_reader *r, const char **atoms)
{
    myr_status status = MYR_OK;
    r->has_count = r->has_bounds = 0;
    r->time = 0;
    r->step = 0;
    *atoms = NULL;
    while (!status && !*atoms) {
        if (r->set.text.at == r->set.text.end)
            return myr_text_fail(&r->set.text, r->set.text.at, "the file is cut short: a frame ends before its atoms");
        status = lammps_dump_item(r, atoms);
    }
    return status;
}

/* --- frames ------------------------------------------------------------------------------------------------------- */

static int lammps_dump_rest_is_blank(const myr_text *t)
{
    for (const char *at = t->at; at < t->end; at++)
        if (!isspace((unsigned char)*at))
            return 0;
    return 1;
}

/* Moves to the requested frame. A truncated last frame, as of a running simulation, is an error only if it is the
 * requested one. */
static myr_status lammps_dump_seek(lammps_dump_reader *r, int64_t frame, myr_snapshot_header *header)
{
    const myr_text start = r->set.text;
    myr_text found = start;
    int64_t frames = 0;
    const char *atoms;
    while (!lammps_dump_rest_is_blank(&r->set.text)) {
        if (frames == frame)
            found = r->set.text;
        const myr_status status = lammps_dump_head(r, &atoms);
        if (status && (frame < 0 || frames <= frame))
            return status;
        if (status)
            break;
        for (int64_t i = 0; i < r->n && r->set.text.at < r->set.text.end; i++)
            myr_text_next_line(&r->set.text);
        frames++;
    }
    header->frames = frames;
    header->frame = frame;
    const myr_status status = myr_format_frame(r->set.text.context, r->set.text.path, frames, &header->frame);
    r->set.text = frame >= 0 ? found : start;
    if (frame >= 0 || status)
        return status;
    return lammps_dump_seek(r, header->frame, header); /* second pass, after the number of frames is known */
}

/* --- atoms -------------------------------------------------------------------------------------------------------- */

/* Recognises scaled and unfolded position columns: xs, xu, xsu. */
static int lammps_dump_position(const char *name, lammps_dump_column *column)
{
    static const char *const way[] = {"s", "u", "su"};
    if (*name < 'x' || *name > 'z')
        return 0;
    for (int k = 0; k < 3; k++)
        if (strcmp(name + 1, way[k]) == 0) {
            strcpy(column->field, "position");
            column->what = *name - 'x';
            column->axis = k == 1 ? -1 : column->what;
            return 1;
        }
    return 0;
}

/* Meaning of a column by its name. */
static void lammps_dump_name(lammps_dump_reader *r, const char *name, lammps_dump_column *column)
{
    *column = (lammps_dump_column){.what = LAMMPS_DUMP_OTHER, .axis = -1};
    if (strcmp(name, "id") == 0 && !r->has_ids++)
        column->what = LAMMPS_DUMP_ID;
    else if (strcmp(name, "type") == 0 && !r->has_types++)
        column->what = LAMMPS_DUMP_TYPE;
    else if (!lammps_dump_position(name, column))
        for (const myr_lammps_column *c = myr_lammps_columns; c->column; c++)
            if (strcmp(c->column, name) == 0) {
                strcpy(column->field, c->field);
                column->what = c->component;
            }
}

static myr_status lammps_dump_columns(lammps_dump_reader *r, const char *names)
{
    char name[MYR_LAMMPS_WORD], left_out[256] = "";
    size_t used = 0;
    for (;;) {
        names += strspn(names, " \t");
        const size_t length = strcspn(names, " \t\r\n");
        if (length == 0)
            break;
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), names);
        names += length;
        if (r->columns == LAMMPS_DUMP_COLUMNS)
            return myr_text_fail(&r->set.text, r->set.text.at, "there are more than %d columns", LAMMPS_DUMP_COLUMNS);
        lammps_dump_column *column = &r->column[r->columns];
        lammps_dump_name(r, name, column);
        if (column->what == LAMMPS_DUMP_OTHER && used < sizeof left_out - MYR_LAMMPS_WORD)
            used += (size_t)snprintf(left_out + used, sizeof left_out - used, "%s%s", used ? ", " : "", name);
        for (int k = 0; k < r->columns && column->what >= 0; k++)
            if (r->column[k].what == column->what && strcmp(r->column[k].field, column->field) == 0)
                return myr_text_fail(&r->set.text, r->set.text.at,
                                     "the columns of the frame have %s twice: the second is '%s'", column->field, name);
        r->columns++;
    }
    if (*left_out)
        myr_context_warn(r->set.text.context, "'%s' has columns that are left out: %s", r->set.text.path, left_out);
    return MYR_OK;
}

/* Creates the particles with the fields of the columns; a field needs all its components. */
static myr_status lammps_dump_make(lammps_dump_reader *r)
{
    myr_text *t = &r->set.text;
    myr_status status = myr_text_make(&r->set, r->n);
    for (int k = 0; !status && k < r->columns; k++) {
        lammps_dump_column *column = &r->column[k];
        if (column->what < 0)
            continue;
        const myr_format_field *field = myr_format_field_find(&myr_lammps_dump_format, column->field);
        int there = 0;
        for (int j = 0; j < r->columns; j++)
            there += r->column[j].what >= 0 && strcmp(r->column[j].field, column->field) == 0;
        if (there != field->components)
            return myr_text_fail(t, t->at, "the columns of the frame have %d of the %d components of the %s", there,
                                 field->components, column->field);
        status = myr_particles_add_field(r->set.into, column->field, field->components);
        if (!status)
            column->to = myr_particles_component(r->set.into, column->field, column->what);
    }
    return status;
}

/* Reads one value of atom i. */
static myr_status lammps_dump_value(lammps_dump_reader *r, int64_t i, const lammps_dump_column *column)
{
    myr_text *t = &r->set.text;
    int64_t value = 0;
    myr_status status = MYR_OK;
    if (column->what == LAMMPS_DUMP_OTHER) {
        myr_text_skip_blanks(t);
        t->at += strcspn(t->at, " \t\r\n");
    } else if (column->what == LAMMPS_DUMP_ID) {
        status = myr_lammps_line_integer(t, "id", 1, INT64_MAX, &value);
        r->set.ids[i] = status ? 0 : value - 1;
    } else if (column->what == LAMMPS_DUMP_TYPE) {
        status = myr_lammps_line_integer(t, "type", 1, INT32_MAX, &value);
        r->set.types[i] = status ? 0 : (int32_t)(value - 1);
    } else {
        const int c = column->axis;
        status = myr_lammps_line_numbers(t, 1, &column->to[i]);
        if (!status && c >= 0)
            column->to[i] = r->bound[c][0] + column->to[i] * (r->bound[c][1] - r->bound[c][0]);
    }
    return status;
}

static myr_status lammps_dump_atoms(lammps_dump_reader *r)
{
    myr_text *t = &r->set.text;
    myr_status status = MYR_OK;
    for (int64_t i = 0; !status && i < r->n; i++) {
        if (t->at == t->end)
            return myr_text_fail(t, t->at, "the file is cut short: this frame has %lld of %lld atom%s", (long long)i,
                                 (long long)r->n, myr_plural(r->n));
        for (int k = 0; !status && k < r->columns; k++) {
            if (myr_lammps_line_ended(t))
                return myr_text_fail(t, t->at, "this line ends after %d of %d values", k, r->columns);
            status = lammps_dump_value(r, i, &r->column[k]);
        }
        if (!status)
            status = myr_lammps_line_done(t);
        myr_text_next_line(t);
    }
    if (!status && r->has_ids)
        status = myr_format_set_ids(r->set.into, t->path, r->set.ids);
    if (!status && r->has_types)
        status = myr_particles_set_types(r->set.into, r->set.types);
    return status;
}

static myr_status lammps_dump_frame(lammps_dump_reader *r, myr_snapshot_header *header)
{
    const char *atoms = NULL;
    myr_status status = lammps_dump_head(r, &atoms);
    if (!status)
        status = lammps_dump_columns(r, atoms);
    if (!status)
        status = lammps_dump_make(r);
    if (!status)
        status = lammps_dump_atoms(r);
    header->time = r->time;
    header->step = r->step;
    for (int c = 0; c < 3; c++) {
        header->box[c] = r->open[c] ? 0 : r->bound[c][1] - r->bound[c][0];
        header->origin[c] = r->open[c] ? 0 : r->bound[c][0];
    }
    if (!status && r->set.text.at == r->set.text.end)
        myr_text_warn_unended(&r->set.text);
    return status;
}

static myr_status lammps_dump_read_one(void *reader, int64_t frame, myr_snapshot_header *header)
{
    lammps_dump_reader *r = reader;
    if (memchr(r->set.text.at, 0, (size_t)(r->set.text.end - r->set.text.at)))
        return myr_text_fail(&r->set.text, r->set.text.at, "this is not text");
    const myr_status status = lammps_dump_seek(r, frame, header);
    return status ? status : lammps_dump_frame(r, header);
}

myr_status myr_lammps_dump_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                                myr_snapshot_header *header)
{
    return myr_text_read_particles(context, path, sizeof(lammps_dump_reader), lammps_dump_read_one, frame, particles,
                                   header);
}
