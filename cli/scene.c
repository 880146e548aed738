/* scene.c - particles and an interaction from the words of a command line. */
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/spacing.h"
#include "particle_file.h"

enum { PAIR_MAX = 8, FIELD_BYTES = 400, SCENE_TYPES_MAX = 1024 };

double scene_random(uint64_t *state)
{
    uint64_t z = *state += SCENE_STRIDE;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

int scene_fill_tables(myr_context *context, myr_interaction *interaction, const myr_kernel_info *kernel, int types,
                      double length, uint64_t seed)
{
    double *table = calloc((size_t)types * (size_t)types, sizeof *table);
    if (!table)
        return cli_fail(CLI_FAILED, "no memory for %d types", types);
    int code = CLI_OK;
    for (int k = 0; k < PAIR_MAX && kernel->pair[k] && !code; k++) {
        const int is_length = strcmp(kernel->pair[k], "sigma") == 0;
        uint64_t state = seed * 1000003u + (uint64_t)k;
        for (int a = 0; a < types; a++)
            for (int b = 0; b <= a; b++) {
                const double u = scene_random(&state);
                table[a * types + b] = table[b * types + a] = is_length ? length * (0.8 + 0.2 * u) : 0.5 + u;
            }
        code = cli_check(context, myr_interaction_set_pair(interaction, kernel->pair[k], types, table));
    }
    free(table);
    return code;
}

int scene_set_param(myr_context *context, myr_interaction *interaction, const char *text)
{
    char name[64], *end;
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || (size_t)(equals - text) >= sizeof name)
        return cli_fail(CLI_USAGE, "--param needs name=value, not '%s'", text);
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    const double value = strtod(equals + 1, &end);
    if (end == equals + 1 || *end)
        return cli_fail(CLI_USAGE, "--param %s needs a number, not '%s'", name, equals + 1);
    return cli_check(context, myr_interaction_set(interaction, name, value));
}

static int scene_choose(const scene_options *o, const scene *s)
{
    const struct {
        const char *key, *value;
    } choice[] = {{"accumulator", o->accumulator},
                  {"arithmetic", o->arithmetic},
                  {"method", o->method},
                  {"backend", o->backend},
                  {"isa", o->isa},
                  {"softening", o->softening}};
    int code = CLI_OK;
    for (size_t k = 0; k < sizeof choice / sizeof choice[0] && !code; k++)
        if (choice[k].value)
            code = cli_check(s->context, myr_interaction_choose(s->interaction, choice[k].key, choice[k].value));
    const struct {
        const char *name;
        double value;
    } number[] = {{"eps", o->eps},
                  {"G", o->G},
                  {"tolerance", o->tolerance},
                  {"order", o->order},
                  {"separation", o->separation},
                  {"theta", o->theta},
                  {"part", o->part},
                  {"group", o->group},
                  {"leaf", o->leaf}};
    for (size_t k = 0; k < sizeof number / sizeof number[0] && !code; k++)
        if (!isnan(number[k].value))
            code = cli_check(s->context, myr_interaction_set(s->interaction, number[k].name, number[k].value));
    for (int k = 0; k < o->params.count && !code; k++)
        code = scene_set_param(s->context, s->interaction, o->params.item[k]);
    if (!code && o->splits)
        code = cli_check(s->context, myr_interaction_tune(s->interaction, "splits", o->splits));
    return code;
}

/* Refuses what cannot fit, before the operating system hands out memory that it does not have. */
static int scene_check_memory(int64_t n)
{
    const double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const double need = (double)n * FIELD_BYTES;
    if (have > 0 && need > have)
        return cli_fail(CLI_FAILED, "%lld particles need about %.3g GB of memory; this machine has %.3g GB",
                        (long long)n, 1e-9 * need, 1e-9 * have);
    return CLI_OK;
}

