/* molecule_gpu.c - molecules that move on a GPU; see molecule_gpu.h. */
#include "molecular/molecule_gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/elementary.h"
#include "core/memory.h"
#include "core/timer.h"
#include "interaction/stage.h"

enum {
    LAUNCH_FIRST = 16,      /* steps of the first launch, which measures the time of a step */
    LAUNCH_MOST = 4096,     /* steps of any launch */
    AUTO_ATOMS = 256,       /* smallest molecule for which backend auto takes a GPU */
    MOLECULE_MOST = 1 << 19 /* most atoms: as many contributions fit the sums of the device */
};
#define LAUNCH_SECONDS 0.045 /* aimed at, so that no launch lasts longer than 50 ms */

struct myr_molecule_gpu {
    myr_context *context;
    const myr_gpu *gpu;
    myr_cuda_molecule *device;
    int64_t n; /* replicas */
    myr_molecular **engine;
    const myr_direct **job;     /* [n] */
    myr_cuda_molecule_one *one; /* [n] */
    int64_t *made;              /* [n]: steps of the span that each replica has made */
    int64_t *here;              /* [n]: steps made by a launch; then 1 = the next step needs the processor */
    int *ahead;                 /* [n]: 1 = the device has made steps that the arrays of the engine do not have */
    int *moved;                 /* [n]: 1 = the last launch has made steps of this replica */
    int64_t *stood;             /* [n]: steps that a replica had made when it failed */
    double *heat, *furthest2;   /* [n][room]: numbers of the steps of a launch */
    int64_t room;
    double step_seconds; /* measured time of a step of all replicas; 0 = not known yet */
    double seconds, device_seconds;
};

static const myr_cuda_plugin *plugin(const myr_molecule_gpu *g)
{
    return g->gpu->plugin;
}

/* --- choice ------------------------------------------------------------------------------------------------------- */

const char *myr_molecule_gpu_refusal(const myr_molecular *m)
{
    return !m->fixed                          ? "on a GPU molecules have sums in integers: use accumulator fixed"
           : m->terms > 0 || m->function.call ? "molecules with restraints or fields move on the processor so far"
           : m->molecule->share_from && myr_ranks_count(m->context) > 1
               ? "molecules on several ranks move on their processors"
           : m->n > MOLECULE_MOST ? "a molecule has too many atoms for all pairs"
                                  : NULL;
}

myr_status myr_molecule_gpu_decide(myr_molecular *m, myr_interaction *f)
{
    const int is_required = f->backend == myr_catalogue_backend("cuda");
    const int is_open =
        f->backend == myr_catalogue_backend("auto") && f->isa < 0 && m->n >= AUTO_ATOMS && !f->in_ensemble;
    const char *refusal = is_required || is_open ? myr_molecule_gpu_refusal(m) : NULL;
    f->on_host = f->in_ensemble;
    if (refusal && is_required)
        return myr_context_fail(m->context, MYR_ERROR_COMBINATION, "%s; or use backend auto, simd or ref", refusal);
    if (refusal || !(is_required || is_open))
        return MYR_OK;
    if (!myr_gpu_open(m->context))
        return is_required ? MYR_ERROR_UNAVAILABLE : MYR_OK;
    f->on_host = 1;
    return MYR_OK;
}

myr_status myr_molecule_gpu_seat(myr_molecular *m)
{
    const int is_required = m->interaction->backend == myr_catalogue_backend("cuda");
    const myr_gpu *gpu =
        m->interaction->on_host && !m->interaction->in_ensemble && !m->seat ? myr_gpu_open(m->context) : NULL;
    if (!gpu)
        return MYR_OK;
    const myr_status status = myr_molecule_gpu_create(m->context, gpu, 1, &m, &m->seat);
    if (!status || is_required)
        return status;
    myr_context_warn(m->context, "%s; the processor goes on instead", m->context->message);
    return MYR_OK;
}

/* --- creation ----------------------------------------------------------------------------------------------------- */

/* Units of the motion: clusters of rigid bonds and atoms without. */
typedef struct {
    int32_t *atoms, *bonds, *atom, *star;
    int64_t units;
    const rigid_bond *bond;
    int64_t all_bonds;
} gpu_units;

static void units_free(gpu_units *u)
{
    free(u->atoms);
    free(u->bonds);
    free(u->atom);
    free(u->star);
}

/* Appends an atom to the unit that is being made, unless it has one. */
static void units_take(gpu_units *u, int32_t *taken, int32_t atom, int32_t *count)
{
    if (!taken[atom])
        u->atom[(*count)++] = atom;
    taken[atom] = 1;
}

