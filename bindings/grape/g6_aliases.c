/* g6_aliases.c - calls that are others under another name, and those that have nothing to do here. */
#include "g6_names.h"

/* --- the hardware ------------------------------------------------------------------------------------------------- */

int g6_close(int clusterid)
{
    return g6_open(clusterid);
}

int g6_reinitialize(int clusterid)
{
    return g6_open(clusterid);
}

int g6_reset(int clusterid)
{
    return g6_open(clusterid);
}

int g6_reset_fofpga(int clusterid)
{
    return g6_open(clusterid);
}

int g6_set_tunit(int newtunit)
{
    (void)newtunit;
    return 0;
}

int g6_set_xunit(int newxunit)
{
    (void)newxunit;
    return 0;
}

int g6_initialize_jp_buffer(int clusterid, int size)
{
    (void)clusterid, (void)size;
    return 0;
}

int g6_flush_jp_buffer(int clusterid)
{
    (void)clusterid;
    return 0;
}

int g6_set_overflow_flag_test_mode(int aflag, int jflag, int pflag)
{
    (void)aflag, (void)jflag, (void)pflag;
    return 0;
}

void g6_set_i_particle_scales_from_real_value(int clusterid, int address, double acc[3], double jerk[3], double phi,
                                              double jfactor, double ffactor)
{
    (void)clusterid, (void)address, (void)acc, (void)jerk, (void)phi, (void)jfactor, (void)ffactor;
}

int g6_get_number_of_pipelines(void)
{
    return g6_npipes();
}

int g6_get_force(int clusterid, double acc[][3], double jerk[][3], double phi[], int flag[])
{
    return g6_get_force_etc(clusterid, acc, jerk, phi, 0, flag);
}

/* --- cluster 0 ---------------------------------------------------------------------------------------------------- */

void g6_open_all(void)
{
    g6_open(0);
}

void g6_close_all(void)
{
    g6_close(0);
}

int g6_set_j_particle_all(int address, int index, double tj, double dtj, double mass, double a2by18[3], double a1by6[3],
                          double aby2[3], double v[3], double x[3])
{
    return g6_set_j_particle(0, address, index, tj, dtj, mass, a2by18, a1by6, aby2, v, x);
}

int g6_set_j_particle_mxonly_all(int address, int index, double mass, double x[3])
{
    return g6_set_j_particle_mxonly(0, address, index, mass, x);
}

void g6_set_ti_all(double ti)
{
    g6_set_ti(0, ti);
}

void g6calc_firsthalf_all(int nj, int ni, int index[], double xi[][3], double vi[][3], double fold[][3],
                          double jold[][3], double phiold[], double eps2, double h2[])
{
    g6calc_firsthalf(0, nj, ni, index, xi, vi, fold, jold, phiold, eps2, h2);
}

int g6calc_lasthalf_all(int nj, int ni, int index[], double xi[][3], double vi[][3], double eps2, double h2[],
                        double acc[][3], double jerk[][3], double pot[])
{
    return g6calc_lasthalf(0, nj, ni, index, xi, vi, eps2, h2, acc, jerk, pot);
}

int g6calc_lasthalf2_all(int nj, int ni, int index[], double xi[][3], double vi[][3], double eps2, double h2[],
                         double acc[][3], double jerk[][3], double pot[], int nnbindex[])
{
    return g6calc_lasthalf2(0, nj, ni, index, xi, vi, eps2, h2, acc, jerk, pot, nnbindex);
}

int g6_read_neighbour_list_all(void)
{
    return g6_read_neighbour_list(0);
}

int g6_get_neighbour_list_all(int ipipe, int maxlength, int *nblen, int nbl[])
{
    return g6_get_neighbour_list(0, ipipe, maxlength, nblen, nbl);
}

void g6_set_nip_all(int nip)
{
    g6_set_nip(0, nip);
}

void g6_set_njp_all(int njp)
{
    g6_set_njp(0, njp);
}

void g6_set_i_particle_scales_from_real_value_all(int address, double acc[3], double jerk[3], double phi,
                                                  double jfactor, double ffactor)
{
    g6_set_i_particle_scales_from_real_value(0, address, acc, jerk, phi, jfactor, ffactor);
}

void g6_set_i_particle_all(int address, int index, double x[3], double v[3], double eps2, double h2)
{
    g6_set_i_particle(0, address, index, x, v, eps2, h2);
}

int g6_get_force_all(double acc[][3], double jerk[][3], double phi[], int flag[])
{
    return g6_get_force(0, acc, jerk, phi, flag);
}

int g6_get_force_etc_all(double acc[][3], double jerk[][3], double phi[], int nnbindex[], int flag[])
{
    return g6_get_force_etc(0, acc, jerk, phi, nnbindex, flag);
}

void g6_get_predicted_j_particles_all(int nj, double (*x)[3], double (*v)[3])
{
    g6_get_predicted_j_particles(0, nj, x, v);
}

int g6_getnjmax_all(void)
{
    return g6_getnjmax(0);
}

G6_ALIAS_CALLS(GRAPE_PUBLIC)
