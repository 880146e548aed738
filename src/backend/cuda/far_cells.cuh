/* far_cells.cuh - cells as pseudo-particles on a GPU: moments, spheres, and one, three or four particles, as
 * method/tree/cell_moments.c makes them. Pseudo-particles follow the particles in the records, so that they are sources
 * of the near loops like any other. Sums are in double, in an order that follows from the tree alone; in portable
 * arithmetic it is that of the processor. Compiled with far_tree.cuh. */
#ifndef MYR_BACKEND_CUDA_FAR_CELLS_CUH
#define MYR_BACKEND_CUDA_FAR_CELLS_CUH

#include "backend/cuda/far_cells_args.h"

#define CELL_WEIGHTS_FN FAR_FN
typedef double cell_number;
#include "backend/cell_weights.h"

/* --- records ------------------------------------------------------------------------------------------------------ */

FAR_FN double record_at(const myr_far_cells &a, int64_t i, int lane)
{
    const int64_t at = i * a.stride + lane;
    return a.real_bytes == 8 ? ((const double *)a.record)[at] : (double)((const float *)a.record)[at];
}

FAR_FN double place_at(const myr_far_cells &a, int64_t i, int axis)
{
    const double high = record_at(a, i, axis * a.coord_lanes);
    return a.coord_lanes == 2 ? high + record_at(a, i, axis * 2 + 1) : high;
}

FAR_FN void put_real(const myr_far_cells &a, int64_t i, int lane, double x)
{
    const int64_t at = i * a.stride + lane;
    if (a.real_bytes == 8)
        ((double *)a.record)[at] = x;
    else
        ((float *)a.record)[at] = (float)x;
}

/* Writes pseudo-particle k of a cell; its other fields become 0. */
FAR_FN int64_t put_pseudo(const myr_far_cells &a, int32_t cell, int k, const double *place, const double *strength)
{
    const int64_t i = a.n + (int64_t)cell * a.points + k;
    for (int lane = 0; lane < a.stride; lane++)
        put_real(a, i, lane, 0);
    for (int axis = 0; axis < 3; axis++) {
        put_real(a, i, axis * a.coord_lanes, place[axis]);
        if (a.coord_lanes == 2)
            put_real(a, i, axis * 2 + 1, place[axis] - (double)(float)place[axis]);
    }
    for (int s = 0; s < a.strengths; s++)
        put_real(a, i, a.strength + s, strength[s]);
    return i;
}

/* --- moments ------------------------------------------------------------------------------------------------------ */

FAR_FN double side_of(const myr_far_cells &a, int level)
{
    return a.lists.state->side * __longlong_as_double((long long)(1023 - level) << 52);
}

FAR_FN double middle_of(const myr_far_cells &a, const myr_far_cell &cell, int axis)
{
    const double part = __longlong_as_double((long long)(1023 - cell.level) << 52);
    return a.lists.state->origin[axis] + a.lists.state->side * (((double)cell.at[axis] + 0.5) * part);
}

FAR_FN double distance_of(const double *x, const double *y)
{
    return sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]));
}

/* Contribution to the moments of a cell: a source, or a child cell. */
struct cell_part {
    double mass, core, place[3], velocity[3], strength[CELL_STRENGTHS];
    const myr_far_moments *child; /* null = a source */
};

FAR_FN cell_part part_of_source(const myr_far_cells &a, int64_t i)
{
    cell_part p = {};
    for (int s = 0; s < CELL_STRENGTHS && s < a.strengths; s++) {
        p.strength[s] = record_at(a, i, a.strength + s);
        p.mass += p.strength[s] * p.strength[s];
    }
    p.mass = sqrt(p.mass);
    for (int axis = 0; axis < 3; axis++) {
        p.place[axis] = place_at(a, i, axis);
        p.velocity[axis] = a.velocity >= 0 ? record_at(a, i, a.velocity + axis) : 0;
    }
    p.core = a.core >= 0 ? fabs(record_at(a, i, a.core)) : 0;
    return p;
}

