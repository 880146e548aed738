/* input_path.c - paths of files that an input names. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "input/input.h"

/* A path on the command line is meant from the present folder. */
const char *input_path_beside(const input *in, const input_value *v)
{
    const char *name = in->tree->name, *slash = strrchr(name, '/');
    if (!slash || v->text[0] == '/' || (v->node && v->node->origin))
        return v->text;
    const size_t folder = (size_t)(slash - name) + 1, size = folder + strlen(v->text) + 1;
    char *path = tree_allocate(in->tree, size);
    if (!path)
        return v->text;
    snprintf(path, size, "%.*s%s", (int)folder, name, v->text);
    return path;
}

const char *input_find_file(const input *in, const input_value *v)
{
    if (access(v->text, F_OK) == 0)
        return v->text;
    const char *path = input_path_beside(in, v);
    return access(path, F_OK) == 0 ? path : v->text;
}
