/* eval.c - `myriad eval`: one evaluation of all pairs, with its speed, its measured error and a hash of its bits. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cli.h"
#include "json.h"
#include "force_errors.h"
#include "scene.h"

enum { OUTPUTS_MAX = 8, TARGETS_ALL = -1, N_USUAL = -1, EVAL_NAMED = 16 };
#define EVAL_SHORT 0.2 /* seconds */

typedef struct {
    scene_options scene;
    int64_t targets, samples, repeat;
    int json;
} eval_options;

#define AT(field) offsetof(eval_options, field)
static const args_option eval_table[] = {
    {"model", ARGS_WORD, AT(scene.model), "NAME", "initial conditions (plummer)", cli_model_name, 0, 0},
    {"file", ARGS_WORD, AT(scene.file), "FILE", "particles of a file instead of a model, in units with G = 1", NULL, 0,
     0},
    {"column", ARGS_LIST, AT(scene.columns), "X=NAME",
     "column of a table of text, as in particles.columns; may be repeated", NULL, 0, 0},
    {"n", ARGS_INTEGER, AT(scene.n), "N", "particles (4096)", NULL, 0, 9.2e18},
    {"kernel", ARGS_KERNEL, AT(scene.kernel), "NAME", "what one source does to one target, or FILE.pipe (gravity)",
     cli_kernel_name, 0, 0},
    {"accumulator", ARGS_WORD, AT(scene.accumulator), "NAME", "how contributions are summed (fixed)",
     cli_accumulator_name, 0, 0},
    {"arithmetic", ARGS_WORD, AT(scene.arithmetic), "NAME", "what pairs are computed in (single)", cli_arithmetic_name,
     0, 0},
    {"method", ARGS_WORD, AT(scene.method), "NAME", "which pairs are evaluated (direct)", cli_method_name, 0, 0},
    {"tolerance", ARGS_NUMBER, AT(scene.tolerance), "X",
     "relative rms error to keep, of methods fmm, tree, pseudo (1e-5)", NULL, -1e300, 1e300},
    {"order", ARGS_NUMBER, AT(scene.order), "P", "degrees of their expansions (chosen by the tolerance)", NULL, 0,
     1e300},
    {"separation", ARGS_NUMBER, AT(scene.separation), "K", "cells this near are not expanded (chosen)", NULL, 0, 1e300},
    {"theta", ARGS_NUMBER, AT(scene.theta), "X", "opening of cells, of method tree (by their error)", NULL, 0, 1e300},
    {"part", ARGS_NUMBER, AT(scene.part), "X", "error of a cell, as a part of the pull, of method tree (chosen)", NULL,
     0, 1e300},
    {"group", ARGS_NUMBER, AT(scene.group), "K", "targets that share a list, of method tree (chosen)", NULL, 0, 1e300},
    {"leaf", ARGS_NUMBER, AT(scene.leaf), "K", "particles in a leaf of the tree (chosen)", NULL, 0, 1e300},
    {"backend", ARGS_WORD, AT(scene.backend), "NAME", "where (auto)", cli_backend_name, 0, 0},
    {"isa", ARGS_WORD, AT(scene.isa), "NAME", "instruction set (auto)", cli_isa_name, 0, 0},
    {"threads", ARGS_INTEGER, AT(scene.threads), "T", "threads; 0 = as many as there are (0)", NULL, 0, 4096},
    {"eps", ARGS_NUMBER, AT(scene.eps), "E", "softening length (the kernel's default)", NULL, 0, 1e300},
    {"G", ARGS_NUMBER, AT(scene.G), "G", "gravitational constant (1)", NULL, -1e300, 1e300},
    {"softening", ARGS_WORD, AT(scene.softening), "NAME", "shape of the softening of gravity (plummer)",
     cli_softening_name, 0, 0},
    {"param", ARGS_LIST, AT(scene.params), "NAME=X", "sets a parameter of the kernel; may be repeated", NULL, 0, 0},
    {"types", ARGS_INTEGER, AT(scene.types), "K", "types of particles, for kernels with tables (16)", NULL, 1, 1024},
    {"seed", ARGS_INTEGER, AT(scene.seed), "S", "seed of the random numbers (1)", NULL, 0, 9.2e18},
    {"targets", ARGS_INTEGER, AT(targets), "M", "evaluate only the first M particles (all)", NULL, 0, 9.2e18},
    {"samples", ARGS_INTEGER, AT(samples), "K", "targets on which the error is measured; 0 = none (256)", NULL, 0, 1e9},
    {"splits", ARGS_INTEGER, AT(scene.splits), "K", "parts that the sources are cut into; 0 = automatic (0)", NULL, 0,
     1e6},
    {"repeat", ARGS_INTEGER, AT(repeat), "R", "evaluations to time; the median counts (1)", NULL, 1, 1e6},
    {"coincident", ARGS_INTEGER, AT(scene.coincident), "K", "put the last K particles where the first K are (0)", NULL,
     0, 1e9},
    {"json", ARGS_FLAG, AT(json), NULL, "print JSON", NULL, 0, 0},
    {"quiet", ARGS_FLAG, AT(scene.quiet), NULL, "no progress, no notes", NULL, 0, 0},
    {0},
};
#undef AT

