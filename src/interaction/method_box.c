/* method_box.c - periodic boxes of an interaction. */
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "interaction/interaction.h"
#include "interaction/method.h"
#include "method/fmm/far_field.h"
#include "method/fmm/fmm_choose.h"
#include "method/tree/tree.h"

enum {
    IMAGES_LEAF = 1024, /* particles expanded together, if expansions serve far images only */
    /* factor by which the error of far images is smaller than the tolerance: it costs almost nothing */
    IMAGES_MARGIN = 10
};

/* Methods whose cells are cubes sum images of cubes only. */
static myr_status box_check_edges(const myr_interaction *f, const double edges[3])
{
    double edge = 0;
    for (int axis = 0; axis < 3; axis++) {
        if (edge > 0 && edges[axis] > 0 && edges[axis] != edge && !myr_method_of(f)->any_edges)
            return myr_context_fail(f->context, MYR_ERROR_VALUE,
                                    "the box is %g long along one axis and %g along %c: periodic axes must be equally "
                                    "long with method %s",
                                    edge, edges[axis], "xyz"[axis], myr_method_of(f) -> info.name);
        edge = fmax(edge, edges[axis]);
    }
    return MYR_OK;
}

myr_status myr_interaction_set_box(myr_interaction *interaction, const double edges[3], const double origin[3])
{
    if (!interaction || !edges)
        return MYR_ERROR_ARGUMENT;
    for (int axis = 0; axis < 3; axis++) {
        if (!(edges[axis] >= 0) || !isfinite(edges[axis]) || (origin && !isfinite(origin[axis])))
            return myr_context_fail(interaction->context, MYR_ERROR_VALUE,
                                    "edge %g along %c: an edge of a box is a positive length, or 0 where it is open",
                                    edges[axis], "xyz"[axis]);
    }
    const myr_status status = box_check_edges(interaction, edges);
    if (status)
        return status;
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

/* Distance, in eighths of the spacing, by which the faces of cells are moved away from sources on a mesh of `side`
 * points along an axis; 0 if the sources are not on a mesh. Sources on the faces of cells are the worst case of an
 * expansion, and of rounding: on flows of 16^3 elements the error of the stretching is 10 to 36 times that of sources
 * in the middle of the mesh's intervals. Counts do not depend on the order of the sources. */
static int box_mesh_offset(const myr_direct *problem, int axis, double origin, double spacing)
{
    enum { PARTS = 8, FAR = PARTS / 4 };
    const myr_unit *u = problem->unit;
    const void *x = problem->source.component[axis * u->coord_lanes];
    int64_t count[PARTS] = {0}, most = 0;
    int best = 0;
    for (int64_t i = 0; i < problem->source.n; i++) {
        const double at = u->real_bytes == (int)sizeof(float) ? (double)((const float *)x)[i] : ((const double *)x)[i];
        const double part = PARTS * (at - origin) / spacing;
        count[(int)(part - PARTS * floor(part / PARTS)) & (PARTS - 1)]++;
    }
    for (int k = 0; k < PARTS; k++) {
        int64_t far = 0; /* sources more than a quarter of the spacing away from a face at k */
        for (int b = FAR; b < PARTS - FAR; b++)
            far += count[(k + b) % PARTS];
        if (far > most) {
            most = far;
            best = k;
        }
    }
    return most >= problem->source.n - problem->source.n / 4 ? best : 0;
}

/* The sum over all images does not depend on the lower corner of a box that is periodic in three axes, so that cells
 * may begin anywhere. */
static void box_leave_mesh(const myr_direct *problem, myr_fmm_settings *s)
{
    const double side = round(cbrt((double)problem->source.n));
    if (s->images > 0 || side < 2 || !s->box.periodic[0] || !s->box.periodic[1] || !s->box.periodic[2])
        return;
    const double spacing = s->box.period / side;
    for (int axis = 0; axis < 3; axis++)
        s->box.origin[axis] += 0.125 * spacing * box_mesh_offset(problem, axis, s->box.origin[axis], spacing);
}

void myr_method_choose_box(const myr_interaction *f, const myr_direct *problem, myr_fmm_settings *s)
{
    const myr_method_state *m = &f->method_state;
    for (int axis = 0; axis < 3; axis++) {
        s->box.periodic[axis] = m->box[axis] > 0;
        s->box.period = fmax(s->box.period, m->box[axis]);
        s->box.origin[axis] = m->origin[axis];
    }
    s->images = (int)m->requested[MYR_METHOD_images] / 2;
    box_leave_mesh(problem, s);
}

double myr_method_box_margin(const myr_interaction *f)
{
    const double *box = f->method_state.box;
    return box[0] > 0 && box[1] > 0 && box[2] > 0 ? 3 : 1;
}

void myr_method_warn_box(myr_interaction *f, double reach)
{
    const double *box = f->method_state.box, edge = fmax(box[0], fmax(box[1], box[2]));
    if (f->method_state.warned_near || !(edge > 0) || !(reach > edge))
        return;
    f->method_state.warned_near = 1;
    myr_context_warn(f->context,
                     "softening or cores are felt up to a distance of %.3g, and images of the box of %.3g that are "
                     "further away than that act as if there were none: use a smaller one, or a larger tolerance",
                     reach, edge);
}

/* Contribution of the images that are not near the box, to a tolerance: *values is allocated, the caller frees it. */
static myr_status images_far(const myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                             double tolerance, myr_fmm **fmm, myr_images *box, double **values)
{
    const myr_unit *u = problem->unit;
    const int portable = u->arithmetic == MYR_ARITHMETIC_PORTABLE;
    myr_fmm_settings s = {.separation = 1, .leaf = IMAGES_LEAF, .only_images = 1, .portable = portable};
    myr_fmm_report report;
    myr_direct_result result = {.first_bad = -1};
    myr_method_choose_box(f, problem, &s);
    myr_fmm_choose(tolerance / (myr_far_field_find(u->desc->name)->margin * myr_method_box_margin(f) * IMAGES_MARGIN),
                   1, 0, &s);
    if (!myr_fmm_matches(*fmm, isa, &s)) {
        myr_fmm_destroy(fmm);
        const myr_status status = myr_fmm_create(f->context, isa, &s, fmm);
        if (status)
            return status;
    }
    myr_fmm_set(*fmm, &s);
    *values = myr_memory_zeros(problem->targets * u->outputs, sizeof **values);
    if (!*values)
        return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for the far images of %lld targets",
                                (long long)problem->targets);
    for (int k = 0; k < u->outputs; k++)
        result.value[k] = *values + k * problem->targets;
    myr_direct alone = *problem;
    alone.loops = &u->loops[portable ? MYR_ACC_fixed : MYR_ACC_double]; /* no pair is summed */
    alone.factor = 1;
    alone.share = NULL; /* another tree, of which every rank needs all targets */
    box->far = *values;
    return myr_fmm_run(*fmm, &alone, &result, &report);
}

