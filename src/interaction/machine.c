/* machine.c - issue rate of the machine, and location of the loops' machine code. */
#define _GNU_SOURCE /* dladdr */
#include <myriad/machine.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backend/units.h"
#include "core/context.h"
#include "core/timer.h"
#include "interaction/catalogue.h"

static const myr_isa_table *machine_isa(myr_context *context, const char *isa)
{
    const int k = myr_catalogue_isa(isa);
    const myr_isa_table *table = k < 0 ? NULL : myr_backend_isa(k);
    if (!table || !myr_backend_isa_usable(table)) {
        myr_context_fail(context, MYR_ERROR_UNAVAILABLE, "instruction set '%s' is not available here",
                         isa ? isa : "(null)");
        return NULL;
    }
    return table;
}

/* Fastest of several short runs: other processes use the machine too, and an upper bound needs an undisturbed
 * machine. */
myr_status myr_machine_issue_rate(myr_context *context, const char *isa, const char *arithmetic, double seconds,
                                  double *rate, int *lanes)
{
    enum { RUNS = 16 };
    if (!context || !rate || !lanes)
        return MYR_ERROR_ARGUMENT;
    const myr_isa_table *table = machine_isa(context, isa);
    if (!table)
        return MYR_ERROR_UNAVAILABLE;
    if (!(seconds > 0 && seconds <= 60))
        return myr_context_fail(context, MYR_ERROR_VALUE, "time for %g seconds? give up to 60", seconds);
    const int in_double = arithmetic && strcmp(arithmetic, "double") == 0;
    volatile double sink = 0;
    int64_t rounds = 1000;
    double best = 0, took = 0;
    /* finds a number of rounds that fills one run */
    for (; took < seconds / RUNS && rounds < (int64_t)1 << 40; rounds *= 2) {
        const double start = myr_timer_now();
        sink += table->issue(in_double, rounds);
        took = myr_timer_now() - start;
    }
    rounds /= 2;
    for (int n = 0; n < RUNS; n++) {
        const double start = myr_timer_now();
        sink += table->issue(in_double, rounds);
        took = myr_timer_now() - start;
        const double now = (double)rounds * MYR_ISSUE_CHAIN * (table->has_fma ? 1 : 2) / took;
        best = now > best ? now : best;
    }
    *rate = best;
    *lanes = in_double ? table->lanes_double : table->lanes_single;
    return MYR_OK;
}

const char *myr_machine_loop_file(myr_context *context, const char *kernel, const char *arithmetic, const char *isa)
{
    const int k = myr_catalogue_kernel(kernel), a = myr_catalogue_arithmetic(arithmetic), i = myr_catalogue_isa(isa);
    Dl_info where;
    if (!context || k < 0 || a < 0 || i < 0)
        return "";
    const myr_unit *unit = myr_units_kernel(context, myr_backend_isa(i), k, a);
    if (!unit || !dladdr(unit, &where) || !where.dli_fname)
        return "";
    const ssize_t length = strchr(where.dli_fname, '/')
                               ? snprintf(context->scratch, sizeof context->scratch, "%s", where.dli_fname)
                               : readlink("/proc/self/exe", context->scratch, sizeof context->scratch - 1);
    context->scratch[length > 0 ? length : 0] = '\0';
    return length > 0 && length < (ssize_t)sizeof context->scratch ? context->scratch : "";
}

const char *myr_machine_loop_symbol(myr_context *context, const char *kernel, const char *accumulator,
                                    const char *arithmetic, const char *isa, const char *loop)
{
    const int k = myr_catalogue_kernel(kernel), a = myr_catalogue_accumulator(accumulator);
    static const char *const names[] = {
#define MYR_ACC_LOOP(name, arithmetics) #name,
#include "accumulator/loops.def"
#undef MYR_ACC_LOOP
    };
    if (!context || k < 0 || a < 0 || myr_catalogue_arithmetic(arithmetic) < 0 || myr_catalogue_isa(isa) < 0 || !loop)
        return "";
    snprintf(context->scratch, sizeof context->scratch, "myr_loop_%s_%s_%s_%s_%s", kernel, arithmetic, isa,
             names[myr_catalogue_loop(a)], loop);
    return context->scratch;
}
