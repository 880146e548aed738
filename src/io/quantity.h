/* quantity.h - dimension and description of a field, by its name. */
#ifndef MYR_IO_QUANTITY_H
#define MYR_IO_QUANTITY_H

#include <stddef.h>

#include <myriad/snapshot.h>

typedef struct {
    const char *name;
    int length, mass, time, charge; /* exponents of the dimension */
    const char *beside;             /* field that a set must also have for this meaning; null = none */
    const char *text;
} myr_quantity;

/* First quantity of that name, or null. */
const myr_quantity *myr_quantity_find(const char *name);

/* Quantity of a field of a particle set; null if the meaning is not certain. */
const myr_quantity *myr_quantity_of(const myr_particles *particles, const char *name);

/* Unit in words, such as "length time^-2"; "1" if dimensionless; "" for a null quantity. */
void myr_quantity_unit(const myr_quantity *quantity, char *text, size_t size);

/* Size of the unit: the product of the given units raised to the exponents of the dimension. */
double myr_quantity_factor(const myr_quantity *quantity, double length, double mass, double time, double charge);

#endif
