/* gpu_steps.c - steps on a GPU. The particles' arrays are in device memory; the processor's copies are updated on
 * request. Decisions a GPU cannot make (a grid to choose, a step that ends the run, an error to report) are left to the
 * processor: the particles return to their state before that step, and the processor makes the step. */
#include "simulation/gpu_steps.h"

#include <string.h>

#include "backend/gpu.h"
#include "core/timer.h"
#include "integrator/clock.h"
#include "simulation/box_motion.h"
#include "simulation/conserved.h"
#include "simulation/ranks/box_domains.h"
#include "simulation/rates.h"
#include "simulation/ranks/replicas.h"
#include "simulation/steps.h"

enum {
    GPU_STEPS = 64,         /* fixed steps enqueued between two synchronisations */
    GPU_BLOCK_STEPS = 2000, /* block steps per launch */
};
#define GPU_PAIRS 2e10 /* pairs between two synchronisations: about ten milliseconds */

static const myr_cuda_plugin *gpu_plugin(const myr_simulation *s)
{
    return myr_stage_gpu(s->stage)->plugin;
}

static int gpu_is_far(const myr_simulation *s)
{
    return !myr_method_of(s->interaction)->every_pair;
}

static void gpu_add_array(double **array, int *count, double *one)
{
    for (int k = 0; k < *count; k++)
        if (array[k] == one)
            return;
    if (one)
        array[(*count)++] = one;
}

/* Lists all arrays changed by the integrator; *scratch: how many of these, at the end, matter within a step only. */
static int gpu_arrays(const myr_simulation *s, double **array, int *scratch)
{
    const myr_integration *m = &s->motion;
    double *const *const group[] = {m->x, m->v, m->a, m->j};
    int count = 0;
    for (int g = 0; g < 4; g++)
        for (int c = 0; c < 3; c++)
            gpu_add_array(array, &count, group[g][c]);
    for (int k = 0; k < m->variables; k++)
        gpu_add_array(array, &count, m->variable[k]);
    for (int k = 0; k < m->variables; k++)
        gpu_add_array(array, &count, m->rate[k]);
    for (int k = 0; k < MYR_INTEGRATOR_STATE && m->state[k]; k++)
        gpu_add_array(array, &count, m->state[k]);
    *scratch = s->table->columns * m->variables;
    for (int k = 0; k < *scratch; k++)
        array[count++] = m->room + (int64_t)k * m->n;
    return count;
}

/* Field that changes besides the position, and its arrays: velocity of bodies, strength of vortex elements. */
static const char *gpu_vector(const myr_simulation *s, double *vector[3])
{
    const myr_integration *m = &s->motion;
    const int elements = !m->v[0], changes = m->variables > 3;
    for (int c = 0; c < 3; c++)
        vector[c] = !elements ? m->v[c] : changes ? m->variable[m->variables - 3 + c] : NULL;
    return !elements ? "velocity" : changes ? "strength" : "";
}

/* Arrays that receive the outputs of the kernel: [outputs]. */
static void gpu_outputs(const myr_simulation *s, double *value[MYR_KERNEL_OUTPUTS_MAX])
{
    const myr_integration *m = &s->motion;
    const int first = myr_rates_output(s, m->v[0] ? "acceleration" : "velocity");
    const int second = m->v[0] ? -1 : myr_rates_output(s, "stretching");
    for (int k = 0; k < MYR_KERNEL_OUTPUTS_MAX; k++) {
        value[k] = NULL;
        if (k >= first && k < first + 3)
            value[k] = m->v[0] ? m->a[k - first] : m->rate[k - first];
        else if (second >= 0 && k >= second && k < second + 3)
            value[k] = m->rate[m->variables - 3 + k - second];
    }
}

/* Returns 1 if kernel and integrator can run without the processor. */
static int gpu_fits(const myr_simulation *s)
{
    if (!s->stage || !myr_stage_gpu(s->stage) || s->externals || myr_replicas_are(s) || s->interaction->in_ensemble)
        return 0; /* ranks exchange results on the processor, and systems of an ensemble have a place of their own */
    if (s->table->resident == MYR_RESIDENT_BLOCKS)
        return !gpu_is_far(s) && myr_rates_output(s, "acceleration") == 0 && myr_rates_output(s, "jerk") == 3;
    if (s->table->resident != MYR_RESIDENT_FIXED)
        return 0;
    if (s->table->columns > 0 && !gpu_is_far(s))
        return 0; /* integrators with scratch columns have moved bodies by direct sums on no real GPU yet */
    return s->motion.v[0] ? myr_rates_output(s, "acceleration") >= 0 : gpu_is_far(s);
}

