/* lammps_data.c - LAMMPS data files, the format of read_data and write_data, for rectangular boxes.
 *
 *   LAMMPS data file by Myriad, time = 0, boundary p p p
 *
 *   2 atoms
 *   1 atom types
 *   0 5 xlo xhi
 *   0 5 ylo yhi
 *   0 5 zlo zhi
 *
 *   Masses
 *
 *   1 39.948
 *
 *   Atoms # atomic
 *
 *   1 1 0.1 0.2 0.3 0 0 0
 *
 * LAMMPS counts atoms and types from 1, Myriad from 0: both are written one higher and read one lower. Masses and pair
 * coefficients belong to types in LAMMPS, and are particle fields in Myriad. */
#include "io/lammps_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "io/lammps.h"

static const myr_format_field lammps_data_fields[] = {{"position", "x y z", 3, 0},
                                                      {"velocity", "Velocities", 3, 0},
                                                      {"mass", "Masses", 1, 0},
                                                      {"charge", "q", 1, 0},
                                                      {"molecule", "molecule-ID", 1, 0},
                                                      {"image", "ix iy iz", 3, 0},
                                                      {"epsilon", "Pair Coeffs", 1, 0},
                                                      {"sigma", "Pair Coeffs", 1, 0},
                                                      {0, 0, 0, 0}};

const myr_lammps_style myr_lammps_styles[] = {{"atomic", 0, 0}, {"charge", 0, 1}, {"molecular", 1, 0},
                                              {"full", 1, 1},   {"bond", 1, 0},   {"angle", 1, 0},
                                              {0, 0, 0}};

/* Probes for a header line "<number> atoms" within the first bytes. */
static int lammps_data_probe(const myr_format_file *file)
{
    char head[MYR_FORMAT_HEAD + 1];
    memcpy(head, file->head, file->head_size);
    head[file->head_size] = 0;
    const char *second = strchr(head, '\n');
    const char *word = second ? strstr(second, " atoms") : NULL;
    if (!word || strlen(head) != file->head_size)
        return MYR_FORMAT_NO;
    const char *at = word;
    while (at > second && at[-1] != '\n')
        at--;
    return at[strspn(at, " \t0123456789")] == 'a' ? MYR_FORMAT_SURELY : MYR_FORMAT_NO;
}

const myr_format myr_lammps_data_format = {
    .info = {"lammps_data", "data files of LAMMPS, for read_data", 1},
    .endings = {".lmp", ".data"},
    .fields = lammps_data_fields,
    .bits = 64,
    .keeps = MYR_SNAPSHOT_IDS | MYR_SNAPSHOT_TYPES | MYR_SNAPSHOT_TIME | MYR_SNAPSHOT_BOX | MYR_SNAPSHOT_ORIGIN,
    .types = MYR_LAMMPS_DATA_TYPES,
    .probe = lammps_data_probe,
    .write = myr_lammps_data_write,
    .read = myr_lammps_data_read,
};

/* --- writing ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const myr_format_job *job;
    const myr_particles *p;
    int64_t n;
    int types;
    int64_t *first; /* [types], index of a particle of each type, or -1 */
} lammps_data_writer;

static const double *lammps_data_field(const lammps_data_writer *w, const char *name, int component)
{
    for (int k = 0; k < w->job->fields; k++)
        if (strcmp(w->job->field[k], name) == 0)
            return myr_particles_component_const(w->p, name, component);
    return NULL;
}

/* Checks that a field has the same value for all particles of a type. */
static myr_status lammps_data_check_types(const lammps_data_writer *w, const char *name)
{
    const double *x = lammps_data_field(w, name, 0);
    const int32_t *type = myr_particles_types(w->p);
    for (int64_t i = 0; x && i < w->n; i++)
        if (x[i] != x[w->first[type[i]]])
            return myr_context_fail(myr_particles_context(w->p), MYR_ERROR_VALUE,
                                    "the format lammps_data has one %s for all atoms of a type: ids %lld and %lld of "
                                    "type %d have %g and %g; give them different types",
                                    name, (long long)myr_particles_ids(w->p)[w->first[type[i]]],
                                    (long long)myr_particles_ids(w->p)[i], (int)type[i], x[w->first[type[i]]], x[i]);
    return MYR_OK;
}

