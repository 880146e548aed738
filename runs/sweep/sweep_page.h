/* sweep_page.h - what the files of the page of a sweep share. */
#ifndef MYR_RUNS_SWEEP_PAGE_H
#define MYR_RUNS_SWEEP_PAGE_H

#include "report/report.h"
#include "sweep/sweep.h"

/* Whether all keys of an axis are seeds: runs along it are samples of one thing. */
int sweep_is_of_seeds(const input_sweep *all, int axis);

/* The number of the combination of all other axes that a run has; how many there are; and in words. */
int64_t sweep_family_of(const input_sweep *all, int64_t number);
int64_t sweep_families(const input_sweep *all);
const char *sweep_family_name(const input_sweep *all, int64_t number, char name[REPORT_NAME]);

/* Count, mean and sum of squared differences from the mean of numbers, one after the other (Welford 1962). */
typedef struct {
    double count, mean, square;
} sweep_moments;
void sweep_moments_add(sweep_moments *m, double value);
double sweep_moments_deviation(const sweep_moments *m);

/* Columns of summaries that are shown: those that were asked for, or some that most runs have. */
int sweep_is_shown(const sweep *s, int column);

/* Writes the curves of diagnostics of families of runs, and numbers of summaries over the values of keys; *written
 * becomes how many plots that is. */
int sweep_curves_write(markup *out, const sweep *s, progress *shown, int *written);
int sweep_trends_write(markup *out, const sweep *s);

/* Writes what replicas have exchanged, from exchange.json; nothing where there is none. */
void sweep_exchange_show(markup *out, const sweep *s);

#endif
