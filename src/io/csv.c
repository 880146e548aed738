/* csv.c - tables of text, for people and spreadsheets; needs no library.
 *
 *   id,type,x,y,z,vx,vy,vz,mass,jerk[0],jerk[1],jerk[2],name
 *   # time = 0.5
 *   0,0,0.1,...
 *
 * The first line names the columns: x,y,z are the position, vx,vy,vz the velocity, name[k] is component k of a field,
 * name is the name of the particle, and any other name is a field of one component. Lines that start with # are
 * comments; time, box and units are stored in comments. Numbers have 17 digits, so that every double is read back with
 * the same bits (except the payload of a NaN). Commas are written; semicolons, tabs and blanks are read as well. */
#include "io/csv.h"

#include <ctype.h>
#include <string.h>

const myr_csv_short myr_csv_shorts[] = {{"x", "position", 0},
                                        {"y", "position", 1},
                                        {"z", "position", 2},
                                        {"vx", "velocity", 0},
                                        {"vy", "velocity", 1},
                                        {"vz", "velocity", 2},
                                        {0, 0, 0}};

const myr_text_key myr_csv_boxes[] = {{"box_x", offsetof(myr_snapshot_header, box[0])},
                                      {"box_y", offsetof(myr_snapshot_header, box[1])},
                                      {"box_z", offsetof(myr_snapshot_header, box[2])},
                                      {"origin_x", offsetof(myr_snapshot_header, origin[0])},
                                      {"origin_y", offsetof(myr_snapshot_header, origin[1])},
                                      {"origin_z", offsetof(myr_snapshot_header, origin[2])},
                                      {0, 0}};

static const myr_format_field csv_fields[] = {
    {"position", "x,y,z", 0, 0}, {"velocity", "vx,vy,vz", 0, 0}, {0, 0, 0, 0}};

/* 1 if the bytes are text. */
static int csv_is_text(const char *at, const char *end)
{
    for (; at < end; at++)
        if ((unsigned char)*at < 32 && *at != '\n' && *at != '\r' && *at != '\t')
            return 0;
    return 1;
}

/* 1 if there is a table: at least three columns, and a number in the first line that is neither comment nor names. The
 * last line may be cut off. */
static int csv_is_table(char *at, const char *end)
{
    for (int names = 0; at < end;) {
        myr_csv_shape shape;
        char *newline = memchr(at, '\n', (size_t)(end - at));
        const size_t blank = strspn(at, " \t\r");
        if (*at != '#' && at[blank] != '\n') {
            myr_csv_measure(at, end, &shape);
            if (shape.numbers > 0 || names++)
                return shape.numbers > 0 && shape.cells >= 3;
        }
        at = newline ? newline + 1 : at + (end - at);
    }
    return 0;
}

