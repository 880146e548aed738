/* host.c - the functions of NEMO's programs that its plug-ins call, in a library of its own (libmyriad_nemo.so) that is
 * opened with the first plug-in. error() is that of the C library, which ends the program as NEMO's does. */
#include <stdarg.h>
#include <stdio.h>

#define NEMO_CALL __attribute__((visibility("default")))

/* Words of a plug-in to the user. */
NEMO_CALL void warning(const char *format, ...);
void warning(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("plug-in of NEMO: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

/* Whether messages of a level of debugging are wanted. */
NEMO_CALL _Bool nemo_debug(int level);
_Bool nemo_debug(int level)
{
    (void)level;
    return 0;
}

static int silent(int level, const char *format, ...)
{
    (void)level, (void)format;
    return 0;
}

/* The function that prints messages of a level of debugging. */
NEMO_CALL int (*get_dprintf(const char *file, int line))(int, const char *, ...);
int (*get_dprintf(const char *file, int line))(int, const char *, ...)
{
    (void)file, (void)line;
    return silent;
}