/* Appends the atoms of a cluster: of a star the middle first, and then the others in the order of the bonds. */
static void units_cluster(gpu_units *u, int32_t *taken, int64_t first, int64_t end, int32_t *count)
{
    const int32_t either[2] = {u->bond[first].i, u->bond[first].j};
    for (int e = 0; e < 2 && !u->star[u->units]; e++) {
        int star = 1;
        for (int64_t b = first; b < end; b++)
            star &= u->bond[b].i == either[e] || u->bond[b].j == either[e];
        u->star[u->units] = star;
        if (star)
            units_take(u, taken, either[e], count);
    }
    for (int64_t b = first; b < end; b++) {
        units_take(u, taken, u->bond[b].i, count);
        units_take(u, taken, u->bond[b].j, count);
    }
}

static int units_make(const myr_molecular *m, gpu_units *u)
{
    const int64_t *first = NULL;
    int32_t *taken = myr_memory_zeros(m->n + 1, sizeof *taken), count = 0;
    memset(u, 0, sizeof *u);
    const int64_t clusters = m->rigid ? myr_constraints_clusters(m->rigid, &u->bond, &first) : 0;
    u->atoms = myr_memory_zeros(m->n + 2, sizeof *u->atoms);
    u->bonds = myr_memory_zeros(m->n + 2, sizeof *u->bonds);
    u->atom = myr_memory_zeros(m->n + 1, sizeof *u->atom);
    u->star = myr_memory_zeros(m->n + 2, sizeof *u->star);
    const int made = taken && u->atoms && u->bonds && u->atom && u->star;
    for (int64_t k = 0; made && k < clusters; k++) {
        units_cluster(u, taken, first[k], first[k + 1], &count);
        u->atoms[++u->units] = count;
        u->bonds[u->units] = (int32_t)first[k + 1];
    }
    u->all_bonds = clusters ? first[clusters] : 0;
    for (int64_t i = 0; made && i < m->n; i++)
        if (!taken[i]) {
            u->atom[count++] = (int32_t)i;
            u->atoms[++u->units] = count;
            u->bonds[u->units] = (int32_t)u->all_bonds;
        }
    free(taken);
    return made;
}

/* 1 if two interactions have the same parameters. */
static int gpu_same_parameters(const myr_interaction *f, const myr_interaction *g)
{
    int same = 1;
    for (int k = 0; k < MYR_KERNEL_PARAMETERS; k++)
        same = same && (f->parameter[k] == g->parameter[k] || (isnan(f->parameter[k]) && isnan(g->parameter[k])));
    return same;
}

/* 1 if two engines move the same molecule in the same way; positions, seeds and temperatures may differ. */
static int gpu_alike(const myr_molecular *a, const myr_molecular *b)
{
    const myr_topology *s = a->molecule->t, *t = b->molecule->t;
    const myr_interaction *f = a->interaction, *g = b->interaction;
    const size_t n = (size_t)a->n;
    return a->n == b->n && f->kernel == g->kernel && f->arithmetic == g->arithmetic && a->scheme == b->scheme &&
           gpu_same_parameters(f, g) && !a->rigid == !b->rigid &&
           myr_born_alike(a->molecule->born, b->molecule->born) &&
           memcmp(a->inverse, b->inverse, n * sizeof *a->inverse) == 0 &&
           memcmp(a->id, b->id, n * sizeof *a->id) == 0 && memcmp(s->charge, t->charge, n * sizeof *s->charge) == 0 &&
           memcmp(s->type, t->type, n * sizeof *s->type) == 0 && s->bonds == t->bonds && s->angles == t->angles &&
           s->dihedrals == t->dihedrals && s->pairs14 == t->pairs14 &&
           memcmp(s->bond, t->bond, (size_t)s->bonds * sizeof *s->bond) == 0 &&
           memcmp(s->angle, t->angle, (size_t)s->angles * sizeof *s->angle) == 0 &&
           memcmp(s->dihedral, t->dihedral, (size_t)s->dihedrals * sizeof *s->dihedral) == 0;
}

