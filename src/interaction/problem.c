/* problem.c - converts an interaction and two particle sets to the input of the direct method: reals in the chosen
 * arithmetic, tables, constants. Every input number is checked here, once. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "interaction/interaction.h"

typedef struct {
    const char *role; /* "target" or "source", for messages */
    const myr_particles *particles;
    int64_t n;
    const int64_t *index; /* null = all */
    const myr_kernel_field *fields;
} problem_side;

static int64_t side_particle(const problem_side *s, int64_t i)
{
    return s->index ? s->index[i] : i;
}

/* Converts one component to the unit's reals. low: array for what a float leaves of a coordinate, or null. */
static myr_status side_convert(myr_context *context, const myr_unit *u, const problem_side *s, const char *name,
                               const double *from, void *to, void *low)
{
    const int single = u->real_bytes == (int)sizeof(float);
    for (int64_t i = 0; i < s->n; i++) {
        const double x = from[side_particle(s, i)];
        if (!isfinite(x))
            return myr_context_fail(context, MYR_ERROR_NONFINITE,
                                    "%s %lld has %s = %g; every input must be a finite number", s->role,
                                    (long long)side_particle(s, i), name, x);
        if (single && fabs(x) > FLT_MAX)
            return myr_context_fail(context, MYR_ERROR_VALUE,
                                    "%s %lld has %s = %g, too large for float arithmetic; choose arithmetic double or "
                                    "other units",
                                    s->role, (long long)side_particle(s, i), name, x);
        if (single)
            ((float *)to)[i] = (float)x;
        else
            ((double *)to)[i] = x;
        if (low)
            ((float *)low)[i] = (float)(x - (double)(float)x);
    }
    return MYR_OK;
}

static const double *side_field(myr_context *context, const problem_side *s, const char *name, int components,
                                int component, const char *kernel)
{
    const double *values = myr_particles_component_const(s->particles, name, component);
    if (!values || myr_particles_component_const(s->particles, name, components)) {
        myr_context_fail(context, MYR_ERROR_FIELD, "kernel %s needs field '%s' with %d component%s on its %ss%s",
                         kernel, name, components, myr_plural(components), s->role,
                         values ? "; the one there has more" : "");
        return NULL;
    }
    return values;
}

/* Arrays are padded for the widest vectors of any unit, because another unit may take over (myr_evaluate_problem). */
enum { SIDE_LANES = 16 };

/* Allocates the arrays of one side for n particles: component[], and rest[] in single arithmetic. One allocation holds
 * all. */
static myr_status side_allocate(myr_context *context, const myr_unit *u, const char *role, int64_t n, int lanes_total,
                                myr_side *side, void **memory)
{
    const int64_t stride = (n + SIDE_LANES) / 64 * 64 + 64 + SIDE_LANES;
    const int rests = u->real_bytes == (int)sizeof(float) && u->coord_lanes == 1 ? u->desc->coords : 0;
    char *reals = myr_memory_zeros(stride * (lanes_total + rests + 1), (size_t)u->real_bytes);
    *memory = reals;
    if (!reals)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for %lld %ss", (long long)n, role);
    side->n = n;
    for (int k = 0; k < lanes_total; k++)
        side->component[k] = reals + (size_t)(k * stride) * (size_t)u->real_bytes;
    for (int k = 0; k < rests; k++)
        side->rest[k] = (float *)(void *)reals + (lanes_total + k) * stride;
    return MYR_OK;
}

/* Fills component[]: coordinates (hi, lo), then the fields in the descriptor's order. */
static myr_status side_make(myr_context *context, const myr_unit *u, const problem_side *s, int lanes_total,
                            myr_side *side, void **memory)
{
    const myr_kernel_desc *d = u->desc;
    const char *position = d->coords == 1 ? "value" : "position";
    const myr_kernel_field *field = s->fields;
    int c = 0;
    const myr_status failed = side_allocate(context, u, s->role, s->n, lanes_total, side, memory);
    if (failed)
        return failed;
    for (int k = 0; k < d->coords; k++, c += u->coord_lanes) {
        const double *from = side_field(context, s, position, d->coords, k, d->name);
        void *low = u->coord_lanes == 2 ? side->component[c + 1] : side->rest[k];
        myr_status status = MYR_ERROR_FIELD;
        if (!from || (status = side_convert(context, u, s, position, from, side->component[c], low)))
            return status;
    }
    for (; c < lanes_total; field++)
        for (int k = 0; k < field->components; k++, c++) {
            const double *from = side_field(context, s, field->name, field->components, k, d->name);
            myr_status status = MYR_ERROR_FIELD;
            if (!from || (status = side_convert(context, u, s, field->name, from, side->component[c], NULL)))
                return status;
        }
    return MYR_OK;
}

