/* fmm.h - fast multipole method: near sources are summed pair by pair through the tile loops, far sources through
 * expansions (paper 004, section 3).
 *
 * Well-separated cells of one level whose parents are not well separated interact by translation (M2L). Leaves of
 * different sizes interact through the finer cell's multipoles (M2P) or the coarser leaf's particles (P2L). Results do
 * not depend on the number of threads: every sum is computed by one thread in a fixed order. */
#ifndef MYR_METHOD_FMM_H
#define MYR_METHOD_FMM_H

#include <myriad/ranks.h>

#include "backend/backend.h"
#include "method/direct.h"
#include "method/tree/images.h"

struct myr_cuda_motion;
struct myr_cuda_motion_set;

typedef struct {
    int order;      /* number of degrees of the expansions, 1 to MYR_EXPANSION_ORDER */
    int separation; /* cells of one level at most this many cells apart are summed without expansions: 1 or 2 */
    int64_t leaf;   /* mean number of particles per leaf for a uniform distribution */
    int in_double;  /* 1 = expansions in double, 0 = in float */
    int portable;   /* 1 = expansions with the same bits on every machine (backend/expansion_order.h) */
    double relax;   /* as in myr_expansion_options */
    double reach;   /* distance below which pairs are summed without expansions (softening, vortex cores) */
    myr_images box;
    int images;      /* number of periodic images on each side of a periodic axis; 0 = infinitely many */
    int only_images; /* 1 = evaluate far images only */
} myr_fmm_settings;

/* Parts of an evaluation, in the order of execution. */
typedef enum {
#define MYR_FMM_PART(name, text) MYR_FMM_##name,
#include "method/fmm/fmm_parts.def"
#undef MYR_FMM_PART
    MYR_FMM_PARTS
} myr_fmm_part;

/* Statistics of an evaluation; seconds are wall-clock times by part. */
typedef struct {
    double seconds[MYR_FMM_PARTS];
    /* numbers of cells, leaves and levels; largest number of sources in a leaf */
    int64_t cells, leaves, levels, largest;
    int64_t pairs; /* number of particle pairs summed directly */
    /* numbers of M2L translations, of targets of M2P, of sources of P2L */
    int64_t translations, far_targets, far_sources;
    double operations;          /* multiply-adds of the M2L translations */
    int64_t bytes;              /* peak memory of the method's own arrays */
    myr_divided_report divided; /* if the particles were divided among ranks; else zeros */
} myr_fmm_report;

typedef struct myr_fmm myr_fmm;

/* Creates the operators for an instruction set. */
myr_status myr_fmm_create(myr_context *context, const myr_isa_table *isa, const myr_fmm_settings *settings,
                          myr_fmm **fmm);
void myr_fmm_destroy(myr_fmm **fmm);

/* Changes the settings that the operators do not depend on: leaf, reach, origin, period. */
void myr_fmm_set(myr_fmm *fmm, const myr_fmm_settings *settings);

/* Returns 1 if the operators can be reused with these settings. */
int myr_fmm_matches(const myr_fmm *fmm, const myr_isa_table *isa, const myr_fmm_settings *settings);

/* Refuses what a GPU cannot evaluate by this method, with a message. */
myr_status myr_fmm_gpu_check(myr_context *context, const char *kernel);

/* Keeps the particles of a problem on a GPU for an integrator; see myr_method_table.open_motion. */
myr_status myr_fmm_gpu_motion(myr_context *context, const myr_isa_table *isa, const myr_fmm_settings *settings,
                              const myr_direct *problem, const struct myr_cuda_motion_set *set,
                              struct myr_cuda_motion **motion);

/* Evaluates a problem like myr_direct_run; result->net stays 0. With the loop `range` the result holds the sizes of the
 * contributions that are summed pair by pair. The problem's kernel must be listed in expansions.def and have no
 * exclusions. */
myr_status myr_fmm_run(myr_fmm *fmm, const myr_direct *problem, myr_direct_result *result, myr_fmm_report *report);

#endif
