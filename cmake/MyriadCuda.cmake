# A build check: the headers of lanes, kernels and accumulators also compile under nvcc, because the CUDA backend will
# include them. No CUDA language support is needed for that, only the compiler.
find_program(MYR_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
set(headers_cu "${PROJECT_SOURCE_DIR}/tests/gpu/headers.cu")
if(MYR_NVCC AND EXISTS "${headers_cu}")
    set(cuda_objects "")
    foreach(arithmetic IN LISTS MYR_ARITHMETICS)
        list(FIND MYR_ARITHMETICS ${arithmetic} number)
        set(object "${PROJECT_BINARY_DIR}/cuda_headers_${arithmetic}.o")
        add_custom_command(OUTPUT "${object}"
            COMMAND "${MYR_NVCC}" -std=c++20 -arch=sm_90 -fmad=false -Xcudafe --display_error_number -Werror all-warnings
                    -DMYR_ARITH=${number} "-I${MYR_GEN}" "-I${PROJECT_SOURCE_DIR}/src" "-I${PROJECT_SOURCE_DIR}/include"
                    -MD -MF "${object}.d" -c "${headers_cu}" -o "${object}"
            DEPENDS "${headers_cu}" "${MYR_GEN}/kernel/headers.h" "${MYR_GEN}/accumulator/headers.h"
            DEPFILE "${object}.d"
            COMMENT "Formula headers under nvcc, ${arithmetic} arithmetic"
            VERBATIM)
        list(APPEND cuda_objects "${object}")
    endforeach()
    add_custom_target(cuda_headers_check ALL DEPENDS ${cuda_objects})
endif()