FAR_FN cell_part part_of(const myr_far_cells &a, const myr_far_cell &cell, int k)
{
    if (!cell.mask)
        return part_of_source(a, (int64_t)cell.first + k);
    const myr_far_moments *child = a.moments + cell.child + k;
    cell_part p = {};
    p.child = child;
    p.mass = child->size;
    p.core = child->core;
    for (int c = 0; c < 3; c++) {
        p.place[c] = child->mean[c];
        p.velocity[c] = child->velocity[c];
        p.strength[c] = child->net[c];
    }
    return p;
}

/* First part of a cell that a thread takes, and step to its next one. Portable sums are made by one of eight threads.
 */
FAR_FN int part_first(const myr_far_cells &a, int parts)
{
    const int me = threadIdx.x % 8;
    return a.ordered && me > 0 ? parts : me;
}

FAR_FN int part_step(const myr_far_cells &a)
{
    return a.ordered ? 1 : 8;
}

/* Sum, and largest value, over the eight threads that share a cell. */
FAR_FN double eight_sum(double x)
{
    for (int half = 4; half > 0; half /= 2)
        x += __shfl_xor_sync(~0u, x, half);
    return x;
}

FAR_FN double eight_most(double x)
{
    for (int half = 4; half > 0; half /= 2)
        x = fmax(x, __shfl_xor_sync(~0u, x, half));
    return x;
}

/* Centre of |strength| and its velocity; the cell's own centre if the strengths are 0. */
FAR_FN void moments_centre(const myr_far_cells &a, const myr_far_cell &cell, int parts, myr_far_moments &o)
{
    double first[3] = {0, 0, 0}, momentum[3] = {0, 0, 0}, middle[3];
    for (int axis = 0; axis < 3; axis++)
        middle[axis] = middle_of(a, cell, axis);
    for (int k = part_first(a, parts); k < parts; k += part_step(a)) {
        const cell_part p = part_of(a, cell, k);
        o.size += p.mass;
        o.core = fmax(o.core, p.core);
        for (int c = 0; c < 3; c++) {
            o.net[c] += p.strength[c];
            first[c] += p.mass * (p.place[c] - middle[c]);
            momentum[c] += p.mass * p.velocity[c];
        }
    }
    o.size = eight_sum(o.size);
    o.core = eight_most(o.core);
    for (int c = 0; c < 3; c++) {
        const double off = eight_sum(first[c]), moves = a.velocity >= 0 ? eight_sum(momentum[c]) : 0;
        o.net[c] = c < a.strengths ? eight_sum(o.net[c]) : 0;
        o.mean[c] = middle[c] + (o.size > 0 ? off / o.size : 0);
        o.centre[c] = a.lattice > 0 ? middle[c] : o.mean[c];
        o.velocity[c] = o.size > 0 ? moves / o.size : 0;
    }
}

/* Second moments, their rates of change, and the distance of the furthest source. */
FAR_FN void moments_second(const myr_far_cells &a, const myr_far_cell &cell, int parts, myr_far_moments &o)
{
    const int row[6] = {0, 1, 2, 1, 0, 0}, column[6] = {0, 1, 2, 2, 2, 1};
    for (int k = part_first(a, parts); k < parts; k += part_step(a)) {
        const cell_part p = part_of(a, cell, k);
        double d[3], v[3];
        for (int axis = 0; axis < 3; axis++) {
            d[axis] = p.place[axis] - o.mean[axis];
            v[axis] = p.velocity[axis] - o.velocity[axis];
        }
        for (int n = 0; n < 6; n++) {
            o.second[n] += p.mass * d[row[n]] * d[column[n]];
            o.change[n] += p.mass * (d[row[n]] * v[column[n]] + v[row[n]] * d[column[n]]);
        }
        for (int n = 0; p.child && n < 6; n++) {
            o.second[n] += p.child->second[n];
            o.change[n] += p.child->change[n];
        }
        o.furthest = fmax(o.furthest, distance_of(p.child ? p.child->centre : p.place, o.centre) +
                                          (p.child ? p.child->furthest : 0));
    }
    o.furthest = eight_most(o.furthest);
    for (int n = 0; n < 6; n++) {
        o.second[n] = eight_sum(o.second[n]);
        o.change[n] = a.velocity >= 0 ? eight_sum(o.change[n]) : 0;
    }
    const double side = side_of(a, cell.level), off = distance_of(o.mean, o.centre);
    o.radius = a.lattice > 0 ? a.lattice * side : fmax(a.fitted * o.furthest, 1e-6 * side);
    o.spread = o.size > 0 ? (o.second[0] + o.second[1] + o.second[2]) / o.size + off * off : 0;
}

