/* input_kernel.c - a kernel that the user wrote, named in an input by the path of its file: interaction.kernel: my.pipe
 */
#include <stddef.h>

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
