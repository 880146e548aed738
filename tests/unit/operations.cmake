# test_operations.c counts instructions as `myriad bench` does. Sanitizers add instructions of their own.
if(NOT MYR_SANITIZE)
    myr_test_program(test_unit_operations "${CMAKE_CURRENT_LIST_DIR}/test_operations.c"
        "${PROJECT_SOURCE_DIR}/cli/bench/instruction_count.c")
    target_include_directories(test_unit_operations PRIVATE "${PROJECT_SOURCE_DIR}/cli")
    myr_register(unit.operations unit test_unit_operations)
endif()
