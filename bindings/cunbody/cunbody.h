/* cunbody.h - the call of CUNBODY-1 (paper 002, Fig. 9), computed by Myriad. Link with -lcunbody.
 *
 * Programs that declare force() themselves, as those of 2007 do, need no change and no header. The second library,
 * cunbody_jerk.h, has a function of the same name: link one of them. */
#ifndef CUNBODY_H
#define CUNBODY_H

#ifdef __cplusplus
extern "C" {
#endif

/* a[i] = sum_j mj[j] (xj[j] - xi[i]) / (|xj[j] - xi[i]|^2 + eps2)^(3/2) for ni targets and nj sources, with pairs in
 * float and sums by the Chamomile scheme, as in the paper. A pair at the same place without softening counts as 0.
 * On failure (a number that is not finite, a negative count) a[] is filled with NaN and cunbody_message() says why. */
void force(double xj[][3], double mj[], double xi[][3], double eps2, double a[][3], int ni, int nj);

/* Why the last call from this thread failed; "" if it did not. Not in CUNBODY-1. */
const char *cunbody_message(void);

/* Threads that calls from this thread use; 0 = as many as the machine has (the default). Not in CUNBODY-1. */
void cunbody_threads(int threads);

#ifdef __cplusplus
}
#endif

#endif
