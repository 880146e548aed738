/* motions.c - table of the kinds of motion. */
#include "simulation/motions.h"

#include <math.h>
#include <stdlib.h>

#define MYR_MOTION(name) extern const myr_motion myr_motion_##name;
#include "simulation/motions.def"
#undef MYR_MOTION

static const myr_motion *const motion_table[] = {
#define MYR_MOTION(name) &myr_motion_##name,
#include "simulation/motions.def"
#undef MYR_MOTION
};

enum { MOTIONS = sizeof motion_table / sizeof *motion_table };

const myr_motion *myr_motion_at(int k)
{
    return k >= 0 && k < MOTIONS ? motion_table[k] : NULL;
}

const myr_motion *myr_motion_of(const myr_simulation *s)
{
    int k = 0;
    while (k + 1 < MOTIONS && !motion_table[k]->claims(s))
        k++;
    return motion_table[k];
}

myr_status myr_motion_check(myr_simulation *s)
{
    const myr_motion *kind = myr_motion_of(s);
    if (!kind->in_box && s->table->molecular)
        return myr_context_fail(
            s->context, MYR_ERROR_COMBINATION,
            "integrator %s moves particles in a box: it needs an interaction with method neighbour, or "
            "the topology of a molecule",
            s->table->info.name);
    return kind->check ? kind->check(s) : MYR_OK;
}

static void motion_free_states(myr_simulation *s)
{
#define MYR_MOTION(name) free(s->name);
#include "simulation/motions.def"
#undef MYR_MOTION
}

myr_status myr_motion_create_states(myr_simulation *s)
{
    int complete = 1;
#define MYR_MOTION(name) complete &= (s->name = calloc(1, myr_motion_##name.state_bytes + 1)) != NULL;
#include "simulation/motions.def"
#undef MYR_MOTION
    if (complete)
        return MYR_OK;
    motion_free_states(s);
    return myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for a simulation");
}

void myr_motion_destroy_states(myr_simulation *s)
{
    for (int k = MOTIONS - 1; k >= 0; k--)
        if (motion_table[k]->forget)
            motion_table[k]->forget(s);
    motion_free_states(s);
}

void myr_motion_close(myr_simulation *s)
{
    for (int k = MOTIONS - 1; k >= 0; k--)
        if (motion_table[k]->close)
            motion_table[k]->close(s);
}

myr_motion_kind myr_simulation_kind(const myr_simulation *simulation)
{
    return simulation ? myr_motion_of(simulation)->kind : MYR_MOTION_OF_BODIES;
}

double myr_simulation_viscosity(const myr_simulation *simulation)
{
    const myr_motion *kind = simulation ? myr_motion_of(simulation) : NULL;
    return kind && kind->viscosity ? kind->viscosity(simulation) : NAN;
}
