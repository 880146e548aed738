/* commands.c - commands of rank 0, and the ranks that follow. */
#include "simulation/ranks/commands.h"

#include <myriad/elements.h>

#include "domain/ranks.h"
#include "simulation/box_motion.h"
#include "simulation/ranks/box_domains.h"
#include "simulation/ranks/replicas.h"

static int commands_is(const myr_simulation *s)
{
    return myr_ranks_count(s->context) > 1;
}

int myr_commands_follows(const myr_simulation *s)
{
    return commands_is(s) && myr_ranks_me(s->context) > 0;
}

/* Returns 1 if ranks have read a checkpoint, each a part of the particles, and have not divided the box yet. */
static int commands_undivided(const myr_simulation *s)
{
    return commands_is(s) && s->box->engine && s->ranks.part.known && !s->ranks.domains;
}

int myr_commands_particles(const myr_simulation *s)
{
    return s->ranks.domains || commands_undivided(s);
}

myr_status myr_commands_whole(myr_simulation *s)
{
    const int begins = commands_is(s) && s->ranks.part.given && !s->motion.started && s->ranks.depth == 0;
    return begins && !myr_commands_follows(s) ? myr_simulation_step(s, s->motion.shown) : MYR_OK;
}

/* Returns 1 for commands that need the initial particles: before the first step a rank may have only some of them, and
 * a checkpoint holds all. */
static int commands_begins(const myr_simulation *s, const myr_command *order)
{
    return !s->motion.started && (order->kind == MYR_COMMAND_THERMODYNAMICS || order->kind == MYR_COMMAND_REVERSE ||
                                  (order->kind == MYR_COMMAND_SAVE && myr_box_motion_wanted(s)));
}

/* Returns 1 if a command involves all ranks. Until the first step divides the particles a rank works alone, unless the
 * particles come from a checkpoint. */
static int commands_needs(const myr_simulation *s, const myr_command *order)
{
    if (commands_undivided(s) && order->kind != MYR_COMMAND_OPTIONS) /* all ranks set options themselves */
        return 1;
    if ((order->kind == MYR_COMMAND_CONSERVED || order->kind == MYR_COMMAND_THERMODYNAMICS) && myr_replicas_are(s) &&
        !commands_begins(s, order)) /* until the first step rank 0 works alone */
        return s->ranks.joined;
    if (order->kind == MYR_COMMAND_MERGE ||
        order->kind == MYR_COMMAND_KEEP_FIT) /* changes the particles, of which every rank has all */
        return myr_replicas_are(s);
    if (order->kind == MYR_COMMAND_HEAT || order->kind == MYR_COMMAND_REST || order->kind == MYR_COMMAND_MINIMISE)
        return 1;
    if (order->kind == MYR_COMMAND_REVERSE && myr_replicas_are(s))
        return s->ranks.joined || commands_begins(s, order);
    return s->ranks.domains || order->kind == MYR_COMMAND_ADVANCE || order->kind == MYR_COMMAND_TIMES ||
           commands_begins(s, order);
}

/* Refuses a call that a following rank makes by itself: rank 0 would wait for an answer to its own command. The end of
 * the command tells the other ranks. */
static myr_status commands_refuse(const myr_simulation *s)
{
    return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                            "rank 0 leads a simulation on several ranks, and this rank used it by itself; let ranks "
                            "other than 0 call only myr_simulation_follow (follow() in Python)");
}

myr_status myr_commands_begin(myr_simulation *s, const myr_command *order)
{
    myr_command copy = *order;
    if (s->ranks.depth++ > 0)
        return MYR_OK;
    s->ranks.open = commands_is(s) && commands_needs(s, order);
    if (!s->ranks.open)
        return MYR_OK;
    myr_status status = MYR_OK;
    if (myr_commands_follows(s) && !s->ranks.follows)
        return commands_refuse(s);
    if (!myr_commands_follows(s)) {
        s->ranks.leads = 1;
        status = myr_ranks_share(s->context, &copy, sizeof copy);
    }
    return !status && commands_undivided(s) ? myr_box_domains_open(s) : status;
}

myr_status myr_commands_end(myr_simulation *s, myr_status status)
{
    return --s->ranks.depth == 0 && s->ranks.open ? myr_ranks_agree(s->context, status) : status;
}

void myr_commands_close(myr_simulation *s)
{
    myr_command order = {.kind = MYR_COMMAND_END};
    if (s->ranks.leads)
        (void)myr_ranks_share(s->context, &order, sizeof order); /* after a failure no rank waits for it */
}

static myr_status follow_order(myr_simulation *s, const myr_command *order)
{
    const myr_particles *particles;
    myr_conserved conserved;
    myr_thermodynamics thermodynamics;
    myr_rank_report report;
    myr_minimum minimum;
    myr_rank_times times;
    int64_t merged;
    myr_upkeep_report upkeep;
    double energy;
    switch ((myr_command_kind)order->kind) {
    case MYR_COMMAND_ADVANCE:
        return myr_simulation_advance(s, order->end, order->until, order->most);
    case MYR_COMMAND_PARTICLES:
        return myr_simulation_particles(s, &particles);
    case MYR_COMMAND_SAVE:
        return myr_simulation_save(s, "-");
    case MYR_COMMAND_HEAT:
        return myr_simulation_heat(s, order->value, order->seed);
    case MYR_COMMAND_REST:
        return myr_simulation_rest(s);
    case MYR_COMMAND_MINIMISE:
        return myr_simulation_minimise(s, order->value, order->most, &minimum);
    case MYR_COMMAND_REVERSE:
        return myr_simulation_reverse(s);
    case MYR_COMMAND_CONSERVED:
        return myr_simulation_conserved(s, &conserved);
    case MYR_COMMAND_THERMODYNAMICS:
        return myr_simulation_thermodynamics(s, &thermodynamics);
    case MYR_COMMAND_REPORT:
        return myr_simulation_ranks(s, &report);
    case MYR_COMMAND_TIMES:
        return myr_simulation_rank_times(s, &times);
    case MYR_COMMAND_OPTIONS:
        return myr_simulation_set_ranks(s, &order->options);
    case MYR_COMMAND_SNAPSHOT:
        return myr_simulation_write(s, NULL, NULL, NULL, NULL);
    case MYR_COMMAND_KEEP:
        return myr_simulation_keep(s);
    case MYR_COMMAND_WRITE_KEPT:
        return myr_simulation_write_kept(s, NULL, NULL, NULL, NULL);
    case MYR_COMMAND_MERGE:
        return myr_simulation_merge(s, *order->name ? order->name : NULL, order->value, &merged, &energy);
    case MYR_COMMAND_KEEP_FIT:
        return myr_simulation_keep_fit(s, &upkeep);
    case MYR_COMMAND_HASH:
        return myr_simulation_hash(s, NULL);
    case MYR_COMMAND_END:
        break;
    }
    return MYR_OK;
}

myr_status myr_simulation_follow(myr_simulation *simulation)
{
    myr_simulation *s = simulation;
    myr_command order = {.kind = MYR_COMMAND_ADVANCE};
    myr_status status = MYR_OK;
    if (!s)
        return MYR_ERROR_ARGUMENT;
    while (!status && myr_commands_follows(s)) {
        status = myr_ranks_share(s->context, &order, sizeof order);
        if (!status && order.kind == MYR_COMMAND_END)
            break;
        s->ranks.follows = 1;
        if (!status)
            status = follow_order(s, &order);
        s->ranks.follows = 0;
    }
    return status;
}
