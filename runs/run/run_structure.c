/* run_structure.c - what the particles look like at a line of diagnostics: radii, close pairs, binaries, escapers. What
 * a set does not have (a core with fewer than seven particles, binaries where gravity does not act) is not a number. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

enum { ESCAPE_RADII = 10 }; /* escapers are beyond so many half-mass radii */

/* Only memory can run out; all else means that there is no such thing here. */
static int measured(run *r, myr_status status, int *code)
{
    if (status == MYR_ERROR_MEMORY)
        *code = cli_check(r->context, status);
    return status == MYR_OK;
}

/* The constant of gravity where the interaction is that; NaN elsewhere. */
static double constant_of_gravity(const run *r)
{
    const myr_interaction *f = myr_simulation_interaction(r->simulation);
    const char *kernel = f ? myr_interaction_choice(f, "kernel") : NULL;
    return kernel && strncmp(kernel, "gravity", 7) == 0 ? myr_interaction_get(f, "G") : NAN;
}

static int measure_binaries(run *r, const myr_particles *now, double gravity)
{
    int64_t count = 0, room = myr_particles_count(now) / 2;
    int code = CLI_OK;
    run_structure *s = &r->sample.structure;
    if (!(gravity > 0) || room == 0)
        return CLI_OK;
    myr_binary *found = calloc((size_t)room, sizeof *found);
    if (!found)
        return cli_fail(CLI_FAILED, "no memory for diagnostics");
    if (measured(r, myr_diagnostic_binaries(now, gravity, INFINITY, room, found, &count), &code)) {
        s->binaries = (double)count;
        s->hardest = 0;
    }
    for (int64_t k = 0; k < count; k++)
        s->hardest = fmax(s->hardest, found[k].binding_energy);
    free(found);
    return code;
}

/* Escapers are unbound and far out. In an external field the potential of the particles does not say who leaves: there
 * they are beyond the tidal radius. */
static int measure_escapers(run *r, const myr_particles *now, const double centre[3], const double velocity[3])
{
    run_structure *s = &r->sample.structure;
    myr_escapers escapers;
    myr_status status = MYR_OK;
    int code = CLI_OK;
    if (myr_simulation_externals(r->simulation) == 0)
        status = myr_diagnostic_escapers(now, centre, velocity, ESCAPE_RADII * s->lagrangian[1], &escapers);
    else if (measured(r, myr_simulation_tidal_radius(r->simulation, centre, velocity, &s->tidal_radius), &code) &&
             !isnan(s->tidal_radius))
        status = myr_diagnostic_beyond(now, centre, s->tidal_radius, &escapers);
    else
        return code;
    if (measured(r, status, &code))
        s->escapers = (double)escapers.count;
    return code;
}

int run_measure_structure(run *r, const myr_particles *now)
{
    static const double fraction[3] = {0.1, 0.5, 0.9};
    run_structure *s = &r->sample.structure;
    const double gravity = constant_of_gravity(r), *centre = NULL;
    myr_density_centre dense;
    myr_centre middle;
    myr_close_pair pair;
    int code = CLI_OK;
    *s = (run_structure){.lagrangian = {NAN, NAN, NAN},
                         .core_radius = NAN,
                         .closest_pair = NAN,
                         .escapers = NAN,
                         .tidal_radius = NAN,
                         .binaries = NAN,
                         .hardest = NAN};
    if (measured(r, myr_diagnostic_density_centre(now, MYR_DENSITY_NEIGHBOUR, &dense), &code)) {
        s->core_radius = dense.core_radius;
        centre = dense.position;
    }
    if (!code)
        measured(r, myr_diagnostic_lagrangian(now, centre, 3, fraction, s->lagrangian), &code);
    if (!code && measured(r, myr_diagnostic_closest_pair(now, &pair), &code))
        s->closest_pair = pair.distance;
    if (!code && gravity > 0 && measured(r, myr_diagnostic_centre(now, &middle), &code))
        code = measure_escapers(r, now, centre ? centre : middle.position, middle.velocity);
    return code ? code : measure_binaries(r, now, gravity);
}
