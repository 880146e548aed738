/* cell_moments.c - pseudo-particles of cells; see cell_moments.h. */
#include "method/tree/cell_moments.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cell_axes.h"
#include "core/memory.h"

myr_cell_moments_form myr_cell_moments_choose(int order, int one_sign, int softened)
{
    if (!one_sign || order > 2)
        return MYR_CELL_MOMENTS_SPHERE;
    return order == 1 ? MYR_CELL_MOMENTS_ONE : softened ? MYR_CELL_MOMENTS_FOUR : MYR_CELL_MOMENTS_THREE;
}

int myr_cell_moments_points(myr_cell_moments_form form, int order)
{
    return form == MYR_CELL_MOMENTS_ONE     ? 1
           : form == MYR_CELL_MOMENTS_THREE ? 3
           : form == MYR_CELL_MOMENTS_FOUR  ? 4
                                            : myr_spherical_design_points(order);
}

int myr_cell_moments_one_sign(const myr_direct *problem)
{
    const myr_unit *u = problem->unit;
    const void *strength = problem->source.component[u->desc->coords * u->coord_lanes + myr_kernel_strength(u->desc)];
    int above = 0, below = 0;
    for (int64_t i = 0; i < problem->source.n; i++) {
        const double x = myr_ordered_problem_real(u, strength, i);
        above |= x > 0;
        below |= x < 0;
    }
    return myr_kernel_strengths(u->desc) == 1 && !(above && below);
}

myr_status myr_cell_moments_make(myr_context *context, const myr_octree *tree, myr_cell_moments_form form, int order,
                                 int lattice, myr_cell_moments *outer)
{
    memset(outer, 0, sizeof *outer);
    outer->form = form;
    outer->order = order;
    outer->lattice = lattice;
    outer->points = myr_cell_moments_points(form, order);
    outer->tree = tree;
    if (form == MYR_CELL_MOMENTS_SPHERE)
        myr_sphere_values_make(order, &outer->sphere);
    outer->cell = myr_memory_zeros(tree->cells, sizeof *outer->cell);
    outer->first = myr_memory_zeros(tree->cells, sizeof *outer->first);
    if (!outer->cell || !outer->first) {
        myr_cell_moments_free(outer);
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the moments of %d cells", (int)tree->cells);
    }
    for (int32_t c = 0; c < tree->cells; c++) {
        outer->first[c] = tree->cell[c].sources > outer->points ? tree->sources + outer->all : -1;
        outer->all += outer->first[c] >= 0 ? outer->points : 0;
    }
    return MYR_OK;
}

int64_t myr_cell_moments_bytes(const myr_cell_moments *outer, int strengths)
{
    const int64_t cells = outer->tree->cells, values = outer->all / outer->points * strengths * outer->sphere.padded;
    return cells * (int64_t)(sizeof *outer->cell + sizeof *outer->first + sizeof(myr_cell)) +
           values * (int64_t)sizeof *outer->value;
}

void myr_cell_moments_free(myr_cell_moments *outer)
{
    free(outer->cell);
    free(outer->first);
    free(outer->value);
    memset(outer, 0, sizeof *outer);
}

/* Contribution to the moments of a cell: a source, or a child cell. */
typedef struct {
    double mass, core, place[3], velocity[3], strength[MYR_CELL_MOMENTS_STRENGTHS];
    const myr_cell_moments_cell *child; /* child cell; null if the contribution is a source */
} outer_part;

typedef struct {
    myr_cell_moments *outer;
    myr_ordered_problem *sorted;
    int velocity; /* lane component of the sources' velocity along x, or -1 if sources have no velocity */
    int core;     /* lane component of the sources' core, or -1 if sources have no core */
} outer_work;

static double part_size(const outer_work *w, int64_t source)
{
    const double *s = w->sorted->strength_of + source * w->sorted->strengths;
    double square = 0;
    for (int c = 0; c < w->sorted->strengths; c++)
        square += s[c] * s[c];
    return sqrt(square);
}

static outer_part part_of_source(const outer_work *w, int64_t source)
{
    outer_part p = {.mass = part_size(w, source)};
    memcpy(p.place, w->sorted->place + 3 * source, sizeof p.place);
    for (int c = 0; c < w->sorted->strengths; c++)
        p.strength[c] = w->sorted->strength_of[source * w->sorted->strengths + c];
    for (int axis = 0; w->velocity >= 0 && axis < 3; axis++)
        p.velocity[axis] = myr_ordered_problem_real(w->sorted->problem.unit,
                                                    w->sorted->problem.source.component[w->velocity + axis], source);
    if (w->core >= 0)
        p.core = fabs(
            myr_ordered_problem_real(w->sorted->problem.unit, w->sorted->problem.source.component[w->core], source));
    return p;
}

