/* upkeep.h - rules for re-initialisation and removal of weak vortex elements, in a checkpoint. */
#ifndef MYR_SIMULATION_VORTEX_UPKEEP_H
#define MYR_SIMULATION_VORTEX_UPKEEP_H

#include "simulation/motions.h"

/* myr_upkeep_save writes the line of a checkpoint's text with rules and state, if there are any rules; myr_upkeep_load
 * reads what follows its key, in two pieces as passed to load_line of motions.h. */
void myr_upkeep_save(const myr_simulation *s, myr_lines *lines);
myr_status myr_upkeep_load(myr_simulation *s, const char *first, const char *rest);

#endif
