/* conserved.c - energy, momentum and other conserved quantities at the simulation's time, in double arithmetic. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/external_function.h"
#include "simulation/conserved.h"
#include "simulation/motions.h"
#include "simulation/ranks/commands.h"
#include "simulation/ranks/replicas.h"
#include "simulation/rates.h"

/* Index of the kernel that computes the potential belonging to a kernel: itself, or its companion by name. */
static int conserved_kernel(const myr_context *context, const char *name)
{
    char companion[96];
    const myr_kernel_info *info = myr_kernel_known(context, name);
    for (int k = 0; info && info->output[k].name; k++)
        if (strcmp(info->output[k].name, "potential") == 0)
            return myr_kernel_registry_find(context, name);
    static const char spline[] = "_spline";
    const size_t length = strlen(name), tail = sizeof spline - 1;
    const int splined = length > tail && strcmp(name + length - tail, spline) == 0;
    snprintf(companion, sizeof companion, "%.*s_potential%s", (int)(splined ? length - tail : length), name,
             splined ? spline : "");
    return myr_kernel_registry_find(context, companion);
}

/* Chooses the method of the motion with its tolerance: potentials then cost what forces cost, and their relative error
 * is a few times smaller than that of forces. */
static myr_status conserved_method(myr_simulation *s)
{
    const myr_interaction *f = s->interaction;
    if (myr_method_of(f)->every_pair)
        return MYR_OK;
    const double tolerance = myr_interaction_get(f, "tolerance");
    const myr_status status = myr_interaction_choose(s->energy, "method", myr_method_of(f)->info.name);
    const int exact = myr_method_of(f)->exact;
    s->energy->method_state.best_effort = 1;
    memcpy(s->energy->method_state.box, f->method_state.box, sizeof f->method_state.box);
    memcpy(s->energy->method_state.origin, f->method_state.origin, sizeof f->method_state.origin);
    s->energy->method_state.requested[MYR_METHOD_images] = f->method_state.requested[MYR_METHOD_images];
    return status || exact ? status : myr_interaction_set(s->energy, "tolerance", tolerance);
}

/* Creates an interaction like the simulation's, with the potential as output and in double. */
static myr_status conserved_interaction(myr_simulation *s, int kernel)
{
    const myr_interaction *f = s->interaction;
    const myr_kernel_desc *d = myr_kernel_registry_desc(s->context, kernel), *old = myr_interaction_desc(f);
    myr_status status = myr_interaction_create(s->context, d->name, &s->energy);
    if (!status)
        status = myr_interaction_choose(s->energy, "arithmetic", "double");
    if (!status)
        status = myr_interaction_choose(s->energy, "accumulator", "double");
    if (status)
        return status;
    s->energy->isa = f->isa;
    s->energy->negative_masses = f->negative_masses;
    s->energy->backend = f->backend;
    status = conserved_method(s);
    for (int k = 0; k < MYR_KERNEL_PARAMETERS && d->parameter[k].name; k++)
        for (int n = 0; n < MYR_KERNEL_PARAMETERS && old->parameter[n].name; n++)
            if (strcmp(d->parameter[k].name, old->parameter[n].name) == 0)
                s->energy->parameter[k] = f->parameter[n];
    for (int k = 0; !status && k < MYR_KERNEL_PAIR_MAX && d->pair[k]; k++)
        if (f->pair[k])
            status = myr_interaction_set_pair(s->energy, d->pair[k], f->types, f->pair[k]);
    if (!status && f->offset)
        status = myr_interaction_set_exclusions(s->energy, f->excluded_targets, f->offset, f->partner,
                                                MYR_EXCLUDE_ON_THE_FLY);
    return status;
}

myr_status myr_conserved_evaluate(myr_simulation *s, myr_particles *p)
{
    s->energy->without_gpu = !myr_replicas_on_gpu(s);
    s->energy->shared_from = myr_replicas_share_from(s);
    const myr_status status = myr_interaction_evaluate(s->energy, p, p);
    s->energy->shared_from = 0;
    return status;
}

/* Half the sum of potentials, weighted by mass if the kernel's potential is per unit mass. */
static myr_status conserved_potential(myr_simulation *s, myr_particles *p, double *energy)
{
    *energy = 0;
    if (!s->interaction)
        return MYR_OK;
    const int kernel = conserved_kernel(s->context, myr_interaction_desc(s->interaction)->name);
    if (kernel < 0) {
        *energy = NAN;
        return MYR_OK;
    }
    myr_status status = s->energy ? MYR_OK : conserved_interaction(s, kernel);
    if (!status)
        status = myr_conserved_evaluate(s, p);
    if (status)
        return status;
    const int per_mass = strcmp(myr_kernel_registry_desc(s->context, kernel)->output[0].name, "force") != 0;
    const double *potential = myr_particles_component(p, "potential", 0);
    const double *mass = per_mass ? myr_particles_component(p, "mass", 0) : NULL;
    for (int64_t i = 0; i < myr_particles_count(p); i++)
        *energy += 0.5 * (mass ? mass[i] : 1) * potential[i];
    return MYR_OK;
}

