/* box_gpu.c - particles in a box on a GPU. The device holds copies of the engine's arrays in an order of its own;
 * `sent` and `ahead` tell which of the two is up to date. The pair list of the processor is kept for its constants, for
 * the choice of the unit of sums, and for steps that the device leaves to the processor. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accumulator/integer256.h"
#include "core/elementary.h"
#include "core/sum.h"
#include "core/timer.h"
#include "molecular/box_gpu_inside.h"
#include "molecular/molecule_gpu.h"

enum { GPU_FIRST = 16 }; /* the first steps of boxes with open axes */

/* Smallest boxes for which backend auto takes a GPU: numbers of particles, and of particles per thread of the
 * processor. Measured with a Lennard-Jones melt and lines of diagnostics every 200 steps, microseconds per step on an
 * H200 and on 1, 4 and 16 threads of its host (which other work may have shared): 864 particles   8.3   128  82  88
 *    2048             8.5   223  155  113
 *    8788            10.4   891  351  246
 *   16384            13.0  1985  663  322
 * The GPU is faster in all; below 2048 particles a run has to be long before it makes up for the half second in which
 * the program is compiled. */
enum { AUTO_PARTICLES = 2048, AUTO_PARTICLES_PER_THREAD = 64 };

static const myr_cuda_plugin *plugin(const myr_molecular *m)
{
    return m->gpu->gpu->plugin;
}

/* --- choice ------------------------------------------------------------------------------------------------------- */

/* Reason why particles cannot move on a GPU; null = they can. */
static const char *gpu_refusal(const myr_molecular *m)
{
    return m->function.call               ? "external fields that functions of the program compute act on the processor"
           : m->coulomb                   ? "charges in a box act on the processor so far"
           : m->divided && !m->links.swap ? "these domains move on the processor"
           : m->all < 1                   ? "a box without particles needs no GPU"
           : m->n > INT32_MAX - 1024      ? "one GPU takes at most 2^31 particles"
                                          : NULL;
}

/* 1 if the last kick of a step is deferred, as on the processor. */
static int gpu_defers(const myr_molecular *m)
{
    return m->scheme == MYR_MOLECULAR_VERLET && m->options.centre_interval == 0;
}

/* 1 if a step ends with a kick of its own, and with a thermostat that scales velocities. */
static int gpu_is_whole(const myr_molecular *m)
{
    return !gpu_defers(m) && m->scheme != MYR_MOLECULAR_LANGEVIN;
}

myr_cuda_box_set myr_molecular_gpu_set(const myr_molecular *m)
{
    const char *arithmetic = myr_catalogue_arithmetic_name(m->interaction->arithmetic);
    const char *sums = myr_catalogue_accumulator_name(m->interaction->accumulator);
    myr_cuda_box_set set = {.context = m->context,
                            .n = m->n,
                            .all = m->all,
                            .types = m->types,
                            .root = myr_cut_needs_root((myr_cut)m->options.cut),
                            .arithmetic = strcmp(arithmetic, "portable") == 0 ? MYR_ARITHMETIC_PORTABLE
                                          : strcmp(arithmetic, "double") == 0 ? MYR_ARITHMETIC_DOUBLE
                                                                              : MYR_ARITHMETIC_SINGLE,
                            .sums = m->fixed                      ? MYR_CUDA_BOX_FIXED
                                    : strcmp(sums, "double") == 0 ? MYR_CUDA_BOX_DOUBLE
                                                                  : MYR_CUDA_BOX_SINGLE,
                            .external = m->terms > 0,
                            .magic = m->options.exact_reverse ? myr_molecular_grid(m) : 0,
                            .check = m->options.check,
                            .langevin = m->scheme == MYR_MOLECULAR_LANGEVIN,
                            .whole = gpu_is_whole(m),
                            .sigma = myr_neighbour_sigma(m->list),
                            .skin = m->options.skin,
                            .seed = m->options.seed};
    if (m->formula.name) {
        set.root = 0;
        set.kernel = myr_molecular_formula_kernel(m);
        set.kernel_text = myr_kernel_registry_header(m->context, m->interaction->kernel);
    }
    for (int k = 0; k < m->types * m->types; k++)
        set.cutoff = fmax(set.cutoff, m->pair[k].cutoff);
    memcpy(set.periodic, m->box.periodic, sizeof set.periodic);
    return set;
}

