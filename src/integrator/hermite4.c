/* hermite4.c - fourth-order Hermite scheme (Makino and Aarseth 1992): predict all particles with a and its derivative,
 * evaluate the active particles, correct these with the second and third derivatives from both ends of the step.
 *
 *   hermite4              block time steps: powers of two, particles of a block move together
 *   hermite4_shared       one step for all particles, the smallest that any particle needs
 *   hermite4_individual   each particle has its own step, one particle at a time
 *
 * The step is that of Aarseth; the first step is eta_start times a time scale of a and its first two derivatives. The
 * formulas are in backend/motion.h, because the GPU uses them too. */
#include "backend/motion.h"
#include "core/context.h"
#include "integrator/clock.h"
#include "integrator/integrator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ETA, ETA_START, DT_MAX, DT_MIN };
enum { BLOCK, SHARED, INDIVIDUAL };

/* Steps and their end times, counted from an origin, are stored in a unit. For blocks the unit is dt_max, so that the
 * times are exact in binary for any dt_max and origin, and particles of a block have bitwise equal times; for the other
 * kinds the unit is 1. state: own time; step and its end, in units. number: origin, unit. */
#define OWN(s) ((s)->state[0])
#define STEP(s) ((s)->state[1])
#define END(s) ((s)->state[2])
#define ORIGIN(s) ((s)->number[0])
#define UNIT(s) ((s)->number[1])

/* Columns of the scratch array: results of the evaluation, then new values of the active particles. */
enum { COLUMN_OUT = 0, COLUMN_X = 6, COLUMN_V = 9, COLUMN_STEP = 12 };

static double *hermite_column(const myr_integration *s, int k)
{
    return s->room + k * s->n;
}

static double hermite_clamp(const myr_integration *s, double wanted)
{
    if (!(wanted < s->parameter[DT_MAX]))
        return s->parameter[DT_MAX];
    return wanted > s->parameter[DT_MIN] ? wanted : s->parameter[DT_MIN];
}

