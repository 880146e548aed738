/* test_listed.c - lists of ranges have the bits of the direct sum over the same sources, for every number of targets,
 * any cut into ranges, with a target among the sources and without. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conformance/scene.h"
#include "interaction/interaction.h"
#include "method/tree/tiles.h"

enum { SOURCES = 700, TARGETS_MOST = 150 };

/* A problem with `fixed` sums, on a grid that holds everything. */
static void problem_make(myr_interaction *f, const char *isa, const myr_particles *targets,
                         const myr_particles *sources, myr_problem *problem)
{
    static const myr_grid grid[MYR_KERNEL_OUTPUT_FIELDS] = {{20, 1, 0}, {20, 1, 0}, {20, 1, 0}};
    assert_int_equal(myr_problem_make(f, f->arithmetic, myr_backend_isa(myr_catalogue_isa(isa)), targets,
                                      myr_particles_count(targets), NULL, sources, problem),
                     MYR_OK);
    myr_problem_use(problem, MYR_ACC_fixed, MYR_ACCUMULATOR_fixed, grid);
}

/* Cuts the sources into pieces of 1, 2, 3, ... and hands every second one over first. */
static int64_t cut(int64_t sources, int64_t grow, myr_range *range)
{
    int64_t n = 0, pieces = 0;
    myr_range all[SOURCES + 1];
    for (int64_t at = 0, size = 1; at < sources; at += size, size += grow)
        all[pieces++] = (myr_range){at, size < sources - at ? size : sources - at};
    for (int64_t k = 1; k < pieces; k += 2)
        range[n++] = all[k];
    range[n++] = (myr_range){sources / 2, 0}; /* an empty one changes nothing */
    for (int64_t k = 0; k < pieces; k += 2)
        range[n++] = all[k];
    return n;
}

static void compare(const myr_problem *problem, int64_t grow)
{
    const myr_direct *d = &problem->direct;
    double value[4][SOURCES];
    myr_direct_result result = {.value = {value[0], value[1], value[2], value[3]}};
    myr_range range[SOURCES + 2];
    myr_tiles list;
    assert_int_equal(myr_direct_run(d, &result), MYR_OK);
    assert_int_equal(result.flag, 0);
    assert_true(myr_tiles_make(d, TARGETS_MOST, &list));
    const int64_t ranges = cut(d->source.n, grow, range);
    for (int64_t first = 0; first < d->targets; first += TARGETS_MOST) {
        const int64_t count = d->targets - first < TARGETS_MOST ? d->targets - first : TARGETS_MOST;
        myr_tiles_run(&list, first, count, range, ranges);
        for (int64_t i = 0; i < count; i++)
            for (int k = 0; k < d->unit->outputs; k++) {
                myr_word sum[MYR_ACC_WORDS];
                myr_tiles_sum(&list, i, k, sum);
                if (d->loops->value(sum, &d->scale[k]) * d->factor != value[k][first + i])
                    fail_msg("%s: %lld targets: output %d of target %lld is %.17g, not %.17g", d->unit->desc->name,
                             (long long)d->targets, k, (long long)(first + i),
                             d->loops->value(sum, &d->scale[k]) * d->factor, value[k][first + i]);
            }
    }
    assert_int_equal(list.block.flag, 0);
    assert_int_equal(list.block.skipped, result.skipped);
    assert_int_equal(list.pairs, d->targets * d->source.n);
    myr_tiles_free(&list);
}

static void sizes(myr_context *context, const char *isa, const char *arithmetic)
{
    static const int64_t targets[] = {1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 31, 33, 64, 150, 300, SOURCES};
    for (size_t n = 0; n < sizeof targets / sizeof *targets; n++) {
        myr_particles *sources = scene_particles(context, "gravity", SOURCES, 1, 0, 0);
        myr_particles *other =
            targets[n] == SOURCES ? sources : scene_particles(context, "gravity", targets[n], 2, 1, 0);
        myr_interaction *f;
        myr_problem problem;
        assert_int_equal(myr_interaction_create(context, "gravity_potential", &f), MYR_OK);
        assert_int_equal(myr_interaction_choose(f, "arithmetic", arithmetic), MYR_OK);
        assert_int_equal(myr_interaction_set(f, "eps", n % 2 ? 0.0 : 0.01), MYR_OK);
        problem_make(f, isa, other, sources, &problem);
        compare(&problem, (int64_t)n % 3);
        problem.direct.careful = 1;
        compare(&problem, 1);
        myr_problem_free(&problem);
        myr_interaction_destroy(&f);
        if (other != sources)
            myr_particles_destroy(&other);
        myr_particles_destroy(&sources);
    }
}

static void test_bits_of_direct(void **state)
{
    myr_context *context;
    (void)state;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    for (int i = 0; myr_isa(i); i++)
        if (myr_isa(i)->available) {
            sizes(context, myr_isa(i)->name, "mixed");
            sizes(context, myr_isa(i)->name, "double");
        }
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits_of_direct)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
