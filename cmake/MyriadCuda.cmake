# The plug-in for NVIDIA GPUs, libmyriad_cuda.so, where the CUDA toolkit is found: its runtime (linked in) and NVRTC, which
# compiles the loops on the machine that runs them. The plug-in itself is plain C.
set(hints HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda)
find_path(MYR_CUDA_INCLUDE cuda_runtime_api.h ${hints} PATH_SUFFIXES include)
find_path(MYR_NVRTC_INCLUDE nvrtc.h ${hints} PATH_SUFFIXES include)
find_library(MYR_CUDART cudart_static ${hints} PATH_SUFFIXES lib64 lib)
find_library(MYR_NVRTC nvrtc ${hints} PATH_SUFFIXES lib64 lib)
mark_as_advanced(MYR_CUDA_INCLUDE MYR_NVRTC_INCLUDE MYR_CUDART MYR_NVRTC)

set(MYR_HAVE_CUDA 0)
if(MYR_CUDA_INCLUDE AND MYR_NVRTC_INCLUDE AND MYR_CUDART AND MYR_NVRTC)
    file(STRINGS "${MYR_CUDA_INCLUDE}/cuda_runtime_api.h" line REGEX "^#define CUDART_VERSION")
    string(REGEX REPLACE "[^0-9]" "" cuda_version "${line}")
    if(cuda_version GREATER_EQUAL 13000)
        set(MYR_HAVE_CUDA 1)
    else()
        message(STATUS "CUDA ${cuda_version} is older than 13.0: no GPU plug-in")
    endif()
endif()

if(MYR_HAVE_CUDA)
    file(GLOB cuda_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/backend/cuda/*.c")
    find_package(Threads REQUIRED)
    get_filename_component(nvrtc_dir "${MYR_NVRTC}" DIRECTORY)
    add_library(myriad_cuda MODULE ${cuda_sources})
    add_dependencies(myriad_cuda cuda_abi myriad) # the texts of its programs are in the library
    target_include_directories(myriad_cuda PRIVATE "${MYR_GEN}" src include)
    target_include_directories(myriad_cuda SYSTEM PRIVATE "${MYR_CUDA_INCLUDE}" "${MYR_NVRTC_INCLUDE}")
    target_compile_options(myriad_cuda PRIVATE ${MYR_COMMON_FLAGS} ${MYR_WARNING_FLAGS} ${MYR_STRICT_FLAGS})
    target_link_libraries(myriad_cuda PRIVATE "${MYR_CUDART}" "${MYR_NVRTC}" Threads::Threads rt ${CMAKE_DL_LIBS}
        ${MYR_LIBM})
    if(NOT APPLE)
        target_link_options(myriad_cuda PRIVATE "LINKER:-soname,libmyriad_cuda.so")
    endif()
    set_target_properties(myriad_cuda PROPERTIES C_VISIBILITY_PRESET hidden
        LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}" BUILD_RPATH "${nvrtc_dir}" INSTALL_RPATH "${nvrtc_dir}")
    myr_export_list(myriad_cuda "${PROJECT_SOURCE_DIR}/cmake/cuda.map")
    install(TARGETS myriad_cuda LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT cuda)
endif()
