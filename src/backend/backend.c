/* backend.c - instruction sets of the build, and tests which of them this machine can run. */
#include "backend/backend.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Processor features required by each instruction set, and a description. One pair of lines per name that the build may
 * list in isas_built.def. */
#if defined(__x86_64__)
#define CPU_HAS(feature) (__builtin_cpu_init(), __builtin_cpu_supports(feature))
#define USABLE_scalar 1
#define TEXT_scalar "plain C, one number at a time"
#define USABLE_scalar_fma CPU_HAS("fma")
#define TEXT_scalar_fma "plain C with the fma instruction"
#define USABLE_sse2 CPU_HAS("sse2")
#define TEXT_sse2 "SSE2, 128 bits"
#define USABLE_avx2 (CPU_HAS("avx2") && CPU_HAS("fma"))
#define TEXT_avx2 "AVX2 and FMA, 256 bits"
#define USABLE_avx512 (CPU_HAS("avx512f") && CPU_HAS("avx512dq") && CPU_HAS("avx512vl") && CPU_HAS("avx512bw"))
#define TEXT_avx512 "AVX-512 (F, DQ, VL, BW), 512 bits"
#else
#define USABLE_scalar 1
#define TEXT_scalar "plain C, one number at a time"
#define USABLE_neon 1
#define TEXT_neon "NEON, 128 bits"
#endif

#define MYR_ISA(name) extern const myr_isa_table myr_isa_##name;
#include "backend/isas_built.def"
#undef MYR_ISA

const myr_isa_table *myr_backend_isa(int k)
{
    static const myr_isa_table *const built[] = {
#define MYR_ISA(name) &myr_isa_##name,
#include "backend/isas_built.def"
#undef MYR_ISA
    };
    return k >= 0 && k < (int)(sizeof built / sizeof *built) ? built[k] : NULL;
}

int myr_backend_isa_number(const char *name)
{
    const myr_isa_table *isa;
    for (int k = 0; (isa = myr_backend_isa(k)); k++)
        if (strcmp(isa->name, name) == 0)
            return k;
    return 0;
}

/* Returns 1 if an instruction set is better than the one named by MYRIAD_BEST_ISA, the best to use. */
static int isa_is_ruled_out(const myr_isa_table *isa)
{
    const char *best = getenv("MYRIAD_BEST_ISA");
    const int number = best && best[0] ? myr_backend_isa_number(best) : -1;
    return number >= 0 && strcmp(myr_backend_isa(number)->name, best) == 0 &&
           myr_backend_isa_number(isa->name) > number;
}

int myr_backend_isa_usable(const myr_isa_table *isa)
{
    if (isa_is_ruled_out(isa))
        return 0;
#define MYR_ISA(name)                                                                                                  \
    if (isa == &myr_isa_##name)                                                                                        \
        return (USABLE_##name) != 0;
#include "backend/isas_built.def"
#undef MYR_ISA
    return 0;
}

const myr_isa_table *myr_backend_best(void)
{
    const myr_isa_table *best = NULL, *isa;
    for (int k = 0; (isa = myr_backend_isa(k)); k++)
        if (myr_backend_isa_usable(isa))
            best = isa;
    return best;
}

const char *myr_backend_isa_text(const myr_isa_table *isa)
{
#define MYR_ISA(name)                                                                                                  \
    if (isa == &myr_isa_##name)                                                                                        \
        return TEXT_##name;
#include "backend/isas_built.def"
#undef MYR_ISA
    return "";
}

int myr_backend_find_near(const char *kernel)
{
    static const char *const name[] = {
#define MYR_EXPANSION(name, header) #name,
#include "kernel/expansions.def"
#undef MYR_EXPANSION
    };
    for (int k = 0; kernel && k < MYR_EXPANSION_COUNT; k++)
        if (strcmp(name[k], kernel) == 0)
            return k;
    return -1;
}
