/* fmm_choose.h - what the fast multipole method needs for a tolerance. */
#ifndef MYR_METHOD_FMM_FMM_CHOOSE_H
#define MYR_METHOD_FMM_FMM_CHOOSE_H

#include "method/fmm/fmm.h"

/* The smallest tolerance that an arithmetic reaches: bytes of its reals, and reals of a position's component. */
double myr_fmm_floor(int real_bytes, int coord_lanes);

/* Fills what is 0 in the settings: order, separation, leaf; and the precision of the expansions. mixed_signs: sources
 * of both signs. in_floats: the arithmetic of the pairs is float. */
void myr_fmm_choose(double tolerance, int mixed_signs, int in_floats, myr_fmm_settings *settings);

#endif
