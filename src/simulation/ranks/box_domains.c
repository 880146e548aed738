/* box_domains.c - connects the engine of particles in a box with those of other ranks by halos and migration. */
#include "simulation/ranks/box_domains.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/timer.h"
#include "domain/balance.h"
#include "domain/clock.h"
#include "domain/halo.h"
#include "domain/local_ranks.h"
#include "domain/migration.h"
#include "domain/ranks.h"
#include "molecular/molecular.h"
#include "simulation/box_motion.h"
#include "simulation/ranks/gather_rows.h"
#include "simulation/ranks/replicas.h"
#include "simulation/ranks/row_names.h"

struct myr_box_domains {
    myr_context *context;
    myr_decomposition *d;
    myr_halo *halo;
    myr_balance balance;
    int64_t looked_steps; /* steps of the list at the last measurement of their cost, and the cost so far */
    double looked_worked;
    int begins;       /* 1 = particles may be on any rank */
    double length[3]; /* box lengths for which the planes were made */
    int64_t migrated;
    double migration_seconds, agreement_seconds;
};

/* --- links: requests of a domain's engine to the others ----------------------------------------------------------- */

static myr_status links_largest(void *user, double *value, int count)
{
    myr_box_domains *w = user;
    const double began = myr_timer_now();
    const myr_status status = myr_ranks_max(w->context, value, count);
    w->agreement_seconds += myr_timer_now() - began;
    return status;
}

static myr_status links_add(void *user, myr_wide *sum, int count)
{
    myr_box_domains *w = user;
    const double began = myr_timer_now();
    const myr_status status = myr_ranks_sum_wide(w->context, sum, count);
    w->agreement_seconds += myr_timer_now() - began;
    return status;
}

static myr_status links_largest_begin(void *user, const double *value, int count)
{
    myr_box_domains *w = user;
    const double began = myr_timer_now();
    const myr_status status = myr_ranks_max_begin(w->context, value, count);
    w->agreement_seconds += myr_timer_now() - began;
    return status;
}

static myr_status links_largest_end(void *user, int wait, double *value, int count, int *done)
{
    myr_box_domains *w = user;
    const double began = myr_timer_now();
    const myr_status status = myr_ranks_max_end(w->context, wait, value, count, done);
    w->agreement_seconds += myr_timer_now() - began;
    return status;
}

static myr_status links_reserve(void *user, int64_t kept, int64_t count)
{
    myr_molecular *m = user;
    m->n = kept; /* keeps the first `kept` entries on realloc */
    return myr_molecular_reserve(m, count);
}

/* Lists all data that migrate with a particle, the coordinates first. */
static int links_parts(myr_molecular *m, myr_migrant *part)
{
    myr_molecular_field field[MYR_MOLECULAR_FIELDS];
    const int fields = myr_molecular_fields(m, field);
    int parts = 0;
    for (int c = 0; c < 3; c++)
        part[parts++] = (myr_migrant){(void **)&m->q[c], sizeof *m->q[c]};
    for (int k = 0; k < fields; k++) {
        int is_coordinate = 0;
        for (int c = 0; c < 3; c++)
            is_coordinate |= field[k].array == (void **)&m->q[c];
        if (field[k].stays && !is_coordinate)
            part[parts++] = (myr_migrant){field[k].array, field[k].bytes};
    }
    return parts;
}

/* Rescales the planes when an open axis grows by doubling, because planes are in fractions of the axis. */
static void links_follow_box(myr_box_domains *w, const myr_box *box)
{
    for (int c = 0; c < 3; c++) {
        if (!box->periodic[c] && box->length[c] != w->length[c])
            myr_decomposition_widen(w->d, c, box->length[c] / w->length[c]);
        w->length[c] = box->length[c];
    }
}

/* Rank that owns the position, or the row, of a particle. */
static int domains_owner(const myr_box_domains *w, const myr_molecular *m, int64_t i, int by_row)
{
    const uint64_t q[3] = {m->q[0][i], m->q[1][i], m->q[2][i]};
    if (!by_row)
        return myr_decomposition_owner(w->d, q);
    int rank = (int)((myr_wide)m->index[i] * w->d->ranks / m->all);
    while (myr_ranks_first(w->context, m->all, rank + 1) <= m->index[i])
        rank++;
    return rank;
}

/* Sends all particles to the rank that owns their position, or their row. */
static myr_status domains_spread(myr_box_domains *w, myr_molecular *m, const myr_migrants *migrants, int by_row)
{
    int32_t *owner = malloc((size_t)(m->n + 1) * sizeof *owner);
    myr_status status = MYR_OK;
    if (!owner)
        status = myr_context_fail(w->context, MYR_ERROR_MEMORY, "no memory to divide %lld particles", (long long)m->n);
    status = myr_ranks_agree(w->context, status);
    for (int64_t i = 0; i < m->n && !status; i++)
        owner[i] = domains_owner(w, m, i, by_row);
    if (!status)
        status = myr_migration_spread(w->context, migrants, owner, &m->n);
    free(owner);
    if (status || m->capacity < 2 * m->n)
        return status;
    m->capacity = -1; /* frees the memory of particles that left */
    return myr_molecular_reserve(m, m->n);
}

