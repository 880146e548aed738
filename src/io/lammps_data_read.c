/* lammps_data_read.c - reads LAMMPS data files; errors name line and column. Sections about bonds and other topology
 * are skipped with a warning. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "io/lammps_data.h"
#include "io/lammps.h"

/* LAMMPS unit systems in SI. The energy unit is not derived from the units of length, mass and time; `energy` is its
 * value in derived units. */
static const struct {
    const char *name;
    double length, mass, time, charge, energy;
} lammps_units[] = {{"real", 1e-10, 1.66053906660e-27, 1e-15, 1.602176634e-19, 4.184e-4},
                    {"metal", 1e-10, 1.66053906660e-27, 1e-12, 1.602176634e-19, 9648.5332123310014},
                    {"nano", 1e-9, 1e-21, 1e-9, 1.602176634e-19, 1},
                    {"si", 1, 1, 1, 1, 1}};

/* Values per type. */
typedef struct {
    double mass, epsilon, sigma;
    int has_mass, has_pair;
} lammps_type;

/* Index of a particle, sorted by id. */
typedef struct {
    int64_t id, place;
} lammps_place;

typedef struct {
    myr_text text;
    myr_snapshot_header *header;
    int64_t atoms, types;
    int has_atoms, has_types, has_bounds[3], open[3];
    double bound[3][2], energy;
    const myr_lammps_style *style;
    int images, pairs, masses, atoms_read;
    lammps_type *type;
    int64_t *ids;
    int32_t *particle_type;
    lammps_place *place;
    myr_particles *into;
    char section[MYR_LAMMPS_WORD];
} lammps_data_reader;

/* --- header ------------------------------------------------------------------------------------------------------- */

/* Reads the first line, a comment in LAMMPS, for values that the format has no place for. */
static void lammps_data_title(lammps_data_reader *r)
{
    char line[256];
    const size_t length = strcspn(r->text.at, "\r\n");
    snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line - 1), r->text.at);
    const char *periodic = strstr(line, MYR_LAMMPS_DATA_PERIODIC), *time = strstr(line, MYR_LAMMPS_DATA_TIME);
    const char *units = strstr(line, MYR_LAMMPS_DATA_UNITS);
    if (periodic && strlen(periodic) >= strlen(MYR_LAMMPS_DATA_PERIODIC) + 5)
        for (int c = 0; c < 3; c++)
            r->open[c] = periodic[strlen(MYR_LAMMPS_DATA_PERIODIC) + 2 * (size_t)c] == 's';
    if (time)
        r->header->time = strtod(time + strlen(MYR_LAMMPS_DATA_TIME), NULL);
    for (size_t k = 0; units && k < sizeof lammps_units / sizeof lammps_units[0]; k++)
        if (strcmp(units + strlen(MYR_LAMMPS_DATA_UNITS), lammps_units[k].name) == 0) {
            r->header->unit_length = lammps_units[k].length;
            r->header->unit_mass = lammps_units[k].mass;
            r->header->unit_time = lammps_units[k].time;
            r->header->unit_charge = lammps_units[k].charge;
            r->energy = lammps_units[k].energy;
        }
    myr_text_next_line(&r->text);
}

/* Parses "0 5 xlo xhi"; the words after the two numbers name the axis. */
static myr_status lammps_data_bound(lammps_data_reader *r, const char *start)
{
    char word[MYR_LAMMPS_WORD];
    double number[3];
    r->text.at = (char *)start;
    const int numbers = myr_lammps_line_numbers(&r->text, 2, number) == MYR_OK;
    myr_lammps_line_rest(&r->text, word);
    for (int c = 0; c < 3; c++) {
        const char name[] = {"xyz"[c], 'l', 'o', ' ', "xyz"[c], 'h', 'i', 0};
        if (!numbers || strcmp(word, name) != 0)
            continue;
        if (!(number[0] < number[1]))
            return myr_text_fail(&r->text, start, "the box needs %clo < %chi", "xyz"[c], "xyz"[c]);
        memcpy(r->bound[c], number, sizeof r->bound[c]);
        r->has_bounds[c] = 1;
        return MYR_OK;
    }
    const int third = numbers && myr_lammps_line_numbers(&r->text, 1, &number[2]) == MYR_OK;
    myr_lammps_line_rest(&r->text, word);
    if (!third || strcmp(word, "xy xz yz") != 0)
        return myr_text_fail(&r->text, start,
                             "this line of the header is not known; such are '<number> atoms', '<number> atom types', "
                             "'<low> <high> xlo xhi'");
    if (number[0] != 0 || number[1] != 0 || number[2] != 0)
        return myr_text_fail(&r->text, start,
                             "the box is triclinic (xy xz yz): only boxes with edges along the axes can be read");
    return MYR_OK;
}