myr_status myr_conserved_prepare(myr_simulation *s)
{
    const int kernel = myr_kernel_registry_find(s->context, myr_interaction_desc(s->interaction)->name);
    return s->energy ? MYR_OK : conserved_interaction(s, kernel);
}

static void conserved_add(const myr_simulation *s, const double m, const double x[3], const double v[3],
                          myr_conserved *sum)
{
    sum->mass += m;
    sum->kinetic += 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        sum->momentum[c] += m * v[c];
        sum->angular[c] += m * (x[d] * v[e] - x[e] * v[d]);
        sum->centre[c] += m * x[c];
    }
    for (int e = 0; e < s->externals; e++) {
        double potential;
        if (myr_external_function_of(s->external[e]))
            continue; /* computed for all particles at once */
        myr_external_at(s->external[e], x, v, sum->time, NULL, NULL, &potential);
        sum->external += m * potential;
    }
}

/* Energy in the frame that turns with the external fields (Jacobi integral): conserved if all fields that turn do so
 * about one axis at one rate, and the others are symmetric about that axis; NaN if not. */
static double conserved_jacobi(const myr_simulation *s, const myr_conserved *c)
{
    double rate = 0, axis[3] = {0}, centre[3];
    for (int e = 0; e < s->externals && rate == 0; e++) {
        rate = myr_external_rate(s->external[e]);
        myr_external_centre(s->external[e], axis);
    }
    for (int e = 0; e < s->externals && rate != 0; e++) {
        const double own = myr_external_rate(s->external[e]);
        myr_external_centre(s->external[e], centre);
        if (centre[0] != axis[0] || centre[1] != axis[1] ||
            (own == 0 ? !myr_external_round(s->external[e]) : own != rate))
            return NAN;
    }
    return rate == 0 ? c->energy
                     : c->energy - rate * (c->angular[2] - axis[0] * c->momentum[1] + axis[1] * c->momentum[0]);
}

myr_status myr_conserved_bodies(myr_simulation *s, myr_conserved *conserved)
{
    const myr_particles *now;
    myr_status status = myr_simulation_particles(s, &now);
    if (!status)
        status = conserved_potential(s, s->synchronous, &conserved->potential);
    if (status)
        return status;
    const double *x[3], *v[3], *mass = myr_particles_component_const(now, "mass", 0);
    for (int c = 0; c < 3; c++) {
        x[c] = myr_particles_component_const(now, "position", c);
        v[c] = myr_particles_component_const(now, "velocity", c);
    }
    for (int64_t i = 0; i < myr_particles_count(now); i++) {
        const double xi[3] = {x[0][i], x[1][i], x[2][i]};
        const double vi[3] = {v[0] ? v[0][i] : 0, v[1] ? v[1][i] : 0, v[2] ? v[2][i] : 0};
        conserved_add(s, mass ? mass[i] : 1, xi, vi, conserved);
    }
    status = myr_rates_function_energy(s, now, &conserved->external);
    for (int c = 0; c < 3 && conserved->mass > 0; c++) {
        conserved->centre[c] /= conserved->mass;
        conserved->centre_velocity[c] = conserved->momentum[c] / conserved->mass;
    }
    conserved->energy = conserved->kinetic + conserved->potential + conserved->external;
    conserved->virial_ratio = conserved->potential != 0 ? 2 * conserved->kinetic / fabs(conserved->potential) : 0;
    return status;
}

myr_status myr_simulation_conserved(myr_simulation *simulation, myr_conserved *conserved)
{
    myr_simulation *s = simulation;
    if (!s || !conserved)
        return MYR_ERROR_ARGUMENT;
    memset(conserved, 0, sizeof *conserved);
    conserved->time = s->motion.shown;
    const myr_command order = {.kind = MYR_COMMAND_CONSERVED};
    const int together = myr_replicas_are(s); /* particles in a box are summed by a command of their own */
    myr_status status = myr_commands_whole(s);
    if (!status && together)
        status = myr_commands_begin(s, &order);
    if (!status)
        status = myr_motion_of(s)->conserved(s, conserved);
    if (together)
        status = myr_commands_end(s, status);
    conserved->jacobi = conserved_jacobi(s, conserved);
    return status;
}
