/* element_energy.c - kinetic energy of vortex elements; see element_energy.h.
 *
 * The energy is half the integral of w.A, with the vorticity w = sum_i a_i of Gaussian cores and its vector potential
 * A. The convolution of two Gaussians of variances sigma_i^2 and sigma_j^2 is one of variance sigma^2 = sigma_i^2 +
 * sigma_j^2, so that
 *
 *   E = 1/2 sum_ij a_i.a_j G(r_ij),   G = erf(s)/(4 pi r),   s = r/(sqrt(2) sigma),   G(0) = sqrt(2/pi)/(4 pi sigma)
 *
 * (G. S. Winckelmans and A. Leonard, J. Comput. Phys. 109 (1993) 247, section 2.6, have it for other cores). It is the
 * integral of u^2/2 if w is free of divergence; otherwise it is more by half the integral of (div A)^2. The sum of
 * u.(x x a) over elements takes the velocity at the elements in place of its mean over their cores, and grows as cores
 * spread. */
#include "simulation/vortex/element_energy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "diagnostic/cells.h"

#define PI 3.14159265358979323846
enum { TABLE = 4096 }; /* intervals of the table: its error is 1e-11 */

typedef struct {
    myr_bodies bodies;
    const double *a[3], *core;
    double reach2; /* squared distance in combined cores beyond which a pair acts as points do */
    double sum;    /* of the near pairs */
    double *table; /* [TABLE + 1][2]: F(q) = erf(sqrt(q))/sqrt(q) and F' times an interval, q = s^2 up to reach2/2 */
} energy_elements;

static myr_status energy_tabulate(energy_elements *e)
{
    const double h = 0.5 * e->reach2 / TABLE;
    e->table = myr_memory_zeros(2 * (TABLE + 1), sizeof *e->table);
    if (!e->table)
        return myr_context_fail(e->bodies.context, MYR_ERROR_MEMORY, "no memory for the energy of vortex elements");
    e->table[0] = 2 / sqrt(PI);
    e->table[1] = -h * e->table[0] / 3;
    for (int k = 1; k <= TABLE; k++) {
        const double q = h * k, f = erf(sqrt(q)) / sqrt(q);
        e->table[2 * k] = f;
        e->table[2 * k + 1] = h * (exp(-q) / sqrt(PI) - 0.5 * f) / q;
    }
    return MYR_OK;
}

/* F(q) by the cubic with its values and slopes at both ends of an interval. */
static double energy_shape(const energy_elements *e, double q)
{
    const double at = q * (2 * TABLE / e->reach2);
    const int k = at < TABLE ? (int)at : TABLE - 1;
    const double t = at - k, *f = e->table + 2 * (int64_t)k, d = f[2] - f[0];
    return f[0] + t * (f[1] + t * (3 * d - 2 * f[1] - f[3] + t * (f[1] + f[3] - 2 * d)));
}

/* Energy of a pair, or twice that of an element with itself (square = 0). Points at one place have none, as in the
 * loops of far fields. */
static double energy_pair(const energy_elements *e, int64_t i, int64_t j, double square, double sigma2)
{
    const double dot = e->a[0][i] * e->a[0][j] + e->a[1][i] * e->a[1][j] + e->a[2][i] * e->a[2][j];
    if (square > e->reach2 * sigma2)
        return dot / (4 * PI * sqrt(square));
    return sigma2 > 0 ? dot / (4 * PI * sqrt(2 * sigma2)) * energy_shape(e, 0.5 * square / sigma2) : 0;
}

static double energy_core2(const energy_elements *e, int64_t i, int64_t j)
{
    return e->core[i] * e->core[i] + e->core[j] * e->core[j];
}

static double energy_selves(const energy_elements *e)
{
    double sum = 0;
    for (int64_t i = 0; i < e->bodies.n; i++)
        sum += 0.5 * energy_pair(e, i, i, 0, energy_core2(e, i, i));
    return sum;
}

/* Sum over all pairs; rows are added in the order of the elements, so that it does not depend on threads. */
static myr_status energy_direct(const energy_elements *e, double *energy)
{
    const int64_t n = e->bodies.n;
    double *row = myr_memory_zeros(n, sizeof *row);
    if (!row)
        return myr_context_fail(e->bodies.context, MYR_ERROR_MEMORY, "no memory for the energy of %lld elements",
                                (long long)n);
#pragma omp parallel for schedule(dynamic, 64) num_threads(myr_context_threads(e->bodies.context))
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++) {
            double square = 0;
            for (int c = 0; c < 3; c++)
                square += pow(e->bodies.x[c][i] - e->bodies.x[c][j], 2);
            row[i] += energy_pair(e, i, j, square, energy_core2(e, i, j));
        }
    *energy = energy_selves(e);
    for (int64_t i = 0; i < n; i++)
        *energy += row[i];
    free(row);
    return MYR_OK;
}

