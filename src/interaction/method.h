/* method.h - the methods of an interaction: one table each, their parameters, and running the one that is chosen. */
#ifndef MYR_INTERACTION_METHOD_H
#define MYR_INTERACTION_METHOD_H

#include <myriad/catalogue.h>
#include <myriad/interaction.h>

#include "method/fmm/fmm.h"

typedef enum {
#define MYR_METHOD_PARAMETER(name, value, lower, upper, text) MYR_METHOD_##name,
#include "interaction/method_parameters.def"
#undef MYR_METHOD_PARAMETER
    MYR_METHOD_PARAMETERS
} myr_method_parameter_id;

/* What a method is and does. The functions get the interaction whose method it is. */
typedef struct {
    myr_choice_info info;
    unsigned takes; /* the parameters that the method has: bit 1u << MYR_METHOD_order for order, and so on */
    int every_pair; /* 1 = all pairs go through the compiled loops, as exclusions and molecules need it */
    int exact;      /* 1 = the sums are those of the direct method: no error to measure, net sums without rounding */
    int images;     /* 1 = images of a periodic box are summed */
    int on_gpu;     /* 1 = a GPU can run the method */
    int near_units; /* 1 = pairs of leaves go through the units of backend/near.h */
    /* Refuses choices and parameters that the method cannot serve, with a message; null = the method takes all. */
    myr_status (*check)(const myr_interaction *f, const myr_unit *unit);
    /* Fills method_state.used from what was asked for, before the first run after a change; null = nothing to choose.
     */
    myr_status (*choose)(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem);
    /* Evaluates a problem with any of the compiled loops. */
    myr_status (*run)(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                      myr_direct_result *result);
    /* Completes method_state.report by what is measured on the result of a run; null = there is no report. */
    myr_status (*report)(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                         const myr_direct_result *result);
} myr_method_table;

#define MYR_METHOD(name) extern const myr_method_table myr_method_##name;
#include "interaction/methods.def"
#undef MYR_METHOD

/* What an interaction keeps for its method. */
typedef struct {
    double asked[MYR_METHOD_PARAMETERS]; /* as the user set them; 0 = not set */
    double used[MYR_METHOD_PARAMETERS];  /* what evaluations go by; 0 = not chosen yet */
    double box[3], origin[3];            /* edges of a periodic box, 0 = open, and its lower corner */
    double relax;                        /* chosen with the order (fmm) */
    int in_double;
    int known;             /* 1 = `used` is filled */
    int64_t runs;          /* evaluations since `used` was filled */
    int64_t looked;        /* pairs that the last run of method neighbour looked at */
    int warned;            /* 1 = the user was told that the error exceeds the tolerance */
    int warned_near;       /* 1 = the user was told that the far field saves little */
    myr_fmm *fmm;          /* operators of the fmm, or of far images */
    myr_far_report report; /* of the last evaluation, with what was measured last */
} myr_method_state;

/* The table of method k, in the order of methods.def; null past the end. */
const myr_method_table *myr_method_at(int k);

/* The table of the method that an interaction has chosen. */
const myr_method_table *myr_method_of(const myr_interaction *f);

/* Index of a parameter, or -1; its description. */
int myr_method_parameter(const char *name);
const myr_parameter_info *myr_method_parameter_info(int k);

/* Sets a parameter; 0 lets it be chosen, except for the tolerance. */
myr_status myr_method_set(myr_interaction *f, int k, double value);

/* The value of a parameter: what is used, or was asked for, or the default. */
double myr_method_get(const myr_interaction *f, int k);

/* Forgets what was chosen: something that the choice depends on has changed. */
void myr_method_forget(myr_interaction *f);

/* Frees what method_state holds. */
void myr_method_free(myr_interaction *f);

/* Whether the method goes with the other choices. */
myr_status myr_method_check(const myr_interaction *f, const myr_unit *unit);

/* Whether particles in a box are moved by lists of neighbours (molecular.h), not by evaluations of the interaction:
 * method neighbour with a kernel that has parameters per pair of types. */
int myr_method_keeps_lists(const myr_interaction *f);

/* Chooses what the user left open, from the particles of a problem; before the first run after a change. */
myr_status myr_method_choose(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem);

/* Runs the interaction's method over a problem; with any of the compiled loops. A few targets of many particles are
 * summed directly. */
myr_status myr_method_run(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                          myr_direct_result *result);

/* Completes the report of a run, after the first evaluation and every 32nd: the error of a far field on a sample of the
 * targets, with a warning where it is larger than asked, or the pairs within a cutoff. */
myr_status myr_method_report(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                             const myr_direct_result *result);

/* Periodic boxes (method_box.c): whether there is one, whether it goes with the rest, and what it sets. */
int myr_method_has_box(const myr_interaction *f);
myr_status myr_method_check_box(const myr_interaction *f);
void myr_method_choose_box(const myr_interaction *f, myr_fmm_settings *settings);

/* How much larger errors are in a box: along three axes what acts is what is left of the sources beside a background,
 * the smaller the more evenly they fill the box (measured: 2.4 for 3000 equal masses at random). */
double myr_method_box_margin(const myr_interaction *f);

/* Warns, once, where sources do not act like 1/r at distances at which images are taken to. */
void myr_method_warn_box(myr_interaction *f, double reach);

/* The box for methods that sum its near images themselves, with what the far images add: values, to be freed. */
myr_status myr_method_images(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem, myr_images *box,
                             double **values);

/* Sums in a periodic box as exactly as it can be done: all pairs of near images one by one, the others better than the
 * tolerance asks for. */
myr_status myr_method_sum_box(const myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                              myr_direct_result *result);

#endif
