/* box_motion.c - steps of particles in a box. The particle set of the simulation is updated on request. */
#include "simulation/box_motion.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/timer.h"
#include "domain/ranks.h"
#include "integrator/clock.h"
#include "model/external_function.h"
#include "molecular/molecular.h"
#include "molecular/molecule_gpu.h"
#include "simulation/conserved.h"
#include "simulation/molecule_motion.h"
#include "simulation/rates.h"
#include "simulation/ranks/box_domains.h"
#include "simulation/checkpoint/particle_parts.h"
#include "simulation/ranks/commands.h"
#include "simulation/ranks/replicas.h"

/* seconds between two returns to the caller; on several ranks, which must communicate for each, RANKS_SECONDS */
#define ADVANCE_SECONDS 0.03
enum { BOX_STEPS = 256 }; /* steps on a GPU between two looks at the clock */
#define RANKS_SECONDS 0.25

/* Kernels with a cutoff but without particle types are evaluated in open space (method/cutoff_tree.h); those that users
 * write move particles in a box if the integrator is one for a box. */
static int box_claims(const myr_simulation *s)
{
    const myr_interaction *f = s->interaction;
    return f && myr_method_keeps_lists(f, s->table && s->table->molecular);
}

int myr_box_motion_wanted(const myr_simulation *s)
{
    return myr_motion_of(s)->in_box;
}

static myr_status box_check_external(const myr_simulation *s)
{
    int traps = 0;
    if (s->molecule->topology)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION, "external fields do not act on molecules yet");
    for (int k = 0; k < s->externals; k++) {
        const char *name = myr_external_name(s->external[k]);
        if (myr_external_function_of(s->external[k]))
            continue;
        traps += strcmp(name, "harmonic") == 0;
        if (strcmp(name, "harmonic") != 0 && strcmp(name, "uniform_field") != 0)
            return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                    "the external field %s does not act on particles in a box; use uniform_field or "
                                    "harmonic, a function of the program, or method direct",
                                    name);
    }
    if (traps > BOX_TRAPS)
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "%d harmonic traps in a box; at most %d", traps,
                                BOX_TRAPS);
    return MYR_OK;
}

myr_status myr_box_motion_check(myr_simulation *s)
{
    if (!s->table->molecular)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "integrator %s does not move particles in a box or molecules; use verlet, langevin, "
                                "nose_hoover or berendsen",
                                s->table->info.name);
    if (!s->box->options_given && !s->molecule->topology)
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "method neighbour needs a box; none has been given");
    return s->externals ? box_check_external(s) : MYR_OK;
}

/* Sum of the external fields, for the engine. */
static myr_status box_set_external(myr_simulation *s)
{
    static const char *const g[3] = {"acceleration_x", "acceleration_y", "acceleration_z"};
    static const char *const rate[3] = {"omega_x", "omega_y", "omega_z"};
    const myr_molecular_function function = {myr_rates_function_points, s};
    myr_molecular_external e = {0};
    int functions = 0;
    for (int k = 0; k < s->externals; k++) {
        double centre[3];
        if (myr_external_function_of(s->external[k])) {
            functions++;
            continue;
        }
        const int trap = strcmp(myr_external_name(s->external[k]), "harmonic") == 0;
        myr_external_centre(s->external[k], centre);
        for (int c = 0; c < 3; c++) {
            const double value = myr_external_get(s->external[k], trap ? rate[c] : g[c]);
            if (trap) {
                e.rate2[e.traps][c] = value * value;
                e.centre[e.traps][c] = centre[c];
            } else {
                e.acceleration[c] += value;
                e.offset[c] += value * centre[c];
            }
        }
        e.traps += trap;
    }
    s->box->engine->now = s->motion.time;
    const myr_status status = s->externals ? myr_molecular_set_external(s->box->engine, &e) : MYR_OK;
    return status || !functions ? status : myr_molecular_set_function(s->box->engine, &function);
}

/* Pairs from which the ranks share the evaluation of a molecule that begins, which is counted. */
static double box_share_molecule(void *user)
{
    myr_simulation *s = user;
    s->ranks.evaluations++;
    return myr_replicas_share_from(s);
}

