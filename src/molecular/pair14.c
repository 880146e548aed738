/* pair14.c - 1-4 pairs (three bonds apart): evaluates the pair kernels one pair at a time with scaled parameters. */
#include <math.h>
#include <string.h>

#include "molecular/bonded.h"

#define MYR_ARITH MYR_ARITH_DOUBLE
#define MYR_LANE_BYTES 0
#include "backend/lane/lane.h"

#include "backend/guard.h"
#include "kernel/ljc.h"

static const struct {
    const char *name; /* prefix of the kernel names of the law */
    double (*prepare)(const double *parameter, double *constant);
} laws[] = {{"ljc_constant", ljc_constant_prepare},
            {"ljc_linear", ljc_linear_prepare},
            {"ljc_sigmoidal", ljc_sigmoidal_prepare}};

myr_status myr_pair14_prepare(const myr_interaction *pairs, myr_pair14_law *law)
{
    const char *name = myr_interaction_desc(pairs)->name;
    double parameter[MYR_KERNEL_PARAMETERS];
    memcpy(parameter, pairs->parameter, sizeof parameter);
    parameter[0] = 0; /* no cutoff */
    for (law->law = 0; law->law < 3; law->law++)
        if (strncmp(name, laws[law->law].name, strlen(laws[law->law].name)) == 0) {
            laws[law->law].prepare(parameter, law->constant);
            return MYR_OK;
        }
    return myr_context_fail(pairs->context, MYR_ERROR_COMBINATION,
                            "a molecule needs a kernel with Lennard-Jones and charges, not %s; choose ljc_constant, "
                            "ljc_linear or ljc_sigmoidal",
                            name);
}

/* Force factor of x_i - x_j and energy of one pair with pair parameters pp. */
static double pair14_one(const myr_pair14_law *law, const double *xi, const double *xj, const double charge[2],
                         const double *pp, double factor[4], double d[4])
{
    const myr_pair in = {.xi = xi, .xj = xj, .fi = &charge[0], .fj = &charge[1], .pp = pp, .c = law->constant};
    myr_guard guard = {.careful = 0};
    if (law->law == 0)
        ljc_constant_potential_pair(&in, &guard, factor, d);
    else if (law->law == 1)
        ljc_linear_potential_pair(&in, &guard, factor, d);
    else
        ljc_sigmoidal_potential_pair(&in, &guard, factor, d);
    return factor[3] * d[3];
}

void myr_pair14_range(const myr_topology *t, const myr_pair14_law *law, const double *const x[3], int64_t first,
                      int64_t end, myr_bonded_sink *sink)
{
    const double none[4] = {0}, neutral[2] = {0};
    for (int64_t k = first; k < end; k++) {
        const myr_pair14 *p = &t->pair14[k];
        const int32_t i = p->atom[0], j = p->atom[1];
        const double xi[3] = {x[0][i], x[1][i], x[2][i]}, xj[3] = {x[0][j], x[1][j], x[2][j]};
        const int64_t types = (int64_t)t->type[i] * t->types + t->type[j];
        const double user[2] = {p->lj * t->epsilon[types], t->sigma[types]};
        const double charge[2] = {p->coulomb * t->charge[i], t->charge[j]};
        double pp[4], s[4], d[4];
        ljc_constant_potential_prepare_pair(user, pp); /* the same function for all three laws */
        (void)pair14_one(law, xi, xj, charge, pp, s, d);
        double f[1][3] = {{s[0] * d[0], s[1] * d[1], s[2] * d[2]}};
        myr_bonded_give(sink, k, 2, p->atom, f);
        if (!sink->with_energy)
            continue;
        myr_bonded_count(sink, MYR_TERM_lj14, pair14_one(law, xi, xj, neutral, pp, s, d));
        myr_bonded_count(sink, MYR_TERM_coulomb14, pair14_one(law, xi, xj, charge, none, s, d));
    }
}
