/* nemo_read.c - reads NEMO snapshots from any program: floats or doubles, either byte order, one frame of several. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "io/nemo.h"

enum { NEMO_START = 2 + 2 + MYR_NEMO_TAG_MAX + 1 + 4 * (MYR_NEMO_RANK_MAX + 1) /* largest size before the values */ };

typedef struct {
    char type; /* letter in the file: c b a s h i l f d, ( and ) */
    char tag[MYR_NEMO_TAG_MAX + 1];
    int rank;
    int64_t dimension[MYR_NEMO_RANK_MAX];
    int swapped;
    uint64_t at, offset, bytes; /* offset of the item, offset of its values, size of the values in bytes */
} nemo_item;

/* Items of one snapshot. */
typedef struct {
    int parameters, particles;
    int has_particles;
    nemo_item parameter[MYR_NEMO_ITEMS_MAX], particle[MYR_NEMO_ITEMS_MAX];
} nemo_snapshot;

/* NEMO file being read. */
typedef struct {
    myr_binary in;
    int depth;
    char set[MYR_NEMO_DEPTH_MAX][MYR_NEMO_TAG_MAX + 1]; /* tags of the open sets */
    int64_t wanted;                                     /* number of the snapshot to keep, or MYR_SNAPSHOT_LAST */
    int64_t snapshots;                                  /* number of complete snapshots */
    nemo_snapshot now, kept;                            /* the open snapshot, and the requested one */
    nemo_item mass;                                     /* masses may be given in the first snapshot only */
    int64_t n;
    myr_particles *into;
} nemo_reader;

static int nemo_width(char type)
{
    switch (type) {
    case 'a':
    case 'b':
    case 'c':
        return 1;
    case 's':
    case 'h':
        return 2;
    case 'i':
    case 'f':
        return 4;
    case 'l':
    case 'd':
        return 8;
    case '(':
    case ')':
        return 0;
    default:
        return -1;
    }
}

/* Parses magic number and type in the first four bytes of an item; *array = 1 for an array. */
static myr_status nemo_magic(nemo_reader *r, const unsigned char *start, nemo_item *item, int *array)
{
    uint16_t magic;
    memcpy(&magic, start, sizeof magic);
    item->swapped = magic != MYR_NEMO_SINGLE && magic != MYR_NEMO_ARRAY;
    if (item->swapped)
        magic = __builtin_bswap16(magic);
    if (magic != MYR_NEMO_SINGLE && magic != MYR_NEMO_ARRAY)
        return myr_binary_fail(&r->in, item->at,
                               "an item of NEMO was expected, which begins with the number 0x0992 or "
                               "0x0b92, not with 0x%02x%02x",
                               start[0], start[1]);
    item->type = (char)start[2];
    if (start[3] != 0 || nemo_width(item->type) < 0)
        return myr_binary_fail(&r->in, item->at + 2, "the type 0x%02x%02x of an item is not known", start[2], start[3]);
    *array = magic == MYR_NEMO_ARRAY;
    r->in.swapped = item->swapped;
    return MYR_OK;
}

/* Reads the dimensions of an array, and checks that its bytes are in the file. */
static myr_status nemo_dimensions(nemo_reader *r, const unsigned char *start, size_t size, size_t *used,
                                  nemo_item *item)
{
    uint64_t bytes = (uint64_t)nemo_width(item->type);
    for (;;) {
        if (size - *used < 4)
            return myr_binary_fail(&r->in, item->at, "the file is cut short in the dimensions of '%s'", item->tag);
        const int32_t dimension = (int32_t)myr_binary_u32(&r->in, start + *used);
        *used += 4;
        if (dimension == 0)
            break;
        if (dimension < 0 || item->rank == MYR_NEMO_RANK_MAX)
            return myr_binary_fail(&r->in, item->at, "'%s' has a dimension of %d, as number %d", item->tag,
                                   (int)dimension, item->rank + 1);
        if (bytes > r->in.size / (uint64_t)dimension) /* larger than the whole file */
            return myr_binary_fail(&r->in, item->at,
                                   "the file is cut short: with its dimension %d '%s' would take more bytes than the "
                                   "%llu of the file",
                                   (int)dimension, item->tag, (unsigned long long)r->in.size);
        bytes *= (uint64_t)dimension;
        item->dimension[item->rank++] = dimension;
    }
    item->bytes = bytes;
    return MYR_OK;
}

