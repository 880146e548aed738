/* plugin.c - finds and opens plug-ins. */
#define _GNU_SOURCE /* for dladdr */
#include "core/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef MYR_INSTALL_LIBDIR
#define MYR_INSTALL_LIBDIR "lib"
#endif

enum { PLUGIN_PATHS = 3, PLUGIN_PATH = 4096 };

static int plugin_paths(const myr_plugin *plugin, char path[PLUGIN_PATHS][PLUGIN_PATH])
{
    static const char mark =
        0; /* any address inside the shared object or program that contains this code, for dladdr */
    const char *const named = getenv(plugin->variable);
    int paths = 0;
    Dl_info here;
    if (named && *named) {
        snprintf(path[paths++], PLUGIN_PATH, "%s", named);
        return paths;
    }
    if (dladdr((const void *)&mark, &here) && here.dli_fname && strrchr(here.dli_fname, '/')) {
        const int folder = (int)(strrchr(here.dli_fname, '/') - here.dli_fname);
        snprintf(path[paths++], PLUGIN_PATH, "%.*s/%s", folder, here.dli_fname, plugin->file);
        snprintf(path[paths++], PLUGIN_PATH, "%.*s/../%s/%s", folder, here.dli_fname, MYR_INSTALL_LIBDIR, plugin->file);
    }
    snprintf(path[paths++], PLUGIN_PATH, "%s", plugin->file);
    return paths;
}

void *myr_plugin_open(myr_context *context, const myr_plugin *plugin)
{
    char path[PLUGIN_PATHS][PLUGIN_PATH];
    const int paths = plugin_paths(plugin, path);
    for (int k = 0; k < paths; k++) {
        void *library = dlopen(path[k], RTLD_NOW | (plugin->global ? RTLD_GLOBAL : RTLD_LOCAL));
        if (library)
            return library;
        const char *why = dlerror();
        if (k == paths - 1 || !why || !strstr(why, "cannot open shared object file: No such file") ||
            !strstr(why, plugin->file)) {
            myr_context_fail(context, MYR_ERROR_UNAVAILABLE, "%s: the plug-in could not be opened (%s); %s",
                             plugin->what, why ? why : path[k], plugin->advice);
            return NULL;
        }
    }
    return NULL;
}
