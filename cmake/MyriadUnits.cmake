# The hot loops. src/backend/unit.c is compiled once per kernel x arithmetic x instruction set; each such unit gets a
# four-line source that sets its macros, so that one object library per instruction set holds them all.
#
# MYR_UNITS=all compiles every unit now. MYR_UNITS=demand compiles those of plain code and what the demonstration needs on
# the machine at hand; the library compiles each other unit when it is first used (src/backend/units.c).
#
# Written into ${MYR_GEN}:
#   backend/unit_loops.h, unit_table.h   one inclusion of sweep.h and one table entry per line of loops.def
#   backend/isas_built.def               MYR_ISA(name): the instruction sets of this build, slowest first
#   backend/isa_flags.def                MYR_ISA_FLAGS(name, bytes, flags): the same for units compiled at run time
#   backend/compile_flags.h              the flags of all of those
#   kernel/headers.h                     every kernel header once
#   accumulator/headers.h                every accumulator header of the arithmetic of the translation unit
#   backend/units_built_<isa>.h          tables of the units that this build holds
#   backend/units_mode.h                 MYR_UNITS_ALL: whether these are all of them
#   units/*.c                            the sources of the units
#   backend/source.c                     the texts of all that a unit includes, for units compiled at run time
#   backend/cuda/abi.h                   MYR_CUDA_ABI: stands for what the library and its GPU plug-in must agree about

set(MYR_ARITHMETICS single mixed portable double) # in the order of MYR_ARITH, see backend/lane/lane.h

set(kernels_def "${PROJECT_SOURCE_DIR}/src/kernel/kernels.def")
set(loops_def "${PROJECT_SOURCE_DIR}/src/accumulator/loops.def")
set(expansions_def "${PROJECT_SOURCE_DIR}/src/kernel/expansions.def")
set(internal_def "${PROJECT_SOURCE_DIR}/src/kernel/internal.def")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    "${kernels_def}" "${loops_def}" "${expansions_def}" "${internal_def}")

# myr_write(path text): writes a file if its contents change, so that nothing is compiled again in vain.
function(myr_write path text)
    file(CONFIGURE OUTPUT "${path}" CONTENT "${text}" @ONLY)
endfunction()

# --- accumulators -----------------------------------------------------------------------------------------------------
file(STRINGS "${loops_def}" lines REGEX "^MYR_ACC_LOOP\\(")
set(loops "")
set(table "")
set(headers "")
foreach(line IN LISTS lines)
    if(NOT line MATCHES "^MYR_ACC_LOOP\\(([a-z0-9_]+), *([FDPR]+)\\)$")
        message(FATAL_ERROR "loops.def: cannot read '${line}'")
    endif()
    set(acc ${CMAKE_MATCH_1})
    string(REGEX REPLACE "(.)" "MYR_IN_\\1 || " condition ${CMAKE_MATCH_2})
    string(REGEX REPLACE " \\|\\| $" "" condition "${condition}")
    string(APPEND headers "#if ${condition}\n#include \"accumulator/${acc}.h\"\n#endif\n")
    if(acc STREQUAL exact) # looks at all pairs, which the loops of backend/near.h never do
        set(condition "(${condition}) && !defined(MYR_BAG_OF_REALS)")
    endif()
    string(APPEND loops "#if ${condition}\n#include \"accumulator/${acc}.h\"\n#define MYR_ACC ${acc}\n"
           "#include \"backend/sweep.h\"\n#endif\n")
    string(APPEND table "#if ${condition}\n[MYR_ACC_${acc}] = LOOPS(${acc}),\n#endif\n")
endforeach()
myr_write("${MYR_GEN}/backend/unit_loops.h" "${loops}")
myr_write("${MYR_GEN}/backend/unit_table.h" "${table}")
myr_write("${MYR_GEN}/accumulator/headers.h" "${headers}")

