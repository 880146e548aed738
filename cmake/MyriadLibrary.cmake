# libmyriad (shared and static, from the same objects), the program and the drop-in libraries of bindings/.

file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*.c")
list(FILTER core_sources EXCLUDE # compiled per instruction set
     REGEX "/src/backend/(unit|near_unit|expansion_unit|isa|short_range)\\.c$")
list(FILTER core_sources EXCLUDE REGEX "/src/(backend/cuda|domain/mpi|model/nemo)/") # plug-ins
# The same functions twice: through the HDF5 library, or saying that it is missing.
if(MYR_HAVE_HDF5)
    list(FILTER core_sources EXCLUDE REGEX "/src/io/hdf5_absent\\.c$")
else()
    list(FILTER core_sources EXCLUDE REGEX "/src/io/hdf5(_read|_write)?\\.c$")
endif()

add_library(myriad_core OBJECT ${core_sources} "${MYR_TEXT_SOURCE}")
add_dependencies(myriad_core cuda_abi)
# What libmyriad.so exports is the linker script's to say (myr_export_list); tests link the same objects with all visible.
foreach(target myriad_core ${MYR_UNIT_TARGETS})
    set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET default)
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
endforeach()
target_include_directories(myriad_core PRIVATE "${MYR_GEN}" src include)
target_compile_options(myriad_core PRIVATE ${MYR_COMMON_FLAGS} ${MYR_WARNING_FLAGS} ${MYR_STRICT_FLAGS})
if(MYR_HAVE_OPENMP)
    target_link_libraries(myriad_core PRIVATE OpenMP::OpenMP_C)
    set(myr_private_libraries OpenMP::OpenMP_C ${MYR_LIBM} ${CMAKE_DL_LIBS})
else()
    target_compile_options(myriad_core PRIVATE -Wno-unknown-pragmas)
    set(myr_private_libraries ${MYR_LIBM} ${CMAKE_DL_LIBS})
endif()

target_compile_definitions(myriad_core PRIVATE MYR_INSTALL_LIBDIR="${CMAKE_INSTALL_LIBDIR}" MYR_HAVE_XXHASH=${MYR_HAVE_XXHASH} MYR_HAVE_HDF5=${MYR_HAVE_HDF5} MYR_HAVE_FFTW=${MYR_HAVE_FFTW} MYR_HAVE_FFTW_SINGLE=${MYR_HAVE_FFTW_SINGLE})
if(MYR_HAVE_FFTW)
    target_include_directories(myriad_core SYSTEM PRIVATE ${FFTW_INCLUDE_DIRS})
    list(APPEND myr_private_libraries ${FFTW_LINK_LIBRARIES})
endif()
if(MYR_HAVE_XXHASH)
    target_include_directories(myriad_core SYSTEM PRIVATE "${MYR_XXHASH_INCLUDE}")
endif()
if(MYR_HAVE_HDF5)
    target_include_directories(myriad_core SYSTEM PRIVATE ${MYR_HDF5_INCLUDE})
    list(APPEND myr_private_libraries ${MYR_HDF5_LIBRARIES})
endif()

set(myr_objects $<TARGET_OBJECTS:myriad_core>)
foreach(target IN LISTS MYR_UNIT_TARGETS)
    list(APPEND myr_objects $<TARGET_OBJECTS:${target}>)
endforeach()

# myr_export_list(target script): exports from a shared library only what a linker script lists.
function(myr_export_list target script)
    if(NOT APPLE)
        target_link_options(${target} PRIVATE "LINKER:--version-script=${script}")
        set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${script}")
    endif()
endfunction()

add_library(myriad SHARED ${myr_objects})
# The same objects with every function visible, for tests that look inside; never installed.
add_library(myriad_inside SHARED EXCLUDE_FROM_ALL ${myr_objects})
add_library(myriad_static STATIC ${myr_objects})
add_library(Myriad::myriad ALIAS myriad)
add_library(Myriad::myriad_static ALIAS myriad_static)
set_target_properties(myriad PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} EXPORT_NAME myriad)
set_target_properties(myriad_static PROPERTIES OUTPUT_NAME myriad)
# myr_write_map(script node headers...): writes a linker script that lists the functions that headers mark MYR_API.
function(myr_write_map script node)
    set(exported "")
    foreach(header IN LISTS ARGN)
        file(READ "${header}" text)
        string(REGEX MATCHALL "MYR_API [^;(]*[ *\n]myr_[a-z0-9_]+\\(" declarations "${text}")
        foreach(declaration IN LISTS declarations)
            string(REGEX REPLACE ".*[ *\n](myr_[a-z0-9_]+)\\($" "    \\1;\n" name "${declaration}")
            string(APPEND exported "${name}")
        endforeach()
    endforeach()
    file(CONFIGURE OUTPUT "${script}" CONTENT "@node@ {\nglobal:\n@exported@local:\n    *;\n};\n" @ONLY)
