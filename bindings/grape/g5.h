/* g5.h - the calls of the GRAPE-5 library, computed by Myriad. Link with -lg5. docs/grape.md says what each does here.
 *
 *   a[i] = sum_j m[j] (x[j] - x[i]) / (r^2 + eps^2)^(3/2),   p[i] = + sum_j m[j] / (r^2 + eps^2)^(1/2)
 *
 * over all sources 0 to n-1 in the memory. A source at the place of a target adds m/eps to p, or nothing where eps is
 * 0. Where something fails, results are NaN and g5_message() says why.
 *
 * Names that end in MC take the number of a board (0 to 1023); the others use board 0. Boards have memories of their
 * own and may be used from different threads at once. */
#ifndef G5_H
#define G5_H

#ifdef __cplusplus
extern "C" {
#endif

/* Opens the board and forgets what is in its memory; closes it. A board that is used without that is opened. */
void g5_open(void);
void g5_close(void);

/* Ranges of the fixed-point formats of the hardware. Kept and given back, without effect: numbers are floating. */
void g5_set_range(double xmin, double xmax, double mmin);
void g5_get_range(double *xmin, double *xmax, double *mmin);

/* How many sources count, from address 0 on. */
void g5_set_n(int n);

/* Writes sources xj[0..nj), mj[0..nj) to addresses adr to adr+nj-1; the memory grows as needed. */
void g5_set_xmj(int adr, int nj, double (*xj)[3], double *mj);
void g5_set_jp(int adr, int nj, double *mj, double (*xj)[3]);
void g5_set_xj(int adr, int nj, double (*xj)[3]);
void g5_set_mj(int adr, int nj, double *mj);

/* Softening of all targets (of every board), or of targets 0 to ni-1. */
void g5_set_eps_to_all(double eps);
void g5_set_eps2_to_all(double eps2);
void g5_set_eps(int ni, double *eps);
void g5_set_eps2(int ni, double *eps2);

/* Sets the targets (any number), evaluates them, gives the results of the first ni. h is not used. */
void g5_set_xi(int ni, double (*xi)[3]);
void g5_set_ip(int ni, double (*xi)[3], double *eps, double *h);
void g5_run(void);
void g5_get_force(int ni, double (*a)[3], double *p);

/* All three at once. */
void g5_calculate_force_on_x(double (*x)[3], double (*a)[3], double *p, int ni);

/* How many targets a program should send at once (MYRIAD_GRAPE_PIPES, or 256; any number is taken), how many sources
 * (1048576; any number is taken), and that there is one board as far as these calls are concerned. */
int g5_get_number_of_pipelines(void);
int g5_get_number_of_real_pipelines(void);
int g5_get_jmemsize(void);
int g5_get_number_of_boards(void);
int g5_get_number_of_cards(void);

/* Forces with a cutoff (P3M) are not computed: after one of these calls every evaluation, of every board, fails until
 * g5_open. */
void g5_set_cutoff_table(double (*ffunc)(double), double fcut, double fcor, double (*pfunc)(double), double pcut,
                         double pcor);
void g5_set_eta(double eta);

/* The same on a board. */
void g5_openMC(int devid);
void g5_closeMC(int devid);
void g5_set_rangeMC(int devid, double xmin, double xmax, double mmin);
void g5_get_rangeMC(int devid, double *xmin, double *xmax, double *mmin);
void g5_set_nMC(int devid, int n);
void g5_set_xmjMC(int devid, int adr, int nj, double (*xj)[3], double *mj);
void g5_set_jpMC(int devid, int adr, int nj, double *mj, double (*xj)[3]);
void g5_set_xjMC(int devid, int adr, int nj, double (*xj)[3]);
void g5_set_mjMC(int devid, int adr, int nj, double *mj);
void g5_set_eps_to_allMC(int devid, double eps);
void g5_set_eps2_to_allMC(int devid, double eps2);
void g5_set_epsMC(int devid, int ni, double *eps);
void g5_set_eps2MC(int devid, int ni, double *eps2);
void g5_set_xiMC(int devid, int ni, double (*xi)[3]);
void g5_set_ipMC(int devid, int ni, double (*xi)[3], double *eps, double *h);
void g5_runMC(int devid);
void g5_get_forceMC(int devid, int ni, double (*a)[3], double *p);
void g5_calculate_force_on_xMC(int devid, double (*x)[3], double (*a)[3], double *p, int ni);
int g5_get_number_of_pipelinesMC(int devid);
int g5_get_jmemsizeMC(int devid);
void g5_set_cutoff_tableMC(int devid, double (*ffunc)(double), double fcut, double fcor, double (*pfunc)(double),
                           double pcut, double pcor);
void g5_set_etaMC(int devid, double eta);

/* Why the last evaluation of a board failed; "" if it did not. Not in the GRAPE-5 library. */
const char *g5_message(void);
const char *g5_messageMC(int devid);

#ifdef __cplusplus
}
#endif

#endif
