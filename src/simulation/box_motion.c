/* box_motion.c - steps of particles in a box. The particle set of the simulation is brought up to date when somebody
 * asks.
 */
#include "simulation/box_motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/timer.h"
#include "domain/ranks.h"
#include "molecular/molecular.h"
#include "simulation/ranks/box_domains.h"
#include "simulation/checkpoint/particle_parts.h"
#include "simulation/ranks/commands.h"

#define ADVANCE_SECONDS 0.03 /* between two looks; on ranks, that meet for each */
#define RANKS_SECONDS 0.25

/* Kernels with a cutoff but without types of particles are evaluated within it in open space (method/cutoff_tree.h). */
int myr_atoms_wanted(const myr_simulation *s)
{
    const myr_interaction *f = s->interaction;
    return f && (s->topology || (myr_method_keeps_lists(f)));
}

myr_status myr_atoms_check(myr_simulation *s)
{
    const int wanted = myr_atoms_wanted(s);
    if (wanted && !s->table->molecular)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "integrator %s does not move particles in a box or molecules; use verlet, langevin, "
                                "nose_hoover or berendsen",
                                s->table->info.name);
    if (!wanted && s->table->molecular)
        return myr_context_fail(
            s->context, MYR_ERROR_COMBINATION,
            "integrator %s moves particles in a box: it needs an interaction with method neighbour, or "
            "the topology of a molecule",
            s->table->info.name);
    if (wanted && !s->molecular_given && !s->topology)
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "method neighbour needs a box; none has been given");
    if (wanted && s->externals)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "external fields do not act on particles in a box yet; use method direct");
    return MYR_OK;
}

myr_status myr_atoms_open(myr_simulation *s)
{
    myr_status status = myr_atoms_check(s);
    if (!s->molecular_given)
        s->molecular_options = myr_molecular_defaults();
    if (!status && s->topology)
        status = myr_molecule_create(s->topology, s->interaction, (myr_exclusion_mode)s->exclusion_mode, &s->molecule);
    if (!status)
        status = myr_molecular_create(s->context, s->particles, s->part.known ? &s->part.rows : NULL, s->interaction,
                                      &s->molecular_options, s->table, s->motion.parameter, s->molecule, s->rigid,
                                      &s->molecular);
    if (!status && s->anchors)
        myr_molecular_anchor(s->molecular, s->anchors);
    s->motion.context = s->context;
    s->motion.n = myr_particles_count(s->particles);
    s->motion.ids = myr_particles_ids(s->particles);
    return status;
}

void myr_atoms_close(myr_simulation *s)
{
    myr_molecular_destroy(&s->molecular);
    myr_domains_close(s);
    myr_molecule_destroy(&s->molecule);
    s->molecular_ahead = 0;
}

myr_status myr_atoms_fetch(myr_simulation *s)
{
    if (!s->molecular || !s->molecular_ahead)
        return MYR_OK;
    const myr_status status = myr_molecular_fetch(s->molecular, s->particles);
    if (!status)
        s->molecular_ahead = 0;
    return status;
}

/* The time after a step. A sum of a million steps is off by more than outputs and ends forgive: next to a multiple of
 * the step it is that multiple. */
static double atoms_clock(double begin, double dt)
{
    const double sum = begin + dt, multiple = rint(sum / dt) * dt;
    return fabs(sum - multiple) < 1e-6 * fabs(dt) ? multiple : sum;
}

static myr_status atoms_step(myr_simulation *s, double end)
{
    myr_integration *m = &s->motion;
    const double dt = myr_integrator_fixed_step(m, end), begin = m->time;
    const myr_status status = myr_molecular_step(s->molecular, begin, dt, m->steps);
    s->molecular_ahead = 1;
    if (status)
        return status;
    m->time = dt == end - begin ? end : atoms_clock(begin, dt);
    m->steps++;
    m->particle_steps += m->n;
    m->active = m->n;
    return MYR_OK;
}

