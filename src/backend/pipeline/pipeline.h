/* pipeline.h - kernels that users write: from the text of a pipeline to a kernel's descriptor and header.
 *
 * The text is read here and never handed to a compiler: what goes there is written anew from the graph of its
 * operations (kernel.h says what such a header holds). So errors name the user's file and line, a text can do nothing
 * but arithmetic, and every loop in it ends. docs/pipelines.md describes the language. */
#ifndef MYR_BACKEND_PIPELINE_H
#define MYR_BACKEND_PIPELINE_H

#include <stddef.h>

#include "backend/operation_counts.h"
#include "kernel/kernel.h"

typedef struct myr_pipeline myr_pipeline;

/* Reads a text. `file` stands for it in messages, and names the kernel (without folders and ending) where the text does
 * not. Null and a message where that fails. */
myr_pipeline *myr_pipeline_create(const char *file, const char *text, char *message, size_t room);

/* Frees it and clears the pointer. Null is allowed. */
void myr_pipeline_destroy(myr_pipeline **pipeline);

/* The text, and what stood for its file. */
const char *myr_pipeline_text(const myr_pipeline *pipeline);
const char *myr_pipeline_file(const myr_pipeline *pipeline);

/* The descriptor of the kernel; with_potential: of the one that gives the optional potential too, null where the text
 * has none. Valid as long as the pipeline. */
const myr_kernel_desc *myr_pipeline_desc(const myr_pipeline *pipeline, int with_potential);

/* How many operations the formula of that kernel takes; null where the text has none. */
const myr_operation_counts *myr_pipeline_counts(const myr_pipeline *pipeline, int with_potential);

/* The header of both kernels as C text, which includes nothing but kernel/kernel.h; the caller frees it. Null where
 * memory is short. */
char *myr_pipeline_header(const myr_pipeline *pipeline);

#endif
