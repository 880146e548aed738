/* mesh_charge.h - charges in a periodic box by Ewald's method (in Gaussian units: energy q q'/r): waves on a mesh, and
 * pairs within a cutoff (mesh_screen.h). With the splitting a, V the volume and S(k) the sum of q exp(-i k x),
 *
 *   waves       1/(2 V) sum over k != 0 of 4 pi/k^2 exp(-k^2/(4 a^2)) |S(k)|^2
 *   pairs       sum of q q' erfc(a r)/r
 *   own         -a/sqrt(pi) sum of q^2
 *   background  -pi/(2 a^2 V) (sum of q)^2, an even charge that makes the box neutral.
 *
 * Fields are gathered as such, from the waves i k phi, so that the forces on all charges add up to zero. */
#ifndef MYR_METHOD_MESH_CHARGE_H
#define MYR_METHOD_MESH_CHARGE_H

#include "method/mesh/mesh.h"

/* `tolerance` is the rms error of the forces divided by q^2/d^2, with the mean square q^2 of the charges and their mean
 * distance d = (V/n)^(1/3). */
typedef struct {
    double tolerance;
    int64_t n; /* charges */
    double edge[3];
    double least, most; /* shortest and longest cutoff of the pairs */
} myr_mesh_charge_question;

typedef struct {
    double splitting, cutoff;
    myr_mesh_choice mesh;
} myr_mesh_charge_choice;

/* choose: cheapest splitting, cutoff and mesh; a function of the question alone. fit: the mesh for a given splitting.
 * Both return 0 if no mesh keeps the tolerance. */
int myr_mesh_charge_choose(const myr_mesh_charge_question *question, myr_mesh_charge_choice *choice);
int myr_mesh_charge_fit(const myr_mesh_charge_question *question, double splitting, myr_mesh_choice *mesh);

/* Splitting with which pairs beyond the cutoff are within the tolerance. */
double myr_mesh_charge_splitting(const myr_mesh_charge_question *question, double cutoff);

/* Kernel of myr_mesh_apply for the field of charges that were spread as the first of three numbers: its three
 * components are gathered. user: myr_mesh_charge_waves. */
typedef struct {
    const myr_mesh *mesh;
    double splitting, edge[3];
    double (*row)[7]; /* [side z][side y]: energy and virial of the waves by ky and kz; null = not wanted */
} myr_mesh_charge_waves;
void myr_mesh_charge_kernel(void *user, const myr_mesh_row *row);

/* Energy of the waves, and sum of x_a F_b: xx, yy, zz, yz, xz, xy, of all rows in their order. */
void myr_mesh_charge_sums(const myr_mesh_charge_waves *waves, double sum[7]);

/* Core of the Gaussian of myr_mesh_apply. */
double myr_mesh_charge_core(double splitting);

/* The field at some places without a mesh, by sums over waves and images with another splitting: for measured errors.
 * `error`: relative size of what is left out. A charge at one of the places has no field there, but its images do. */
typedef struct {
    int64_t n, m;       /* charges, places */
    const double *x[3]; /* [n] */
    const double *charge;
    const double *at[3]; /* [m] */
    double edge[3], error;
} myr_mesh_charge_problem;
myr_status myr_mesh_charge_ewald(myr_context *context, const myr_mesh_charge_problem *problem, double (*field)[3]);

#endif
