/* kernel.h - kernels written by users: pipelines, as texts or files. docs/pipelines.md describes the language.
 *
 *   const myr_kernel_info *yukawa;
 *   myr_kernel_from_file(context, "yukawa.pipe", &yukawa);
 *   myr_interaction_create(context, yukawa->name, &f);
 *
 * The text is parsed at once. Its loops are compiled by the C compiler of the system ($CC, else cc) when an arithmetic
 * and an instruction set first need them, and cached in $MYRIAD_CACHE, else $XDG_CACHE_HOME/myriad, else
 * ~/.cache/myriad. */
#ifndef MYRIAD_KERNEL_H
#define MYRIAD_KERNEL_H

#include <myriad/catalogue.h>
#include <myriad/interaction.h>

MYR_BEGIN_DECLS

/* Creates a kernel from a text; the context owns the kernel. `file` represents the text in messages, and names the
 * kernel (without folders and ending) if the text does not. The name must differ from those of the library's kernels;
 * the same text given twice is one kernel. *kernel may be null. */
MYR_API myr_status myr_kernel_from_source(myr_context *context, const char *file, const char *text,
                                          const myr_kernel_info **kernel);

/* As myr_kernel_from_source, with the text in a file. */
MYR_API myr_status myr_kernel_from_file(myr_context *context, const char *path, const myr_kernel_info **kernel);

/* Kernel with that name, of the library or of the context; null if there is none. */
MYR_API const myr_kernel_info *myr_kernel_known(const myr_context *context, const char *name);

/* Text from which a kernel was made, and its `file` (the pointer may be null); null for kernels of the library. */
MYR_API const char *myr_kernel_source(const myr_context *context, const char *name, const char **file);

/* Compiles the loops for the choices of an interaction now instead of at the first evaluation. *compiled is 1 if the
 * compiler ran, *seconds its run time; both pointers may be null. Does nothing for kernels of the library. */
MYR_API myr_status myr_kernel_compile(const myr_interaction *interaction, int *compiled, double *seconds);

MYR_END_DECLS

#endif
