# Optional dependencies, and the line that tells what the library was built with (myr_version_build).

set(MYR_HAVE_OPENMP 0)
set(MYR_FEATURES "")

if(MYR_USE_OPENMP)
    find_package(OpenMP COMPONENTS C)
    if(OpenMP_C_FOUND)
        set(MYR_HAVE_OPENMP 1)
        list(APPEND MYR_FEATURES openmp)
    endif()
endif()

find_library(MYR_LIBM m)
if(NOT MYR_LIBM)
    set(MYR_LIBM "")
else()
    set(MYR_LIBM m)
endif()

# Only the tests use these.
if(MYR_BUILD_TESTS)
    find_package(Threads)
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
        pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
        pkg_check_modules(MPFR IMPORTED_TARGET mpfr)
    endif()
endif()

string(REPLACE ";" " " MYR_FEATURES_TEXT "${MYR_FEATURES}")
string(REPLACE ";" " " MYR_ISAS_TEXT "${MYR_ISAS}")
set(MYR_BUILD_KIND "${CMAKE_BUILD_TYPE}")
if(MYR_SANITIZE)
    string(APPEND MYR_BUILD_KIND " (${MYR_SANITIZE})")
endif()
if(MYR_FEATURES_TEXT)
    set(MYR_FEATURES_NOTE ", ${MYR_FEATURES_TEXT}")
endif()
set(MYR_BUILD_TEXT "${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}, ${MYR_BUILD_KIND}${MYR_FEATURES_NOTE}")
set_source_files_properties("${PROJECT_SOURCE_DIR}/src/core/version.c" PROPERTIES
    COMPILE_DEFINITIONS "MYR_BUILD_TEXT=\"${MYR_BUILD_TEXT}\"")
