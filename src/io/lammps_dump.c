/* lammps_dump.c - LAMMPS text dumps, which OVITO, VMD, ASE and MDAnalysis read: frames of atoms with named columns.
 *
 *   ITEM: TIMESTEP
 *   0
 *   ITEM: NUMBER OF ATOMS
 *   1
 *   ITEM: BOX BOUNDS pp pp ss
 *   0 5
 *   0 5
 *   -0.5 0.5
 *   ITEM: ATOMS id type x y z vx vy vz
 *   1 1 0.1 0.2 0 1 0 0
 *
 * LAMMPS counts atoms and types from 1, Myriad from 0: both are written one higher and read one lower. The time is not
 * written, though LAMMPS has ITEM: TIME, because MDAnalysis 2.4 expects exactly nine lines before the atoms. TIMESTEP
 * is the step of the header, or the frame number if the header has no step. */
#include "io/lammps_dump.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "io/lammps.h"
#include "io/text.h"

static const myr_format_field lammps_dump_fields[] = {{"position", "x y z", 3, 0}, {"velocity", "vx vy vz", 3, 0},
                                                      {"force", "fx fy fz", 3, 0}, {"image", "ix iy iz", 3, 0},
                                                      {"mass", "mass", 1, 0},      {"charge", "q", 1, 0},
                                                      {"molecule", "mol", 1, 0},   {"radius", "radius", 1, 0},
                                                      {"potential", "c_pe", 1, 0}, {0, 0, 0, 0}};

const myr_lammps_column myr_lammps_columns[] = {
    {"x", "position", 0, 0},    {"y", "position", 1, 0},     {"z", "position", 2, 0},
    {"vx", "velocity", 0, 0},   {"vy", "velocity", 1, 0},    {"vz", "velocity", 2, 0},
    {"fx", "force", 0, 0},      {"fy", "force", 1, 0},       {"fz", "force", 2, 0},
    {"ix", "image", 0, 1},      {"iy", "image", 1, 1},       {"iz", "image", 2, 1},
    {"mass", "mass", 0, 0},     {"q", "charge", 0, 0},       {"mol", "molecule", 0, 1},
    {"radius", "radius", 0, 0}, {"c_pe", "potential", 0, 0}, {0, 0, 0, 0}};

static int lammps_dump_probe(const myr_format_file *file)
{
    static const char *const first[] = {"ITEM: TIMESTEP", "ITEM: UNITS", "ITEM: TIME"};
    for (int k = 0; k < 3; k++)
        if (file->head_size > strlen(first[k]) && memcmp(file->head, first[k], strlen(first[k])) == 0)
            return MYR_FORMAT_SURELY;
    return MYR_FORMAT_NO;
}

const myr_format myr_lammps_dump_format = {
    .info = {"lammps_dump", "dumps of LAMMPS as text, for OVITO, VMD and MDAnalysis", 1},
    .endings = {".lammpstrj", ".lammpsdump", ".dump"},
    .fields = lammps_dump_fields,
    .bits = 64,
    .keeps = MYR_SNAPSHOT_IDS | MYR_SNAPSHOT_TYPES | MYR_SNAPSHOT_BOX | MYR_SNAPSHOT_ORIGIN | MYR_SNAPSHOT_FRAMES,
    .types = INT32_MAX,
    .many_frames = 1,
    .probe = lammps_dump_probe,
    .write = myr_lammps_dump_write,
    .read = myr_lammps_dump_read,
};

/* --- writing ------------------------------------------------------------------------------------------------------ */

static int lammps_dump_has(const myr_format_job *job, const char *field)
{
    for (int k = 0; k < job->fields; k++)
        if (strcmp(job->field[k], field) == 0)
            return 1;
    return 0;
}

