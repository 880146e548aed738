/* compiler.h - a shared object from C text and the texts in the library. */
#ifndef MYR_BACKEND_COMPILER_H
#define MYR_BACKEND_COMPILER_H

#include <stddef.h>

enum { MYR_COMPILE_PATH = 512 };

/* What is to be compiled. */
typedef struct {
    const char *header;    /* becomes kernel/pipeline.h; may be null */
    const char *unit;      /* the C file */
    const char *isa_flags; /* of the instruction set */
} myr_compile_text;

/* A folder of its own for one compilation, with the texts of the library in it when they are needed. */
typedef struct {
    char folder[MYR_COMPILE_PATH];
    char object[MYR_COMPILE_PATH + 16]; /* what the compiler made */
    char version[1024];                 /* what the compiler says about itself */
} myr_compile;

/* Makes the folder and asks the compiler ($CC, else cc) for its version; 0 and a message where there is none. */
int myr_compile_start(myr_compile *c, char *message, size_t room);

/* The words that make two compilations differ besides their texts: compiler, version, flags. */
const char *myr_compile_flags(void);

/* Compiles; 0 and a message where that fails. */
int myr_compile_run(myr_compile *c, const myr_compile_text *text, char *message, size_t room);

/* Removes the folder and what is in it. */
void myr_compile_end(myr_compile *c);

#endif
