/* stranger.c - a plug-in that calls a function which nobody has. */
#include <stdbool.h>

double function_of_nobody(double x);

void iniacceleration(const double *pars, int npar, const char *file, void **result, bool *need_m, bool *need_v);
void iniacceleration(const double *pars, int npar, const char *file, void **result, bool *need_m, bool *need_v)
{
    (void)npar, (void)file, (void)result;
    *need_m = *need_v = function_of_nobody(pars[0]) > 0;
}
