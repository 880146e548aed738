/* info.c - `myriad info`: what is in a file, or what this build and this machine offer. */
#include "info.h"

#include <stddef.h>
#include <stdio.h>

#include "args.h"
#include "cli.h"
#include "json.h"

typedef struct {
    const char *file, *format;
    int64_t frame;
    int json, quiet;
} info_options;

static const char *info_format_name(int k)
{
    return myr_snapshot_format(k) ? myr_snapshot_format(k)->name : NULL;
}

static const args_option info_table[] = {
    {"format", ARGS_WORD, offsetof(info_options, format), "NAME",
     "format of FILE (found out from its bytes); without FILE: what it can hold", info_format_name, 0, 0},
    {"frame", ARGS_INTEGER, offsetof(info_options, frame), "K", "which frame: 0 is the first, -1 the last (-1)", NULL,
     -1e15, 1e15},
    {"quiet", ARGS_FLAG, offsetof(info_options, quiet), NULL, "no notes about the file", NULL, 0, 0},
    {"json", ARGS_FLAG, offsetof(info_options, json), NULL, "print JSON", NULL, 0, 0},
    {0},
};

static const args_table info_args = {
    .command = "info",
    .text = "Tells what is in a particle file, a checkpoint or the directory of a run: format, particles, time, box, "
            "units,\n"
            "and the fields with their ranges. Without FILE it lists the kernels, accumulators, arithmetics, methods,\n"
            "backends, instruction sets, models, file formats, GPUs and ranks.",
    .operand = "FILE",
    .operand_text = "the file or directory",
    .operand_optional = 1,
    .operand_offset = offsetof(info_options, file),
    .options = info_table,
};

/* The lists of plain choices, under their JSON keys. */
static const struct {
    const char *key, *title;
    const myr_choice_info *(*item)(int k);
} info_lists[] = {
    {"arithmetics", "Arithmetics", myr_arithmetic},
    {"methods", "Methods", myr_method},
    {"backends", "Backends", myr_backend},
    {"isas", "Instruction sets", myr_isa},
    {"models", "Models", myr_model},
    {"formats", "File formats", myr_snapshot_format},
};

enum { INFO_LISTS = sizeof info_lists / sizeof info_lists[0] };

static void info_json_fields(json_writer *w, const char *key, const myr_field_info *f, int output)
{
    json_open(w, key, '[');
    for (; f->name; f++) {
        json_open(w, NULL, '{');
        json_text(w, "name", f->name);
        json_integer(w, "components", f->components);
        if (output)
            json_text(w, "antisymmetric",
                      f->antisymmetric == 1   ? "always"
                      : f->antisymmetric == 2 ? "for equal masses"
                                              : "no");
        json_close(w);
    }
    json_close(w);
}

static void info_json_kernel(json_writer *w, const myr_kernel_info *k)
{
    json_open(w, NULL, '{');
    json_text(w, "name", k->name);
    json_text(w, "text", k->text);
    json_text(w, "formula", k->formula);
    json_text(w, "position", k->position);
    info_json_fields(w, "target", k->target, 0);
    info_json_fields(w, "source", k->source, 0);
    json_open(w, "pair", '[');
    for (const char *const *p = k->pair; *p; p++)
        json_text(w, NULL, *p);
    json_close(w);
    json_open(w, "parameters", '[');
    for (const myr_parameter_info *p = k->param; p->name; p++) {
        json_open(w, NULL, '{');
        json_text(w, "name", p->name);
        json_text(w, "text", p->text);
        json_number(w, "default", p->value);
        json_number(w, "lower", p->lower);
        json_number(w, "upper", p->upper);
        json_close(w);
    }
    json_close(w);
    info_json_fields(w, "output", k->output, 1);
    json_text(w, "self", k->self);
    json_integer(w, "flops", k->flops);
    json_integer(w, "flops_gpu", k->flops_gpu);
    json_integer(w, "issue", k->issue);
    json_boolean(w, "expansion", k->has_expansion);
    json_boolean(w, "cutoff", k->has_cutoff);
    json_close(w);
}

