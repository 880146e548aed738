/* keys_dimension.c - the dimensions of parameters: those of models and external fields come from the library; those of
 * kernels and integrators are told from their names here. A parameter that is not listed is a plain number. */
#include <string.h>

#include "input/keys.h"

static const struct {
    keys_owner owner;
    const char *parameter;
    units_dimension dimension;
} dimension_table[] = {
    {KEYS_OF_KERNEL, "eps", UNITS_LENGTH},
    {KEYS_OF_KERNEL, "h", UNITS_LENGTH},
    {KEYS_OF_KERNEL, "cutoff", UNITS_LENGTH},
    {KEYS_OF_KERNEL, "G", UNITS_GRAVITY},
    {KEYS_OF_INTEGRATOR, "dt", UNITS_TIME},
    {KEYS_OF_INTEGRATOR, "dt_max", UNITS_TIME},
    {KEYS_OF_INTEGRATOR, "dt_min", UNITS_TIME},
    {KEYS_OF_EXTERNAL, "G", UNITS_GRAVITY},
    {KEYS_OF_INTEGRATOR, "temperature", UNITS_TEMPERATURE},
    {KEYS_OF_INTEGRATOR, "temperature_end", UNITS_TEMPERATURE},
    {KEYS_OF_INTEGRATOR, "ramp", UNITS_TIME},
    {KEYS_OF_INTEGRATOR, "period", UNITS_TIME},
    {KEYS_OF_INTEGRATOR, "friction", UNITS_RATE},
};

static units_dimension dimension_named(const char *name)
{
    for (int d = 0; d < UNITS_SECONDS; d++)
        if (strcmp(units_dimension_at((units_dimension)d)->name, name) == 0)
            return (units_dimension)d;
    return UNITS_NUMBER;
}

/* The dimension that the library states; null where it states none. */
static const char *stated_dimension(keys_owner owner, const char *member, int n)
{
    const char *(*name)(int k) = keys_owner_at(owner)->member;
    if (owner == KEYS_OF_EXTERNAL && keys_is_plugin(member))
        return "length"; /* of the centre */
    for (int k = 0; name(k); k++)
        if (strcmp(name(k), member) == 0)
            return owner == KEYS_OF_MODEL      ? myr_model_dimension(k, n)
                   : owner == KEYS_OF_EXTERNAL ? myr_external_dimension(k, n)
                                               : NULL;
    return NULL;
}

units_dimension keys_parameter_dimension(keys_owner owner, const char *member, int n)
{
    const myr_parameter_info *p = keys_parameter(owner, member, n);
    if (!p)
        return UNITS_NUMBER;
    const char *stated = stated_dimension(owner, member, n);
    if (stated)
        return dimension_named(stated);
    for (size_t k = 0; k < sizeof dimension_table / sizeof dimension_table[0]; k++)
        if (dimension_table[k].owner == owner && strcmp(dimension_table[k].parameter, p->name) == 0)
            return dimension_table[k].dimension;
    return UNITS_NUMBER;
}