/* 1 if backend auto takes a GPU: the choice leaves it open, and the GPU was measured to be faster; several ranks ask
 * for GPUs by name. */
static int gpu_is_faster(const myr_molecular *m)
{
    const myr_interaction *f = m->interaction;
    return f->backend == myr_catalogue_backend("auto") && f->isa < 0 && !m->divided && !gpu_refusal(m) &&
           m->n >= AUTO_PARTICLES && m->n >= (int64_t)AUTO_PARTICLES_PER_THREAD * m->threads;
}

static myr_status gpu_open(myr_molecular *m)
{
    const char *refusal = gpu_refusal(m);
    if (refusal)
        return myr_context_fail(m->context, MYR_ERROR_COMBINATION, "%s; use backend auto, simd or ref", refusal);
    const myr_gpu *gpu = myr_gpu_open(m->context);
    if (!gpu)
        return MYR_ERROR_UNAVAILABLE;
    if (!gpu->plugin->box_open)
        return myr_context_fail(m->context, MYR_ERROR_UNAVAILABLE, "this plug-in does not move particles in a box");
    const myr_status named = myr_molecular_gpu_check_named(m, gpu);
    if (named)
        return named;
    m->gpu = calloc(1, sizeof *m->gpu);
    if (m->gpu)
        m->gpu->table = calloc((size_t)(m->types * m->types) * MYR_BOX_CONSTANTS, sizeof *m->gpu->table);
    if (!m->gpu || !m->gpu->table) {
        myr_molecular_gpu_close(m);
        return myr_context_fail(m->context, MYR_ERROR_MEMORY, "no memory for particles on a GPU");
    }
    m->gpu->gpu = gpu;
    m->gpu->exponent = MYR_NEIGHBOUR_UNIT_UNSET;
    const myr_cuda_box_set set = myr_molecular_gpu_set(m);
    const myr_status status =
        m->divided ? myr_molecular_gpu_renew(m) : gpu->plugin->box_open(gpu->cuda, &set, &m->gpu->box);
    if (status)
        myr_molecular_gpu_close(m);
    return status;
}

myr_status myr_molecular_gpu_open(myr_molecular *m)
{
    if (m->molecule)
        return myr_molecule_gpu_seat(m);
    const int is_required = m->interaction->backend == myr_catalogue_backend("cuda");
    if (m->gpu || (!is_required && (!gpu_is_faster(m) || !myr_gpu_open(m->context))))
        return MYR_OK;
    const myr_status status = gpu_open(m);
    if (!status || is_required)
        return status;
    char reason[MYR_MESSAGE_MAX];
    snprintf(reason, sizeof reason, "%s", myr_context_message(m->context));
    myr_context_warn(m->context, "%s; the particles move on the processor instead", reason);
    return MYR_OK;
}

void myr_molecular_gpu_close(myr_molecular *m)
{
    if (!m->gpu)
        return;
    if (m->gpu->box)
        plugin(m)->box_close(m->gpu->box);
    free(m->gpu->table);
    free(m->gpu);
    m->gpu = NULL;
}

/* --- copies ------------------------------------------------------------------------------------------------------- */

myr_cuda_box_arrays myr_molecular_gpu_arrays(const myr_molecular *m)
{
    myr_cuda_box_arrays a = {.mass = m->mass, .inverse = m->inverse, .type = m->type, .id = m->id};
    for (int c = 0; c < 3; c++) {
        a.q[c] = m->q[c];
        a.v[c] = m->v[c];
        a.f[c] = m->f[c];
        a.image[c] = m->image[c];
        a.anchor[c] = m->anchor[c];
    }
    return a;
}

