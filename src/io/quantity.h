/* quantity.h - what is known about a field from its name: dimension and description. */
#ifndef MYR_IO_QUANTITY_H
#define MYR_IO_QUANTITY_H

#include <stddef.h>

#include <myriad/snapshot.h>

typedef struct {
    const char *name;
    int length, mass, time, charge; /* exponents of the dimension */
    const char *beside;             /* the field that must be there for this meaning; null = none */
    const char *text;
} myr_quantity;

/* The first quantity of that name, or null. */
const myr_quantity *myr_quantity_find(const char *name);

/* What a field of a set of particles means: the quantity of its name, or null where that is not certain. */
const myr_quantity *myr_quantity_of(const myr_particles *particles, const char *name);

/* Its unit in words, such as "length time^-2"; "1" where it has no dimension; "" for null. */
void myr_quantity_unit(const myr_quantity *quantity, char *text, size_t size);

/* Its unit as a factor to powers of the units given. */
double myr_quantity_factor(const myr_quantity *quantity, double length, double mass, double time, double charge);

#endif
