/* nemo.h - external fields that plug-ins of NEMO compute, of the kind "nemo:NAME:PARAMETERS:FILE".
 *
 * NAME.so is in one of the folders of the environment variables ACCPATH and POTPATH, as for NEMO's own programs; a name
 * has no slash, so that a file of somebody else cannot open a library of its own. PARAMETERS are numbers with commas
 * between them, and FILE is the plug-in's to read; both may be missing. */
#ifndef MYR_MODEL_NEMO_H
#define MYR_MODEL_NEMO_H

#include "model/external_function.h"

/* 1 if an external field of that kind is a plug-in of NEMO. */
int myr_nemo_is(const char *kind);

/* The field of a plug-in, opened and started at the first call. */
myr_status myr_nemo_find(myr_context *context, const char *kind, const myr_external_function **function);

#endif
