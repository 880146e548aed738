/* compiler.h - compiles C text, together with the texts embedded in the library, to a shared object. */
#ifndef MYR_BACKEND_COMPILER_H
#define MYR_BACKEND_COMPILER_H

#include <stddef.h>

enum { MYR_COMPILER_PATH = 512 };

/* Input of a compilation. */
typedef struct {
    const char *header;    /* text that becomes kernel/pipeline.h; may be null */
    const char *unit;      /* text of the C file */
    const char *isa_flags; /* compiler flags of the instruction set */
} myr_compiler_text;

/* Temporary folder of one compilation; the library's texts are written to it when needed. */
typedef struct {
    char folder[MYR_COMPILER_PATH];
    char object[MYR_COMPILER_PATH + 16]; /* path of the compiled object */
    char version[1024];                  /* the compiler's version output */
} myr_compiler;

/* Creates the folder and asks the compiler ($CC, else cc) for its version; returns 0 with a message if there is no
 * compiler. */
int myr_compiler_start(myr_compiler *c, char *message, size_t room);

/* Compiler flags, part of the key that distinguishes compilations besides texts and compiler version. */
const char *myr_compiler_flags(void);

/* Compiles; returns 0 with a message on failure. */
int myr_compiler_run(myr_compiler *c, const myr_compiler_text *text, char *message, size_t room);

/* Removes the folder and its contents. */
void myr_compiler_end(myr_compiler *c);

#endif