static const args_table eval_args = {
    .command = "eval",
    .text = "Evaluates all pairs once; reports the speed, the error against double arithmetic on sampled targets,\n"
            "the net force and a hash of the result's bits. Molecular kernels get a random table per pair of types\n"
            "with radii of 0.8 to 1 of the smallest distance in the set.",
    .options = eval_table,
};

typedef struct {
    myr_evaluation last;
    double seconds;
    myr_accuracy worst; /* over the outputs */
    myr_accuracy accuracy[OUTPUTS_MAX];
    double net_force; /* NaN where the kernel has no antisymmetric output */
    uint64_t hash;
    int64_t coincident, same[2 * EVAL_NAMED]; /* pairs at the same place where any were left out; the first of them */
} eval_result;

static int eval_once(scene *s, int64_t targets)
{
    const int64_t n = myr_particles_count(s->particles);
    if (targets == TARGETS_ALL)
        return cli_check(s->context, myr_interaction_evaluate(s->interaction, s->particles, s->particles));
    if (targets > n)
        return cli_fail(CLI_USAGE, "--targets cannot be %" PRId64 ": there are only %" PRId64 " particle%s", targets, n,
                        myr_plural(n));
    int64_t *index = malloc((size_t)(targets + 1) * sizeof *index);
    if (!index)
        return cli_fail(CLI_FAILED, "no memory for %" PRId64 " targets", targets);
    for (int64_t i = 0; i < targets; i++)
        index[i] = i;
    const myr_status status = myr_interaction_evaluate_subset(s->interaction, s->particles, targets, index);
    free(index);
    return cli_check(s->context, status);
}

/* Evaluates and times the last pass: neither the choice of a scale nor repeats count. Short ones are done twice, so
 * that the first touch of memory does not count either. */
static int eval_time(scene *s, const eval_options *o, eval_result *r)
{
    double *seconds = malloc((size_t)o->repeat * sizeof *seconds);
    if (!seconds)
        return cli_fail(CLI_FAILED, "no memory for %" PRId64 " repeats", o->repeat);
    progress_begin(&s->progress, "%s, %s", s->kernel->name, o->scene.accumulator);
    int code = eval_once(s, o->targets);
    if (!code)
        code = cli_check(s->context, myr_interaction_last(s->interaction, &r->last));
    if (!code && r->last.seconds < EVAL_SHORT)
        code = eval_once(s, o->targets);
    for (int64_t k = 0; k < o->repeat && !code; k++) {
        if (k > 0)
            code = eval_once(s, o->targets);
        if (!code)
            code = cli_check(s->context, myr_interaction_last(s->interaction, &r->last));
        if (!code)
            seconds[k] = r->last.seconds;
    }
    if (!code)
        r->seconds = measure_median(seconds, (int)o->repeat);
    free(seconds);
    progress_end(&s->progress);
    return code;
}

static double eval_larger(double a, double b)
{
    return b > a || isnan(b) ? b : a;
}

static int eval_accuracy(scene *s, const eval_options *o, eval_result *r)
{
    r->worst = (myr_accuracy){NAN, NAN, NAN, NAN, 0, NAN, NAN};
    if (o->samples == 0 || r->last.targets == 0)
        return CLI_OK;
    r->worst = (myr_accuracy){0};
    progress_begin(&s->progress, "error on %" PRId64 " targets", o->samples);
    for (int k = 0; s->kernel->output[k].name; k++) {
        myr_accuracy *a = &r->accuracy[k];
        const int code = cli_check(s->context, myr_interaction_accuracy(s->interaction, s->particles, s->particles,
                                                                        s->kernel->output[k].name, o->samples, a));
        if (code)
            return code;
        r->worst.max_error = eval_larger(r->worst.max_error, a->max_error);
        r->worst.rms_error = eval_larger(r->worst.rms_error, a->rms_error);
        r->worst.sum_error = eval_larger(r->worst.sum_error, a->sum_error);
        r->worst.sum_bound_used = eval_larger(r->worst.sum_bound_used, a->sum_bound_used);
        r->worst.rounding_used = eval_larger(r->worst.rounding_used, a->rounding_used);
        r->worst.norm_error = eval_larger(r->worst.norm_error, a->norm_error);
        r->worst.samples = a->samples;
    }
    progress_end(&s->progress);
    return CLI_OK;
}

