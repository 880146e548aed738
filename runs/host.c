/* host.c - what the operating system tells about the machine. */
#include "host.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The value of a line "name : value" of /proc/cpuinfo; x86 and ARM use different names. */
static int host_line(const char *line, const char *name, char value[HOST_TEXT])
{
    const char *colon = strchr(line, ':');
    if (!colon || strncmp(line, name, strlen(name)) != 0)
        return 0;
    colon += 1 + strspn(colon + 1, " \t");
    snprintf(value, HOST_TEXT, "%.*s", (int)strcspn(colon, "\n"), colon);
    return 1;
}

static void host_processor(char value[HOST_TEXT])
{
    char line[512];
    value[0] = 0;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (host_line(line, "model name", value) || host_line(line, "Model", value))
            break;
    if (file)
        fclose(file);
}

static int64_t host_cores(void)
{
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
#endif
    return sysconf(_SC_NPROCESSORS_ONLN);
}

void host_describe(host_info *host)
{
    struct utsname name;
    host_processor(host->processor);
    host->system[0] = 0;
    if (uname(&name) == 0)
        snprintf(host->system, sizeof host->system, "%.40s %.60s %.40s", name.sysname, name.release, name.machine);
    host->cores = host_cores();
    host->memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
}