static myr_status gpu_check(myr_context *context, int64_t n, myr_molecular *const *engine)
{
    for (int64_t r = 0; r < n; r++) {
        const char *refusal = myr_molecule_gpu_refusal(engine[r]);
        if (refusal)
            return myr_context_fail(context, MYR_ERROR_COMBINATION, "%s", refusal);
        if (!gpu_alike(engine[0], engine[r]))
            return myr_context_fail(
                context, MYR_ERROR_COMBINATION,
                "replica %lld is not the molecule of replica 0, or moves in another way: replicas on "
                "a GPU differ in positions, seeds and temperatures only",
                (long long)r);
    }
    return MYR_OK;
}

static myr_status gpu_open(myr_molecule_gpu *g)
{
    const myr_molecular *first = g->engine[0];
    myr_born_parts born = {.job = {NULL}};
    gpu_units units;
    for (int64_t r = 0; r < g->n; r++) {
        const myr_status status = myr_molecule_prepare(g->engine[r]->molecule, (const double *const *)g->engine[r]->x);
        if (status)
            return myr_context_fail(g->context, status, "%s", g->engine[r]->context->message);
        g->job[r] = myr_stage_job(g->engine[r]->molecule->stage);
    }
    if (first->molecule->born) {
        const myr_status status = myr_born_jobs(first->molecule->born, (const double *const *)first->x, &born);
        if (status)
            return myr_context_fail(g->context, status, "%s", first->context->message);
    }
    if (!units_make(first, &units)) {
        units_free(&units);
        return myr_context_fail(g->context, MYR_ERROR_MEMORY, "no memory for %lld atoms", (long long)first->n);
    }
    myr_cuda_molecule_set set = {.context = g->context,
                                 .replicas = g->n,
                                 .n = first->n,
                                 .job = g->job,
                                 .offset = first->molecule->t->offset,
                                 .partner = first->molecule->t->partner,
                                 .law = myr_bonded_law(first->molecule->bonded),
                                 .units = units.units,
                                 .bonds = units.all_bonds,
                                 .unit_atoms = units.atoms,
                                 .unit_bonds = units.bonds,
                                 .unit_atom = units.atom,
                                 .unit_star = units.star,
                                 .bond = units.bond,
                                 .inverse = first->inverse,
                                 .id = first->id,
                                 .mass = first->mass,
                                 .born = {born.job[0], born.job[1], born.job[2]},
                                 .born_radius = born.radius,
                                 .born_screen = born.screen,
                                 .born_reduced = born.reduced,
                                 .born_law = born.law,
                                 .langevin = first->scheme == MYR_MOLECULAR_LANGEVIN,
                                 .whole = first->scheme == MYR_MOLECULAR_NOSE_HOOVER ||
                                          first->scheme == MYR_MOLECULAR_BERENDSEN};
    for (int k = 0; k < MYR_BONDED_KINDS; k++)
        set.terms[k] = myr_bonded_terms(first->molecule->bonded, k, &set.term[k]);
    const myr_status status = plugin(g)->molecule_open ? plugin(g)->molecule_open(g->gpu->cuda, &set, &g->device)
                                                       : myr_context_fail(g->context, MYR_ERROR_UNAVAILABLE,
                                                                          "this plug-in does not move molecules");
    units_free(&units);
    return status;
}

myr_status myr_molecule_gpu_create(myr_context *context, const myr_gpu *gpu, int64_t n, myr_molecular *const *engine,
                                   myr_molecule_gpu **molecules)
{
    myr_status status = gpu_check(context, n, engine);
    *molecules = NULL;
    if (status)
        return status;
    myr_molecule_gpu *g = calloc(1, sizeof *g);
    if (g) {
        g->context = context;
        g->gpu = gpu;
        g->n = n;
        g->engine = myr_memory_zeros(n, sizeof *g->engine);
        g->job = myr_memory_zeros(n, sizeof *g->job);
        g->one = myr_memory_zeros(n, sizeof *g->one);
        g->made = myr_memory_zeros(n, sizeof *g->made);
        g->here = myr_memory_zeros(n, sizeof *g->here);
        g->stood = myr_memory_zeros(n, sizeof *g->stood);
        g->ahead = myr_memory_zeros(n, sizeof *g->ahead);
        g->moved = myr_memory_zeros(n, sizeof *g->moved);
    }
    if (!g || !g->engine || !g->job || !g->one || !g->made || !g->here || !g->stood || !g->ahead || !g->moved) {
        myr_molecule_gpu_destroy(&g);
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for %lld replicas", (long long)n);
    }
    memcpy(g->engine, engine, (size_t)n * sizeof *engine);
    status = gpu_open(g);
    if (status)
        myr_molecule_gpu_destroy(&g);
    *molecules = g;
    return status;
}

