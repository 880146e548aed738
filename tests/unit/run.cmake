# test_run.c with the library of runs.
if(TARGET myriad_run AND MYR_HAVE_FYAML)
    add_executable(test_unit_run "${CMAKE_CURRENT_LIST_DIR}/test_run.c")
    target_compile_options(test_unit_run PRIVATE ${MYR_COMMON_FLAGS} ${MYR_WARNING_FLAGS})
    target_include_directories(test_unit_run PRIVATE "${PROJECT_SOURCE_DIR}/tests")
    target_link_libraries(test_unit_run PRIVATE myriad_run PkgConfig::CMOCKA Threads::Threads ${MYR_LIBM})
    myr_register(unit.run unit test_unit_run)
endif()
