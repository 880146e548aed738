/* integrator.c - table of integrators, and functions that several integrators use. */
#include "integrator/integrator.h"

#include <string.h>

#define MYR_INTEGRATOR(name) extern const myr_integrator_table myr_integrator_##name;
#include "integrator/integrators.def"
#undef MYR_INTEGRATOR

const myr_integrator_table *myr_integrator_at(int k)
{
    static const myr_integrator_table *const table[] = {
#define MYR_INTEGRATOR(name) &myr_integrator_##name,
#include "integrator/integrators.def"
#undef MYR_INTEGRATOR
    };
    return k >= 0 && k < (int)(sizeof table / sizeof *table) ? table[k] : NULL;
}

const myr_integrator_info *myr_integrator(int k)
{
    return myr_integrator_at(k) ? &myr_integrator_at(k)->info : NULL;
}

const myr_integrator_info *myr_integrator_find(const char *name)
{
    const myr_integrator_info *info;
    for (int k = 0; name && (info = myr_integrator(k)); k++)
        if (strcmp(info->name, name) == 0)
            return info;
    return NULL;
}

myr_status myr_integrator_sum(const myr_integration *s, const motion_sum *sum)
{
    if (s->sum)
        return s->sum(s->rates.user, sum);
    for (int64_t i = 0; i < s->n; i++)
        motion_sum_at(sum, i);
    return MYR_OK;
}

myr_status myr_integrator_copy(const myr_integration *s, double *const *to, const double *const *from, int components)
{
    myr_status status = MYR_OK;
    for (int c = 0; c < components && !status; c++)
        status = myr_integrator_sum(s, &(motion_sum){.to = to[c], .from = from[c], .factor = 1, .p = 1});
    return status;
}

myr_status myr_integrator_add(const myr_integration *s, double *const *to, const double *const *from, int components,
                              double factor)
{
    myr_status status = MYR_OK;
    for (int c = 0; c < components && !status; c++)
        status =
            myr_integrator_sum(s, &(motion_sum){.to = to[c], .base = to[c], .from = from[c], .factor = factor, .p = 1});
    return status;
}
