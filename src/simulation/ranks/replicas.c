/* replicas.c - every rank has all particles; see replicas.h. */
#include "simulation/ranks/replicas.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/timer.h"
#include "backend/gpu.h"
#include "domain/local_ranks.h"
#include "domain/ranks.h"
#include "interaction/shared_run.h"
#include "simulation/motions.h"
#include "simulation/ranks/commands.h"
#include "simulation/ranks/divided_steps.h"
#include "simulation/steps.h"

/* Seconds between two returns of the leader to its caller, which may stop the run, write or wait. */
#define REPLICAS_SECONDS 0.1

/* What rank 0 tells the others before the first step. */
typedef struct {
    int64_t n;
    uint64_t hash; /* of ids and fields of the particles */
    char isa[32];  /* instruction set of the interaction, "" = none */
    double pairs;  /* from which evaluations are shared */
} replicas_facts;

int myr_replicas_are(const myr_simulation *s)
{
    const myr_motion *kind = myr_motion_of(s);
    return myr_ranks_count(s->context) > 1 && kind->every_rank && kind->kind != MYR_MOTION_OF_MESH;
}

int myr_replicas_on_gpu(const myr_simulation *s)
{
    return !myr_replicas_are(s) || !s->interaction || myr_method_of(s->interaction)->shares;
}

static uint64_t replicas_hash_words(uint64_t hash, const void *words, int64_t n)
{
    const char *at = words;
    for (int64_t i = 0; i < n; i++, at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static uint64_t replicas_hash(const myr_particles *p)
{
    const int64_t n = myr_particles_count(p);
    uint64_t hash = replicas_hash_words(1, myr_particles_ids(p), n);
    for (int k = 0; k < myr_particles_fields(p); k++)
        for (int c = 0; c < myr_particles_field_components(p, k); c++)
            hash = replicas_hash_words(hash, myr_particles_component_const(p, myr_particles_field_name(p, k), c), n);
    return hash;
}

static int replicas_is_gpu(const replicas_facts *facts)
{
    return strcmp(facts->isa, "cuda") == 0;
}

/* Compares this rank with rank 0. Portable arithmetic has the same bits with any instruction set. */
static myr_status replicas_compare(const myr_simulation *s, const replicas_facts *mine, const replicas_facts *first)
{
    const int portable = s->interaction && s->interaction->arithmetic == myr_catalogue_arithmetic("portable");
    if (mine->n != first->n)
        return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                "%" PRId64 " particles here, and %" PRId64 " on rank 0: give all ranks the same files",
                                mine->n, first->n);
    if (mine->hash != first->hash)
        return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                "the particles are not those of rank 0, bit by bit: give all ranks the same files, and "
                                "start the same program on machines of one kind");
    if ((!portable || replicas_is_gpu(mine) != replicas_is_gpu(first)) && strcmp(mine->isa, first->isa) != 0)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "forces would be computed with %s here, and with %s on rank 0; set backend.isa to an "
                                "instruction set that all ranks have, or, on processors, interaction.arithmetic to "
                                "portable",
                                mine->isa, first->isa);
    return MYR_OK;
}

/* Refuses a method whose evaluations every rank would repeat. */
static myr_status replicas_check_method(const myr_simulation *s)
{
    char shared[128] = "";
    if (!s->interaction || myr_method_of(s->interaction)->shares)
        return MYR_OK;
    for (int k = 0; myr_method_at(k); k++)
        if (myr_method_at(k)->shares) {
            strncat(shared, *shared ? ", " : "", sizeof shared - strlen(shared) - 1);
            strncat(shared, myr_method_at(k)->info.name, sizeof shared - strlen(shared) - 1);
        }
    return myr_context_fail(
        s->context, MYR_ERROR_COMBINATION,
        "method %s runs on one rank, and %d were started; use one rank, or a method that ranks share: %s",
        myr_method_of(s->interaction)->info.name, myr_ranks_count(s->context), shared);
}

/* What this rank computes with. */
static void replicas_describe(const myr_simulation *s, replicas_facts *mine)
{
    const char *pairs = getenv("MYRIAD_SHARE_PAIRS"); /* for tests and measurements */
    const double n = (double)myr_particles_count(s->particles);
    const myr_isa_table *isa = s->stage || !s->interaction ? NULL : myr_interaction_isa(s->interaction, n * n);
    *mine = (replicas_facts){.n = myr_particles_count(s->particles), .hash = replicas_hash(s->particles)};
    if (s->stage || isa)
        strncpy(mine->isa, s->stage ? myr_stage_isa(s->stage) : isa->name, sizeof mine->isa - 1);
    mine->pairs = pairs ? atof(pairs) : replicas_is_gpu(mine) ? MYR_SHARED_PAIRS_GPU : MYR_SHARED_PAIRS;
}

