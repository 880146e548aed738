/* molecule_motion.c - atoms of a molecule: particles in a box with a topology, which binds some of them. The engine of
 * a box moves them; the box may be open on all sides. */
#include "simulation/molecule_motion.h"

#include <stdlib.h>
#include <string.h>

#include "simulation/box_motion.h"
#include "simulation/ranks/replicas.h"

static int molecule_claims(const myr_simulation *s)
{
    return s->interaction && s->molecule->topology;
}

/* The library's own text of the name of a solvent; null if there is no such solvent. */
static const char *molecule_model(const char *name)
{
    int k = 0;
    while (myr_solvent_model(k) && strcmp(myr_solvent_model(k), name) != 0)
        k++;
    return myr_solvent_model(k);
}

myr_status myr_simulation_set_molecule(myr_simulation *simulation, myr_topology *topology, myr_exclusion_mode mode,
                                       int rigid)
{
    myr_simulation *s = simulation;
    if (!s || !topology) {
        myr_topology_destroy(&topology);
        return MYR_ERROR_ARGUMENT;
    }
    if (topology != s->molecule->topology)
        myr_topology_destroy(&s->molecule->topology);
    s->molecule->topology = topology;
    s->molecule->exclusion_mode = (int)mode;
    s->molecule->rigid = rigid != 0;
    if (s->motion.started || !s->interaction)
        return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                s->interaction ? "a molecule cannot be set after the first step"
                                               : "a molecule needs an interaction with Lennard-Jones and charges");
    return myr_topology_apply(topology, s->particles);
}

myr_status myr_simulation_set_solvent(myr_simulation *simulation, const myr_solvent *solvent)
{
    myr_simulation *s = simulation;
    if (!s || !solvent)
        return MYR_ERROR_ARGUMENT;
    if (s->motion.started || !s->molecule->topology)
        return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                s->molecule->topology ? "a solvent cannot be set after the first step"
                                                      : "a solvent is for the atoms of a molecule");
    const myr_status status = myr_solvent_check(s->context, s->molecule->topology, solvent);
    if (status)
        return status;
    s->molecule->solvent = *solvent;
    s->molecule->solvent.model = molecule_model(solvent->model);
    return MYR_OK;
}

const myr_solvent *myr_simulation_solvent(const myr_simulation *simulation)
{
    return simulation && simulation->molecule->solvent.model ? &simulation->molecule->solvent : NULL;
}

const myr_topology *myr_simulation_topology(const myr_simulation *simulation)
{
    return simulation ? simulation->molecule->topology : NULL;
}

myr_status myr_simulation_energies(myr_simulation *simulation, double energy[MYR_MOLECULE_TERMS])
{
    myr_simulation *s = simulation;
    myr_neighbour_sums sums;
    if (!s || !energy)
        return MYR_ERROR_ARGUMENT;
    if (!s->molecule->topology)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION, "the particles are not the atoms of a molecule");
    myr_status status = myr_box_motion_begin(s);
    if (!status)
        status = myr_molecular_molecule_forces(s->box->engine, s->box->engine->g, &sums);
    if (!status)
        memcpy(energy, s->box->engine->energy, sizeof s->box->engine->energy);
    return status;
}

/* --- checkpoints -------------------------------------------------------------------------------------------------- */

static const char section_topology[] = "molecule topology", section_choice[] = "molecule choices",
                  section_solvent[] = "molecule solvent";

/* A solvent in a checkpoint. */
typedef struct {
    double salt;
    int32_t surface, spare;
    char model[16];
} molecule_solvent;

static myr_status molecule_save_solvent(const myr_simulation *s, myr_checkpoint_writer *w)
{
    const myr_solvent *from = &s->molecule->solvent;
    molecule_solvent to = {.salt = from->salt, .surface = from->surface};
    if (!from->model)
        return MYR_OK;
    memcpy(to.model, from->model, strlen(from->model));
    return myr_checkpoint_add(w, section_solvent, &to, sizeof to);
}

static myr_status molecule_load_solvent(myr_simulation *s, const myr_checkpoint *file)
{
    size_t size;
    molecule_solvent from;
    const void *section = myr_checkpoint_section(file, section_solvent, &size);
    if (!section)
        return MYR_OK;
    if (size == sizeof from)
        memcpy(&from, section, sizeof from);
    else
        memset(&from, 0, sizeof from);
    from.model[sizeof from.model - 1] = 0;
    s->molecule->solvent = (myr_solvent){molecule_model(from.model), from.salt, from.surface != 0};
    if (s->molecule->solvent.model)
        return myr_solvent_check(s->context, s->molecule->topology, &s->molecule->solvent);
    return myr_context_fail(s->context, MYR_ERROR_FORMAT, "the checkpoint does not make sense: %s", section_solvent);
}

static myr_status molecule_save(myr_simulation *s, myr_checkpoint_writer *w)
{
    const int32_t choice[2] = {s->molecule->exclusion_mode, s->molecule->rigid};
    size_t size;
    void *bytes;
    if (!s->molecule->topology)
        return MYR_OK;
    myr_status status = myr_topology_pack(s->molecule->topology, &bytes, &size);
    if (!status)
        status = myr_checkpoint_add(w, section_topology, bytes, size);
    free(bytes);
    if (!status)
        status = myr_checkpoint_add(w, section_choice, choice, sizeof choice);
    return status ? status : molecule_save_solvent(s, w);
}

int myr_molecule_motion_is_in(const myr_checkpoint *file)
{
    size_t size;
    return myr_checkpoint_section(file, section_topology, &size) != NULL;
}

static myr_status molecule_load(myr_simulation *s, const myr_checkpoint *file)
{
    size_t size, chosen;
    int32_t choice[2];
    const void *topology = myr_checkpoint_section(file, section_topology, &size);
    const void *from = myr_checkpoint_section(file, section_choice, &chosen);
    if (!topology)
        return MYR_OK;
    if (!from || chosen != sizeof choice)
        return myr_context_fail(s->context, MYR_ERROR_FORMAT, "the checkpoint does not make sense: %s", section_choice);
    memcpy(choice, from, sizeof choice);
    s->molecule->exclusion_mode = choice[0];
    s->molecule->rigid = choice[1];
    const myr_status status = myr_topology_unpack(s->context, topology, size, &s->molecule->topology);
    return status ? status : molecule_load_solvent(s, file);
}

static void molecule_forget(myr_simulation *s)
{
    s->molecule->solvent = (myr_solvent){0};
    myr_topology_destroy(&s->molecule->topology);
}

static myr_status molecule_open(myr_simulation *s)
{
    const myr_status status = myr_box_motion_open(s);
    return status ? status : myr_replicas_join(s);
}

const myr_motion myr_motion_molecule = {
    .kind = MYR_MOTION_OF_BODIES,
    .state_bytes = sizeof(struct myr_molecule_state),
    .in_box = 1,
    .claims = molecule_claims,
    .check = myr_box_motion_check,
    .every_rank = 1, /* ranks share the sums */
    .open = molecule_open,
    .start = myr_box_motion_start,
    .join = myr_replicas_join,
    .advance = myr_box_motion_advance,
    .fetch = myr_box_motion_fetch,
    .conserved = myr_box_motion_conserved,
    .in_parts = myr_box_motion_in_parts,
    .save = molecule_save,
    .load = molecule_load,
    .resume = myr_box_motion_resume,
    .forget = molecule_forget,
};
