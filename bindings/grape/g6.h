/* g6.h - the calls of the GRAPE-6 library, computed by Myriad. Link with -lg6. docs/grape.md says what each does here.
 *
 * A cluster (0 to 1023) has a memory of j-particles. At a time ti they are predicted to
 *
 *   xp = x + v dt + a/2 dt^2 + jerk/6 dt^3 + snap/24 dt^4,   vp = v + a dt + jerk/2 dt^2 + snap/6 dt^3,   dt = ti - tj
 *
 * and targets xi, vi get, with r = xp - xi, u = vp - vi, s = r^2 + eps2, summed over the j-particles at addresses 0 to
 * nj-1 whose index is not that of the target,
 *
 *   acc = sum m r / s^(3/2),   jerk = sum m (u / s^(3/2) - 3 (r.u) r / s^(5/2)),   pot = - sum m / s^(1/2).
 *
 * Functions return 0, or -1 where something failed: results are NaN then, and g6_message() says why. */
#ifndef G6_H
#define G6_H

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a cluster and forgets what is in its memory; closes it. A cluster that is used without that is opened. The
 * resets of the hardware are g6_open. */
int g6_open(int clusterid);
int g6_close(int clusterid);
int g6_reinitialize(int clusterid);
int g6_reset(int clusterid);
int g6_reset_fofpga(int clusterid);

/* Formats of time and position in the hardware (bits after the point). Taken without effect: numbers are floating. */
int g6_set_tunit(int newtunit);
int g6_set_xunit(int newxunit);

/* How many targets a program should send at once (MYRIAD_GRAPE_PIPES, or 256; any number is taken), and how many
 * j-particles (2^24; any number is taken). */
int g6_npipes(void);
int g6_get_number_of_pipelines(void);
int g6_getnjmax(int clusterid);

/* Writes one j-particle: a2by18 = snap/18, a1by6 = jerk/6, aby2 = a/2, at time tj. dtj is not used. The second has
 * position and mass only, and does not move. */
int g6_set_j_particle(int clusterid, int address, int index, double tj, double dtj, double mass, double a2by18[3],
                      double a1by6[3], double aby2[3], double v[3], double x[3]);
int g6_set_j_particle_mxonly(int clusterid, int address, int index, double mass, double x[3]);

/* Buffering of j-particles. Without effect: they are written at once. */
int g6_initialize_jp_buffer(int clusterid, int size);
int g6_flush_jp_buffer(int clusterid);

/* The time to which j-particles are predicted. */
int g6_set_ti(int clusterid, double ti);

/* Starts and ends an evaluation of ni targets. The guesses fold, jold, phiold scaled the hardware's sums and are not
 * used. h2[i] is the squared radius for neighbours, 0 for none. nnbindex[i] is the index of the nearest j-particle of
 * another index, -1 where there is none. */
void g6calc_firsthalf(int clusterid, int nj, int ni, int index[], double xi[][3], double vi[][3], double fold[][3],
                      double jold[][3], double phiold[], double eps2, double h2[]);
int g6calc_lasthalf(int clusterid, int nj, int ni, int index[], double xi[][3], double vi[][3], double eps2,
                    double h2[], double acc[][3], double jerk[][3], double pot[]);
int g6calc_lasthalf2(int clusterid, int nj, int ni, int index[], double xi[][3], double vi[][3], double eps2,
                     double h2[], double acc[][3], double jerk[][3], double pot[], int nnbindex[]);

/* Finds the j-particles with |xp - xi|^2 <= h2[i] and another index, for all targets of the last evaluation: 0, or -1.
 * Then gives those of target ipipe: their indices, ascending (sort mode 0: by address), *nblen of them. Where there are
 * more than maxlength, the first maxlength are given and 1 is returned. */
int g6_read_neighbour_list(int clusterid);
int g6_get_neighbour_list(int clusterid, int ipipe, int maxlength, int *nblen, int nbl[]);
void g6_set_neighbour_list_sort_mode(int mode);
int g6_get_neighbour_list_sort_mode(void);

/* The evaluation in pieces: numbers of targets and j-particles, target by target, results. flag[i] is 0. */
void g6_set_nip(int clusterid, int nip);
void g6_set_njp(int clusterid, int njp);
void g6_set_i_particle_scales_from_real_value(int clusterid, int address, double acc[3], double jerk[3], double phi,
                                              double jfactor, double ffactor);
void g6_set_i_particle(int clusterid, int address, int index, double x[3], double v[3], double eps2, double h2);
int g6_get_force(int clusterid, double acc[][3], double jerk[][3], double phi[], int flag[]);
int g6_get_force_etc(int clusterid, double acc[][3], double jerk[][3], double phi[], int nnbindex[], int flag[]);

/* Where the j-particles are predicted to be. */
void g6_get_predicted_j_particles(int clusterid, int nj, double x[][3], double v[][3]);

/* Which overflows of the hardware's sums are reported. Without effect: sums do not overflow. */
int g6_set_overflow_flag_test_mode(int aflag, int jflag, int pflag);

/* The same with the cluster left out: 0. */
void g6_open_all(void);
void g6_close_all(void);
int g6_set_j_particle_all(int address, int index, double tj, double dtj, double mass, double a2by18[3], double a1by6[3],
                          double aby2[3], double v[3], double x[3]);
int g6_set_j_particle_mxonly_all(int address, int index, double mass, double x[3]);
void g6_set_ti_all(double ti);
void g6calc_firsthalf_all(int nj, int ni, int index[], double xi[][3], double vi[][3], double fold[][3],
                          double jold[][3], double phiold[], double eps2, double h2[]);
int g6calc_lasthalf_all(int nj, int ni, int index[], double xi[][3], double vi[][3], double eps2, double h2[],
                        double acc[][3], double jerk[][3], double pot[]);
int g6calc_lasthalf2_all(int nj, int ni, int index[], double xi[][3], double vi[][3], double eps2, double h2[],
                         double acc[][3], double jerk[][3], double pot[], int nnbindex[]);
int g6_read_neighbour_list_all(void);
int g6_get_neighbour_list_all(int ipipe, int maxlength, int *nblen, int nbl[]);
void g6_set_nip_all(int nip);
void g6_set_njp_all(int njp);
void g6_set_i_particle_scales_from_real_value_all(int address, double acc[3], double jerk[3], double phi,
                                                  double jfactor, double ffactor);
void g6_set_i_particle_all(int address, int index, double x[3], double v[3], double eps2, double h2);
int g6_get_force_all(double acc[][3], double jerk[][3], double phi[], int flag[]);
int g6_get_force_etc_all(double acc[][3], double jerk[][3], double phi[], int nnbindex[], int flag[]);
void g6_get_predicted_j_particles_all(int nj, double (*x)[3], double (*v)[3]);
int g6_getnjmax_all(void);

/* Why the last call of a cluster failed; "" if it did not. Not in the GRAPE-6 library. */
const char *g6_message(int clusterid);

#ifdef __cplusplus
}
#endif

#endif