int myr_gpu_steps_has_particles(const myr_simulation *s)
{
    return s->gpu->device != NULL;
}

static void gpu_close(myr_simulation *s)
{
    if (s->gpu->device)
        gpu_plugin(s)->motion_close(s->gpu->device);
    s->gpu->device = NULL;
    s->gpu->ahead = s->gpu->decided = 0;
}

myr_status myr_gpu_steps_open(myr_simulation *s)
{
    double *array[12 + 2 * MYR_MOTION_VARIABLES + MYR_INTEGRATOR_STATE + 3 * MYR_MOTION_VARIABLES], *vector[3];
    int scratch;
    if (s->gpu->decided || (s->interaction && !myr_interaction_is_ready(s->interaction)))
        return MYR_OK; /* the first evaluation chooses grids and settings */
    s->gpu->decided = 1;
    if (!gpu_fits(s))
        return MYR_OK;
    const myr_gpu *gpu = myr_stage_gpu(s->stage);
    const int count = gpu_arrays(s, array, &scratch);
    myr_status status = myr_stage_open_motion(s->stage, gpu_vector(s, vector), count, scratch, array, &s->gpu->device);
    memcpy(s->gpu->used, s->interaction->method_state.used, sizeof s->gpu->used);
    if (status == MYR_ERROR_COMBINATION)
        return MYR_OK;
    if (!status)
        status = gpu->plugin->motion_send(s->gpu->device);
    if (status)
        gpu_close(s);
    if (status == MYR_ERROR_MEMORY && s->interaction->backend == myr_catalogue_backend("auto")) {
        myr_context_warn(s->context, "%s; the particles stay with the processor", s->context->message);
        s->gpu->decided = 1; /* decided only once */
        return MYR_OK;
    }
    return status;
}

myr_status myr_gpu_steps_fetch(myr_simulation *s)
{
    if (!s->gpu->device || !s->gpu->ahead)
        return MYR_OK;
    const myr_status status = gpu_plugin(s)->motion_fetch(s->gpu->device);
    if (!status)
        s->gpu->ahead = 0;
    return status;
}

myr_status myr_gpu_steps_leave(myr_simulation *s)
{
    const myr_status status = myr_gpu_steps_fetch(s);
    if (!status) {
        gpu_close(s);
        s->gpu->decided = 1;
    }
    return status;
}

/* Returns 1 if the settings of the method are not those of the particles on the GPU. */
static int gpu_is_changed(const myr_simulation *s)
{
    const myr_method_state *m = &s->interaction->method_state;
    int same = m->known;
    for (int k = 0; k < MYR_METHOD_PARAMETERS; k++)
        same &= m->used[k] == s->gpu->used[k];
    return gpu_is_far(s) && !same;
}

/* Returns 1 if the next step must be made by the processor: to choose grids, to measure an error, or because the user
 * changed the method. */
static int gpu_needs_processor(const myr_simulation *s)
{
    return myr_interaction_grid_is_old(s->interaction, s->motion.n) || gpu_is_changed(s) ||
           (gpu_is_far(s) && myr_method_is_due(s->interaction));
}

/* Makes one step on the processor, which still evaluates on the GPU. */
static myr_status gpu_step_on_processor(myr_simulation *s, double end)
{
    const myr_cuda_plugin *plugin = gpu_plugin(s);
    myr_status status = myr_gpu_steps_fetch(s);
    if (!status) {
        s->interaction->grid_is_due = myr_interaction_grid_is_old(s->interaction, s->motion.n);
        if (gpu_is_far(s))
            myr_method_begin_step(s->interaction);
        status = s->table->step(&s->motion, end);
    }
    if (!status && !myr_stage_gpu(s->stage)) { /* the GPU was given up: all further steps are made on the processor */
        plugin->motion_close(s->gpu->device);
        s->gpu->device = NULL;
        return MYR_OK;
    }
    if (!status && gpu_is_changed(s)) { /* another order: opened again before the next step */
        gpu_close(s);
        return MYR_OK;
    }
    return status ? status : plugin->motion_send(s->gpu->device);
}

/* --- fixed steps: the integrator runs on the processor and enqueues sums and evaluations on the GPU --------------- */
static myr_status gpu_sum(void *user, const motion_sum *sum)
{
    const myr_simulation *s = user;
    return gpu_plugin(s)->motion_sum(s->gpu->device, sum);
}