# --- kernels ----------------------------------------------------------------------------------------------------------
file(STRINGS "${kernels_def}" lines REGEX "^MYR_KERNEL\\(")
set(MYR_KERNELS "")
set(headers "")
foreach(line IN LISTS lines)
    if(NOT line MATCHES "^MYR_KERNEL\\(([a-z0-9_]+), *([a-z0-9_]+\\.h)\\)$")
        message(FATAL_ERROR "kernels.def: cannot read '${line}'")
    endif()
    list(APPEND MYR_KERNELS ${CMAKE_MATCH_1})
    set(header_of_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    list(APPEND headers "#include \"kernel/${CMAKE_MATCH_2}\"\n")
endforeach()
list(REMOVE_DUPLICATES headers)
string(CONCAT headers ${headers})
myr_write("${MYR_GEN}/kernel/headers.h" "${headers}")

file(STRINGS "${expansions_def}" lines REGEX "^MYR_EXPANSION\\(")
set(MYR_EXPANSIONS "")
foreach(line IN LISTS lines)
    if(NOT line MATCHES "^MYR_EXPANSION\\(([a-z0-9_]+), *([a-z0-9_]+\\.h)\\)$")
        message(FATAL_ERROR "expansions.def: cannot read '${line}'")
    endif()
    list(APPEND MYR_EXPANSIONS ${CMAKE_MATCH_1})
endforeach()

file(STRINGS "${internal_def}" lines REGEX "^MYR_INTERNAL_KERNEL\\(")
set(MYR_INTERNAL_KERNELS "")
foreach(line IN LISTS lines)
    if(NOT line MATCHES "^MYR_INTERNAL_KERNEL\\(([a-z0-9_]+), *([a-z0-9_]+\\.h)\\)$")
        message(FATAL_ERROR "internal.def: cannot read '${line}'")
    endif()
    list(APPEND MYR_INTERNAL_KERNELS ${CMAKE_MATCH_1})
    set(header_of_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
endforeach()

# --- units ------------------------------------------------------------------------------------------------------------
# myr_unit(isa kernel arithmetic out): writes the source of one unit, made from unit.c or from the file that a fifth
# argument names. The loops of an internal kernel read bags of reals.
function(myr_unit isa kernel arithmetic out)
    list(FIND MYR_ARITHMETICS ${arithmetic} number)
    set(from unit.c)
    set(prefix "")
    if(ARGC GREATER 4)
        set(from ${ARGV4})
        string(REGEX REPLACE "unit\\.c$" "" prefix ${ARGV4})
    endif()
    set(source "${MYR_GEN}/units/${isa}/${prefix}${kernel}_${arithmetic}_${isa}.c")
    set(reals "")
    if(kernel IN_LIST MYR_INTERNAL_KERNELS)
        set(reals "#define MYR_BAG_OF_REALS\n")
    endif()
    myr_write("${source}" "${reals}#define MYR_KERNEL ${kernel}
#define MYR_KERNEL_FILE \"kernel/${header_of_${kernel}}\"
#define MYR_ARITH ${number}
#define MYR_ARITH_NAME ${arithmetic}
#include \"backend/${from}\"
")
    # instructions of two vectors interleaved, which gcc does not do by itself on x86: gravity 4 % faster on a Zen 4
    if(CMAKE_C_COMPILER_ID STREQUAL GNU AND isa STREQUAL avx512 AND from STREQUAL unit.c AND
       kernel MATCHES "^gravity(_potential|_jerk)?$")
        set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS "-fschedule-insns;-fsched-pressure")
    endif()
    set(${out} "${source}" PARENT_SCOPE)
endfunction()

# myr_short_range(isa arithmetic out): the same for the loops of short-range pairs (src/backend/short_range.c). Mixed arithmetic has
# none: the coordinates there are integers with more bits than it keeps.
set(MYR_SHORT_RANGE_ARITHMETICS single portable double)
function(myr_short_range isa arithmetic out)
    list(FIND MYR_ARITHMETICS ${arithmetic} number)
    set(source "${MYR_GEN}/units/${isa}/window_${arithmetic}_${isa}.c")
    myr_write("${source}" "#define MYR_ARITH ${number}
#define MYR_ARITH_NAME ${arithmetic}
#include \"backend/short_range.c\"
")
    set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS -fopenmp-simd)
    set(${out} "${source}" PARENT_SCOPE)
endfunction()

# The kernels and arithmetics of tools/demo.sh.
set(MYR_DEMO_UNITS gravity_single gravity_mixed gravity_portable gravity_double gravity_jerk_mixed
    gravity_potential_double)

set(isas_built "")
set(isa_flags "")
set(MYR_UNIT_TARGETS "")
foreach(isa IN LISTS MYR_ISAS)
    string(APPEND isas_built "MYR_ISA(${isa})\n")
    list(JOIN MYR_ISA_${isa}_FLAGS " " isa_words)
    string(APPEND isa_flags "MYR_ISA_FLAGS(${isa}, ${MYR_ISA_${isa}_BYTES}, \"${isa_words}\")\n")
    set(eager 0) # whether every unit of this instruction set is compiled now
    if(MYR_UNITS STREQUAL "all" OR isa STREQUAL "scalar")
        set(eager 1)
    endif()
    # A source of its own name per instruction set keeps the members of the static library apart.
    set(sources "${MYR_GEN}/units/${isa}/isa_${isa}.c")
    myr_write("${sources}" "#define MYR_UNITS_BUILT \"backend/units_built_${isa}.h\"\n#include \"backend/isa.c\"\n")
    set(declarations "")
    set(units "")
    set(internals "")
    set(nears "")
    set(windows "")
    set(expansions "")
    foreach(kernel IN LISTS MYR_KERNELS)
        foreach(arithmetic IN LISTS MYR_ARITHMETICS)
            if(eager OR (isa STREQUAL "${MYR_HOST_ISA}" AND "${kernel}_${arithmetic}" IN_LIST MYR_DEMO_UNITS))
                myr_unit(${isa} ${kernel} ${arithmetic} source)
                list(APPEND sources "${source}")
                list(FIND MYR_ARITHMETICS ${arithmetic} number)
                string(APPEND declarations "extern const myr_unit myr_unit_${kernel}_${arithmetic}_${isa};\n")
                string(APPEND units "    [MYR_KERNEL_${kernel}][${number}] = &myr_unit_${kernel}_${arithmetic}_${isa},\n")
            endif()
        endforeach()
    endforeach()
    if(eager OR isa STREQUAL "${MYR_HOST_ISA}") # few, and used in the middle of a run
        foreach(kernel IN LISTS MYR_INTERNAL_KERNELS)
            myr_unit(${isa} ${kernel} portable source)
            list(APPEND sources "${source}")
            string(APPEND declarations "extern const myr_unit myr_unit_${kernel}_portable_${isa};\n")
            string(APPEND internals "    [MYR_INTERNAL_${kernel}] = &myr_unit_${kernel}_portable_${isa},\n")
        endforeach()
    endif()
    if(eager)
        foreach(arithmetic IN LISTS MYR_SHORT_RANGE_ARITHMETICS)
            myr_short_range(${isa} ${arithmetic} source)
            list(APPEND sources "${source}")
            list(FIND MYR_ARITHMETICS ${arithmetic} number)
            string(APPEND declarations "extern const myr_short_range_unit myr_short_range_${arithmetic}_${isa};\n")
            string(APPEND windows "    [${number}] = &myr_short_range_${arithmetic}_${isa},\n")
        endforeach()
        foreach(kernel IN LISTS MYR_EXPANSIONS)
            foreach(arithmetic IN LISTS MYR_ARITHMETICS)
                myr_unit(${isa} ${kernel} ${arithmetic} source near_unit.c)
                list(APPEND sources "${source}")
                list(FIND MYR_ARITHMETICS ${arithmetic} number)
                string(APPEND declarations "extern const myr_near_unit myr_near_${kernel}_${arithmetic}_${isa};\n")
                string(APPEND nears "    [MYR_EXPANSION_${kernel}][${number}] = &myr_near_${kernel}_${arithmetic}_${isa},\n")
            endforeach()
        endforeach()
        foreach(form single double portable separate_double) # in the order of myr_expansion_form
            string(REPLACE "separate_" "" arithmetic ${form})
            list(FIND MYR_ARITHMETICS ${arithmetic} number)
            set(source "${MYR_GEN}/units/${isa}/expansion_${form}_${isa}.c")
            set(separate "")
            if(NOT form STREQUAL arithmetic)
                set(separate "#define MYR_SEPARATE\n")
            endif()
            myr_write("${source}" "${separate}#define MYR_ARITH ${number}
#define MYR_ARITH_NAME ${arithmetic}
#include \"backend/expansion_unit.c\"
")
            list(APPEND sources "${source}")
            string(APPEND declarations "extern const myr_expansion_ops myr_expansion_${form}_${isa};\n")
            string(APPEND expansions "    &myr_expansion_${form}_${isa},\n")
        endforeach()
    endif()
    if(NOT units)
        set(units "    [0][0] = 0,\n")
    endif()
    if(NOT internals)
        set(internals "    [0] = 0,\n")
    endif()
    if(NOT nears)
        set(nears "    [0][0] = 0,\n")
    endif()
    if(NOT windows)
        set(windows "    [0] = 0,\n")
    endif()
    if(NOT expansions)
        set(expansions "    [0] = 0,\n")
    endif()
    myr_write("${MYR_GEN}/backend/units_built_${isa}.h" "/* Written by cmake/MyriadUnits.cmake. */
${declarations}
static const myr_unit *const units[MYR_KERNEL_COUNT][MYR_ARITH_COUNT] = {
${units}};
static const myr_unit *const internal[MYR_INTERNAL_COUNT] = {
${internals}};
static const myr_near_unit *const nears[MYR_EXPANSION_COUNT][MYR_ARITH_COUNT] = {
${nears}};
static const myr_short_range_unit *const windows[MYR_ARITH_COUNT] = {
${windows}};
static const myr_expansion_ops *const expansion[MYR_EXPANSION_FORMS] = {
${expansions}};
")
    add_library(myriad_${isa} OBJECT ${sources})
    target_include_directories(myriad_${isa} PRIVATE "${MYR_GEN}" src include)
    target_compile_definitions(myriad_${isa} PRIVATE MYR_ISA=${isa} MYR_LANE_BYTES=${MYR_ISA_${isa}_BYTES})
    target_compile_options(myriad_${isa} PRIVATE ${MYR_COMMON_FLAGS} ${MYR_WARNING_FLAGS} ${MYR_ISA_${isa}_FLAGS})
    list(APPEND MYR_UNIT_TARGETS myriad_${isa})
endforeach()
if(MYR_UNITS STREQUAL "all")
    myr_write("${MYR_GEN}/backend/units_mode.h" "#define MYR_UNITS_ALL 1\n")
else()
    myr_write("${MYR_GEN}/backend/units_mode.h" "#define MYR_UNITS_ALL 0\n")
endif()
myr_write("${MYR_GEN}/backend/isas_built.def" "${isas_built}")
myr_write("${MYR_GEN}/backend/isa_flags.def" "${isa_flags}")
# -w: the compiler of the user's machine is not one that was tested. Loops of a build with sanitizers have them, too.
list(JOIN MYR_COMMON_FLAGS " " common_words)
if(MYR_SANITIZE)
    string(JOIN " " common_words ${common_words} -O1 -g1 ${MYR_SANITIZE_FLAGS})
endif()
myr_write("${MYR_GEN}/backend/compile_flags.h"
    "#define MYR_COMPILE_FLAGS \"-std=gnu11 -O2 ${common_words} -fPIC -shared -w\"\n")

# --- texts ------------------------------------------------------------------------------------------------------------
# Everything that a unit includes, by the name in the include line; sorted, so that equal sources make equal hashes.
file(GLOB texts CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/src"
    "${PROJECT_SOURCE_DIR}/src/kernel/*.h" "${PROJECT_SOURCE_DIR}/src/kernel/*.def"
    "${PROJECT_SOURCE_DIR}/src/accumulator/*.h" "${PROJECT_SOURCE_DIR}/src/accumulator/*.def"
    "${PROJECT_SOURCE_DIR}/src/backend/lane/*.h" "${PROJECT_SOURCE_DIR}/src/backend/lane/*.def"
    "${PROJECT_SOURCE_DIR}/src/backend/cuda/*.cuh")
list(APPEND texts backend/tile.h backend/sweep.h backend/guard.h backend/unit_prologue.h backend/unit_kernel.h
    backend/motion.h backend/box_motion.h backend/box_bath.h backend/box_counts.h backend/box_paths.h backend/box_fields.h backend/exact_motion.h backend/unit.c backend/cuda/launch_args.h backend/cuda/far_args.h backend/cuda/far_cells_args.h backend/cuda/near_args.h
    backend/cell_axes.h backend/cell_rule.h backend/cell_weights.h backend/cuda/mesh_args.h
    backend/cuda/box_args.h backend/cuda/molecule_args.h backend/molecule_terms.h backend/rigid_bonds.h backend/born_atom.h domain/box_inside.h core/elementary_inside.h core/random_inside.h backend/near.h backend/near_unit.c
    backend/expansion.h backend/expansion_order.h backend/expansion_dense.h backend/expansion_lanes.h backend/expansion_series.h
    backend/expansion_turned.h backend/expansion_unit.c
    backend/short_range.h backend/short_range.c backend/short_range_loop.h backend/short_range_pair.h
    backend/short_range_formula.h
    backend/short_range_second.h backend/short_range_sift.h backend/short_range_search.h)
list(TRANSFORM texts REPLACE "^(.+)$" "\\1|${PROJECT_SOURCE_DIR}/src/\\1")
foreach(name backend/unit_loops.h backend/unit_table.h accumulator/headers.h kernel/headers.h)
    list(APPEND texts "${name}|${MYR_GEN}/${name}")
endforeach()
list(SORT texts)
list(TRANSFORM texts REPLACE "^.+\\|" "" OUTPUT_VARIABLE text_paths)
list(JOIN texts "\n" texts)
myr_write("${MYR_GEN}/backend/source.list" "${texts}\n")
set(MYR_TEXT_SOURCE "${MYR_GEN}/backend/source.c")
add_custom_command(OUTPUT "${MYR_TEXT_SOURCE}"
    COMMAND "${CMAKE_COMMAND}" "-DOUT=${MYR_TEXT_SOURCE}" "-DLIST=${MYR_GEN}/backend/source.list"
            -DHEADER=backend/source.h -DTYPE=myr_source -DFUNCTION=myr_sources
            -P "${PROJECT_SOURCE_DIR}/cmake/MyriadEmbed.cmake"
    DEPENDS ${text_paths} "${MYR_GEN}/backend/source.list" "${PROJECT_SOURCE_DIR}/cmake/MyriadEmbed.cmake"
    COMMENT "Texts of the loops"
    VERBATIM)
set_source_files_properties("${MYR_TEXT_SOURCE}" PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)

# The library holds the texts of a GPU's programs, and the plug-in the code that launches them: both are compiled with a
# number that changes with these texts and with the headers between the two, so that a plug-in of another build is refused.
file(GLOB abi_paths CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/backend/cuda/*.cuh"
    "${PROJECT_SOURCE_DIR}/src/backend/cuda/*.h")
foreach(name job.h source.h expansion_order.h motion.h box_motion.h box_bath.h box_counts.h box_paths.h box_fields.h exact_motion.h molecule_terms.h rigid_bonds.h born_atom.h cell_axes.h cell_rule.h cell_weights.h)
    list(APPEND abi_paths "${PROJECT_SOURCE_DIR}/src/backend/${name}")
endforeach()
list(SORT abi_paths)
list(JOIN abi_paths "\n" abi_lines)
myr_write("${MYR_GEN}/backend/cuda/abi.list" "${abi_lines}\n")
set(MYR_CUDA_ABI_HEADER "${MYR_GEN}/backend/cuda/abi.h")
add_custom_command(OUTPUT "${MYR_CUDA_ABI_HEADER}"
    COMMAND "${CMAKE_COMMAND}" "-DOUT=${MYR_CUDA_ABI_HEADER}" "-DLIST=${MYR_GEN}/backend/cuda/abi.list"
            -P "${PROJECT_SOURCE_DIR}/cmake/MyriadAbi.cmake"
    DEPENDS ${abi_paths} "${MYR_GEN}/backend/cuda/abi.list" "${PROJECT_SOURCE_DIR}/cmake/MyriadAbi.cmake"
    COMMENT "Interface of the GPU plug-in"
    VERBATIM)
add_custom_target(cuda_abi DEPENDS "${MYR_CUDA_ABI_HEADER}")