myr_status myr_box_motion_open(myr_simulation *s)
{
    myr_status status = myr_motion_check(s);
    if (!s->box->options_given)
        s->box->options = myr_molecular_defaults();
    if (!status && s->molecule->topology)
        status = myr_molecule_create(s->molecule->topology, s->interaction,
                                     (myr_exclusion_mode)s->molecule->exclusion_mode, &s->molecule->bound);
    if (!status && s->molecule->bound && s->molecule->solvent.model)
        status = myr_molecule_set_solvent(s->molecule->bound, &s->molecule->solvent);
    if (s->molecule->bound) {
        s->molecule->bound->share_from = box_share_molecule;
        s->molecule->bound->user = s;
        s->interaction->without_gpu = !myr_replicas_on_gpu(s);
    }
    if (!status)
        status = myr_molecular_create(s->context, s->particles, s->ranks.part.known ? &s->ranks.part.rows : NULL,
                                      s->interaction, &s->box->options, s->table, s->motion.parameter,
                                      s->molecule->bound, s->molecule->rigid, &s->box->engine);
    if (!status)
        status = box_set_external(s);
    if (!status && s->molecule->bound)
        status = myr_molecule_gpu_decide(s->box->engine, s->interaction);
    if (!status && s->box->anchors)
        myr_molecular_anchor(s->box->engine, s->box->anchors);
    s->motion.context = s->context;
    s->motion.n = myr_particles_count(s->particles);
    s->motion.ids = myr_particles_ids(s->particles);
    return status;
}

void myr_box_motion_close(myr_simulation *s)
{
    myr_molecular_destroy(&s->box->engine);
    myr_box_domains_close(s);
    myr_molecule_destroy(&s->molecule->bound);
    s->box->ahead = 0;
}

myr_status myr_box_motion_start(myr_simulation *s)
{
    myr_status status = myr_box_domains_open(s);
    if (!status)
        status = myr_molecular_start(s->box->engine, s->motion.time);
    s->box->ahead = 1;
    return status;
}

myr_status myr_box_motion_fetch(myr_simulation *s)
{
    if (!s->box->engine || !s->box->ahead)
        return MYR_OK;
    const myr_status status = myr_molecular_fetch(s->box->engine, s->particles);
    if (!status)
        s->box->ahead = 0;
    return status;
}

/* Times at which the following steps of equal length start, up to `most` of them and until a time that was asked for;
 * returns their number. */
static int64_t box_times(const myr_simulation *s, double end, double until, int64_t most, double dt, double *time)
{
    myr_integration ahead = s->motion;
    const double forward = end > ahead.shown ? 1 : -1;
    myr_clock_step next;
    int64_t count = 0;
    while (count < most && (count == 0 || (forward * (end - ahead.shown) > 0 && forward * (until - ahead.shown) > 0)) &&
           myr_clock_begin(&ahead, end, &next) == MYR_OK && next.dt == dt) {
        time[count++] = ahead.time;
        myr_clock_end(&ahead, &next);
    }
    return count;
}

int64_t myr_box_motion_times(const myr_simulation *s, double end, double until, int64_t most, double *time, double *dt)
{
    myr_integration ahead = s->motion;
    const double forward = end > ahead.shown ? 1 : -1;
    myr_clock_step next;
    if (!(forward * (end - ahead.shown) > 0 && forward * (until - ahead.shown) > 0) ||
        myr_clock_begin(&ahead, end, &next) != MYR_OK)
        return 0;
    *dt = next.dt;
    return box_times(s, end, until, most, next.dt, time);
}

void myr_box_motion_made(myr_simulation *s, double end, int64_t made)
{
    myr_clock_step next;
    for (int64_t k = 0; k < made && myr_clock_begin(&s->motion, end, &next) == MYR_OK; k++)
        myr_clock_end(&s->motion, &next);
    s->box->ahead = 1;
    s->pairs += s->motion.n * s->motion.n * made;
}

/* Makes one step; on a GPU up to `most`. */
static myr_status box_step(myr_simulation *s, double end, double until, int64_t most)
{
    myr_integration *m = &s->motion;
    myr_clock_step next;
    double time[BOX_STEPS] = {m->time};
    myr_status status = myr_clock_begin(m, end, &next);
    if (status)
        return status;
    int64_t count = 1, made = 0;
    if ((s->box->engine->gpu || s->box->engine->seat) && most > 1)
        count = box_times(s, end, until, most < BOX_STEPS ? most : BOX_STEPS, next.dt, time);
    status = myr_molecular_step(s->box->engine, time, next.dt, m->steps, count, &made);
    s->box->ahead = 1;
    for (int64_t k = 0; k < made; k++) {
        if (k > 0 && myr_clock_begin(m, end, &next) != MYR_OK)
            break;
        myr_clock_end(m, &next);
    }
    return status;
}

