/* pair14.c - 1-4 pairs (three bonds apart): the Coulomb law of the pair kernels, for formulas of single pairs. */
#include <string.h>

#include "molecular/bonded.h"

static const char *const law_name[] = {
    [TERM_CONSTANT] = "ljc_constant", [TERM_LINEAR] = "ljc_linear", [TERM_SIGMOIDAL] = "ljc_sigmoidal"};

myr_status myr_pair14_prepare(const myr_interaction *pairs, molecule_law *law)
{
    const char *name = myr_interaction_desc(pairs)->name;
    const double *parameter = pairs->parameter; /* cutoff, Coulomb's constant, those of the dielectric */
    memset(law, 0, sizeof *law);
    for (int k = TERM_CONSTANT; k <= TERM_SIGMOIDAL; k++) {
        if (strncmp(name, law_name[k], strlen(law_name[k])) != 0)
            continue;
        law->law = k;
        law->strength = k == TERM_SIGMOIDAL ? parameter[1] : parameter[1] / parameter[2];
        for (int p = 0; p < 4 && k == TERM_SIGMOIDAL; p++)
            law->a[p] = parameter[2 + p];
        return MYR_OK;
    }
    return myr_context_fail(pairs->context, MYR_ERROR_COMBINATION,
                            "a molecule needs a kernel with Lennard-Jones and charges, not %s; choose ljc_constant, "
                            "ljc_linear or ljc_sigmoidal",
                            name);
}