static myr_status lammps_data_check_whole(const lammps_data_writer *w, const char *name)
{
    const double *x;
    for (int c = 0; (x = lammps_data_field(w, name, c)); c++)
        for (int64_t i = 0; i < w->n; i++)
            if (x[i] != rint(x[i]) || fabs(x[i]) > INT32_MAX)
                return myr_context_fail(myr_particles_context(w->p), MYR_ERROR_VALUE,
                                        "the format lammps_data needs whole numbers as '%s': id %lld has %g", name,
                                        (long long)myr_particles_ids(w->p)[i], x[i]);
    return MYR_OK;
}

static myr_status lammps_data_check(const lammps_data_writer *w)
{
    static const char *const of_type[] = {"mass", "epsilon", "sigma"}, *const whole[] = {"molecule", "image"};
    myr_context *context = myr_particles_context(w->p);
    myr_status status = MYR_OK;
    for (int64_t i = 0; i < w->n; i++)
        if (myr_particles_ids(w->p)[i] < 0 || myr_particles_ids(w->p)[i] == INT64_MAX)
            return myr_context_fail(context, MYR_ERROR_VALUE,
                                    "the format lammps_data cannot carry id %lld: ids there are positive",
                                    (long long)myr_particles_ids(w->p)[i]);
    if (!lammps_data_field(w, "position", 0))
        return myr_context_fail(context, MYR_ERROR_FIELD, "the format lammps_data needs the field 'position'");
    for (int k = 0; !status && k < 3; k++)
        status = lammps_data_check_types(w, of_type[k]);
    for (int k = 0; !status && k < 2; k++)
        status = lammps_data_check_whole(w, whole[k]);
    if (!status && !lammps_data_field(w, "epsilon", 0) != !lammps_data_field(w, "sigma", 0))
        status = myr_format_report_loss(
            w->job, "'%s' is written without pair coefficients: they are both epsilon and sigma", w->job->path);
    return status;
}

static void lammps_data_put_header(myr_text_writer *t, const lammps_data_writer *w)
{
    const double *box = w->job->header.box;
    myr_text_put(t, "LAMMPS data file by Myriad, " MYR_LAMMPS_DATA_TIME "%.17g, " MYR_LAMMPS_DATA_PERIODIC "%c %c %c\n",
                 w->job->header.time, "sp"[box[0] > 0], "sp"[box[1] > 0], "sp"[box[2] > 0]);
    myr_text_put(t, "\n%lld atoms\n%d atom types\n", (long long)w->n, w->types);
    for (int c = 0; c < 3; c++) {
        double bound[2];
        myr_lammps_bounds(w->p, &w->job->header, c, bound);
        myr_text_put(t, "%.17g %.17g %clo %chi\n", bound[0], bound[1], "xyz"[c], "xyz"[c]);
    }
}

/* Writes the values per type; a type without atoms gets ones, because LAMMPS needs all types. */
static void lammps_data_put_types(myr_text_writer *t, const lammps_data_writer *w)
{
    const double *mass = lammps_data_field(w, "mass", 0);
    const double *epsilon = lammps_data_field(w, "epsilon", 0), *sigma = lammps_data_field(w, "sigma", 0);
    if (mass) {
        myr_text_put(t, "\nMasses\n\n");
        for (int k = 0; k < w->types; k++)
            myr_text_put(t, "%d %.17g\n", k + 1, w->first[k] < 0 ? 1 : mass[w->first[k]]);
    }
    if (epsilon && sigma) {
        myr_text_put(t, "\nPair Coeffs # lj/cut\n\n");
        for (int k = 0; k < w->types; k++)
            myr_text_put(t, "%d %.17g %.17g\n", k + 1, w->first[k] < 0 ? 1 : epsilon[w->first[k]],
                         w->first[k] < 0 ? 1 : sigma[w->first[k]]);
    }
}