void myr_molecule_gpu_destroy(myr_molecule_gpu **molecules)
{
    myr_molecule_gpu *g = *molecules;
    if (!g)
        return;
    if (g->device)
        plugin(g)->molecule_close(g->device);
    free(g->engine);
    free(g->job);
    free(g->one);
    free(g->made);
    free(g->here);
    free(g->stood);
    free(g->ahead);
    free(g->moved);
    free(g->heat);
    free(g->furthest2);
    free(g);
    *molecules = NULL;
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

static myr_cuda_molecule_arrays gpu_arrays(const myr_molecular *m)
{
    myr_cuda_molecule_arrays a;
    for (int c = 0; c < 3; c++) {
        a.q[c] = m->q[c];
        a.v[c] = m->v[c];
        a.f[c] = m->f[c];
    }
    return a;
}

static myr_status gpu_send(const myr_molecule_gpu *g, int64_t r)
{
    const myr_cuda_molecule_arrays arrays = gpu_arrays(g->engine[r]);
    return plugin(g)->molecule_send(g->device, r, &arrays);
}

/* Brings the arrays up to date, unless they are; forces are not sent to the device, which finds them again. */
static myr_status gpu_fetch(myr_molecule_gpu *g, int64_t r)
{
    const myr_cuda_molecule_arrays arrays = gpu_arrays(g->engine[r]);
    const int ahead = g->ahead[r];
    g->ahead[r] = 0;
    return ahead ? plugin(g)->molecule_fetch(g->device, r, &arrays) : MYR_OK;
}

static int gpu_room(myr_molecule_gpu *g, int64_t most)
{
    if (most <= g->room)
        return 1;
    free(g->heat);
    free(g->furthest2);
    g->heat = myr_memory_zeros(2 * g->n * most, sizeof *g->heat);
    g->furthest2 = myr_memory_zeros(g->n * most, sizeof *g->furthest2);
    g->room = g->heat && g->furthest2 ? most : 0;
    return g->room > 0;
}

/* Number of steps from `number` on, at most `most`, before one that the processor makes. */
static int64_t gpu_free_steps(const myr_molecular *m, int64_t number, int64_t most)
{
    int64_t steps = 0;
    while (steps < most && !myr_molecular_unit_is_due(m, number + steps))
        steps++;
    return steps;
}

/* Temperatures of a thermostat, or variances of the noise, of the steps from `first` of the span on. */
static void gpu_heat(const myr_molecular *m, const myr_molecule_gpu_span *span, int64_t first, int64_t steps,
                     double keep, double *heat)
{
    for (int64_t k = 0; k < steps; k++) {
        const double time = span->time[first + k];
        heat[2 * k] = m->scheme == MYR_MOLECULAR_LANGEVIN
                          ? (1 - keep * keep) * myr_molecular_temperature(m, time + 0.5 * span->dt)
                          : myr_molecular_temperature(m, time);
        heat[2 * k + 1] = myr_molecular_temperature(m, time + span->dt);
    }
}

/* Describes the next steps of one replica, at most `most`, until it has made `until` of the span. heats: as in
 * myr_cuda_molecule_steps. */
static void gpu_describe(myr_molecule_gpu *g, int64_t r, const myr_molecule_gpu_span *span, int64_t until, int64_t most,
                         int64_t heats)
{
    const myr_molecular *m = g->engine[r];
    const myr_cuda_molecule_one *before = r > 0 ? &g->one[r - 1] : NULL;
    const int64_t first = g->made[r], number = span->step + first, left = until - first < most ? until - first : most;
    const int same = before && before->number == number && before->steps > 0 && before->steps <= left;
    myr_cuda_molecule_one *one = &g->one[r];
    *one = (myr_cuda_molecule_one){.job = myr_stage_job(m->molecule->stage),
                                   .seed = m->options.seed,
                                   .number = number,
                                   .steps = same ? before->steps : gpu_free_steps(m, number, left),
                                   .bath = myr_molecular_bath_set(m, span->dt),
                                   .chain = m->memory.chain};
    memcpy(one->origin, m->box.origin, sizeof one->origin);
    memcpy(one->length, m->box.length, sizeof one->length);
    if (m->scheme == MYR_MOLECULAR_LANGEVIN)
        one->keep = myr_elementary_exp(-m->parameter[MYR_MOLECULAR_COUPLING] * fabs(span->dt));
    if (one->steps > 0)
        gpu_heat(m, span, first, heats > 1 ? one->steps : 1, one->keep, g->heat + 2 * r * heats);
}

/* Number of steps, of those that the device made, before the one at which open axes are looked at; takes their ways
 * from the slack of the axes. */
static int64_t gpu_slack(const myr_molecule_gpu *g, int64_t r, const myr_molecule_gpu_span *span, int64_t most,
                         int64_t steps)
{
    myr_molecular *m = g->engine[r];
    for (int64_t k = 0; k < steps; k++) {
        const double factor = m->scheme == MYR_MOLECULAR_LANGEVIN ? 1 : fabs(span->dt);
        const double way = m->rigid ? 0 : sqrt(g->furthest2[r * most + k]) * factor;
        const double left = m->memory.slack - way;
        if (!(left > 0))
            return k;
        m->memory.slack = left;
    }
    return steps;
}

/* One launch, of at most `most` steps of every replica. */
static myr_status gpu_launch(myr_molecule_gpu *g, const myr_molecule_gpu_span *span, int64_t until, int64_t most)
{
    const double limit = myr_molecular_limit(g->engine[0]);
    int ramps = 0;
    for (int64_t r = 0; r < g->n; r++)
        ramps |= g->engine[r]->parameter[MYR_MOLECULAR_RAMP] > 0;
    const myr_cuda_molecule_steps all = {.most = most,
                                         .dt = span->dt,
                                         .limit2 = limit * limit,
                                         .heat = g->heat,
                                         .heats = ramps ? most : 1,
                                         .furthest2 = g->engine[0]->rigid ? NULL : g->furthest2};
    double seconds;
    int again = 0;
    for (int64_t r = 0; r < g->n; r++)
        gpu_describe(g, r, span, until, most, all.heats);
    myr_status status = plugin(g)->molecule_steps(g->device, g->one, &all, g->here, &seconds);
    if (status)
        return status;
    int64_t longest = 1;
    for (int64_t r = 0; r < g->n; r++)
        longest = g->one[r].steps > longest ? g->one[r].steps : longest;
    g->device_seconds += seconds;
    g->step_seconds = seconds / (double)longest;
    for (int64_t r = 0; r < g->n && !status; r++) {
        const int64_t asked = g->one[r].steps, fits = gpu_slack(g, r, span, most, g->here[r]);
        g->one[r].steps = fits < g->here[r] ? fits : 0;
        again |= g->one[r].steps > 0;
        if (fits < g->here[r])
            status = plugin(g)->molecule_back(g->device, r);
        g->made[r] += fits;
        g->ahead[r] |= fits > 0;
        g->moved[r] = fits > 0;
        g->here[r] = fits < asked;
    }
    if (!status && again)
        status = plugin(g)->molecule_again(g->device, g->one);
    for (int64_t r = 0; r < g->n && !status; r++)
        if (g->moved[r])
            plugin(g)->molecule_chain(g->device, r, &g->engine[r]->memory.chain);
    return status;
}

/* Steps on the processor of the replicas that need one. The device has their states before and after. */
static myr_status gpu_steps_here(myr_molecule_gpu *g, const myr_molecule_gpu_span *span, myr_status *status)
{
    const int threads = g->n > 1 ? myr_context_threads(g->context) : 1;
    int64_t count = 0;
    myr_status failed = MYR_OK;
    for (int64_t r = 0; r < g->n && !failed; r++) {
        count += g->here[r] != 0;
        failed = g->here[r] ? gpu_fetch(g, r) : MYR_OK;
    }
    if (!failed && count)
        failed = plugin(g)->molecule_wait(g->device);
    if (failed)
        return failed;
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1 && count > 1)
    for (int64_t r = 0; r < g->n; r++) {
        myr_molecular *m = g->engine[r];
        if (!g->here[r])
            continue;
        myr_molecular_measure_reach(m);
        status[r] = myr_molecular_step_here(m, span->time[g->made[r]], span->dt, span->step + g->made[r]);
        g->stood[r] = g->made[r];
        g->made[r] += !status[r];
        m->steps_made--; /* counted with the others */
    }
    for (int64_t r = 0; r < g->n && !failed; r++)
        failed = g->here[r] ? gpu_send(g, r) : MYR_OK;
    return failed;
}

