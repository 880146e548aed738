/* ensemble_exchange.c - exchange of temperatures between the systems of an ensemble. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/elementary.h"
#include "core/memory.h"
#include "core/random.h"
#include "simulation/box_motion.h"
#include "simulation/ensemble.h"

enum { STREAM_EXCHANGE = 1 << 21, COLD = 1, HOT = 2, STATE_COLUMNS = 5 };

void myr_ensemble_free_exchange(myr_ensemble *ensemble)
{
    myr_ensemble_exchange_table *x = &ensemble->exchange;
    free(x->temperature);
    free(x->rank);
    free(x->tried);
    free(x->accepted);
    free(x->trips);
    free(x->heading);
    memset(x, 0, sizeof *x);
}

static double exchange_temperature(const myr_simulation *s)
{
    return s->motion.parameter[MYR_MOLECULAR_TEMPERATURE];
}

/* Fails unless a system has a bath whose temperature can be exchanged. */
static myr_status exchange_check(const myr_ensemble *e, int64_t k)
{
    const myr_simulation *s = e->simulation[k];
    if (!s->table || !s->table->molecular || s->table->molecular == MYR_MOLECULAR_VERLET)
        return myr_context_fail(e->context, MYR_ERROR_COMBINATION,
                                "systems exchange temperatures if integrator langevin, nose_hoover or berendsen moves "
                                "them in a box or as a molecule");
    if (s->motion.parameter[MYR_MOLECULAR_RAMP] > 0)
        return myr_context_fail(e->context, MYR_ERROR_COMBINATION,
                                "systems that exchange temperatures cannot have a ramp of their own");
    if (!(exchange_temperature(s) > 0))
        return myr_context_fail(e->context, MYR_ERROR_VALUE,
                                "system %lld has the temperature 0: there is nothing to "
                                "exchange",
                                (long long)k);
    return MYR_OK;
}

/* Notes that system k is at a temperature: a trip goes from the lowest to the highest and back. */
static void exchange_note(myr_ensemble *e, int64_t k)
{
    myr_ensemble_exchange_table *x = &e->exchange;
    if (x->rank[k] == e->n - 1 && x->heading[k] == COLD)
        x->heading[k] = HOT;
    if (x->rank[k] != 0)
        return;
    x->trips[k] += x->heading[k] == HOT;
    x->heading[k] = COLD;
}

static int exchange_make(myr_ensemble *e)
{
    myr_ensemble_exchange_table *x = &e->exchange;
    myr_ensemble_free_exchange(e);
    x->temperature = myr_memory_zeros(e->n, sizeof *x->temperature);
    int64_t **const column[] = {&x->rank, &x->tried, &x->accepted, &x->trips, &x->heading};
    int made = x->temperature != NULL;
    for (int c = 0; c < STATE_COLUMNS; c++)
        made &= (*column[c] = myr_memory_zeros(e->n, sizeof **column[c])) != NULL;
    return made;
}

myr_status myr_ensemble_prepare_exchange(myr_ensemble *ensemble, uint64_t seed)
{
    myr_ensemble *e = ensemble;
    if (!e)
        return MYR_ERROR_ARGUMENT;
    for (int64_t k = 0; k < e->n; k++) {
        const myr_status status = exchange_check(e, k);
        if (status)
            return status;
    }
    if (!exchange_make(e))
        return myr_context_fail(e->context, MYR_ERROR_MEMORY, "no memory for the exchange of %lld temperatures",
                                (long long)e->n);
    myr_ensemble_exchange_table *x = &e->exchange;
    x->seed = seed;
    for (int64_t k = 0; k < e->n; k++) {
        const double own = exchange_temperature(e->simulation[k]);
        for (int64_t j = 0; j < e->n; j++) {
            const double other = exchange_temperature(e->simulation[j]);
            x->rank[k] += other < own;
            if (j != k && other == own) {
                myr_ensemble_free_exchange(e);
                return myr_context_fail(
                    e->context, MYR_ERROR_VALUE,
                    "systems %lld and %lld have the same temperature: those that are exchanged must "
                    "increase",
                    (long long)(k < j ? k : j), (long long)(k < j ? j : k));
            }
        }
        x->temperature[x->rank[k]] = own;
    }
    for (int64_t k = 0; k < e->n; k++)
        exchange_note(e, k);
    return MYR_OK;
}

/* Gives a system the temperature of a rank: the velocities are scaled with its root. */
static myr_status exchange_set(myr_ensemble *e, int64_t k, int64_t rank)
{
    myr_simulation *s = e->simulation[k];
    const double before = exchange_temperature(s), after = e->exchange.temperature[rank];
    double *const parameter[] = {s->motion.parameter, s->box->engine->parameter};
    for (int p = 0; p < 2; p++)
        parameter[p][MYR_MOLECULAR_TEMPERATURE] = parameter[p][MYR_MOLECULAR_TEMPERATURE_END] = after;
    e->exchange.rank[k] = rank;
    const myr_status status = myr_molecular_scale(s->box->engine, sqrt(after / before));
    myr_molecular_measure_reach(s->box->engine);
    s->box->ahead = 1;
    return status;
}

/* Potential energies of all systems that go on. */
static void exchange_energies(myr_ensemble *e)
{
    const int threads = myr_context_threads(e->context);
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
    for (int64_t k = 0; k < e->n; k++) {
        myr_conserved now = {0};
        if (!e->status[k])
            e->status[k] = myr_simulation_conserved(e->simulation[k], &now);
        e->energy[k] = e->status[k] ? 0 : now.potential;
    }
}

