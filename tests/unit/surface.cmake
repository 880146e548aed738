# test_surface.c tests a part of the program.
myr_test_program(test_unit_surface "${CMAKE_CURRENT_LIST_DIR}/test_surface.c" "${PROJECT_SOURCE_DIR}/runs/report/surface.c")
target_include_directories(test_unit_surface PRIVATE "${PROJECT_SOURCE_DIR}/runs")
myr_register(unit.surface unit test_unit_surface)
