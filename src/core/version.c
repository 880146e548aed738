/* version.c - version number and build description. The build system defines MYR_BUILD_TEXT. */
#include <myriad/version.h>

#define MYR_TEXT_(x) #x
#define MYR_TEXT(x) MYR_TEXT_(x)

#ifndef MYR_BUILD_TEXT
#define MYR_BUILD_TEXT "unknown build"
#endif

const char *myr_version(void)
{
    return MYR_TEXT(MYR_VERSION_MAJOR) "." MYR_TEXT(MYR_VERSION_MINOR) "." MYR_TEXT(MYR_VERSION_PATCH);
}

const char *myr_version_build(void)
{
    return MYR_BUILD_TEXT;
}