/* Measures the load of this rank since the last list. */
static myr_status links_balance(myr_box_domains *w, const myr_molecular *m)
{
    myr_neighbour_progress list;
    myr_neighbour_progress_of(m->list, &list);
    /* the pairs of a list on a GPU stay there */
    const myr_balance_load load = {.pairs = m->gpu ? m->n : list.pairs,
                                   .n = m->n,
                                   .q = m->q,
                                   .steps = list.steps - w->looked_steps,
                                   .seconds = list.worked - w->looked_worked};
    w->looked_steps = list.steps;
    w->looked_worked = list.worked;
    return myr_balance_run(&w->balance, w->context, w->d, &m->box, &load);
}

static myr_status links_migrate(void *user, myr_molecular *m)
{
    myr_box_domains *w = user;
    const double began = myr_timer_now();
    links_follow_box(w, &m->box);
    myr_migrant part[MYR_MOLECULAR_FIELDS];
    const myr_migrants migrants = {part, links_parts(m, part), links_reserve, m};
    int64_t moved = 0;
    myr_status status = w->begins ? domains_spread(w, m, &migrants, 0) : MYR_OK;
    w->begins = 0;
    if (!status)
        status = links_balance(w, m);
    if (!status)
        status = myr_migration_run(w->context, w->d, &migrants, &m->n, &moved);
    w->migrated += moved;
    w->migration_seconds += myr_timer_now() - began;
    return status;
}

static myr_status links_surround(void *user, myr_molecular *m, double width)
{
    myr_box_domains *w = user;
    int64_t count;
    w->balance.width = width;
    myr_status status = myr_halo_build(w->halo, &m->box, width, m->n, m->q, m->type, m->id, &count);
    if (!status)
        status = myr_molecular_reserve(m, m->n + count);
    if (status)
        return status;
    m->halo = count;
    myr_halo_fill(w->halo, m->q, m->type, m->id);
    return MYR_OK;
}

static myr_status links_send(void *user, myr_molecular *m)
{
    return myr_halo_begin(((myr_box_domains *)user)->halo, m->q);
}

static myr_status links_poll(void *user, myr_molecular *m)
{
    return myr_halo_poll(((myr_box_domains *)user)->halo, m->q);
}

static myr_status links_receive(void *user, myr_molecular *m)
{
    return myr_halo_end(((myr_box_domains *)user)->halo, m->q);
}

static const int32_t *links_places(void *user, int64_t *count)
{
    return myr_halo_places(((myr_box_domains *)user)->halo, count);
}

static myr_status links_swap(void *user, uint64_t *out, uint64_t *in)
{
    return myr_halo_swap(((myr_box_domains *)user)->halo, out, in);
}

/* --- division of the box ------------------------------------------------------------------------------------------ */

/* Broadcasts the state of rank 0's engine. */
static myr_status prepare_engine(myr_simulation *s)
{
    myr_molecular *m = s->box->engine;
    int64_t exponent = myr_neighbour_exponent(m->list);
    myr_status status = myr_ranks_share(s->context, &exponent, sizeof exponent);
    if (!status)
        status = myr_ranks_share(s->context, &m->memory, sizeof m->memory);
    if (!status)
        status = myr_ranks_share(s->context, &m->box, sizeof m->box);
    if (!status)
        status = myr_neighbour_set_box(m->list, &m->box);
    myr_neighbour_set_exponent(m->list, (int)exponent);
    if (s->ranks.part.same)
        myr_molecular_keep(m, s->ranks.part.keep_first, s->ranks.part.keep_last);
    return status;
}

static myr_status domains_cut(myr_box_domains *w, const myr_molecular *m)
{
    double low[3], extent[3];
    myr_neighbour_progress p;
    myr_neighbour_progress_of(m->list, &p);
    w->balance.width = m->cutoff[1] + (m->options.skin > 0 ? p.skin : MYR_NEIGHBOUR_SKIN_DIVIDED * m->cutoff[1]);
    memcpy(w->length, m->box.length, sizeof w->length);
    myr_status status = myr_decomposition_extent(w->context, &m->box, m->n, m->q, low, extent);
    if (!status)
        status = myr_decomposition_create(w->context, &m->box, low, extent, w->balance.width, &w->d);
    return status ? status : myr_halo_create(w->context, w->d, &w->halo);
}

