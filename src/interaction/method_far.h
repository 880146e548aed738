/* method_far.h - what the methods with a far field (fmm, tree, pseudo) share: what they refuse, how much better than
 * the tolerance they must be, and the error that they are found to have. */
#ifndef MYR_INTERACTION_METHOD_FAR_H
#define MYR_INTERACTION_METHOD_FAR_H

#include "interaction/interaction.h"

/* Parameters that every one of these methods takes, for myr_method_table.takes. */
#define MYR_METHOD_FAR_TAKES                                                                                           \
    (1u << MYR_METHOD_tolerance | 1u << MYR_METHOD_order | 1u << MYR_METHOD_images | 1u << MYR_METHOD_leaf)

/* Whether kernel, arithmetic, exclusions and tolerance go with a far field. */
myr_status myr_method_far_check(const myr_interaction *f, const myr_unit *unit);

/* The same for methods whose cells are points with strengths (tree, pseudo). */
myr_status myr_method_far_check_points(const myr_interaction *f, const myr_unit *unit);

/* Whether the kernel stretches the target's vortex strength: what spheres of pseudo-particles hold is the velocity, a
 * field of the place alone. */
int myr_method_far_stretches(const myr_unit *unit);

/* Distance below which a source does not act like 1/r at all: spline softening, cores of vortices. Plummer softening
 * never ends, and is looked after by the methods (tree, pseudo). */
double myr_method_far_reach(const myr_interaction *f, const myr_direct *problem, double tolerance);

/* The softening length of the kernel; 0 where it has none. */
double myr_method_far_softening(const myr_interaction *f);

/* Keeps what the last run did; the measured error stays what it was. part: names of the
 * parts of an evaluation, with a null at the end; seconds: of each part. */
void myr_method_far_keep(myr_interaction *f, const myr_far_report *report, const char *const *part,
                         const double *seconds);

/* myr_method_table.report: measures the error of a result against direct sums on a sample of its targets, and warns
 * where it is larger than asked. */
myr_status myr_method_far_report(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                                 const myr_direct_result *result);

#endif
