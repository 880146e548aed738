/* kernel.h - kernels that users write: pipelines, as texts or files. docs/pipelines.md describes their language.
 *
 *   const myr_kernel_info *yukawa;
 *   myr_kernel_from_file(context, "yukawa.pipe", &yukawa);
 *   myr_interaction_create(context, yukawa->name, &f);
 *
 * The text is read at once. Its loops are compiled by the system's C compiler ($CC, else cc) when they are first needed
 * for an arithmetic and an instruction set, and kept in $MYRIAD_CACHE, else $XDG_CACHE_HOME/myriad, else
 * ~/.cache/myriad. Nothing is ever compiled unless a kernel was made by one of these functions. */
#ifndef MYRIAD_KERNEL_H
#define MYRIAD_KERNEL_H

#include <myriad/catalogue.h>
#include <myriad/interaction.h>

MYR_BEGIN_DECLS

/* Makes a kernel from a text and gives it to the context, which keeps it until it is destroyed. `file` stands for the
 * text in messages, and names the kernel (without folders and ending) where the text does not. The name must not be
 * that of a kernel of the library; the same text twice is one kernel. *kernel may be null. */
MYR_API myr_status myr_kernel_from_source(myr_context *context, const char *file, const char *text,
                                          const myr_kernel_info **kernel);

/* The same with the text in a file. */
MYR_API myr_status myr_kernel_from_file(myr_context *context, const char *path, const myr_kernel_info **kernel);

/* The kernel of that name, of the library or of the context; null where there is none. */
MYR_API const myr_kernel_info *myr_kernel_known(const myr_context *context, const char *name);

/* The text from which a kernel was made, and what stood for its file (may be null); null for kernels of the library. */
MYR_API const char *myr_kernel_source(const myr_context *context, const char *name, const char **file);

/* Makes the loops of an interaction's choices now instead of with the first evaluation. *compiled is 1 where the
 * compiler was needed, *seconds what it took; both may be null. Does nothing for kernels of the library. */
MYR_API myr_status myr_kernel_compile(const myr_interaction *interaction, int *compiled, double *seconds);

MYR_END_DECLS

#endif
