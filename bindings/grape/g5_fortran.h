/* g5_fortran.h - the same calls for Fortran (CALL g5_set_n(n)): names in small letters with an underscore behind,
 * all arguments by reference. C programs for some versions of the library call these, too. */
#ifndef G5_FORTRAN_H
#define G5_FORTRAN_H

#ifdef __cplusplus
extern "C" {
#endif

void g5_open_(void);
void g5_close_(void);
void g5_set_range_(const double *xmin, const double *xmax, const double *mmin);
void g5_get_range_(double *xmin, double *xmax, double *mmin);
void g5_set_n_(const int *n);
void g5_set_xmj_(const int *adr, const int *nj, double (*xj)[3], double *mj);
void g5_set_jp_(const int *adr, const int *nj, double *mj, double (*xj)[3]);
void g5_set_xj_(const int *adr, const int *nj, double (*xj)[3]);
void g5_set_mj_(const int *adr, const int *nj, double *mj);
void g5_set_eps_to_all_(const double *eps);
void g5_set_eps2_to_all_(const double *eps2);
void g5_set_eps_(const int *ni, double *eps);
void g5_set_eps2_(const int *ni, double *eps2);
void g5_set_xi_(const int *ni, double (*xi)[3]);
void g5_set_ip_(const int *ni, double (*xi)[3], double *eps, double *h);
void g5_run_(void);
void g5_get_force_(const int *ni, double (*a)[3], double *p);
void g5_calculate_force_on_x_(double (*x)[3], double (*a)[3], double *p, const int *ni);
int g5_get_number_of_pipelines_(void);
int g5_get_number_of_real_pipelines_(void);
int g5_get_jmemsize_(void);
int g5_get_number_of_boards_(void);
int g5_get_number_of_cards_(void);
void g5_set_cutoff_table_(double (*ffunc)(double), const double *fcut, const double *fcor, double (*pfunc)(double),
                          const double *pcut, const double *pcor);
void g5_set_eta_(const double *eta);
void g5_openmc_(const int *devid);
void g5_closemc_(const int *devid);
void g5_set_rangemc_(const int *devid, const double *xmin, const double *xmax, const double *mmin);
void g5_get_rangemc_(const int *devid, double *xmin, double *xmax, double *mmin);
void g5_set_nmc_(const int *devid, const int *n);
void g5_set_xmjmc_(const int *devid, const int *adr, const int *nj, double (*xj)[3], double *mj);
void g5_set_jpmc_(const int *devid, const int *adr, const int *nj, double *mj, double (*xj)[3]);
void g5_set_xjmc_(const int *devid, const int *adr, const int *nj, double (*xj)[3]);
void g5_set_mjmc_(const int *devid, const int *adr, const int *nj, double *mj);
void g5_set_eps_to_allmc_(const int *devid, const double *eps);
void g5_set_eps2_to_allmc_(const int *devid, const double *eps2);
void g5_set_epsmc_(const int *devid, const int *ni, double *eps);
void g5_set_eps2mc_(const int *devid, const int *ni, double *eps2);
void g5_set_ximc_(const int *devid, const int *ni, double (*xi)[3]);
void g5_set_ipmc_(const int *devid, const int *ni, double (*xi)[3], double *eps, double *h);
void g5_runmc_(const int *devid);
void g5_get_forcemc_(const int *devid, const int *ni, double (*a)[3], double *p);
void g5_calculate_force_on_xmc_(const int *devid, double (*x)[3], double (*a)[3], double *p, const int *ni);
int g5_get_number_of_pipelinesmc_(const int *devid);
int g5_get_jmemsizemc_(const int *devid);
void g5_set_cutoff_tablemc_(const int *devid, double (*ffunc)(double), const double *fcut, const double *fcor,
                            double (*pfunc)(double), const double *pcut, const double *pcor);
void g5_set_etamc_(const int *devid, const double *eta);

#ifdef __cplusplus
}
#endif

#endif
