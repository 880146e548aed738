/* stops.h - AMUSE's stopping conditions: collisions, bodies outside a box, a number of steps, a time on the clock. */
#ifndef AMUSE_STOPS_H
#define AMUSE_STOPS_H

#include "bodies.h"

/* Tells AMUSE which conditions there are. */
void amuse_stops_offer(void);

/* Begins a motion: no condition is met yet. */
void amuse_stops_begin(void);

/* 1 if the user has enabled a condition, for which bodies are looked at after every step. */
int amuse_stops_enabled(void);

/* Looks at the bodies after a step, and tells AMUSE what it finds. Gives 1 if a condition is met. */
int amuse_stops_met(const amuse_bodies *bodies);

#endif