/* Sets all steps to the smallest one. */
static void hermite_share(myr_integration *s, double now)
{
    double least = INFINITY;
    for (int64_t i = 0; i < s->n; i++)
        least = STEP(s)[i] < least ? STEP(s)[i] : least;
    for (int64_t i = 0; i < s->n; i++) {
        STEP(s)[i] = least;
        END(s)[i] = now + least;
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Accelerations and jerks of the listed particles at the predicted positions of all particles at `time`, into scratch
 * columns from `to` on. */
static myr_status hermite_evaluate(const myr_integration *s, double time, int to)
{
    double *out[6];
    for (int c = 0; c < 6; c++)
        out[c] = hermite_column(s, to + c);
    return s->rates.predicted(s->rates.user, time, OWN(s), s->n, NULL, out);
}

/* Norm of the vector of particle i in arrays u[3]. */
static double hermite_size(double *const u[3], int64_t i)
{
    const double vector[3] = {u[0][i], u[1][i], u[2][i]};
    return motion_length(vector);
}

/* Threshold of accelerations: one hundredth of the median. Smaller accelerations are accidental zeros, as in the centre
 * of a symmetric system. */
static double hermite_least(const myr_integration *s)
{
    double *size = hermite_column(s, COLUMN_STEP);
    for (int64_t i = 0; i < s->n; i++)
        size[i] = hermite_size(s->a, i);
    qsort(size, (size_t)s->n, sizeof *size, ascending);
    return s->n ? 0.01 * size[s->n / 2] : 0;
}

/* First steps: eta_start / (|j|/|a| + sqrt(|a2|/|a|)). For bodies at rest only the second term is nonzero; a2 is a
 * finite difference from a second evaluation a little later. */
static myr_status hermite_first_steps(myr_integration *s, int kind)
{
    const double eta = s->parameter[ETA_START], most = s->parameter[DT_MAX], least = hermite_least(s);
    double later = most * 0x1p-20; /* upper bound, also for bodies at rest, whose jerk gives no time scale */
    for (int64_t i = 0; i < s->n; i++) {
        const double wanted = eta * fmax(hermite_size(s->a, i), least) / hermite_size(s->j, i);
        later = wanted > 0 && wanted < later ? wanted : later; /* false for 0/0 */
    }
    const myr_status status = hermite_evaluate(s, s->time + later, COLUMN_OUT);
    later = (s->time + later) - s->time;
    if (status)
        return status;
    for (int64_t i = 0; i < s->n; i++) {
        const double a = fmax(hermite_size(s->a, i), least);
        double a2[3];
        for (int c = 0; c < 3; c++)
            a2[c] = (hermite_column(s, COLUMN_OUT + 3 + c)[i] - s->j[c][i]) / later;
        const double pace = a > 0 ? hermite_size(s->j, i) / a + sqrt(motion_length(a2) / a) : 0;
        const double wanted = pace > 0 ? eta / pace : most;
        const double step =
            kind == BLOCK ? hermite_floor(wanted / UNIT(s), UNIT(s), s->parameter[DT_MIN]) : hermite_clamp(s, wanted);
        STEP(s)[i] = END(s)[i] = step;
    }
    return MYR_OK;
}

static myr_status hermite_start(myr_integration *s, int kind)
{
    for (int64_t i = 0; i < s->n; i++) {
        OWN(s)[i] = s->time;
        for (int c = 0; c < 3; c++)
            s->a[c][i] = s->j[c][i] = 0;
    }
    ORIGIN(s) = s->time;
    UNIT(s) = kind == BLOCK ? s->parameter[DT_MAX] : 1;
    myr_status status = hermite_evaluate(s, s->time, COLUMN_OUT);
    for (int c = 0; !status && c < 3; c++) {
        memcpy(s->a[c], hermite_column(s, COLUMN_OUT + c), (size_t)s->n * sizeof(double));
        memcpy(s->j[c], hermite_column(s, COLUMN_OUT + 3 + c), (size_t)s->n * sizeof(double));
    }
    if (!status)
        status = hermite_first_steps(s, kind);
    if (!status && kind == SHARED)
        hermite_share(s, 0);
    return status;
}

/* Loads particle i and its evaluation, entry k of the scratch columns. */
static hermite_body hermite_load(const myr_integration *s, int64_t i, int64_t k)
{
    hermite_body b;
    for (int c = 0; c < 3; c++) {
        b.x[c] = s->x[c][i];
        b.v[c] = s->v[c][i];
        b.a[c] = s->a[c][i];
        b.j[c] = s->j[c][i];
        b.a1[c] = hermite_column(s, COLUMN_OUT + c)[k];
        b.j1[c] = hermite_column(s, COLUMN_OUT + 3 + c)[k];
    }
    return b;
}

/* Lists the particles with the earliest end of step in s->index, *n of them; returns that end. */
static double hermite_next(const myr_integration *s, int kind, int64_t *n)
{
    const double *end = END(s);
    double next = INFINITY;
    for (int64_t i = 0; i < s->n; i++)
        next = end[i] < next ? end[i] : next;
    *n = 0;
    for (int64_t i = 0; i < s->n && !(kind == INDIVIDUAL && *n); i++)
        if (end[i] == next)
            s->index[(*n)++] = i;
    return next;
}

/* Corrects the listed particles into scratch columns, so that the state is unchanged if a step must be refused. */
static myr_status hermite_try(const myr_integration *s, double next, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        const int64_t i = s->index[k];
        const double dt = next - OWN(s)[i], step = STEP(s)[i] * UNIT(s);
        hermite_body b = hermite_load(s, i, k);
        const double wanted = hermite_wanted(hermite_correct(&b, dt, s->parameter[ETA]), dt, step);
        if (wanted < s->parameter[DT_MIN] || dt <= 0)
            return myr_context_fail(
                s->context, MYR_ERROR_RANGE,
                "at time %g%s particle %lld (id %lld) wants a step of %g%s, below %s = %g%s; soften, or "
                "lower dt_min",
                myr_context_time(s->context, next), myr_context_time_name(s->context), (long long)i,
                (long long)s->ids[i], myr_context_time(s->context, wanted), myr_context_time_name(s->context),
                dt > 0 ? "dt_min" : "what the time can resolve; dt_min",
                myr_context_time(s->context, s->parameter[DT_MIN]), myr_context_time_name(s->context));
        for (int c = 0; c < 3; c++) {
            hermite_column(s, COLUMN_X + c)[k] = b.x[c];
            hermite_column(s, COLUMN_V + c)[k] = b.v[c];
        }
        hermite_column(s, COLUMN_STEP)[k] = wanted / UNIT(s);
    }
    return MYR_OK;
}

/* Stores the corrected particles and sets their next steps. */
static void hermite_accept(myr_integration *s, int kind, double next, double now, int last, int64_t n)
{
    for (int c = 0; c < 3; c++)
        for (int64_t k = 0; k < n; k++) {
            const int64_t i = s->index[k];
            s->x[c][i] = hermite_column(s, COLUMN_X + c)[k];
            s->v[c][i] = hermite_column(s, COLUMN_V + c)[k];
            s->a[c][i] = hermite_column(s, COLUMN_OUT + c)[k];
            s->j[c][i] = hermite_column(s, COLUMN_OUT + 3 + c)[k];
        }
    for (int64_t k = 0; k < n; k++) {
        const int64_t i = s->index[k];
        const double wanted = hermite_column(s, COLUMN_STEP)[k];
        OWN(s)[i] = next;
        if (kind != BLOCK)
            STEP(s)[i] = hermite_clamp(s, wanted);
        else
            STEP(s)
        [i] = last ? hermite_floor(wanted, UNIT(s), s->parameter[DT_MIN])
                   : hermite_block(now, STEP(s)[i], wanted, UNIT(s), s->parameter[DT_MIN]);
        END(s)[i] = now + STEP(s)[i];
    }
}

/* Returns 1 if a step to `next` would pass a time before `end` that the caller asked for. */
static int hermite_passes(const myr_integration *s, double next, double end)
{
    return s->until > s->shown && s->until < end && next - s->until > myr_clock_rounding(next);
}

static myr_status hermite_step(myr_integration *s, double end, int kind)
{
    int64_t active;
    double now = hermite_next(s, kind, &active), next = ORIGIN(s) + UNIT(s) * now, *out[6];
    if (hermite_passes(s, next, end)) {
        if (kind != SHARED) { /* between two blocks: particles are predicted to that time, and the motion stays */
            s->shown = s->until;
            return MYR_OK;
        }
        end = s->until; /* the shared step is shortened, as predicted particles have a larger error */
    }
    /* If the next step would pass `end`, or leave a tiny remainder, all particles go to `end`, which becomes the new
     * origin of blocks. */
    const int last = next > end || (next < end && end - next < 1e-9 * (next - s->time));
    if (last) {
        next = end;
        now = 0;
        active = s->n;
        for (int64_t i = 0; i < s->n; i++)
            s->index[i] = i;
    }
    for (int c = 0; c < 6; c++)
        out[c] = hermite_column(s, COLUMN_OUT + c);
    myr_status status = s->rates.predicted(s->rates.user, next, OWN(s), active, s->index, out);
    if (!status)
        status = hermite_try(s, next, active);
    if (status)
        return status;
    hermite_accept(s, kind, next, now, last, active);
    if (last)
        ORIGIN(s) = end;
    if (kind == SHARED)
        hermite_share(s, now);
    s->time = next;
    s->shown = last ? next : myr_clock_shown(next, s->until);
    s->steps++;
    s->particle_steps += active;
    s->active = active;
    return MYR_OK;
}

static void hermite_synchronise(const myr_integration *s, double *const x[3], double *const v[3])
{
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < s->n; i++) {
            const double dt = s->shown - OWN(s)[i], a = s->a[c][i], j = s->j[c][i];
            x[c][i] = motion_position(s->x[c][i], s->v[c][i], a, j, dt);
            v[c][i] = motion_velocity(s->v[c][i], a, j, dt);
        }
}

