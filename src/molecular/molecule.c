/* molecule.c - a topology combined with a pair interaction: forces, and energies by term. */
#include "molecular/molecule.h"

#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"

static const struct {
    const char *name, *text;
} molecule_terms[MYR_TERMS] = {
#define MYR_TERM(name, text) {#name, text},
#include "molecular/terms.def"
#undef MYR_TERM
};

_Static_assert((int)MYR_TERMS == (int)MYR_MOLECULE_TERMS, "terms.def and molecule.h count the same terms");

const char *myr_molecule_term(int k)
{
    return k >= 0 && k < MYR_TERMS ? molecule_terms[k].name : NULL;
}

const char *myr_molecule_term_text(int k)
{
    return k >= 0 && k < MYR_TERMS ? molecule_terms[k].text : NULL;
}

/* Sets the pair tables and the exclusions of an interaction; epsilon null = no Lennard-Jones. */
static myr_status molecule_bind(const myr_topology *t, myr_interaction *f, const double *epsilon,
                                myr_exclusion_mode mode)
{
    double *zero = NULL;
    if (!epsilon && !(zero = myr_memory_zeros((int64_t)t->types * t->types, sizeof *zero)))
        return myr_context_fail(t->context, MYR_ERROR_MEMORY, "no memory for a table of %d types", t->types);
    myr_status status = myr_interaction_set_pair(f, "epsilon", t->types, epsilon ? epsilon : zero);
    if (!status)
        status = myr_interaction_set_pair(f, "sigma", t->types, t->sigma);
    if (!status)
        status = myr_interaction_set_exclusions(f, t->atoms, t->offset, t->partner, mode);
    free(zero);
    return status;
}

myr_status myr_molecule_create(const myr_topology *topology, myr_interaction *pairs, myr_exclusion_mode mode,
                               myr_molecule **molecule)
{
    if (!topology || !pairs || !molecule)
        return MYR_ERROR_ARGUMENT;
    *molecule = NULL;
    if (topology->periodic)
        return myr_context_fail(topology->context, MYR_ERROR_COMBINATION,
                                "the topology is that of a periodic box, which molecules cannot have yet; make one "
                                "without a box");
    myr_molecule *m = calloc(1, sizeof *m);
    if (!m)
        return myr_context_fail(topology->context, MYR_ERROR_MEMORY, "no memory for a molecule");
    m->t = topology;
    m->pairs = pairs;
    pairs->grid_is_spare = 1;
    myr_status status = myr_interaction_set(pairs, "coulomb", MYR_TOPOLOGY_COULOMB);
    if (!status)
        status = myr_bonded_create(topology, pairs, &m->bonded);
    if (!status)
        status = molecule_bind(topology, pairs, topology->epsilon, mode);
    if (status)
        myr_molecule_destroy(&m);
    *molecule = m;
    return status;
}

void myr_molecule_destroy(myr_molecule **molecule)
{
    if (!molecule || !*molecule)
        return;
    myr_stage_destroy(&(*molecule)->stage);
    free((*molecule)->potential);
    myr_particles_destroy(&(*molecule)->copy);
    myr_bonded_destroy(&(*molecule)->bonded);
    myr_born_destroy(&(*molecule)->born);
    myr_interaction_destroy(&(*molecule)->lj);
    myr_interaction_destroy(&(*molecule)->coulomb);
    free(*molecule);
    *molecule = NULL;
}

static myr_status molecule_positions(const myr_molecule *m, const myr_particles *p, const double *x[3])
{
    for (int c = 0; c < 3; c++)
        x[c] = myr_particles_component_const(p, "position", c);
    if (!x[0] || !x[1] || !x[2])
        return myr_context_fail(m->t->context, MYR_ERROR_FIELD, "the atoms have no positions");
    if (myr_particles_count(p) != m->t->atoms)
        return myr_context_fail(m->t->context, MYR_ERROR_VALUE, "the topology has %lld atom%s, the set %lld",
                                (long long)m->t->atoms, myr_plural(m->t->atoms), (long long)myr_particles_count(p));
    return MYR_OK;
}

