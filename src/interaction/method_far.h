/* method_far.h - common parts of the methods with a far field (fmm, tree, pseudo): refused choices, required margin
 * below the tolerance, and measured error. */
#ifndef MYR_INTERACTION_METHOD_FAR_H
#define MYR_INTERACTION_METHOD_FAR_H

#include "interaction/interaction.h"

/* Parameters common to these methods, for myr_method_table.takes. */
#define MYR_METHOD_FAR_TAKES                                                                                           \
    (1u << MYR_METHOD_tolerance | 1u << MYR_METHOD_order | 1u << MYR_METHOD_images | 1u << MYR_METHOD_leaf)

/* Checks that kernel, arithmetic, exclusions and tolerance are compatible with a far field. */
myr_status myr_method_far_check(const myr_interaction *f, const myr_unit *unit);

/* The same check for methods whose cells are points with strengths (tree, pseudo). */
myr_status myr_method_far_check_points(const myr_interaction *f, const myr_unit *unit);

/* Refuses what these methods cannot do on a GPU: myr_method_table.check_gpu. */
myr_status myr_method_far_check_cells(const myr_interaction *f, const myr_unit *unit);

/* Refuses a tolerance, if one was asked for without an order, below the smallest that the table of the method can keep.
 */
myr_status myr_method_far_check_least(const myr_interaction *f, double least);

/* Returns 1 if the kernel stretches the target's vortex strength: spheres of pseudo-particles hold the velocity, a
 * field that depends on the position only. */
int myr_method_far_stretches(const myr_unit *unit);

/* Distance below which a source does not act like 1/r: spline softening, vortex cores. Plummer softening has no such
 * distance and is treated by the methods (tree, pseudo). */
double myr_method_far_reach(const myr_interaction *f, const myr_direct *problem, double tolerance);

/* Softening length of the kernel; 0 if it has none. */
double myr_method_far_softening(const myr_interaction *f);

/* Stores the report of the last run; the measured error is kept. part: names of the parts of an evaluation, terminated
 * by null; seconds: time of each part. */
void myr_method_far_keep(myr_interaction *f, const myr_far_report *report, const char *const *part,
                         const double *seconds);

/* myr_method_table.tighten: raises an order that was chosen by what an error of `excess` tolerances requires. */
int myr_method_far_raise(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem, double excess);

/* myr_method_table.report: measures the error of a result against direct sums on a sample of its targets; if it exceeds
 * the tolerance, tightens the settings, or warns. */
myr_status myr_method_far_report(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                                 const myr_direct_result *result);

#endif
