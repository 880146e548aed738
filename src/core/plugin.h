/* plugin.h - shared objects opened at run time (CUDA, MPI), so that one build runs on machines with and without the
 * libraries that the plug-ins need. */
#ifndef MYR_CORE_PLUGIN_H
#define MYR_CORE_PLUGIN_H

#include "core/context.h"

typedef struct {
    const char *file;     /* file name, libmyriad_NAME.so */
    const char *variable; /* environment variable whose value replaces the search for the file */
    const char *what;     /* beginning of the error message if the plug-in cannot be opened */
    const char *advice;   /* end of the error message: what the user can do */
    int global;           /* 1 = RTLD_GLOBAL, symbols visible to shared objects opened later */
} myr_plugin;

/* Opens the plug-in. The search order is: the folder of the library or program that contains this code, the library
 * folder of an installation, the search path of the system. Returns the dlopen handle, or null with a message in the
 * context. */
void *myr_plugin_open(myr_context *context, const myr_plugin *plugin);

#endif
