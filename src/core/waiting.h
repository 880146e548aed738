/* waiting.h - how threads wait for each other: spinning on a quiet machine, asleep on a crowded one.
 *
 * Threads that spin at the end of a parallel loop take the processor from the thread that they wait for when other
 * programs need the cores as well. Threads that sleep need tens of microseconds to wake up, which is longer than a step
 * of a small system. So the library measures, a few times per second, how long the calling thread was ready to run but
 * had no processor, and decides by that. */
#ifndef MYR_CORE_WAITING_H
#define MYR_CORE_WAITING_H

#include "core/context.h"

/* What is known of the crowd on the machine. Times are in seconds on the clock of myr_timer_now. */
typedef struct {
    double since;    /* time of the last measurement */
    double delay;    /* time that the thread had waited for a processor, from its start to the last measurement */
    double last;     /* last measurement that found other programs on the cores */
    double released; /* last time that the machine became quiet */
    double patience; /* how long the machine must be quiet before threads spin again */
    int crowded;
} myr_waiting_record;

/* Takes a measurement into the record: at time `now` the thread has waited `delay` seconds for a processor since its
 * start. Returns 1 if the machine is crowded, 0 if it is quiet. */
int myr_waiting_judge(myr_waiting_record *record, double now, double delay);

/* Measures if the last measurement is old enough, and lets threads spin or sleep accordingly. To be called by the
 * thread that opens parallel regions, before an evaluation or a step. Does nothing with one thread, and where the
 * system does not tell how long a thread waited. */
void myr_waiting_look(myr_context *context);

/* The number of threads, from 1 to `most`, for a parallel region that takes one thread `seconds`: each thread gets more
 * work than it costs to wait for it, which depends on how threads wait. */
int myr_waiting_threads(const myr_context *context, int most, double seconds);

/* 1 if threads sleep while they wait, 0 if they spin. */
int myr_waiting_asleep(const myr_context *context);

/* Lets threads sleep while they wait (1) or spin (0), until the next measurement says otherwise. Threads of OpenMP
 * libraries other than GCC's wait as that library does. */
void myr_waiting_set(myr_context *context, int asleep);

#endif
