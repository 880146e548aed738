/* run_particles.c - the particles of a run: from a model, or from a file with its columns and units. What the library
 * refuses is reported at the key that asked for it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "particle_file.h"
#include "rank_roles.h"
#include "run/run.h"

enum { BYTES_PER_PARTICLE = 600 };

/* Refuses what cannot fit, before the operating system hands out memory that it does not have. `n`: what this machine
 * is to hold. */
static int check_memory(input *in, int64_t n)
{
    const double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const double need = (double)n * BYTES_PER_PARTICLE;
    if (!(have > 0) || need <= have)
        return CLI_OK;
    tree_fail_value(in->tree, input_of(in, KEY_particles_n)->node,
                    "%lld particles need about %.3g GB of memory; this machine has %.3g GB", (long long)n, 1e-9 * need,
                    1e-9 * have);
    tree_report(in->tree);
    return CLI_USAGE;
}

/* --- from a model ------------------------------------------------------------------------------------------------- */

/* Which rows this rank makes. */
static void choose_rows(const input *in, const myr_context *context, const myr_model_spec *spec, run_rows *rows)
{
    const input_value *n = input_of(in, KEY_particles_n);
    const int several = input_is_divided(in) && myr_ranks_count(context) > 1;
    *rows = (run_rows){.all = n->word ? 0 : n->integer};
    rows->is_part = several && myr_model_spec_in_rows(spec);
    if (rows->is_part)
        rows->first = myr_ranks_first(context, rows->all, myr_ranks_me(context));
}

static int64_t rows_here(const myr_context *context, const run_rows *rows)
{
    const int ranks = myr_ranks_count(context);
    return rows->is_part ? (rows->all + ranks - 1) / ranks * myr_ranks_here(context) : rows->all;
}

static myr_status make_rows(const input *in, myr_context *context, const myr_model_spec *spec, const run_rows *rows,
                            myr_particles **particles)
{
    const uint64_t seed = (uint64_t)input_of(in, KEY_particles_seed)->integer;
    if (rows->is_part)
        return myr_model_spec_make_rows(spec, rows->all, seed, rows->first,
                                        myr_ranks_first(context, rows->all, myr_ranks_me(context) + 1), particles);
    if (input_is_divided(in) && ranks_follows(context)) /* rank 0 has them all */
        return myr_particles_create(context, 0, particles);
    return myr_model_spec_make(spec, rows->all, seed, particles);
}

int run_build_model(input *in, myr_context *context, run_rows *rows, myr_particles **particles)
{
    const input_value *n = input_of(in, KEY_particles_n);
    myr_model_spec *spec = NULL;
    int code = run_build_check(in, in->model.node, context, myr_model_spec_create(context, in->model.name, &spec));
    for (int k = 0; k < in->model.count && !code; k++) {
        const input_parameter *p = &in->model.parameter[k];
        const tree_node *node = p->node ? p->node : in->model.node;
        code = run_build_check(in, node, context,
                               p->word ? myr_model_spec_choose(spec, p->name, p->word)
                                       : myr_model_spec_set(spec, p->name, p->value));
    }
    const input_value *table = input_of(in, KEY_particles_table);
    if (!code && table->text)
        code = run_build_check(in, table->node, context, myr_model_spec_read_table(spec, table->text));
    if (!code) {
        choose_rows(in, context, spec, rows);
        code = check_memory(in, rows_here(context, rows));
    }
    if (!code)
        code = run_build_check(in, n->node ? n->node : in->model.node, context,
                               make_rows(in, context, spec, rows, particles));
    myr_model_spec_destroy(&spec);
    return code;
}

/* --- from a file -------------------------------------------------------------------------------------------------- */

