/* cunbody_jerk.h - acceleration, jerk and potential as in paper 002, Figs A.2 and A.4, computed by Myriad. Link with
 * -lcunbody_jerk, instead of -lcunbody: both functions are named force(). */
#ifndef CUNBODY_JERK_H
#define CUNBODY_JERK_H

#ifdef __cplusplus
extern "C" {
#endif

/* For n bodies with positions x, velocities v and masses m, with r = x[j] - x[i], u = v[j] - v[i],
 * s = |r|^2 + 1/256^2 (the softening is fixed, as printed in Fig. A.4):
 *   a[i]  = sum_j m[j] r / s^(3/2)
 *   jk[i] = sum_j m[j] (u / s^(3/2) - 3 (r.u) r / s^(5/2))
 *   p[i]  = - sum_j m[j] / s^(1/2)
 * The sums run over all j, i itself too: p[i] holds the constant -256 m[i] of the body with itself, as the printed
 * pipeline does. Subtract it for the potential of the others.
 * On failure all outputs are filled with NaN and cunbody_message() says why. */
void force(double x[][3], double v[][3], double m[], double p[], double a[][3], double jk[][3], int n);

/* Why the last call from this thread failed; "" if it did not. */
const char *cunbody_message(void);

/* Threads that calls from this thread use; 0 = as many as the machine has (the default). */
void cunbody_threads(int threads);

#ifdef __cplusplus
}
#endif

#endif
