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

find_package(PkgConfig QUIET)

# xxHash: its header alone, which holds the functions; XXH3 has kept its values since 0.8.
set(MYR_HAVE_XXHASH 0)
if(MYR_USE_XXHASH)
    find_path(MYR_XXHASH_INCLUDE xxhash.h)
    mark_as_advanced(MYR_XXHASH_INCLUDE)
    if(MYR_XXHASH_INCLUDE)
        file(STRINGS "${MYR_XXHASH_INCLUDE}/xxhash.h" lines REGEX "^#define XXH_VERSION_(MAJOR|MINOR)")
        string(REGEX REPLACE "[^0-9;]+" "" lines "${lines}")
        list(JOIN lines "." xxhash_version)
        if(xxhash_version VERSION_GREATER_EQUAL 0.8)
            set(MYR_HAVE_XXHASH 1)
            list(APPEND MYR_FEATURES xxhash)
        endif()
    endif()
endif()

# HDF5: the serial C library; a parallel one would bring MPI into every program. 1.10.7 has H5Pset_file_locking.
set(MYR_HAVE_HDF5 0)
if(MYR_USE_HDF5)
    if(PkgConfig_FOUND)
        pkg_search_module(HDF5 QUIET hdf5-serial>=1.10.7 hdf5>=1.10.7)
        set(MYR_HDF5_INCLUDE ${HDF5_INCLUDE_DIRS})
        set(MYR_HDF5_LIBRARIES ${HDF5_LINK_LIBRARIES})
    endif()
    if(NOT HDF5_FOUND)
        find_package(HDF5 1.10.7 QUIET COMPONENTS C)
        set(MYR_HDF5_INCLUDE ${HDF5_C_INCLUDE_DIRS})
        set(MYR_HDF5_LIBRARIES ${HDF5_C_LIBRARIES})
    endif()
    if(HDF5_FOUND)
        include(CheckCSourceCompiles)
        set(CMAKE_REQUIRED_INCLUDES ${MYR_HDF5_INCLUDE})
        set(CMAKE_REQUIRED_LIBRARIES ${MYR_HDF5_LIBRARIES})
        check_c_source_compiles("#include <hdf5.h>
            #ifdef H5_HAVE_PARALLEL
            #error parallel
            #endif
            int main(void) { return H5open(); }" MYR_HDF5_IS_SERIAL)
        unset(CMAKE_REQUIRED_INCLUDES)
        unset(CMAKE_REQUIRED_LIBRARIES)
        if(MYR_HDF5_IS_SERIAL)
            set(MYR_HAVE_HDF5 1)
            list(APPEND MYR_FEATURES hdf5)
        endif()
    endif()
endif()

# FFTW in double precision; threads are ours (src/method/spectral/fourier.h).
set(MYR_HAVE_FFTW 0)
if(MYR_USE_FFTW AND PkgConfig_FOUND)
    pkg_check_modules(FFTW QUIET IMPORTED_TARGET fftw3>=3.3)
    if(FFTW_FOUND)
        set(MYR_HAVE_FFTW 1)
        list(APPEND MYR_FEATURES fftw)
    endif()
endif()

# libfyaml: the program's input files.
set(MYR_HAVE_FYAML 0)
if(MYR_USE_FYAML AND PkgConfig_FOUND)
    pkg_check_modules(FYAML QUIET IMPORTED_TARGET libfyaml>=0.7)
    if(FYAML_FOUND)
        set(MYR_HAVE_FYAML 1)
    endif()
endif()

# Only the tests use these.
if(MYR_BUILD_TESTS)
    find_package(Threads)
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
