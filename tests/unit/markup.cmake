# test_markup.c calls a function of the program's report.
if(TARGET myriad_program)
    myr_test_program(test_unit_markup "${CMAKE_CURRENT_LIST_DIR}/test_markup.c")
    target_link_libraries(test_unit_markup PRIVATE myriad_program)
    myr_register(unit.markup unit test_unit_markup)
endif()
