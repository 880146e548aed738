/* hermite4.c - the fourth-order Hermite scheme (Makino and Aarseth 1992): predict everybody with a and its derivative,
 * evaluate the active particles, correct them with the second and third derivatives that the two ends give.
 *
 *   hermite4              block time steps: powers of two, particles of a block move together
 *   hermite4_shared       one step for all, the smallest that any particle wants
 *   hermite4_individual   each particle its own step, one at a time
 *
 * The step is Aarseth's: dt^2 = eta (|a| |a2| + |j|^2) / (|j| |a3| + |a2|^2), a2 and a3 at the end of the step; the first
 * is eta_start |a| / |j|. */
#include "integrator/integrator.h"

#include <math.h>
#include <string.h>

enum { ETA, ETA_START, DT_MAX, DT_MIN };
enum { BLOCK, SHARED, INDIVIDUAL };

/* state: own time, step; number[0]: the time that blocks count from */
#define OWN(s) ((s)->state[0])
#define STEP(s) ((s)->state[1])
#define ORIGIN(s) ((s)->number[0])

static double length3(const double u[3])
{
    return sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
}

/* The largest power of two times dt_max that is not above `wanted`. */
static double hermite_floor(const myr_integration *s, double wanted)
{
    double dt = s->parameter[DT_MAX];
    while (dt > wanted && dt > s->parameter[DT_MIN])
        dt *= 0.5;
    return dt;
}

static double hermite_clamp(const myr_integration *s, double wanted)
{
    if (!(wanted < s->parameter[DT_MAX]))
        return s->parameter[DT_MAX];
    return wanted > s->parameter[DT_MIN] ? wanted : s->parameter[DT_MIN];
}

/* Whether a block of length dt can start now: the time is a multiple of dt from the origin. */
static int hermite_fits(const myr_integration *s, double time, double dt)
{
    const double blocks = (time - ORIGIN(s)) / dt;
    return blocks == floor(blocks);
}

/* A block's next step: halved as often as needed, doubled once where it fits. */
static double hermite_block(const myr_integration *s, double time, double old, double wanted)
{
    double dt = old;
    if (wanted < dt)
        return hermite_floor(s, wanted);
    if (wanted >= 2 * dt && 2 * dt <= s->parameter[DT_MAX] && hermite_fits(s, time, 2 * dt))
        dt *= 2;
    return dt;
}

static myr_status hermite_share(myr_integration *s)
{
    double least = INFINITY;
    for (int64_t i = 0; i < s->n; i++)
        least = STEP(s)[i] < least ? STEP(s)[i] : least;
    for (int64_t i = 0; i < s->n; i++)
        STEP(s)[i] = least;
    return MYR_OK;
}

static myr_status hermite_start(myr_integration *s, int kind)
{
    double *out[6];
    for (int c = 0; c < 6; c++)
        out[c] = s->room + c * s->n;
    for (int64_t i = 0; i < s->n; i++) {
        OWN(s)[i] = s->time;
        for (int c = 0; c < 3; c++)
            s->a[c][i] = s->j[c][i] = 0;
    }
    const myr_status status = s->rates.predicted(s->rates.user, s->time, OWN(s), s->n, NULL, out);
    if (status)
        return status;
    ORIGIN(s) = s->time;
    for (int64_t i = 0; i < s->n; i++) {
        double a[3], j[3];
        for (int c = 0; c < 3; c++) {
            a[c] = s->a[c][i] = out[c][i];
            j[c] = s->j[c][i] = out[3 + c][i];
        }
        const double la = length3(a), lj = length3(j);
        const double wanted = lj > 0 ? s->parameter[ETA_START] * la / lj : s->parameter[DT_MAX];
        STEP(s)[i] = kind == BLOCK ? hermite_floor(s, wanted) : hermite_clamp(s, wanted);
    }
    return kind == SHARED ? hermite_share(s) : MYR_OK;
}