myr_status myr_box_motion_advance(myr_simulation *s, double end, double until, int64_t most)
{
    const double start = myr_timer_now(), forces = s->box->engine->force_seconds;
    const double forward = end > s->motion.shown ? 1 : -1;
    const int64_t steps = s->motion.steps;
    myr_neighbour_progress list;
    myr_status status = MYR_OK;
    myr_box_domains_clock(s, 0);
    while (!status && s->motion.steps - steps < most) {
        status = box_step(s, end, until, most - (s->motion.steps - steps));
        if (!status)
            myr_box_domains_clock(s, 1);
        if (forward * (end - s->motion.shown) <= 0 || forward * (until - s->motion.shown) <= 0 ||
            (myr_ranks_count(s->context) == 1 && myr_timer_now() - start > ADVANCE_SECONDS))
            break;
    }
    /* clocks of ranks differ: rank 0 determines the number of steps in advance */
    const double each = (myr_timer_now() - start) / (double)(s->motion.steps - steps + (status != MYR_OK));
    s->ranks.batch = each * (double)INT64_MAX > RANKS_SECONDS ? 1 + (int64_t)(RANKS_SECONDS / each) : 1;
    if (s->box->engine->list)
        myr_neighbour_progress_of(s->box->engine->list, &list);
    s->pairs += (s->box->engine->list ? list.pairs : s->motion.n * s->motion.n) * (s->motion.steps - steps);
    s->force_seconds += s->box->engine->force_seconds - forces;
    return status;
}

static myr_status box_conserved(myr_simulation *s, myr_conserved *conserved)
{
    myr_thermodynamics t;
    myr_status status = myr_molecular_observe(s->box->engine, s->motion.time, &t);
    if (!status)
        status = myr_molecular_momentum(s->box->engine, conserved->momentum);
    if (!status)
        status = myr_molecular_mass(s->box->engine, &conserved->mass);
    if (status)
        return status;
    conserved->kinetic = t.kinetic;
    conserved->potential = t.potential;
    conserved->external = t.restraint + t.external;
    conserved->energy = t.kinetic + t.potential + conserved->external;
    conserved->virial_ratio = NAN;
    for (int c = 0; c < 3; c++) { /* a periodic box has no centre of motion */
        conserved->angular[c] = conserved->centre[c] = NAN;
        conserved->centre_velocity[c] = conserved->momentum[c] / conserved->mass;
    }
    return MYR_OK;
}

myr_status myr_box_motion_conserved(myr_simulation *s, myr_conserved *conserved)
{
    if (!s->box->engine) /* before the first step */
        return myr_conserved_bodies(s, conserved);
    const myr_command order = {.kind = MYR_COMMAND_CONSERVED};
    myr_status status = myr_commands_begin(s, &order);
    if (!status)
        status = box_conserved(s, conserved);
    return myr_commands_end(s, status);
}

/* --- public functions --------------------------------------------------------------------------------------------- */

myr_status myr_simulation_set_molecular(myr_simulation *simulation, const myr_molecular_options *options)
{
    myr_simulation *s = simulation;
    if (!s)
        return MYR_ERROR_ARGUMENT;
    if (!options)
        return myr_context_fail(s->context, MYR_ERROR_ARGUMENT, "no options given");
    if (s->motion.started)
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "the box cannot be set after the first step");
    s->box->options = *options;
    s->box->options_given = 1;
    return MYR_OK;
}

myr_status myr_simulation_box(const myr_simulation *simulation, double box[3], double origin[3])
{
    const myr_simulation *s = simulation;
    if (!s || !box || !origin)
        return MYR_ERROR_ARGUMENT;
    const myr_box *now = s->box->engine ? &s->box->engine->box : NULL;
    const myr_molecular_options *given = s->box->options_given ? &s->box->options : NULL;
    for (int c = 0; c < 3; c++) {
        box[c] = now ? (now->periodic[c] ? now->length[c] : 0) : given ? given->box[c] : 0;
        origin[c] = box[c] > 0 ? (now ? now->origin[c] : given->origin[c]) : 0;
    }
    return MYR_OK;
}

