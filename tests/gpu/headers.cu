/* headers.cu - a build check: every kernel and accumulator header is compiled as device code, in the arithmetic that
 * MYR_ARITH chooses. One kernel launch function per formula and per accumulator, so that nothing stays unused. */
#define MYR_LANE_BYTES 0
#include "backend/lane/lane.h"
#include "backend/tile.h"
#include "backend/guard.h"
#include "kernel/headers.h"

/* F: float arithmetic, D: double, P: portable; see loops.def */
#define MYR_IN_F (MYR_ARITH == MYR_ARITH_SINGLE || MYR_ARITH == MYR_ARITH_MIXED)
#define MYR_IN_D (MYR_ARITH == MYR_ARITH_DOUBLE)
#define MYR_IN_P (MYR_ARITH == MYR_ARITH_PORTABLE)
#include "accumulator/headers.h"

#define MYR_KERNEL(name, header)                                                                                       \
    __global__ void pairs_##name(const coord *x, const lane *f, int64_t *skipped, real *out)                           \
    {                                                                                                                  \
        myr_pair in = {x, x + name##_COORDS, f, f + name##_TARGET, f, f};                                              \
        myr_guard guard = {1, 1, 0};                                                                                   \
        lane s[MYR_KERNEL_OUTPUTS_MAX], d[MYR_KERNEL_OUTPUTS_MAX];                                                     \
        name##_pair(&in, &guard, s, d);                                                                                \
        for (int k = 0; k < name##_OUTPUTS; k++)                                                                       \
            out[k] = lane_keep(guard.ok, s[name##_FIRST + k] * d[name##_FIRST + k]);                                   \
        *skipped = guard.skipped;                                                                                      \
    }                                                                                                                  \
    double constants_##name(const double *parameter, double *constant)                                                 \
    {                                                                                                                  \
        return name##_desc.coords + name##_prepare(parameter, constant);                                               \
    }
#include "kernel/kernels.def"

/* The host side folds and reads what the device side summed. */
#define SUM(name)                                                                                                      \
    __global__ void sums_##name(const lane *s, int64_t steps, const myr_acc_scale *scale, myr_word *wide,              \
                                uint32_t *flag)                                                                        \
    {                                                                                                                  \
        name##_state acc = name##_begin(wide, scale);                                                                  \
        for (int64_t n = 0; n < steps; n++)                                                                            \
            name##_add(&acc, scale, s[2 * n], s[2 * n + 1]);                                                           \
        *flag = name##_end(&acc, wide, scale, steps);                                                                  \
    }                                                                                                                  \
    double value_##name(myr_word *into, const myr_word *from, const myr_acc_scale *scale)                              \
    {                                                                                                                  \
        name##_merge(into, from);                                                                                      \
        return name##_value(into, scale);                                                                              \
    }

#if MYR_IN_F
#define SUM_F(name) SUM(name)
#else
#define SUM_F(name)
#endif
#if MYR_IN_F || MYR_IN_D
#define SUM_FD(name) SUM(name)
#else
#define SUM_FD(name)
#endif
#define SUM_FDP(name) SUM(name)
#define MYR_ACC_LOOP(name, arithmetics) SUM_##arithmetics(name)
#include "accumulator/loops.def"
