/* contraction_probe.h - see contraction_probe.c. */
#ifndef MYR_CONTRACTION_PROBE_H
#define MYR_CONTRACTION_PROBE_H

typedef struct {
    double a, b, c;
} probe_numbers;

/* in: three numbers; out: a * b + c written with operators, and a + c as a rounded sum and what was lost. */
typedef void probe_fn(probe_numbers in, probe_numbers *out);

#ifdef PROBE
probe_fn PROBE;
#endif

#endif
