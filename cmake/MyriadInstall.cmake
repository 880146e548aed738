# Headers, libraries, the program, the CMake package (find_package(Myriad) -> Myriad::myriad) and pkg-config files.
# Components are the packages of MyriadPackages.cmake; an install without a component has them all.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)

set(myr_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Myriad")

install(DIRECTORY include/myriad DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(TARGETS myriad myriad_run EXPORT MyriadTargets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT development ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(TARGETS myriad_nemo LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime)
# Apart from the shared one: only users of the static library need OpenMP at link time.
install(TARGETS myriad_static EXPORT MyriadStaticTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(TARGET myriad_cli)
    install(TARGETS myriad_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
endif()
# The program writes its man page and shell completions; one built for another machine cannot be run here.
if(TARGET myriad_cli AND NOT CMAKE_CROSSCOMPILING)
    set(shell_dir "${MYR_GEN}/shell")
    file(MAKE_DIRECTORY "${shell_dir}")
    set(shell_files "${shell_dir}/myriad.1" "${shell_dir}/myriad" "${shell_dir}/_myriad" "${shell_dir}/myriad.fish")
    add_custom_command(OUTPUT ${shell_files} DEPENDS myriad_cli VERBATIM
        COMMAND myriad_cli manual > "${shell_dir}/myriad.1"
        COMMAND myriad_cli completion bash > "${shell_dir}/myriad"
        COMMAND myriad_cli completion zsh > "${shell_dir}/_myriad"
        COMMAND myriad_cli completion fish > "${shell_dir}/myriad.fish"
        COMMENT "Man page and shell completions")
    add_custom_target(myriad_shell ALL DEPENDS ${shell_files})
    install(FILES "${shell_dir}/myriad.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT program)
    install(FILES "${shell_dir}/myriad" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT program)
    install(FILES "${shell_dir}/_myriad" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" COMPONENT program)
    install(FILES "${shell_dir}/myriad.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" COMPONENT program)
endif()
install(TARGETS ${MYR_DROP_INS} EXPORT MyriadTargets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT development ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY bindings/cunbody/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/cunbody" FILES_MATCHING PATTERN "cunbody*.h")
install(FILES bindings/grape/g5.h bindings/grape/g5_fortran.h bindings/grape/g6.h bindings/grape/g6_fortran.h
    bindings/grape/sapporo.h bindings/grape/gpunb.h
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/grape")
# All pages and what they link to, in the folders of the links.
install(FILES LICENSE README.md CHANGELOG.md CITATION.cff CONTRIBUTING.md SECURITY.md
    DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs examples DESTINATION "${CMAKE_INSTALL_DOCDIR}")

install(EXPORT MyriadTargets NAMESPACE Myriad:: DESTINATION "${myr_package_dir}")
install(EXPORT MyriadStaticTargets NAMESPACE Myriad:: DESTINATION "${myr_package_dir}")
configure_package_config_file(cmake/MyriadConfig.cmake.in "${MYR_GEN}/install/MyriadConfig.cmake"
    INSTALL_DESTINATION "${myr_package_dir}")
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file("${MYR_GEN}/install/MyriadConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${MYR_GEN}/install/MyriadConfig.cmake" "${MYR_GEN}/install/MyriadConfigVersion.cmake"
    DESTINATION "${myr_package_dir}")

set(MYR_PC_PRIVATE "")
if(MYR_HAVE_OPENMP)
    string(APPEND MYR_PC_PRIVATE "${OpenMP_C_FLAGS} ")
endif()
if(MYR_LIBM)
    string(APPEND MYR_PC_PRIVATE "-l${MYR_LIBM}")
endif()
if(MYR_HAVE_HDF5)
    list(JOIN MYR_HDF5_LIBRARIES " " hdf5)
    string(APPEND MYR_PC_PRIVATE " ${hdf5}")
endif()
if(MYR_HAVE_FFTW)
    list(JOIN FFTW_LINK_LIBRARIES " " fftw)
    string(APPEND MYR_PC_PRIVATE " ${fftw}")
endif()
# Relative to the file itself, so that an installed tree may be moved.
file(RELATIVE_PATH MYR_PC_PREFIX "/x/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/x")
string(REGEX REPLACE "/$" "" MYR_PC_PREFIX "${MYR_PC_PREFIX}")
foreach(name IN ITEMS myriad myriad_run cunbody cunbody_jerk cunbody_api g5 g6 sapporo_light gpunb)
    configure_file("cmake/${name}.pc.in" "${MYR_GEN}/install/${name}.pc" @ONLY)
    install(FILES "${MYR_GEN}/install/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
