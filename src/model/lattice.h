/* lattice.h - cubic lattices. */
#ifndef MYR_MODEL_LATTICE_H
#define MYR_MODEL_LATTICE_H

#include "model/model.h"

/* Fills cubic cells of edge `spacing` row by row (z fastest), `sites` particles to a cell at offsets of site[][3]
 * cells, the whole centred on the origin. The cube has the fewest rows that hold n particles; where they do not fill
 * it, its last layers stay empty. */
void myr_lattice_place(const myr_model_arrays *to, int sites, const double (*site)[3], double spacing);

#endif