/* Steps that choose the grid of the sums again are the processor's; 1 if there are any. */
static int gpu_mark_due(myr_molecule_gpu *g, const myr_molecule_gpu_span *span, int64_t until)
{
    int any = 0;
    for (int64_t r = 0; r < g->n; r++) {
        g->here[r] = g->made[r] < until && myr_molecular_unit_is_due(g->engine[r], span->step + g->made[r]);
        any |= g->here[r] != 0;
    }
    return any;
}

/* 1 if a replica must be looked at after a step. */
static int gpu_is_centred(const myr_molecular *m, int64_t step)
{
    return m->options.centre_interval > 0 && (step + 1) % m->options.centre_interval == 0;
}

/* Brings the arrays of all replicas that go on up to date, and removes the drift where that is due. */
static myr_status gpu_collect(myr_molecule_gpu *g, const myr_molecule_gpu_span *span, int64_t made, myr_status *status)
{
    myr_status failed = MYR_OK;
    for (int64_t r = 0; r < g->n && !failed; r++)
        if (!status[r])
            failed = gpu_fetch(g, r);
    if (!failed)
        failed = plugin(g)->molecule_wait(g->device);
    for (int64_t r = 0; r < g->n && !failed; r++) {
        myr_molecular *m = g->engine[r];
        if (status[r])
            continue;
        m->step = span->dt;
        m->now = span->time[made - 1] + span->dt;
        /* a step on the processor removes the drift itself */
        if (gpu_is_centred(m, span->step + made - 1) && !g->here[r])
            status[r] = myr_molecular_after_step(m, span->time[made - 1], span->dt, span->step + made - 1);
        myr_molecular_measure_reach(m);
        m->steps_made += made;
    }
    return failed;
}