/* Gives each rank of a machine a GPU, if they compute with GPUs. */
static myr_status replicas_choose_gpu(myr_simulation *s, const replicas_facts *mine)
{
    int local, locals;
    if (!replicas_is_gpu(mine))
        return MYR_OK;
    const myr_status status = myr_local_ranks_find(s->context, &local, &locals);
    if (!status)
        myr_gpu_use(s->context, local);
    return status;
}

myr_status myr_replicas_join(myr_simulation *s)
{
    if (!myr_replicas_are(s) || s->ranks.joined)
        return MYR_OK;
    const myr_status refused = replicas_check_method(s);
    if (refused)
        return refused;
    replicas_facts mine;
    replicas_describe(s, &mine);
    replicas_facts first = mine;
    myr_status status = myr_ranks_share(s->context, &first, sizeof first);
    if (!status)
        status = replicas_compare(s, &mine, &first);
    if (!status)
        status = replicas_choose_gpu(s, &mine);
    myr_interaction_destroy(&s->energy); /* one that rank 0 has used alone may have chosen other settings */
    s->ranks.share_from = first.pairs;
    s->ranks.joined = !status;
    return status;
}

myr_status myr_replicas_check_change(const myr_simulation *s)
{
    return myr_replicas_are(s) && s->ranks.depth == 0
               ? myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                  "particles can be added, removed and changed on a single rank only; rules for vortex "
                                  "elements (myr_simulation_set_upkeep) work on several")
               : MYR_OK;
}

double myr_replicas_share_from(const myr_simulation *s)
{
    const int together = s->ranks.depth > 0 && s->ranks.open; /* all ranks are in this call */
    return together && myr_replicas_are(s) && s->ranks.joined ? s->ranks.share_from : 0;
}

/* All ranks make the same number of steps: rank 0 has told `most`, and the rest follows from the particles. */
myr_status myr_replicas_advance(myr_simulation *s, double end, double until, int64_t most)
{
    const myr_integration *m = &s->motion;
    const double start = myr_timer_now(), forward = end > m->shown ? 1 : -1;
    const int64_t before = m->steps, count = myr_replicas_are(s) && s->ranks.open ? most : 1;
    myr_status status = MYR_OK;
    for (int64_t k = 0, made;
         !status && k < count && (k == 0 || (forward * (end - m->shown) > 0 && forward * (until - m->shown) > 0));
         k += made) {
        made = 0;
        if (count - k > 1 && myr_divided_steps_fit(s))
            status = myr_divided_steps_advance(s, end, until, count - k, &made);
        if (!status && !made) {
            status = myr_steps_advance(s, end, until, 1);
            made = 1;
        }
    }
    const double each = (myr_timer_now() - start) / (double)(m->steps > before ? m->steps - before : 1);
    s->ranks.batch = each * (double)INT64_MAX > REPLICAS_SECONDS ? 1 + (int64_t)(REPLICAS_SECONDS / each) : 1;
    if (s->ranks.batch < MYR_DIVIDED_STEPS && s->interaction && s->interaction->shared_rows)
        s->ranks.batch = MYR_DIVIDED_STEPS;
    return status;
}

myr_status myr_simulation_shared(const myr_simulation *simulation, myr_shared_report *report)
{
    const myr_simulation *s = simulation;
    if (!s || !report)
        return MYR_ERROR_ARGUMENT;
    *report = (myr_shared_report){.ranks = myr_replicas_are(s) ? myr_ranks_count(s->context) : 1,
                                  .evaluations = s->ranks.evaluations};
    if (s->interaction) {
        report->shared = s->interaction->shared_runs;
        report->exchange_seconds = s->interaction->shared_seconds;
    }
    return MYR_OK;
}

myr_status myr_simulation_divided(const myr_simulation *simulation, myr_divided_report *report)
{
    if (!simulation || !report)
        return MYR_ERROR_ARGUMENT;
    *report = simulation->interaction ? simulation->interaction->divided : (myr_divided_report){0};
    return MYR_OK;
}
