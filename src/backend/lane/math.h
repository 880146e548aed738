/* math.h - exp, erf, sin, cos of a lane. See lane.h. */
#ifndef MYR_LANE_MATH_H
#define MYR_LANE_MATH_H
#endif