static myr_status problem_types(const myr_interaction *f, const problem_side *s, int32_t **copy, const int32_t **types)
{
    const int32_t *all = myr_particles_types(s->particles);
    *types = all;
    if (s->index) {
        *copy = myr_memory_zeros(s->n, sizeof **copy);
        if (!*copy)
            return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for %lld types", (long long)s->n);
        for (int64_t i = 0; i < s->n; i++)
            (*copy)[i] = all[s->index[i]];
        *types = *copy;
    }
    for (int64_t i = 0; i < s->n; i++)
        if ((*types)[i] >= f->types)
            return myr_context_fail(f->context, MYR_ERROR_VALUE,
                                    "%s %lld has type %d, but the pair parameters were given for %d type%s (0 to %d)",
                                    s->role, (long long)side_particle(s, i), (int)(*types)[i], f->types,
                                    myr_plural(f->types), f->types - 1);
    return MYR_OK;
}

static myr_status problem_pair_table(const myr_interaction *f, const myr_unit *u, myr_problem *p)
{
    const int64_t entries = (int64_t)f->types * f->types;
    for (int k = 0; k < MYR_PAIR_LENGTHS; k++)
        if (f->length[k])
            return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                    "'%s' per pair of types is for particles in a box (method neighbour); other "
                                    "methods have one cutoff for all pairs",
                                    myr_interaction_pair_length(k));
    for (int k = 0; k < MYR_KERNEL_PAIR_MAX && u->desc->pair[k]; k++)
        if (!f->pair[k])
            return myr_context_fail(f->context, MYR_ERROR_FIELD,
                                    "kernel %s needs '%s' for every pair of types; set it with "
                                    "myr_interaction_set_pair",
                                    u->desc->name, u->desc->pair[k]);
    p->pair_table = myr_memory_zeros(entries * u->pair, sizeof *p->pair_table);
    if (!p->pair_table)
        return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for a table of %d types", f->types);
    for (int64_t e = 0; e < entries; e++) {
        double user[MYR_KERNEL_PAIR_MAX] = {0};
        for (int k = 0; k < MYR_KERNEL_PAIR_MAX && u->desc->pair[k]; k++)
            user[k] = f->pair[k][e];
        u->prepare_pair(user, p->pair_table + e * u->pair);
    }
    p->direct.pair_table = p->pair_table;
    p->direct.types = f->types;
    return MYR_OK;
}

/* If targets and sources are one set, the index of each target among the sources. */
static myr_status problem_self(const myr_interaction *f, const problem_side *s, myr_problem *p)
{
    p->self = myr_memory_zeros(s->n, sizeof *p->self);
    if (!p->self)
        return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for %lld indices", (long long)s->n);
    for (int64_t i = 0; i < s->n; i++)
        p->self[i] = side_particle(s, i);
    p->direct.self = p->self;
    return MYR_OK;
}

/* Processor and GPU compute the same contributions only in portable arithmetic; otherwise excluded pairs would leave
 * rounding errors. */
static myr_status problem_by_processor(const myr_interaction *f, myr_problem *p)
{
    p->direct.by_processor = 1;
    if (!p->direct.gpu || p->direct.unit->arithmetic == myr_catalogue_arithmetic("portable"))
        return MYR_OK;
    return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                            "exclusions that the processor takes off a GPU's sums need arithmetic portable, in which "
                            "both find the same contributions; in %s take them off afterwards or on the fly",
                            myr_catalogue_arithmetic_name(p->direct.unit->arithmetic));
}

static myr_status problem_exclusions(const myr_interaction *f, const problem_side *target, int64_t sources,
                                     myr_problem *p)
{
    const myr_exclusions list = {f->offset, f->partner};
    if (!f->offset)
        return MYR_OK;
    const int64_t all = myr_particles_count(target->particles);
    if (f->excluded_targets != all)
        return myr_context_fail(f->context, MYR_ERROR_FIELD, "exclusions were given for %lld target%s; there are %lld",
                                (long long)f->excluded_targets, myr_plural(f->excluded_targets), (long long)all);
    for (int64_t e = 0; e < f->offset[all]; e++)
        if (f->partner[e] >= sources)
            return myr_context_fail(f->context, MYR_ERROR_FIELD, "an exclusion names source %lld; there are %lld",
                                    (long long)f->partner[e], (long long)sources);
    p->direct.original = target->index;
    if (f->exclusion_mode == MYR_EXCLUDE_ON_THE_FLY)
        p->direct.excluded = list;
    else
        p->direct.subtracted = list;
    return f->exclusion_mode == MYR_EXCLUDE_BY_PROCESSOR ? problem_by_processor(f, p) : MYR_OK;
}

/* Refuses negative masses in the library's gravity, unless they were asked for. */
static myr_status problem_masses(const myr_interaction *f, const myr_particles *sources)
{
    const double *mass = myr_particles_component_const(sources, "mass", 0);
    if (f->negative_masses || f->kernel >= MYR_KERNEL_COUNT ||
        strncmp(myr_interaction_desc(f)->name, "gravity", 7) != 0)
        return MYR_OK;
    for (int64_t i = 0; mass && i < myr_particles_count(sources); i++)
        if (mass[i] < 0)
            return myr_context_fail(f->context, MYR_ERROR_VALUE,
                                    "particle %lld has mass = %g; negative masses must be asked for: "
                                    "particles.negative_masses in an input file, "
                                    "myr_interaction_allow_negative_masses() in C",
                                    (long long)myr_particles_ids(sources)[i], mass[i]);
    return MYR_OK;
}

