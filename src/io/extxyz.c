/* extxyz.c - extended XYZ, the text format of OVITO and ASE: per frame the number of particles, a line of key=value
 * pairs, and a line per particle.
 *
 *   2
 *   Lattice="5 0 0 0 5 0 0 0 5" pbc="T T T" Properties=id:I:1:type:I:1:pos:R:3:velo:R:3:mass:R:1 time=0.5
 *   0 0 0.1 0.2 0.3 1 0 0 2.5
 *   1 0 ...
 *
 * Both programs recognise the names pos, velo, forces, mass, charge, id and type. ASE reads 32-bit integers only:
 * larger ids are declared as strings. Numbers have 17 digits, so that every double is read back with the same bits. A
 * non-periodic axis has edge 1 in Lattice, because both programs need a complete matrix, and F in pbc. A box whose
 * origin is not 0 has Origin="x y z", as in OVITO. */
#include "io/extxyz.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

static const myr_format_field extxyz_fields[] = {{"position", "pos", 3, 0},
                                                 {"velocity", "velo", 3, 0},
                                                 {"force", "forces", 3, 0},
                                                 {"mass", "mass", 1, 0},
                                                 {"charge", "charge", 1, 0},
                                                 {"radius", "radius", 1, 0},
                                                 {0, 0, 0, 0}};

/* Alternative property names of the fields above; a null field means that the property is not a field. */
static const struct {
    const char *property, *field;
} extxyz_others[] = {
    {"vel", "velocity"},   {"velocity", "velocity"}, {"velocities", "velocity"}, {"force", "force"}, {"masses", "mass"},
    {"charges", "charge"}, {"position", "position"}, {"positions", "position"},  {"id", NULL},       {"type", NULL},
    {"species", NULL},     {"element", NULL},        {"atom_types", NULL},       {"z", NULL}};

enum { EXTXYZ_OTHERS = sizeof extxyz_others / sizeof extxyz_others[0] };

/* Probes for a number of particles in the first line; certain if the second line contains Properties=. */
static int extxyz_probe(const myr_format_file *file)
{
    static const char word[] = "Properties=";
    const unsigned char *head = file->head, *end = head + file->head_size, *at = head;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    const unsigned char *digits = at;
    while (at < end && isdigit(*at))
        at++;
    if (at == digits)
        return MYR_FORMAT_NO;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    if (at == end || *at != '\n')
        return MYR_FORMAT_NO;
    for (at++; at < end && *at != '\n'; at++) {
        if ((size_t)(end - at) >= sizeof word - 1 && memcmp(at, word, sizeof word - 1) == 0)
            return MYR_FORMAT_SURELY;
        if (*at < 32 && *at != '\t' && *at != '\r')
            return MYR_FORMAT_NO;
    }
    return MYR_FORMAT_PERHAPS;
}

const myr_format myr_extxyz_format = {
    .info = {"extxyz", "extended XYZ, text for OVITO and ASE", 1},
    .endings = {".extxyz", ".xyz"},
    .fields = extxyz_fields,
    .any_field = 1,
    .bits = 64,
    .keeps = MYR_SNAPSHOT_IDS | MYR_SNAPSHOT_TYPES | MYR_SNAPSHOT_TIME | MYR_SNAPSHOT_BOX | MYR_SNAPSHOT_UNITS |
             MYR_SNAPSHOT_FRAMES | MYR_SNAPSHOT_ORIGIN,
    .many_frames = 1,
    .probe = extxyz_probe,
    .write = myr_extxyz_write,
    .read = myr_extxyz_read,
};

void myr_extxyz_name(const char *field, char property[MYR_EXTXYZ_WORD])
{
    const char *stored = myr_format_stored(&myr_extxyz_format, field);
    int taken = myr_format_field_of(&myr_extxyz_format, field) != NULL;
    for (int k = 0; k < EXTXYZ_OTHERS; k++)
        taken |= strcasecmp(extxyz_others[k].property, field) == 0;
    if (stored)
        strcpy(property, stored);
    else
        myr_text_encode(field, taken, property);
}

