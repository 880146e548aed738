/* born.c - generalised Born solvent of a molecule; see born.h.
 *
 * With rho~ = rho - 0.09 Angstrom, I the integral over the other atoms (kernel/gb_integral.h) and psi = I rho~, the
 * Born radius B of an atom is 1/B = 1/rho~ - I                                                  hct 1/B = 1/rho~ -
 * tanh(alpha psi - beta psi^2 + gamma psi^3)/rho     obc1, obc2 (Onufriev, Bashford and Case 2004, Proteins 55, 383).
 * Integrals of hct that would make a radius larger than 30 Angstrom or negative give that radius. Surface area: E = 4
 * pi s (rho + 1.4 A)^2 (rho/B)^6 with s = 5.4 cal/mol/A^2 (Schaefer and Karplus 1996, J. Phys. Chem. 100, 1578, called
 * ACE), as OpenMM has it; AMBER's gbsa = 1 is LCPO, another estimate. Salt: kappa = 0.73 (0.10806 c)^(1/2)/A for c
 * mol/l at 300 K, as AMBER has it. */
#include "molecular/born.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/born_atom.h"
#include "core/context.h"
#include "core/memory.h"
#include "interaction/interaction.h"

#define BORN_SOLVENT 78.5    /* dielectric constant of water, as in AMBER and OpenMM */
#define BORN_TENSION 0.0054  /* kcal/mol/Angstrom^2 */
#define BORN_SALT_MOST 100.0 /* mol/l */

enum { BORN_INTEGRAL, BORN_FORCE, BORN_CHAIN, BORN_SUMS };

static const struct {
    const char *name;
    double alpha, beta, gamma; /* as in born_law */
} born_models[] = {
    {"hct", 0, 0, 0},
    {"obc1", 0.8, 0, 2.909125},
    {"obc2", 1.0, 0.8, 4.85},
};
enum { BORN_MODELS = sizeof born_models / sizeof born_models[0] };

/* The three sums in one arithmetic. */
typedef struct {
    myr_interaction *sum[BORN_SUMS];
    myr_stage *stage[BORN_SUMS]; /* null before the first evaluation */
} born_pass;

struct myr_born {
    const myr_topology *t;
    const myr_interaction *pairs;
    myr_solvent solvent;
    int model;
    double solute, kappa;
    born_pass pass[2];   /* in the arithmetic of the pairs, and in double with energies */
    myr_particles *copy; /* particle set from which the stages are made */
    /* [atoms]: radius less the offset; Born radius; its derivative by the integral; derivative of the energy by the
     * Born radius, by the integral; results of the sums */
    double *reduced, *radius, *slope, *by_radius, *weight, *value[4];
};

const char *myr_solvent_model(int k)
{
    return k >= 0 && k < BORN_MODELS ? born_models[k].name : NULL;
}

const double *myr_born_radii(const myr_born *b)
{
    return b->radius;
}

/* --- making ------------------------------------------------------------------------------------------------------- */

static int born_model(const char *name)
{
    int k = 0;
    while (k < BORN_MODELS && (!name || strcmp(born_models[k].name, name) != 0))
        k++;
    return k;
}

myr_status myr_solvent_check(myr_context *context, const myr_topology *t, const myr_solvent *solvent)
{
    if (born_model(solvent->model) == BORN_MODELS)
        return myr_context_fail(context, MYR_ERROR_VALUE,
                                "there is no generalised Born model '%s'; there are hct, obc1 and obc2",
                                solvent->model ? solvent->model : "");
    if (!(solvent->salt >= 0) || solvent->salt > BORN_SALT_MOST)
        return myr_context_fail(context, MYR_ERROR_VALUE, "a solvent cannot have %g mol/l of salt; from 0 to %g",
                                solvent->salt, BORN_SALT_MOST);
    if (!t->radius)
        return myr_context_fail(context, MYR_ERROR_FIELD,
                                "generalised Born needs a radius of more than %g Angstrom and a screening factor for "
                                "every atom, which the topology does not have: sections RADII and SCREEN of a prmtop",
                                MYR_TOPOLOGY_BORN_OFFSET);
    for (int64_t i = 0; i < t->atoms; i++)
        if (!myr_topology_radius_valid(t->radius[i], t->screen[i]))
            return myr_context_fail(context, MYR_ERROR_FIELD, "atom %lld (%s) has no radius for generalised Born",
                                    (long long)i + 1, t->name[i]);
    return MYR_OK;
}

