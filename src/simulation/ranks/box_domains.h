/* box_domains.h - particles in a box on several ranks, each with one domain of the box. All functions are
 * collective. */
#ifndef MYR_SIMULATION_RANKS_BOX_DOMAINS_H
#define MYR_SIMULATION_RANKS_BOX_DOMAINS_H

#include "io/checkpoint.h"
#include "simulation/simulation.h"

typedef struct myr_box_domains myr_box_domains;

/* Refuses settings that run on one rank only. */
myr_status myr_box_domains_check(const myr_simulation *s);

/* Refuses several ranks, for kinds of motion that run on one. */
myr_status myr_box_domains_refuse(myr_simulation *s);

/* Divides the box among the ranks if there are several and it is undivided: the engine continues with the particles of
 * this rank's domain. */
myr_status myr_box_domains_open(myr_simulation *s);
void myr_box_domains_close(myr_simulation *s);

/* Sends every particle to the rank that owns its row (myr_ranks_first), so that a caller can take the particles out of
 * the engine; the engine must be closed afterwards. */
myr_status myr_box_domains_home(myr_simulation *s);

/* Passes the options of the simulation to the engine. */
void myr_box_domains_choose(myr_simulation *s);

/* Gathers block k of the engine with the particles of all ranks at rank 0; *bytes is its size, on all ranks. */
myr_status myr_box_domains_gather(myr_simulation *s, const void *block, size_t size, void **all, size_t *bytes);

/* myr_box_domains_clock records the time at the start of steps and after each step; myr_box_domains_times returns the
 * times since its last call: the first call starts the recording. */
void myr_box_domains_clock(myr_simulation *s, int is_step);
myr_status myr_box_domains_times(myr_simulation *s, myr_rank_times *times);

/* Current statistics of all ranks. */
myr_status myr_box_domains_report(myr_simulation *s, myr_rank_report *report);

#endif