static double hermite_step_of(const myr_integration *s, int64_t i)
{
    return STEP(s)[i] * UNIT(s);
}

static myr_status start_block(myr_integration *s)
{
    return hermite_start(s, BLOCK);
}

static myr_status start_shared(myr_integration *s)
{
    return hermite_start(s, SHARED);
}

static myr_status start_individual(myr_integration *s)
{
    return hermite_start(s, INDIVIDUAL);
}

static myr_status step_block(myr_integration *s, double end)
{
    return hermite_step(s, end, BLOCK);
}

static myr_status step_shared(myr_integration *s, double end)
{
    return hermite_step(s, end, SHARED);
}

static myr_status step_individual(myr_integration *s, double end)
{
    return hermite_step(s, end, INDIVIDUAL);
}

static const char *const hermite_state[] = {"own_time", "own_step", "own_end", NULL};

#define HERMITE_PARAMETERS                                                                                             \
    {                                                                                                                  \
        {"eta", "accuracy of the time step: its square is proportional to this", 0.01, 1e-12, 1e3},                    \
            {"eta_start", "accuracy of the first step", 0.01, 1e-12, 1e3},                                             \
            {"dt_max", "largest step", 0.125, 1e-300, 1e300},                                                          \
        {                                                                                                              \
            "dt_min", "smallest step; a particle that wants less stops the run", 1e-13, 1e-300, 1e300                  \
        }                                                                                                              \
    }

const myr_integrator_table myr_integrator_hermite4 = {
    .info = {.name = "hermite4",
             .text = "Hermite, block time steps",
             .order = 4,
             .needs_jerk = 1,
             .param = HERMITE_PARAMETERS},
    .state = hermite_state,
    .second_order = 1,
    .resident = MYR_RESIDENT_BLOCKS,
    .start = start_block,
    .step = step_block,
    .synchronise = hermite_synchronise,
    .step_of = hermite_step_of,
};

const myr_integrator_table myr_integrator_hermite4_shared = {
    .info = {.name = "hermite4_shared",
             .text = "Hermite, one adaptive step for all",
             .order = 4,
             .needs_jerk = 1,
             .param = HERMITE_PARAMETERS},
    .state = hermite_state,
    .second_order = 1,
    .start = start_shared,
    .step = step_shared,
    .synchronise = hermite_synchronise,
    .step_of = hermite_step_of,
};

const myr_integrator_table myr_integrator_hermite4_individual = {
    .info = {.name = "hermite4_individual",
             .text = "Hermite, an adaptive step for each particle",
             .order = 4,
             .needs_jerk = 1,
             .param = HERMITE_PARAMETERS},
    .state = hermite_state,
    .second_order = 1,
    .start = start_individual,
    .step = step_individual,
    .synchronise = hermite_synchronise,
    .step_of = hermite_step_of,
};