endfunction()
# run.h is the interface of libmyriad_run, all other public headers are that of libmyriad.
file(GLOB public_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/myriad/*.h")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${public_headers})
set(run_header "${PROJECT_SOURCE_DIR}/include/myriad/run.h")
list(REMOVE_ITEM public_headers "${run_header}")
myr_write_map("${MYR_GEN}/myriad.map" MYRIAD_0 ${public_headers})
myr_export_list(myriad "${MYR_GEN}/myriad.map")
if(NOT MYR_SANITIZE AND NOT APPLE)
    target_link_options(myriad PRIVATE LINKER:--no-undefined)
endif()
foreach(target myriad myriad_static myriad_inside)
    target_include_directories(${target} PUBLIC
        "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    target_link_libraries(${target} PRIVATE ${myr_private_libraries})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C
        ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}" LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
endforeach()

# What plug-ins of NEMO expect from the program that opens them.
add_library(myriad_nemo MODULE "${PROJECT_SOURCE_DIR}/src/model/nemo/host.c")
target_compile_options(myriad_nemo PRIVATE ${MYR_COMMON_FLAGS} ${MYR_WARNING_FLAGS})
set_target_properties(myriad_nemo PROPERTIES C_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
if(NOT APPLE)
    target_link_options(myriad_nemo PRIVATE "LINKER:-soname,libmyriad_nemo.so")
endif()
add_dependencies(myriad myriad_nemo)
add_dependencies(myriad_static myriad_nemo)

# --- runs: libmyriad_run ------------------------------------------------------------------------------------------------
# Inputs, runs and reports. The program and tests link the same objects, so that they can call functions inside.
file(GLOB_RECURSE run_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/runs/*.c")
list(FILTER run_sources EXCLUDE REGEX "/runs/live/http/") # a plug-in
find_package(Threads REQUIRED)
# The style, scripts and shaders of a report's page, as texts in the library.
file(GLOB assets CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/runs/report/page/*")
list(APPEND assets "${PROJECT_SOURCE_DIR}/CITATION.cff")
list(TRANSFORM assets REPLACE "^.*/([^/]+)$" "\\1|\\0" OUTPUT_VARIABLE asset_lines)
list(JOIN asset_lines "\n" asset_lines)
myr_write("${MYR_GEN}/report_assets.list" "${asset_lines}\n")
set(asset_source "${MYR_GEN}/report_assets.c")
add_custom_command(OUTPUT "${asset_source}"
    COMMAND "${CMAKE_COMMAND}" "-DOUT=${asset_source}" "-DLIST=${MYR_GEN}/report_assets.list"
            -DHEADER=report/report.h -DTYPE=report_asset -DFUNCTION=report_assets -DWITH_HASH=1
            -P "${PROJECT_SOURCE_DIR}/cmake/MyriadEmbed.cmake"
    DEPENDS ${assets} "${MYR_GEN}/report_assets.list" "${PROJECT_SOURCE_DIR}/cmake/MyriadEmbed.cmake"
    COMMENT "Texts of the report"
    VERBATIM)
set_source_files_properties("${asset_source}" PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
add_library(myriad_runs OBJECT ${run_sources} "${asset_source}")
set_target_properties(myriad_runs PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(myriad_runs PUBLIC "${PROJECT_SOURCE_DIR}/runs")
target_compile_definitions(myriad_runs PRIVATE MYR_HAVE_FYAML=${MYR_HAVE_FYAML} MYR_HAVE_HDF5=${MYR_HAVE_HDF5}
    MYR_INSTALL_LIBDIR="${CMAKE_INSTALL_LIBDIR}")
target_compile_options(myriad_runs PRIVATE ${MYR_COMMON_FLAGS} ${MYR_WARNING_FLAGS} ${MYR_STRICT_FLAGS})
target_link_libraries(myriad_runs PUBLIC myriad ${MYR_LIBM} Threads::Threads ${CMAKE_DL_LIBS})
if(MYR_HAVE_FYAML)
    target_link_libraries(myriad_runs PUBLIC PkgConfig::FYAML)
endif()
if(MYR_HAVE_HDF5)
    target_include_directories(myriad_runs SYSTEM PRIVATE ${MYR_HDF5_INCLUDE})
    target_link_libraries(myriad_runs PUBLIC ${MYR_HDF5_LIBRARIES})
endif()

add_library(myriad_run SHARED $<TARGET_OBJECTS:myriad_runs>)
add_library(Myriad::myriad_run ALIAS myriad_run)
set_target_properties(myriad_run PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} EXPORT_NAME myriad_run LINKER_LANGUAGE C
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}" INSTALL_RPATH "$ORIGIN")
myr_write_map("${MYR_GEN}/myriad_run.map" MYRIAD_RUN_0 "${run_header}")
myr_export_list(myriad_run "${MYR_GEN}/myriad_run.map")
target_link_libraries(myriad_run PUBLIC myriad PRIVATE ${MYR_LIBM} Threads::Threads ${CMAKE_DL_LIBS})
if(MYR_HAVE_FYAML)
    target_link_libraries(myriad_run PRIVATE PkgConfig::FYAML)
endif()
if(MYR_HAVE_HDF5)
    target_link_libraries(myriad_run PRIVATE ${MYR_HDF5_LIBRARIES})
endif()

# --- the program ------------------------------------------------------------------------------------------------------
# Everything but main() is a library of its own, so that tests can call the program's functions.
file(GLOB_RECURSE cli_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cli/*.c")
if(cli_sources)
    list(FILTER cli_sources EXCLUDE REGEX "/cli/main\\.c$")
    add_library(myriad_program OBJECT ${cli_sources})
    target_include_directories(myriad_program PUBLIC "${PROJECT_SOURCE_DIR}/cli")
    target_link_libraries(myriad_program PUBLIC myriad_runs)
    add_executable(myriad_cli "${PROJECT_SOURCE_DIR}/cli/main.c")
    set_target_properties(myriad_cli PROPERTIES OUTPUT_NAME myriad
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
        INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    foreach(target myriad_program myriad_cli)
        target_compile_options(${target} PRIVATE ${MYR_COMMON_FLAGS} ${MYR_WARNING_FLAGS} ${MYR_STRICT_FLAGS})
    endforeach()
    target_link_libraries(myriad_cli PRIVATE myriad_program myriad_runs)
endif()

# --- drop-in libraries ------------------------------------------------------------------------------------------------
# myr_drop_in(name folder sources...): a small library with historic entry points, shared and static.
set(MYR_DROP_INS "")
function(myr_drop_in name folder)
    set(path "${PROJECT_SOURCE_DIR}/bindings/${folder}")
    list(TRANSFORM ARGN PREPEND "${path}/" OUTPUT_VARIABLE sources)
    foreach(kind SHARED STATIC)
        string(TOLOWER ${kind} suffix)
        set(target ${name}_${suffix})
        add_library(${target} ${kind} ${sources})
        set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
            ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}" LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
            C_VISIBILITY_PRESET default)
        target_include_directories(${target} INTERFACE
            "$<BUILD_INTERFACE:${path}>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/${folder}>")
        target_compile_options(${target} PRIVATE ${MYR_COMMON_FLAGS} ${MYR_WARNING_FLAGS} ${MYR_STRICT_FLAGS})
    endforeach()
    set_target_properties(${name}_shared PROPERTIES
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} INSTALL_RPATH "$ORIGIN")
    target_link_libraries(${name}_shared PRIVATE myriad)
    target_link_libraries(${name}_static PUBLIC myriad)
    myr_export_list(${name}_shared "${PROJECT_SOURCE_DIR}/cmake/${folder}.map")
    set(MYR_DROP_INS ${MYR_DROP_INS} ${name}_shared ${name}_static PARENT_SCOPE)
endfunction()

myr_drop_in(cunbody cunbody force.c)
myr_drop_in(cunbody_jerk cunbody force_jerk.c)
myr_drop_in(cunbody_api cunbody api.c)
myr_drop_in(g5 grape engine.c g5.c g5_board0.c g5_fortran.c)
set(g6_sources engine.c g6.c g6_memory.c g6_neighbours.c g6_aliases.c g6_fortran.c)
myr_drop_in(g6 grape ${g6_sources})
myr_drop_in(sapporo grape ${g6_sources} sapporo.c)
myr_drop_in(gpunb grape engine.c gpunb.c near_tree.c)
foreach(target gpunb_shared gpunb_static) # neighbours are searched by all threads
    if(MYR_HAVE_OPENMP)
        target_link_libraries(${target} PRIVATE OpenMP::OpenMP_C)
    else()
        target_compile_options(${target} PRIVATE -Wno-unknown-pragmas)
    endif()
endforeach()

# `myriad bench direct` times force() itself.
if(TARGET myriad_program)
    target_link_libraries(myriad_program PUBLIC cunbody_static)
endif()