/* Copies positions x to the particle set that the kernels read, so that the user's set is not changed. */
static myr_status molecule_copy(myr_molecule *m, const double *const x[3])
{
    myr_status status = m->copy ? MYR_OK : myr_particles_create(m->t->context, m->t->atoms, &m->copy);
    if (!status)
        status = myr_topology_apply(m->t, m->copy);
    if (!status)
        status = myr_particles_add_field(m->copy, "position", 3);
    for (int c = 0; c < 3 && !status; c++)
        memcpy(myr_particles_component(m->copy, "position", c), x[c], (size_t)m->t->atoms * sizeof *x[c]);
    return status;
}

static double molecule_share_from(const myr_molecule *m)
{
    return m->share_from ? m->share_from(m->user) : 0;
}

/* Returns 1 if the ranks share the bonded terms, as they share the pairs. */
static int molecule_is_shared(const myr_molecule *m, double from)
{
    return from > 0 && (double)m->t->atoms * (double)m->t->atoms >= from;
}

myr_status myr_molecule_prepare(myr_molecule *m, const double *const x[3])
{
    myr_status status = m->stage ? MYR_OK : molecule_copy(m, x);
    if (!status && !m->potential && !(m->potential = myr_memory_zeros(m->t->atoms, sizeof *m->potential)))
        status = myr_context_fail(m->t->context, MYR_ERROR_MEMORY, "no memory for %lld atoms", (long long)m->t->atoms);
    return status || m->stage ? status : myr_stage_create(m->pairs, m->copy, &m->stage);
}

myr_status myr_molecule_forces(myr_molecule *m, const double *const x[3], double *const force[3])
{
    const myr_prediction here = {.position = {x[0], x[1], x[2]}};
    myr_status status = myr_molecule_prepare(m, x);
    if (status)
        return status;
    const double from = molecule_share_from(m);
    myr_stage_predict(m->stage, &here);
    myr_stage_share(m->stage, from);
    double *value[MYR_KERNEL_OUTPUTS_MAX] = {force[0], force[1], force[2], m->potential};
    status = myr_stage_evaluate(m->stage, m->t->atoms, NULL, value);
    if (!status && m->born)
        status = myr_born_forces(m->born, 0, from, x, force);
    return status ? status : myr_bonded_evaluate(m->bonded, molecule_is_shared(m, from), x, force, NULL);
}

myr_status myr_molecule_evaluate(myr_molecule *molecule, myr_particles *particles)
{
    const double *x[3];
    double *force[3];
    if (!molecule || !particles)
        return MYR_ERROR_ARGUMENT;
    myr_status status = molecule_positions(molecule, particles, x);
    if (!status)
        status = myr_interaction_evaluate(molecule->pairs, particles, particles);
    if (status)
        return status;
    for (int c = 0; c < 3; c++)
        force[c] = myr_particles_component(particles, "force", c);
    if (molecule->born && (status = myr_born_forces(molecule->born, 0, 0, x, force)))
        return status;
    return myr_bonded_evaluate(molecule->bonded, 0, x, force, NULL);
}

/* --- energies of pairs -------------------------------------------------------------------------------------------- */

/* Creates an interaction in double arithmetic with the first `parameters` parameters of the molecule's own. */
static myr_status molecule_in_double(const myr_molecule *m, const char *kernel, int parameters, const double *epsilon,
                                     myr_interaction **f)
{
    const myr_kernel_desc *desc = myr_interaction_desc(m->pairs);
    myr_status status = myr_interaction_create(m->t->context, kernel, f);
    static const char *const choice[][2] = {{"arithmetic", "double"}, {"accumulator", "double"}, {"backend", "simd"}};
    for (size_t k = 0; k < sizeof choice / sizeof choice[0] && !status; k++)
        status = myr_interaction_choose(*f, choice[k][0], choice[k][1]);
    for (int k = 0; !status && k < parameters && desc->parameter[k].name; k++)
        status = myr_interaction_set(*f, desc->parameter[k].name, m->pairs->parameter[k]);
    return status ? status : molecule_bind(m->t, *f, epsilon, MYR_EXCLUDE_ON_THE_FLY);
}

/* Creates an interaction with one kind of force: the Coulomb law without Lennard-Jones, or Lennard-Jones alone. */
static myr_status molecule_single_law(const myr_molecule *m, int charges, myr_interaction **f)
{
    char kernel[64] = "lennard_jones_potential";
    const myr_kernel_desc *desc = myr_interaction_desc(m->pairs);
    if (charges) {
        const size_t length = strlen(desc->name);
        const int has = length > 10 && strcmp(desc->name + length - 10, "_potential") == 0;
        strcpy(kernel, desc->name);
        strcat(kernel, has ? "" : "_potential");
    }
    return molecule_in_double(m, kernel, charges ? MYR_KERNEL_PARAMETERS : 1, charges ? NULL : m->t->epsilon, f);
}