myr_status myr_atoms_advance(myr_simulation *s, double end, double until, int64_t most)
{
    const double start = myr_timer_now(), forces = s->molecular->force_seconds;
    const double forward = end > s->motion.time ? 1 : -1;
    const int64_t steps = s->motion.steps;
    myr_neighbour_progress list;
    myr_status status = MYR_OK;
    myr_domains_clock(s, 0);
    for (int64_t k = 0; !status && k < most; k++) {
        status = atoms_step(s, end);
        if (!status)
            myr_domains_clock(s, 1);
        if (forward * (end - s->motion.time) <= 0 || forward * (until - s->motion.time) <= 0 ||
            (!s->domains && myr_timer_now() - start > ADVANCE_SECONDS))
            break;
    }
    if (!status && s->molecular->list)
        status = myr_neighbour_settle(s->molecular->list);
    /* clocks of ranks differ: the leader says beforehand how many steps are made */
    const double each = (myr_timer_now() - start) / (double)(s->motion.steps - steps + (status != MYR_OK));
    s->shared_batch = each * (double)INT64_MAX > RANKS_SECONDS ? 1 + (int64_t)(RANKS_SECONDS / each) : 1;
    if (s->molecular->list)
        myr_neighbour_progress_of(s->molecular->list, &list);
    s->pairs += (s->molecular->list ? list.pairs : s->motion.n * s->motion.n) * (s->motion.steps - steps);
    s->force_seconds += s->molecular->force_seconds - forces;
    return status;
}

myr_status myr_atoms_conserved(myr_simulation *s, myr_conserved *conserved)
{
    myr_thermodynamics t;
    myr_status status = myr_molecular_observe(s->molecular, s->motion.time, &t);
    if (!status)
        status = myr_molecular_momentum(s->molecular, conserved->momentum);
    if (!status)
        status = myr_molecular_mass(s->molecular, &conserved->mass);
    if (status)
        return status;
    conserved->kinetic = t.kinetic;
    conserved->potential = t.potential;
    conserved->external = t.restraint;
    conserved->energy = t.kinetic + t.potential + t.restraint;
    conserved->virial_ratio = NAN;
    for (int c = 0; c < 3; c++) { /* a box has no middle that particles move about */
        conserved->angular[c] = conserved->centre[c] = NAN;
        conserved->centre_velocity[c] = conserved->momentum[c] / conserved->mass;
    }
    return MYR_OK;
}

/* --- the public side ------------------------------------------------------------------------------------------------
 */

myr_status myr_simulation_set_molecular(myr_simulation *simulation, const myr_molecular_options *options)
{
    myr_simulation *s = simulation;
    if (!s)
        return MYR_ERROR_ARGUMENT;
    if (!options)
        return myr_context_fail(s->context, MYR_ERROR_ARGUMENT, "no options given");
    if (s->motion.started)
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "the box cannot be set after the first step");
    s->molecular_options = *options;
    s->molecular_given = 1;
    return MYR_OK;
}

myr_status myr_simulation_set_molecule(myr_simulation *simulation, myr_topology *topology, myr_exclusion_mode mode,
                                       int rigid)
{
    myr_simulation *s = simulation;
    if (!s || !topology) {
        myr_topology_destroy(&topology);
        return MYR_ERROR_ARGUMENT;
    }
    if (topology != s->topology)
        myr_topology_destroy(&s->topology);
    s->topology = topology;
    s->exclusion_mode = (int)mode;
    s->rigid = rigid != 0;
    if (s->motion.started || !s->interaction)
        return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                s->interaction ? "a molecule cannot be set after the first step"
                                               : "a molecule needs an interaction with Lennard-Jones and charges");
    return myr_topology_apply(topology, s->particles);
}

const myr_topology *myr_simulation_topology(const myr_simulation *simulation)
{
    return simulation ? simulation->topology : NULL;
}