/* Reads the item at an offset, without its values. */
static myr_status nemo_item_at(nemo_reader *r, uint64_t at, nemo_item *item)
{
    unsigned char start[NEMO_START + 1] = {0};
    const size_t size = r->in.size - at < NEMO_START ? (size_t)(r->in.size - at) : NEMO_START;
    int array = 0;
    *item = (nemo_item){.at = at};
    if (size < 4)
        return myr_binary_fail(&r->in, at, "the file is cut short in the start of an item");
    myr_status status = myr_binary_read(&r->in, at, "an item", start, size);
    if (!status)
        status = nemo_magic(r, start, item, &array);
    size_t used = 4;
    if (!status && item->type != ')') {
        const size_t length = strnlen((const char *)start + used, size - used);
        if (length == size - used && size < NEMO_START)
            return myr_binary_fail(&r->in, at, "the file is cut short in the name of an item");
        if (length > MYR_NEMO_TAG_MAX || length == 0)
            return myr_binary_fail(&r->in, at, "an item needs a name of 1 to %d letters", MYR_NEMO_TAG_MAX);
        memcpy(item->tag, start + used, length);
        used += length + 1;
    }
    item->bytes = status ? 0 : (uint64_t)nemo_width(item->type);
    if (!status && array)
        status = nemo_dimensions(r, start, size, &used, item);
    if (status)
        return status;
    item->offset = at + used;
    if (r->in.size - item->offset >= item->bytes)
        return MYR_OK;
    return myr_binary_fail(&r->in, at, "the file is cut short: '%s' should take %llu bytes, and it ends at byte %llu",
                           item->tag, (unsigned long long)item->bytes, (unsigned long long)r->in.size);
}

/* Keeps an item of Parameters or Particles of a snapshot. */
static myr_status nemo_keep(nemo_reader *r, const nemo_item *item)
{
    if (r->depth < 2 || strcmp(r->set[0], "SnapShot") != 0)
        return MYR_OK;
    const int particles = strcmp(r->set[1], "Particles") == 0;
    if ((!particles && strcmp(r->set[1], "Parameters") != 0) || r->depth > 2)
        return MYR_OK;
    int *count = particles ? &r->now.particles : &r->now.parameters;
    nemo_item *items = particles ? r->now.particle : r->now.parameter;
    if (*count == MYR_NEMO_ITEMS_MAX)
        return myr_binary_fail(&r->in, item->at, "the set '%s' has more than %d items", r->set[1], MYR_NEMO_ITEMS_MAX);
    for (int k = 0; k < *count; k++)
        if (strcmp(items[k].tag, item->tag) == 0)
            return myr_binary_fail(&r->in, item->at, "the set '%s' has two items '%s'", r->set[1], item->tag);
    items[(*count)++] = *item;
    if (particles && strcmp(item->tag, "Mass") == 0)
        r->mass = *item;
    return MYR_OK;
}

static myr_status nemo_begin_set(nemo_reader *r, const nemo_item *item)
{
    if (r->depth == MYR_NEMO_DEPTH_MAX)
        return myr_binary_fail(&r->in, item->at, "there are more than %d sets within each other", MYR_NEMO_DEPTH_MAX);
    strcpy(r->set[r->depth++], item->tag);
    if (r->depth == 1)
        r->now = (nemo_snapshot){0};
    r->now.has_particles |= r->depth == 2 && strcmp(item->tag, "Particles") == 0;
    return MYR_OK;
}

static myr_status nemo_end_set(nemo_reader *r, const nemo_item *item)
{
    if (r->depth == 0)
        return myr_binary_fail(&r->in, item->at, "a set ends here that did not begin");
    if (--r->depth == 0 && strcmp(r->set[0], "SnapShot") == 0 && r->now.has_particles) {
        if (r->wanted == MYR_SNAPSHOT_LAST || r->wanted == r->snapshots)
            r->kept = r->now;
        r->snapshots++;
    }
    return MYR_OK;
}

