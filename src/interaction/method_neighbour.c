/* method_neighbour.c - pairs within a cutoff as a method of an interaction, in open space. Particles in a box with pair
 * parameters are moved with neighbour lists instead (molecular.h), without evaluations. */
#include "interaction/interaction.h"
#include "method/cutoff_tree.h"

static myr_status neighbour_check(const myr_interaction *f, const myr_unit *unit)
{
    const myr_kernel_desc *d = unit->desc;
    const int cutoff = myr_kernel_cutoff(d);
    if (cutoff < 0 && !d->reach_field)
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "kernel %s has no cutoff, which method neighbour needs; use method direct", d->name);
    if (unit->pair)
        return myr_context_fail(
            f->context, MYR_ERROR_COMBINATION,
            "kernel %s has parameters per pair of types: method neighbour takes it in simulations of "
            "particles in a box; evaluate by method direct",
            d->name);
    if (d->coords != 3)
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "kernel %s has places of one coordinate, and method neighbour works in three "
                                "dimensions; use method direct",
                                d->name);
    if (cutoff >= 0 && !(f->parameter[cutoff] > 0))
        return myr_context_fail(f->context, MYR_ERROR_VALUE,
                                "%s is 0, and no pair is nearer than that: set it above 0, or use method direct",
                                d->parameter[cutoff].name);
    if (f->offset)
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "exclusions need every pair to be looked at: use method direct, not neighbour");
    return MYR_OK;
}

/* Part of the cutoff radius common to all pairs. */
static double neighbour_radius(const myr_interaction *f, const myr_unit *unit)
{
    const int cutoff = myr_kernel_cutoff(unit->desc);
    return cutoff < 0 ? 0 : f->parameter[cutoff];
}

/* Nothing to choose; particles without a cutoff are refused before anything is summed. */
static myr_status neighbour_choose(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem)
{
    (void)f;
    (void)isa;
    return myr_cutoff_tree_check(problem);
}

static myr_status neighbour_run(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                                myr_direct_result *result)
{
    static const char *const part[] = {"build", "tiles"};
    myr_cutoff_report from;
    (void)isa;
    const myr_status status = myr_cutoff_tree_run(problem, neighbour_radius(f, problem->unit), result, &from);
    if (status || problem->loops == &problem->unit->loops[MYR_ACC_range])
        return status;
    myr_far_report *to = &f->method_state.report;
    *to = (myr_far_report){.leaf = from.leaf,
                           .in_double = 1,
                           .cells = from.cells,
                           .leaves = from.leaves,
                           .levels = from.levels,
                           .largest = from.largest,
                           .near_pairs = to->near_pairs,
                           .within_pairs = to->within_pairs,
                           .bytes = from.bytes,
                           .part = {part[0], part[1]},
                           .seconds = {from.build_seconds, from.tile_seconds}};
    f->method_state.looked = from.pairs;
    return MYR_OK;
}

static myr_status neighbour_report(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                                   const myr_direct_result *result)
{
    myr_far_report *report = &f->method_state.report;
    (void)isa;
    (void)result;
    report->near_pairs = f->method_state.looked;
    return myr_cutoff_tree_count(problem, neighbour_radius(f, problem->unit), &report->within_pairs);
}

const myr_method_table myr_method_neighbour = {
    .info = {"neighbour", "pairs within a cutoff, of kernels that have one; lists of neighbours for particles in a box",
             1},
    .exact = 1,
    .check = neighbour_check,
    .choose = neighbour_choose,
    .run = neighbour_run,
    .report = neighbour_report,
};
