/* units.h - the hot loops of an instruction set. A build holds the units of plain code and a few more, or all of them
 * (MYR_UNITS); one that it left out is compiled when it is first asked for (backend/unit_loader.h) and stays loaded as
 * long as its context. Every function gives null, and a sentence in the context, where a unit cannot be had. */
#ifndef MYR_BACKEND_UNITS_H
#define MYR_BACKEND_UNITS_H

#include "backend/backend.h"
#include "core/context.h"

/* All loops of a kernel of the library in one arithmetic. */
const myr_unit *myr_units_kernel(myr_context *context, const myr_isa_table *isa, int kernel, int arithmetic);

/* The loops of a kernel that users do not see, in portable arithmetic; `internal`: myr_internal_id. */
const myr_unit *myr_units_internal(myr_context *context, const myr_isa_table *isa, int internal);

/* The loops of leaves against ranges of sources; `expansion`: myr_expansion_id. Null without a sentence in portable
 * arithmetic, which has none. */
const myr_near_unit *myr_units_near(myr_context *context, const myr_isa_table *isa, int expansion, int arithmetic);

/* The loops of short-range pairs with plain or `fixed` sums, between own particles (halo 0) or with those of a halo
 * (1). Only these entries of the table's loops are sure to be there. */
const myr_short_range_unit *myr_units_short_range(myr_context *context, const myr_isa_table *isa, int arithmetic,
                                                  int fixed, int halo);

/* The operators of expansions, for expansions of one order. */
const myr_expansion_ops *myr_units_expansion(myr_context *context, const myr_isa_table *isa, int in_double, int order);

/* Plain code, which every build holds whole: what runs where an instruction set's units cannot be had. The first time
 * it warns with the sentence that the context holds. */
const myr_isa_table *myr_units_fall_back(myr_context *context, const myr_isa_table *isa);

#endif
