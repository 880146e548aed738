/* lattice.c - a simple cubic lattice of unit spacing about the origin, at rest, filled row by row (z fastest).
 *
 * The cube has the fewest rows that hold n particles; where n is not a cube, its last layers stay empty. */
#include <math.h>

#include "model/model.h"

static int64_t lattice_side(int64_t n)
{
    int64_t side = (int64_t)cbrt((double)n); /* may be off by one either way */
    while (side > 1 && (side - 1) * (side - 1) * (side - 1) >= n)
        side--;
    while (side * side * side < n)
        side++;
    return side;
}

void myr_lattice_place(const myr_model_arrays *to)
{
    const int64_t side = lattice_side(to->n);
    const double middle = 0.5 * (double)(side - 1);
    for (int64_t i = 0; i < to->n; i++) {
        to->position[0][i] = (double)(i / (side * side)) - middle;
        to->position[1][i] = (double)(i / side % side) - middle;
        to->position[2][i] = (double)(i % side) - middle;
    }
}
