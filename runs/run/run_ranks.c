/* run_ranks.c - a run on several ranks: how its particles are divided, and where the time of the ranks went. */
#include "run/run.h"

int run_is_divided(const run *r)
{
    return myr_ranks_count(r->context) > 1 && input_is_divided(r->in);
}

int run_start_clock(run *r)
{
    return run_is_divided(r) ? cli_check(r->context, myr_simulation_rank_times(r->simulation, &r->times)) : CLI_OK;
}

int run_stop_clock(run *r)
{
    return r->code == CLI_OK || r->code == RUN_STOPPED ? run_start_clock(r) : CLI_OK; /* else ranks have parted */
}

static void write_each(const myr_rank_times *t, json_writer *w)
{
    json_open(w, "each", '[');
    for (int k = 0; k < t->ranks && k < MYR_RANK_TIMES_EACH; k++) {
        json_open(w, NULL, '{');
        json_number(w, "force", t->each[k].force);
        json_number(w, "list", t->each[k].list);
        json_number(w, "communication", t->each[k].spoken < t->communication ? t->each[k].spoken : t->communication);
        json_number(w, "idle", t->each[k].spoken < t->communication ? 0 : t->each[k].spoken - t->communication);
        json_number(w, "memory", t->each[k].memory);
        json_close(w);
    }
    json_close(w);
}

/* Ranks of which each has all particles. */
static void write_shared(const run *r, json_writer *w)
{
    myr_shared_report shared = {0};
    if (myr_simulation_shared(r->simulation, &shared) || shared.ranks < 2)
        return;
    json_open(w, "shared", '{');
    json_integer(w, "ranks", shared.ranks);
    json_text(w, "library", myr_ranks_library(r->context));
    json_integer(w, "evaluations", shared.evaluations);
    json_integer(w, "of_all_ranks", shared.shared);
    json_number(w, "exchange", shared.exchange_seconds);
    json_close(w);
    myr_divided_report divided;
    if (myr_simulation_divided(r->simulation, &divided) || !divided.evaluations)
        return;
    json_open(w, "divided", '{');
    json_integer(w, "evaluations", divided.evaluations);
    json_integer(w, "steps", divided.steps);
    json_integer(w, "particles", divided.particles);
    json_integer(w, "received", divided.received);
    json_integer(w, "bytes", divided.bytes);
    json_integer(w, "memory", divided.memory);
    json_integer(w, "migrated", divided.migrated);
    json_integer(w, "cuts", divided.cuts);
    json_number(w, "imbalance", divided.imbalance);
    json_close(w);
}

void run_write_ranks(const run *r, json_writer *w)
{
    const myr_rank_times *t = &r->times;
    const myr_rank_report *d = &r->sample.ranks;
    write_shared(r, w);
    if (!run_is_divided(r) || t->steps == 0)
        return;
    json_open(w, "ranks", '{');
    json_integer(w, "count", t->ranks);
    json_text(w, "library", myr_ranks_library(r->context));
    json_open(w, "domains", '[');
    for (int c = 0; c < 3; c++)
        json_integer(w, NULL, d->domains[c]);
    json_close(w);
    json_integer(w, "migrated", d->migrated);
    json_integer(w, "plane_moves", d->plane_moves);
    json_number(w, "imbalance", d->imbalance);
    json_integer(w, "halo", d->halo_most);
    json_integer(w, "bytes", d->bytes[0] + d->bytes[1] + d->bytes[2]);
    json_integer(w, "messages", d->messages);
    json_integer(w, "steps", t->steps); /* of this session, as all that follows */
    json_number(w, "seconds", t->seconds);
    json_number(w, "force", t->force);
    json_number(w, "list", t->list);
    json_number(w, "communication", t->communication);
    json_number(w, "idle", t->idle);
    json_number(w, "rest", t->rest);
    json_number(w, "reductions", t->meetings);
    json_number(w, "t_diff", t->difference);
    json_number(w, "t_diff_most", t->difference_most);
    json_number(w, "memory_most", t->memory_most); /* bytes, from the beginning on */
    write_each(t, w);
    json_close(w);
}
