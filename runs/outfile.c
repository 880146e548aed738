/* outfile.c - files of the program through the library's safe files. */
#include "outfile.h"

#include "common.h"

int outfile_open(outfile *file, const char *path)
{
    *file = (outfile){0};
    if (myr_context_create(&file->context))
        return cli_fail(CLI_FAILED, "no memory for %s", path);
    const int code = cli_check(file->context, myr_output_file_create(file->context, path, &file->file));
    file->out = myr_output_file_stream(file->file);
    if (code)
        outfile_discard(file);
    return code;
}

int outfile_finish(outfile *file)
{
    const int code = cli_check(file->context, myr_output_file_publish(&file->file));
    outfile_discard(file);
    return code;
}

void outfile_discard(outfile *file)
{
    myr_output_file_discard(&file->file);
    myr_context_destroy(&file->context);
    file->out = NULL;
}
