/* fields_by_type.h - check of fields that a format stores for some particle types only. */
#ifndef MYR_IO_FIELDS_BY_TYPE_H
#define MYR_IO_FIELDS_BY_TYPE_H

#include "io/format.h"

/* Reports a loss if a field that the format stores only for the types of a mask (bit 31: types 31 and above) has a
 * nonzero value on a particle of another type. */
myr_status myr_fields_by_type_check(const myr_format_job *job, const char *format, const char *field, uint32_t types);

#endif
