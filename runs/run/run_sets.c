/* run_sets.c - sets of particles: each made from its model or file, rotated, moved and given its type; and several sets
 * joined into one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

enum { TYPE_MOST = 5, NOTE = 240 };

/* --- one set ------------------------------------------------------------------------------------------------------ */

/* The rotation about x, then y, then z: columns are the images of the axes. */
static void rotation_matrix(const double angle[3], double m[3][3])
{
    const double cx = cos(angle[0]), sx = sin(angle[0]), cy = cos(angle[1]), sy = sin(angle[1]);
    const double cz = cos(angle[2]), sz = sin(angle[2]);
    const double made[3][3] = {{cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx},
                               {sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx},
                               {-sy, cy * sx, cy * cx}};
    memcpy(m, made, sizeof made);
}

/* Rotates the fields that are vectors: those with three components, but for counts of periodic boxes. */
static void rotate(myr_particles *p, const double angle[3])
{
    double m[3][3], *x[3];
    rotation_matrix(angle, m);
    for (int k = 0; k < myr_particles_fields(p); k++) {
        const char *name = myr_particles_field_name(p, k);
        if (myr_particles_field_components(p, k) != 3 || strcmp(name, "image") == 0)
            continue;
        for (int c = 0; c < 3; c++)
            x[c] = myr_particles_component(p, name, c);
        for (int64_t i = 0; i < myr_particles_count(p); i++) {
            const double v[3] = {x[0][i], x[1][i], x[2][i]};
            for (int c = 0; c < 3; c++)
                x[c][i] = m[c][0] * v[0] + m[c][1] * v[1] + m[c][2] * v[2];
        }
    }
}

static int shift(input *in, myr_context *context, myr_particles *p, key_id id)
{
    const input_value *v = input_of(in, id);
    const char *field = keys_at(id)->name;
    if (!v->is_vector)
        return CLI_OK;
    const int code = run_build_check(in, v->node, context, myr_particles_add_field(p, field, 3));
    for (int c = 0; c < 3 && !code; c++) {
        double *x = myr_particles_component(p, field, c);
        for (int64_t i = 0; i < myr_particles_count(p); i++)
            x[i] += v->vector[c];
    }
    return code;
}

/* Gives all particles the type of their set; `number`: of the entry in a list, -1 = there is no list. */
static int set_type(input *in, myr_context *context, myr_particles *p, int number)
{
    const input_value *v = input_of(in, KEY_particles_type);
    const int64_t n = myr_particles_count(p);
    if (v->word && (number < 0 || strcmp(v->word, "keep") == 0))
        return CLI_OK;
    const int32_t type = (int32_t)(!v->word ? v->integer : number < TYPE_MOST ? number : TYPE_MOST);
    int32_t *types = malloc(((size_t)n + 1) * sizeof *types);
    if (!types)
        return cli_fail(CLI_FAILED, "no memory for %lld types", (long long)n);
    for (int64_t i = 0; i < n; i++)
        types[i] = type;
    const int code = run_build_check(in, v->node, context, myr_particles_set_types(p, types));
    free(types);
    return code;
}

/* Makes the particles of the keys that are in use. */
static int make_set(input *in, myr_context *context, int number, run_rows *rows, myr_particles **particles,
                    myr_snapshot_header *header)
{
    const input_value *rotation = input_of(in, KEY_particles_rotation);
    int code = in->model.name ? run_build_model(in, context, rows, particles)
                              : run_build_file(in, context, rows, particles, header);
    if (!code && rotation->is_vector)
        rotate(*particles, rotation->vector);
    if (!code)
        code = shift(in, context, *particles, KEY_particles_position);
    if (!code)
        code = shift(in, context, *particles, KEY_particles_velocity);
    return code ? code : set_type(in, context, *particles, number);
}

/* --- several sets ------------------------------------------------------------------------------------------------- */