/* Pairs of the last evaluation. */
static myr_status gpu_pairs(const myr_simulation *s, int64_t *pairs)
{
    myr_cuda_far_report report;
    *pairs = s->motion.n * myr_stage_sources(s->stage);
    if (!gpu_is_far(s))
        return MYR_OK;
    if (myr_method_of(s->interaction) == &myr_method_mesh) {
        *pairs = 0; /* it has none */
        return MYR_OK;
    }
    const myr_status status = gpu_plugin(s)->far_motion_report(s->gpu->device, &report);
    if (!status)
        *pairs = report.pairs;
    return status;
}

static myr_status gpu_rates(void *user, double time)
{
    myr_simulation *s = user;
    myr_integration *m = &s->motion;
    double *value[MYR_KERNEL_OUTPUTS_MAX], *vector[3];
    int64_t pairs;
    (void)time;
    s->interaction->grid_age += m->n;
    s->interaction->method_state.unjudged++;
    gpu_outputs(s, value);
    gpu_vector(s, vector);
    myr_status status = gpu_plugin(s)->motion_rates(s->gpu->device, myr_stage_job(s->stage), m->x, vector, value);
    if (!status)
        status = gpu_pairs(s, &pairs);
    if (!status)
        s->pairs += pairs;
    return status;
}

static myr_status gpu_fixed(myr_simulation *s, double end, double until, int64_t most)
{
    myr_integration *m = &s->motion;
    const myr_cuda_plugin *plugin = gpu_plugin(s);
    const myr_integration before = *m;
    const int64_t pairs_before = s->pairs, age_before = s->interaction->grid_age,
                  unjudged_before = s->interaction->method_state.unjudged;
    int fine = 0;
    if (gpu_needs_processor(s))
        return gpu_step_on_processor(s, end);
    const double forward = end > m->shown ? 1 : -1;
    myr_status status = plugin->motion_keep(s->gpu->device, 0);
    m->rates.rates = gpu_rates;
    m->sum = gpu_sum;
    if (s->gpu->batch < 1)
        s->gpu->batch = GPU_STEPS;
    for (int64_t k = 0; !status && k < most && k < s->gpu->batch && (double)(s->pairs - pairs_before) < GPU_PAIRS &&
                        forward * (end - m->shown) > 0 && forward * (until - m->shown) > 0 && !gpu_needs_processor(s);
         k++)
        status = s->table->step(m, end);
    const int64_t made = m->steps - before.steps;
    m->rates.rates = before.rates.rates;
    m->sum = NULL;
    s->gpu->ahead = 1;
    if (!status)
        status = plugin->motion_settle(s->gpu->device, &fine);
    if (!status && fine && s->gpu->batch < GPU_STEPS)
        s->gpu->batch *= 2;
    if (status || fine)
        return status;
    *m = before;
    s->pairs = pairs_before;
    s->interaction->grid_age = age_before;
    s->interaction->method_state.unjudged = unjudged_before;
    status = plugin->motion_keep(s->gpu->device, 1);
    if (status || made == 1)
        return status ? status : gpu_step_on_processor(s, end);
    s->gpu->batch = made / 8 > 0 ? made / 8 : 1; /* the failing step is among them: uses smaller batches */
    return gpu_fixed(s, end, until, most);
}

/* --- block steps: whole batches on the GPU ------------------------------------------------------------------------ */
static myr_status gpu_blocks(myr_simulation *s, double end, double until, int64_t most)
{
    myr_integration *m = &s->motion;
    myr_cuda_blocks b = {.own = m->state[0],
                         .step = m->state[1],
                         .end = m->state[2],
                         .time = m->time,
                         .origin = m->number[0],
                         .unit = m->number[1],
                         .eta = m->parameter[0],
                         .dt_min = m->parameter[3],
                         .stop = end,
                         .until = until + myr_clock_rounding(until),
                         .most = most < GPU_BLOCK_STEPS ? most : GPU_BLOCK_STEPS,
                         .renew_after = MYR_GRID_EVALUATIONS * m->n - s->interaction->grid_age};
    myr_cuda_blocks_done done = {0};
    for (int c = 0; c < 3; c++) {
        b.x[c] = m->x[c];
        b.v[c] = m->v[c];
        b.a[c] = m->a[c];
        b.j[c] = m->j[c];
    }
    const double often = GPU_PAIRS / ((double)m->n * (double)myr_stage_sources(s->stage));
    if ((double)b.most > 100 * often + 1) /* blocks have on average about a hundredth of all particles */
        b.most = (int64_t)(100 * often) + 1;
    myr_status status = gpu_plugin(s)->motion_hermite(s->gpu->device, myr_stage_job(s->stage), &b, &done);
    if (status)
        return status;
    if (done.steps == 0 && !done.at_end && !done.stopped && until > m->shown) { /* the next block ends after `until` */
        m->shown = until;
        s->gpu->ahead = 1;
        return MYR_OK;
    }
    if (done.steps > 0) {
        m->time = done.time;
        m->shown = myr_clock_shown(done.time, until);
        m->steps += done.steps;
        m->particle_steps += done.particle_steps;
        m->active = done.active;
        s->pairs += done.particle_steps * myr_stage_sources(s->stage);
        s->interaction->grid_age += done.particle_steps;
        s->gpu->ahead = 1;
        return MYR_OK;
    }
    return gpu_step_on_processor(s, end);
}