static outer_part part_of_child(const outer_work *w, int32_t cell)
{
    outer_part p = {.child = &w->outer->cell[cell]};
    p.mass = p.child->size;
    p.core = p.child->core;
    memcpy(p.place, p.child->mean, sizeof p.place);
    memcpy(p.strength, p.child->net, sizeof p.strength);
    memcpy(p.velocity, p.child->velocity, sizeof p.velocity);
    return p;
}

static int64_t part_count(const outer_work *w, int32_t cell)
{
    const myr_cell *c = &w->outer->tree->cell[cell];
    return c->mask ? myr_octree_children(c) : c->sources;
}

static outer_part part_get(const outer_work *w, int32_t cell, int64_t k)
{
    const myr_cell *c = &w->outer->tree->cell[cell];
    return c->mask ? part_of_child(w, c->child + (int32_t)k) : part_of_source(w, c->source + k);
}

/* Centre of |strength| and its velocity; the cell's geometric centre if the strengths are 0. */
static void outer_centre(const outer_work *w, int32_t cell, int64_t parts)
{
    myr_cell_moments_cell *o = &w->outer->cell[cell];
    const myr_octree *tree = w->outer->tree;
    double first[3] = {0}, momentum[3] = {0}, middle[3];
    for (int axis = 0; axis < 3; axis++)
        middle[axis] = myr_octree_centre(tree, &tree->cell[cell], axis);
    for (int64_t k = 0; k < parts; k++) {
        const outer_part p = part_get(w, cell, k);
        o->size += p.mass;
        o->core = fmax(o->core, p.core);
        for (int c = 0; c < MYR_CELL_MOMENTS_STRENGTHS; c++)
            o->net[c] += p.strength[c];
        for (int axis = 0; axis < 3; axis++) {
            first[axis] += p.mass * (p.place[axis] - middle[axis]);
            momentum[axis] += p.mass * p.velocity[axis];
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        o->mean[axis] = middle[axis] + (o->size > 0 ? first[axis] / o->size : 0);
        o->centre[axis] = w->outer->lattice ? middle[axis] : o->mean[axis];
        o->velocity[axis] = o->size > 0 ? momentum[axis] / o->size : 0;
    }
}

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* Second moments, their rates of change, and the distance of the furthest source. */
static void outer_second(const outer_work *w, int32_t cell, int64_t parts)
{
    static const int row[6] = {0, 1, 2, 1, 0, 0}, column[6] = {0, 1, 2, 2, 2, 1};
    myr_cell_moments_cell *o = &w->outer->cell[cell];
    for (int64_t k = 0; k < parts; k++) {
        const outer_part p = part_get(w, cell, k);
        double d[3], v[3];
        for (int axis = 0; axis < 3; axis++) {
            d[axis] = p.place[axis] - o->mean[axis];
            v[axis] = p.velocity[axis] - o->velocity[axis];
        }
        for (int n = 0; n < 6; n++) {
            o->second[n] += p.mass * d[row[n]] * d[column[n]];
            o->change[n] += p.mass * (d[row[n]] * v[column[n]] + v[row[n]] * d[column[n]]);
        }
        const double *from = p.child ? p.child->centre : p.place;
        o->furthest = fmax(o->furthest, distance(from, o->centre) + (p.child ? p.child->furthest : 0));
        for (int n = 0; p.child && n < 6; n++) {
            o->second[n] += p.child->second[n];
            o->change[n] += p.child->change[n];
        }
    }
    const double side = myr_octree_side(w->outer->tree, &w->outer->tree->cell[cell]);
    o->radius =
        w->outer->lattice ? MYR_CELL_MOMENTS_LATTICE * side : fmax(MYR_CELL_MOMENTS_RADIUS * o->furthest, 1e-6 * side);
    const double off = distance(o->mean, o->centre);
    o->spread = o->size > 0 ? (o->second[0] + o->second[1] + o->second[2]) / o->size + off * off : 0;
}

/* One, three or four pseudo-particles in the principal axes of the second moments S. Four move with the symmetric
 * matrix A that gives the rate of change of S: A S + S A = S'. */
static void outer_compact(const outer_work *w, int32_t cell)
{
    const myr_cell_moments *outer = w->outer;
    const myr_cell_moments_cell *o = &outer->cell[cell];
    const double mass = (o->net[0] < 0 ? -o->size : o->size) / outer->points;
    cell_axes axes = {{0}, {{0}}};
    if (outer->points > 1 && o->size > 0)
        cell_axes_find(o->second, o->size, &axes);
    for (int k = 0; k < outer->points; k++) {
        double place[3], y[3], v[3] = {0};
        cell_axes_corner(&axes, outer->points, k, y);
        if (w->velocity >= 0 && outer->points == 4)
            cell_axes_turn(&axes, o->change, o->size, y, v);
        for (int axis = 0; axis < 3; axis++) {
            place[axis] = o->centre[axis];
            for (int a = 0; a < 3; a++)
                place[axis] += axes.vector[a][axis] * y[a];
        }
        myr_ordered_problem_put_source(w->sorted, outer->first[cell] + k, place, &mass);
        for (int axis = 0; w->velocity >= 0 && axis < 3; axis++)
            myr_ordered_problem_put_field(w->sorted, outer->first[cell] + k, w->velocity + axis,
                                          o->velocity[axis] + v[axis]);
    }
}

static double *outer_value(const outer_work *w, int32_t cell)
{
    const int64_t slot = (w->outer->first[cell] - w->outer->tree->sources) / w->outer->points;
    return w->outer->value + slot * w->sorted->strengths * w->outer->sphere.padded;
}

/* Adds strengths at a position to the charges on a cell's sphere. */
static void outer_spread(const outer_work *w, int32_t cell, const double *place, const double *strength)
{
    const myr_cell_moments_cell *o = &w->outer->cell[cell];
    const double u[3] = {(place[0] - o->centre[0]) / o->radius, (place[1] - o->centre[1]) / o->radius,
                         (place[2] - o->centre[2]) / o->radius};
    myr_sphere_values_spread(&w->outer->sphere, u, w->sorted->strengths, strength, outer_value(w, cell));
}

/* Position and strengths of point k on a cell's sphere. */
static void outer_point(const outer_work *w, int32_t cell, int k, double *place, double *strength)
{
    const myr_cell_moments_cell *o = &w->outer->cell[cell];
    const myr_sphere_values *s = &w->outer->sphere;
    for (int axis = 0; axis < 3; axis++)
        place[axis] = o->centre[axis] + o->radius * s->x[axis][k];
    for (int c = 0; c < w->sorted->strengths; c++)
        strength[c] = outer_value(w, cell)[c * s->padded + k];
}

static void outer_on_sphere(const outer_work *w, int32_t cell)
{
    const myr_octree *tree = w->outer->tree;
    const myr_cell *c = &tree->cell[cell];
    double place[3], strength[MYR_SPHERE_VALUES_FIELDS];
    for (int32_t child = c->child; child < c->child + myr_octree_children(c); child++)
        for (int k = 0; w->outer->first[child] >= 0 && k < w->outer->points; k++) {
            outer_point(w, child, k, place, strength);
            outer_spread(w, cell, place, strength);
        }
    for (int64_t k = c->source; k < c->source + c->sources;) {
        int64_t skip = 0; /* number of sources in children that have spheres */
        for (int32_t child = c->child; child < c->child + myr_octree_children(c); child++)
            if (w->outer->first[child] >= 0 && k == tree->cell[child].source)
                skip = tree->cell[child].sources;
        if (!skip)
            outer_spread(w, cell, w->sorted->place + 3 * k, w->sorted->strength_of + k * w->sorted->strengths);
        k += skip ? skip : 1;
    }
    for (int k = 0; k < w->outer->points; k++) {
        outer_point(w, cell, k, place, strength);
        myr_ordered_problem_put_source(w->sorted, w->outer->first[cell] + k, place, strength);
    }
}

static void outer_fill_cell(const outer_work *w, int32_t cell)
{
    const int64_t parts = part_count(w, cell);
    outer_centre(w, cell, parts);
    outer_second(w, cell, parts);
    if (w->outer->first[cell] < 0)
        return;
    if (w->outer->form == MYR_CELL_MOMENTS_SPHERE)
        outer_on_sphere(w, cell);
    else
        outer_compact(w, cell);
}

myr_status myr_cell_moments_fill(myr_cell_moments *outer, myr_ordered_problem *sorted)
{
    const myr_octree *tree = outer->tree;
    const outer_work work = {outer, sorted, myr_ordered_problem_field(sorted->problem.unit, "velocity"),
                             myr_ordered_problem_field(sorted->problem.unit, "core")};
    const int threads = myr_context_threads(sorted->problem.context);
    (void)threads;
    if (outer->form == MYR_CELL_MOMENTS_SPHERE) {
        outer->value = myr_memory_zeros(outer->all / outer->points * sorted->strengths * outer->sphere.padded,
                                        sizeof *outer->value);
        if (!outer->value)
            return myr_context_fail(sorted->problem.context, MYR_ERROR_MEMORY, "no memory for %lld pseudo-particles",
                                    (long long)outer->all);
    }
    for (int level = tree->levels - 1; level >= 0; level--) {
#pragma omp parallel for num_threads(threads)                                                                          \
    schedule(dynamic, 16) if (tree->level[level + 1] - tree->level[level] > 64)
        for (int32_t c = tree->level[level]; c < tree->level[level + 1]; c++)
            outer_fill_cell(&work, c);
    }
    return MYR_OK;
}
