/* g6_fortran.c - the calls of g6.h for Fortran: names with an underscore, arguments by reference. */
#include "g6_fortran.h"

#include "g6_names.h"

int g6_open_(const int *clusterid)
{
    return g6_open(*clusterid);
}

int g6_close_(const int *clusterid)
{
    return g6_close(*clusterid);
}

int g6_reinitialize_(const int *clusterid)
{
    return g6_reinitialize(*clusterid);
}

int g6_reset_(const int *clusterid)
{
    return g6_reset(*clusterid);
}

int g6_reset_fofpga_(const int *clusterid)
{
    return g6_reset_fofpga(*clusterid);
}

int g6_set_tunit_(const int *newtunit)
{
    return g6_set_tunit(*newtunit);
}

int g6_set_xunit_(const int *newxunit)
{
    return g6_set_xunit(*newxunit);
}

int g6_npipes_(void)
{
    return g6_npipes();
}

int g6_get_number_of_pipelines_(void)
{
    return g6_get_number_of_pipelines();
}

int g6_getnjmax_(const int *clusterid)
{
    return g6_getnjmax(*clusterid);
}

int g6_set_j_particle_(const int *clusterid, const int *address, const int *index, const double *tj, const double *dtj,
                       const double *mass, double a2by18[3], double a1by6[3], double aby2[3], double v[3], double x[3])
{
    return g6_set_j_particle(*clusterid, *address, *index, *tj, *dtj, *mass, a2by18, a1by6, aby2, v, x);
}

int g6_set_j_particle_mxonly_(const int *clusterid, const int *address, const int *index, const double *mass,
                              double x[3])
{
    return g6_set_j_particle_mxonly(*clusterid, *address, *index, *mass, x);
}

int g6_initialize_jp_buffer_(const int *clusterid, const int *size)
{
    return g6_initialize_jp_buffer(*clusterid, *size);
}

int g6_flush_jp_buffer_(const int *clusterid)
{
    return g6_flush_jp_buffer(*clusterid);
}

int g6_set_ti_(const int *clusterid, const double *ti)
{
    return g6_set_ti(*clusterid, *ti);
}

void g6calc_firsthalf_(const int *clusterid, const int *nj, const int *ni, int index[], double xi[][3], double vi[][3],
                       double fold[][3], double jold[][3], double phiold[], const double *eps2, double h2[])
{
    g6calc_firsthalf(*clusterid, *nj, *ni, index, xi, vi, fold, jold, phiold, *eps2, h2);
}

int g6calc_lasthalf_(const int *clusterid, const int *nj, const int *ni, int index[], double xi[][3], double vi[][3],
                     const double *eps2, double h2[], double acc[][3], double jerk[][3], double pot[])
{
    return g6calc_lasthalf(*clusterid, *nj, *ni, index, xi, vi, *eps2, h2, acc, jerk, pot);
}

int g6calc_lasthalf2_(const int *clusterid, const int *nj, const int *ni, int index[], double xi[][3], double vi[][3],
                      const double *eps2, double h2[], double acc[][3], double jerk[][3], double pot[], int nnbindex[])
{
    return g6calc_lasthalf2(*clusterid, *nj, *ni, index, xi, vi, *eps2, h2, acc, jerk, pot, nnbindex);
}

int g6_read_neighbour_list_(const int *clusterid)
{
    return g6_read_neighbour_list(*clusterid);
}

int g6_get_neighbour_list_(const int *clusterid, const int *ipipe, const int *maxlength, int *nblen, int nbl[])
{
    return g6_get_neighbour_list(*clusterid, *ipipe, *maxlength, nblen, nbl);
}

void g6_set_neighbour_list_sort_mode_(const int *mode)
{
    g6_set_neighbour_list_sort_mode(*mode);
}

int g6_get_neighbour_list_sort_mode_(void)
{
    return g6_get_neighbour_list_sort_mode();
}

void g6_set_nip_(const int *clusterid, const int *nip)
{
    g6_set_nip(*clusterid, *nip);
}

void g6_set_njp_(const int *clusterid, const int *njp)
{
    g6_set_njp(*clusterid, *njp);
}

void g6_set_i_particle_scales_from_real_value_(const int *clusterid, const int *address, double acc[3], double jerk[3],
                                               const double *phi, const double *jfactor, const double *ffactor)
{
    g6_set_i_particle_scales_from_real_value(*clusterid, *address, acc, jerk, *phi, *jfactor, *ffactor);
}