/* Box, constants of the pair formula and unit of the sums, if they have changed. */
myr_status myr_molecular_gpu_potential(myr_molecular *m)
{
    struct myr_molecular_gpu *g = m->gpu;
    const int exponent = m->fixed ? myr_neighbour_exponent(m->list) : 0;
    const double *old = g->length, *now = m->box.length;
    if (exponent == g->exponent && old[0] == now[0] && old[1] == now[1] && old[2] == now[2])
        return MYR_OK;
    for (int k = 0; k < m->types * m->types; k++) {
        double c[MYR_NEIGHBOUR_CONSTANTS] = {0};
        myr_neighbour_constants(m->list, k / m->types, k % m->types, c);
        memcpy(g->table + (size_t)k * MYR_BOX_CONSTANTS, c, sizeof c);
    }
    myr_cuda_box_potential p = {.table = g->table,
                                .exponent = exponent,
                                .grid = myr_neighbour_energy_factor(m->list),
                                .fields = m->fielded ? &m->fields : NULL,
                                .stiffness = m->options.restraint,
                                .restrained_type = m->options.restraint_type};
    memcpy(p.origin, m->box.origin, sizeof p.origin);
    memcpy(p.length, m->box.length, sizeof p.length);
    memcpy(g->length, m->box.length, sizeof g->length);
    g->exponent = exponent;
    return plugin(m)->box_set(g->box, &p);
}

/* The forces are those of the processor: they may be rounded to another unit than that of the sums to come. */
myr_status myr_molecular_gpu_send(myr_molecular *m)
{
    if (m->divided)
        return myr_molecular_gpu_regroup(m);
    myr_status status = myr_molecular_gpu_potential(m);
    if (status || m->gpu->sent)
        return status;
    const myr_cuda_box_arrays arrays = myr_molecular_gpu_arrays(m);
    myr_molecular_count(m); /* the images are those of the coordinates that are sent */
    status = plugin(m)->box_send(m->gpu->box, &arrays);
    m->gpu->sent = !status;
    m->gpu->ahead = m->gpu->indexed = 0;
    return status;
}

myr_status myr_molecular_gpu_fetch(myr_molecular *m)
{
    if (!m->gpu || !m->gpu->ahead)
        return MYR_OK;
    const myr_cuda_box_arrays arrays = myr_molecular_gpu_arrays(m);
    const myr_status status = plugin(m)->box_fetch(m->gpu->box, &arrays);
    for (int c = 0; c < 3 && !status; c++)
        memcpy(m->counted[c], m->q[c], (size_t)m->n * sizeof *m->q[c]);
    m->uncounted = 0;
    m->gpu->ahead = status != MYR_OK;
    myr_neighbour_invalidate(m->list);
    return status;
}

void myr_molecular_gpu_changed(myr_molecular *m)
{
    if (m->gpu)
        m->gpu->sent = 0;
}

myr_status myr_molecular_gpu_keep(myr_molecular *m)
{
    struct myr_molecular_gpu *g = m->gpu;
    myr_status status = myr_molecular_gpu_send(m);
    if (!status)
        status = plugin(m)->box_keep_good(g->box, m->memory.pending, g->indexed ? NULL : m->index);
    g->indexed |= !status;
    g->good_box = m->box;
    return status;
}