/* Whether every rank reads its rows of a file, as rank 0 finds it; otherwise rank 0 reads all of them. */
static myr_status choose_parts(const input *in, myr_context *context, const char *path, const char *format, int *parts)
{
    myr_snapshot_format_info info = {0};
    int64_t told = 0;
    *parts = 0;
    if (!input_is_divided(in) || myr_ranks_count(context) == 1)
        return MYR_OK;
    if (!ranks_follows(context) && (format || myr_snapshot_format_of(context, path, &format) == MYR_OK))
        told = myr_snapshot_format_describe(format, &info) && info.in_parts;
    const myr_status status = myr_ranks_share(context, &told, sizeof told);
    *parts = told != 0;
    return status;
}

static myr_status read_particles(const input *in, myr_context *context, const char *format, run_rows *rows,
                                 myr_particles **particles, myr_snapshot_header *header)
{
    const char *path = input_of(in, KEY_particles_file)->text;
    const char *const *columns = input_entries(in, input_of(in, KEY_particles_columns));
    myr_status status = columns ? MYR_OK : choose_parts(in, context, path, format, &rows->is_part);
    if (status)
        return status;
    if (rows->is_part)
        return myr_snapshot_read_share(context, path, format, myr_ranks_me(context), myr_ranks_count(context),
                                       particles, header, &rows->first, &rows->all);
    if (input_is_divided(in) && ranks_follows(context))
        return myr_particles_create(context, 0, particles);
    status = columns ? myr_snapshot_read_columns(context, path, columns, particles, header)
                     : myr_snapshot_read(context, path, format, particles, header);
    rows->all = myr_particles_count(*particles);
    return status;
}

/* The units that an input gives to numbers of the file, in place of those that the file states. */
static int convert_units(input *in, myr_particles *particles, myr_snapshot_header *header)
{
    const input_value *units = input_of(in, KEY_particles_units);
    char message[PARTICLE_FILE_MESSAGE];
    if (!particle_file_convert(particles, header, &in->units, input_entries(in, units), message))
        return CLI_OK;
    tree_fail_value(in->tree, units->node ? units->node : input_of(in, KEY_particles_file)->node, "%s", message);
    tree_report(in->tree);
    return CLI_USAGE;
}

/* What a file must have: positions, and what the kernel reads. Particles in a box and molecules have masses, charges
 * and velocities from elsewhere; bodies without velocities start at rest. */
static int check_fields(input *in, const myr_particles *particles)
{
    const input_value *file = input_of(in, KEY_particles_file);
    char message[PARTICLE_FILE_MESSAGE];
    const int is_elsewhere = input_is_molecular(in) || input_is(in, KEY_interaction_method, KEYS_SPECTRAL);
    const int is_chosen = input_entries(in, input_of(in, KEY_particles_columns)) != NULL;
    if (!particle_file_lacks(particles, is_elsewhere ? NULL : input_kernel(in), file->text, is_chosen, message)) {
        snprintf(message, sizeof message, "%.200s has no velocities (columns vx, vy, vz); its particles start at rest",
                 file->text);
        if (!is_elsewhere && !input_is_elements(in) && !myr_particles_component_const(particles, "velocity", 2))
            cli_note(message);
        return CLI_OK;
    }
    tree_fail_value(in->tree, file->node, "%s; 'myriad explain particles.columns' tells how to choose columns",
                    message);
    tree_report(in->tree);
    return CLI_USAGE;
}

int run_build_file(input *in, myr_context *context, run_rows *rows, myr_particles **particles,
                   myr_snapshot_header *said)
{
    const input_value *file = input_of(in, KEY_particles_file);
    const char *format = input_of(in, KEY_particles_format)->word;
    const int is_field = run_is_field(in);
    myr_snapshot_header header = {0};
    if (format && strcmp(format, "auto") == 0)
        format = NULL;
    int code = is_field ? run_read_field(in, context, particles)
                        : run_build_check(in, file->node, context,
                                          read_particles(in, context, format, rows, particles, &header));
    if (!code)
        code = convert_units(in, *particles, &header);
    if (!code)
        code = run_start_field(in, context, particles, &header);
    if (!code && !is_field && !(input_is_divided(in) && ranks_follows(context)))
        code = check_fields(in, *particles);
    *said = header;
    return code;
}
