/* input_kernel.c - a kernel that the user wrote, named in an input by the path of its file: interaction.kernel: my.pipe
 */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "input/input.h"

enum { PATH_ROOM = 4096 };

/* A path in a file is meant from the file's folder, one on the command line from the present one. */
static const char *kernel_path(const input *in, const input_value *v, char path[PATH_ROOM])
{
    const char *slash = strrchr(in->tree->name, '/');
    const int folder = slash && v->text[0] != '/' && !(v->node && v->node->origin);
    const int length =
        folder ? snprintf(path, PATH_ROOM, "%.*s/%s", (int)(slash - in->tree->name), in->tree->name, v->text)
               : snprintf(path, PATH_ROOM, "%s", v->text);
    return length > 0 && length < PATH_ROOM ? path : v->text;
}

const char *input_take_pipeline(input *in)
{
    const input_value *v = &in->value[KEY_interaction_kernel];
    const myr_kernel_info *kernel = NULL;
    char path[PATH_ROOM];
    if (!v->text || v->word || !cli_is_pipeline(v->text))
        return NULL;
    if (!in->kernels && myr_context_create(&in->kernels)) {
        tree_fail_value(in->tree, v->node, "no memory");
        return NULL;
    }
    kernel_path(in, v, path);
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
