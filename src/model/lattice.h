/* lattice.h - cubic lattices. */
#ifndef MYR_MODEL_LATTICE_H
#define MYR_MODEL_LATTICE_H

#include "model/model.h"

/* Fills cubic cells of edge `spacing` row by row (z fastest), with `sites` particles per cell at offsets site[][3] in
 * cell edges, centred on the origin. The cube has the smallest side that holds n particles; if these do not fill the
 * cube, its last layers stay empty. */
void myr_lattice_place(const myr_model_arrays *to, int sites, const double (*site)[3], double spacing);

#endif