/* Number of steps after which the drift of a replica is removed, or all. */
static int64_t gpu_until(const myr_molecule_gpu *g, const myr_molecule_gpu_span *span)
{
    int64_t most = span->most < g->room ? span->most : g->room;
    for (int64_t r = 0; r < g->n; r++)
        for (int64_t k = 0; k < most && g->engine[r]->options.centre_interval > 0; k++)
            if (gpu_is_centred(g->engine[r], span->step + k))
                most = k + 1;
    return most;
}

myr_status myr_molecule_gpu_steps(myr_molecule_gpu *g, const myr_molecule_gpu_span *span, myr_status *status,
                                  int64_t *made)
{
    const double start = myr_timer_now();
    *made = 0;
    if (!gpu_room(g, span->most < LAUNCH_MOST ? span->most : LAUNCH_MOST))
        return myr_context_fail(g->context, MYR_ERROR_MEMORY, "no memory for the steps of %lld replicas",
                                (long long)g->n);
    const int64_t until = gpu_until(g, span);
    myr_status failed = MYR_OK;
    for (int64_t r = 0; r < g->n && !failed; r++) {
        g->made[r] = status[r] ? until : 0;
        g->here[r] = g->ahead[r] = 0;
        failed = status[r] ? MYR_OK : gpu_send(g, r);
    }
    for (int64_t left = until; left > 0 && !failed;) {
        const double most = g->step_seconds > 0 ? fmax(LAUNCH_SECONDS / g->step_seconds, 1) : LAUNCH_FIRST;
        if (!gpu_mark_due(g, span, until))
            failed = gpu_launch(g, span, until, most < (double)left ? (int64_t)most : left);
        if (!failed)
            failed = gpu_steps_here(g, span, status);
        left = 0;
        for (int64_t r = 0; r < g->n; r++) {
            g->made[r] = status[r] ? until : g->made[r];
            left = until - g->made[r] > left ? until - g->made[r] : left;
        }
    }
    if (!failed)
        failed = gpu_collect(g, span, until, status);
    *made = failed ? 0 : until;
    g->seconds += myr_timer_now() - start;
    return failed;
}

myr_status myr_molecule_gpu_step_one(myr_molecular *m, const double *time, double dt, int64_t step, int64_t most,
                                     int64_t *made)
{
    const myr_molecule_gpu_span span = {time, dt, step, most};
    const double before = m->seat->seconds;
    myr_status own = MYR_OK;
    const myr_status status = myr_molecule_gpu_steps(m->seat, &span, &own, made);
    m->force_seconds += m->seat->seconds - before;
    if (own)
        *made = m->seat->stood[0];
    return status ? status : own;
}

void myr_molecule_gpu_report(const myr_molecule_gpu *g, myr_box_device *device, int *blocks, int *threads)
{
    *device = (myr_box_device){0};
    plugin(g)->molecule_report(g->device, &device->bytes, blocks, threads);
    device->step_seconds = g->device_seconds;
    device->rest_seconds = fmax(g->seconds - g->device_seconds, 0);
}
