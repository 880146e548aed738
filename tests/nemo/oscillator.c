/* oscillator.c - a plug-in of NEMO in its older form, which calls functions of NEMO's programs: k r^2 (1 + b sin t) /
 * 2, of which b makes the field depend on time. Parameters: pattern speed (not used), k, b. */
#include <math.h>

void warning(const char *format, ...);
_Bool nemo_debug(int level);
int (*get_dprintf(const char *file, int line))(int, const char *, ...);

static double k = 1, b;

void inipotential(int *npar, double *par, char *name);
void inipotential(int *npar, double *par, char *name)
{
    (void)name;
    k = *npar > 1 ? par[1] : 1;
    b = *npar > 2 ? par[2] : 0;
    if (nemo_debug(1))
        get_dprintf(__FILE__, __LINE__)(1, "k = %g", k);
    get_dprintf(__FILE__, __LINE__)(2, "b = %g", b);
    if (*npar > 3)
        warning("only %d of %d parameters are used", 3, *npar);
}

void potential_double(int *ndim, double *pos, double *acc, double *pot, double *time);
void potential_double(int *ndim, double *pos, double *acc, double *pot, double *time)
{
    const double now = k * (1 + b * sin(*time));
    *pot = 0;
    for (int c = 0; c < *ndim; c++) {
        acc[c] = -now * pos[c];
        *pot += 0.5 * now * pos[c] * pos[c];
    }
}