/* The dielectric of the solute, which the charges must have. */
static myr_status born_solute(const myr_interaction *pairs, double *solute)
{
    const char *kernel = myr_interaction_desc(pairs)->name;
    if (strncmp(kernel, "ljc_constant", 12) != 0)
        return myr_context_fail(pairs->context, MYR_ERROR_COMBINATION,
                                "the dielectric of kernel %s already stands for the solvent; generalised Born needs "
                                "ljc_constant",
                                kernel);
    *solute = myr_interaction_get(pairs, "dielectric");
    return MYR_OK;
}

/* Fixes the grids of the sums from bounds that depend on the topology alone, so that they are not part of the state: no
 * f_GB is below the smallest Born radius, which is above 0.9 times the smallest reduced radius. */
static myr_status born_scale(const myr_born *b, myr_interaction *f, int k)
{
    static const char *const output[BORN_SUMS][3] = {{"gb_integral"}, {"force", "gb_slope", "potential"}, {"force"}};
    double charge = 0.1, least = 1;
    for (int64_t i = 0; i < b->t->atoms; i++) {
        charge = fmax(charge, fabs(b->t->charge[i]));
        least = fmin(least, b->reduced[i]);
    }
    const double force = MYR_TOPOLOGY_COULOMB * charge * charge / b->solute / (0.81 * least * least);
    int exponent;
    (void)frexp(k == BORN_INTEGRAL ? 2 / least : force, &exponent);
    const myr_kernel_desc *desc = myr_interaction_desc(f);
    myr_status status = MYR_OK;
    for (int o = 0; o < 3 && output[k][o] && !status; o++)
        if (desc->output[o].name)
            status = myr_interaction_set_scale(f, output[k][o], exponent + 2);
    return status;
}

static myr_status born_sum(const myr_born *b, int in_double, int k, myr_interaction **sum)
{
    static const char *const kernel[2][BORN_SUMS] = {{"gb_integral", "gb_force", "gb_chain"},
                                                     {"gb_integral", "gb_force_potential", "gb_chain"}};
    static const char *const choice[][2] = {{"arithmetic", "double"}, {"accumulator", "double"}, {"backend", "simd"}};
    myr_status status = myr_interaction_create(b->t->context, kernel[in_double][k], sum);
    for (size_t c = 0; in_double && c < sizeof choice / sizeof choice[0] && !status; c++)
        status = myr_interaction_choose(*sum, choice[c][0], choice[c][1]);
    if (!status && !in_double) {
        (*sum)->accumulator = b->pairs->accumulator;
        (*sum)->arithmetic = b->pairs->arithmetic;
        (*sum)->backend = b->pairs->backend;
        (*sum)->isa = b->pairs->isa;
    }
    const struct {
        const char *name;
        double value;
    } parameter[] = {
        {"coulomb", MYR_TOPOLOGY_COULOMB}, {"solute", b->solute}, {"solvent", BORN_SOLVENT}, {"kappa", b->kappa}};
    for (size_t p = 0; k == BORN_FORCE && p < sizeof parameter / sizeof parameter[0] && !status; p++)
        status = myr_interaction_set(*sum, parameter[p].name, parameter[p].value);
    return status ? status : born_scale(b, *sum, k);
}

static myr_status born_arrays(myr_born *b)
{
    const int64_t n = b->t->atoms;
    double **const array[] = {&b->reduced,  &b->radius,   &b->slope,    &b->by_radius, &b->weight,
                              &b->value[0], &b->value[1], &b->value[2], &b->value[3]};
    for (size_t k = 0; k < sizeof array / sizeof array[0]; k++)
        if (!(*array[k] = myr_memory_zeros(n, sizeof **array[k])))
            return myr_context_fail(b->t->context, MYR_ERROR_MEMORY, "no memory for the Born radii of %lld atoms",
                                    (long long)n);
    return MYR_OK;
}

