/* box_formula.c - particles in a box whose pair formula is a kernel written by a user (docs/pipelines.md). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "molecular/molecular.h"

/* Unit of length of messages and minimisations, in cutoffs: a Lennard-Jones liquid has a cutoff of about 2.5 sigma. */
#define FORMULA_LENGTH 0.4

static const myr_pipeline *formula_pipeline(const myr_interaction *f)
{
    int with_potential;
    return myr_kernel_registry_pipeline(f->context, f->kernel, &with_potential);
}

int myr_molecular_has_formula(const myr_interaction *f)
{
    return formula_pipeline(f) != NULL;
}

/* Reason why a pipeline cannot act in a box; null = it can. */
static const char *formula_refusal(const myr_pipeline *p)
{
    const myr_kernel_desc *d = myr_pipeline_desc(p, 1);
    if (!d)
        return "declares no potential, from which energies come; add 'potential: phi' and what a pair adds to it";
    if (d->coords != 3)
        return "has positions that are not of three components";
    if (strcmp(d->output[0].name, "force") != 0 || d->output[0].components != 3 ||
        strcmp(d->output[1].name, "potential") != 0)
        return "must have the outputs 'out: f[3]', a force, and 'potential: phi', and no other";
    if (d->output[0].symmetry != MYR_SYMMETRY_ANTI)
        return "does not say that its force obeys f_ij = -f_ji; add 'antisymmetric: f' if it does";
    if (d->target[0].name || d->source[0].name)
        return "reads fields besides the positions, which particles in a box do not have";
    if (d->self == MYR_SELF_COUNTED)
        return "counts the pair of a particle with itself ('self: count')";
    if (myr_kernel_cutoff(d) < 0)
        return "declares no cutoff; add 'cutoff:' and the name of a parameter";
    if (!myr_pipeline_is_relative(p))
        return "reads positions other than as differences 'i.x[k] - j.x[k]', which have no value in a periodic box";
    return NULL;
}

myr_status myr_molecular_check_formula(myr_context *context, const myr_interaction *f)
{
    const myr_pipeline *p = formula_pipeline(f);
    const char *reason = formula_refusal(p);
    return reason ? myr_context_fail(context, MYR_ERROR_COMBINATION, "particles in a box: kernel %s %s",
                                     myr_pipeline_desc(p, 0)->name, reason)
                  : MYR_OK;
}

static const myr_short_range_unit *formula_unit(void *user, const myr_isa_table *isa, int arithmetic, int fixed,
                                                int halo)
{
    const myr_molecular *m = user;
    return myr_kernel_registry_box_unit(m->context, m->interaction->kernel, isa, arithmetic, fixed, halo);
}

myr_status myr_molecular_set_formula(myr_molecular *m)
{
    const myr_interaction *f = m->interaction;
    const myr_kernel_desc *d = myr_interaction_desc(f);
    const double cutoff = f->parameter[myr_kernel_cutoff(d)];
    m->types = 1;
    m->pair = calloc(1, sizeof *m->pair);
    m->count = calloc(1, sizeof *m->count);
    if (!m->pair || !m->count)
        return myr_context_fail(m->context, MYR_ERROR_MEMORY, "no memory for a kernel");
    if (!(cutoff > 0) || !isfinite(cutoff))
        return myr_context_fail(m->context, MYR_ERROR_VALUE,
                                "method neighbour needs a cutoff: the parameter '%s' of kernel %s is %g",
                                d->parameter[myr_kernel_cutoff(d)].name, d->name, cutoff);
    if (m->options.tail)
        return myr_context_fail(m->context, MYR_ERROR_COMBINATION,
                                "tail corrections are known for Lennard-Jones potentials only, not for kernel %s",
                                d->name);
    m->options.cut = MYR_CUT_TRUNCATED; /* the formula is cut off as it is written */
    *m->pair = (myr_pair_potential){.epsilon = 1, .sigma = 1, .cutoff = cutoff};
    m->cutoff[0] = m->cutoff[1] = cutoff;
    m->sigma = FORMULA_LENGTH * cutoff;
    m->formula = (myr_neighbour_formula){.name = d->name, .parameter = f->parameter, .unit = formula_unit, .user = m};
    return MYR_OK;
}

void myr_molecular_scale_formula(myr_molecular *m)
{
    m->epsilon = m->sigma * myr_neighbour_strength(m->list);
}

const myr_short_range_unit *myr_molecular_formula_in_double(myr_molecular *m)
{
    return formula_unit(m, myr_backend_isa(myr_catalogue_isa("scalar")), myr_catalogue_arithmetic("double"), 0, 0);
}

const char *myr_molecular_formula_kernel(const myr_molecular *m)
{
    return myr_pipeline_desc(formula_pipeline(m->interaction), 1)->name;
}