myr_status myr_molecular_gpu_kept(const myr_molecular *m, myr_particles *set)
{
    const size_t n = (size_t)m->n;
    uint64_t *room = malloc((3 * n + 1) * sizeof *room), *const q[3] = {room, room + n, room + 2 * n};
    double *moving = malloc((3 * n + 1) * sizeof *moving), *const v[3] = {moving, moving + n, moving + 2 * n};
    const myr_status status =
        room && moving ? plugin(m)->box_fetch_good(m->gpu->box, q, v)
                       : myr_context_fail(m->context, MYR_ERROR_MEMORY, "no memory to copy %zu particles", n);
    for (int c = 0; c < 3 && !status; c++) {
        double *x = myr_particles_component(set, "position", c);
        memcpy(myr_particles_component(set, "velocity", c), v[c], n * sizeof *v[c]);
        for (size_t i = 0; i < n; i++)
            x[i] = myr_box_position(&m->gpu->good_box, c, q[c][i], 0);
    }
    free(room);
    free(moving);
    return status;
}

/* --- forces and sums over velocities ------------------------------------------------------------------------------ */

/* Sums of all domains, from integers of the device as halves. */
static myr_status gpu_totals(const myr_molecular *m, int count, const unsigned long long (*half)[2], myr_wide *sum)
{
    for (int k = 0; k < count; k++)
        sum[k] = myr_molecular_gpu_total(half[k]);
    return myr_agreement_add(myr_molecular_agreement(m), sum, count);
}

/* Forces on the processor, for pairs that do not fit the integers of the device. */
myr_status myr_molecular_gpu_forces_here(myr_molecular *m, int store, myr_neighbour_sums *sums)
{
    struct myr_molecular_gpu *g = m->gpu;
    myr_status status = myr_molecular_gpu_fetch(m);
    if (status)
        return status;
    m->gpu = NULL;
    status = myr_molecular_update(m, 0);
    if (!status)
        status = myr_molecular_forces(m, store ? m->f : m->g, sums);
    m->gpu = g;
    g->sent = 0;
    return status;
}

myr_status myr_molecular_gpu_forces(myr_molecular *m, int store, myr_neighbour_sums *sums)
{
    myr_cuda_box_sums s = {0};
    myr_wide all[MYR_BOX_TERMS] = {0};
    int stopped = 0;
    myr_status status = myr_molecular_gpu_send(m);
    if (!status)
        status = plugin(m)->box_forces(m->gpu->box, store, &stopped, sums ? &s : NULL);
    double any = stopped;
    if (!status)
        status = myr_agreement_largest(myr_molecular_agreement(m), &any, 1);
    m->gpu->ahead = 1;
    if (status || any > 0)
        return status ? status : myr_molecular_gpu_forces_here(m, store, sums);
    if (sums && m->fixed)
        status = gpu_totals(m, MYR_BOX_TERMS, (const unsigned long long(*)[2])s.total, all);
    for (int k = 0; sums && k < MYR_BOX_TERMS; k++) {
        /* both particles of a pair are counted */
        const myr_integer256 total = myr_integer256_from(all[k], 0);
        const double value =
            m->fixed ? myr_integer256_value(total, m->gpu->exponent - 1) / myr_neighbour_energy_factor(m->list)
                     : 0.5 * s.plain[k];
        *(k == 0 ? &sums->energy : &sums->virial[k - 1]) = myr_neighbour_sigma(m->list) * value;
    }
    return status;
}

/* Sums of terms of the velocities, each rounded to a multiple of 2^-62 of the largest (core/sum.h). The device sums
 * with the exponent of the last time while it looks for the largest, and again if the exponent is another. */
static myr_status gpu_velocities(const myr_molecular *m, double h, int power, int count, double *sum)
{
    double largest = 0;
    unsigned long long total[6][2];
    myr_wide all[6];
    const myr_cuda_plugin *p = plugin(m);
    const int guess = m->gpu->exponents[power - 1];
    myr_status status = p->box_velocities(m->gpu->box, h, power, myr_sum_scale(guess), &largest, total);
    if (!status)
        status = myr_agreement_largest(myr_molecular_agreement(m), &largest, 1);
    const int exponent = myr_sum_exponent(power == 1 ? sqrt(largest) * 1.0000001 : largest);
    if (!status && exponent != guess)
        status = p->box_velocities(m->gpu->box, h, power, myr_sum_scale(exponent), NULL, total);
    m->gpu->exponents[power - 1] = exponent;
    if (!status)
        status = gpu_totals(m, count, (const unsigned long long(*)[2])total, all);
    for (int k = 0; k < count && !status; k++)
        sum[k] = myr_sum_value(all[k], exponent);
    return status;
}

