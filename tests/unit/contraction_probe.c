/* contraction_probe.c - arithmetic as the compiler emits it with the library's flags. Compiled for each instruction set
 * (PROBE names the exported function); test_contraction.c asks. */
#include "contraction_probe.h"

#include "backend/lane/lane.h"

#ifdef __FAST_MATH__
#error "fast math breaks every compensated sum"
#endif

void PROBE(probe_numbers in, probe_numbers *out)
{
    lane a = lane_set((real)in.a), b = lane_set((real)in.b), c = lane_set((real)in.c);
    lane plain = a * b + c;
    lane_pair sum = pair_two_sum(a, c);
    out->a = (double)LANE_AT(plain, 0);
    out->b = (double)LANE_AT(sum.hi, 0);
    out->c = (double)LANE_AT(sum.lo, 0);
}
