/* input_species.c - columns of tables about types of particles, by the names of species. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "input/input.h"

/* Name of a species that can be a part of a column's; null = it is told by its number. */
static const char *column_species(const input *in, int type)
{
    const char *name =
        type >= 0 && type < in->species.count ? input_entry_of(&in->species.entry[type], KEY_species_name)->text : NULL;
    for (const char *c = name; c && *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("+-.", *c))
            return NULL;
    return name && *name && !isdigit((unsigned char)*name) ? name : NULL;
}

int input_species_types(const char *column, int type[2])
{
    const char *types = strchr(column, '_');
    int end = 0;
    type[0] = type[1] = -1;
    if (types && sscanf(types, "_%d_%d%n", &type[0], &type[1], &end) == 2 && !types[end])
        return 2;
    type[1] = -1;
    return types && sscanf(types, "_%d%n", &type[0], &end) == 1 && !types[end];
}

void input_species_column(const input *in, const char *column, size_t size, char *name)
{
    int type[2];
    const int count = input_species_types(column, type), base = count ? (int)(strchr(column, '_') - column) : 0;
    const char *first = count ? column_species(in, type[0]) : NULL;
    const char *second = count == 2 ? column_species(in, type[1]) : "";
    const int length = !first || !second ? -1
                       : count == 2      ? snprintf(name, size, "%.*s_%s_%s", base, column, first, second)
                                         : snprintf(name, size, "%.*s_%s", base, column, first);
    if (length < 0 || (size_t)length >= size)
        snprintf(name, size, "%s", column);
}