myr_status myr_gpu_steps_advance(myr_simulation *s, double end, double until, int64_t most)
{
    const double start = myr_timer_now();
    myr_steps_grids grids = {.age = 0};
    myr_steps_copy_grids(s, 0, &grids);
    const myr_status status =
        s->table->resident == MYR_RESIDENT_BLOCKS ? gpu_blocks(s, end, until, most) : gpu_fixed(s, end, until, most);
    if (status)
        myr_steps_copy_grids(s, 1, &grids);
    s->force_seconds += myr_timer_now() - start;
    return status;
}

/* --- arrays for other programs ------------------------------------------------------------------------------------ */

/* Why there are no arrays of bodies on a GPU. */
static const char *arrays_refusal(const myr_simulation *s)
{
    const int on_gpu = s->stage && myr_stage_gpu(s->stage) != NULL;
    return s->box->engine       ? "coordinates of particles in a box are integers on a GPU, in an order of its own; "
                                  "myr_simulation_particles copies them"
           : !s->motion.started ? "bodies move on a GPU only after a step"
           : s->externals && on_gpu ? "with external fields steps are made by the processor"
           : s->stage && !on_gpu    ? "the processor moves them; use backend cuda"
                                    : "this motion does not stay on a GPU between steps";
}

/* Host arrays of a field of the motion, by which the device knows them; returns the number of components. */
static int arrays_of(const myr_simulation *s, const char *field, const double **first)
{
    const myr_integration *m = &s->motion;
    const struct {
        const char *name;
        double *const *array;
    } fields[] = {{"position", m->x}, {"velocity", m->v}, {"acceleration", m->a}, {"jerk", m->j}};
    *first = NULL;
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
        if (strcmp(field, fields[k].name) == 0)
            *first = fields[k].array[0];
    if (*first)
        return 3;
    if (s->table->resident == MYR_RESIDENT_BLOCKS && strcmp(field, "own_time") == 0)
        *first = m->state[0];
    if (*first)
        return 1;
    int components = 0; /* another field that the motion changes: strengths of vortex elements */
    *first = myr_particles_component_const(s->particles, field, 0);
    while (myr_particles_component_const(s->particles, field, components))
        components++;
    return components;
}

myr_status myr_simulation_device_array(myr_simulation *simulation, const char *field, myr_device_array *array)
{
    myr_simulation *s = simulation;
    const double *host;
    if (!s || !field || !array)
        return MYR_ERROR_ARGUMENT;
    *array = (myr_device_array){0};
    if (!s->gpu->device)
        return myr_context_fail(s->context, MYR_ERROR_UNAVAILABLE, "there are no arrays on a GPU: %s",
                                arrays_refusal(s));
    const int components = arrays_of(s, field, &host);
    const myr_status status =
        host ? gpu_plugin(s)->motion_address(s->gpu->device, host, &array->pointer, &array->device) : MYR_OK;
    if (status)
        return status;
    if (!array->pointer)
        return myr_context_fail(s->context, MYR_ERROR_FIELD,
                                "there is no '%s' on the GPU; there are position, velocity and acceleration%s", field,
                                s->table->resident == MYR_RESIDENT_BLOCKS ? ", and jerk and own_time" : "");
    array->components = components;
    array->n = array->stride = s->motion.n;
    return MYR_OK;
}

const myr_motion myr_motion_gpu = {
    .kind = MYR_MOTION_OF_BODIES,
    .state_bytes = sizeof(struct myr_gpu_state),
    .claims = myr_gpu_steps_has_particles,
    .join = myr_box_domains_refuse,
    .advance = myr_gpu_steps_advance,
    .fetch = myr_gpu_steps_fetch,
    .conserved = myr_conserved_bodies,
    .close = gpu_close,
};
