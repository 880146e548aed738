/* fields_by_type.h - fields that a format stores for some types of particles only. */
#ifndef MYR_IO_FIELDS_BY_TYPE_H
#define MYR_IO_FIELDS_BY_TYPE_H

#include "io/format.h"

/* A field that is stored for the types of a mask (bit 31: 31 and beyond): what another particle has that is
 * not 0 is lost. */
myr_status myr_partial_check(const myr_format_job *job, const char *format, const char *field, uint32_t types);

#endif
