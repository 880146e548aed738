/* isas.h - the instruction sets that a test goes through: all that this machine runs where the build holds all loops;
 * plain code and the best one where loops are compiled on demand, since each costs a second or two there. */
#ifndef MYR_TESTS_ISAS_H
#define MYR_TESTS_ISAS_H

#include "backend/backend.h"
#include "backend/units_mode.h"

static inline int isas_tested(const myr_isa_table *isa)
{
    return myr_backend_isa_usable(isa) && (MYR_UNITS_ALL || isa == myr_backend_isa(0) || isa == myr_backend_best());
}

#endif
