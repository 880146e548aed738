/* elementary.h - exp and log from additions, multiplications and divisions in a fixed order, so that the
 * results have the same bits on every machine; libm does not promise that. Used for numbers that enter the equations of
 * motion, such as thermostat factors and random forces. The functions of lanes (backend/lane/math.h) cannot serve here:
 * their double precision fuses multiplications and additions where the processor can, and there is no logarithm. */
#ifndef MYR_CORE_ELEMENTARY_H
#define MYR_CORE_ELEMENTARY_H

/* e^x for |x| < 700; relative error below 1e-15. */
double myr_elementary_exp(double x);

/* Natural logarithm of a normal number x > 0; error below 1e-15 * max(1, |log x|). */
double myr_elementary_log(double x);

#endif
