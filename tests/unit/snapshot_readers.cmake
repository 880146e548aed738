# Readers that others wrote open our snapshots: unit.snapshot_<reader>; skipped, with a message, where one is not installed.
add_executable(snapshot_readers "${CMAKE_CURRENT_SOURCE_DIR}/unit/snapshot_readers.c")
target_compile_options(snapshot_readers PRIVATE ${MYR_COMMON_FLAGS} ${MYR_WARNING_FLAGS})
target_link_libraries(snapshot_readers PRIVATE Myriad::myriad ${MYR_LIBM})
foreach(reader numpy h5py yt pynbody vtk ase MDAnalysis lmp)
    myr_register(unit.snapshot_${reader} unit sh "${CMAKE_CURRENT_SOURCE_DIR}/unit/snapshot_readers.sh"
        $<TARGET_FILE:snapshot_readers> ${reader})
endforeach()