/* Probes for text whose first line starts with a name and contains a comma, or for a table without commas. */
static int csv_probe(const myr_format_file *file)
{
    char head[MYR_FORMAT_HEAD + 1];
    const size_t size = file->head_size, mark = size >= 3 && memcmp(file->head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    memcpy(head, file->head, size);
    head[size] = 0;
    const char *end = head + size;
    char *at = head + mark;
    if (at == end || !csv_is_text(at, end))
        return MYR_FORMAT_NO;
    const int named = *at == '"' || *at == '_' || isalpha((unsigned char)*at);
    if (named && myr_csv_separator(at, end) == ',')
        return MYR_FORMAT_LIKELY;
    return csv_is_table(at, end) ? MYR_FORMAT_PERHAPS : MYR_FORMAT_NO;
}

/* 1 if a field name can be read back: it contains no character and equals no column name with a special meaning. */
static int csv_can_name(const char *name)
{
    if (strpbrk(name, ",;\"[]#=\r\n\t") || *name == ' ' || name[strlen(name) - 1] == ' ' || strcmp(name, "id") == 0 ||
        strcmp(name, "type") == 0 || strcmp(name, "name") == 0 || myr_csv_is_number(name, name + strlen(name)))
        return 0;
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        if (*c < 32)
            return 0;
    for (const myr_csv_short *s = myr_csv_shorts; s->column; s++)
        if (strcmp(name, s->column) == 0)
            return 0;
    return 1;
}

const myr_format myr_csv_format = {
    .info = {"csv", "comma-separated text with a line of names; other separators are read as well", 1},
    .endings = {".csv"},
    .fields = csv_fields,
    .any_field = 1,
    .bits = 64,
    .keeps = MYR_SNAPSHOT_IDS | MYR_SNAPSHOT_TYPES | MYR_SNAPSHOT_TIME | MYR_SNAPSHOT_BOX | MYR_SNAPSHOT_UNITS |
             MYR_SNAPSHOT_ORIGIN | MYR_SNAPSHOT_NAMES,
    .can_name = csv_can_name,
    .probe = csv_probe,
    .write = myr_csv_write,
    .read = myr_csv_read,
    .read_columns = myr_csv_read_columns,
};

static void csv_put_keys(myr_text_writer *w, const myr_snapshot_header *header, const myr_text_key *key)
{
    for (; key->key; key++)
        if (myr_text_get(header, key) != 0)
            myr_text_put(w, "# %s = %.17g\n", key->key, myr_text_get(header, key));
}

static int csv_has_names(const myr_particles *p)
{
    for (int64_t i = 0; i < myr_particles_count(p); i++)
        if (myr_particles_name(p, i))
            return 1;
    return 0;
}

static void csv_put_names(myr_text_writer *w, const myr_format_job *job)
{
    myr_text_put(w, "id,type");
    for (int k = 0; k < job->fields; k++) {
        const char *stored = job->components[k] == 3 ? myr_format_stored(&myr_csv_format, job->field[k]) : NULL;
        if (stored)
            myr_text_put(w, ",%s", stored);
        else if (job->components[k] == 1)
            myr_text_put(w, ",%s", job->field[k]);
        else
            for (int c = 0; c < job->components[k]; c++)
                myr_text_put(w, ",%s[%d]", job->field[k], c);
    }
    myr_text_put(w, csv_has_names(job->particles) ? ",name\n" : "\n");
    csv_put_keys(w, &job->header, myr_text_keys);
    csv_put_keys(w, &job->header, myr_csv_boxes);
}

static void csv_put_particles(myr_text_writer *w, const myr_format_job *job)
{
    const myr_particles *p = job->particles;
    const int64_t *ids = myr_particles_ids(p);
    const int32_t *types = myr_particles_types(p);
    const double *column[MYR_FORMAT_FIELDS_MAX * MYR_CSV_COMPONENTS_MAX];
    int columns = 0;
    const int named = csv_has_names(p);
    for (int k = 0; k < job->fields; k++)
        for (int c = 0; c < job->components[k]; c++)
            column[columns++] = myr_particles_component_const(p, job->field[k], c);
    for (int64_t i = 0; !myr_text_status(w) && i < myr_particles_count(p); i++) {
        myr_text_put(w, "%lld,%d", (long long)ids[i], (int)types[i]);
        for (int c = 0; c < columns; c++)
            myr_text_put(w, ",%.17g", column[c][i]);
        if (named)
            myr_text_put(w, ",\"%s\"", myr_particles_name(p, i) ? myr_particles_name(p, i) : "");
        myr_text_put(w, "\n");
    }
}

myr_status myr_csv_write(const myr_format_job *job)
{
    myr_text_language language;
    myr_text_writer *w = NULL;
    myr_status status = myr_text_create(myr_particles_context(job->particles), job->path, &w);
    if (status)
        return status;
    myr_text_plain(&language);
    csv_put_names(w, job);
    csv_put_particles(w, job);
    status = myr_text_publish(&w);
    myr_text_restore(&language);
    return status;
}