/* Number of particles of a cell that act on others. */
FAR_FN int64_t moments_acting(const myr_far_cells &a, const myr_far_cell &cell)
{
    int64_t acting = cell.mask ? 0 : cell.acting;
    for (int k = 0; k < __popc(cell.mask); k++)
        acting += a.moments[cell.child + k].acting;
    return acting;
}

/* Moments of the cells of a level, from those of the next level: eight threads per cell. */
FAR_KERNEL(far_moments, myr_far_cells)
{
    const int32_t c = a.begin + (int32_t)(((int64_t)blockIdx.x * MYR_FAR_THREADS + threadIdx.x) / 8);
    const int is = c < a.end;
    const myr_far_cell cell = a.lists.cell[is ? c : a.begin];
    const int parts = !is ? 0 : cell.mask ? __popc(cell.mask) : cell.acting;
    myr_far_moments o = {};
    o.acting = moments_acting(a, cell);
    moments_centre(a, cell, parts, o);
    moments_second(a, cell, parts, o);
    if (is && threadIdx.x % 8 == 0)
        a.moments[c] = o;
}

/* --- pseudo-particles --------------------------------------------------------------------------------------------- */

/* Returns 1 if the particles of a cell that act on others are from its first one on, with no others between them. */
FAR_FN int acting_is_whole(const myr_far_cells &a, const myr_far_cell &cell, int64_t acting)
{
    return acting == cell.count || !cell.mask || cell.count <= a.group;
}

/* Calls use(first, count) for ranges that hold the particles of a cell that act on others, in tree order. Without a
 * stack, as lists_visit. */
template <class function> FAR_FN void acting_visit(const myr_far_cells &a, int32_t top, function use)
{
    int32_t c = top;
    for (;;) {
        const myr_far_cell cell = a.lists.cell[c];
        const int64_t acting = a.moments[c].acting;
        if (acting > 0 && !acting_is_whole(a, cell, acting)) {
            c = cell.child;
            continue;
        }
        if (acting > 0)
            use(cell.first, (int32_t)acting);
        for (;;) { /* the next sibling, or that of the nearest ancestor that has one */
            if (c == top)
                return;
            const myr_far_cell parent = a.lists.cell[a.lists.cell[c].parent];
            if (c + 1 < parent.child + __popc(parent.mask)) {
                c++;
                break;
            }
            c = a.lists.cell[c].parent;
        }
    }
}

/* Point k of the design. */
FAR_FN double design_at(const myr_far_cells &a, int axis, int k)
{
    return a.design[axis * a.points + k];
}

/* Adds strengths at a place to the charges `value` on point `at` of a cell's sphere. */
FAR_FN void sphere_add(const myr_far_cells &a, const myr_far_moments &o, const double *at, const double *place,
                       const double *strength, double *value)
{
    const double *slope = a.design + 3 * a.points, *drop = slope + a.rule.order;
    double u[3], square = 0, c = 0;
    for (int axis = 0; axis < 3; axis++) {
        u[axis] = (place[axis] - o.centre[axis]) / o.radius;
        square += u[axis] * u[axis];
        c += u[axis] * at[axis];
    }
    double weight;
    cell_weights(a.rule.order, slope, drop, &c, square, &weight);
    for (int s = 0; s < CELL_STRENGTHS && s < a.strengths; s++)
        value[s] += strength[s] / a.points * weight;
}

