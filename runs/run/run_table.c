/* run_table.c - tables of a run (diagnostics, spectra, probes, encounters): text files that grow by whole lines. The
 * length of each is part of every checkpoint, and a run that is continued cuts its tables back to it. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "run/run.h"

int run_table_failed(const run *r, const char *name)
{
    return cli_fail(CLI_FAILED, "%s/%s cannot be written: %s", r->directory, name, strerror(errno));
}

int run_table_open(const run *r, const char *name, int64_t bytes, FILE **file)
{
    char path[RUN_PATH];
    *file = fopen(run_path(r, name, path), bytes > 0 ? "r+" : "w");
    if (!*file)
        return run_table_failed(r, name);
    if (bytes <= 0)
        return CLI_OK;
    const long size = fseek(*file, 0, SEEK_END) ? -1 : ftell(*file);
    if (size < 0)
        return run_table_failed(r, name);
    if (size < bytes)
        return cli_fail(CLI_FAILED, "%s is shorter than the checkpoint says; it has been changed since", path);
    if (ftruncate(fileno(*file), bytes) || fseek(*file, (long)bytes, SEEK_SET))
        return run_table_failed(r, name);
    return CLI_OK;
}

int run_table_flush(const run *r, const char *name, FILE *file, int64_t *bytes)
{
    const long size = fflush(file) || ferror(file) ? -1 : ftell(file);
    if (size < 0) /* `bytes` stays the length of the lines that are known to be there */
        return run_table_failed(r, name);
    *bytes = size;
    return CLI_OK;
}

int run_table_sync(const run *r, const char *name, FILE *file)
{
    return file && (fflush(file) || fsync(fileno(file))) ? run_table_failed(r, name) : CLI_OK;
}