/* Fails if the columns cannot store the particles. */
static myr_status lammps_dump_check(const myr_format_job *job, const myr_particles *p)
{
    myr_context *context = myr_particles_context(p);
    for (int64_t i = 0; i < myr_particles_count(p); i++)
        if (myr_particles_ids(p)[i] < 0 || myr_particles_ids(p)[i] == INT64_MAX)
            return myr_context_fail(context, MYR_ERROR_VALUE,
                                    "the format lammps_dump cannot carry id %lld: ids there are positive",
                                    (long long)myr_particles_ids(p)[i]);
    for (const myr_lammps_column *c = myr_lammps_columns; c->column; c++) {
        const double *x = c->whole && lammps_dump_has(job, c->field)
                              ? myr_particles_component_const(p, c->field, c->component)
                              : NULL;
        for (int64_t i = 0; x && i < myr_particles_count(p); i++)
            if (x[i] != rint(x[i]) || fabs(x[i]) > INT32_MAX)
                return myr_context_fail(context, MYR_ERROR_VALUE,
                                        "the format lammps_dump needs whole numbers as '%s': id %lld has %g", c->field,
                                        (long long)myr_particles_ids(p)[i], x[i]);
    }
    return MYR_OK;
}

static void lammps_dump_put_head(myr_text_writer *w, const myr_format_job *job, int64_t f)
{
    const myr_snapshot_header *header = &job->frame_header[f];
    myr_text_put(w, "ITEM: TIMESTEP\n%lld\nITEM: NUMBER OF ATOMS\n%lld\nITEM: BOX BOUNDS",
                 (long long)(header->step > 0 ? header->step : f), (long long)myr_particles_count(job->frame[f]));
    for (int c = 0; c < 3; c++)
        myr_text_put(w, header->box[c] > 0 ? " pp" : " ss");
    for (int c = 0; c < 3; c++) {
        double bound[2];
        myr_lammps_bounds(job->frame[f], header, c, bound);
        myr_text_put(w, "\n%.17g %.17g", bound[0], bound[1]);
    }
    myr_text_put(w, "\nITEM: ATOMS id type");
    for (const myr_lammps_column *c = myr_lammps_columns; c->column; c++)
        if (lammps_dump_has(job, c->field))
            myr_text_put(w, " %s", c->column);
    myr_text_put(w, "\n");
}

static void lammps_dump_put_atoms(myr_text_writer *w, const myr_format_job *job, const myr_particles *p)
{
    const double *column[MYR_FORMAT_FIELDS_MAX];
    int whole[MYR_FORMAT_FIELDS_MAX], columns = 0;
    for (const myr_lammps_column *c = myr_lammps_columns; c->column; c++)
        if (lammps_dump_has(job, c->field)) {
            whole[columns] = c->whole;
            column[columns++] = myr_particles_component_const(p, c->field, c->component);
        }
    for (int64_t i = 0; !myr_text_status(w) && i < myr_particles_count(p); i++) {
        myr_text_put(w, "%lld %d", (long long)myr_particles_ids(p)[i] + 1, (int)myr_particles_types(p)[i] + 1);
        for (int c = 0; c < columns; c++)
            myr_text_put(w, whole[c] ? " %.0f" : " %.17g", column[c][i]);
        myr_text_put(w, "\n");
    }
}

myr_status myr_lammps_dump_write(const myr_format_job *job)
{
    myr_text_language language;
    myr_text_writer *w = NULL;
    myr_status status = MYR_OK;
    for (int64_t f = 0; !status && f < job->frames; f++)
        status = lammps_dump_check(job, job->frame[f]);
    if (!status)
        status = myr_text_create(myr_particles_context(job->particles), job->path, &w);
    if (status)
        return status;
    myr_text_plain(&language);
    for (int64_t f = 0; f < job->frames; f++) {
        lammps_dump_put_head(w, job, f);
        lammps_dump_put_atoms(w, job, job->frame[f]);
    }
    status = myr_text_publish(&w);
    myr_text_restore(&language);
    return status;
}