/* Parses a header line such as "10 atoms". */
static myr_status lammps_data_header_line(lammps_data_reader *r)
{
    myr_text *t = &r->text;
    char *start = t->at;
    char word[MYR_LAMMPS_WORD];
    int64_t count = 0;
    const size_t digits = strspn(start, "0123456789");
    t->at += digits;
    myr_lammps_line_rest(t, word);
    if (digits == 0 || !isalpha((unsigned char)*word))
        return lammps_data_bound(r, start);
    t->at = start;
    myr_status status = myr_text_integer(t, word, 0, INT64_MAX / 1024, &count);
    if (status)
        return status;
    if (strcmp(word, "atoms") == 0) {
        if (count > (t->end - t->at) / 4)
            return myr_text_fail(t, start, "the file says that it has %lld atom%s, but only %lld bytes follow",
                                 (long long)count, myr_plural(count), (long long)(t->end - t->at));
        r->atoms = count;
        r->has_atoms = 1;
    } else if (strcmp(word, "atom types") == 0) {
        if (count < 1 || count > MYR_LAMMPS_DATA_TYPES)
            return myr_text_fail(t, start, "there can be 1 to %d atom types", MYR_LAMMPS_DATA_TYPES);
        r->types = count;
        r->has_types = 1;
    }
    return MYR_OK; /* counts of bonds and other topology: their sections are skipped with a warning */
}

static myr_status lammps_data_header(lammps_data_reader *r)
{
    myr_status status = MYR_OK;
    while (!status && myr_lammps_line_next(&r->text) && !isalpha((unsigned char)*r->text.at)) {
        status = lammps_data_header_line(r);
        myr_text_next_line(&r->text);
    }
    if (status)
        return status;
    if (!r->has_atoms || !r->has_types)
        return myr_text_fail(&r->text, r->text.at, "the header ends without the number of %s",
                             r->has_atoms ? "atom types" : "atoms");
    for (int c = 0; c < 3; c++) {
        if (!r->has_bounds[c])
            return myr_text_fail(&r->text, r->text.at, "the header ends without the bounds of the box: %clo %chi",
                                 "xyz"[c], "xyz"[c]);
        r->header->box[c] = r->open[c] ? 0 : r->bound[c][1] - r->bound[c][0];
        r->header->origin[c] = r->open[c] ? 0 : r->bound[c][0];
    }
    r->type = myr_memory_zeros(r->types, sizeof *r->type);
    r->ids = myr_memory_zeros(r->atoms, sizeof *r->ids);
    r->particle_type = myr_memory_zeros(r->atoms, sizeof *r->particle_type);
    if (!r->type || !r->ids || !r->particle_type)
        return myr_context_fail(r->text.context, MYR_ERROR_MEMORY, "no memory for the %lld atoms of '%s'",
                                (long long)r->atoms, r->text.path);
    status = myr_particles_create(r->text.context, r->atoms, &r->into);
    return status ? status : myr_particles_add_field(r->into, "position", 3);
}

/* --- sections ----------------------------------------------------------------------------------------------------- */

/* Moves to entry k of n of the section. */
static myr_status lammps_data_entry(lammps_data_reader *r, int64_t k, int64_t n)
{
    myr_text *t = &r->text;
    if (myr_lammps_line_next(t) && !isalpha((unsigned char)*t->at))
        return MYR_OK;
    return myr_text_fail(t, t->at, "the section %s ends after %lld of %lld lines", r->section, (long long)k,
                         (long long)n);
}