myr_status myr_problem_make(const myr_interaction *f, int arithmetic, const myr_isa_table *isa,
                            const myr_particles *targets, int64_t n, const int64_t *index, const myr_particles *sources,
                            myr_problem *problem)
{
    const myr_unit *u = myr_kernel_registry_unit(f->context, f->kernel, isa, arithmetic);
    if (!u)
        return MYR_ERROR_UNAVAILABLE;
    const int64_t ns = myr_particles_count(sources);
    const int cutoff = myr_kernel_cutoff(u->desc);
    const problem_side target = {"target", targets, n, index, u->desc->target};
    const problem_side source = {"source", sources, ns, NULL, u->desc->source};
    myr_direct *d = &problem->direct;
    memset(problem, 0, sizeof *problem);
    d->context = f->context;
    d->gpu = isa->gpu;
    d->unit = u;
    d->kernel_text = isa->gpu ? myr_kernel_registry_header(f->context, f->kernel) : NULL;
    d->targets = n;
    d->splits = f->splits;
    d->bag = f->bag;
    d->careful = f->careful;
    d->unlimited = cutoff >= 0 && f->parameter[cutoff] == 0;
    d->factor = u->prepare(f->parameter, problem->constant);
    d->constant = problem->constant;
    myr_status status = side_make(f->context, u, &target, u->target_lanes, &d->target, &problem->reals[0]);
    if (!status)
        status = side_make(f->context, u, &source, u->source_lanes, &d->source, &problem->reals[1]);
    if (!status)
        status = problem_masses(f, sources);
    if (!status && u->pair)
        status = problem_pair_table(f, u, problem);
    if (!status && u->pair)
        status = problem_types(f, &target, &problem->type, &d->target.type);
    if (!status && u->pair)
        status = problem_types(f, &source, NULL, &d->source.type);
    if (!status && targets == sources)
        status = problem_self(f, &target, problem);
    if (!status)
        status = problem_exclusions(f, &target, ns, problem);
    if (status)
        myr_problem_free(problem);
    return status;
}

/* --- the same problem in double arithmetic ------------------------------------------------------------------------ */

static double side_real(const myr_unit *u, const void *array, int64_t i)
{
    return u->real_bytes == (int)sizeof(float) ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

/* Copies particles of one side, the n listed or all, to arrays of doubles. A coordinate is the sum of its parts. */
static void side_widen(const myr_unit *u, const myr_side *from, const int64_t *index, int lanes_total, myr_side *to)
{
    const int coords = u->desc->coords;
    for (int c = 0; c < lanes_total; c++) {
        const int at = c < coords ? c * u->coord_lanes : coords * (u->coord_lanes - 1) + c;
        const void *high = from->component[at];
        const float *low = c >= coords ? NULL : u->coord_lanes == 2 ? from->component[at + 1] : from->rest[c];
        double *value = to->component[c];
        for (int64_t i = 0; i < to->n; i++) {
            const int64_t k = index ? index[i] : i;
            value[i] = side_real(u, high, k) + (low ? (double)low[k] : 0);
        }
    }
}

myr_status myr_problem_widen(const myr_interaction *f, const myr_isa_table *isa, const myr_direct *from, int64_t n,
                             const int64_t *at, myr_problem *problem)
{
    const myr_unit *u = myr_kernel_registry_unit(f->context, f->kernel, isa->gpu ? myr_backend_best() : isa,
                                                 myr_catalogue_arithmetic("double"));
    memset(problem, 0, sizeof *problem);
    if (!u)
        return MYR_ERROR_UNAVAILABLE;
    myr_direct *d = &problem->direct;
    *d = *from;
    d->gpu = NULL;
    d->kernel_text = NULL;
    d->unit = u;
    d->targets = n;
    d->at = NULL;
    d->factor = u->prepare(f->parameter, problem->constant);
    d->constant = problem->constant;
    memset(&d->target, 0, sizeof d->target);
    memset(&d->source, 0, sizeof d->source);
    myr_status status = side_allocate(f->context, u, "target", n, u->target_lanes, &d->target, &problem->reals[0]);
    if (!status)
        status =
            side_allocate(f->context, u, "source", from->source.n, u->source_lanes, &d->source, &problem->reals[1]);
    if (status) {
        myr_problem_free(problem);
        return status;
    }
    side_widen(from->unit, &from->target, at, u->target_lanes, &d->target);
    side_widen(from->unit, &from->source, NULL, u->source_lanes, &d->source);
    return MYR_OK;
}

void myr_problem_free(myr_problem *problem)
{
    free(problem->pair_table);
    free(problem->self);
    free(problem->reals[0]);
    free(problem->reals[1]);
    free(problem->type);
    memset(problem, 0, sizeof *problem);
}
