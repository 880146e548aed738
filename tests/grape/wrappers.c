/* wrappers.c - a program that defines the C names of the GRAPE libraries itself, as calls of those for Fortran. The
 * wrappers for GRAPE of Sapporo and of ph4 do. Linked with the shared and with the static libraries: the libraries
 * must use their own functions, and the program its own. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "g5.h"
#include "g5_fortran.h"
#include "g6.h"
#include "g6_fortran.h"

static int calls; /* calls of the functions of this file */

int g6_open(int clusterid)
{
    calls++;
    return g6_open_(&clusterid);
}

int g6_close(int clusterid)
{
    calls++;
    return g6_close_(&clusterid);
}

int g6_reset(int clusterid)
{
    calls++;
    return g6_reset_(&clusterid);
}

int g6_npipes(void)
{
    calls++;
    return g6_npipes_();
}

int g6_set_ti(int clusterid, double ti)
{
    calls++;
    return g6_set_ti_(&clusterid, &ti);
}

int g6_set_j_particle(int clusterid, int address, int index, double tj, double dtj, double mass, double a2by18[3],
                      double a1by6[3], double aby2[3], double v[3], double x[3])
{
    calls++;
    return g6_set_j_particle_(&clusterid, &address, &index, &tj, &dtj, &mass, a2by18, a1by6, aby2, v, x);
}

void g6calc_firsthalf(int clusterid, int nj, int ni, int index[], double xi[][3], double vi[][3], double fold[][3],
                      double jold[][3], double phiold[], double eps2, double h2[])
{
    calls++;
    g6calc_firsthalf_(&clusterid, &nj, &ni, index, xi, vi, fold, jold, phiold, &eps2, h2);
}

int g6calc_lasthalf2(int clusterid, int nj, int ni, int index[], double xi[][3], double vi[][3], double eps2,
                     double h2[], double acc[][3], double jerk[][3], double pot[], int nnbindex[])
{
    calls++;
    return g6calc_lasthalf2_(&clusterid, &nj, &ni, index, xi, vi, &eps2, h2, acc, jerk, pot, nnbindex);
}

int g6_read_neighbour_list(int clusterid)
{
    calls++;
    return g6_read_neighbour_list_(&clusterid);
}

int g6_get_neighbour_list(int clusterid, int ipipe, int maxlength, int *nblen, int nbl[])
{
    calls++;
    return g6_get_neighbour_list_(&clusterid, &ipipe, &maxlength, nblen, nbl);
}

/* Parts of an evaluation in pieces, which other calls of the library use. A wrapper may count on none of them. */
void g6_set_nip(int clusterid, int nip)
{
    calls++;
    g6_set_nip_(&clusterid, &nip);
}

int g6_get_force_etc(int clusterid, double acc[][3], double jerk[][3], double phi[], int nnbindex[], int flag[])
{
    calls++;
    return g6_get_force_etc_(&clusterid, acc, jerk, phi, nnbindex, flag);
}

void g5_open(void)
{
    calls++;
    g5_open_();
}

void g5_close(void)
{
    calls++;
    g5_close_();
}

void g5_openMC(int devid)
{
    calls++;
    g5_openmc_(&devid);
}

void g5_set_eps_to_all(double eps)
{
    calls++;
    g5_set_eps_to_all_(&eps);
}

void g5_set_n(int n)
{
    calls++;
    g5_set_n_(&n);
}

void g5_set_xmj(int adr, int nj, double (*xj)[3], double *mj)
{
    calls++;
    g5_set_xmj_(&adr, &nj, xj, mj);
}

void g5_runMC(int devid)
{
    calls++;
    g5_runmc_(&devid);
}

void g5_calculate_force_on_x(double (*x)[3], double (*a)[3], double *p, int ni)
{
    calls++;
    g5_calculate_force_on_x_(x, a, p, &ni);
}

static int failures;

static void expect(const char *what, double found, double wanted)
{
    if (fabs(found - wanted) <= 1e-6 * fabs(wanted))
        return;
    printf("%s: %.9g instead of %.9g\n", what, found, wanted);
    failures++;
}

/* Masses 1 and 2 at a distance of 1, through GRAPE-6: 10 calls of this file. */
static void try_g6(void)
{
    double x[2][3] = {{0, 0, 0}, {1, 0, 0}}, v[2][3] = {{0}}, zero[3] = {0}, a[2][3], jerk[2][3], phi[2],
           h2[2] = {4, 4};
    int index[2] = {7, 8}, nearest[2], n = 0, list[2] = {0};
    calls = 0;
    expect("g6_open", g6_open(0), 0);
    expect("g6_reset", g6_reset(0), 0);
    for (int j = 0; j < 2; j++)
        expect("g6_set_j_particle", g6_set_j_particle(0, j, index[j], 0, 0, 1 + j, zero, zero, zero, v[j], x[j]), 0);
    expect("g6_set_ti", g6_set_ti(0, 0), 0);
    g6calc_firsthalf(0, 2, 2, index, x, v, a, jerk, phi, 0, h2);
    expect("g6calc_lasthalf2", g6calc_lasthalf2(0, 2, 2, index, x, v, 0, h2, a, jerk, phi, nearest), 0);
    expect("acceleration", a[0][0], 2);
    expect("acceleration", a[1][0], -1);
    expect("potential", phi[1], -1);
    expect("nearest", nearest[0], 8);
    expect("g6_read_neighbour_list", g6_read_neighbour_list(0), 0);
    expect("g6_get_neighbour_list", g6_get_neighbour_list(0, 0, 2, &n, list), 0);
    expect("neighbours", n, 1);
    expect("neighbour", list[0], 8);
    expect("g6_close", g6_close(0), 0);
    expect("calls of the program's functions", calls, 10);
}

/* The same through GRAPE-5, whose potential is positive: 6 calls of this file. */
static void try_g5(void)
{
    double x[2][3] = {{0, 0, 0}, {1, 0, 0}}, m[2] = {1, 2}, a[2][3], p[2];
    calls = 0;
    g5_open();
    g5_set_eps_to_all(0);
    g5_set_n(2);
    g5_set_xmj(0, 2, x, m);
    g5_calculate_force_on_x(x, a, p, 2);
    expect("acceleration", a[0][0], 2);
    expect("potential", p[1], 1);
    g5_close();
    expect("calls of the program's functions", calls, 6);
}

int main(void)
{
    alarm(60); /* calls that come back to the program for ever end the test */
    try_g6();
    try_g5();
    printf("%d failures\n", failures);
    return failures != 0;
}
