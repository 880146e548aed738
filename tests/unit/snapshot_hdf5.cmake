# test_snapshot_hdf5.c makes files with the HDF5 library itself.
if(MYR_HAVE_HDF5)
    myr_test_program(test_unit_snapshot_hdf5 "${CMAKE_CURRENT_SOURCE_DIR}/unit/test_snapshot_hdf5.c")
    target_include_directories(test_unit_snapshot_hdf5 SYSTEM PRIVATE ${MYR_HDF5_INCLUDE})
    target_link_libraries(test_unit_snapshot_hdf5 PRIVATE ${MYR_HDF5_LIBRARIES})
    myr_register(unit.snapshot_hdf5 unit test_unit_snapshot_hdf5)
endif()