/* --- far pairs ---------------------------------------------------------------------------------------------------- */

static myr_status far_points(const energy_elements *e, myr_particles **points)
{
    myr_status status = myr_particles_create(e->bodies.context, e->bodies.n, points);
    if (!status)
        status = myr_particles_add_field(*points, "position", 3);
    if (!status)
        status = myr_particles_add_field(*points, "charge", 1);
    for (int c = 0; c < 3 && !status; c++)
        memcpy(myr_particles_component(*points, "position", c), e->bodies.x[c],
               (size_t)e->bodies.n * sizeof *e->bodies.x[c]);
    return status;
}

/* Energy of all pairs as points: A is the potential of the strengths as charges, component by component. */
static myr_status far_sum(const energy_elements *e, myr_interaction *f, myr_particles *points, double *energy)
{
    const int64_t n = e->bodies.n;
    for (int c = 0; c < 3; c++) {
        memcpy(myr_particles_component(points, "charge", 0), e->a[c], (size_t)n * sizeof *e->a[c]);
        const myr_status status = myr_interaction_evaluate(f, points, points);
        if (status)
            return status;
        const double *potential = myr_particles_component_const(points, "potential", 0);
        for (int64_t i = 0; i < n; i++)
            *energy += 0.5 * e->a[c][i] * potential[i];
    }
    return MYR_OK;
}

static myr_status far_interaction(const myr_interaction *motion, myr_interaction **f)
{
    myr_status status = myr_interaction_create(motion->context, "laplace", f);
    const char *const choices[][2] = {
        {"arithmetic", "double"}, {"accumulator", "double"}, {"method", myr_method_of(motion)->info.name}};
    for (size_t k = 0; k < sizeof choices / sizeof *choices && !status; k++)
        status = myr_interaction_choose(*f, choices[k][0], choices[k][1]);
    if (status)
        return status;
    (*f)->isa = motion->isa;
    (*f)->method_state.best_effort = 1;
    return myr_interaction_set(*f, "tolerance", myr_interaction_get(motion, "tolerance"));
}

/* Replaces a near pair of points by the pair with its combined core. */
static void near_add(void *user, int64_t i, int64_t j, double square)
{
    energy_elements *e = user;
    const double sigma2 = energy_core2(e, i, j);
    if (square <= e->reach2 * sigma2)
        e->sum += energy_pair(e, i, j, square, sigma2) - energy_pair(e, i, j, square, 0);
}

static myr_status energy_far(const myr_interaction *motion, energy_elements *e, double near, double *energy)
{
    myr_interaction *f = NULL;
    myr_particles *points = NULL;
    myr_status status = far_points(e, &points);
    if (!status)
        status = far_interaction(motion, &f);
    if (!status)
        status = far_sum(e, f, points, energy);
    if (!status)
        status = myr_cells_pairs(&e->bodies, near, near_add, e);
    *energy += e->sum + energy_selves(e);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&points);
    return status;
}

/* Length of the longest edge of a box around the elements. */
static double energy_extent(const myr_bodies *b)
{
    double extent = 0;
    for (int c = 0; c < 3; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < b->n; i++) {
            low = fmin(low, b->x[c][i]);
            high = fmax(high, b->x[c][i]);
        }
        extent = fmax(extent, high - low);
    }
    return extent;
}

myr_status myr_element_energy(const myr_interaction *motion, const myr_particles *elements, double *energy)
{
    energy_elements e = {.core = myr_particles_component_const(elements, "core", 0)};
    myr_status status = myr_bodies_read(elements, 0, &e.bodies);
    int all = myr_method_of(motion)->every_pair;
    double widest = 0;
    *energy = 0;
    for (int c = 0; c < 3; c++)
        e.a[c] = myr_particles_component_const(elements, "strength", c);
    for (int64_t i = 0; i < e.bodies.n; i++)
        widest = fmax(widest, e.core[i]);
    /* exp(-s^2) is 1e-14, or a hundredth of the tolerance */
    e.reach2 = 2 * log(all ? 1e14 : 100 / myr_interaction_get(motion, "tolerance"));
    const double near = sqrt(2 * e.reach2) * widest;
    all |= near > 0.5 * energy_extent(&e.bodies); /* hardly a pair is far */
    if (!status)
        status = energy_tabulate(&e);
    if (!status)
        status = all ? energy_direct(&e, energy) : energy_far(motion, &e, near, energy);
    free(e.table);
    return status;
}
