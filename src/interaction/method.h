/* method.h - the methods of an interaction: their parameters, what is chosen for a tolerance, running them, and the
 * error that they make, measured against direct sums. */
#ifndef MYR_INTERACTION_METHOD_H
#define MYR_INTERACTION_METHOD_H

#include <myriad/catalogue.h>
#include <myriad/interaction.h>

#include "method/fmm/fmm.h"

typedef enum {
#define MYR_METHOD_PARAMETER(name, value, lower, upper, methods, text) MYR_METHOD_##name,
#include "interaction/method_parameters.def"
#undef MYR_METHOD_PARAMETER
    MYR_METHOD_PARAMETERS
} myr_method_parameter_id;

/* The methods, in the order of the catalogue. */
typedef enum {
    MYR_METHOD_IS_DIRECT,
    MYR_METHOD_IS_FMM,
    MYR_METHOD_IS_TREE,
    MYR_METHOD_IS_PSEUDO,
    MYR_METHOD_IS_NEIGHBOUR
} myr_method_id;

/* What an interaction keeps for its method. */
typedef struct {
    double asked[MYR_METHOD_PARAMETERS]; /* 0 = not set */
    double used[MYR_METHOD_PARAMETERS];  /* what evaluations go by; 0 = not chosen yet */
    double box[3], origin[3];            /* edges of a periodic box, 0 = open, and its lower corner */
    double relax;                        /* chosen with the order (fmm) */
    int in_double;
    int known;    /* `used` is filled */
    int64_t runs; /* since then */
    int warned, warned_near;
    myr_fmm *fmm;
    myr_far_report report;
} myr_method_state;

/* Index of a parameter, or -1; its description. */
int myr_method_parameter(const char *name);
const myr_parameter_info *myr_method_parameter_info(int k);

/* Sets one; 0 lets it be chosen, except for the tolerance. */
myr_status myr_method_set(myr_interaction *f, int k, double value);

/* Its value: what is used, or was asked for, or the default. */
double myr_method_get(const myr_interaction *f, int k);

/* Forgets what was chosen: something that it depends on has changed. */
void myr_method_forget(myr_interaction *f);

/* Frees everything. */
void myr_method_free(myr_interaction *f);

/* Whether the method goes with the other choices. */
myr_status myr_method_check(const myr_interaction *f, const myr_unit *unit);

/* Runs the interaction's method over a problem; with any of the compiled loops. */
myr_status myr_method_run(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                          myr_direct_result *result);

/* The tree code and the pseudo-particle method (method_lists.c): whether they go with the kernel and the parameters,
 * and running them. */
myr_status myr_method_check_lists(const myr_interaction *f, const myr_unit *unit);
myr_status myr_method_run_lists(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                                myr_direct_result *result);

/* Periodic boxes (method_box.c): whether there is one, whether it goes with the rest, and what it sets. */
int myr_method_has_box(const myr_interaction *f);
myr_status myr_method_check_box(const myr_interaction *f);
void myr_method_choose_box(const myr_interaction *f, myr_fmm_settings *settings);

/* How much larger errors are in it: along three axes what acts is what is left of the sources beside a background, the
 * smaller the more evenly they fill the box (measured: 2.4 for 3000 equal masses at random). */
double myr_method_box_margin(const myr_interaction *f);

/* Says so, once, where sources do not act like 1/r at distances of images that are taken to. */
void myr_method_warn_box(myr_interaction *f, double reach);

/* The box for methods that sum its near images themselves, with what the others add: values, to be freed. */
myr_status myr_method_images(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem, myr_images *box,
                             double **values);

/* Sums in a periodic box as exactly as it can be done: all pairs of near images one by one, the others better than the
 * tolerance asks for. */
myr_status myr_method_sum_box(const myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                              myr_direct_result *result);

/* Measures the error of a result that is there on a sample of its targets, now and then, and warns where it is larger
 * than asked. */
myr_status myr_method_measure(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                              const myr_direct_result *result);

#endif
