/* version.h - the version of the headers and of the library. */
#ifndef MYRIAD_VERSION_H
#define MYRIAD_VERSION_H

#include <myriad/export.h>

MYR_BEGIN_DECLS

#define MYR_VERSION_MAJOR 0
#define MYR_VERSION_MINOR 1
#define MYR_VERSION_PATCH 0

/* The version of the library that is running, "0.1.0". */
MYR_API const char *myr_version(void);

/* How it was built: compiler, build type and features, one line. */
MYR_API const char *myr_version_build(void);

MYR_END_DECLS

#endif
