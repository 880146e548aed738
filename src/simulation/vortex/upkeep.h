/* upkeep.h - the rules that keep vortex elements fit, in a checkpoint. */
#ifndef MYR_SIMULATION_VORTEX_UPKEEP_H
#define MYR_SIMULATION_VORTEX_UPKEEP_H

#include "simulation/motions.h"

/* The line of a checkpoint's text with rules and state, where there are any rules; and what follows its key, in two
 * pieces as load_line of motions.h gets them. */
void myr_upkeep_save(const myr_simulation *s, myr_lines *lines);
myr_status myr_upkeep_load(myr_simulation *s, const char *first, const char *rest);

#endif
