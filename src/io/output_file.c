/* output_file.c - text files that exist completely or not at all, for programs that use the library. */
#include <myriad/output_file.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/file.h"

struct myr_output_file {
    myr_file file;
    FILE *stream; /* on a second descriptor of the temporary file */
};

myr_status myr_output_file_create(myr_context *context, const char *path, myr_output_file **file)
{
    if (!context || !path || !file)
        return MYR_ERROR_ARGUMENT;
    myr_output_file *f = *file = calloc(1, sizeof *f);
    if (!f)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the file '%s'", path);
    myr_status status = myr_file_create(context, path, &f->file);
    if (!status) {
        const int descriptor = dup(f->file.descriptor);
        f->stream = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
        if (!f->stream)
            status = myr_file_fail(context, "write", path, errno);
        if (!f->stream && descriptor >= 0)
            close(descriptor);
    }
    if (status)
        myr_output_file_discard(file);
    return status;
}

FILE *myr_output_file_stream(myr_output_file *file)
{
    return file ? file->stream : NULL;
}

myr_status myr_output_file_publish(myr_output_file **file)
{
    if (!file || !*file)
        return MYR_ERROR_ARGUMENT;
    myr_output_file *f = *file;
    errno = 0;
    const int failed = ferror(f->stream) | (fflush(f->stream) != 0);
    myr_status status = failed ? myr_file_fail(f->file.context, "write", f->file.target, errno ? errno : EIO) : MYR_OK;
    if (!status)
        status = myr_file_flush(&f->file);
    if (!status)
        status = myr_file_publish(&f->file);
    myr_output_file_discard(file);
    return status;
}

void myr_output_file_discard(myr_output_file **file)
{
    if (!file || !*file)
        return;
    if ((*file)->stream)
        fclose((*file)->stream);
    myr_file_discard(&(*file)->file);
    free(*file);
    *file = NULL;
}