myr_status myr_molecule_forces_in_double(myr_molecule *m, const double *const x[3], int64_t n, const int64_t *pick,
                                         double *const force[3])
{
    myr_interaction *f = NULL;
    const char *kernel = myr_interaction_desc(m->pairs)->name;
    myr_status status = molecule_copy(m, x);
    if (!status)
        status = molecule_in_double(m, kernel, MYR_KERNEL_PARAMETERS, m->t->epsilon, &f);
    if (!status)
        status = myr_interaction_evaluate_subset(f, m->copy, n, pick);
    for (int c = 0; c < 3 && !status; c++)
        for (int64_t s = 0; s < n; s++)
            force[c][pick[s]] = myr_particles_component(m->copy, "force", c)[pick[s]];
    myr_interaction_destroy(&f);
    if (!status && m->born)
        status = myr_born_forces(m->born, 1, 0, x, force);
    return status ? status : myr_bonded_evaluate(m->bonded, 0, x, force, NULL);
}

/* Pair energy: half the sum of the potentials, in the order of the atoms. */
static myr_status molecule_pair_energy(const myr_molecule *m, int charges, double from, myr_interaction **f,
                                       double *energy)
{
    myr_status status = *f ? MYR_OK : molecule_single_law(m, charges, f);
    if (status)
        return status;
    (*f)->shared_from = from;
    status = myr_interaction_evaluate(*f, m->copy, m->copy);
    (*f)->shared_from = 0;
    if (status)
        return status;
    long double sum = 0;
    const double *u = myr_particles_component(m->copy, "potential", 0);
    for (int64_t i = 0; i < m->t->atoms; i++)
        sum += u[i];
    *energy = (double)(0.5L * sum);
    return MYR_OK;
}

myr_status myr_molecule_energies_at(myr_molecule *m, const double *const x[3], double energy[MYR_MOLECULE_TERMS])
{
    const double from = molecule_share_from(m);
    myr_status status = myr_bonded_evaluate(m->bonded, molecule_is_shared(m, from), x, NULL, energy);
    if (!status)
        status = molecule_copy(m, x);
    if (!status)
        status = molecule_pair_energy(m, 0, from, &m->lj, &energy[MYR_TERM_lj]);
    if (!status)
        status = molecule_pair_energy(m, 1, from, &m->coulomb, &energy[MYR_TERM_coulomb]);
    energy[MYR_TERM_gb] = energy[MYR_TERM_surface] = 0;
    if (!status && m->born)
        status = myr_born_energies(m->born, from, x, &energy[MYR_TERM_gb], &energy[MYR_TERM_surface]);
    return status;
}

myr_status myr_molecule_set_solvent(myr_molecule *molecule, const myr_solvent *solvent)
{
    if (!molecule)
        return MYR_ERROR_ARGUMENT;
    myr_born_destroy(&molecule->born);
    return solvent ? myr_born_create(molecule->t, molecule->pairs, solvent, &molecule->born) : MYR_OK;
}

myr_status myr_molecule_born_radii(myr_molecule *molecule, const myr_particles *particles, double *radius)
{
    const double *x[3];
    double polar, surface;
    if (!molecule || !particles || !radius)
        return MYR_ERROR_ARGUMENT;
    if (!molecule->born)
        return myr_context_fail(molecule->t->context, MYR_ERROR_COMBINATION,
                                "Born radii belong to a solvent, and the molecule has none");
    myr_status status = molecule_positions(molecule, particles, x);
    if (!status)
        status = myr_born_energies(molecule->born, 0, x, &polar, &surface);
    if (!status)
        memcpy(radius, myr_born_radii(molecule->born), (size_t)molecule->t->atoms * sizeof *radius);
    return status;
}

myr_status myr_molecule_energies(myr_molecule *molecule, const myr_particles *particles,
                                 double energy[MYR_MOLECULE_TERMS])
{
    const double *x[3];
    if (!molecule || !particles || !energy)
        return MYR_ERROR_ARGUMENT;
    const myr_status status = molecule_positions(molecule, particles, x);
    return status ? status : myr_molecule_energies_at(molecule, x, energy);
}