/* Puts the last particles where the first ones are. */
static void scene_coincide(myr_particles *p, const char *position, int64_t count)
{
    const int64_t n = myr_particles_count(p);
    double *x;
    for (int c = 0; (x = myr_particles_component(p, position, c)); c++)
        for (int64_t k = 0; k < count && n - 1 - k > k; k++)
            x[n - 1 - k] = x[k];
}

/* A kernel of the library, or one that the user wrote. */
static int scene_find_kernel(const scene_options *o, scene *s)
{
    s->from_source = cli_is_pipeline(o->kernel);
    if (s->from_source)
        return cli_check(s->context, myr_kernel_from_file(s->context, o->kernel, &s->kernel));
    s->kernel = myr_kernel_find(o->kernel);
    return CLI_OK;
}

/* Particles of a model, with random values of the fields that the kernel needs besides. */
static int scene_make(const scene_options *o, scene *s)
{
    int code = scene_check_memory(o->n);
    if (!code)
        code = cli_check(s->context, myr_model_create(s->context, o->model, o->n, (uint64_t)o->seed, &s->particles));
    return code
               ? code
               : cli_check(s->context, myr_model_fill(s->particles, s->kernel->name, (int)o->types, (uint64_t)o->seed));
}

/* Particles of a file, which must have what the kernel needs. */
static int scene_read(const scene_options *o, scene *s)
{
    char message[PARTICLE_FILE_MESSAGE];
    const char *columns[ARGS_LIST_MAX + 1] = {NULL};
    memcpy(columns, o->columns.item, (size_t)o->columns.count * sizeof columns[0]);
    const int code = cli_check(
        s->context, o->columns.count ? myr_snapshot_read_columns(s->context, o->file, columns, &s->particles, NULL)
                                     : myr_snapshot_read(s->context, o->file, NULL, &s->particles, NULL));
    if (!code && particle_file_lacks(s->particles, s->kernel, o->file, o->columns.count > 0, message))
        return cli_fail(CLI_USAGE, "%s; --column x=NAME chooses one", message);
    return code;
}

/* Types of particles: as many as asked for of a model, and those that a file has. */
static int scene_types(const scene_options *o, const scene *s)
{
    int32_t most = o->file ? 0 : (int32_t)o->types - 1;
    for (int64_t i = 0; o->file && i < myr_particles_count(s->particles); i++)
        most = myr_particles_types(s->particles)[i] > most ? myr_particles_types(s->particles)[i] : most;
    return most < SCENE_TYPES_MAX ? most + 1 : 0;
}

int scene_create(const scene_options *o, scene *s)
{
    *s = (scene){0};
    if (myr_context_create(&s->context))
        return cli_fail(CLI_FAILED, "no memory");
    progress_attach(&s->progress, s->context, o->quiet);
    int code = scene_find_kernel(o, s);
    if (!code)
        code = cli_check(s->context, myr_context_set_threads(s->context, (int)o->threads));
    if (!code)
        code = cli_check(s->context, myr_interaction_create(s->context, s->kernel->name, &s->interaction));
    if (!code)
        code = scene_choose(o, s);
    if (!code && s->from_source)
        code = cli_check(s->context, myr_kernel_compile(s->interaction, &s->compiled, &s->compile_seconds));
    if (!code)
        code = o->file ? scene_read(o, s) : scene_make(o, s);
    if (!code && s->kernel->pair[0]) {
        double length;
        const int types = scene_types(o, s);
        code = types ? spacing_smallest(s->particles, &length)
                     : cli_fail(CLI_USAGE, "%s has more than %d types", o->file, SCENE_TYPES_MAX);
        if (!code)
            code = scene_fill_tables(s->context, s->interaction, s->kernel, types, length, (uint64_t)o->seed);
    }
    if (!code)
        scene_coincide(s->particles, s->kernel->position, o->coincident);
    return code;
}

void scene_destroy(scene *s)
{
    progress_end(&s->progress);
    myr_interaction_destroy(&s->interaction);
    myr_particles_destroy(&s->particles);
    myr_context_destroy(&s->context);
}
