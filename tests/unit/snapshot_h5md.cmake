# test_snapshot_h5md.c makes files with the HDF5 library itself.
if(MYR_HAVE_HDF5)
    myr_test_program(test_unit_snapshot_h5md "${CMAKE_CURRENT_SOURCE_DIR}/unit/test_snapshot_h5md.c")
    target_include_directories(test_unit_snapshot_h5md SYSTEM PRIVATE ${MYR_HDF5_INCLUDE})
    target_link_libraries(test_unit_snapshot_h5md PRIVATE ${MYR_HDF5_LIBRARIES})
    myr_register(unit.snapshot_h5md unit test_unit_snapshot_h5md)
endif()
