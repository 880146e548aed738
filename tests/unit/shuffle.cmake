# test_shuffle.c with the file of the program that it is about.
myr_test_program(test_unit_shuffle "${CMAKE_CURRENT_LIST_DIR}/test_shuffle.c" "${PROJECT_SOURCE_DIR}/runs/input/shuffle.c")
target_include_directories(test_unit_shuffle PRIVATE "${PROJECT_SOURCE_DIR}/runs")
myr_register(unit.shuffle unit test_unit_shuffle)