myr_status myr_simulation_box(const myr_simulation *simulation, double box[3], double origin[3])
{
    const myr_simulation *s = simulation;
    if (!s || !box || !origin)
        return MYR_ERROR_ARGUMENT;
    const myr_box *now = s->molecular ? &s->molecular->box : NULL;
    const myr_molecular_options *given = s->molecular_given ? &s->molecular_options : NULL;
    for (int c = 0; c < 3; c++) {
        box[c] = now ? (now->periodic[c] ? now->length[c] : 0) : given ? given->box[c] : 0;
        origin[c] = box[c] > 0 ? (now ? now->origin[c] : given->origin[c]) : 0;
    }
    return MYR_OK;
}

myr_status myr_atoms_begin(myr_simulation *s)
{
    if (!myr_atoms_wanted(s))
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "the particles are neither in a box (method neighbour) nor the atoms of a molecule");
    return s->motion.started ? MYR_OK : myr_simulation_step(s, s->motion.time);
}

myr_status myr_simulation_thermodynamics(myr_simulation *simulation, myr_thermodynamics *thermodynamics)
{
    if (!simulation || !thermodynamics)
        return MYR_ERROR_ARGUMENT;
    myr_simulation *s = simulation;
    const myr_order order = {.kind = MYR_ORDER_THERMODYNAMICS};
    myr_status status = myr_shared_begin(s, &order);
    if (!status)
        status = myr_atoms_begin(s);
    if (!status)
        status = myr_molecular_observe(s->molecular, s->motion.time, thermodynamics);
    if (!status && s->domains)
        status = myr_ranks_sum(s->context, &thermodynamics->list_pairs, 1);
    return myr_shared_end(s, status);
}

myr_status myr_simulation_set_ranks(myr_simulation *simulation, const myr_rank_options *options)
{
    myr_simulation *s = simulation;
    if (!s || !options)
        return MYR_ERROR_ARGUMENT;
    if ((int)options->exchange < 0 || options->exchange >= MYR_EXCHANGES)
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "there is no exchange %d", (int)options->exchange);
    const myr_order order = {.kind = MYR_ORDER_OPTIONS, .options = *options};
    const myr_status status = myr_shared_begin(s, &order);
    if (!status)
        s->rank_options = *options;
    myr_domains_choose(s);
    return myr_shared_end(s, status);
}

myr_status myr_simulation_ranks(myr_simulation *simulation, myr_rank_report *report)
{
    myr_simulation *s = simulation;
    if (!s || !report)
        return MYR_ERROR_ARGUMENT;
    const myr_order order = {.kind = MYR_ORDER_REPORT};
    myr_status status = myr_shared_begin(s, &order);
    if (!status)
        status = myr_domains_report(s, report);
    return myr_shared_end(s, status);
}

myr_status myr_simulation_rank_times(myr_simulation *simulation, myr_rank_times *times)
{
    myr_simulation *s = simulation;
    if (!s || !times)
        return MYR_ERROR_ARGUMENT;
    const myr_order order = {.kind = MYR_ORDER_TIMES};
    myr_status status = myr_shared_begin(s, &order);
    if (!status && !s->molecular)
        status = myr_context_fail(s->context, MYR_ERROR_VALUE, "no step of particles in a box has been made");
    if (!status)
        status = myr_domains_times(s, times);
    return myr_shared_end(s, status);
}

myr_status myr_simulation_energies(myr_simulation *simulation, double energy[MYR_MOLECULE_TERMS])
{
    myr_simulation *s = simulation;
    myr_neighbour_sums sums;
    if (!s || !energy)
        return MYR_ERROR_ARGUMENT;
    if (!s->topology)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION, "the particles are not the atoms of a molecule");
    myr_status status = myr_atoms_begin(s);
    if (!status)
        status = myr_molecular_molecule_forces(s->molecular, s->molecular->g, &sums);
    if (!status)
        memcpy(energy, s->molecular->energy, sizeof s->molecular->energy);
    return status;
}

