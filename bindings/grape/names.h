/* names.h - two symbols for every call of the GRAPE libraries, so that a program may define calls itself.
 *
 * Wrappers of other GRAPE libraries define the C names, as calls of those for Fortran. If libg6 called g6_open by that
 * name, the call would end in the wrapper, which calls libg6 again, for ever. Therefore the library calls
 * grape_g6_open, which is hidden, and g6_open is another symbol for the same code. The public symbol is weak: a
 * definition in the program takes its place in a static program too. */
#ifndef GRAPE_NAMES_H
#define GRAPE_NAMES_H

#ifdef __APPLE__ /* no aliases there; calls inside a library are bound when the library is linked */
#define GRAPE_INNER(call)
#define GRAPE_PUBLIC(call)
#else

/* Makes a call of the header a hidden symbol, wherever the library defines or uses the call. */
#define GRAPE_INNER(call) extern __typeof__(call) call __asm__("grape_" #call) __attribute__((visibility("hidden")));

/* Defines the public symbol of a call; in the file that defines the call. */
#define GRAPE_PUBLIC(call)                                                                                             \
    extern __typeof__(call) grape_public_##call __asm__(#call)                                                         \
        __attribute__((weak, visibility("default"), alias("grape_" #call)));

#endif

#endif
