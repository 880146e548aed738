/* radii.c - global properties of a particle set: centre of mass, Lagrangian radii, escapers, relaxation time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "diagnostic/diagnostic.h"

static myr_status centre_of(const myr_bodies *b, myr_centre *centre)
{
    memset(centre, 0, sizeof *centre);
    for (int64_t i = 0; i < b->n; i++)
        centre->mass += b->mass[i];
    if (!(centre->mass > 0))
        return myr_context_fail(b->context, MYR_ERROR_VALUE, "a set without mass has no centre of mass");
    for (int c = 0; c < 3; c++) {
        double x = 0, v = 0, square = 0;
        for (int64_t i = 0; i < b->n; i++) {
            x += b->mass[i] * b->x[c][i];
            v += b->v[c] ? b->mass[i] * b->v[c][i] : 0;
        }
        centre->position[c] = x / centre->mass;
        centre->velocity[c] = v / centre->mass;
        for (int64_t i = 0; b->v[c] && i < b->n; i++) {
            const double d = b->v[c][i] - centre->velocity[c];
            square += b->mass[i] * (d * d);
        }
        centre->dispersion[c] = sqrt(square / centre->mass);
    }
    return MYR_OK;
}

myr_status myr_diagnostic_centre(const myr_particles *particles, myr_centre *centre)
{
    myr_bodies b;
    if (!centre)
        return MYR_ERROR_ARGUMENT;
    const myr_status status = myr_bodies_read(particles, MYR_BODIES_MASS, &b);
    return status ? status : centre_of(&b, centre);
}

static double distance(const myr_bodies *b, int64_t i, const double from[3])
{
    const double x = b->x[0][i] - from[0], y = b->x[1][i] - from[1], z = b->x[2][i] - from[2];
    return sqrt(x * x + y * y + z * z);
}

typedef struct {
    double r, mass;
    int64_t i;
} shell;

static int shell_order(const void *a, const void *b)
{
    const shell *p = a, *q = b;
    if (p->r != q->r)
        return p->r < q->r ? -1 : 1;
    return (p->i > q->i) - (p->i < q->i);
}

/* Merges the sorted parts low .. middle - 1 and middle .. high - 1 of a list to another one. */
static void shell_merge(const shell *from, int64_t low, int64_t middle, int64_t high, shell *to)
{
    int64_t i = low, j = middle;
    for (int64_t k = low; k < high; k++)
        to[k] = j == high || (i < middle && shell_order(&from[i], &from[j]) < 0) ? from[i++] : from[j++];
}

/* Sorts parts of s[n] side by side and merges them, with `other` as room; returns the one of both that is sorted. */
static shell *shell_sort(shell *s, shell *other, int64_t n, int threads)
{
    enum { PART = 16384 }; /* shells */
    const int64_t parts = (n + PART - 1) / PART;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1) if (parts > 1)
    for (int64_t p = 0; p < parts; p++)
        qsort(s + p * PART, (size_t)(n - p * PART < PART ? n - p * PART : PART), sizeof *s, shell_order);
    for (int64_t wide = PART; wide < n; wide *= 2) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
        for (int64_t low = 0; low < n; low += 2 * wide)
            shell_merge(s, low, low + wide < n ? low + wide : n, low + 2 * wide < n ? low + 2 * wide : n, other);
        shell *sorted = other;
        other = s;
        s = sorted;
    }
    return s;
}

/* room: for 2 n shells */
static void lagrangian_radii(const myr_bodies *b, shell *room, const double from[3], double mass, int fractions,
                             const double *fraction, double *radius)
{
    for (int64_t i = 0; i < b->n; i++)
        room[i] = (shell){distance(b, i, from), b->mass[i], i};
    const shell *s = shell_sort(room, room + b->n, b->n, myr_context_threads(b->context));
    for (int f = 0; f < fractions; f++) {
        const double wanted = (fraction[f] - 1e-12) * mass;
        double inside = s[0].mass;
        int64_t i = 0;
        while (inside < wanted && i + 1 < b->n)
            inside += s[++i].mass;
        radius[f] = s[i].r;
    }
}

myr_status myr_diagnostic_lagrangian(const myr_particles *particles, const double centre[3], int fractions,
                                     const double *fraction, double *radius)
{
    myr_bodies b;
    myr_centre own;
    if (fractions < 0 || (fractions && (!fraction || !radius)))
        return MYR_ERROR_ARGUMENT;
    myr_status status = myr_bodies_read(particles, MYR_BODIES_MASS, &b);
    if (!status)
        status = centre_of(&b, &own);
    for (int f = 0; !status && f < fractions; f++)
        if (!(fraction[f] >= 0 && fraction[f] <= 1))
            status =
                myr_context_fail(b.context, MYR_ERROR_VALUE, "%g is no fraction of the mass; give 0 to 1", fraction[f]);
    if (status)
        return status;
    shell *s = myr_memory_zeros(2 * b.n, sizeof *s);
    if (!s)
        return myr_context_fail(b.context, MYR_ERROR_MEMORY, "no memory to sort %lld particles", (long long)b.n);
    lagrangian_radii(&b, s, centre ? centre : own.position, own.mass, fractions, fraction, radius);
    free(s);
    return MYR_OK;
}

myr_status myr_diagnostic_escapers(const myr_particles *particles, const double centre[3], const double velocity[3],
                                   double radius, myr_escapers *escapers)
{
    myr_bodies b;
    if (!centre || !velocity || !escapers)
        return MYR_ERROR_ARGUMENT;
    memset(escapers, 0, sizeof *escapers);
    const myr_status status =
        myr_bodies_read(particles, MYR_BODIES_VELOCITY | MYR_BODIES_MASS | MYR_BODIES_POTENTIAL, &b);
    if (status)
        return status;
    if (!(radius >= 0))
        return myr_context_fail(b.context, MYR_ERROR_VALUE, "escapers cannot be counted from radius %g", radius);
    for (int64_t i = 0; i < b.n; i++) {
        const double x = b.v[0][i] - velocity[0], y = b.v[1][i] - velocity[1], z = b.v[2][i] - velocity[2];
        const double energy = 0.5 * (x * x + y * y + z * z) + b.potential[i];
        if (!(energy > 0 && distance(&b, i, centre) > radius))
            continue;
        escapers->count++;
        escapers->mass += b.mass[i];
        escapers->energy += b.mass[i] * energy;
    }
    return MYR_OK;
}

myr_status myr_diagnostic_beyond(const myr_particles *particles, const double centre[3], double radius,
                                 myr_escapers *escapers)
{
    myr_bodies b;
    if (!centre || !escapers)
        return MYR_ERROR_ARGUMENT;
    *escapers = (myr_escapers){.energy = NAN};
    const myr_status status = myr_bodies_read(particles, MYR_BODIES_MASS, &b);
    if (status)
        return status;
    if (!(radius >= 0))
        return myr_context_fail(b.context, MYR_ERROR_VALUE, "escapers cannot be counted from radius %g", radius);
    for (int64_t i = 0; i < b.n; i++)
        if (distance(&b, i, centre) > radius) {
            escapers->count++;
            escapers->mass += b.mass[i];
        }
    return MYR_OK;
}

double myr_diagnostic_relaxation_time(int64_t n, double mass, double half_mass_radius, double gravity, double gamma)
{
    const double logarithm = log(gamma * (double)n), r = half_mass_radius;
    return logarithm > 0 ? 0.138 * (double)n * r * sqrt(r) / (sqrt(gravity * mass) * logarithm) : NAN;
}
