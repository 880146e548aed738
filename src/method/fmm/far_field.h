/* far_field.h - what the far field of a kernel is: which strengths of its sources are expanded, which derivatives of
 * the expansions are needed at a target, and how they make the kernel's outputs. */
#ifndef MYR_METHOD_FMM_FAR_FIELD_H
#define MYR_METHOD_FMM_FAR_FIELD_H

#include "backend/job.h"

enum { MYR_FAR_STRENGTHS = 4, MYR_FAR_SERIES = 24, MYR_FAR_SUMS = 16 };

/* series[to] += the derivative of series[from] along an axis. */
typedef struct {
    int8_t to, from, axis;
} myr_far_step;

typedef struct {
    int8_t series; /* which is summed at the targets */
    int8_t depth;  /* derivatives in it */
} myr_far_sum;

typedef struct {
    const char *kernel;
    int strengths; /* expansions of a cell: series 0 .. strengths-1 */
    int negated;   /* series strengths .. 2 strengths-1 are their negatives: curls need differences */
    int series;    /* with those that are derived from them */
    int more;      /* degrees of the series beyond the order that is asked for: each derivative loses one, and the last
                    * is to have as many as were asked for */
    int steps, sums;
    const myr_far_step *step; /* [steps], in this order */
    const myr_far_sum *sum;   /* [sums] */
    /* The strengths of a source from its fields beside the position. */
    void (*strength)(const double *field, double *q);
    /* Adds the far field at a target to its outputs (without the kernel's factor); field: of the target. */
    void (*add)(const double *field, const double *sum, double *output);
    double margin; /* how much larger the error of its worst output is than that of a gradient */
    int core; /* which of a source's fields beside the position its reach is proportional to; 0 = all reach as far */
    /* Sources nearer than this do not act like 1/r to within the tolerance; the widest. */
    double (*reach)(const myr_direct *problem, double tolerance);
} myr_far;

/* Those of the vortex kernels (far_field_vortex.c). */
enum {
    MYR_FAR_VORTEX_KERNELS = 5,
    MYR_FAR_CURL = 6, /* their series: 6 to 8 are 4 pi times the velocity, 9 + 3 a + b is d_b of component a of it */
    MYR_FAR_SLOPE = 9
};
extern const myr_far myr_far_vortex[MYR_FAR_VORTEX_KERNELS];

/* The far field of a kernel, or null. */
const myr_far *myr_far_find(const char *kernel);

#endif
