/* gpunb.h - the calls by which NBODY6++GPU computes regular forces on GPUs, computed by Myriad. Link with -lgpunb in
 * place of its CUDA objects. docs/codes.md says which versions have these calls.
 *
 * A target x, v with h2 and dtr gets, with r = xj - x, u = vj - v, over all sources that are not its neighbours,
 *
 *   acc = sum m r / r^3,   jrk = sum m (u / r^3 - 3 (r.u) r / r^5),   pot = sum m / r,
 *
 * and the list of its neighbours: those with |r|^2 < h2 or |r + dtr u|^2 < h2, itself among them. */
#ifndef GPUNB_H
#define GPUNB_H

#ifdef __cplusplus
extern "C" {
#endif

/* Chooses a GPU, says how many sources there will be at most, frees everything, prints times. All but the third have no
 * effect here. */
void gpunb_devinit_(const int *rank);
void gpunb_open_(const int *nbmax, const int *rank);
void gpunb_close_(void);
void gpunb_profile_(const int *rank);

/* Takes nj sources; what was there is forgotten. */
void gpunb_send_(const int *nj, const double m[], const double x[][3], const double v[][3]);

/* Computes ni targets. list[i][lmax] is the number of neighbours of target i, followed by their places among the
 * sources, from 0 on and ascending; where there are more than nbmax, or than the list can hold, it is their negative
 * number and nothing follows. With *m_flag = 1 a neighbour is within m h2. If the computation failed, results are NaN.
 */
void gpunb_regf_(const int *ni, const double h2[], const double dtr[], const double x[][3], const double v[][3],
                 double acc[][3], double jrk[][3], double pot[], const int *lmax, const int *nbmax, int list[],
                 const int *m_flag);

/* Potentials sum m / r of the bodies istart to istart + ni - 1, counted from 1, in the field of all n. */
void gpupot_(const int *rank, const int *istart, const int *ni, const int *n, const double m[], const double x[][3],
             double pot[]);

/* Why the last call failed; "" if it did not. Not in NBODY6. */
const char *gpunb_message(void);

#ifdef __cplusplus
}
#endif

#endif
