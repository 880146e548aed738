/* run_accuracy.c - the error of the forces, measured on sampled particles, and a note where it is larger than it need
 * be. Errors of far fields are compared with their tolerance by the library. And a note where steps lost energy. */
#include <math.h>
#include <string.h>

#include "run/run.h"

#define ACCURACY_LIMIT 1e-5   /* a relative rms error up to this needs no word */
#define ACCURACY_ROUNDING 128 /* rounding_used of contributions of which no digit was lost is below this */
#define ENERGY_LIMIT 1e-3     /* a relative change of a conserved energy up to this needs no word */

enum { SAMPLES = 256 };

/* Targets spread evenly over the set; gives how many. */
static int64_t choose_targets(int64_t n, int64_t index[SAMPLES])
{
    const int64_t count = n < SAMPLES ? n : SAMPLES;
    for (int64_t k = 0; k < count; k++)
        index[k] = k * n / count;
    return count;
}

static int is_direct(const myr_interaction *f)
{
    return strcmp(myr_interaction_choice(f, "method"), "direct") == 0;
}

static int measure_outputs(myr_context *context, myr_interaction *f, myr_particles *particles, run_accuracy *a)
{
    const myr_kernel_info *kernel = myr_kernel_known(context, myr_interaction_choice(f, "kernel"));
    int64_t index[SAMPLES];
    const int64_t count = choose_targets(myr_particles_count(particles), index);
    if (!kernel || count == 0)
        return CLI_OK;
    /* methods other than direct sum few targets directly */
    int code = cli_check(context, is_direct(f) ? myr_interaction_evaluate_subset(f, particles, count, index)
                                               : myr_interaction_evaluate(f, particles, particles));
    for (int k = 0; k < RUN_OUTPUTS && kernel->output[k].name && !code; k++) {
        code = cli_check(
            context, myr_interaction_accuracy(f, particles, particles, kernel->output[k].name, SAMPLES, &a->error[k]));
        if (!code)
            snprintf(a->name[k], sizeof a->name[k], "%s", kernel->output[k].name);
    }
    return code;
}

/* Whether images of a box act: direct sums have none. */
static int has_images(const myr_interaction *f)
{
    double edges[3], origin[3];
    return !myr_interaction_box(f, edges, origin) && (edges[0] > 0 || edges[1] > 0 || edges[2] > 0);
}

/* Particles in a box and atoms of molecules: all forces together. */
static int measure_box(myr_context *context, myr_simulation *simulation, run_accuracy *a)
{
    const int code = cli_check(context, myr_simulation_force_accuracy(simulation, SAMPLES, &a->error[0]));
    if (!code)
        snprintf(a->name[0], sizeof a->name[0], "force");
    return code;
}

int run_measure_accuracy(const input *in, myr_context *context, myr_simulation *simulation, run_accuracy *accuracy)
{
    const myr_particles *now;
    myr_particles *copy = NULL;
    myr_interaction *f = myr_simulation_interaction(simulation);
    if (input_is_molecular(in))
        return measure_box(context, simulation, accuracy);
    if (!f || has_images(f)) /* the error of a far field with images is in its report */
        return CLI_OK;
    int code = cli_check(context, myr_simulation_particles(simulation, &now));
    if (!code)
        code = cli_check(context, run_copy_particles(context, now, &copy));
    if (!code)
        code = measure_outputs(context, f, copy, accuracy);
    myr_particles_destroy(&copy);
    return code;
}

/* Whether the sums have lost the digits: their own error is most of it. NaN where it is not known. */
static int is_of_sums(const myr_accuracy *e)
{
    return e->sum_error > 0.5 * e->rms_error;
}

