/* ring.c - vortex elements on cross sections of a ring. */
#include "model/ring.h"

#include <math.h>

#include "core/context.h"

enum { RING_CELLS = 41 * 41 }; /* largest number of elements per section, with 20 layers */

/* Radius of a section in units of the Gaussian width; 0.8 % of the circulation lies outside. */
#define RING_REACH 2.2

/* Elements of a section in units of the Gaussian width: positions, and fractions of the circulation, which sum to 1. */
typedef struct {
    int cells;
    double spacing; /* distance between layers */
    double across[RING_CELLS], along[RING_CELLS], part[RING_CELLS];
    double moment; /* mean square distance from the centre line */
} ring_section;

static void section_make(int layers, ring_section *s)
{
    const double cell = RING_REACH / (2 * layers + 1); /* radius of the central cell; all cells have equal area */
    double sum = 0, moment = 0;
    s->cells = 0;
    s->spacing = 2 * cell;
    for (int n = 0; n <= layers; n++) {
        const int count = n ? 8 * n : 1;
        /* mean distance of the cells of layer n from the centre line */
        const double rho = n ? cell * (1 + 12.0 * n * n) / (6 * n) : 0;
        const double inner = n ? cell * (2 * n - 1) : 0, outer = cell * (2 * n + 1);
        const double part = (exp(-inner * inner) - exp(-outer * outer)) / count;
        for (int k = 0; k < count; k++, s->cells++) {
            const double angle = 2 * MYR_PI * (k + 0.5 * (n % 2)) / count;
            s->across[s->cells] = rho * cos(angle);
            s->along[s->cells] = rho * sin(angle);
            s->part[s->cells] = part;
            sum += part;
            moment += part * rho * rho;
        }
    }
    for (int k = 0; k < s->cells; k++)
        s->part[k] /= sum;
    s->moment = moment / sum;
}

/* Fields of vortex elements, beside the arrays of every model. */
typedef struct {
    double *strength[3], *core, *volume;
} ring_fields;

static myr_status ring_add_fields(const myr_model_arrays *to, ring_fields *f)
{
    myr_status status = myr_particles_add_field(to->particles, "strength", 3);
    if (!status)
        status = myr_particles_add_field(to->particles, "core", 1);
    if (!status)
        status = myr_particles_add_field(to->particles, "volume", 1);
    for (int c = 0; c < 3; c++)
        f->strength[c] = myr_particles_component(to->particles, "strength", c);
    f->core = myr_particles_component(to->particles, "core", 0);
    f->volume = myr_particles_component(to->particles, "volume", 0);
    return status;
}

/* Makes one ring: elements [first, first + sections * cells). */
static void ring_make(const myr_model_arrays *to, const ring_fields *f, const myr_ring *r, const ring_section *s,
                      int64_t first, int64_t sections, double overlap)
{
    const double sigma = overlap * s->spacing; /* core radius of an element in units of the Gaussian width */
    const double width = r->core / sqrt(s->moment + 2 * sigma * sigma), turn = 2 * MYR_PI / (double)sections;
    for (int64_t j = 0; j < sections; j++) {
        const double phi = turn * (double)j, wave = r->amplitude * cos(r->waves * phi);
        const double slope = -r->amplitude * r->waves * sin(r->waves * phi) * r->radius; /* dR/dphi */
        for (int k = 0; k < s->cells; k++) {
            const int64_t i = first + j * s->cells + k;
            const double rho = r->radius * (1 + wave) + width * s->across[k];
            const double gamma = r->circulation * s->part[k] * turn;
            to->position[0][i] = rho * cos(phi);
            to->position[1][i] = rho * sin(phi);
            to->position[2][i] = r->z + width * s->along[k];
            /* direction of the line through the same cell of all sections */
            f->strength[0][i] = gamma * (slope * cos(phi) - rho * sin(phi));
            f->strength[1][i] = gamma * (slope * sin(phi) + rho * cos(phi));
            f->strength[2][i] = 0;
            f->core[i] = width * sigma;
            f->volume[i] = MYR_PI * pow(0.5 * width * s->spacing, 2) * rho * turn;
            to->mass[i] = 1 / (double)to->n;
        }
    }
}

/* Warns if the cores of neighbouring sections do not overlap: separate Gaussians do not represent a ring. */
static void ring_check(const myr_model_arrays *to, const myr_ring *r, const ring_section *s, int64_t sections,
                       double overlap)
{
    const double sigma = overlap * s->spacing;
    const double core = sigma * r->core / sqrt(s->moment + 2 * sigma * sigma);
    const double distance = 2 * MYR_PI * r->radius / (double)sections;
    if (core < distance)
        myr_context_warn(to->context,
                         "the elements of a ring overlap too little: cores of %.3g are %.3g apart along the ring, an "
                         "overlap of %.2g, below 1; ask for %lld elements or more in each ring",
                         core, distance, core / distance,
                         (long long)ceil(2 * MYR_PI * r->radius / core) * (long long)s->cells);
}

myr_status myr_ring_place(const myr_model_arrays *to, int rings, const myr_ring *ring, double layers, double overlap)
{
    ring_section section;
    ring_fields fields;
    const int across = 2 * (int)round(layers) + 1, cells = across * across; /* 1 + 8 + 16 + ... */
    const int64_t each = to->n / rings, sections = each / cells;
    section_make((int)round(layers), &section);
    if (sections < 3 || sections * cells * rings != to->n)
        return myr_context_fail(
            to->context, MYR_ERROR_VALUE,
            "%lld element%s cannot make %d ring%s with %d layer%s: each section has %d, so the number "
            "must be a multiple of %d, and at least %d",
            (long long)to->n, myr_plural(to->n), rings, myr_plural(rings), (int)round(layers),
            myr_plural((int64_t)round(layers)), cells, cells * rings, 3 * cells * rings);
    const myr_status status = ring_add_fields(to, &fields);
    for (int k = 0; k < rings && !status; k++) {
        ring_make(to, &fields, &ring[k], &section, k * each, sections, overlap);
        ring_check(to, &ring[k], &section, sections, overlap);
    }
    return status;
}
