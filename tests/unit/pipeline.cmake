# test_pipeline.c reads a figure of paper 002.
myr_test_program(test_unit_pipeline "${CMAKE_CURRENT_LIST_DIR}/test_pipeline.c")
target_compile_definitions(test_unit_pipeline PRIVATE FIGURES="${PROJECT_SOURCE_DIR}/tests/paper")
myr_register(unit.pipeline unit test_unit_pipeline)
