# test_field.c makes files with the HDF5 library itself.
if(MYR_HAVE_HDF5)
    myr_test_program(test_unit_field "${CMAKE_CURRENT_SOURCE_DIR}/unit/test_field.c")
    target_include_directories(test_unit_field SYSTEM PRIVATE ${MYR_HDF5_INCLUDE})
    target_link_libraries(test_unit_field PRIVATE ${MYR_HDF5_LIBRARIES})
    myr_register(unit.field unit test_unit_field)
endif()
