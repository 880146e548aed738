# The Python package: an extension module in cffi's API mode, from declarations that the build takes from the public
# headers, and the files of bindings/python/myriad. The target `python` leaves all in build/python. Installed copies and
# wheels: setup.py.

# A Python with cffi and NumPy: that of the path, or Debian's.
set(MYR_PYTHON "" CACHE FILEPATH "Python with cffi and NumPy for the package myriad; empty = python3 of the path or /usr/bin")
function(myr_find_python)
    foreach(python ${MYR_PYTHON} python3 /usr/bin/python3)
        execute_process(COMMAND "${python}" -c
            "import cffi, numpy, sys, sysconfig; print(sys.executable); print(sysconfig.get_paths()['include'])"
            OUTPUT_VARIABLE found RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
        if(NOT failed)
            string(REPLACE "\n" ";" found "${found}")
            list(GET found 0 executable)
            list(GET found 1 include)
            if(EXISTS "${include}/Python.h")
                set(MYR_PYTHON_EXECUTABLE "${executable}" PARENT_SCOPE)
                set(MYR_PYTHON_INCLUDE "${include}" PARENT_SCOPE)
                return()
            endif()
        endif()
    endforeach()
endfunction()

set(MYR_PYTHON_EXECUTABLE "")
if(NOT CMAKE_CROSSCOMPILING AND NOT MYR_SANITIZE)
    myr_find_python()
endif()
if(NOT MYR_PYTHON_EXECUTABLE)
    return()
endif()

set(python_source "${PROJECT_SOURCE_DIR}/bindings/python")
set(python_build "${PROJECT_BINARY_DIR}/python/myriad")
set(python_gen "${MYR_GEN}/python")
file(MAKE_DIRECTORY "${python_gen}" "${python_build}")
file(GLOB python_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/myriad/*.h")

add_custom_command(OUTPUT "${python_gen}/declarations.h"
    COMMAND "${MYR_PYTHON_EXECUTABLE}" "${python_source}/declarations.py" "${CMAKE_C_COMPILER}"
            "${PROJECT_SOURCE_DIR}/include" "${python_gen}/declarations.h"
    DEPENDS ${python_headers} "${python_source}/declarations.py"
    COMMENT "Declarations of the public headers"
    VERBATIM)
add_custom_command(OUTPUT "${python_gen}/native.c"
    COMMAND "${MYR_PYTHON_EXECUTABLE}" "${python_source}/native.py" "${python_gen}/declarations.h" "${python_gen}/native.c"
    DEPENDS "${python_gen}/declarations.h" "${python_source}/native.py"
    COMMENT "Extension module of Python"
    VERBATIM)

# The Fortran module, from the same declarations; installed as a source, since compilers have modules of their own.
set(fortran_source "${PROJECT_SOURCE_DIR}/bindings/fortran/module.py")
set(fortran_module "${PROJECT_BINARY_DIR}/fortran/myriad.f90")
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/fortran")
add_custom_command(OUTPUT "${fortran_module}"
    COMMAND "${MYR_PYTHON_EXECUTABLE}" -B "${fortran_source}" "${python_gen}/declarations.h" "${fortran_module}"
    DEPENDS "${python_gen}/declarations.h" "${fortran_source}" "${python_source}/declarations.py"
    COMMENT "Fortran module"
    VERBATIM)
add_custom_target(fortran ALL DEPENDS "${fortran_module}")
install(FILES "${fortran_module}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/myriad")

# Against the stable ABI: one module for every Python from 3.7 on.
add_library(myriad_python MODULE EXCLUDE_FROM_ALL "${python_gen}/native.c")
target_include_directories(myriad_python SYSTEM PRIVATE "${MYR_PYTHON_INCLUDE}")
target_link_libraries(myriad_python PRIVATE myriad myriad_run)
set_target_properties(myriad_python PROPERTIES PREFIX "" OUTPUT_NAME "_native.abi3" SUFFIX ".so"
    LIBRARY_OUTPUT_DIRECTORY "${python_build}" C_VISIBILITY_PRESET default
    INSTALL_RPATH "$ORIGIN/lib" BUILD_RPATH "${PROJECT_BINARY_DIR}")

file(GLOB python_files CONFIGURE_DEPENDS RELATIVE "${python_source}/myriad"
    "${python_source}/myriad/*.py" "${python_source}/myriad/*.pyi" "${python_source}/myriad/py.typed")
set(python_copies "")
foreach(name IN LISTS python_files)
    add_custom_command(OUTPUT "${python_build}/${name}"
        COMMAND "${CMAKE_COMMAND}" -E copy "${python_source}/myriad/${name}" "${python_build}/${name}"
        DEPENDS "${python_source}/myriad/${name}"
        VERBATIM)
    list(APPEND python_copies "${python_build}/${name}")
endforeach()
add_custom_command(OUTPUT "${python_build}/_native.pyi" "${python_build}/errors.pyi"
    COMMAND "${MYR_PYTHON_EXECUTABLE}" -B "${python_source}/stubs.py" "${python_gen}/declarations.h" "${python_build}"
    DEPENDS "${python_gen}/declarations.h" "${python_source}/stubs.py" "${python_source}/declarations.py"
        "${python_source}/myriad/_core.py"
    COMMENT "Type stubs of Python"
    VERBATIM)
list(APPEND python_copies "${python_build}/_native.pyi" "${python_build}/errors.pyi")
add_custom_target(python DEPENDS myriad_python ${python_copies})
foreach(plugin myriad_cuda myriad_openmpi myriad_mpich myriad_watch)
    if(TARGET ${plugin})
        add_dependencies(python ${plugin})
    endif()
endforeach()

# A wheel takes the module, its stubs and its libraries from here (setup.py).
install(FILES "${python_build}/_native.pyi" "${python_build}/errors.pyi" DESTINATION python/myriad COMPONENT python
    EXCLUDE_FROM_ALL)
install(TARGETS myriad_python LIBRARY DESTINATION python/myriad COMPONENT python EXCLUDE_FROM_ALL)
foreach(library myriad myriad_run myriad_nemo myriad_cuda myriad_openmpi myriad_mpich myriad_watch)
    if(TARGET ${library})
        install(TARGETS ${library} LIBRARY DESTINATION python/myriad/lib COMPONENT python EXCLUDE_FROM_ALL NAMELINK_SKIP)
    endif()
endforeach()