FAR_FN void sphere_add_particles(const myr_far_cells &a, const myr_far_moments &o, const double *at, int32_t from,
                                 double *value)
{
    acting_visit(a, from, [&](int32_t first, int32_t count) {
        for (int64_t i = first; i < (int64_t)first + count; i++) {
            const cell_part p = part_of_source(a, i);
            sphere_add(a, o, at, p.place, p.strength, value);
        }
    });
}

FAR_FN int has_sphere(const myr_far_cells &a, int32_t c)
{
    return a.moments[c].acting > a.points;
}

/* Adds the sphere of a child. */
FAR_FN void sphere_add_child(const myr_far_cells &a, const myr_far_moments &o, const double *at, int32_t child,
                             double *value)
{
    const myr_far_moments *m = a.moments + child;
    const double *charge = a.charge + (int64_t)child * a.strengths * a.points;
    for (int k = 0; k < a.points; k++) {
        double place[3], strength[CELL_STRENGTHS] = {0, 0, 0};
        for (int axis = 0; axis < 3; axis++)
            place[axis] = m->centre[axis] + m->radius * design_at(a, axis, k);
        for (int s = 0; s < CELL_STRENGTHS && s < a.strengths; s++)
            strength[s] = charge[s * a.points + k];
        sphere_add(a, o, at, place, strength, value);
    }
}

/* Spheres of the cells of a level, from those of the next level: one block per cell, one thread per point. */
FAR_KERNEL(far_spheres, myr_far_cells)
{
    const int32_t c = a.begin + (int32_t)blockIdx.x;
    const int k = (int)threadIdx.x;
    const myr_far_cell cell = a.lists.cell[c];
    const myr_far_moments o = a.moments[c];
    if (o.acting <= a.points || k >= a.points)
        return;
    const double at[3] = {design_at(a, 0, k), design_at(a, 1, k), design_at(a, 2, k)};
    double value[CELL_STRENGTHS] = {0, 0, 0}, place[3];
    if (!cell.mask)
        sphere_add_particles(a, o, at, c, value);
    for (int part = 0; part < 2; part++) /* children with spheres, then the particles of the others */
        for (int32_t child = cell.child; cell.mask && child < cell.child + __popc(cell.mask); child++) {
            if (part == 0 && has_sphere(a, child))
                sphere_add_child(a, o, at, child, value);
            else if (part == 1 && !has_sphere(a, child))
                sphere_add_particles(a, o, at, child, value);
        }
    for (int axis = 0; axis < 3; axis++)
        place[axis] = o.centre[axis] + o.radius * at[axis];
    for (int s = 0; s < CELL_STRENGTHS && s < a.strengths; s++)
        a.charge[((int64_t)c * a.strengths + s) * a.points + k] = value[s];
    put_pseudo(a, c, k, place, value);
}

/* One, three or four pseudo-particles: one thread per cell. */
FAR_KERNEL(far_compact, myr_far_cells)
{
    const int32_t c = (int32_t)(blockIdx.x * MYR_FAR_THREADS + threadIdx.x);
    if (c >= a.lists.cells || a.moments[c].acting <= a.points)
        return;
    const myr_far_moments &o = a.moments[c];
    const double mass = (o.net[0] < 0 ? -o.size : o.size) / a.points;
    cell_axes axes = {};
    if (a.points > 1 && o.size > 0)
        cell_axes_find(o.second, o.size, &axes);
    for (int k = 0; k < a.points; k++) {
        double place[3], y[3], v[3] = {0, 0, 0};
        cell_axes_corner(&axes, a.points, k, y);
        if (a.velocity >= 0 && a.points == 4)
            cell_axes_turn(&axes, o.change, o.size, y, v);
        for (int axis = 0; axis < 3; axis++) {
            place[axis] = o.centre[axis];
            for (int b = 0; b < 3; b++)
                place[axis] += axes.vector[b][axis] * y[b];
        }
        const int64_t i = put_pseudo(a, c, k, place, &mass);
        for (int axis = 0; a.velocity >= 0 && axis < 3; axis++)
            put_real(a, i, a.velocity + axis, o.velocity[axis] + v[axis]);
    }
}

#include "backend/cuda/far_groups.cuh"
#include "backend/cuda/far_pseudo.cuh"
#endif
