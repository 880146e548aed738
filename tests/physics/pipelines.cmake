# test_pipelines.c reads the pipelines of examples/.
myr_test_program(test_physics_pipelines "${CMAKE_CURRENT_LIST_DIR}/test_pipelines.c")
target_compile_definitions(test_physics_pipelines PRIVATE PIPELINES="${PROJECT_SOURCE_DIR}/examples/pipelines")
myr_register(physics.pipelines physics test_physics_pipelines)
