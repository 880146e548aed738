# Compiler flags, and the instruction sets with theirs.
#
#   MYR_COMMON_FLAGS          what every C file of the library is compiled with (floating point as written)
#   MYR_WARNING_FLAGS         warnings of all C files; MYR_STRICT_FLAGS more, for files without vector extensions
#   MYR_ISAS              the instruction sets to build for
#   MYR_ISA_<isa>_FLAGS       extra flags of one
#   MYR_ISA_<isa>_BYTES       its lane size; 0 = one number at a time

include(CheckCCompilerFlag)

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# The loops are unrolled where it pays; -O3 would only make the objects larger.
if(CMAKE_C_FLAGS_RELEASE STREQUAL "-O3 -DNDEBUG")
    set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
endif()

# Compensated sums, magic-constant rounding and the promises about bits die under these.
string(TOUPPER "${CMAKE_BUILD_TYPE}" MYR_BUILD_TYPE)
foreach(flag -ffast-math -Ofast -funsafe-math-optimizations -fassociative-math -freciprocal-math)
    if("${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${MYR_BUILD_TYPE}} " MATCHES "${flag}[ ]")
        message(FATAL_ERROR "${flag} breaks the accumulators of Myriad: remove it from the compiler flags.")
    endif()
endforeach()

# -fno-tree-slp-vectorize: gcc 12.2 drops a double -> float -> double rounding there (docs/decisions/build.md).
set(MYR_COMMON_FLAGS -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-tree-slp-vectorize)

set(MYR_WARNING_FLAGS -Wall -Wextra -Wshadow)
set(MYR_STRICT_FLAGS -Wpedantic -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wmissing-prototypes)
if(MYR_WERROR)
    # A compiler that nobody has tried may warn about something new; that must not stop a newcomer's build.
    if((CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_LESS 13)
       OR (CMAKE_C_COMPILER_ID STREQUAL "Clang" AND CMAKE_C_COMPILER_VERSION VERSION_LESS 15))
        list(APPEND MYR_WARNING_FLAGS -Werror)
    else()
        message(STATUS "MYR_WERROR: not applied, ${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION} is not a tested compiler")
    endif()
endif()

if(MYR_SANITIZE)
    set(MYR_SANITIZE_FLAGS "-fsanitize=${MYR_SANITIZE}" -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_compile_options(${MYR_SANITIZE_FLAGS})
    add_link_options(${MYR_SANITIZE_FLAGS})
endif()

# myr_isa(name bytes flags...): adds an instruction set if the compiler takes its flags, slowest first. What a machine
# must have to run it stands in src/backend/backend.c.
macro(myr_isa name bytes)
    set(MYR_ISA_${name}_BYTES ${bytes})
    set(MYR_ISA_${name}_FLAGS ${ARGN})
    if("${ARGN}" STREQUAL "")
        list(APPEND MYR_ISAS ${name})
    else()
        string(REPLACE ";" " " myr_isa_flags "${ARGN}")
        check_c_compiler_flag("${myr_isa_flags}" MYR_COMPILER_HAS_${name})
        if(MYR_COMPILER_HAS_${name})
            list(APPEND MYR_ISAS ${name})
        endif()
    endif()
endmacro()

set(MYR_ISAS "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    myr_isa(scalar 0)
    myr_isa(scalar_fma 0 -mfma)
    myr_isa(sse2 16)
    myr_isa(avx2 32 -mavx2 -mfma)
    myr_isa(avx512 64 -mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma -mprefer-vector-width=512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    myr_isa(scalar 0)
    myr_isa(neon 16)
else()
    myr_isa(scalar 0)
endif()

# The best instruction set of the machine that builds: a build on demand compiles units of it for the demonstration, and
# MYR_ONLY_ISAS=native means it.
if(NOT MYR_UNITS STREQUAL "all" AND NOT MYR_UNITS STREQUAL "demand")
    message(FATAL_ERROR "MYR_UNITS is '${MYR_UNITS}': it is all or demand")
endif()
set(MYR_HOST_ISA scalar)
if((MYR_UNITS STREQUAL "demand" OR "native" IN_LIST MYR_ONLY_ISAS) AND NOT CMAKE_CROSSCOMPILING)
    include(CheckCSourceRuns)
    set(MYR_NEEDS_avx2 "__builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\")")
    set(MYR_NEEDS_avx512 "__builtin_cpu_supports(\"avx512f\") && __builtin_cpu_supports(\"avx512dq\") && __builtin_cpu_supports(\"avx512vl\") && __builtin_cpu_supports(\"avx512bw\")")
    set(MYR_NEEDS_sse2 1)
    set(MYR_NEEDS_neon 1)
    foreach(isa IN LISTS MYR_ISAS)
        if(DEFINED MYR_NEEDS_${isa})
            check_c_source_runs("int main(void) { return !(${MYR_NEEDS_${isa}}); }" MYR_HOST_HAS_${isa})
            if(MYR_HOST_HAS_${isa})
                set(MYR_HOST_ISA ${isa})
            endif()
        endif()
    endforeach()
endif()

# A build may be restricted to some of them (sanitizers, cross-checks); scalar is the reference and always there.
if(MYR_ONLY_ISAS)
    set(myr_wanted scalar ${MYR_ONLY_ISAS})
    list(TRANSFORM myr_wanted REPLACE "^native$" "${MYR_HOST_ISA}")
    foreach(isa IN LISTS myr_wanted)
        if(NOT isa IN_LIST MYR_ISAS)
            message(STATUS "MYR_ONLY_ISAS: ${isa} is not known here; known: ${MYR_ISAS}")
        endif()
    endforeach()
    foreach(isa IN LISTS MYR_ISAS)
        if(NOT isa IN_LIST myr_wanted)
            list(REMOVE_ITEM MYR_ISAS ${isa})
        endif()
    endforeach()
endif()
