/* run_field.c - flows on meshes in files: starts from a velocity or a vorticity, and what snapshots of a flow hold. */
#include <math.h>
#include <string.h>

#include <myriad/flow.h>

#include "run/run.h"

/* The names of arrays that the input gives; null = those that they usually have. */
static const char *array_names(const input *in, key_id id)
{
    const input_value *v = input_of(in, id);
    return v->word || v->is_vector ? NULL : v->text;
}

int run_is_field(const input *in)
{
    return input_is(in, KEY_particles_format, "field") || array_names(in, KEY_particles_velocity) ||
           array_names(in, KEY_particles_vorticity) || !input_of(in, KEY_particles_field_edge)->word;
}

int run_read_field(input *in, myr_context *context, myr_particles **particles)
{
    const input_value *file = input_of(in, KEY_particles_file), *edge = input_of(in, KEY_particles_field_edge);
    return run_build_check(in, file->node, context,
                           myr_flow_read(context, file->text, array_names(in, KEY_particles_velocity),
                                         array_names(in, KEY_particles_vorticity), edge->word ? 0 : edge->number,
                                         particles));
}

/* Whether the method needs more of a flow on a mesh than the file has: the velocity, or vortex elements. */
static int lacks_flow(const input *in, const myr_particles *p)
{
    const int velocity = myr_particles_component_const(p, "velocity", 2) != NULL;
    const int vorticity = myr_particles_component_const(p, "vorticity", 2) != NULL;
    const int strength = myr_particles_component_const(p, "strength", 2) != NULL;
    const myr_kernel_info *kernel = input_kernel(in);
    const int64_t side = llround(cbrt((double)myr_particles_count(p)));
    int moves = 0;
    for (int k = 0; kernel && k < 8 && kernel->output[k].name; k++)
        moves |= strcmp(kernel->output[k].name, "velocity") == 0;
    if (side * side * side != myr_particles_count(p))
        return 0;
    return input_is(in, KEY_interaction_method, KEYS_SPECTRAL) ? vorticity && !velocity
                                                               : moves && !strength && (velocity || vorticity);
}

int run_start_field(input *in, myr_context *context, myr_particles **particles, myr_snapshot_header *header)
{
    myr_particles *started = NULL;
    if (!lacks_flow(in, *particles))
        return CLI_OK;
    const int code =
        run_build_check(in, input_of(in, KEY_particles_file)->node, context,
                        myr_flow_start(*particles, input_of(in, KEY_particles_field_overlap)->number, &started));
    if (code)
        return code;
    myr_particles_destroy(particles);
    *particles = started;
    const double *x = myr_particles_component_const(started, "position", 0);
    for (int c = 0; c < 3; c++) { /* where periodic images begin */
        header->box[c] = (x[1] - x[0]) * cbrt((double)myr_particles_count(started));
        header->origin[c] = myr_particles_component_const(started, "position", c)[0];
    }
    return CLI_OK;
}

static int copy_field(const myr_particles *from, int k, myr_particles *to)
{
    const char *name = myr_particles_field_name(from, k);
    const int components = myr_particles_field_components(from, k);
    int code = cli_check(myr_particles_context(from), myr_particles_add_field(to, name, components));
    for (int c = 0; c < components && !code; c++)
        memcpy(myr_particles_component(to, name, c), myr_particles_component_const(from, name, c),
               (size_t)myr_particles_count(from) * sizeof(double));
    return code;
}

int run_derive_field(run *r, const myr_particles *now, myr_particles **derived)
{
    static const char *const of_elements[] = {"strength", "core", "volume"};
    int code = cli_check(r->context, myr_particles_create(r->context, myr_particles_count(now), derived));
    if (!code)
        code = cli_check(r->context, myr_particles_set_ids(*derived, myr_particles_ids(now)));
    for (int k = 0; k < myr_particles_fields(now) && !code; k++) {
        int left_out = 0;
        for (size_t e = 0; e < sizeof of_elements / sizeof *of_elements; e++)
            left_out |= strcmp(myr_particles_field_name(now, k), of_elements[e]) == 0;
        code = left_out ? CLI_OK : copy_field(now, k, *derived);
    }
    if (!code)
        code = cli_check(r->context, myr_flow_derive(*derived));
    if (code)
        myr_particles_destroy(derived);
    return code;
}
