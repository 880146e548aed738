/* g6_fortran.h - the same calls for Fortran (CALL g6_set_ti(id, ti)): names in small letters with an underscore behind,
 * all arguments by reference. C programs for some versions of the library call these, too. */
#ifndef G6_FORTRAN_H
#define G6_FORTRAN_H

#ifdef __cplusplus
extern "C" {
#endif

int g6_open_(const int *clusterid);
int g6_close_(const int *clusterid);
int g6_reinitialize_(const int *clusterid);
int g6_reset_(const int *clusterid);
int g6_reset_fofpga_(const int *clusterid);
int g6_set_tunit_(const int *newtunit);
int g6_set_xunit_(const int *newxunit);
int g6_npipes_(void);
int g6_get_number_of_pipelines_(void);
int g6_getnjmax_(const int *clusterid);
int g6_set_j_particle_(const int *clusterid, const int *address, const int *index, const double *tj, const double *dtj,
                       const double *mass, double a2by18[3], double a1by6[3], double aby2[3], double v[3], double x[3]);
int g6_set_j_particle_mxonly_(const int *clusterid, const int *address, const int *index, const double *mass,
                              double x[3]);
int g6_initialize_jp_buffer_(const int *clusterid, const int *size);
int g6_flush_jp_buffer_(const int *clusterid);
int g6_set_ti_(const int *clusterid, const double *ti);
void g6calc_firsthalf_(const int *clusterid, const int *nj, const int *ni, int index[], double xi[][3], double vi[][3],
                       double fold[][3], double jold[][3], double phiold[], const double *eps2, double h2[]);
int g6calc_lasthalf_(const int *clusterid, const int *nj, const int *ni, int index[], double xi[][3], double vi[][3],
                     const double *eps2, double h2[], double acc[][3], double jerk[][3], double pot[]);
int g6calc_lasthalf2_(const int *clusterid, const int *nj, const int *ni, int index[], double xi[][3], double vi[][3],
                      const double *eps2, double h2[], double acc[][3], double jerk[][3], double pot[], int nnbindex[]);
int g6_read_neighbour_list_(const int *clusterid);
int g6_get_neighbour_list_(const int *clusterid, const int *ipipe, const int *maxlength, int *nblen, int nbl[]);
void g6_set_neighbour_list_sort_mode_(const int *mode);
int g6_get_neighbour_list_sort_mode_(void);
void g6_set_nip_(const int *clusterid, const int *nip);
void g6_set_njp_(const int *clusterid, const int *njp);
void g6_set_i_particle_scales_from_real_value_(const int *clusterid, const int *address, double acc[3], double jerk[3],
                                               const double *phi, const double *jfactor, const double *ffactor);
void g6_set_i_particle_(const int *clusterid, const int *address, const int *index, double x[3], double v[3],
                        const double *eps2, const double *h2);
int g6_get_force_(const int *clusterid, double acc[][3], double jerk[][3], double phi[], int flag[]);
int g6_get_force_etc_(const int *clusterid, double acc[][3], double jerk[][3], double phi[], int nnbindex[],
                      int flag[]);
void g6_get_predicted_j_particles_(const int *clusterid, const int *nj, double x[][3], double v[][3]);
int g6_set_overflow_flag_test_mode_(const int *aflag, const int *jflag, const int *pflag);
void g6_open_all_(void);
void g6_close_all_(void);
int g6_set_j_particle_all_(const int *address, const int *index, const double *tj, const double *dtj,
                           const double *mass, double a2by18[3], double a1by6[3], double aby2[3], double v[3],
                           double x[3]);
int g6_set_j_particle_mxonly_all_(const int *address, const int *index, const double *mass, double x[3]);
void g6_set_ti_all_(const double *ti);
void g6calc_firsthalf_all_(const int *nj, const int *ni, int index[], double xi[][3], double vi[][3], double fold[][3],
                           double jold[][3], double phiold[], const double *eps2, double h2[]);
int g6calc_lasthalf_all_(const int *nj, const int *ni, int index[], double xi[][3], double vi[][3], const double *eps2,
                         double h2[], double acc[][3], double jerk[][3], double pot[]);
int g6calc_lasthalf2_all_(const int *nj, const int *ni, int index[], double xi[][3], double vi[][3], const double *eps2,
                          double h2[], double acc[][3], double jerk[][3], double pot[], int nnbindex[]);
int g6_read_neighbour_list_all_(void);
int g6_get_neighbour_list_all_(const int *ipipe, const int *maxlength, int *nblen, int nbl[]);
void g6_set_nip_all_(const int *nip);
void g6_set_njp_all_(const int *njp);
void g6_set_i_particle_scales_from_real_value_all_(const int *address, double acc[3], double jerk[3], const double *phi,
                                                   const double *jfactor, const double *ffactor);
void g6_set_i_particle_all_(const int *address, const int *index, double x[3], double v[3], const double *eps2,
                            const double *h2);
int g6_get_force_all_(double acc[][3], double jerk[][3], double phi[], int flag[]);
int g6_get_force_etc_all_(double acc[][3], double jerk[][3], double phi[], int nnbindex[], int flag[]);
void g6_get_predicted_j_particles_all_(const int *nj, double (*x)[3], double (*v)[3]);
int g6_getnjmax_all_(void);

#ifdef __cplusplus
}
#endif

#endif
