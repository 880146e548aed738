/* wave.h - arithmetic of Fourier coefficients that C11 complex numbers do not provide efficiently: compilers expand I *
 * v into a full complex product, and CMPLX is missing in clang 14. */
#ifndef MYR_METHOD_SPECTRAL_WAVE_H
#define MYR_METHOD_SPECTRAL_WAVE_H

#include <complex.h>
#include <string.h>

/* i v, the factor of a derivative. */
static inline double complex myr_wave_times_i(double complex v)
{
    const double part[2] = {-cimag(v), creal(v)};
    double complex product;
    memcpy(&product, part, sizeof product);
    return product;
}

#endif
