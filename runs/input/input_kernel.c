/* input_kernel.c - the kernel of an input: one that the user wrote, named by the path of its file (interaction.kernel:
 * my.pipe), and whether the kernel, the integrator, the method and the model fit. */
#include <stddef.h>
#include <string.h>

#include "common.h"
#include "input/input.h"

const char *input_take_pipeline(input *in)
{
    const input_value *v = &in->value[KEY_interaction_kernel];
    const myr_kernel_info *kernel = NULL;
    if (!v->text || v->word || !cli_is_pipeline(v->text))
        return NULL;
    if (!in->kernels && myr_context_create(&in->kernels)) {
        tree_fail_value(in->tree, v->node, "no memory");
        return NULL;
    }
    const char *path = input_path_beside(in, v);
    const myr_status status = in->kernel_text ? myr_kernel_from_source(in->kernels, path, in->kernel_text, &kernel)
                                              : myr_kernel_from_file(in->kernels, path, &kernel);
    if (status)
        tree_fail_value(in->tree, v->node, "%s", myr_context_message(in->kernels));
    return kernel ? kernel->name : NULL;
}

const myr_kernel_info *input_kernel(const input *in)
{
    if (!in->kernel.name)
        return NULL;
    return in->kernels ? myr_kernel_known(in->kernels, in->kernel.name) : myr_kernel_find(in->kernel.name);
}

const char *input_kernel_source(const input *in, const char **file)
{
    *file = NULL;
    return in->kernels && in->kernel.name ? myr_kernel_source(in->kernels, in->kernel.name, file) : NULL;
}

static int has_output(const myr_kernel_info *kernel, const char *name)
{
    for (int k = 0; k < 8 && kernel->output[k].name; k++)
        if (strcmp(kernel->output[k].name, name) == 0)
            return 1;
    return 0;
}

/* What goes with the spectral method. */
static void check_fluid(input *in)
{
    if (in->kernel.name)
        tree_fail_value(in->tree, in->kernel.node,
                        "the method 'spectral' solves the equations of a fluid and evaluates no kernel; leave "
                        "interaction.kernel out");
    if (in->externals > 0)
        tree_fail_value(in->tree, in->external[0].node, "the method 'spectral' has no external fields; leave them out");
    static const char *const fitting[] = {"rk4", "rk3", "ab2"};
    int fits = !in->integrator.name;
    for (size_t k = 0; k < sizeof fitting / sizeof fitting[0] && !fits; k++)
        fits = strcmp(in->integrator.name, fitting[k]) == 0;
    if (!fits)
        tree_fail_value(in->tree, in->integrator.node,
                        "the integrator '%s' moves bodies, and the method 'spectral' has none; expected 'name: rk4' in "
                        "'integrator'",
                        in->integrator.name);
}

/* Integrators that need the jerk, and kernels without. */
static void check_jerk(input *in)
{
    const myr_integrator_info *integrator = in->integrator.name ? myr_integrator_find(in->integrator.name) : NULL;
    const myr_kernel_info *kernel = input_kernel(in);
    if (!integrator || !kernel || !integrator->needs_jerk || has_output(kernel, "jerk"))
        return;
    const int is_default = !in->value[KEY_integrator_name].node;
    tree_fail_value(in->tree, in->kernel.node,
                    "the %sintegrator '%s' needs a kernel that gives 'jerk', and '%s' %s; expected %s",
                    is_default ? "default " : "", integrator->name, kernel->name,
                    input_is_elements(in) ? "gives velocities" : "does not",
                    input_is_elements(in)                      ? "'name: rk4' in 'integrator'"
                    : strncmp(kernel->name, "gravity", 7) == 0 ? "'gravity_jerk', or leave interaction.kernel out"
                                                               : "'name: leapfrog' in 'integrator'");
}

/* Models of something that gravity does not move, which is what `auto` stands for without a method or a topology. */
static void refuse_gravity_of(input *in, const input_member *model)
{
    static const char box[] = "particles in a box; expected 'method: neighbour' with 'epsilon' and 'sigma'",
                      flow[] = "a flow; expected 'method: spectral', or a kernel that gives velocities",
                      rings[] = "vortex elements; expected a kernel that gives velocities, such as velocity_stretching";
    static const struct {
        const char *model, *what;
    } table[] = {{"fcc", box},
                 {"random", box},
                 {"taylor_green", flow},
                 {"abc_flow", flow},
                 {"isotropic_turbulence", flow},
                 {"vortex_ring", rings},
                 {"leapfrogging_rings", rings},
                 {"ring_collision", rings}};
    for (size_t k = 0; model->name && k < sizeof table / sizeof table[0]; k++)
        if (strcmp(model->name, table[k].model) == 0) {
            const int is_box = table[k].what == box;
            tree_fail_value(
                in->tree, model->node,
                "nothing says how the particles interact, and the model '%s' makes %s, in 'interaction'%s%s%s",
                model->name, table[k].what, is_box ? " (or 'kernel: " : "", is_box ? in->kernel.name : "",
                is_box ? "', if the particles attract each other)" : "");
            return;
        }
}

static void check_model(input *in)
{
    if (!input_is(in, KEY_interaction_kernel, "auto") || !in->kernel.name || input_is_molecular(in))
        return;
    refuse_gravity_of(in, &in->model);
    for (int k = 0; k < in->sets; k++)
        refuse_gravity_of(in, &in->set[k].model);
}

void input_check_kernel(input *in)
{
    check_jerk(in);
    if (input_is(in, KEY_interaction_method, KEYS_SPECTRAL)) {
        check_fluid(in);
        return;
    }
    check_model(in);
    if (input_is(in, KEY_interaction_kernel, "none") && in->externals == 0)
        tree_fail_value(in->tree, in->kernel.node,
                        "nothing acts: there is no kernel and no external field; expected "
                        "one of them");
}