/* What has lost the digits, and what to do about it. */
static const char *accuracy_reason(const myr_interaction *f, const myr_accuracy *e)
{
    const char *accumulator = myr_interaction_choice(f, "accumulator");
    const char *arithmetic = myr_interaction_choice(f, "arithmetic");
    if (is_of_sums(e))
        return strcmp(accumulator, "fixed") == 0 ? "some are too small for the grid of the sums; use accumulator double"
                                                 : "the sums lose digits; use accumulator fixed or double";
    if (strcmp(arithmetic, "single") == 0)
        return "positions are rounded to the digits of a float; use arithmetic mixed or double";
    if (strcmp(arithmetic, "double") == 0)
        return "arithmetic double should do better than that";
    return isnan(e->rounding_used) ? "contributions are rounded to a float, and nearly cancel; use arithmetic double"
                                   : "pairs are closer than this arithmetic resolves; use arithmetic double";
}

/* Forces with charges have the error that the tolerance allows. */
static void warn_charges(const myr_coulomb *c, const myr_accuracy *e)
{
    char text[320];
    if (e->norm_error <= c->tolerance)
        return;
    snprintf(
        text, sizeof text,
        "the force has an error of %.2g (of all forces together, measured on %lld particle%s), more than the tolerance "
        "%g: ask for a smaller tolerance of the charges, or arithmetic double",
        e->norm_error, (long long)e->samples, myr_plural(e->samples), c->tolerance);
    cli_note(text);
}

void run_warn_accuracy(const myr_simulation *simulation, const run_accuracy *accuracy)
{
    myr_coulomb charges;
    if (myr_simulation_coulomb(simulation, &charges) == MYR_OK && charges.charges > 0) {
        warn_charges(&charges, &accuracy->error[0]);
        return;
    }
    const myr_interaction *f = myr_simulation_interaction(simulation);
    const char *method = f ? myr_interaction_choice(f, "method") : "";
    const int is_far = strcmp(method, "direct") != 0 && strcmp(method, "neighbour") != 0;
    char text[320];
    for (int k = 0; f && !is_far && k < RUN_OUTPUTS && accuracy->name[k][0]; k++) {
        const myr_accuracy *e = &accuracy->error[k];
        if (!(e->rms_error > ACCURACY_LIMIT) || (!is_of_sums(e) && e->rounding_used < ACCURACY_ROUNDING))
            continue;
        snprintf(text, sizeof text, "the %s has an error of %.2g (relative rms, measured on %lld particle%s): %s",
                 accuracy->name[k], e->rms_error, (long long)e->samples, myr_plural(e->samples), accuracy_reason(f, e));
        cli_note(text);
    }
}

void run_warn_energy(const run *r)
{
    const myr_integrator_info *integrator = myr_integrator_find(myr_simulation_integrator(r->simulation));
    const myr_interaction *f = myr_simulation_interaction(r->simulation);
    const double start = fabs(r->counters.energy), change = r->counters.worst * (start > 0 ? start : 1);
    const double scale = fmax(start, r->sample.now.kinetic); /* what is hardly bound has an energy of about 0 */
    char text[400];
    if (!(run_kind_of(r) & RUN_OF_BODIES) || !integrator || isnan(r->sample.energy_error) ||
        !(change > ENERGY_LIMIT * scale))
        return;
    snprintf(text, sizeof text,
             "the %s, which the motion conserves, has been off by %.2g of its start: use a smaller integrator.%s than "
             "%g%s",
             r->sample.now.jacobi != r->sample.now.energy ? "Jacobi integral" : "energy", r->counters.worst,
             integrator->param[0].name, myr_simulation_get(r->simulation, integrator->param[0].name),
             f && !is_direct(f) ? ", or a smaller interaction.tolerance" : "");
    cli_note(text);
}

void run_write_accuracy(const run_accuracy *accuracy, json_writer *w)
{
    json_open(w, "accuracy", '[');
    for (int k = 0; k < RUN_OUTPUTS && accuracy->name[k][0]; k++) {
        json_open(w, NULL, '{');
        json_text(w, "output", accuracy->name[k]);
        json_integer(w, "samples", accuracy->error[k].samples);
        json_number(w, "rms", accuracy->error[k].rms_error);
        json_number(w, "max", accuracy->error[k].max_error);
        json_number(w, "norm", accuracy->error[k].norm_error);
        json_number(w, "sum", accuracy->error[k].sum_error);
        json_number(w, "rounding", accuracy->error[k].rounding_used);
        json_close(w);
    }
    json_close(w);
}