/* Makes the particle set: charges, reduced and screened radii; Born radii and weights are set at every evaluation. */
static myr_status born_copy(myr_born *b)
{
    const int64_t n = b->t->atoms;
    myr_status status = myr_particles_create(b->t->context, n, &b->copy);
    for (int64_t i = 0; i < n; i++) {
        b->reduced[i] = b->t->radius[i] - MYR_TOPOLOGY_BORN_OFFSET;
        b->weight[i] = b->t->screen[i] * b->reduced[i];
    }
    if (!status)
        status = myr_particles_set(b->copy, "charge", 1, b->t->charge);
    if (!status)
        status = myr_particles_set(b->copy, "gb_radius", 1, b->reduced);
    if (!status)
        status = myr_particles_set(b->copy, "gb_screened", 1, b->weight);
    if (!status)
        status = myr_particles_set(b->copy, "born_radius", 1, b->reduced);
    if (!status)
        status = myr_particles_add_field(b->copy, "gb_weight", 1);
    return status ? status : myr_particles_add_field(b->copy, "position", 3);
}

myr_status myr_born_create(const myr_topology *topology, const myr_interaction *pairs, const myr_solvent *solvent,
                           myr_born **born)
{
    *born = NULL;
    myr_status status = myr_solvent_check(topology->context, topology, solvent);
    if (status)
        return status;
    myr_born *b = calloc(1, sizeof *b);
    if (!b)
        return myr_context_fail(topology->context, MYR_ERROR_MEMORY, "no memory for a solvent");
    b->t = topology;
    b->pairs = pairs;
    b->solvent = *solvent;
    b->model = born_model(solvent->model);
    b->solvent.model = born_models[b->model].name;
    b->kappa = 0.73 * sqrt(0.10806 * solvent->salt);
    status = born_solute(pairs, &b->solute);
    if (!status)
        status = born_arrays(b);
    if (!status)
        status = born_copy(b);
    for (int k = 0; k < BORN_SUMS && !status; k++)
        status = born_sum(b, 0, k, &b->pass[0].sum[k]);
    if (status)
        myr_born_destroy(&b);
    *born = b;
    return status;
}

void myr_born_destroy(myr_born **born)
{
    if (!born || !*born)
        return;
    myr_born *b = *born;
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < BORN_SUMS; k++) {
            myr_stage_destroy(&b->pass[p].stage[k]);
            myr_interaction_destroy(&b->pass[p].sum[k]);
        }
    double *const array[] = {b->reduced,  b->radius,   b->slope,    b->by_radius, b->weight,
                             b->value[0], b->value[1], b->value[2], b->value[3]};
    for (size_t k = 0; k < sizeof array / sizeof array[0]; k++)
        free(array[k]);
    myr_particles_destroy(&b->copy);
    free(b);
    *born = NULL;
}

/* --- what belongs to one atom ------------------------------------------------------------------------------------- */

/* The formulas are in backend/born_atom.h. */
static born_law born_law_of(const myr_born *b)
{
    const born_law law = {born_models[b->model].alpha, born_models[b->model].beta, born_models[b->model].gamma,
                          b->solvent.surface ? BORN_TENSION : 0};
    return law;
}

/* Born radii and their derivatives by the integrals. */
static void born_find_radii(myr_born *b, const double *integral)
{
    const born_law law = born_law_of(b);
    for (int64_t i = 0; i < b->t->atoms; i++)
        born_radius(&law, b->t->radius[i], b->reduced[i], integral[i], &b->radius[i], &b->slope[i]);
}

