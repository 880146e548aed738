/* sweep_check.c - is every value of a sweep right, and what will all runs need. */
#include <math.h>

#include "sweep/sweep.h"

int sweep_check_values(const char *file, const args_list *set, const input *in)
{
    const input_sweep *all = in->sweep;
    for (int k = 0; k < all->keys; k++) {
        const input_swept *s = &all->key[k];
        /* of a range the two ends */
        const int64_t step = s->first_of || s->count < 3 ? 1 : s->count - 1;
        for (int64_t v = step; v < s->count; v += step) {
            input *one = NULL;
            const int code = input_load_run(file, set, input_swept_run(all, k, v), &one);
            input_destroy(&one);
            if (code)
                return code;
        }
    }
    return CLI_OK;
}

int sweep_check(const run_options *options, input *in, sweep_estimate *estimate)
{
    const int64_t runs = in->sweep->runs;
    const int64_t trial[3] = {0, runs / 2, runs - 1};
    double disk = 0, seconds = 0;
    *estimate = (sweep_estimate){.runs = runs};
    int code = sweep_check_values(options->file, &options->set, in);
    for (int t = 0; t < 3 && !code; t++) {
        run_estimate one;
        input *other = NULL;
        if (t > 0 && trial[t] == trial[t - 1])
            continue;
        if (t > 0)
            code = input_load_run(options->file, &options->set, trial[t], &other);
        if (!code)
            code = run_check(t > 0 ? other : in, options, &one);
        input_destroy(&other);
        if (code)
            break;
        if (t == 0)
            estimate->first = one;
        estimate->tried++;
        estimate->memory = fmax(estimate->memory, one.need.memory);
        disk += one.need.disk;
        seconds += one.need.seconds;
    }
    if (estimate->tried > 0) {
        estimate->disk = (double)runs * disk / estimate->tried;
        estimate->seconds = (double)runs * seconds / estimate->tried;
    }
    return code;
}
