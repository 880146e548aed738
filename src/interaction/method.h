/* method.h - methods of an interaction: one table each, their parameters, and evaluation with the chosen method. */
#ifndef MYR_INTERACTION_METHOD_H
#define MYR_INTERACTION_METHOD_H

#include <myriad/catalogue.h>
#include <myriad/interaction.h>

#include "method/fmm/fmm.h"

enum { MYR_METHOD_ORDERS = 30 }; /* highest order of any method */

typedef enum {
#define MYR_METHOD_PARAMETER(name, value, lower, upper, text) MYR_METHOD_##name,
#include "interaction/method_parameters.def"
#undef MYR_METHOD_PARAMETER
    MYR_METHOD_PARAMETERS
} myr_method_parameter_id;

/* Table of a method. The functions receive the interaction whose method it is. */
typedef struct {
    myr_choice_info info;
    unsigned takes;  /* bit mask of the parameters of the method: bit 1u << MYR_METHOD_order for order, and so on */
    int every_pair;  /* 1 = all pairs go through the compiled loops, as exclusions and molecules require */
    int exact;       /* 1 = the sums are those of the direct method: no error to measure, net sums without rounding */
    int cells;       /* 1 = whole cells are sources in the loops over pairs, and contribute more than particles do */
    int images;      /* 1 = images of a periodic box are summed */
    int any_edges;   /* 1 = edges of a periodic box may differ */
    int on_gpu;      /* 1 = a GPU can run the method; 2 = only where backend cuda is asked for */
    int gpu_targets; /* 1 = on a GPU, too, targets may have other fields than the sources at their places */
    int orders;      /* highest order of the expansions; 0 = the method has none */
    int shares;      /* 1 = ranks can share the targets of an evaluation (myr_direct.share) */
    int near_units;  /* 1 = pairs of leaves go through the units of backend/near.h */
    /* Refuses choices and parameters that the method does not support, with a message; null = all are supported. */
    myr_status (*check)(const myr_interaction *f, const myr_unit *unit);
    /* Refuses choices that a GPU does not support with this method; null = all are supported. */
    myr_status (*check_gpu)(const myr_interaction *f, const myr_unit *unit);
    /* Fills method_state.used from the requested parameters, before the first run after a change; null = nothing to
     * choose. */
    myr_status (*choose)(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem);
    /* Evaluates a problem with any of the compiled loops. */
    myr_status (*run)(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                      myr_direct_result *result);
    /* Keeps the particles of a problem, whose targets are its sources, on the GPU for an integrator (motion_open of
     * cuda_plugin.h); MYR_ERROR_COMBINATION without a message = they cannot stay there. Null = none can. */
    myr_status (*open_motion)(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                              const struct myr_cuda_motion_set *set, struct myr_cuda_motion **motion);
    /* Changes method_state.used by what an error of `excess` tolerances requires, where the user has left that open;
     * returns 0 if there is nothing to change. Null = never. */
    int (*tighten)(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem, double excess);
    /* Tolerance that the settings in use keep by the tables; null = the one that was asked for. */
    double (*keeps)(const myr_interaction *f, const myr_direct *problem);
    /* Completes method_state.report by measurements on the result of a run; null = no report. */
    myr_status (*report)(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                         const myr_direct_result *result);
} myr_method_table;

#define MYR_METHOD(name) extern const myr_method_table myr_method_##name;
#include "interaction/methods.def"
#undef MYR_METHOD

/* State of an interaction's method. */
typedef struct {
    double requested[MYR_METHOD_PARAMETERS]; /* parameters set by the user; 0 = not set */
    unsigned given; /* bit k: requested[k] was set after the method was chosen, and the method must take it */
    double used[MYR_METHOD_PARAMETERS]; /* parameters in use; 0 = not chosen yet */
    double box[3], origin[3];           /* edges of a periodic box, 0 = open axis; lower corner of the box */
    double relax;                       /* chosen with the order (fmm); part of the tolerance to aim at (mesh) */
    int in_double;
    int best_effort; /* 1 = a tolerance that cannot be kept is approached, neither refused nor warned about */
    int known;       /* 1 = `used` is filled */
    int raises;      /* how often the present evaluation may still be repeated with a higher order */
    int raised; /* 1 = the last report has raised the order, or refined the mesh: the evaluation must be repeated */
    int raised_from;  /* order before the first raise of the present evaluation (mesh: 1); 0 = it was not raised */
    double part_from; /* the parameter `part` then */
    int64_t runs;     /* number of evaluations since `used` was filled, in this process */
    /* An error that is too large may change the settings in the first evaluation; in motions, where that must not
     * depend on the machine nor on restarts, in the first evaluation of a step that begins when MYR_GRID_EVALUATIONS
     * evaluations have gone by; elsewhere whenever the error is measured. */
    int64_t unjudged;                /* evaluations since one in which the settings could change */
    int in_motion;                   /* 1 = evaluations are those of steps */
    int is_due;                      /* 1 = the next evaluation is measured, and its settings may change */
    int judges;                      /* 1 = the settings of the present evaluation may change */
    int resumed;                     /* 1 = `used` is that of a checkpoint */
    int64_t looked;                  /* pairs tested by the last run of method neighbour */
    int warned;                      /* 1 = the warning that the error exceeds the tolerance was given */
    int warned_near;                 /* 1 = the warning that the far field saves little was given */
    myr_fmm *fmm;                    /* operators of the fmm, or of far images */
    struct myr_cells_gpu *cells_gpu; /* methods tree and pseudo on a GPU; null = not used yet */
    struct myr_method_mesh *mesh;    /* of method mesh; null = not used yet */
    myr_far_report report;           /* report of the last evaluation, with the latest measurements */
} myr_method_state;

