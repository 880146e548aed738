/* partial.h - fields that a format stores for some types of particles only. */
#ifndef MYR_IO_PARTIAL_H
#define MYR_IO_PARTIAL_H

#include "io/format.h"

/* A field that is stored for the types of a mask (bit 31: 31 and beyond): a warning where another particle has a value
 * that is not 0. */
void myr_partial_warn(const myr_format_job *job, const char *format, const char *field, uint32_t types);

#endif