myr_status myr_molecular_gpu_kinetic(const myr_molecular *m, double h, double tensor[6])
{
    return gpu_velocities(m, h, 2, 6, tensor);
}

myr_status myr_molecular_gpu_momentum(const myr_molecular *m, double h, double momentum[3])
{
    return gpu_velocities(m, h, 1, 3, momentum);
}

myr_status myr_molecular_gpu_change(myr_molecular *m, double factor, const double shift[3])
{
    m->gpu->ahead = 1;
    return plugin(m)->box_change(m->gpu->box, 0, factor, shift);
}

myr_status myr_molecular_gpu_restraint(const myr_molecular *m, double scale, myr_wide *sum)
{
    unsigned long long total[1][2] = {{0, 0}};
    const myr_status status = plugin(m)->box_external(m->gpu->box, MYR_CUDA_BOX_RESTRAINTS, scale, NULL, total[0]);
    return status ? status : gpu_totals(m, 1, (const unsigned long long(*)[2])total, sum);
}

myr_status myr_molecular_gpu_field_energy(const myr_molecular *m, double *energy)
{
    const myr_cuda_plugin *p = plugin(m);
    unsigned long long total[1][2] = {{0, 0}};
    myr_wide all = 0;
    double largest = 0;
    myr_status status = p->box_external(m->gpu->box, MYR_CUDA_BOX_FIELDS, 0, &largest, NULL);
    if (!status)
        status = myr_agreement_largest(myr_molecular_agreement(m), &largest, 1);
    const int exponent = myr_sum_exponent(largest);
    if (!status)
        status = p->box_external(m->gpu->box, MYR_CUDA_BOX_FIELDS, myr_sum_scale(exponent), NULL, total[0]);
    if (!status)
        status = gpu_totals(m, 1, (const unsigned long long(*)[2])total, &all);
    *energy = myr_sum_value(all, exponent);
    return status;
}

myr_status myr_molecular_gpu_count(myr_molecular *m, const box_counting *counting, int64_t *count)
{
    const myr_status status = myr_molecular_gpu_send(m);
    return status ? status : plugin(m)->box_counts(m->gpu->box, counting, m->box.origin, count);
}