void g6_set_i_particle_(const int *clusterid, const int *address, const int *index, double x[3], double v[3],
                        const double *eps2, const double *h2)
{
    g6_set_i_particle(*clusterid, *address, *index, x, v, *eps2, *h2);
}

int g6_get_force_(const int *clusterid, double acc[][3], double jerk[][3], double phi[], int flag[])
{
    return g6_get_force(*clusterid, acc, jerk, phi, flag);
}

int g6_get_force_etc_(const int *clusterid, double acc[][3], double jerk[][3], double phi[], int nnbindex[], int flag[])
{
    return g6_get_force_etc(*clusterid, acc, jerk, phi, nnbindex, flag);
}

void g6_get_predicted_j_particles_(const int *clusterid, const int *nj, double x[][3], double v[][3])
{
    g6_get_predicted_j_particles(*clusterid, *nj, x, v);
}

int g6_set_overflow_flag_test_mode_(const int *aflag, const int *jflag, const int *pflag)
{
    return g6_set_overflow_flag_test_mode(*aflag, *jflag, *pflag);
}

void g6_open_all_(void)
{
    g6_open_all();
}

void g6_close_all_(void)
{
    g6_close_all();
}

int g6_set_j_particle_all_(const int *address, const int *index, const double *tj, const double *dtj,
                           const double *mass, double a2by18[3], double a1by6[3], double aby2[3], double v[3],
                           double x[3])
{
    return g6_set_j_particle_all(*address, *index, *tj, *dtj, *mass, a2by18, a1by6, aby2, v, x);
}

int g6_set_j_particle_mxonly_all_(const int *address, const int *index, const double *mass, double x[3])
{
    return g6_set_j_particle_mxonly_all(*address, *index, *mass, x);
}

void g6_set_ti_all_(const double *ti)
{
    g6_set_ti_all(*ti);
}

void g6calc_firsthalf_all_(const int *nj, const int *ni, int index[], double xi[][3], double vi[][3], double fold[][3],
                           double jold[][3], double phiold[], const double *eps2, double h2[])
{
    g6calc_firsthalf_all(*nj, *ni, index, xi, vi, fold, jold, phiold, *eps2, h2);
}

int g6calc_lasthalf_all_(const int *nj, const int *ni, int index[], double xi[][3], double vi[][3], const double *eps2,
                         double h2[], double acc[][3], double jerk[][3], double pot[])
{
    return g6calc_lasthalf_all(*nj, *ni, index, xi, vi, *eps2, h2, acc, jerk, pot);
}

int g6calc_lasthalf2_all_(const int *nj, const int *ni, int index[], double xi[][3], double vi[][3], const double *eps2,
                          double h2[], double acc[][3], double jerk[][3], double pot[], int nnbindex[])
{
    return g6calc_lasthalf2_all(*nj, *ni, index, xi, vi, *eps2, h2, acc, jerk, pot, nnbindex);
}

int g6_read_neighbour_list_all_(void)
{
    return g6_read_neighbour_list_all();
}

int g6_get_neighbour_list_all_(const int *ipipe, const int *maxlength, int *nblen, int nbl[])
{
    return g6_get_neighbour_list_all(*ipipe, *maxlength, nblen, nbl);
}

void g6_set_nip_all_(const int *nip)
{
    g6_set_nip_all(*nip);
}

void g6_set_njp_all_(const int *njp)
{
    g6_set_njp_all(*njp);
}

void g6_set_i_particle_scales_from_real_value_all_(const int *address, double acc[3], double jerk[3], const double *phi,
                                                   const double *jfactor, const double *ffactor)
{
    g6_set_i_particle_scales_from_real_value_all(*address, acc, jerk, *phi, *jfactor, *ffactor);
}

void g6_set_i_particle_all_(const int *address, const int *index, double x[3], double v[3], const double *eps2,
                            const double *h2)
{
    g6_set_i_particle_all(*address, *index, x, v, *eps2, *h2);
}

int g6_get_force_all_(double acc[][3], double jerk[][3], double phi[], int flag[])
{
    return g6_get_force_all(acc, jerk, phi, flag);
}

int g6_get_force_etc_all_(double acc[][3], double jerk[][3], double phi[], int nnbindex[], int flag[])
{
    return g6_get_force_etc_all(acc, jerk, phi, nnbindex, flag);
}

void g6_get_predicted_j_particles_all_(const int *nj, double (*x)[3], double (*v)[3])
{
    g6_get_predicted_j_particles_all(*nj, x, v);
}

int g6_getnjmax_all_(void)
{
    return g6_getnjmax_all();
}
