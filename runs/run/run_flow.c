/* run_flow.c - what a run of a fluid writes besides that of bodies: the flow in numbers at each line of diagnostics,
 * and its energy spectra in spectra.csv, one line per shell of wave numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

/* The cube that elements repeat in along all axes; 0 = there is none, or no way to measure the flow in it. */
static int run_cube(const run *r, double *edge, double corner[3])
{
    const myr_interaction *f = myr_simulation_interaction(r->simulation);
    double edges[3] = {0};
    if (!f || !myr_flow_available() || myr_interaction_box(f, edges, corner))
        return 0;
    *edge = edges[0];
    return edges[0] > 0 && edges[1] > 0 && edges[2] > 0;
}

run_kind run_kind_of(const run *r)
{
    double edge, corner[3];
    if (input_is_molecule(r->in))
        return (run_kind)(RUN_OF_MOLECULE | (input_is(r->in, KEY_solvent_model, "none") ? 0 : RUN_IN_SOLVENT) |
                          (input_of(r->in, KEY_observables_reference)->text ? RUN_TO_REFERENCE : 0));
    if (input_is_molecular(r->in))
        return (run_kind)(RUN_OF_BOX | (r->in->walls.count ? RUN_IN_WALLS : 0) |
                          (input_has_charges(r->in) ? RUN_OF_CHARGES : 0));
    switch (myr_simulation_kind(r->simulation)) {
    case MYR_MOTION_OF_MESH:
        return RUN_OF_MESH;
    case MYR_MOTION_OF_ELEMENTS:
        return run_cube(r, &edge, corner) ? RUN_OF_CUBE : RUN_OF_ELEMENTS;
    case MYR_MOTION_OF_BODIES:
        break;
    }
    return myr_simulation_externals(r->simulation) > 0 ? RUN_OF_BODIES | RUN_IN_FIELDS : RUN_OF_BODIES;
}

/* The mesh that has the velocities of a fluid: the particles, or one that is made from elements in a cube, which is the
 * caller's then. */
static int flow_mesh(run *r, const myr_particles *now, myr_particles **made, const myr_particles **mesh)
{
    double edge, corner[3];
    *made = NULL;
    *mesh = now;
    if (run_kind_of(r) != RUN_OF_CUBE || !run_cube(r, &edge, corner))
        return CLI_OK;
    const int code = cli_check(r->context, myr_flow_of_elements(now, edge, corner, 0, made));
    *mesh = *made;
    return code;
}

static int measure_cube(run *r, const myr_particles *now)
{
    myr_particles *made;
    const myr_particles *mesh;
    int code = flow_mesh(r, now, &made, &mesh);
    if (!code)
        code = cli_check(r->context, myr_flow_measure(mesh, myr_simulation_viscosity(r->simulation), &r->sample.flow));
    myr_particles_destroy(&made);
    return code;
}

int run_measure_flow(run *r, const myr_particles *now)
{
    run_sample *s = &r->sample;
    if (run_kind_of(r) == RUN_OF_MESH)
        return cli_check(r->context, myr_flow_measure(now, myr_simulation_viscosity(r->simulation), &s->flow));
    if (run_kind_of(r) == RUN_OF_CUBE) {
        const int code = measure_cube(r, now);
        if (code)
            return code;
    }
    s->vortices = (myr_vortices){.helicity = NAN};
    for (int c = 0; c < 3; c++)
        s->vortices.vorticity[c] = s->vortices.impulse[c] = NAN;
    myr_flow_vortices(now, &s->vortices); /* elements of a kernel of the user's may have other fields */
    s->renewed = r->counters.upkeep.replaced;
    myr_simulation_solved(r->simulation, &s->solved);
    s->iterations = s->solved.evaluations > 0 ? (double)s->solved.iterations / (double)s->solved.evaluations : 0;
    if (r->counters.rows == 0)
        memcpy(r->counters.vorticity, s->vortices.vorticity, sizeof r->counters.vorticity);
    s->vorticity_error = 0;
    for (int c = 0; c < 3; c++)
        s->vorticity_error = hypot(s->vorticity_error, s->vortices.vorticity[c] - r->counters.vorticity[c]);
    return run_measure_elements(r, now);
}

/* --- spectra.csv -------------------------------------------------------------------------------------------------- */

static int file_flush(run *r)
{
    return run_table_flush(r, "spectra.csv", r->spectra_csv, &r->counters.spectra_bytes);
}

static int file_header(run *r)
{
    static const units_dimension dimension[] = {UNITS_TIME, UNITS_WAVE_NUMBER, UNITS_SPECTRUM};
    char label[UNITS_MESSAGE];
    fprintf(r->spectra_csv, "# units:");
    for (size_t k = 0; k < sizeof dimension / sizeof *dimension; k++) {
        units_label(&r->in->units, dimension[k], label);
        fprintf(r->spectra_csv, "%s%s", k ? "," : " ", *label ? label : "1");
    }
    fprintf(r->spectra_csv, "\ntime,k,energy\n");
    return file_flush(r);
}

int run_open_spectra(run *r)
{
    if (!(run_kind_of(r) & (RUN_OF_MESH | RUN_OF_CUBE)) || input_is(r->in, KEY_output_spectra, "none"))
        return CLI_OK;
    const int code = run_table_open(r, "spectra.csv", r->counters.spectra_bytes, &r->spectra_csv);
    return code || r->counters.spectra_bytes > 0 ? code : file_header(r);
}

static int write_shells(run *r, const myr_particles *now, int64_t shells)
{
    double *wave = calloc((size_t)shells + 1, sizeof *wave), *energy = calloc((size_t)shells + 1, sizeof *energy);
    const units_system *u = &r->in->units;
    int code = wave && energy ? CLI_OK : cli_fail(CLI_FAILED, "no memory for a spectrum");
    if (!code)
        code = cli_check(r->context, myr_flow_spectrum(now, shells, wave, energy, &shells));
    for (int64_t k = 0; k < shells && !code; k++)
        fprintf(r->spectra_csv, "%.17g,%.17g,%.17g\n", myr_simulation_time(r->simulation) / units_bare(u, UNITS_TIME),
                wave[k] / units_bare(u, UNITS_WAVE_NUMBER), energy[k] / units_bare(u, UNITS_SPECTRUM));
    free(wave);
    free(energy);
    return code ? code : file_flush(r);
}

int run_write_spectrum(run *r)
{
    const myr_particles *now, *mesh;
    myr_particles *made = NULL;
    int64_t shells = 0;
    if (!r->spectra_csv)
        return CLI_OK;
    int code = cli_check(r->context, myr_simulation_particles(r->simulation, &now));
    if (!code)
        code = flow_mesh(r, now, &made, &mesh);
    if (!code)
        code = cli_check(r->context, myr_flow_spectrum(mesh, 0, NULL, NULL, &shells));
    if (!code)
        code = write_shells(r, mesh, shells);
    myr_particles_destroy(&made);
    if (!code)
        r->counters.last_spectrum = myr_simulation_time(r->simulation);
    return code;
}

int run_sync_spectra(const run *r)
{
    return run_table_sync(r, "spectra.csv", r->spectra_csv);
}
