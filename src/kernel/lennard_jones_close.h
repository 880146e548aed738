/* lennard_jones_close.h - rule for very close pairs of `fixed` sums, for processors and GPUs.
 *
 * The integers that a pair adds to the sums depend on its own coordinates only:
 *   (sigma/r)^2 <= LENNARD_JONES_CLOSE   products of the formula of lennard_jones_cut.h in the reals of the loops,
 *                                        rounded to integers
 *   beyond                               the same in double, with the function below: r < sigma/32, where reals of 32
 *                                        bits would overflow. The correction of a cutoff is less than 1e-20 of such a
 *                                        force and is left out.
 * (sigma/r)^2 is the real of the loops in both cases. */
#ifndef MYR_KERNEL_LENNARD_JONES_CLOSE_H
#define MYR_KERNEL_LENNARD_JONES_CLOSE_H

#define LENNARD_JONES_CLOSE 1024.0

typedef struct {
    double factor; /* force on i per unit of x_i - x_j */
    double energy;
} lennard_jones_close;

/* The expressions must not be contracted to fused operations. */
MYR_FN lennard_jones_close lennard_jones_close_at(const double d[3], double sigma2, double epsilon48, double epsilon24,
                                                  double epsilon4)
{
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], y = sigma2 / r2, y3 = y * y * y;
    lennard_jones_close at;
    at.factor = y3 * (epsilon48 * y3 - epsilon24) / r2;
    at.energy = epsilon4 * y3 * (y3 - 1.0);
    return at;
}

#endif
