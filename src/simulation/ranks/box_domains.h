/* box_domains.h - particles in a box on several ranks: each has a domain of it. Every function is called by all ranks.
 */
#ifndef MYR_SIMULATION_RANKS_BOX_DOMAINS_H
#define MYR_SIMULATION_RANKS_BOX_DOMAINS_H

#include "io/checkpoint.h"
#include "simulation/simulation.h"

typedef struct myr_domains myr_domains;

/* Refuses what runs on one rank only. */
myr_status myr_domains_check(const myr_simulation *s);

/* Refuses several ranks, for kinds of motion that run on one. */
myr_status myr_domains_refuse(myr_simulation *s);

/* Divides the box among the ranks, where there are several and it has not been done: the engine goes on with the
 * particles of this rank's domain, wherever they were. */
myr_status myr_domains_open(myr_simulation *s);
void myr_domains_close(myr_simulation *s);

/* Sends every particle to the rank that its row is dealt out to (myr_ranks_first), for somebody who takes them out of
 * the engine, which is to be closed then. */
myr_status myr_domains_home(myr_simulation *s);

/* Takes the options of the simulation over. */
void myr_domains_choose(myr_simulation *s);

/* A block of the engine (its k-th) with the particles of all ranks, at rank 0; *bytes is their size, on all ranks. */
myr_status myr_domains_gather(myr_simulation *s, const void *block, size_t size, void **all, size_t *bytes);

/* Steps begin, or one has been made: notes what it took. And what steps have taken since this was last asked: the first
 * time, nothing has been noted. */
void myr_domains_clock(myr_simulation *s, int is_step);
myr_status myr_domains_times(myr_simulation *s, myr_rank_times *times);

/* What it is about now; of all ranks. */
myr_status myr_domains_report(myr_simulation *s, myr_rank_report *report);

#endif
