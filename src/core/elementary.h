/* elementary.h - exp, log, sine and cosine of additions, multiplications and divisions alone, in a fixed order: the
 * same bits on every machine, which libm does not promise. For numbers that feed back into a motion. */
#ifndef MYR_CORE_ELEMENTARY_H
#define MYR_CORE_ELEMENTARY_H

/* e^x for |x| < 700; relative error below 1e-15. */
double myr_elementary_exp(double x);

/* The natural logarithm of a normal number x > 0; error below 1e-15 of the larger of 1 and its absolute value. */
double myr_elementary_log(double x);

/* Cosine and sine of so many turns, 0 <= turns <= 1; error below 1e-15. */
void myr_elementary_turn(double turns, double *cosine, double *sine);

#endif