/* 1 if the systems of a pair of temperatures exchange them. */
static int exchange_accepts(const myr_ensemble *e, int64_t rank, int64_t round, int64_t lower, int64_t upper)
{
    const myr_ensemble_exchange_table *x = &e->exchange;
    double u[2];
    const double beta = 1 / x->temperature[rank] - 1 / x->temperature[rank + 1];
    const double gain = beta * (e->energy[lower] - e->energy[upper]);
    myr_random_uniform(x->seed, STREAM_EXCHANGE + (uint32_t)(round >> 32), (uint64_t)rank, (uint32_t)round, u);
    return gain >= 0 || (gain > -700 && u[0] < myr_elementary_exp(gain));
}

myr_status myr_ensemble_exchange(myr_ensemble *ensemble, int64_t round)
{
    myr_ensemble *e = ensemble;
    if (!e)
        return MYR_ERROR_ARGUMENT;
    myr_ensemble_exchange_table *x = &e->exchange;
    if (!x->temperature)
        return myr_context_fail(e->context, MYR_ERROR_VALUE, "an exchange needs myr_ensemble_prepare_exchange first");
    for (int64_t k = 1; k < e->n; k++)
        if (!e->status[k] && !e->status[0] && e->simulation[k]->motion.time != e->simulation[0]->motion.time)
            return myr_context_fail(e->context, MYR_ERROR_VALUE, "systems 0 and %lld are at different times",
                                    (long long)k);
    exchange_energies(e);
    myr_status status = MYR_OK;
    for (int64_t rank = round & 1; rank + 1 < e->n && !status; rank += 2) {
        int64_t lower = 0, upper = 0;
        while (x->rank[lower] != rank)
            lower++;
        while (x->rank[upper] != rank + 1)
            upper++;
        if (e->status[lower] || e->status[upper])
            continue;
        x->tried[rank]++;
        if (!exchange_accepts(e, rank, round, lower, upper))
            continue;
        x->accepted[rank]++;
        status = exchange_set(e, lower, rank + 1);
        if (!status)
            status = exchange_set(e, upper, rank);
        exchange_note(e, lower);
        exchange_note(e, upper);
    }
    return status;
}

int64_t myr_ensemble_rank(const myr_ensemble *ensemble, int64_t k)
{
    const int known = ensemble && k >= 0 && k < ensemble->n && ensemble->exchange.rank;
    return known ? ensemble->exchange.rank[k] : -1;
}

myr_status myr_ensemble_exchanged(const myr_ensemble *ensemble, int64_t rank, double *temperature, int64_t *tried,
                                  int64_t *accepted)
{
    if (!ensemble || rank < 0 || rank >= ensemble->n || !ensemble->exchange.temperature || !temperature || !tried ||
        !accepted)
        return MYR_ERROR_ARGUMENT;
    *temperature = ensemble->exchange.temperature[rank];
    *tried = ensemble->exchange.tried[rank];
    *accepted = ensemble->exchange.accepted[rank];
    return MYR_OK;
}

int64_t myr_ensemble_round_trips(const myr_ensemble *ensemble, int64_t k)
{
    const int known = ensemble && k >= 0 && k < ensemble->n && ensemble->exchange.trips;
    return known ? ensemble->exchange.trips[k] : 0;
}

/* --- checkpoints -------------------------------------------------------------------------------------------------- */

int64_t myr_ensemble_exchange_state(const myr_ensemble *ensemble, int64_t *state, int64_t room)
{
    if (!ensemble || !ensemble->exchange.temperature)
        return 0;
    const myr_ensemble_exchange_table *x = &ensemble->exchange;
    const int64_t *const column[STATE_COLUMNS] = {x->rank, x->tried, x->accepted, x->trips, x->heading};
    for (int64_t k = 0; k < STATE_COLUMNS * ensemble->n && k < room; k++)
        state[k] = column[k / ensemble->n][k % ensemble->n];
    return STATE_COLUMNS * ensemble->n;
}

myr_status myr_ensemble_set_exchange_state(myr_ensemble *ensemble, const int64_t *state, int64_t count)
{
    if (!ensemble || !state)
        return MYR_ERROR_ARGUMENT;
    myr_ensemble_exchange_table *x = &ensemble->exchange;
    int64_t *const column[STATE_COLUMNS] = {x->rank, x->tried, x->accepted, x->trips, x->heading};
    if (!x->temperature || count != STATE_COLUMNS * ensemble->n)
        return myr_context_fail(ensemble->context, MYR_ERROR_VALUE,
                                "this is not the state of an exchange of %lld systems", (long long)ensemble->n);
    const int64_t n = ensemble->n, *tried = state + n, *accepted = tried + n, *trips = accepted + n,
                  *heading = trips + n;
    for (int64_t k = 0; k < n; k++)
        if (tried[k] < 0 || accepted[k] < 0 || accepted[k] > tried[k] || trips[k] < 0 || heading[k] < 0 ||
            heading[k] > HOT)
            return myr_context_fail(ensemble->context, MYR_ERROR_VALUE,
                                    "the state of an exchange has numbers for system %lld that cannot be",
                                    (long long)k);
    for (int64_t k = 0; k < ensemble->n; k++)
        if (state[k] != x->rank[k])
            return myr_context_fail(ensemble->context, MYR_ERROR_VALUE,
                                    "system %lld does not have the temperature of the state of the exchange",
                                    (long long)k);
    for (int64_t k = 0; k < count; k++)
        column[k / ensemble->n][k % ensemble->n] = state[k];
    return MYR_OK;
}