static myr_status lammps_data_masses(lammps_data_reader *r)
{
    int64_t type = 0;
    myr_status status = MYR_OK;
    for (int64_t k = 0; !status && k < r->types; k++) {
        status = lammps_data_entry(r, k, r->types);
        if (!status)
            status = myr_lammps_line_integer(&r->text, "atom type", 1, r->types, &type);
        if (!status)
            status = myr_lammps_line_numbers(&r->text, 1, &r->type[type - 1].mass);
        if (!status && !(r->type[type - 1].mass >= 0))
            status = myr_text_fail(&r->text, r->text.at, "a mass cannot be negative");
        if (!status)
            status = myr_lammps_line_done(&r->text);
        if (!status)
            r->type[type - 1].has_mass = 1;
        myr_text_next_line(&r->text);
    }
    r->masses = 1;
    return status;
}

/* Reads epsilon, sigma and optionally a cutoff of each type. */
static myr_status lammps_data_pairs(lammps_data_reader *r)
{
    int64_t type = 0;
    double number[2];
    myr_status status = MYR_OK;
    for (int64_t k = 0; !status && k < r->types; k++) {
        status = lammps_data_entry(r, k, r->types);
        if (!status)
            status = myr_lammps_line_integer(&r->text, "atom type", 1, r->types, &type);
        if (!status)
            status = myr_lammps_line_numbers(&r->text, 2, number);
        if (!status)
            r->type[type - 1] = (lammps_type){.mass = r->type[type - 1].mass,
                                              .has_mass = r->type[type - 1].has_mass,
                                              .epsilon = number[0] * r->energy,
                                              .sigma = number[1],
                                              .has_pair = 1};
        myr_text_next_line(&r->text);
    }
    r->pairs = 1;
    return status;
}

/* Finds the atom style: from the comment of the section, or else from the number of columns of the first line. */
static myr_status lammps_data_find_style(lammps_data_reader *r, const char *hint)
{
    if (*hint) {
        for (r->style = myr_lammps_styles; r->style->name; r->style++)
            if (strcmp(r->style->name, hint) == 0)
                return MYR_OK;
        return myr_text_fail(&r->text, r->text.at,
                             "the atom style '%s' cannot be read; those are atomic, charge, molecular, bond, angle and "
                             "full",
                             hint);
    }
    const int words = r->atoms > 0 && myr_lammps_line_next(&r->text) ? myr_lammps_line_words(&r->text) : 5;
    if (words == 6 || words == 9)
        return myr_text_fail(
            &r->text, r->text.at,
            "the atom style can be charge or molecular: write 'Atoms # charge' or 'Atoms # molecular'");
    for (r->style = myr_lammps_styles; r->style->name; r->style++) {
        const int columns = 5 + r->style->molecule + r->style->charge;
        if (words == columns || words == columns + 3)
            return MYR_OK;
    }
    return myr_text_fail(&r->text, r->text.at,
                         "a line of Atoms has 5 (atomic), 6 (charge, molecular) or 7 (full) columns, or 3 more with "
                         "images, not %d",
                         words);
}

/* Adds the fields of the atom style. */
static myr_status lammps_data_fields(lammps_data_reader *r)
{
    myr_status status = MYR_OK;
    const int words = myr_lammps_line_next(&r->text) ? myr_lammps_line_words(&r->text) : 0;
    r->images = words == 8 + r->style->molecule + r->style->charge;
    if (r->style->charge)
        status = myr_particles_add_field(r->into, "charge", 1);
    if (!status && r->style->molecule)
        status = myr_particles_add_field(r->into, "molecule", 1);
    if (!status && r->images)
        status = myr_particles_add_field(r->into, "image", 3);
    return status;
}