/* Scans all items up to the requested snapshot, and keeps the items of that one. */
static myr_status nemo_scan(nemo_reader *r, int64_t wanted)
{
    myr_status status = MYR_OK;
    uint64_t at = 0;
    nemo_item item;
    r->wanted = wanted;
    r->snapshots = 0;
    r->mass = (nemo_item){0};
    while (!status && at < r->in.size && (wanted == MYR_SNAPSHOT_LAST || r->snapshots <= wanted)) {
        status = nemo_item_at(r, at, &item);
        if (status)
            break;
        if (item.type == '(')
            status = nemo_begin_set(r, &item);
        else if (item.type == ')')
            status = nemo_end_set(r, &item);
        else
            status = nemo_keep(r, &item);
        at = item.offset + item.bytes;
    }
    if (!status && r->depth > 0)
        return myr_binary_fail(&r->in, at, "the file is cut short: the set '%s' does not end", r->set[r->depth - 1]);
    if (!status && r->snapshots == 0)
        return myr_binary_fail(&r->in, 0, "there is no set 'SnapShot' with particles");
    return status;
}

static const nemo_item *nemo_find(const nemo_item *items, int count, const char *tag)
{
    for (int k = 0; k < count; k++)
        if (strcmp(items[k].tag, tag) == 0)
            return &items[k];
    return NULL;
}

/* Reads one number of any numeric type. */
static myr_status nemo_number(nemo_reader *r, const nemo_item *item, double *value)
{
    unsigned char bytes[8];
    uint32_t bits;
    float single;
    if (item->rank > 0 || !strchr("ilfd", item->type))
        return myr_binary_fail(&r->in, item->at, "'%s' should be one number", item->tag);
    const myr_status status = myr_binary_read(&r->in, item->offset, item->tag, bytes, (size_t)item->bytes);
    if (status)
        return status;
    r->in.swapped = item->swapped;
    bits = myr_binary_u32(&r->in, bytes);
    memcpy(&single, &bits, sizeof single);
    if (item->type == 'i')
        *value = (double)(int32_t)bits;
    else if (item->type == 'f')
        *value = (double)single;
    else if (item->type == 'd')
        *value = myr_binary_f64(&r->in, bytes);
    else
        *value = (double)(int64_t)myr_binary_u64(&r->in, bytes);
    return isfinite(*value) ? MYR_OK : myr_binary_fail(&r->in, item->offset, "'%s' is %g", item->tag, *value);
}

static myr_status nemo_parameters(nemo_reader *r, myr_snapshot_header *header)
{
    const nemo_snapshot *s = &r->kept;
    const nemo_item *count = nemo_find(s->parameter, s->parameters, "Nobj");
    const nemo_item *time = nemo_find(s->parameter, s->parameters, "Time");
    double n = 0;
    if (!count)
        return myr_binary_fail(&r->in, 0, "the snapshot does not say how many particles it has: there is no 'Nobj'");
    myr_status status = nemo_number(r, count, &n);
    if (status)
        return status;
    if (!(n >= 0 && n <= INT32_MAX))
        return myr_binary_fail(&r->in, count->offset, "'Nobj' cannot be %.0f", n);
    r->n = (int64_t)n;
    if (time)
        status = nemo_number(r, time, &header->time);
    for (const myr_nemo_number *number = myr_nemo_numbers; !status && number->tag; number++) {
        const nemo_item *item = nemo_find(s->parameter, s->parameters, number->tag);
        double value = 0;
        if (item)
            status = nemo_number(r, item, &value);
        if (!status && value < 0)
            status = myr_binary_fail(&r->in, item->offset, "'%s' cannot be %g", item->tag, value);
        memcpy((char *)header + number->offset, &value, sizeof value);
    }
    return status;
}

