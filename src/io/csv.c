/* csv.c - comma-separated text, for people and spreadsheets; it needs no library.
 *
 *   id,type,x,y,z,vx,vy,vz,mass,jerk[0],jerk[1],jerk[2]
 *   # time = 0.5
 *   0,0,0.1,...
 *
 * The first line names the columns: x,y,z are the position, vx,vy,vz the velocity, name[k] component k of a field, and
 * any other name is a field of one component. Lines that start with # are comments; time, box and units stand in such
 * lines. Numbers have 17 digits, so that every double comes back with the same bits (of a NaN, only that it is one). */
#include "io/csv.h"

#include <ctype.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "io/file.h"

enum {
    CSV_BUFFER = 1 << 16,
    CSV_WORD = 128, /* characters that a number or a name with its comma may take */
};

const myr_csv_short myr_csv_shorts[] = {{"x", "position", 0},
                                        {"y", "position", 1},
                                        {"z", "position", 2},
                                        {"vx", "velocity", 0},
                                        {"vy", "velocity", 1},
                                        {"vz", "velocity", 2},
                                        {0, 0, 0}};

const myr_csv_key myr_csv_keys[] = {{"time", offsetof(myr_snapshot_header, time)},
                                    {"box_x", offsetof(myr_snapshot_header, box[0])},
                                    {"box_y", offsetof(myr_snapshot_header, box[1])},
                                    {"box_z", offsetof(myr_snapshot_header, box[2])},
                                    {"unit_length_in_m", offsetof(myr_snapshot_header, unit_length)},
                                    {"unit_mass_in_kg", offsetof(myr_snapshot_header, unit_mass)},
                                    {"unit_time_in_s", offsetof(myr_snapshot_header, unit_time)},
                                    {"unit_charge_in_C", offsetof(myr_snapshot_header, unit_charge)},
                                    {0, 0}};

static const myr_format_field csv_fields[] = {
    {"position", "x,y,z", 0, 0}, {"velocity", "vx,vy,vz", 0, 0}, {0, 0, 0, 0}};

/* Text, with a comma in a first line that starts with a name. */
static int csv_probe(const myr_format_file *file)
{
    const unsigned char *head = file->head;
    const size_t size = file->head_size;
    size_t k = size >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (k == size || !(head[k] == '"' || head[k] == '_' || isalpha(head[k])))
        return MYR_FORMAT_NO;
    int comma = 0, first_line = 1;
    for (; k < size; k++) {
        if (head[k] < 32 && head[k] != '\n' && head[k] != '\r' && head[k] != '\t')
            return MYR_FORMAT_NO;
        first_line &= head[k] != '\n';
        comma |= first_line && head[k] == ',';
    }
    return comma ? MYR_FORMAT_LIKELY : MYR_FORMAT_NO;
}

/* Whether a field's name would come back: no sign that has a meaning, no column that means something else. */
static int csv_can_name(const char *name)
{
    if (strpbrk(name, ",\"[]#=\r\n\t") || *name == ' ' || name[strlen(name) - 1] == ' ' || strcmp(name, "id") == 0 ||
        strcmp(name, "type") == 0)
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
    .info = {"csv", "comma-separated text with a line of names", 1},
    .endings = {".csv"},
    .fields = csv_fields,
    .any_field = 1,
    .bits = 64,
    .keeps = MYR_SNAPSHOT_IDS | MYR_SNAPSHOT_TYPES | MYR_SNAPSHOT_TIME | MYR_SNAPSHOT_BOX | MYR_SNAPSHOT_UNITS,
    .can_name = csv_can_name,
    .probe = csv_probe,
    .write = myr_csv_write,
    .read = myr_csv_read,
};

/* A file being written. */
typedef struct {
    myr_file file;
    uint64_t offset;
    size_t used;
    char buffer[CSV_BUFFER];
    myr_status status;
} csv_writer;

static void csv_flush(csv_writer *w)
{
    if (!w->status)
        w->status = myr_file_write(&w->file, w->offset, w->buffer, w->used);
    w->offset += w->used;
    w->used = 0;
}

static void csv_put(csv_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* At most CSV_WORD characters at a time. */
static void csv_put(csv_writer *w, const char *format, ...)
{
    va_list args;
    if (w->used > CSV_BUFFER - CSV_WORD)
        csv_flush(w);
    va_start(args, format);
    w->used += (size_t)vsnprintf(w->buffer + w->used, CSV_WORD, format, args);
    va_end(args);
}

static void csv_put_names(csv_writer *w, const myr_format_job *job)
{
    csv_put(w, "id,type");
    for (int k = 0; k < job->fields; k++) {
        const char *stored = job->components[k] == 3 ? myr_format_stored(&myr_csv_format, job->field[k]) : NULL;
        if (stored)
            csv_put(w, ",%s", stored);
        else if (job->components[k] == 1)
            csv_put(w, ",%s", job->field[k]);
        else
            for (int c = 0; c < job->components[k]; c++)
                csv_put(w, ",%s[%d]", job->field[k], c);
    }
    csv_put(w, "\n");
    for (const myr_csv_key *key = myr_csv_keys; key->key; key++) {
        double value;
        memcpy(&value, (const char *)&job->header + key->offset, sizeof value);
        if (value != 0)
            csv_put(w, "# %s = %.17g\n", key->key, value);
    }
}

static void csv_put_particles(csv_writer *w, const myr_format_job *job)
{
    const myr_particles *p = job->particles;
    const int64_t *ids = myr_particles_ids(p);
    const int32_t *types = myr_particles_types(p);
    const double *column[MYR_FORMAT_FIELDS_MAX * MYR_CSV_COMPONENTS_MAX];
    int columns = 0;
    for (int k = 0; k < job->fields; k++)
        for (int c = 0; c < job->components[k]; c++)
            column[columns++] = myr_particles_component_const(p, job->field[k], c);
    for (int64_t i = 0; !w->status && i < myr_particles_count(p); i++) {
        csv_put(w, "%lld,%d", (long long)ids[i], (int)types[i]);
        for (int c = 0; c < columns; c++)
            csv_put(w, ",%.17g", column[c][i]);
        csv_put(w, "\n");
    }
}

myr_status myr_csv_write(const myr_format_job *job)
{
    myr_context *context = myr_particles_context(job->particles);
    csv_writer *w = calloc(1, sizeof *w);
    if (!w)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory to write '%s'", job->path);
    /* numbers with a point, whatever the language of the program that we are part of */
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(plain);
    w->status = myr_file_create(context, job->path, &w->file);
    if (!w->status) {
        csv_put_names(w, job);
        csv_put_particles(w, job);
        csv_flush(w);
    }
    if (!w->status)
        w->status = myr_file_flush(&w->file);
    if (!w->status)
        w->status = myr_file_publish(&w->file);
    else
        myr_file_discard(&w->file);
    uselocale(before);
    freelocale(plain);
    const myr_status status = w->status;
    free(w);
    return status;
}
