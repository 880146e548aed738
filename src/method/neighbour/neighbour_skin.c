/* neighbour_skin.c - search for the skin of lowest cost during the run.
 *
 * A longer skin makes lists that last longer and have more windows. At the end of each list its cost per step is known.
 * The next list tries a skin a quarter longer or shorter; the better one is kept, and after both directions were worse
 * the search pauses. With fixed-point sums the cost is time. Floating-point sums have bits that depend on the order of
 * particles, and so on the time of rebuilds: their cost is counted in windows, so that a run can be repeated. */
#include <math.h>

#include "core/timer.h"
#include "method/neighbour/neighbour_inside.h"

enum { TUNER_REST = 64 };

/* Windows that are gone through per step. Pruning costs as much as a pass over all windows of the list, and a rebuild
 * as much as `builds` of them (measured: 65 and 260 ns). */
static double tuner_windows(const myr_neighbour *list, double steps)
{
    const double builds = 4, prunes = (double)(list->progress.prunes - list->tuner.prunes);
    int64_t windows = 0, wide = 0;
    for (int t = 0; t < list->threads; t++) {
        windows += list->share[t].list[0].starts + list->share[t].list[1].starts;
        wide += list->share[t].wide[0].starts + list->share[t].wide[1].starts;
    }
    return (double)windows + (double)wide * (builds + prunes) / steps;
}

/* Cost per step of the list that ends. */
static double tuner_cost(const myr_neighbour *list)
{
    const double steps = (double)(list->progress.steps - list->tuner.steps);
    if (list->set.fixed) {
        const double seconds =
            list->progress.list_seconds + list->progress.proof_seconds + list->progress.force_seconds;
        return (seconds - list->tuner.seconds) / steps;
    }
    return tuner_windows(list, steps);
}

static double tuner_next(myr_neighbour *list, double cost)
{
    neighbour_tuner *t = &list->tuner;
    if (t->cost == 0 || cost < 0.98 * t->cost) { /* first trial, or an improvement */
        t->misses = t->cost == 0 ? 0 : 1;        /* the other direction is the previous skin, which was worse */
        t->cost = cost;
        t->skin = list->set.skin;
    } else {
        t->factor = 1 / t->factor;
        t->misses++;
    }
    if (t->misses >= 2) {
        t->misses = 0;
        t->wait = TUNER_REST;
        t->cost = 0; /* conditions change: the cost is measured again after the pause */
        return t->skin;
    }
    return fmin(fmax(t->skin * t->factor, 0.02 * list->cutoff), 0.6 * list->cutoff);
}

/* The slowest domain determines the cost, and all domains use the same skin. */
myr_status myr_neighbour_tune(myr_neighbour *list)
{
    neighbour_tuner *t = &list->tuner;
    myr_status status = MYR_OK;
    if (t->on && list->progress.builds > 0 && list->progress.steps > t->steps) {
        if (t->wait > 0)
            t->wait--;
        else {
            double cost = tuner_cost(list);
            status = myr_neighbour_largest(list, &cost);
            list->set.skin = tuner_next(list, cost);
        }
    }
    t->seconds = list->progress.list_seconds + list->progress.proof_seconds + list->progress.force_seconds;
    t->steps = list->progress.steps;
    t->prunes = list->progress.prunes;
    list->search = list->cutoff + list->set.skin;
    list->progress.skin = list->set.skin;
    return status;
}
