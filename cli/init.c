/* init.c - `myriad init MODEL -n N -o FILE`: the particles of a model as a file. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "cli.h"
#include "run/run.h"

typedef struct {
    const char *model, *output, *format, *units;
    args_list set;
    int64_t n, seed;
    int quiet;
} init_options;

static const char *init_units(int k)
{
    return units_system_name(k);
}

#define AT(field) offsetof(init_options, field)
static const args_option init_table[] = {
    {"n", ARGS_INTEGER, AT(n), "N", "particles (the model's own number, where it has one)", NULL, 1, 1e12},
    {"output", ARGS_WORD, AT(output), "FILE", "the file to write", NULL, 0, 0},
    {"set", ARGS_LIST, AT(set), "KEY=VALUE", "a parameter of the model, as in --set W0=9; may be repeated", NULL, 0, 0},
    {"seed", ARGS_INTEGER, AT(seed), "S", "seed of the random numbers (1)", NULL, 0, 9.2e18},
    {"format", ARGS_WORD, AT(format), "NAME", "format of the file (by its ending)", keys_format, 0, 0},
    {"units", ARGS_WORD, AT(units), "NAME", "system of units (nbody)", init_units, 0, 0},
    {"quiet", ARGS_FLAG, AT(quiet), NULL, "print errors only", NULL, 0, 0},
    {0},
};
#undef AT

static const args_table init_args = {
    .command = "init",
    .text = "Makes the particles of a model and writes them to a file; 'myriad explain MODEL' lists its parameters.\n"
            "-n and -o stand for --n and --output.",
    .operand = "MODEL",
    .operand_text = "the model",
    .operands = cli_model_name,
    .operand_offset = offsetof(init_options, model),
    .keys = keys_particles_name,
    .options = init_table,
};

/* The command line in the words of an input file, so that both go the same way. */
static input *init_input(const init_options *o)
{
    char text[ARGS_LIST_MAX][256], model[128], n[64], seed[64], units[128];
    args_list set = {0};
    snprintf(model, sizeof model, "particles.model=%s", o->model);
    snprintf(seed, sizeof seed, "particles.seed=%" PRId64, o->seed);
    snprintf(n, sizeof n, "particles.n=%" PRId64, o->n);
    snprintf(units, sizeof units, "units.system=%s", o->units);
    set.item[set.count++] = model;
    set.item[set.count++] = seed;
    set.item[set.count++] = units;
    set.item[set.count++] = "run.steps=0";
    if (o->n > 0)
        set.item[set.count++] = n;
    for (int k = 0; k < o->set.count && set.count < ARGS_LIST_MAX; k++) {
        snprintf(text[k], sizeof text[k], "particles.%s", o->set.item[k]);
        set.item[set.count++] = text[k];
    }
    return input_from_nothing("init", &set);
}

static int init_write(const init_options *o, const input *in, myr_context *context, const myr_particles *particles)
{
    const char *format = o->format && strcmp(o->format, "auto") != 0 ? o->format : NULL;
    const myr_snapshot_header header = {
        .unit_length = in->units.si[0],
        .unit_mass = in->units.si[1],
        .unit_time = in->units.si[2],
        .unit_charge = in->units.si[3],
        .program = "myriad",
    };
    const int code = cli_check(context, myr_snapshot_write(particles, o->output, format, NULL, &header));
    if (!code && !o->quiet)
        printf("%" PRId64 " particle%s of %s in %s\n", myr_particles_count(particles),
               myr_plural(myr_particles_count(particles)), o->model, o->output);
    return code;
}

static int init_run(const init_options *o)
{
    myr_context *context = NULL;
    myr_particles *particles = NULL;
    progress shown;
    input *in = init_input(o);
    if (!in || myr_context_create(&context)) {
        input_destroy(&in);
        return cli_fail(CLI_FAILED, "no memory");
    }
    run_rows rows;
    progress_attach(&shown, context, o->quiet);
    int code = CLI_OK;
    if (in->tree->errors > 0) {
        tree_report(in->tree);
        code = CLI_USAGE;
    }
    if (!code)
        code = run_build_model(in, context, &rows, &particles);
    if (!code)
        code = init_write(o, in, context, particles);
    progress_end(&shown);
    myr_particles_destroy(&particles);
    myr_context_destroy(&context);
    input_destroy(&in);
    return code;
}

int cli_init(int argc, char **argv)
{
    init_options options = {.seed = 1, .units = "nbody"};
    switch (args_parse(&init_args, argc, argv, &options)) {
    case ARGS_HELPED:
        return CLI_OK;
    case ARGS_WRONG:
        return CLI_USAGE;
    case ARGS_GO:
        break;
    }
    if (!options.output)
        return cli_fail(CLI_USAGE, "init: say where to write with -o FILE");
    return init_run(&options);
}