int myr_extxyz_field(const char *property, char field[MYR_FORMAT_NAME_MAX + 1])
{
    const char *known = myr_format_field_of(&myr_extxyz_format, property);
    for (int k = 0; !known && k < EXTXYZ_OTHERS; k++)
        if (extxyz_others[k].field && strcmp(extxyz_others[k].property, property) == 0)
            known = extxyz_others[k].field;
    if (!known)
        return myr_text_decode(property, field);
    strcpy(field, known);
    return 1;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static int extxyz_ids_are_small(const myr_particles *p)
{
    const int64_t *ids = myr_particles_ids(p);
    for (int64_t i = 0; i < myr_particles_count(p); i++)
        if (ids[i] < INT32_MIN || ids[i] > INT32_MAX)
            return 0;
    return 1;
}

static void extxyz_put_box(myr_text_writer *w, const double box[3], const double origin[3])
{
    const int periodic = box[0] > 0 || box[1] > 0 || box[2] > 0;
    for (int c = 0; periodic && c < 3; c++)
        for (int d = 0; d < 3; d++)
            myr_text_put(w, "%s%.17g", c + d ? " " : "Lattice=\"", c != d ? 0 : box[c] > 0 ? box[c] : 1);
    myr_text_put(w, "%spbc=\"%c %c %c\" ", periodic ? "\" " : "", "FT"[box[0] > 0], "FT"[box[1] > 0], "FT"[box[2] > 0]);
    if (origin[0] != 0 || origin[1] != 0 || origin[2] != 0)
        myr_text_put(w, "Origin=\"%.17g %.17g %.17g\" ", origin[0], origin[1], origin[2]);
}

static void extxyz_put_comment(myr_text_writer *w, const myr_format_job *job, int64_t frame)
{
    char property[MYR_EXTXYZ_WORD];
    const myr_snapshot_header *header = &job->frame_header[frame];
    extxyz_put_box(w, header->box, header->origin);
    myr_text_put(w, "Properties=id:%c:1:type:I:1", extxyz_ids_are_small(job->frame[frame]) ? 'I' : 'S');
    for (int k = 0; k < job->fields; k++) {
        myr_extxyz_name(job->field[k], property);
        myr_text_put(w, ":%s:R:%d", property, job->components[k]);
    }
    for (const myr_text_key *key = myr_text_keys; key->key; key++)
        /* the first key is the time, which every frame has */
        if (key == myr_text_keys || myr_text_get(header, key) != 0)
            myr_text_put(w, " %s=%.17g", key->key, myr_text_get(header, key));
    myr_text_put(w, "\n");
}

static void extxyz_put_particles(myr_text_writer *w, const myr_format_job *job, const myr_particles *p)
{
    const double *column[MYR_FORMAT_FIELDS_MAX * MYR_EXTXYZ_COMPONENTS_MAX];
    int columns = 0;
    for (int k = 0; k < job->fields; k++)
        for (int c = 0; c < job->components[k]; c++)
            column[columns++] = myr_particles_component_const(p, job->field[k], c);
    for (int64_t i = 0; !myr_text_status(w) && i < myr_particles_count(p); i++) {
        myr_text_put(w, "%lld %d", (long long)myr_particles_ids(p)[i], (int)myr_particles_types(p)[i]);
        for (int c = 0; c < columns; c++)
            myr_text_put(w, " %.17g", column[c][i]);
        myr_text_put(w, "\n");
    }
}

myr_status myr_extxyz_write(const myr_format_job *job)
{
    myr_text_language language;
    myr_text_writer *w = NULL;
    myr_status status = myr_text_create(myr_particles_context(job->particles), job->path, &w);
    if (status)
        return status;
    myr_text_plain(&language);
    for (int64_t f = 0; f < job->frames; f++) {
        myr_text_put(w, "%lld\n", (long long)myr_particles_count(job->frame[f]));
        extxyz_put_comment(w, job, f);
        extxyz_put_particles(w, job, job->frame[f]);
    }
    status = myr_text_publish(&w);
    myr_text_restore(&language);
    return status;
}