static myr_status domains_divide(myr_box_domains *w, myr_molecular *m)
{
    myr_molecular_links links = {
        .user = w,
        .agreement = {w, links_largest, links_add, links_largest_begin, links_largest_end},
        .migrate = links_migrate,
        .surround = links_surround,
        .send = links_send,
        .receive = links_receive,
        .poll = links_poll,
        .places = links_places,
        .swap = links_swap,
    };
    w->begins = 1;
    const myr_status status = myr_local_ranks_find(w->context, &links.local, &links.locals);
    return status ? status : myr_molecular_divide(m, &links);
}

myr_status myr_box_domains_check(const myr_simulation *s)
{
    const char *method = s->interaction ? myr_interaction_choice(s->interaction, "method") : NULL;
    const char *sums = s->interaction ? myr_interaction_choice(s->interaction, "accumulator") : NULL;
    if (!s->box->engine)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "%s%s runs on one rank, and %d were started; particles in a box (method neighbour) can "
                                "be divided among several, and so can the transforms of a mesh (method spectral)",
                                method ? "method " : "this motion", method ? method : "", myr_ranks_count(s->context));
    if (s->box->engine->function.call)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "an external field that a function of the program computes acts on one rank, and %d "
                                "were started",
                                myr_ranks_count(s->context));
    if (!s->box->engine->fixed)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "accumulator %s sums in an order that depends on the ranks; use accumulator fixed on "
                                "several of them",
                                sums);
    return MYR_OK;
}

myr_status myr_box_domains_refuse(myr_simulation *s)
{
    return myr_ranks_count(s->context) == 1 ? MYR_OK : myr_box_domains_check(s);
}

/* Empty set with the fields of the user's set and those of the engine, in the order they have on one rank. */
static myr_status domains_fields(myr_simulation *s, myr_particles **fields)
{
    const myr_particles *p = s->particles;
    myr_status status = myr_particles_create(s->context, 0, fields);
    for (int k = 0; k < myr_particles_fields(p) && !status; k++)
        status = myr_particles_add_field(*fields, myr_particles_field_name(p, k), myr_particles_field_components(p, k));
    return status ? status : myr_molecular_add_fields(s->box->engine, *fields);
}

/* Discards the particle set except its fields, because the engine has all particles. */
static void domains_forget(myr_simulation *s, myr_particles *fields)
{
    myr_particles_destroy(&s->synchronous);
    myr_particles_destroy(&s->box->anchors);
    myr_kept_destroy(&s->kept);
    myr_particles_destroy(&s->particles);
    s->particles = fields;
    s->motion.ids = NULL;
    s->box->ahead = 1;
}

static myr_status domains_take_over(myr_simulation *s)
{
    myr_particles *fields = NULL;
    myr_status status = myr_row_names_gather(s);
    if (!status)
        status = domains_fields(s, &fields);
    if (!status)
        status = myr_molecular_carry(s->box->engine, fields, s->particles, s->ranks.part.rows.first);
    if (!status)
        domains_forget(s, fields);
    else
        myr_particles_destroy(&fields);
    return status;
}

myr_status myr_box_domains_open(myr_simulation *s)
{
    if (s->ranks.domains || myr_ranks_count(s->context) == 1 || myr_replicas_are(s))
        return MYR_OK;
    myr_status status = myr_box_domains_check(s);
    if (status)
        return status;
    myr_box_domains *w = calloc(1, sizeof *w);
    if (!w)
        return myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for domains");
    s->ranks.domains = w;
    w->context = s->context;
    status = prepare_engine(s);
    if (!status)
        status = domains_cut(w, s->box->engine);
    if (!status)
        myr_box_domains_choose(s);
    if (!status && !s->box->engine->set) /* an engine from a checkpoint is complete */
        status = domains_take_over(s);
    if (!status)
        status = domains_divide(w, s->box->engine);
    s->motion.n = s->box->engine->all;
    if (!status && s->motion.started) {
        myr_molecular_measure_reach(s->box->engine);
        status = myr_molecular_gpu_open(s->box->engine);
    }
    return status;
}

myr_status myr_box_domains_home(myr_simulation *s)
{
    myr_molecular *m = s->box->engine;
    myr_migrant part[MYR_MOLECULAR_FIELDS];
    const myr_migrants migrants = {part, links_parts(m, part), links_reserve, m};
    const myr_status status = myr_molecular_settle(m);
    m->halo = 0;
    return status ? status : domains_spread(s->ranks.domains, m, &migrants, 1);
}

void myr_box_domains_choose(myr_simulation *s)
{
    if (!s->ranks.domains || !s->ranks.domains->halo)
        return;
    s->ranks.domains->balance.by = s->ranks.options.balance;
    myr_halo_choose(s->ranks.domains->halo, s->ranks.options.exchange);
}

