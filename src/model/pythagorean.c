/* pythagorean.c - Burrau's (1913) problem: masses 3, 4, 5 at rest at the corners of a right triangle with sides 3, 4,
 * 5, each mass opposite the side of its own length, G = 1. Solved by Szebehely and Peters (1967, AJ 72, 876). */
#include "model/model.h"

static myr_status pythagorean_place(const myr_model_arrays *to)
{
    static const double mass[3] = {3, 4, 5}, x[3] = {1, -2, 1}, y[3] = {3, -1, -1};
    for (int i = 0; i < 3; i++) {
        to->mass[i] = mass[i];
        to->position[0][i] = x[i];
        to->position[1][i] = y[i];
    }
    return MYR_OK;
}

const myr_model_kind myr_pythagorean_model = {
    .info = {"pythagorean", "masses 3, 4, 5 at rest in the corners of a right triangle, G = 1", 1},
    .place = pythagorean_place,
    .with = MYR_WITH_SCALES,
    .least = 3,
    .usual = 3,
    .most = 3,
};