static void info_json(myr_context *context, myr_status joined)
{
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '{');
    json_text(&w, "version", myr_version());
    json_text(&w, "build", myr_version_build());
    json_open(&w, "kernels", '[');
    for (int k = 0; myr_kernel(k); k++)
        info_json_kernel(&w, myr_kernel(k));
    json_close(&w);
    json_open(&w, "accumulators", '[');
    for (int k = 0; myr_accumulator(k); k++) {
        const myr_accumulator_info *a = myr_accumulator(k);
        json_open(&w, NULL, '{');
        json_text(&w, "name", a->name);
        json_text(&w, "letter", a->letter);
        json_text(&w, "text", a->text);
        json_text(&w, "arithmetics", a->arithmetics);
        json_boolean(&w, "order_independent", a->order_independent);
        json_close(&w);
    }
    json_close(&w);
    for (int n = 0; n < INFO_LISTS; n++) {
        json_open(&w, info_lists[n].key, '[');
        for (int k = 0; info_lists[n].item(k); k++) {
            const myr_choice_info *c = info_lists[n].item(k);
            json_open(&w, NULL, '{');
            json_text(&w, "name", c->name);
            json_text(&w, "text", c->text);
            json_boolean(&w, "available", c->available);
            json_close(&w);
        }
        json_close(&w);
    }
    info_json_gpus(&w);
    info_json_ranks(&w, context, joined);
    json_close(&w);
}

static void info_fields(const char *label, const myr_field_info *f)
{
    if (!f->name)
        return;
    printf("    %-8s", label);
    for (; f->name; f++) {
        printf(" %s", f->name);
        if (f->components > 1)
            printf("[%d]", f->components);
    }
    printf("\n");
}

static void info_kernel(const myr_kernel_info *k)
{
    printf("  %-22s %s\n    %s\n", k->name, k->text, k->formula);
    info_fields("targets", k->target);
    info_fields("sources", k->source);
    info_fields("gives", k->output);
    if (k->pair[0]) {
        printf("    %-8s", "types");
        for (const char *const *p = k->pair; *p; p++)
            printf(" %s", *p);
        printf("\n");
    }
    if (k->param[0].name) {
        printf("    %-8s", "set");
        for (const myr_parameter_info *p = k->param; p->name; p++)
            printf(" %s=%g", p->name, p->value);
        printf("\n");
    }
    printf("    %-8s %d (%d as the GRAPE literature counts), at least %d instructions; itself: %s\n", "flops", k->flops,
           k->flops_gpu, k->issue, k->self);
}

static void info_plain(myr_context *context, myr_status joined)
{
    printf("Myriad %s\n%s\n\nKernels:\n", myr_version(), myr_version_build());
    for (int k = 0; myr_kernel(k); k++)
        info_kernel(myr_kernel(k));
    printf("\nAccumulators (letter in the paper that compared them, arithmetics):\n");
    for (int k = 0; myr_accumulator(k); k++) {
        const myr_accumulator_info *a = myr_accumulator(k);
        printf("  %-16s %-5s %-30s %s\n", a->name, a->letter, a->arithmetics, a->text);
    }
    for (int n = 0; n < INFO_LISTS; n++) {
        printf("\n%s:\n", info_lists[n].title);
        for (int k = 0; info_lists[n].item(k); k++) {
            const myr_choice_info *c = info_lists[n].item(k);
            printf("  %-16s %-14s %s\n", c->name, c->available ? "" : "(not here)", c->text);
        }
    }
    info_gpus();
    info_ranks(context, joined);
}

/* What this build and this machine offer; ranks other than 0 only help to tell about ranks. */
static int info_here(int json)
{
    myr_context *context;
    if (myr_context_create(&context))
        return cli_fail(CLI_FAILED, "no memory");
    const myr_status joined = myr_ranks_open(context);
    const int follows = myr_ranks_told(NULL) > 0;
    if (follows && json)
        info_json_ranks(NULL, context, joined);
    else if (follows)
        info_ranks(context, joined);
    else if (json)
        info_json(context, joined);
    else
        info_plain(context, joined);
    myr_context_destroy(&context);
    return CLI_OK;
}

int cli_info(int argc, char **argv)
{
    info_options options = {.frame = MYR_SNAPSHOT_LAST};
    switch (args_parse(&info_args, argc, argv, &options)) {
    case ARGS_HELPED:
        return CLI_OK;
    case ARGS_WRONG:
        return CLI_USAGE;
    case ARGS_GO:
        break;
    }
    if (myr_ranks_told(NULL) > 0 && (options.file || options.format))
        return CLI_OK;
    if (options.file)
        return info_file(options.file, options.format, options.frame, options.json, options.quiet);
    if (options.format)
        return info_format(options.format, options.json);
    return info_here(options.json);
}