/* Fails unless the coordinates are Cartesian in three dimensions. */
static myr_status nemo_coordinates(nemo_reader *r)
{
    const nemo_item *item = nemo_find(r->kept.particle, r->kept.particles, MYR_NEMO_COORDINATES);
    double value = 0;
    const myr_status status = item ? nemo_number(r, item, &value) : MYR_OK;
    if (status || !item)
        return status;
    const int64_t code = fabs(value) < 1e9 ? (int64_t)value : 0;
    if ((code >> 16 & 255) == MYR_NEMO_CARTESIAN && (code >> 8 & 255) == 3)
        return MYR_OK;
    return myr_binary_fail(&r->in, item->offset,
                           "'" MYR_NEMO_COORDINATES "' is 0x%llx; only Cartesian coordinates in 3 dimensions can be "
                           "read",
                           (unsigned long long)code);
}

/* Numbers per particle of an array; 0 if the array does not have one row per particle. */
static int64_t nemo_columns(const nemo_reader *r, const nemo_item *item)
{
    int64_t columns = 1;
    if (item->rank == 0 || item->dimension[0] != r->n)
        return 0;
    for (int k = 1; k < item->rank; k++)
        columns *= item->dimension[k]; /* no overflow: all numbers are in the file */
    return columns;
}

static myr_binary_kind nemo_kind(char type)
{
    return type == 'f'   ? MYR_BINARY_FLOAT
           : type == 'd' ? MYR_BINARY_DOUBLE
           : type == 'i' ? MYR_BINARY_INT32
                         : MYR_BINARY_INT64;
}

/* Reads an array into the components of `field`, then those of `second` (may be null). */
static myr_status nemo_field(nemo_reader *r, const nemo_item *item, const char *field, const char *second,
                             int components)
{
    myr_binary_column to[32];
    int columns = 0;
    const char *const name[2] = {field, second};
    myr_status status = MYR_OK;
    for (int k = 0; !status && k < 2 && name[k]; k++) {
        if (myr_particles_component(r->into, name[k], 0)) {
            myr_context_warn(r->in.context, "'%s' at byte %llu: '%s' is left out: '%s' is there already", r->in.path,
                             (unsigned long long)item->at, item->tag, name[k]);
            return MYR_OK;
        }
        status = myr_particles_add_field(r->into, name[k], components);
        for (int c = 0; !status && c < components; c++)
            to[columns++] =
                (myr_binary_column){.kind = nemo_kind(item->type), .to = myr_particles_component(r->into, name[k], c)};
    }
    r->in.swapped = item->swapped;
    return status ? status : myr_binary_get_columns(&r->in, item->offset, r->n, columns, to, NULL);
}

/* Reads keys or types. */
static myr_status nemo_integers(nemo_reader *r, const nemo_item *item)
{
    const int is_key = strcmp(item->tag, MYR_NEMO_KEY) == 0;
    int64_t *values = myr_memory_zeros(r->n, sizeof *values);
    int32_t *types = myr_memory_zeros(r->n, sizeof *types);
    myr_status status = values && types ? MYR_OK
                                        : myr_context_fail(r->in.context, MYR_ERROR_MEMORY,
                                                           "no memory for '%s' of '%s'", item->tag, r->in.path);
    r->in.swapped = item->swapped;
    if (!status)
        status = myr_binary_get_integers(&r->in, item->offset, r->n, nemo_kind(item->type), NULL, values);
    for (int64_t i = 0; !status && !is_key && i < r->n; i++) {
        if (values[i] < 0 || values[i] > INT32_MAX)
            status = myr_binary_fail(&r->in, item->offset, "type %lld of particle %lld is out of range",
                                     (long long)values[i], (long long)i);
        types[i] = (int32_t)values[i];
    }
    if (!status)
        status = is_key ? myr_format_set_ids(r->into, r->in.path, values) : myr_particles_set_types(r->into, types);
    free(types);
    free(values);
    return status;
}

