/* plugin.h - parts of the library that are opened at run time, so that one build serves machines with and without what
 * they need. */
#ifndef MYR_CORE_PLUGIN_H
#define MYR_CORE_PLUGIN_H

#include "core/context.h"

typedef struct {
    const char *file;     /* libmyriad_NAME.so */
    const char *variable; /* of the environment: names the file instead */
    const char *what;     /* begins the message of a failure */
    const char *advice;   /* ends it */
    int global;           /* its symbols are seen by libraries that are opened later */
} myr_plugin;

/* Opens the plug-in: beside the library or the program that holds this code, then where an installed program finds its
 * libraries, then where the system looks. Null, and a message in the context, where it cannot be had. */
void *myr_plugin_open(myr_context *context, const myr_plugin *plugin);

#endif