myr_status myr_molecular_gpu_correlate(myr_molecular *m, box_correlation *correlation, int *is_done)
{
    struct myr_molecular_gpu *g = m->gpu;
    int refused = 0;
    myr_status status = myr_molecular_gpu_send(m);
    memcpy(correlation->origin, m->box.origin, sizeof correlation->origin);
    correlation->h = m->memory.pending;
    correlation->index = g->indexed ? NULL : m->index;
    if (!status)
        status = plugin(m)->box_correlate(g->box, correlation, &refused);
    g->indexed |= !status;
    *is_done = !status && !refused;
    return status;
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

/* 1 if the processor has something to do after a step: the drift to remove, a volume to try. */
static int gpu_has_end(const myr_molecular *m, int64_t step)
{
    const myr_molecular_options *o = &m->options;
    return (o->centre_interval > 0 && (step + 1) % o->centre_interval == 0) ||
           (o->pressure_interval > 0 && (step + 1) % o->pressure_interval == 0);
}

/* Number of steps up to and including the next one after which something happens. */
static int64_t gpu_until_event(const myr_molecular *m, int64_t step, int64_t most)
{
    for (int64_t k = 0; k < most; k++)
        if (myr_molecular_unit_is_due(m, step + k) || gpu_has_end(m, step + k))
            return k + 1;
    return most;
}

myr_status myr_molecular_gpu_choose_unit(myr_molecular *m)
{
    int64_t count[MYR_BOX_SIZES];
    myr_wide sum[MYR_BOX_SIZES];
    myr_status status = plugin(m)->box_measure(m->gpu->box, myr_neighbour_unit_lowest(m->list), count);
    for (int k = 0; k < MYR_BOX_SIZES; k++)
        sum[k] = count[k];
    if (!status)
        status = myr_agreement_add(myr_molecular_agreement(m), sum, MYR_BOX_SIZES);
    if (!status)
        myr_neighbour_unit_from(m->list, sum);
    return status;
}

/* One step on the processor. */
static myr_status gpu_step_here(myr_molecular *m, double time, double dt, int64_t step)
{
    struct myr_molecular_gpu *g = m->gpu;
    myr_status status = myr_molecular_gpu_fetch(m);
    if (status)
        return status;
    m->gpu = NULL;
    status = myr_molecular_update(m, 0);
    if (!status && m->scheme != MYR_MOLECULAR_VERLET)
        myr_molecular_measure_reach(m);
    if (!status)
        status = myr_molecular_step_here(m, time, dt, step);
    m->gpu = g;
    g->sent = 0;
    return status;
}

/* Temperatures of steps that start at the given times. */
static void gpu_heat(myr_molecular *m, const double *time, myr_cuda_box_steps *s)
{
    double *heat = m->gpu->heat;
    if (m->scheme == MYR_MOLECULAR_LANGEVIN)
        s->keep = myr_elementary_exp(-m->parameter[MYR_MOLECULAR_COUPLING] * fabs(s->dt));
    for (int64_t k = 0; k < s->most; k++)
        if (m->scheme == MYR_MOLECULAR_LANGEVIN)
            heat[k] = (1 - s->keep * s->keep) * myr_molecular_temperature(m, time[k] + 0.5 * s->dt);
        else if (m->scheme != MYR_MOLECULAR_VERLET) {
            heat[2 * k] = myr_molecular_temperature(m, time[k]);
            heat[2 * k + 1] = myr_molecular_temperature(m, time[k] + s->dt);
        }
}

int myr_molecular_gpu_is_open(const myr_molecular *m)
{
    return !m->box.periodic[0] || !m->box.periodic[1] || !m->box.periodic[2];
}

/* Number of steps, at most `most`, after which the processor need not look at open axes, as far as the last steps
 * tell. */
static int64_t gpu_until_slack(const myr_molecular *m, int64_t most)
{
    const double way = m->gpu->furthest, steps = way > 0 ? 0.9 * m->memory.slack / way : GPU_FIRST;
    return !myr_molecular_gpu_is_open(m) || steps >= (double)most ? most : steps > 1 ? (int64_t)steps : 1;
}

/* Takes over what steps on the device have left beside the motion. */
static void gpu_take(myr_molecular *m, const myr_cuda_box_done *done)
{
    if (done->made > 0 && gpu_defers(m))
        m->memory.pending = 0.5 * m->step;
    if (done->made > 0 && gpu_is_whole(m))
        m->memory.chain = done->chain;
    if (done->made > 0 && myr_molecular_gpu_is_open(m)) {
        m->memory.slack = done->slack;
        m->gpu->furthest = done->furthest;
    }
    for (int k = 0; k < 3 * BOX_SIDES; k++) /* of this domain */
        m->own_push[k] += myr_molecular_gpu_total(done->push[k]);
}

/* Makes up to `most` steps, after the last of which something may happen. */
static myr_status gpu_batch(myr_molecular *m, const double *time, double dt, int64_t step, int64_t most, int64_t *made)
{
    struct myr_molecular_gpu *g = m->gpu;
    const box_bath bath = myr_molecular_bath_set(m, dt);
    myr_cuda_box_steps s = {.dt = dt,
                            .kick = m->memory.pending + 0.5 * dt,
                            .furthest = myr_molecular_limit(m),
                            .heat = g->heat,
                            .bath = gpu_is_whole(m) ? &bath : NULL,
                            .chain = m->memory.chain,
                            .bath_heat = g->heat,
                            .slack = m->memory.slack,
                            .number = step,
                            .most = most};
    myr_cuda_box_done done;
    myr_status status = m->options.exact_reverse ? myr_molecular_check_whole(m, dt) : MYR_OK;
    gpu_heat(m, time, &s);
    if (!status)
        status = plugin(m)->box_steps(g->box, &s, &done);
    if (status)
        return status;
    g->ahead = 1;
    m->steps_made += done.made;
    *made = done.made;
    m->step = dt;
    gpu_take(m, &done);
    if (done.unfinished) {
        s.chain = m->memory.chain;
        status = myr_molecular_gpu_finish(m, time[0], &s);
    }
    if (done.renew && !done.unfinished)
        g->sent = 0;
    if (status || (done.made == 0 && !done.stopped)) /* none: again with a new list */
        return status;
    if (done.stopped) {
        const myr_status here = gpu_step_here(m, time[done.made], dt, step + done.made);
        *made += !here;
        return here;
    }
    if (*made == most && myr_molecular_unit_is_due(m, step + most - 1))
        status = myr_molecular_gpu_choose_unit(m);
    const int64_t last = *made - 1;
    return status || !gpu_has_end(m, step + last) ? status : myr_molecular_after_step(m, time[last], dt, step + last);
}

myr_status myr_molecular_gpu_steps(myr_molecular *m, const double *time, double dt, int64_t step, int64_t most,
                                   int64_t *made)
{
    const double start = myr_timer_now();
    *made = 0;
    myr_status status = myr_molecular_gpu_send(m);
    if (most > GPU_BATCH)
        most = GPU_BATCH;
    while (!status && *made < most) {
        int64_t here = 0;
        const int64_t count = gpu_until_slack(m, gpu_until_event(m, step + *made, most - *made));
        status = gpu_batch(m, time + *made, dt, step + *made, count, &here);
        *made += here;
        if (!status)
            status = myr_molecular_gpu_send(m);
    }
    m->gpu->seconds += myr_timer_now() - start;
    m->force_seconds += myr_timer_now() - start;
    return status;
}

/* --- memory, times, machine code ---------------------------------------------------------------------------------- */

myr_status myr_molecular_gpu_report(const myr_molecular *m, int with_pairs, myr_box_device *device)
{
    myr_cuda_box_report report;
    *device = (myr_box_device){0};
    if (!m->gpu)
        return MYR_OK;
    plugin(m)->box_report(m->gpu->box, &report);
    device->bytes = report.bytes;
    device->step_seconds = m->gpu->past.step_seconds + report.step_seconds;
    device->list_seconds = m->gpu->past.list_seconds + report.list_seconds;
    device->rest_seconds = fmax(m->gpu->seconds - device->step_seconds - device->list_seconds, 0);
    device->lists = m->gpu->past.lists + report.builds;
    device->skin = report.skin;
    return with_pairs ? plugin(m)->box_pairs(m->gpu->box, &device->list_pairs) : MYR_OK;
}

myr_status myr_molecular_gpu_code(const myr_molecular *m, const char *path)
{
    myr_cuda_code code = {NULL, 0, 0};
    myr_cuda_device device;
    if (!m->gpu)
        return myr_context_fail(m->context, MYR_ERROR_COMBINATION, "the particles do not move on a GPU");
    const myr_cuda_box_set set = myr_molecular_gpu_set(m);
    (void)plugin(m)->device(m->gpu->gpu->cuda, 0, &device);
    myr_status status = myr_gpu_box_code(&set, &device, &code);
    if (!status)
        status = myr_gpu_code_write(m->context, &code, path);
    free(code.bytes);
    return status;
}
