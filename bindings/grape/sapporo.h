/* sapporo.h - the calls of Sapporo, the library by which codes for GRAPE-6 run on GPUs: those of g6.h and g6_fortran.h,
 * and the ones below. Link with -lsapporo (pkg-config sapporo_light). docs/codes.md says what differs from Sapporo. */
#ifndef SAPPORO_H
#define SAPPORO_H

#include "g6.h"
#include "g6_fortran.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of devices that a program may open: that of the GPUs in use, or 1 where the processor computes. */
int get_device_count(void);

/* Sends written j-particles to the GPU now. Without effect: they are sent when they are needed. */
void force_j_particle_send(void);

#ifdef __cplusplus
}
#endif

#endif
