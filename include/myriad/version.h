/* version.h - version of the headers and of the library. */
#ifndef MYRIAD_VERSION_H
#define MYRIAD_VERSION_H

#include <myriad/export.h>

MYR_BEGIN_DECLS

#define MYR_VERSION_MAJOR 0
#define MYR_VERSION_MINOR 9
#define MYR_VERSION_PATCH 0

/* Version of the library in use, such as "0.9.0". */
MYR_API const char *myr_version(void);

/* One line about the build: compiler, build type and features. */
MYR_API const char *myr_version_build(void);

MYR_END_DECLS

#endif