/* Reads one line of Atoms. */
static myr_status lammps_data_atom(lammps_data_reader *r, int64_t i)
{
    int64_t id = 0, molecule = 0, type = 0, image[3] = {0};
    double charge = 0, x[3];
    myr_text *t = &r->text;
    myr_status status = myr_lammps_line_integer(t, "id", 1, INT64_MAX, &id);
    if (!status && r->style->molecule)
        status = myr_lammps_line_integer(t, "molecule", INT32_MIN, INT32_MAX, &molecule);
    if (!status)
        status = myr_lammps_line_integer(t, "atom type", 1, r->types, &type);
    if (!status && r->style->charge)
        status = myr_lammps_line_numbers(t, 1, &charge);
    if (!status)
        status = myr_lammps_line_numbers(t, 3, x);
    for (int c = 0; !status && r->images && c < 3; c++)
        status = myr_lammps_line_integer(t, "image", INT32_MIN, INT32_MAX, &image[c]);
    if (!status)
        status = myr_lammps_line_done(t);
    if (status)
        return status;
    r->ids[i] = id - 1;
    r->particle_type[i] = (int32_t)(type - 1);
    for (int c = 0; c < 3; c++) {
        myr_particles_component(r->into, "position", c)[i] = x[c];
        if (r->images)
            myr_particles_component(r->into, "image", c)[i] = (double)image[c];
    }
    if (r->style->charge)
        myr_particles_component(r->into, "charge", 0)[i] = charge;
    if (r->style->molecule)
        myr_particles_component(r->into, "molecule", 0)[i] = (double)molecule;
    return MYR_OK;
}

static int lammps_data_compare(const void *a, const void *b)
{
    const int64_t x = ((const lammps_place *)a)->id, y = ((const lammps_place *)b)->id;
    return (x > y) - (x < y);
}

/* Sorts the particles by id, for later sections that refer to ids. */
static myr_status lammps_data_places(lammps_data_reader *r)
{
    r->place = myr_memory_zeros(r->atoms, sizeof *r->place);
    if (!r->place)
        return myr_context_fail(r->text.context, MYR_ERROR_MEMORY, "no memory for the %lld atoms of '%s'",
                                (long long)r->atoms, r->text.path);
    for (int64_t i = 0; i < r->atoms; i++)
        r->place[i] = (lammps_place){r->ids[i], i};
    qsort(r->place, (size_t)r->atoms, sizeof *r->place, lammps_data_compare);
    return MYR_OK;
}

static myr_status lammps_data_atoms(lammps_data_reader *r, const char *hint)
{
    myr_status status = r->atoms_read ? myr_text_fail(&r->text, r->text.at, "the section Atoms is there already")
                                      : lammps_data_find_style(r, hint);
    if (!status)
        status = lammps_data_fields(r);
    for (int64_t i = 0; !status && i < r->atoms; i++) {
        status = lammps_data_entry(r, i, r->atoms);
        if (!status)
            status = lammps_data_atom(r, i);
        myr_text_next_line(&r->text);
    }
    if (!status)
        status = myr_format_set_ids(r->into, r->text.path, r->ids);
    if (!status)
        status = myr_particles_set_types(r->into, r->particle_type);
    r->atoms_read = 1;
    return status ? status : lammps_data_places(r);
}

static myr_status lammps_data_velocities(lammps_data_reader *r)
{
    myr_text *t = &r->text;
    if (!r->atoms_read)
        return myr_text_fail(t, t->at, "the section Velocities must come after Atoms");
    myr_status status = myr_particles_add_field(r->into, "velocity", 3);
    for (int64_t i = 0; !status && i < r->atoms; i++) {
        double v[3];
        lammps_place key = {0};
        status = lammps_data_entry(r, i, r->atoms);
        const char *start = t->at;
        if (!status)
            status = myr_lammps_line_integer(t, "id", 1, INT64_MAX, &key.id);
        if (!status)
            status = myr_lammps_line_numbers(t, 3, v);
        if (!status)
            status = myr_lammps_line_done(t);
        if (status)
            return status;
        key.id--;
        const lammps_place *found = r->ids[i] == key.id
                                        ? &(lammps_place){key.id, i}
                                        : bsearch(&key, r->place, (size_t)r->atoms, sizeof key, lammps_data_compare);
        if (!found)
            return myr_text_fail(t, start, "there is no atom %lld in the section Atoms", (long long)key.id + 1);
        for (int c = 0; c < 3; c++)
            myr_particles_component(r->into, "velocity", c)[found->place] = v[c];
        myr_text_next_line(t);
    }
    return status;
}

