/* keys_dimension.c - the dimensions of parameters: those of models come from the library; those of kernels, integrators
 * and external fields are told from their names here. A parameter that is not listed is a plain number. */
#include <string.h>

#include "keys.h"

static const struct {
    keys_owner owner;
    const char *parameter;
    units_dimension dimension;
} dimension_table[] = {
    {KEYS_OF_KERNEL, "eps", UNITS_LENGTH},      {KEYS_OF_KERNEL, "h", UNITS_LENGTH},
    {KEYS_OF_KERNEL, "cutoff", UNITS_LENGTH},   {KEYS_OF_KERNEL, "G", UNITS_GRAVITY},
    {KEYS_OF_INTEGRATOR, "dt", UNITS_TIME},     {KEYS_OF_INTEGRATOR, "dt_max", UNITS_TIME},
    {KEYS_OF_INTEGRATOR, "dt_min", UNITS_TIME}, {KEYS_OF_EXTERNAL, "G", UNITS_GRAVITY},
    {KEYS_OF_EXTERNAL, "mass", UNITS_MASS},     {KEYS_OF_EXTERNAL, "x", UNITS_LENGTH},
    {KEYS_OF_EXTERNAL, "y", UNITS_LENGTH},      {KEYS_OF_EXTERNAL, "z", UNITS_LENGTH},
};

static units_dimension dimension_named(const char *name)
{
    for (int d = 0; d < UNITS_SECONDS; d++)
        if (strcmp(units_dimension_at((units_dimension)d)->name, name) == 0)
            return (units_dimension)d;
    return UNITS_NUMBER;
}

/* The dimension that the library states for a parameter of a model; null past the end. */
static const char *model_dimension(const char *member, int n)
{
    for (int k = 0; cli_model_name(k); k++)
        if (strcmp(cli_model_name(k), member) == 0)
            return myr_model_dimension(k, n);
    return NULL;
}

units_dimension keys_parameter_dimension(keys_owner owner, const char *member, int n)
{
    const myr_parameter_info *p = keys_parameter(owner, member, n);
    if (!p)
        return UNITS_NUMBER;
    if (owner == KEYS_OF_MODEL) {
        const char *name = model_dimension(member, n);
        return name ? dimension_named(name) : UNITS_NUMBER;
    }
    for (size_t k = 0; k < sizeof dimension_table / sizeof dimension_table[0]; k++)
        if (dimension_table[k].owner == owner && strcmp(dimension_table[k].parameter, p->name) == 0)
            return dimension_table[k].dimension;
    return UNITS_NUMBER;
}
