# test_markup.c calls a function of the report.
if(TARGET myriad_runs)
    myr_test_program(test_unit_markup "${CMAKE_CURRENT_LIST_DIR}/test_markup.c")
    target_link_libraries(test_unit_markup PRIVATE myriad_runs)
    myr_register(unit.markup unit test_unit_markup)
endif()