/* Skips a section with a warning. */
static void lammps_data_skip_section(lammps_data_reader *r)
{
    myr_context_warn(r->text.context, "%s:%ld: the section %s is left out", r->text.path, r->text.line - 1, r->section);
    while (myr_lammps_line_next(&r->text) && !isalpha((unsigned char)*r->text.at))
        myr_text_next_line(&r->text);
}

/* Reads one section: its name, and optionally a comment with the atom style. */
static myr_status lammps_data_section(lammps_data_reader *r)
{
    char hint[MYR_LAMMPS_WORD] = "";
    myr_lammps_line_rest(&r->text, r->section);
    const char *comment = memchr(r->text.at, '#', (size_t)(myr_text_line_end(&r->text) - r->text.at));
    if (comment) {
        r->text.at = (char *)comment + 1;
        myr_lammps_line_rest(&r->text, hint);
    }
    myr_text_next_line(&r->text);
    if (strcmp(r->section, "Masses") == 0)
        return lammps_data_masses(r);
    if (strcmp(r->section, "Atoms") == 0)
        return lammps_data_atoms(r, hint);
    if (strcmp(r->section, "Velocities") == 0)
        return lammps_data_velocities(r);
    if (strcmp(r->section, "Pair Coeffs") == 0 && (!*hint || strncmp(hint, "lj/", 3) == 0))
        return lammps_data_pairs(r);
    lammps_data_skip_section(r);
    return MYR_OK;
}

/* Copies values per type to particle fields. */
static myr_status lammps_data_spread(lammps_data_reader *r)
{
    myr_status status = r->masses ? myr_particles_add_field(r->into, "mass", 1) : MYR_OK;
    if (!status && r->pairs)
        status = myr_particles_add_field(r->into, "epsilon", 1);
    if (!status && r->pairs)
        status = myr_particles_add_field(r->into, "sigma", 1);
    for (int64_t i = 0; !status && i < r->atoms; i++) {
        const lammps_type *type = &r->type[r->particle_type[i]];
        if ((r->masses && !type->has_mass) || (r->pairs && !type->has_pair))
            return myr_context_fail(r->text.context, MYR_ERROR_FORMAT, "'%s' has no %s for atom type %d", r->text.path,
                                    r->masses && !type->has_mass ? "mass" : "pair coefficients",
                                    (int)r->particle_type[i] + 1);
        if (r->masses)
            myr_particles_component(r->into, "mass", 0)[i] = type->mass;
        if (r->pairs) {
            myr_particles_component(r->into, "epsilon", 0)[i] = type->epsilon;
            myr_particles_component(r->into, "sigma", 0)[i] = type->sigma;
        }
    }
    return status;
}

static myr_status lammps_data_all(lammps_data_reader *r)
{
    if (memchr(r->text.at, 0, (size_t)(r->text.end - r->text.at)))
        return myr_text_fail(&r->text, r->text.at, "this is not text");
    lammps_data_title(r);
    myr_status status = lammps_data_header(r);
    while (!status && myr_lammps_line_next(&r->text)) {
        if (!isalpha((unsigned char)*r->text.at))
            return myr_text_fail(&r->text, r->text.at, "the name of a section was expected");
        status = lammps_data_section(r);
    }
    if (!status && !r->atoms_read && r->atoms > 0)
        status = myr_text_fail(&r->text, r->text.at, "the file ends without a section Atoms");
    if (!status)
        status = lammps_data_spread(r);
    if (!status)
        myr_text_warn_unended(&r->text);
    return status;
}

myr_status myr_lammps_data_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                                myr_snapshot_header *header)
{
    (void)frame; /* the format has a single frame */
    myr_text_language language;
    lammps_data_reader r = {.header = header, .energy = 1};
    myr_text_plain(&language);
    myr_status status = myr_text_load(context, path, &r.text);
    if (!status)
        status = lammps_data_all(&r);
    myr_text_restore(&language);
    if (status)
        myr_particles_destroy(&r.into);
    *particles = r.into;
    free(r.type);
    free(r.ids);
    free(r.particle_type);
    free(r.place);
    myr_text_free(&r.text);
    return status;
}