void myr_box_domains_close(myr_simulation *s)
{
    if (!s->ranks.domains)
        return;
    myr_halo_destroy(&s->ranks.domains->halo);
    myr_decomposition_destroy(&s->ranks.domains->d);
    free(s->ranks.domains);
    s->ranks.domains = NULL;
}

/* --- results ------------------------------------------------------------------------------------------------------ */

myr_status myr_box_domains_gather(myr_simulation *s, const void *block, size_t size, void **all, size_t *bytes)
{
    int64_t sum = (int64_t)size;
    *all = NULL;
    myr_status status = myr_ranks_sum(s->context, &sum, 1);
    *bytes = (size_t)sum;
    if (!status && myr_ranks_me(s->context) == 0 && !(*all = malloc((size_t)sum + 1)))
        status =
            myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for %lld bytes of all ranks", (long long)sum);
    return status ? status : myr_ranks_gather(s->context, block, size, *all);
}

/* --- clock -------------------------------------------------------------------------------------------------------- */

/* Lists and times of this rank: those of the processor, and of its GPU if it has one. */
static myr_neighbour_progress domains_lists(const myr_molecular *m)
{
    myr_neighbour_progress list = {.force_seconds = m->force_seconds};
    myr_box_device device;
    if (m->list)
        myr_neighbour_progress_of(m->list, &list);
    if (m->gpu && !myr_molecular_gpu_report(m, 0, &device)) {
        list.force_seconds += device.step_seconds;
        list.list_seconds += device.list_seconds;
        list.builds = device.lists;
    }
    return list;
}

static myr_clock_seconds domains_seconds(const myr_simulation *s)
{
    const myr_box_domains *w = s->ranks.domains;
    myr_halo_progress h;
    const myr_neighbour_progress list = domains_lists(s->box->engine);
    myr_clock_seconds now = {.force = list.force_seconds,
                             .list = list.list_seconds + list.proof_seconds,
                             .all = s->step_seconds,
                             .reductions = myr_ranks_reductions(s->context),
                             .lists = list.builds};
    if (!w)
        return now;
    myr_halo_progress_of(w->halo, &h);
    now.communication = h.seconds + w->migration_seconds + w->agreement_seconds;
    return now;
}

void myr_box_domains_clock(myr_simulation *s, int is_step)
{
    if (!s->ranks.clock)
        return;
    const myr_clock_seconds now = domains_seconds(s);
    if (is_step)
        myr_clock_step(s->ranks.clock, &now);
    else
        myr_clock_mark(s->ranks.clock, &now);
}

myr_status myr_box_domains_times(myr_simulation *s, myr_rank_times *times)
{
    if (!s->ranks.clock && !(s->ranks.clock = calloc(1, sizeof *s->ranks.clock)))
        return myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for the times of steps");
    const myr_clock_seconds now = domains_seconds(s);
    const myr_status status = myr_clock_read(s->ranks.clock, s->context, &now, times);
    myr_clock_start(s->ranks.clock, &now);
    return status;
}

/* --- report ------------------------------------------------------------------------------------------------------- */

myr_status myr_box_domains_report(myr_simulation *s, myr_rank_report *report)
{
    const myr_box_domains *w = s->ranks.domains;
    memset(report, 0, sizeof *report);
    report->ranks = myr_ranks_count(s->context);
    for (int c = 0; c < 3; c++)
        report->domains[c] = w ? w->d->count[c] : 1;
    if (!w)
        return MYR_OK;
    myr_halo_progress h;
    const myr_neighbour_progress list = domains_lists(s->box->engine);
    myr_halo_progress_of(w->halo, &h);
    double most[3] = {(double)list.pairs, (double)s->box->engine->n, (double)h.particles};
    int64_t sum[4] = {list.pairs, w->migrated, s->box->engine->n, h.particles};
    myr_status status = myr_ranks_max(s->context, most, 3);
    if (!status)
        status = myr_ranks_sum(s->context, sum, 4);
    report->imbalance = sum[0] > 0 ? most[0] * report->ranks / (double)sum[0] : 1;
    report->imbalance_before = w->balance.before;
    report->pairs = sum[0];
    report->migrated = sum[1];
    report->particles_most = (int64_t)most[1];
    report->halo_most = (int64_t)most[2];
    report->halo = sum[3];
    report->rebuilds = list.builds;
    report->plane_moves = w->balance.moves;
    report->messages = h.messages;
    for (int c = 0; c < 3; c++)
        report->bytes[c] = h.bytes[c];
    report->force_seconds = list.force_seconds;
    report->list_seconds = list.list_seconds + list.proof_seconds;
    report->exchange_seconds = h.seconds + w->migration_seconds;
    report->agreement_seconds = w->agreement_seconds;
    return status;
}