static int eval_hash(const scene *s, uint64_t *hash)
{
    uint64_t sum = 0;
    for (int k = 0; s->kernel->output[k].name; k++) {
        uint64_t h;
        const int code = cli_check(s->context, myr_particles_hash(s->particles, s->kernel->output[k].name, &h));
        if (code)
            return code;
        sum = k == 0 ? h : (sum ^ h) * 0x100000001b3u;
    }
    *hash = sum;
    return CLI_OK;
}

/* Finds the particles at the same place where pairs were left out. */
static int eval_coincident(const scene *s, eval_result *r)
{
    return r->last.skipped ? cli_check(s->context, myr_interaction_coincident(s->interaction, s->particles, EVAL_NAMED,
                                                                              r->same, &r->coincident))
                           : CLI_OK;
}

static int64_t eval_named(const eval_result *r)
{
    return r->coincident < EVAL_NAMED ? r->coincident : EVAL_NAMED;
}

static void eval_coincident_json(const eval_result *r, json_writer *w)
{
    json_integer(w, "coincident_pairs", r->coincident);
    json_open(w, "coincident", '[');
    for (int64_t k = 0; k < eval_named(r); k++) {
        json_open(w, NULL, '[');
        json_integer(w, NULL, r->same[2 * k]);
        json_integer(w, NULL, r->same[2 * k + 1]);
        json_close(w);
    }
    json_close(w);
}

static void eval_coincident_plain(const eval_result *r)
{
    if (!r->last.skipped)
        return;
    printf("%-15s %" PRId64 " of these, between particles at the same place%s", "skipped", r->last.skipped,
           r->coincident ? ": particles" : " in this arithmetic, or their images");
    for (int64_t k = 0; k < eval_named(r); k++)
        printf("%s %" PRId64 " and %" PRId64, k ? "," : "", r->same[2 * k], r->same[2 * k + 1]);
    printf("%s\n", r->coincident > EVAL_NAMED ? ", ..." : "");
}

/* What a far field was chosen to be, and the error that was measured. */
static void eval_far_json(const myr_far_report *r, json_writer *w)
{
    json_open(w, "far", '{');
    json_number(w, "tolerance", r->tolerance);
    json_integer(w, "samples", r->samples);
    json_open(w, "error", '{');
    for (int k = 0; k < 3 && r->output[k]; k++)
        json_number(w, r->output[k], r->error[k]);
    json_close(w);
    if (r->mesh[0]) {
        json_integer(w, "mesh_x", r->mesh[0]);
        json_integer(w, "mesh_y", r->mesh[1]);
        json_integer(w, "mesh_z", r->mesh[2]);
    }
    json_integer(w, r->mesh[0] ? "width" : "order", r->order);
    json_integer(w, "separation", r->separation);
    json_integer(w, "leaf", r->leaf);
    json_text(w, "expansions", r->in_double ? "double" : "float");
}

/* What a method other than direct did; an object "near" where it has a cutoff, "far" where it has a far field. */
static void eval_method_json(const scene *s, json_writer *w)
{
    myr_far_report r;
    if (strcmp(myr_interaction_choice(s->interaction, "method"), "direct") == 0 ||
        myr_interaction_far(s->interaction, &r))
        return;
    const int near = r.within_pairs >= 0;
    if (near)
        json_open(w, "near", '{');
    else
        eval_far_json(&r, w);
    json_integer(w, "cells", r.cells);
    json_integer(w, "leaves", r.leaves);
    json_integer(w, "levels", r.levels);
    json_integer(w, "largest_leaf", r.largest);
    json_integer(w, near ? "pairs_looked_at" : "near_pairs", r.near_pairs);
    json_integer(w, near ? "pairs_within" : "translations", near ? r.within_pairs : r.translations);
    json_integer(w, "bytes", r.bytes);
    json_open(w, "seconds", '{');
    for (int k = 0; k < 12 && r.part[k]; k++)
        json_number(w, r.part[k], r.seconds[k]);
    json_close(w);
    json_close(w);
}

