/* units.h - hot loops of an instruction set. A build contains the units of plain code and a few more, or all units
 * (MYR_UNITS); a missing unit is compiled on first use (backend/unit_loader.h) and stays loaded as long as its context.
 * Every function returns null, with a message in the context, if a unit is not available. */
#ifndef MYR_BACKEND_UNITS_H
#define MYR_BACKEND_UNITS_H

#include "backend/backend.h"
#include "core/context.h"

/* All loops of a kernel of the library in one arithmetic. */
const myr_unit *myr_units_kernel(myr_context *context, const myr_isa_table *isa, int kernel, int arithmetic);

/* Loops of an internal kernel in portable arithmetic; `internal`: myr_internal_id. */
const myr_unit *myr_units_internal(myr_context *context, const myr_isa_table *isa, int internal);

/* Near-field loops of leaves against ranges of sources; `expansion`: myr_expansion_id. */
const myr_near_unit *myr_units_near(myr_context *context, const myr_isa_table *isa, int expansion, int arithmetic);

/* Loops of short-range pairs with floating-point or `fixed` sums, between own particles (halo 0) or with a halo (1).
 * Only these entries of the table are guaranteed to exist. */
const myr_short_range_unit *myr_units_short_range(myr_context *context, const myr_isa_table *isa, int arithmetic,
                                                  int fixed, int halo);

/* Operators of expansions of one order; `form`: myr_expansion_form. */
const myr_expansion_ops *myr_units_expansion(myr_context *context, const myr_isa_table *isa, int form, int order);

/* Plain code, complete in every build, as a fallback if the units of an instruction set are not available. The first
 * call gives a warning with the message in the context. */
const myr_isa_table *myr_units_fall_back(myr_context *context, const myr_isa_table *isa);

#endif