/* --- checkpoints ----------------------------------------------------------------------------------------------------
 */

static const char section_options[] = "molecular options", section_memory[] = "molecular memory";
static const char section_topology[] = "molecule topology", section_choice[] = "molecule choices";

/* The topology and what goes with it. */
static myr_status atoms_save_topology(myr_simulation *s, myr_checkpoint_writer *w)
{
    const int32_t choice[2] = {s->exclusion_mode, s->rigid};
    size_t size;
    void *bytes;
    myr_status status = myr_topology_pack(s->topology, &bytes, &size);
    if (!status)
        status = myr_checkpoint_add(w, section_topology, bytes, size);
    free(bytes);
    return status ? status : myr_checkpoint_add(w, section_choice, choice, sizeof choice);
}

myr_status myr_atoms_save(myr_simulation *s, myr_checkpoint_writer *w)
{
    size_t bytes;
    myr_status status = s->topology ? atoms_save_topology(s, w) : MYR_OK;
    if (status || !myr_atoms_wanted(s))
        return status;
    status = myr_checkpoint_add(w, section_options, &s->molecular_options, sizeof s->molecular_options);
    if (status || !s->molecular)
        return status;
    const void *memory = myr_molecular_remember(s->molecular, &bytes);
    status = myr_checkpoint_add(w, section_memory, memory, bytes);
    return status ? status : myr_store_save_fields(s, w);
}

static myr_status atoms_bad(myr_simulation *s, const char *section)
{
    return myr_context_fail(s->context, MYR_ERROR_FORMAT, "the checkpoint does not make sense: %s", section);
}

/* What the engine had, over one made from the particles. */
static myr_status atoms_load_engine(myr_simulation *s, const myr_checkpoint *file)
{
    size_t bytes, size;
    void *memory = myr_molecular_remember(s->molecular, &bytes);
    const void *from = myr_checkpoint_section(file, section_memory, &size);
    if (!from || size != bytes)
        return atoms_bad(s, section_memory);
    memcpy(memory, from, bytes);
    myr_status status = myr_store_load_engine(s, file);
    if (!status)
        status = myr_molecular_loaded(s->molecular, s->part.known);
    s->molecular_ahead = 1;
    return status;
}

int myr_atoms_are_bound(const myr_checkpoint *file)
{
    size_t size;
    return myr_checkpoint_section(file, section_topology, &size) != NULL;
}

static myr_status atoms_load_topology(myr_simulation *s, const myr_checkpoint *file)
{
    size_t size, chosen;
    int32_t choice[2];
    const void *topology = myr_checkpoint_section(file, section_topology, &size);
    const void *from = myr_checkpoint_section(file, section_choice, &chosen);
    if (!topology)
        return MYR_OK;
    if (!from || chosen != sizeof choice)
        return atoms_bad(s, section_choice);
    memcpy(choice, from, sizeof choice);
    s->exclusion_mode = choice[0];
    s->rigid = choice[1];
    return myr_topology_unpack(s->context, topology, size, &s->topology);
}

myr_status myr_atoms_load(myr_simulation *s, const myr_checkpoint *file)
{
    size_t size;
    const myr_status loaded = atoms_load_topology(s, file);
    if (loaded)
        return loaded;
    const void *options = myr_checkpoint_section(file, section_options, &size);
    if (!options)
        return MYR_OK;
    if (size != sizeof s->molecular_options)
        return atoms_bad(s, section_options);
    memcpy(&s->molecular_options, options, size);
    s->molecular_given = 1;
    if (!s->motion.started || !myr_atoms_wanted(s))
        return MYR_OK;
    myr_status status = s->part.known && s->topology ? myr_domains_check(s) : MYR_OK;
    if (!status)
        status = myr_atoms_open(s);
    return status ? status : atoms_load_engine(s, file);
}