static void eval_far_plain(const myr_far_report *r)
{
    if (!r->mesh[0])
        printf("%-15s %" PRId64 " pairs one by one, %" PRId64 " translations\n", "work", r->near_pairs,
               r->translations);
    printf("%-15s %.3g asked for; measured on %" PRId64 " targets:", "tolerance", r->tolerance, r->samples);
    for (int k = 0; k < 3 && r->output[k]; k++)
        printf("%s %s %.3g", k ? "," : "", r->output[k], r->error[k]);
    printf("\n");
}

static void eval_mesh_plain(const myr_far_report *r)
{
    printf("%-15s %" PRId64 " x %" PRId64 " x %" PRId64 " points; an element touches %d along an axis\n", "mesh",
           r->mesh[0], r->mesh[1], r->mesh[2], r->order);
}

static void eval_tree_plain(const myr_far_report *r)
{
    if (r->within_pairs < 0)
        printf("%-15s order %d in %ss, separation %d, leaf %" PRId64 "\n", "expansions", r->order,
               r->in_double ? "double" : "float", r->separation, r->leaf);
    printf("%-15s %" PRId64 " cell%s on %" PRId64 " level%s, %" PRId64 " %s, %" PRId64 " particle%s in the largest\n",
           "tree", r->cells, myr_plural(r->cells), r->levels, myr_plural(r->levels), r->leaves,
           r->leaves == 1 ? "leaf" : "leaves", r->largest, myr_plural(r->largest));
}

static void eval_method_plain(const scene *s)
{
    myr_far_report r;
    if (strcmp(myr_interaction_choice(s->interaction, "method"), "direct") == 0)
        return;
    if (myr_interaction_far(s->interaction, &r)) {
        printf("%-15s all pairs: so few targets are summed directly\n", "work");
        return;
    }
    if (r.mesh[0])
        eval_mesh_plain(&r);
    else
        eval_tree_plain(&r);
    if (r.within_pairs < 0)
        eval_far_plain(&r);
    else
        printf("%-15s %" PRId64 " pairs looked at, %" PRId64 " within the cutoff\n", "work", r.near_pairs,
               r.within_pairs);
    printf("%-15s", "time");
    for (int k = 0; k < 12 && r.part[k]; k++)
        printf("%s %s %.3g", k ? "," : "", r.part[k], r.seconds[k]);
    printf("\n");
}

static void eval_json(const scene *s, const eval_options *o, const eval_result *r)
{
    json_writer w = {.out = stdout};
    char hash[32];
    snprintf(hash, sizeof hash, "%016" PRIx64, r->hash);
    json_open(&w, NULL, '{');
    if (o->scene.file)
        json_text(&w, "file", o->scene.file);
    else
        json_text(&w, "model", o->scene.model);
    json_integer(&w, "n", myr_particles_count(s->particles));
    static const char *const keys[] = {"kernel", "accumulator", "arithmetic", "method", "backend", "isa"};
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        json_text(&w, keys[k], myr_interaction_choice(s->interaction, keys[k]));
    if (s->from_source) {
        json_integer(&w, "compiled", s->compiled);
        json_number(&w, "compile_seconds", s->compile_seconds);
    }
    json_integer(&w, "threads", myr_context_threads(s->context));
    json_integer(&w, "seed", o->scene.seed);
    json_open(&w, "parameters", '{');
    for (const myr_parameter_info *p = s->kernel->param; p->name; p++)
        json_number(&w, p->name, myr_interaction_get(s->interaction, p->name));
    json_close(&w);
    json_integer(&w, "targets", r->last.targets);
    json_integer(&w, "sources", r->last.sources);
    json_integer(&w, "pairs", r->last.pairs);
    json_integer(&w, "skipped", r->last.skipped);
    if (r->last.skipped)
        eval_coincident_json(r, &w);
    json_integer(&w, "repeats", r->last.repeats);
    json_integer(&w, "splits", r->last.splits);
    json_number(&w, "seconds", r->seconds);
    json_number(&w, "pairs_per_s", (double)r->last.pairs / r->seconds);
    json_number(&w, "max_rel_error", r->worst.max_error);
    json_number(&w, "rms_rel_error", r->worst.rms_error);
    json_number(&w, "norm_error", r->worst.norm_error);
    json_number(&w, "sum_error", r->worst.sum_error);
    json_number(&w, "sum_bound_used", r->worst.sum_bound_used);
    json_number(&w, "rounding_used", r->worst.rounding_used);
    json_integer(&w, "samples", r->worst.samples);
    json_number(&w, "net_force", r->net_force);
    json_text(&w, "hash", hash);
    eval_method_json(s, &w);
    json_open(&w, "outputs", '[');
    for (int k = 0; s->kernel->output[k].name; k++) {
        json_open(&w, NULL, '{');
        json_text(&w, "name", s->kernel->output[k].name);
        const int measured = r->accuracy[k].samples > 0;
        json_number(&w, "max_rel_error", measured ? r->accuracy[k].max_error : NAN);
        json_number(&w, "rms_rel_error", measured ? r->accuracy[k].rms_error : NAN);
        json_number(&w, "norm_error", measured ? r->accuracy[k].norm_error : NAN);
        json_number(&w, "sum_error", measured ? r->accuracy[k].sum_error : NAN);
        json_close(&w);
    }
    json_close(&w);
    json_close(&w);
}