myr_status myr_box_motion_begin(myr_simulation *s)
{
    if (!myr_box_motion_wanted(s))
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "the particles are neither in a box (method neighbour) nor the atoms of a molecule");
    return s->motion.started ? MYR_OK : myr_simulation_step(s, s->motion.shown);
}

myr_status myr_simulation_thermodynamics(myr_simulation *simulation, myr_thermodynamics *thermodynamics)
{
    if (!simulation || !thermodynamics)
        return MYR_ERROR_ARGUMENT;
    myr_simulation *s = simulation;
    const myr_command order = {.kind = MYR_COMMAND_THERMODYNAMICS};
    myr_status status = myr_commands_begin(s, &order);
    if (!status)
        status = myr_box_motion_begin(s);
    if (!status)
        status = myr_molecular_observe(s->box->engine, s->motion.time, thermodynamics);
    if (!status && s->ranks.domains)
        status = myr_ranks_sum(s->context, &thermodynamics->list_pairs, 1);
    return myr_commands_end(s, status);
}

myr_status myr_simulation_reverse(myr_simulation *simulation)
{
    myr_simulation *s = simulation;
    if (!s)
        return MYR_ERROR_ARGUMENT;
    if (myr_box_motion_wanted(s) && s->table->molecular != MYR_MOLECULAR_VERLET &&
        s->table->molecular != MYR_MOLECULAR_NOSE_HOOVER)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "integrator %s does not go back along its path; use verlet or nose_hoover",
                                s->table->info.name);
    const myr_command order = {.kind = MYR_COMMAND_REVERSE};
    myr_status status = myr_commands_begin(s, &order);
    if (!status)
        status = myr_box_motion_begin(s);
    if (!status)
        status = myr_molecular_reverse(s->box->engine);
    s->box->ahead = 1;
    return myr_commands_end(s, status);
}

myr_status myr_simulation_box_device(const myr_simulation *simulation, myr_box_device *device)
{
    if (!simulation || !device)
        return MYR_ERROR_ARGUMENT;
    *device = (myr_box_device){0};
    const myr_molecular *engine = simulation->box->engine;
    if (engine && engine->seat)
        myr_molecule_gpu_report(engine->seat, device, NULL, NULL);
    return engine && !engine->seat ? myr_molecular_gpu_report(engine, 1, device) : MYR_OK;
}

myr_status myr_simulation_coulomb(const myr_simulation *simulation, myr_coulomb *coulomb)
{
    if (!simulation || !coulomb)
        return MYR_ERROR_ARGUMENT;
    *coulomb = (myr_coulomb){0};
    if (simulation->box->engine)
        myr_molecular_coulomb_report(simulation->box->engine, coulomb);
    return MYR_OK;
}

myr_status myr_simulation_box_code(const myr_simulation *simulation, const char *path)
{
    if (!simulation || !path)
        return MYR_ERROR_ARGUMENT;
    if (!simulation->box->engine)
        return myr_context_fail(simulation->context, MYR_ERROR_COMBINATION, "the particles do not move in a box");
    return myr_molecular_gpu_code(simulation->box->engine, path);
}

myr_status myr_simulation_force_accuracy(myr_simulation *simulation, int64_t samples, myr_accuracy *accuracy)
{
    if (!simulation || !accuracy || samples < 1)
        return MYR_ERROR_ARGUMENT;
    if (!simulation->box->engine)
        return myr_context_fail(simulation->context, MYR_ERROR_COMBINATION,
                                "the forces of particles in a box and of molecules are measured, once they move");
    return myr_molecular_accuracy(simulation->box->engine, samples, accuracy);
}

myr_status myr_simulation_set_ranks(myr_simulation *simulation, const myr_rank_options *options)
{
    myr_simulation *s = simulation;
    if (!s || !options)
        return MYR_ERROR_ARGUMENT;
    if ((int)options->exchange < 0 || options->exchange >= MYR_EXCHANGES)
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "there is no exchange %d", (int)options->exchange);
    const myr_command order = {.kind = MYR_COMMAND_OPTIONS, .options = *options};
    const myr_status status = myr_commands_begin(s, &order);
    if (!status)
        s->ranks.options = *options;
    myr_box_domains_choose(s);
    return myr_commands_end(s, status);
}

