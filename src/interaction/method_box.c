/* method_box.c - periodic boxes of an interaction. */
#include <math.h>

#include "interaction/interaction.h"
#include "interaction/method.h"

myr_status myr_interaction_set_box(myr_interaction *interaction, const double edges[3], const double origin[3])
{
    if (!interaction || !edges)
        return MYR_ERROR_ARGUMENT;
    double edge = 0;
    for (int axis = 0; axis < 3; axis++) {
        if (!(edges[axis] >= 0) || !isfinite(edges[axis]) || (origin && !isfinite(origin[axis])))
            return myr_context_fail(interaction->context, MYR_ERROR_VALUE,
                                    "edge %g along %c: an edge of a box is a positive length, or 0 where it is open",
                                    edges[axis], "xyz"[axis]);
        if (edge > 0 && edges[axis] > 0 && edges[axis] != edge)
            return myr_context_fail(interaction->context, MYR_ERROR_VALUE,
                                    "the box is %g long along one axis and %g along %c: periodic axes of method fmm "
                                    "must be equally long",
                                    edge, edges[axis], "xyz"[axis]);
        edge = fmax(edge, edges[axis]);
    }
    for (int axis = 0; axis < 3; axis++) {
        interaction->method_state.box[axis] = edges[axis];
        interaction->method_state.origin[axis] = origin ? origin[axis] : 0;
    }
    myr_method_forget(interaction);
    return MYR_OK;
}

myr_status myr_interaction_box(const myr_interaction *interaction, double edges[3], double origin[3])
{
    if (!interaction || !edges || !origin)
        return MYR_ERROR_ARGUMENT;
    for (int axis = 0; axis < 3; axis++) {
        edges[axis] = interaction->method_state.box[axis];
        origin[axis] = interaction->method_state.origin[axis];
    }
    return MYR_OK;
}

int myr_method_has_box(const myr_interaction *f)
{
    const double *box = f->method_state.box;
    return box[0] > 0 || box[1] > 0 || box[2] > 0;
}

void myr_method_choose_box(const myr_interaction *f, myr_fmm_settings *s)
{
    const myr_method_state *m = &f->method_state;
    for (int axis = 0; axis < 3; axis++) {
        s->periodic[axis] = m->box[axis] > 0;
        s->period = fmax(s->period, m->box[axis]);
        s->origin[axis] = m->origin[axis];
    }
    s->images = (int)m->asked[MYR_METHOD_images] / 2;
}

myr_status myr_method_check_box(const myr_interaction *f)
{
    const double images = f->method_state.asked[MYR_METHOD_images];
    if (myr_method_has_box(f) && f->method != MYR_METHOD_IS_FMM)
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "method %s does not sum the images of a periodic box; use method fmm",
                                myr_catalogue_method_name(f->method));
    if (images > 0 && !myr_method_has_box(f))
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "images = %g are of a periodic box, and there is none: set its edges, or no images",
                                images);
    return MYR_OK;
}