/* Reads one item of Particles. */
static myr_status nemo_particle_item(nemo_reader *r, const nemo_item *item)
{
    const int64_t columns = nemo_columns(r, item);
    const int integers = item->type == 'i' || item->type == 'l';
    const char *field = myr_format_field_of(&myr_nemo_format, item->tag);
    const int motion = field && (strcmp(field, "position") == 0 || strcmp(field, "velocity") == 0);
    if (strcmp(item->tag, MYR_NEMO_COORDINATES) == 0)
        return MYR_OK;
    if (columns == 0 && item->rank > 0)
        return myr_binary_fail(&r->in, item->at, "'%s' is for %lld particles, but 'Nobj' says that there are %lld",
                               item->tag, (long long)item->dimension[0], (long long)r->n);
    const int is_phase = strcmp(item->tag, MYR_NEMO_PHASE) == 0;
    if ((is_phase && columns != 6) || (motion && columns != 3))
        return myr_binary_fail(&r->in, item->at, "'%s' should have %d numbers per particle, not %lld", item->tag,
                               is_phase ? 6 : 3, (long long)columns);
    if (columns == 0 || columns > 16 || !strchr("ilfd", item->type) || strlen(item->tag) > MYR_NEMO_TAG_MAX - 1) {
        myr_context_warn(r->in.context,
                         "'%s' at byte %llu: '%s' is left out: it is not 1 to 16 numbers per particle with a name of "
                         "up to %d letters",
                         r->in.path, (unsigned long long)item->at, item->tag, MYR_NEMO_TAG_MAX - 1);
        return MYR_OK;
    }
    if (is_phase)
        return nemo_field(r, item, "position", "velocity", 3);
    if (integers && columns == 1 && (strcmp(item->tag, MYR_NEMO_KEY) == 0 || strcmp(item->tag, MYR_NEMO_TYPE) == 0))
        return nemo_integers(r, item);
    return nemo_field(r, item, field ? field : item->tag, NULL, (int)columns);
}

/* Fails unless an array of the file has as many rows as Nobj says. */
static myr_status nemo_check_count(const nemo_reader *r)
{
    for (int k = 0; k < r->kept.particles; k++)
        if (nemo_columns(r, &r->kept.particle[k]) > 0)
            return MYR_OK;
    return r->n == 0 ? MYR_OK
                     : myr_binary_fail(&r->in, 0,
                                       "'Nobj' says that there are %lld particles, but there is no array of "
                                       "so many",
                                       (long long)r->n);
}

/* Finds the requested frame. */
static myr_status nemo_choose(nemo_reader *r, int64_t frame, myr_snapshot_header *header)
{
    myr_status status = nemo_scan(r, MYR_SNAPSHOT_LAST);
    const int64_t frames = r->snapshots;
    if (!status)
        status = myr_format_frame(r->in.context, r->in.path, frames, &frame);
    if (!status && frame < frames - 1)
        status = nemo_scan(r, frame);
    header->frame = frame;
    header->frames = frames;
    return status;
}

static myr_status nemo_read(nemo_reader *r, int64_t frame, myr_snapshot_header *header)
{
    myr_status status = nemo_choose(r, frame, header);
    if (!status)
        status = nemo_parameters(r, header);
    if (!status)
        status = nemo_coordinates(r);
    if (!status)
        status = nemo_check_count(r);
    if (!status)
        status = myr_particles_create(r->in.context, r->n, &r->into);
    for (int k = 0; !status && k < r->kept.particles; k++)
        status = nemo_particle_item(r, &r->kept.particle[k]);
    const int own_mass = nemo_find(r->kept.particle, r->kept.particles, "Mass") != NULL;
    if (!status && !own_mass && r->mass.rank == 1 && r->mass.dimension[0] == r->n)
        status = nemo_particle_item(r, &r->mass);
    return status;
}

myr_status myr_nemo_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                         myr_snapshot_header *header)
{
    myr_status status;
    nemo_reader *r = calloc(1, sizeof *r);
    *particles = NULL;
    if (!r)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory to read '%s'", path);
    status = myr_binary_open(context, path, &r->in);
    if (!status)
        status = nemo_read(r, frame, header);
    myr_binary_close(&r->in);
    if (status)
        myr_particles_destroy(&r->into);
    *particles = r->into;
    free(r);
    return status;
}