myr_status myr_simulation_ranks(myr_simulation *simulation, myr_rank_report *report)
{
    myr_simulation *s = simulation;
    if (!s || !report)
        return MYR_ERROR_ARGUMENT;
    const myr_command order = {.kind = MYR_COMMAND_REPORT};
    myr_status status = myr_commands_begin(s, &order);
    if (!status)
        status = myr_box_domains_report(s, report);
    return myr_commands_end(s, status);
}

myr_status myr_simulation_rank_times(myr_simulation *simulation, myr_rank_times *times)
{
    myr_simulation *s = simulation;
    if (!s || !times)
        return MYR_ERROR_ARGUMENT;
    const myr_command order = {.kind = MYR_COMMAND_TIMES};
    myr_status status = myr_commands_begin(s, &order);
    if (!status && !s->box->engine)
        status = myr_context_fail(s->context, MYR_ERROR_VALUE, "no step of particles in a box has been made");
    if (!status)
        status = myr_box_domains_times(s, times);
    return myr_commands_end(s, status);
}

/* --- checkpoints -------------------------------------------------------------------------------------------------- */

static const char section_options[] = "molecular options", section_memory[] = "molecular memory";

int myr_box_motion_in_parts(const myr_simulation *s)
{
    return s->box->engine != NULL;
}

static myr_status box_save(myr_simulation *s, myr_checkpoint_writer *w)
{
    size_t bytes;
    if (!myr_box_motion_wanted(s))
        return MYR_OK;
    myr_status status = myr_checkpoint_add(w, section_options, &s->box->options, sizeof s->box->options);
    if (status || !s->box->engine)
        return status;
    status = myr_molecular_gpu_fetch(s->box->engine);
    if (status) /* no checkpoint of particles that a lost GPU had */
        return status;
    const void *memory = myr_molecular_remember(s->box->engine, &bytes);
    status = myr_checkpoint_add(w, section_memory, memory, bytes);
    return status ? status : myr_particle_parts_save_fields(s, w);
}

static myr_status box_bad(myr_simulation *s, const char *section)
{
    return myr_context_fail(s->context, MYR_ERROR_FORMAT, "the checkpoint does not make sense: %s", section);
}

/* Restores the engine's state over one made from the particles. */
static myr_status box_load_engine(myr_simulation *s, const myr_checkpoint *file)
{
    size_t bytes, size;
    void *memory = myr_molecular_remember(s->box->engine, &bytes);
    const void *from = myr_checkpoint_section(file, section_memory, &size);
    if (!from || size > bytes || size < offsetof(myr_molecular_memory, push_exponent))
        return box_bad(s, section_memory);
    memcpy(memory, from, size);
    myr_status status = myr_particle_parts_load_engine(s, file);
    if (!status)
        status = myr_molecular_loaded(s->box->engine, s->ranks.part.known);
    s->box->ahead = 1;
    return status;
}

static myr_status box_load(myr_simulation *s, const myr_checkpoint *file)
{
    size_t size;
    const void *options = myr_checkpoint_section(file, section_options, &size);
    if (!options)
        return MYR_OK;
    if (size != sizeof s->box->options &&
        size != offsetof(myr_molecular_options, coulomb_tolerance) && /* earlier: without charges */
        size != offsetof(myr_molecular_options, wall))                /* and without walls */
        return box_bad(s, section_options);
    s->box->options = myr_molecular_defaults();
    memcpy(&s->box->options, options, size);
    s->box->options_given = 1;
    return MYR_OK;
}

myr_status myr_box_motion_resume(myr_simulation *s, const myr_checkpoint *file)
{
    const myr_status status = myr_box_motion_open(s);
    return status ? status : box_load_engine(s, file);
}

static void box_forget(myr_simulation *s)
{
    myr_particles_destroy(&s->box->anchors);
}

const myr_motion myr_motion_box = {
    .kind = MYR_MOTION_OF_BODIES,
    .state_bytes = sizeof(struct myr_box_state),
    .in_box = 1,
    .claims = box_claims,
    .check = myr_box_motion_check,
    .open = myr_box_motion_open,
    .start = myr_box_motion_start,
    .join = myr_box_domains_open,
    .advance = myr_box_motion_advance,
    .fetch = myr_box_motion_fetch,
    .conserved = myr_box_motion_conserved,
    .in_parts = myr_box_motion_in_parts,
    .save = box_save,
    .load = box_load,
    .resume = myr_box_motion_resume,
    .close = myr_box_motion_close,
    .forget = box_forget,
};
