/* fmm_choose.h - settings of the fast multipole method for a tolerance. */
#ifndef MYR_METHOD_FMM_FMM_CHOOSE_H
#define MYR_METHOD_FMM_FMM_CHOOSE_H

#include "method/fmm/fmm.h"

/* Smallest tolerance an arithmetic can reach, given the bytes of its reals and the number of reals per coordinate. */
double myr_fmm_floor(int real_bytes, int coord_lanes);

/* Smallest error in the table of settings, that of the last row. */
double myr_fmm_least(int mixed_signs);

/* Fills the settings that are 0 (order, separation, leaf) and the precision of the expansions. mixed_signs: sources
 * have strengths of both signs. in_floats: the pair arithmetic is float. */
void myr_fmm_choose(double tolerance, int mixed_signs, int in_floats, myr_fmm_settings *settings);

#endif
