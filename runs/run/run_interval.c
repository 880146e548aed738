/* run_interval.c - the automatic interval of diagnostics, by its cost: chosen once, when the first line after the start
 * is due, from what the line at the start and the steps since then took. Processor time, which other programs on the
 * machine and the compiler of hot loops do not change. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "run/run.h"

#define COST 0.05    /* largest part of the processor time of a run that automatic lines take */
#define WORTHWHILE 2 /* processor seconds of all lines up to which their cost does not matter */

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void run_interval_begin(run *r)
{
    static const char key[] = "output.diagnostics=";
    for (int k = 0; k < r->options->set.count && r->options->restart; k++)
        if (strncmp(r->options->set.item[k], key, sizeof key - 1) == 0)
            r->counters.choosing = 0; /* of the user now */
    r->row_processor = -processor_seconds();
}

void run_interval_measured(run *r)
{
    r->steps_processor = processor_seconds();
    r->row_processor += r->steps_processor;
}

/* Tells the choice, as the user would write it. */
static void tell(const run *r, double interval, double between)
{
    char label[UNITS_MESSAGE];
    units_label(&r->in->units, UNITS_TIME, label);
    if (!r->options->quiet && !r->options->json)
        messages_say(MYR_RUN_NOTE,
                     "a line of diagnostics takes %.2g s of the processor, the steps between two lines %.2g s: "
                     "output.diagnostics = auto is now %g%s%s, for at most %g %% of the run",
                     r->row_processor, between, interval / units_bare(&r->in->units, UNITS_TIME), *label ? " " : "",
                     label, 100 * COST);
}

int run_interval_choose(run *r)
{
    const double start = r->counters.start, passed = myr_simulation_time(r->simulation) - r->began_time;
    const double before = input_of(r->in, KEY_output_diagnostics)->number,
                 length = run_time_of_end(r->in, start) - start;
    if (!r->counters.choosing || !(passed > 0))
        return CLI_OK;
    r->counters.choosing = 0;
    double interval = before, between = processor_seconds() - r->steps_processor;
    if (passed > before) /* a step is longer than the interval */
        interval = ldexp(before, (int)ceil(log2(passed / before) - 1e-9));
    else
        between *= before / passed;
    const double shortest = interval;
    if (r->row_processor * length / shortest > WORTHWHILE)
        while (r->row_processor * shortest > COST * between * interval && interval < length)
            interval *= 2;
    if (interval == shortest)
        return CLI_OK;
    tell(r, interval, between);
    const int code =
        input_settle(r->in, KEY_output_diagnostics, "%.17g", interval / units_bare(&r->in->units, UNITS_TIME));
    return code ? code : run_write_input(r);
}