static void lammps_data_put_atoms(myr_text_writer *t, const lammps_data_writer *w)
{
    const double *molecule = lammps_data_field(w, "molecule", 0), *charge = lammps_data_field(w, "charge", 0);
    const double *x[3], *image[3];
    const myr_lammps_style *style = myr_lammps_styles;
    while (style->molecule != (molecule != NULL) || style->charge != (charge != NULL))
        style++;
    for (int c = 0; c < 3; c++) {
        x[c] = lammps_data_field(w, "position", c);
        image[c] = lammps_data_field(w, "image", c);
    }
    myr_text_put(t, "\nAtoms # %s\n\n", style->name);
    for (int64_t i = 0; !myr_text_status(t) && i < w->n; i++) {
        myr_text_put(t, "%lld", (long long)myr_particles_ids(w->p)[i] + 1);
        if (molecule)
            myr_text_put(t, " %.0f", molecule[i]);
        myr_text_put(t, " %d", (int)myr_particles_types(w->p)[i] + 1);
        if (charge)
            myr_text_put(t, " %.17g", charge[i]);
        myr_text_put(t, " %.17g %.17g %.17g", x[0][i], x[1][i], x[2][i]);
        if (image[0])
            myr_text_put(t, " %.0f %.0f %.0f", image[0][i], image[1][i], image[2][i]);
        myr_text_put(t, "\n");
    }
}

static void lammps_data_put_velocities(myr_text_writer *t, const lammps_data_writer *w)
{
    const double *v[3];
    for (int c = 0; c < 3; c++)
        v[c] = lammps_data_field(w, "velocity", c);
    if (!v[0])
        return;
    myr_text_put(t, "\nVelocities\n\n");
    for (int64_t i = 0; !myr_text_status(t) && i < w->n; i++)
        myr_text_put(t, "%lld %.17g %.17g %.17g\n", (long long)myr_particles_ids(w->p)[i] + 1, v[0][i], v[1][i],
                     v[2][i]);
}

/* Finds the number of types and a particle of each. */
static myr_status lammps_data_find_types(lammps_data_writer *w)
{
    const int32_t *type = myr_particles_types(w->p);
    w->types = 1;
    for (int64_t i = 0; i < w->n; i++)
        w->types = type[i] >= w->types ? type[i] + 1 : w->types;
    w->first = myr_memory_zeros(w->types, sizeof *w->first);
    if (!w->first)
        return myr_context_fail(myr_particles_context(w->p), MYR_ERROR_MEMORY, "no memory to write '%s'", w->job->path);
    for (int k = 0; k < w->types; k++)
        w->first[k] = -1;
    for (int64_t i = w->n - 1; i >= 0; i--)
        w->first[type[i]] = i;
    return MYR_OK;
}

myr_status myr_lammps_data_write(const myr_format_job *job)
{
    myr_text_language language;
    myr_text_writer *t = NULL;
    lammps_data_writer w = {.job = job, .p = job->particles, .n = myr_particles_count(job->particles)};
    myr_status status = lammps_data_find_types(&w);
    if (!status)
        status = lammps_data_check(&w);
    if (!status)
        status = myr_text_create(myr_particles_context(job->particles), job->path, &t);
    if (!status) {
        myr_text_plain(&language);
        lammps_data_put_header(t, &w);
        lammps_data_put_types(t, &w);
        lammps_data_put_atoms(t, &w);
        lammps_data_put_velocities(t, &w);
        status = myr_text_publish(&t);
        myr_text_restore(&language);
    }
    free(w.first);
    return status;
}
