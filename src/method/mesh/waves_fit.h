/* waves_fit.h - what a fit of waves to values is asked for, and what it tells (mesh_fit_waves.h). */
#ifndef MYR_METHOD_MESH_WAVES_FIT_H
#define MYR_METHOD_MESH_WAVES_FIT_H

#include <stdint.h>

typedef struct {
    int64_t n;        /* places */
    int64_t modes;    /* of the coefficients, in the layout of fourier.h; the mesh must resolve them */
    double tolerance; /* error of the coefficients that is small enough, relative (rms) */
    int most;         /* iterations */
    int iterations;   /* made */
    double error;     /* of the coefficients, an estimate; what the tolerance is compared with */
    double residual;  /* part of the values that the waves do not have */
} myr_mesh_waves_fit;

#endif