/* Corrects particle i over dt, given the evaluation at the end, and returns the step that it wants next. */
static double hermite_correct(myr_integration *s, int64_t i, double dt, const double a1[3], const double j1[3])
{
    double a2[3], a3[3], a1_end = length3(a1), j1_end = length3(j1);
    for (int c = 0; c < 3; c++) {
        const double x0 = s->x[c][i], v0 = s->v[c][i], a0 = s->a[c][i], j0 = s->j[c][i];
        const double v1 = v0 + dt * (0.5 * (a0 + a1[c]) + dt * ((j0 - j1[c]) * (1.0 / 12.0)));
        s->x[c][i] = x0 + dt * (0.5 * (v0 + v1) + dt * ((a0 - a1[c]) * (1.0 / 12.0)));
        s->v[c][i] = v1;
        const double d = (a0 - a1[c]) / dt;
        a3[c] = (12 * d + 6 * (j0 + j1[c])) / (dt * dt);          /* third derivative */
        a2[c] = (-6 * d - (4 * j0 + 2 * j1[c])) / dt + dt * a3[c]; /* second derivative at the end */
        s->a[c][i] = a1[c];
        s->j[c][i] = j1[c];
    }
    const double second = length3(a2), third = length3(a3);
    const double below = j1_end * third + second * second;
    return below > 0 ? sqrt(s->parameter[ETA] * (a1_end * second + j1_end * j1_end) / below) : INFINITY;
}

/* Lists the particles whose step ends first; returns that time. */
static double hermite_next(myr_integration *s, int kind)
{
    double next = INFINITY;
    int64_t first = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const double t = OWN(s)[i] + STEP(s)[i];
        if (t < next) {
            next = t;
            first = i;
        }
    }
    s->active = 0;
    for (int64_t i = 0; i < s->n; i++)
        if (kind == SHARED || i == first || (kind == BLOCK && OWN(s)[i] + STEP(s)[i] == next))
            s->index[s->active++] = i;
    return next;
}

static myr_status hermite_step(myr_integration *s, double end, int kind)
{
    double next = hermite_next(s, kind), *out[6];
    const int last = next > end;
    if (last) { /* everybody goes to the end, and blocks count from there */
        next = end;
        s->active = s->n;
        for (int64_t i = 0; i < s->n; i++)
            s->index[i] = i;
    }
    for (int c = 0; c < 6; c++)
        out[c] = s->room + c * s->n;
    const myr_status status = s->rates.predicted(s->rates.user, next, OWN(s), s->active, s->index, out);
    if (status)
        return status;
    for (int64_t k = 0; k < s->active; k++) {
        const int64_t i = s->index[k];
        const double dt = next - OWN(s)[i];
        const double a1[3] = {out[0][k], out[1][k], out[2][k]}, j1[3] = {out[3][k], out[4][k], out[5][k]};
        const double wanted = dt > 0 ? hermite_correct(s, i, dt, a1, j1) : STEP(s)[i];
        OWN(s)[i] = next;
        if (wanted < s->parameter[DT_MIN])
            s->number[1] = (double)(i + 1); /* a step below the smallest: the simulation stops with the particle's name */
        if (kind == BLOCK)
            STEP(s)[i] = last ? hermite_floor(s, wanted) : hermite_block(s, next, STEP(s)[i], wanted);
        else
            STEP(s)[i] = hermite_clamp(s, wanted);
    }
    if (last)
        ORIGIN(s) = end;
    s->time = next;
    s->steps++;
    s->particle_steps += s->active;
    return kind == SHARED ? hermite_share(s) : MYR_OK;
}

static void hermite_synchronise(const myr_integration *s, double *const x[3], double *const v[3])
{
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < s->n; i++) {
            const double dt = s->time - OWN(s)[i], a = s->a[c][i], j = s->j[c][i];
            x[c][i] = s->x[c][i] + dt * (s->v[c][i] + dt * (0.5 * a + dt * (j * (1.0 / 6.0))));
            v[c][i] = s->v[c][i] + dt * (a + dt * (0.5 * j));
        }
}

static double hermite_step_of(const myr_integration *s, int64_t i)
{
    return STEP(s)[i];
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

static const char *const hermite_state[] = {"own_time", "own_step", NULL};

#define HERMITE_PARAMETERS                                                                                             \
    {{"eta", "accuracy of the time step: its square is proportional to this", 0.01, 1e-12, 1e3},                       \
     {"eta_start", "accuracy of the first step", 0.01, 1e-12, 1e3},                                                    \
     {"dt_max", "largest step", 0.125, 1e-300, 1e300},                                                                 \
     {"dt_min", "smallest step; a particle that wants less stops the run", 1e-13, 1e-300, 1e300}}

const myr_integrator_table myr_integrator_hermite4 = {
    .info = {.name = "hermite4",
             .text = "Hermite, block time steps",
             .order = 4,
             .needs_jerk = 1,
             .param = HERMITE_PARAMETERS},
    .state = hermite_state,
    .second_order = 1,
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
