/* quantity.c - dimensions and descriptions of fields, from quantities.def. */
#include "io/quantity.h"

#include <stdio.h>
#include <string.h>

static const myr_quantity quantities[] = {
#define MYR_QUANTITY(name, length, mass, time, charge, beside, text) {#name, length, mass, time, charge, beside, text},
#include "io/quantities.def"
#undef MYR_QUANTITY
};

const myr_quantity *myr_quantity_find(const char *name)
{
    for (size_t k = 0; k < sizeof quantities / sizeof quantities[0]; k++)
        if (strcmp(quantities[k].name, name) == 0)
            return &quantities[k];
    return NULL;
}

const myr_quantity *myr_quantity_of(const myr_particles *particles, const char *name)
{
    const myr_quantity *found = NULL;
    for (size_t k = 0; k < sizeof quantities / sizeof quantities[0]; k++)
        if (strcmp(quantities[k].name, name) == 0 &&
            (!quantities[k].beside || myr_particles_component_const(particles, quantities[k].beside, 0)))
            found = &quantities[k];
    return found;
}

void myr_quantity_unit(const myr_quantity *quantity, char *text, size_t size)
{
    static const char *const name[4] = {"length", "mass", "time", "charge"};
    *text = 0;
    if (!quantity)
        return;
    const int power[4] = {quantity->length, quantity->mass, quantity->time, quantity->charge};
    size_t used = 0;
    for (int k = 0; k < 4 && used < size; k++) {
        if (power[k] == 0)
            continue;
        const char *space = used ? " " : "";
        const int n = power[k] == 1 ? snprintf(text + used, size - used, "%s%s", space, name[k])
                                    : snprintf(text + used, size - used, "%s%s^%d", space, name[k], power[k]);
        used += (size_t)n;
    }
    if (!used)
        snprintf(text, size, "1");
}

static double quantity_power(double x, int n)
{
    double y = 1;
    for (int k = 0; k < (n < 0 ? -n : n); k++)
        y *= x;
    return n < 0 ? 1 / y : y;
}

double myr_quantity_factor(const myr_quantity *quantity, double length, double mass, double time, double charge)
{
    return quantity_power(length, quantity->length) * quantity_power(mass, quantity->mass) *
           quantity_power(time, quantity->time) * quantity_power(charge, quantity->charge);
}
