# Installs the runtime for applications: libmpcrt.so, the static archives, the
# C and C++ headers, a CMake package (find_package(mpc CONFIG)) and mpc.pc.
#   mpc::mpcrt         the shared library
#   mpc::mpcrt_static  the same as archives
# and, where it is built, libmpcrt_cuda.so beside libmpcrt.so, which loads it.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(archives MPCCAPI MPCRuntime MPCCollectives MPCProgram MPCSupport)
install(TARGETS mpcrt EXPORT mpcTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
if(TARGET mpcrt_cuda)
  install(TARGETS mpcrt_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
endif()
install(FILES include/mpc-c/Runtime.h include/mpc-c/Runtime.hpp
  include/mpc-c/Status.hpp include/mpc-c/StepReport.h include/mpc-c/StepReport.hpp include/mpc-c/Types.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mpc-c COMPONENT runtime)
foreach(archive ${archives})
  install(FILES $<TARGET_FILE:${archive}> DESTINATION ${CMAKE_INSTALL_LIBDIR}/mpc
    COMPONENT runtime)
endforeach()

set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/mpc)
install(EXPORT mpcTargets NAMESPACE mpc:: DESTINATION ${folder} COMPONENT runtime)
configure_package_config_file(cmake/mpcConfig.cmake.in ${CMAKE_BINARY_DIR}/mpcConfig.cmake
  INSTALL_DESTINATION ${folder} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/mpcConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/mpcConfig.cmake ${CMAKE_BINARY_DIR}/mpcConfigVersion.cmake
  DESTINATION ${folder} COMPONENT runtime)

# Relative to the file itself: the whole install may be moved.
file(RELATIVE_PATH up "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/p")
configure_file(cmake/mpc.pc.in ${CMAKE_BINARY_DIR}/mpc.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/mpc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT runtime)
