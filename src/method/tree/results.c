/* results.c - results collected part by part; see results.h. */
#include "method/tree/results.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"

int myr_results_make(const myr_direct *problem, int64_t parts, myr_results *all)
{
    *all = (myr_results){.problem = problem, .parts = parts};
    all->net = myr_memory_zeros(parts * problem->unit->outputs * MYR_ACC_WORDS, sizeof *all->net);
    all->bad = myr_memory_zeros(parts, sizeof *all->bad);
    for (int64_t n = 0; all->bad && n < parts; n++)
        all->bad[n] = -1;
    return all->net && all->bad;
}

void myr_results_free(myr_results *all)
{
    free(all->net);
    free(all->bad);
    *all = (myr_results){0};
}

void myr_results_put(myr_results *all, int64_t part, const myr_tiles *tiles, int64_t i, int64_t number,
                     const double *far, const double *images, myr_direct_result *result)
{
    const myr_direct *p = all->problem;
    for (int k = 0; k < p->unit->outputs; k++) {
        myr_word sum[MYR_ACC_WORDS];
        myr_tiles_sum(tiles, i, k, sum);
        const double near = p->loops->value(sum, &p->scale[k]);
        const double all_near = far ? near + far[k] : near;
        const double value = (images ? all_near + images[k] : all_near) * p->factor;
        if (result->value[k])
            result->value[k][number] = value;
        if (!isfinite(value) && (all->bad[part] < 0 || number < all->bad[part]))
            all->bad[part] = number;
        p->loops->merge(all->net + (part * p->unit->outputs + k) * MYR_ACC_WORDS, sum);
    }
}

void myr_results_finish(const myr_results *all, int64_t skipped, uint32_t flag, myr_direct_result *result)
{
    const myr_direct *p = all->problem;
    for (int64_t n = 0; n < all->parts; n++) {
        for (int k = 0; k < p->unit->outputs; k++)
            p->loops->merge(result->net[k], all->net + (n * p->unit->outputs + k) * MYR_ACC_WORDS);
        if (all->bad[n] >= 0 && (result->first_bad < 0 || all->bad[n] < result->first_bad))
            result->first_bad = all->bad[n];
    }
    for (int k = 0; k < p->unit->outputs; k++)
        result->most[k] = result->net[k][0].f;
    result->skipped = skipped;
    result->flag = flag;
}
