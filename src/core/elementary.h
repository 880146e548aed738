/* elementary.h - exp, log, powers, cosine and sine from additions, multiplications and divisions in a fixed
 * order, so that the results have the same bits on every machine; libm does not promise that. Used for numbers that
 * enter the equations of motion, such as thermostat factors and random forces. The functions of lanes
 * (backend/lane/math.h) cannot serve here: their double precision fuses multiplications and additions where the
 * processor can, and there is no logarithm. */
#ifndef MYR_CORE_ELEMENTARY_H
#define MYR_CORE_ELEMENTARY_H

/* e^x for |x| < 700; relative error below 1e-15. */
double myr_elementary_exp(double x);

/* Natural logarithm of a normal number x > 0; error below 1e-15 * max(1, |log x|). */
double myr_elementary_log(double x);

/* x^y for x >= 0: 0 where x is 0 or denormal, infinity where x or the result is. Relative error below
 * 1e-15 * (1 + |y log x|). */
double myr_elementary_power(double x, double y);

/* x^n by repeated squaring; a negative n gives the reciprocal. */
double myr_elementary_whole_power(double x, int n);

/* Cosine and sine of an angle in turns, of which |turns| is below 2^49; error below 1e-15. */
void myr_elementary_turn(double turns, double *cosine, double *sine);

/* Smallest power of two that is not below x, for 0 < x < 2^1023. */
double myr_elementary_power_of_two(double x);

#endif
