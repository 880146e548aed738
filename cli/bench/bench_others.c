/* bench_others.c - programs of others; see bench_others.h. */
#include "bench/bench_others.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli.h"

int others_has(const char *program)
{
    char command[OTHERS_COMMAND];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
    return system(command) == 0;
}

int others_open(char folder[OTHERS_FOLDER])
{
    snprintf(folder, OTHERS_FOLDER, "/tmp/myriad_bench_XXXXXX");
    return mkdtemp(folder) != NULL;
}

void others_close(const char *folder)
{
    char command[OTHERS_COMMAND];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        cli_fail(CLI_OK, "%s could not be removed", folder);
}

const char *others_file(const char *folder, const char *name, char path[OTHERS_PATH])
{
    snprintf(path, OTHERS_PATH, "%s/%s", folder, name);
    return path;
}

int others_write(const char *folder, const char *name, const char *format, ...)
{
    char path[OTHERS_PATH];
    FILE *f = fopen(others_file(folder, name, path), "w");
    va_list args;
    va_start(args, format);
    const int written = f ? vfprintf(f, format, args) : -1;
    va_end(args);
    return f && fclose(f) == 0 && written >= 0;
}

int others_gromacs_prepare(const char *folder)
{
    char command[OTHERS_COMMAND];
    snprintf(
        command, sizeof command,
        "cd '%s' && GMX_MAXBACKUP=-1 gmx grompp -f md.mdp -c start.gro -p topol.top -o md.tpr -maxwarn 9 >out 2>&1",
        folder);
    return system(command) == 0;
}

/* Seconds of one core that the programs started from here have taken. */
static double children_seconds(void)
{
    struct rusage r;
    getrusage(RUSAGE_CHILDREN, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) + 1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

int others_gromacs(const char *folder, int threads, int64_t steps, double *seconds)
{
    char command[OTHERS_COMMAND];
    const double before = children_seconds();
    snprintf(
        command, sizeof command,
        "cd '%s' && GMX_MAXBACKUP=-1 OMP_NUM_THREADS=%d gmx mdrun -s md.tpr -ntmpi 1 -ntomp %d -pin off -noconfout "
        "-nsteps %lld >out 2>&1",
        folder, threads, threads, (long long)steps);
    const int ok = system(command) == 0;
    *seconds = (children_seconds() - before) / threads;
    return ok;
}
