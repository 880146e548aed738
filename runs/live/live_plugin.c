/* live_plugin.c - finds libmyriad_watch.so: beside this library or program, in the library folder of an installation,
 * or on the search path of the system. */
#define _GNU_SOURCE /* for dladdr */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/live.h"

#define PLUGIN_FILE "libmyriad_watch.so"
enum { PLUGIN_PATHS = 3, PLUGIN_PATH = 4096 };

static int plugin_paths(char path[PLUGIN_PATHS][PLUGIN_PATH])
{
    static const char mark = 0; /* any address inside the object that contains this code */
    const char *named = getenv("MYRIAD_WATCH_PLUGIN");
    Dl_info here;
    int paths = 0;
    if (named && *named) {
        snprintf(path[paths++], PLUGIN_PATH, "%s", named);
        return paths;
    }
    if (dladdr((const void *)&mark, &here) && here.dli_fname && strrchr(here.dli_fname, '/')) {
        const int folder = (int)(strrchr(here.dli_fname, '/') - here.dli_fname);
        snprintf(path[paths++], PLUGIN_PATH, "%.*s/" PLUGIN_FILE, folder, here.dli_fname);
        snprintf(path[paths++], PLUGIN_PATH, "%.*s/../" MYR_INSTALL_LIBDIR "/" PLUGIN_FILE, folder, here.dli_fname);
    }
    snprintf(path[paths++], PLUGIN_PATH, PLUGIN_FILE);
    return paths;
}

const live_server_table *live_plugin_open(void)
{
    char path[PLUGIN_PATHS][PLUGIN_PATH];
    void *library = NULL;
    const int paths = plugin_paths(path);
    for (int k = 0; k < paths && !library; k++)
        library = dlopen(path[k], RTLD_NOW | RTLD_LOCAL);
    const live_server_table *(*get)(void) = NULL;
    void *symbol = library ? dlsym(library, LIVE_SERVER_SYMBOL) : NULL;
    memcpy(&get, &symbol, sizeof get);
    const live_server_table *table = get ? get() : NULL;
    if (table && table->version == LIVE_SERVER_VERSION)
        return table;
    cli_fail(CLI_FAILED,
             "a run cannot be watched here: the plug-in " PLUGIN_FILE
             " %s; install libmicrohttpd-dev (Debian) and build "
             "Myriad again",
             library ? "is of another version" : "was not found or could not be opened");
    return NULL;
}