/* Tolerance of the far images: that of the method, which a measured error may have made exacter than was asked for. */
static double images_tolerance(const myr_interaction *f, const myr_direct *problem)
{
    const double asked = myr_method_get(f, MYR_METHOD_tolerance);
    return f->method_state.known && myr_method_of(f)->keeps ? fmin(asked, myr_method_of(f)->keeps(f, problem)) : asked;
}

void myr_method_near_images(const myr_interaction *f, const myr_direct *problem, myr_images *box)
{
    myr_fmm_settings s = {.order = 0};
    myr_method_choose_box(f, problem, &s);
    *box = s.box;
}

myr_status myr_method_images(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem, myr_images *box,
                             double **values)
{
    const double tolerance = myr_method_get(f, MYR_METHOD_tolerance);
    myr_method_near_images(f, problem, box);
    *values = NULL;
    if (!myr_method_has_box(f) || problem->loops == &problem->unit->loops[MYR_ACC_range])
        return MYR_OK;
    myr_method_warn_box(f, myr_far_field_find(problem->unit->desc->name)->reach(problem, tolerance));
    const myr_isa_table *processor = isa->gpu ? myr_backend_best() : isa; /* it reads the same arrays */
    myr_direct here = *problem;
    here.unit = myr_kernel_registry_unit(f->context, f->kernel, processor, problem->unit->arithmetic);
    here.gpu = NULL;
    if (!here.unit)
        return MYR_ERROR_UNAVAILABLE;
    return images_far(f, processor, &here, images_tolerance(f, problem), &f->method_state.fmm, box, values);
}

/* The tree code with every cell opened sums every pair of the box and its near images. */
myr_status myr_method_sum_box(const myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                              myr_direct_result *result)
{
    myr_tree_options o = {.order = 1, .theta = 1e-9, .leaf = IMAGES_LEAF, .group = IMAGES_LEAF};
    myr_fmm_settings s = {.order = 0};
    myr_fmm *fmm = NULL;
    double *values = NULL;
    myr_method_choose_box(f, problem, &s);
    o.box = s.box;
    myr_status status = images_far(f, isa, problem, 0.1 * images_tolerance(f, problem), &fmm, &o.box, &values);
    if (!status)
        status = myr_tree_run(problem, &o, result, NULL);
    free(values);
    myr_fmm_destroy(&fmm);
    return status;
}

myr_status myr_method_check_box(const myr_interaction *f)
{
    const double images = f->method_state.requested[MYR_METHOD_images];
    if (myr_method_has_box(f) && !myr_method_of(f)->images)
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "method %s does not sum the images of a periodic box; use method fmm, tree or pseudo",
                                myr_method_of(f)->info.name);
    const myr_status status = box_check_edges(f, f->method_state.box);
    if (status)
        return status;
    if (fmod(images, 2) != 0)
        return myr_context_fail(f->context, MYR_ERROR_VALUE,
                                "images = %g: half of them are on each side of a box, so their number is even", images);
    if (images > 0 && !myr_method_has_box(f))
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "images = %g are of a periodic box, and there is none: set its edges, or no images",
                                images);
    return MYR_OK;
}
