/* fmm.h - the fast multipole method: near sources one by one, through the tile loops, and far ones through expansions
 * (paper 004, section 3).
 *
 * Cells of one level that are well separated while their parents are not meet by translation; leaves of different sizes
 * meet through the finer cell's multipoles or the coarser leaf's particles. Results do not depend on the number of
 * threads: every sum is made by one thread in a fixed order. */
#ifndef MYR_METHOD_FMM_H
#define MYR_METHOD_FMM_H

#include "backend/backend.h"
#include "method/direct.h"
#include "method/tree/images.h"

typedef struct {
    int order;      /* degrees of the expansions, 1 to MYR_EXPANSION_ORDER */
    int separation; /* cells of one level this near, or nearer, are not expanded: 1 or 2 */
    int64_t leaf;   /* particles in a leaf of a uniform set, on average */
    int in_double;  /* expansions in doubles */
    double relax;   /* see myr_expansion_options */
    double reach;   /* pairs that are nearer than this are summed one by one (softening) */
    myr_images box;
    int images;      /* on each side of a periodic axis; 0 = all */
    int only_images; /* those that are not near the box, and nothing else */
} myr_fmm_settings;

/* Parts of an evaluation, in the order in which they are done. */
typedef enum {
#define MYR_FMM_PART(name, text) MYR_FMM_##name,
#include "method/fmm/fmm_parts.def"
#undef MYR_FMM_PART
    MYR_FMM_PARTS
} myr_fmm_part;

/* What an evaluation was. */
typedef struct {
    double seconds[MYR_FMM_PARTS];
    int64_t cells, leaves, levels, largest;         /* largest: most sources in a leaf */
    int64_t pairs;                                  /* of particles, summed one by one */
    int64_t translations, far_targets, far_sources; /* cells to cells; targets of M2P; sources of P2L */
    double operations;                              /* multiply-adds of the translations */
    int64_t bytes;                                  /* of its own arrays, at most */
} myr_fmm_report;

typedef struct myr_fmm myr_fmm;

/* Makes the operators for an instruction set. */
myr_status myr_fmm_create(myr_context *context, const myr_isa_table *isa, const myr_fmm_settings *settings,
                          myr_fmm **fmm);
void myr_fmm_destroy(myr_fmm **fmm);

/* Sets what the operators do not depend on: leaf, reach, origin, period. */
void myr_fmm_set(myr_fmm *fmm, const myr_fmm_settings *settings);

/* Whether its operators are for these. */
int myr_fmm_matches(const myr_fmm *fmm, const myr_isa_table *isa, const myr_fmm_settings *settings);

/* Evaluates, as myr_direct_run does; result->net stays 0. With the loop `range` it gives the sizes of the contributions
 * that are summed one by one. The problem's kernel must be in expansions.def, and have no exclusions. */
myr_status myr_fmm_run(myr_fmm *fmm, const myr_direct *problem, myr_direct_result *result, myr_fmm_report *report);

#endif