/* Table of method k, in the order of methods.def; null past the end. */
const myr_method_table *myr_method_at(int k);

/* Table of the chosen method of an interaction. */
const myr_method_table *myr_method_of(const myr_interaction *f);

/* Index of a parameter, or -1; description of a parameter. */
int myr_method_parameter(const char *name);
const myr_parameter_info *myr_method_parameter_info(int k);

/* Sets a parameter; 0 lets it be chosen, except for the tolerance. */
myr_status myr_method_set(myr_interaction *f, int k, double value);

/* Called when the user chooses a method, even the present one: parameters set earlier that the method does not take are
 * kept for another method and ignored by this one. */
void myr_method_chosen(myr_interaction *f);

/* Value of a parameter: the value in use, or the requested value, or the default. */
double myr_method_get(const myr_interaction *f, int k);

/* Discards chosen parameters, after a change of something the choice depends on. */
void myr_method_forget(myr_interaction *f);

/* Frees the contents of method_state. */
void myr_method_free(myr_interaction *f);

/* Frees the state of method mesh and clears the pointer. */
void myr_method_mesh_destroy(struct myr_method_mesh **mesh);

/* Checks that the method is compatible with the other choices. */
myr_status myr_method_check(const myr_interaction *f, const myr_unit *unit);

/* Returns 1 if particles in a box are moved with neighbour lists (molecular.h) instead of evaluations of the
 * interaction: method neighbour with a kernel that has pair parameters or, with an integrator for boxes, one
 * that was written by a user. */
int myr_method_keeps_lists(const myr_interaction *f, int moves_in_box);

/* Chooses parameters left open by the user, from the particles of a problem; before the first run after a change. */
myr_status myr_method_choose(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem);

/* Runs the interaction's method over a problem, with any of the compiled loops. A few targets of many particles are
 * summed directly. */
myr_status myr_method_run(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                          myr_direct_result *result);

/* Pairs of particles that the last run of the problem evaluated one by one: all of them with direct sums, those that a
 * method leaves to sums otherwise. */
int64_t myr_method_pairs(const myr_interaction *f, const myr_direct *problem);

/* Called before each step of a motion. myr_method_is_due returns 1 if its first evaluation must be measured. */
void myr_method_begin_step(myr_interaction *f);
int myr_method_is_due(const myr_interaction *f);

/* Completes the report of a run, after the first evaluation and every 32nd: the error of a far field on a sample of the
 * targets, or the number of pairs within a cutoff. If the error exceeds the tolerance in an evaluation whose settings
 * may change, the order is raised and method_state.raised is 1: the evaluation must be repeated. Where that is not
 * enough there is a warning. */
myr_status myr_method_report(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                             const myr_direct_result *result);

/* Periodic boxes (method_box.c): returns 1 if there is a box; checks its compatibility; sets its parameters. */
int myr_method_has_box(const myr_interaction *f);
myr_status myr_method_check_box(const myr_interaction *f);
void myr_method_choose_box(const myr_interaction *f, const myr_direct *problem, myr_fmm_settings *settings);

/* Factor by which errors are larger in a box: with three periodic axes the field is that of the sources minus a uniform
 * background, which is smaller the more evenly the sources fill the box (measured: 2.4 for 3000 equal masses at
 * random). */
double myr_method_box_margin(const myr_interaction *f);

/* Warns, once, if sources differ from 1/r at distances at which images are assumed to follow it. */
void myr_method_warn_box(myr_interaction *f, double reach);

/* Box for methods that sum the near images themselves. */
void myr_method_near_images(const myr_interaction *f, const myr_direct *problem, myr_images *box);

/* The same with the contribution of the far images: *values is allocated,
 * the caller frees it. */
myr_status myr_method_images(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem, myr_images *box,
                             double **values);

/* Most exact sum in a periodic box: all pairs of near images directly, the other images better than the tolerance
 * requires. */
myr_status myr_method_sum_box(const myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                              myr_direct_result *result);

#endif
