/* halo.c - a plug-in of NEMO: the logarithmic halo v0^2/2 ln(core^2 + x^2 + y^2 + z^2/q^2), whose zero point turns up
 * in the file, if there is one. Parameters: pattern speed (not used), v0, core, q. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

typedef void (*function)(int, double, int, const void *, const void *, const void *, const int *, void *, void *, int,
                         char);

static double v0 = 1, core = 0.1, q = 1, zero;

static void acceleration(int ndim, double time, int n, const void *m, const void *pos, const void *vel,
                         const int *flags, void *pot, void *acc, int add, char type)
{
    (void)ndim, (void)time, (void)m, (void)vel, (void)flags, (void)add, (void)type;
    const double(*x)[3] = pos, w[3] = {1, 1, 1 / (q * q)};
    for (int i = 0; i < n; i++) {
        const double s2 = core * core + x[i][0] * x[i][0] + x[i][1] * x[i][1] + w[2] * x[i][2] * x[i][2];
        ((double *)pot)[i] = zero + 0.5 * v0 * v0 * log(s2);
        for (int c = 0; c < 3; c++)
            ((double(*)[3])acc)[i][c] = -v0 * v0 * w[c] * x[i][c] / s2;
    }
}

void iniacceleration(const double *pars, int npar, const char *file, function *result, bool *need_m, bool *need_v);
void iniacceleration(const double *pars, int npar, const char *file, function *result, bool *need_m, bool *need_v)
{
    v0 = npar > 1 ? pars[1] : 1;
    core = npar > 2 ? pars[2] : 0.1;
    q = npar > 3 ? pars[3] : 1;
    FILE *in = file ? fopen(file, "r") : NULL;
    if (in && fscanf(in, "%lf", &zero) != 1)
        zero = NAN;
    if (in)
        fclose(in);
    *result = acceleration;
    *need_m = npar > 4; /* to be refused */
    *need_v = false;
}
