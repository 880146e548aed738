/* expansion_unit.c - operators of expansion.h for one instruction set. Compiled with the macros of unit_prologue.h;
 * single and portable arithmetic give the operators in float, double arithmetic those in double; with MYR_SEPARATE and
 * in portable arithmetic they have the order and the bits of expansion_order.h. */
#include "backend/unit_prologue.h"

#include "backend/expansion.h"
#include "backend/expansion_order.h"

enum { DEGREES = MYR_EXPANSION_DEGREES, TERMS = DEGREES * DEGREES, PAD = MYR_EXPANSION_PAD };

#define AT(n, m) ((n) * (n) + (n) + (m))

MYR_FN lane series_load(const real *p)
{
    lane v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

MYR_FN void series_store(real *p, lane v)
{
    __builtin_memcpy(p, &v, sizeof v);
}

#include "backend/expansion_lanes.h"
#include "backend/expansion_series.h"
#include "backend/expansion_dense.h"
#include "backend/expansion_turned.h"

#if defined(MYR_SEPARATE) && MYR_ARITH == MYR_ARITH_DOUBLE
#define OPS CAT(myr_expansion_separate_, MYR_ARITH_NAME, _, MYR_ISA)
#else
#define OPS CAT(myr_expansion_, MYR_ARITH_NAME, _, MYR_ISA)
#endif
extern const myr_expansion_ops OPS;
const myr_expansion_ops OPS = {
    .real_bytes = (int)sizeof(real),
    .lanes = LANES,
    .collect = series_collect,
    .field = series_field,
    .derive = series_derive,
    .dense = dense_apply,
    .turned = turned_apply,
};