static void eval_line(const char *name, double value, const char *unit)
{
    if (isnan(value))
        printf("%-15s -\n", name);
    else
        printf("%-15s %.4g%s\n", name, value, unit);
}

static void eval_plain(const scene *s, const eval_options *o, const eval_result *r)
{
    const myr_interaction *f = s->interaction;
    if (o->scene.file)
        printf("%-15s %s, %" PRId64 " particle%s\n", "file", o->scene.file, myr_particles_count(s->particles),
               myr_plural(myr_particles_count(s->particles)));
    else
        printf("%-15s %s, %" PRId64 " particle%s, seed %" PRId64 "\n", "model", o->scene.model, o->scene.n,
               myr_plural(o->scene.n), o->scene.seed);
    printf("%-15s %s: %s\n", "kernel", s->kernel->name, s->kernel->formula);
    if (s->from_source)
        printf("%-15s %s, %.3g s\n", "loops", s->compiled ? "compiled" : "from the cache", s->compile_seconds);
    printf("%-15s %s in %s arithmetic\n", "sum", myr_interaction_choice(f, "accumulator"),
           myr_interaction_choice(f, "arithmetic"));
    printf("%-15s %s on %s (%s), %d thread%s\n", "method", myr_interaction_choice(f, "method"),
           myr_interaction_choice(f, "backend"), myr_interaction_choice(f, "isa"), myr_context_threads(s->context),
           myr_plural(myr_context_threads(s->context)));
    eval_method_plain(s);
    printf("%-15s %" PRId64 "\n", "pairs", r->last.pairs);
    eval_coincident_plain(r);
    eval_line("seconds", r->seconds, "");
    eval_line("pairs_per_s", (double)r->last.pairs / r->seconds, "");
    eval_line("max_rel_error", r->worst.max_error, "");
    eval_line("rms_rel_error", r->worst.rms_error, "");
    eval_line("norm_error", r->worst.norm_error, "");
    eval_line("sum_error", r->worst.sum_error, "");
    eval_line("net_force", r->net_force, "");
    printf("%-15s %016" PRIx64 "\n", "hash", r->hash);
}

static int eval_run(const eval_options *o)
{
    scene s;
    eval_result r = {.net_force = NAN};
    int code = scene_create(&o->scene, &s);
    if (!code)
        code = eval_time(&s, o, &r);
    if (!code && o->targets == TARGETS_ALL)
        code = measure_net_force(s.context, s.interaction, s.particles, s.kernel, &r.net_force);
    if (!code)
        code = eval_hash(&s, &r.hash);
    if (!code)
        code = eval_coincident(&s, &r);
    if (!code)
        code = eval_accuracy(&s, o, &r);
    if (!code && o->json)
        eval_json(&s, o, &r);
    else if (!code)
        eval_plain(&s, o, &r);
    scene_destroy(&s);
    return code;
}

int cli_eval(int argc, char **argv)
{
    eval_options options = {
        .scene = {.kernel = "gravity",
                  .accumulator = "fixed",
                  .arithmetic = "single",
                  .n = N_USUAL,
                  .seed = 1,
                  .types = 16,
                  .eps = NAN,
                  .G = NAN,
                  .tolerance = NAN,
                  .order = NAN,
                  .separation = NAN,
                  .theta = NAN,
                  .part = NAN,
                  .group = NAN,
                  .leaf = NAN},
        .targets = TARGETS_ALL,
        .samples = 256,
        .repeat = 1,
    };
    switch (args_parse(&eval_args, argc, argv, &options)) {
    case ARGS_HELPED:
        return CLI_OK;
    case ARGS_WRONG:
        return CLI_USAGE;
    case ARGS_GO:
        break;
    }
    if (options.scene.file && (options.scene.model || options.scene.n != N_USUAL))
        return cli_fail(CLI_USAGE, "eval: --file is given beside --model or --n, which make particles; expected one");
    if (options.scene.n == N_USUAL)
        options.scene.n = 4096;
    if (!options.scene.model)
        options.scene.model = "plummer";
    return eval_run(&options);
}