static void born_find_weights(myr_born *b, const double *by_radius)
{
    const born_law law = born_law_of(b);
    for (int64_t i = 0; i < b->t->atoms; i++)
        b->weight[i] = born_weight(&law, b->t->radius[i], b->radius[i], b->slope[i], by_radius[i]);
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

/* Prepares sum k at positions x. */
static myr_status born_prepare(myr_born *b, int in_double, int k, double shared, const double *const x[3])
{
    born_pass *p = &b->pass[in_double];
    const myr_prediction here = {.position = {x[0], x[1], x[2]}};
    myr_status status = p->sum[k] ? MYR_OK : born_sum(b, in_double, k, &p->sum[k]);
    if (!status && !p->stage[k]) {
        for (int c = 0; c < 3; c++)
            memcpy(myr_particles_component(b->copy, "position", c), x[c], (size_t)b->t->atoms * sizeof *x[c]);
        p->sum[k]->without_gpu = b->pairs->without_gpu;
        p->sum[k]->on_host = b->pairs->on_host;
        status = myr_stage_create(p->sum[k], b->copy, &p->stage[k]);
    }
    if (status)
        return status;
    myr_stage_predict(p->stage[k], &here);
    myr_stage_share(p->stage[k], shared);
    return MYR_OK;
}

/* Evaluates sum k of all atoms into value[]. */
static myr_status born_evaluate(myr_born *b, int in_double, int k, double *const value[])
{
    return myr_stage_evaluate(b->pass[in_double].stage[k], b->t->atoms, NULL, value);
}

static myr_status born_radii(myr_born *b, int in_double, double shared, const double *const x[3])
{
    myr_status status = born_prepare(b, in_double, BORN_INTEGRAL, shared, x);
    if (!status)
        status = born_evaluate(b, in_double, BORN_INTEGRAL, b->value);
    if (!status)
        born_find_radii(b, b->value[0]);
    return status;
}

/* Forces at given radii into value[0 .. 2], and the derivatives of the energy by the radii into by_radius; in double,
 * the potentials into value[3]. */
static myr_status born_force(myr_born *b, int in_double, double shared, const double *const x[3])
{
    double *const to[MYR_KERNEL_OUTPUTS_MAX] = {b->value[0], b->value[1], b->value[2], b->by_radius, b->value[3]};
    const myr_status status = born_prepare(b, in_double, BORN_FORCE, shared, x);
    if (status)
        return status;
    myr_stage_refresh(b->pass[in_double].stage[BORN_FORCE], "born_radius", 1, &b->radius);
    return born_evaluate(b, in_double, BORN_FORCE, to);
}

static myr_status born_chain(myr_born *b, int in_double, double shared, const double *const x[3])
{
    const myr_status status = born_prepare(b, in_double, BORN_CHAIN, shared, x);
    if (status)
        return status;
    myr_stage_refresh(b->pass[in_double].stage[BORN_CHAIN], "gb_weight", 1, &b->weight);
    return born_evaluate(b, in_double, BORN_CHAIN, b->value);
}

static void born_add(const myr_born *b, double *const force[3])
{
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < b->t->atoms; i++)
            force[c][i] += b->value[c][i];
}

myr_status myr_born_forces(myr_born *b, int in_double, double shared, const double *const x[3], double *const force[3])
{
    myr_status status = born_radii(b, in_double, shared, x);
    if (!status)
        status = born_force(b, in_double, shared, x);
    if (status)
        return status;
    born_add(b, force);
    born_find_weights(b, b->by_radius);
    status = born_chain(b, in_double, shared, x);
    if (!status)
        born_add(b, force);
    return status;
}

myr_status myr_born_energies(myr_born *b, double shared, const double *const x[3], double *polar, double *surface)
{
    myr_status status = born_radii(b, 1, shared, x);
    if (!status)
        status = born_force(b, 1, shared, x);
    if (status)
        return status;
    const born_law law = born_law_of(b);
    long double sum = 0, area = 0;
    for (int64_t i = 0; i < b->t->atoms; i++) {
        sum += b->value[3][i];
        area += born_surface(&law, b->t->radius[i], b->radius[i]);
    }
    *polar = (double)(0.5L * sum);
    *surface = (double)area;
    return MYR_OK;
}

/* --- for a GPU ---------------------------------------------------------------------------------------------------- */

myr_status myr_born_jobs(myr_born *b, const double *const x[3], myr_born_parts *parts)
{
    myr_status status = MYR_OK;
    for (int k = 0; k < BORN_SUMS && !status; k++) {
        status = born_prepare(b, 0, k, 0, x);
        if (!status)
            parts->job[k] = myr_stage_job(b->pass[0].stage[k]);
    }
    parts->radius = b->t->radius;
    parts->screen = b->t->screen;
    parts->reduced = b->reduced;
    parts->law = born_law_of(b);
    return status;
}

int myr_born_alike(const myr_born *a, const myr_born *b)
{
    const size_t bytes = a && b ? (size_t)a->t->atoms * sizeof *a->t->radius : 0;
    if (!a || !b)
        return !a && !b;
    return a->model == b->model && a->kappa == b->kappa && a->solute == b->solute &&
           !a->solvent.surface == !b->solvent.surface && a->t->atoms == b->t->atoms &&
           memcmp(a->t->radius, b->t->radius, bytes) == 0 && memcmp(a->t->screen, b->t->screen, bytes) == 0;
}
