/* cunbody_api.h - the general library of paper 002, appendix A: cunbody_api() for any pipeline. Link with
 * -lcunbody_api.
 *
 * A driver defines IDIM, JDIM and FDIM, the numbers of components of a target, of a source and of the result, and then
 * includes this header, as in Figs A.1 and A.2. The pipeline (Figs A.3, A.4; docs/pipelines.md) is a file. It is named
 * when the driver is compiled, -DCUNBODY_PIPELINE='"force.pipe"', or when it runs, by the environment variable
 * CUNBODY_PIPELINE. It is compiled with the first call and kept for the next time. */
#ifndef CUNBODY_API_H
#define CUNBODY_API_H

#if !defined(IDIM) || !defined(JDIM) || !defined(FDIM)
#error "define IDIM, JDIM and FDIM before including cunbody_api.h"
#endif

#ifndef NMAX
#define NMAX (131072) /* the drivers' arrays, as large as those of Fig. 10 */
#endif

#ifndef CUNBODY_PIPELINE
#define CUNBODY_PIPELINE 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* f[i] = what the pipeline sums over all nj sources for target i; xj[nj][jdim], xi[ni][idim], f[ni][fdim]. A null
 * pipeline stands for the file that the environment names. Pairs are in float and sums by the Chamomile scheme, as in
 * the paper; pairs at the same place where the pipeline has no value count as 0. On failure f[] is filled with NaN and
 * cunbody_message() says why. */
void cunbody_evaluate(const char *pipeline, int idim, int jdim, int fdim, const double *xj, const double *xi, double *f,
                      int ni, int nj);

/* Why the last call from this thread failed; "" if it did not. Not in CUNBODY-1. */
const char *cunbody_message(void);

/* Threads that calls from this thread use; 0 = as many as the machine has (the default). Not in CUNBODY-1. */
void cunbody_threads(int threads);

/* The call of Figs A.1 and A.2. */
static inline void cunbody_api(double xj[][JDIM], double xi[][IDIM], double f[][FDIM], int ni, int nj)
{
    cunbody_evaluate(CUNBODY_PIPELINE, IDIM, JDIM, FDIM, xj ? xj[0] : 0, xi ? xi[0] : 0, f ? f[0] : 0, ni, nj);
}

#ifdef __cplusplus
}
#endif

#endif
