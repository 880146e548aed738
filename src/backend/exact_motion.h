/* exact_motion.h - velocities on a grid, with which velocity Verlet is reversible bit for bit; shared by processor and
 * GPU. Only additions, subtractions and multiplications of doubles are used, and none may be contracted to a fused one.
 *
 * Velocities are multiples of 2^e. The half kick of a particle, k = h f/m rounded to the grid, depends on the positions
 * only, and a whole kick is 2 k, so that kicks are sums of integers and have no order:
 *   V += k(q),   q += round(V unit),   V += k(q)
 * Rounding is symmetric: with -V the same steps lead back to the first state. Forces are order-independent (`fixed`
 * sums), and the unit of their sums is chosen once. */
#ifndef MYR_BACKEND_EXACT_MOTION_H
#define MYR_BACKEND_EXACT_MOTION_H

#include "backend/box_fields.h"

/* Bits of a velocity and of a half kick, whose sums are exact in doubles. */
enum { EXACT_BITS = 51 };

/* x rounded to the nearest multiple of 2^e, with magic = 1.5 2^(52 + e) and |x| < 2^(51 + e). */
MYR_BOX_FN double exact_round(double x, double magic)
{
    return (x + magic) - magic;
}

/* Velocity after `halves` half kicks (0, 1 or 2), w being the time of one half kick over the mass. */
MYR_BOX_FN double exact_kick(double v, double w, double f, double halves, double magic)
{
    return v + halves * exact_round(w * f, magic);
}

#endif
