/* expansion_unit.c - the operators of expansion.h for one instruction set. Compiled with MYR_ARITH (single: floats,
 * double: doubles), MYR_ARITH_NAME, MYR_ISA and MYR_LANE_BYTES, as unit.c is. */
#include "backend/lane/lane.h"

#include "backend/expansion.h"

#define CAT_(a, b, c, d) a##b##c##d
#define CAT(a, b, c, d) CAT_(a, b, c, d)

#if MYR_LANE_BYTES == 0
#define LANES_LITERAL 1
#elif MYR_ARITH == MYR_ARITH_DOUBLE
#define LANES_LITERAL (MYR_LANE_BYTES / 8)
#else
#define LANES_LITERAL (MYR_LANE_BYTES / 4)
#endif

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

#define OPS CAT(myr_expansion_, MYR_ARITH_NAME, _, MYR_ISA)
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
