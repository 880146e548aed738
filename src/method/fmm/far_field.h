/* far_field.h - far field of a kernel: the strengths of its sources that are expanded, the derivatives of the
 * expansions that are needed at a target, and the kernel outputs made from these derivatives. */
#ifndef MYR_METHOD_FMM_FAR_FIELD_H
#define MYR_METHOD_FMM_FAR_FIELD_H

#include "backend/job.h"

enum { MYR_FAR_FIELD_STRENGTHS = 4, MYR_FAR_FIELD_SERIES = 24, MYR_FAR_FIELD_SUMS = 16 };

/* One derivation step: series[to] += derivative of series[from] along an axis. */
typedef struct {
    int8_t to, from, axis;
} myr_far_field_step;

typedef struct {
    int8_t series; /* index of the series evaluated at the targets */
    int8_t depth;  /* number of derivatives the series contains */
} myr_far_field_sum;

typedef struct {
    const char *kernel;
    int strengths; /* number of expansions of a cell: series 0 .. strengths-1 */
    /* 1 = series strengths .. 2 strengths-1 are the negatives of the expansions: curls need differences */
    int negated;
    int series; /* number of series, derived series included */
    /* Degrees of the series beyond the requested order: each derivative loses one degree, and the last derivative must
     * keep the requested number. */
    int more;
    int steps, sums;
    const myr_far_field_step *step; /* [steps], executed in this order */
    const myr_far_field_sum *sum;   /* [sums]: series evaluated at the targets */
    /* [strengths]: fields of a source (position excluded) whose product is the strength; second = -1: one field only */
    const int8_t (*strength)[2];
    /* Adds the far field at a target to the kernel outputs, without the kernel's factor. field: fields of the target
     * other than the position; sum[sums]: values of the evaluated series. An output takes the sums in their order,
     * each times one factor, as on a GPU: portable arithmetic has the same bits there. */
    void (*add)(const double *field, const double *sum, double *output);
    double margin; /* error of the worst output relative to the error of a gradient */
    /* index of the source field (position excluded) to which the reach of a source is proportional; 0 = equal
     * reaches */
    int core;
    /* Distance below which a source differs from 1/r by more than the tolerance; the largest over all sources. */
    double (*reach)(const myr_direct *problem, double tolerance);
} myr_far_field;

/* Far fields of the vortex kernels (far_field_vortex.c). */
enum {
    MYR_FAR_FIELD_VORTEX_KERNELS = 5,
    /* vortex series: 6 to 8 are 4 pi times the velocity u, 9 + 3 a + b is the derivative d_b of u_a */
    MYR_FAR_FIELD_CURL = 6,
    MYR_FAR_FIELD_SLOPE = 9
};
extern const myr_far_field myr_far_field_vortex[MYR_FAR_FIELD_VORTEX_KERNELS];

/* Strengths q[strengths] of a source from its fields other than the position. */
static inline void myr_far_field_strengths(const myr_far_field *far, const double *field, double *q)
{
    for (int s = 0; s < far->strengths; s++)
        q[s] = field[far->strength[s][0]] * (far->strength[s][1] < 0 ? 1 : field[far->strength[s][1]]);
}

/* Far field of a kernel by name; null if the kernel has none. */
const myr_far_field *myr_far_field_find(const char *kernel);

#endif