/* Copies a set to the rows of `to` from `first` on; fields that it lacks stay 0. */
static myr_status copy_set(const myr_particles *from, int64_t first, myr_particles *to)
{
    const int64_t n = myr_particles_count(from);
    myr_status status = MYR_OK;
    for (int k = 0; k < myr_particles_fields(from) && !status; k++) {
        const char *name = myr_particles_field_name(from, k);
        const int components = myr_particles_field_components(from, k);
        status = myr_particles_add_field(to, name, components);
        for (int c = 0; c < components && !status && n; c++)
            memcpy(myr_particles_component(to, name, c) + first, myr_particles_component_const(from, name, c),
                   (size_t)n * sizeof(double));
    }
    for (int64_t i = 0; i < n && !status; i++)
        if (myr_particles_name(from, i))
            status = myr_particles_set_name(to, first + i, myr_particles_name(from, i));
    return status;
}

/* Says which fields a set lacks that the joined one has. */
static void note_missing(const myr_particles *set, int number, const myr_particles *all)
{
    char note[NOTE];
    for (int k = 0; k < myr_particles_fields(all); k++) {
        const char *name = myr_particles_field_name(all, k);
        if (myr_particles_component_const(set, name, 0))
            continue;
        snprintf(note, sizeof note, "entry %d of 'particles' has no '%s'; it is 0 there", number, name);
        cli_note(note);
    }
}

static myr_status join_types(myr_particles *const *set, int sets, myr_particles *all)
{
    int32_t *types = malloc(((size_t)myr_particles_count(all) + 1) * sizeof *types), *to = types;
    for (int k = 0; k < sets && types; k++) {
        const int64_t n = myr_particles_count(set[k]);
        if (n)
            memcpy(to, myr_particles_types(set[k]), (size_t)n * sizeof *types);
        to += n;
    }
    const myr_status status = types ? myr_particles_set_types(all, types) : MYR_ERROR_MEMORY;
    free(types);
    return status;
}

static int join_sets(input *in, myr_context *context, myr_particles *const *set, myr_particles **all)
{
    int64_t n = 0, first = 0;
    for (int k = 0; k < in->sets; k++)
        n += myr_particles_count(set[k]);
    int code = run_build_check(in, in->set[0].node, context, myr_particles_create(context, n, all));
    for (int k = 0; k < in->sets && !code; k++) {
        code = run_build_check(in, in->set[k].node, context, copy_set(set[k], first, *all));
        first += myr_particles_count(set[k]);
    }
    if (!code)
        code = run_build_check(in, in->set[0].node, context, join_types(set, in->sets, *all));
    for (int k = 0; k < in->sets && !code; k++)
        note_missing(set[k], k, *all);
    return code;
}

/* The times of all files must agree, unless the input says when the run starts. */
static int join_times(input *in, int k, const myr_snapshot_header *one, int *seen, myr_snapshot_header *header)
{
    const int is_file = !in->model.name;
    if (is_file && *seen && one->time != header->time && input_of(in, KEY_run_start)->word) {
        tree_fail_value(in->tree, in->set[k].node,
                        "the file has the time %.10g, and one before it %.10g; expected run.start to choose", one->time,
                        header->time);
        tree_report(in->tree);
        return CLI_USAGE;
    }
    if (is_file && !*seen)
        *header = (myr_snapshot_header){.time = one->time};
    *seen |= is_file;
    return CLI_OK;
}

int run_build_particles(input *in, myr_context *context, run_rows *rows, myr_particles **particles,
                        myr_snapshot_header *header)
{
    myr_particles *set[INPUT_SETS] = {NULL};
    int code = CLI_OK, seen = 0;
    if (!in->sets)
        return make_set(in, context, -1, rows, particles, header);
    for (int k = 0; k < in->sets && !code; k++) {
        myr_snapshot_header one = {0};
        input_use_set(in, k);
        code = make_set(in, context, k, rows, &set[k], &one);
        if (!code)
            code = join_times(in, k, &one, &seen, header);
    }
    input_use_set(in, -1);
    if (!code)
        code = join_sets(in, context, set, particles);
    *rows = (run_rows){.all = *particles ? myr_particles_count(*particles) : 0};
    for (int k = 0; k < in->sets; k++)
        myr_particles_destroy(&set[k]);
    return code;
}
