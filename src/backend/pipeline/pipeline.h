/* pipeline.h - kernels written by users: from the text of a pipeline to a kernel's descriptor and header.
 *
 * The text is parsed here and never passed to a compiler: the compiler gets a header generated from the graph of
 * operations (kernel.h defines its contents). Errors therefore name the user's file and line, a text can only do
 * arithmetic, and every loop in it terminates. docs/pipelines.md describes the language. */
#ifndef MYR_BACKEND_PIPELINE_H
#define MYR_BACKEND_PIPELINE_H

#include <stddef.h>

#include "backend/operation_counts.h"
#include "kernel/kernel.h"

typedef struct myr_pipeline myr_pipeline;

/* Parses a text. `file` names it in messages, and names the kernel (without folders and extension) if the text does
 * not. Null with a message on failure. */
myr_pipeline *myr_pipeline_create(const char *file, const char *text, char *message, size_t room);

/* Frees the pipeline and clears the pointer. Null is allowed. */
void myr_pipeline_destroy(myr_pipeline **pipeline);

/* Text and file name. */
const char *myr_pipeline_text(const myr_pipeline *pipeline);
const char *myr_pipeline_file(const myr_pipeline *pipeline);

/* Descriptor of the kernel; with_potential: of the kernel with the optional potential, null if the text has none. Valid
 * as long as the pipeline. */
const myr_kernel_desc *myr_pipeline_desc(const myr_pipeline *pipeline, int with_potential);

/* Operation counts of the kernel's formula; null if the text has no optional potential. */
const myr_operation_counts *myr_pipeline_counts(const myr_pipeline *pipeline, int with_potential);

/* Returns 1 if the formula reads positions only as differences of the same component of target and source. */
int myr_pipeline_is_relative(const myr_pipeline *pipeline);

/* Header of both kernels as C text, which includes only kernel/kernel.h; the caller frees it. Null if memory is
 * short. */
char *myr_pipeline_header(const myr_pipeline *pipeline);

#endif
