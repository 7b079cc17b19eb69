# What `cmake --install` installs, in four components:
#   runtime   libmpcrt.so, libmpcranks.so, the static archives, the C and C++
#             headers, a CMake package (find_package(mpc CONFIG)), mpc.pc and
#             mpc-ranks.pc, and mpc-run
#               mpc::mpcrt         the shared library
#               mpc::mpcrt_static  the same as archives
#               mpc::mpcranks      groups of ranks, beside mpc::mpcrt
#               mpc::train         training on it, an archive
#             and, where it is built, libmpcrt_cuda.so beside libmpcrt.so, which
#             loads it
#   ranks     libmpcrt_gloo.so and libmpcrt_mpi.so beside them, by which ranks
#             exchange messages: apart, since they need Gloo and an MPI
#   compiler  mpc-compile, mpc-opt, mpc-lsp-server, mpc-reduce, and libmpcc.so with
#             its header and mpc-compiler.pc, for applications that compile while
#             they run
#               mpc::mpcc          the shared library; where the component is not
#                                  installed, the package has no such target
#   docs      the pages, the examples, the licence; the schemas of policy and
#             program files
# A tool's manual page and completion for bash come with it (MpcManPages.cmake).
# The whole tree may be moved: nothing in it knows its own place.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Ours lie beside a tool; those of others (MLIR's, oneDNN's) where they were
# linked, if the loader does not look there by itself.
file(RELATIVE_PATH lib_from_bin "/p/${CMAKE_INSTALL_BINDIR}" "/p/${CMAKE_INSTALL_LIBDIR}")
function(mpc_install_tools component)
  set_target_properties(${ARGN} PROPERTIES INSTALL_RPATH "$ORIGIN/${lib_from_bin}"
    INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS ${ARGN} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${component})
endfunction()

# ---- runtime

set(archives MPCCAPI MPCBoundary MPCRuntime MPCCollectives MPCData MPCProgram MPCSupport MPCRanks MPCTrain)
set_target_properties(mpcrt PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS mpcrt mpcranks EXPORT mpcTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
if(TARGET mpcrt_cuda)
  install(TARGETS mpcrt_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
endif()
install(TARGETS mpcrt_gloo mpcrt_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ranks)
install(DIRECTORY include/mpc-c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT runtime
  PATTERN Compiler.h* EXCLUDE)
install(DIRECTORY include/mpc/Train DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mpc COMPONENT runtime)
foreach(archive ${archives})
  install(FILES $<TARGET_FILE:${archive}> DESTINATION ${CMAKE_INSTALL_LIBDIR}/mpc
    COMPONENT runtime)
endforeach()
mpc_install_tools(runtime mpc-run)

set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/mpc)
install(EXPORT mpcTargets NAMESPACE mpc:: DESTINATION ${folder} COMPONENT runtime)
configure_package_config_file(cmake/mpcConfig.cmake.in ${CMAKE_BINARY_DIR}/mpcConfig.cmake
  INSTALL_DESTINATION ${folder} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/mpcConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/mpcConfig.cmake ${CMAKE_BINARY_DIR}/mpcConfigVersion.cmake
  DESTINATION ${folder} COMPONENT runtime)

# Relative to the file itself.
file(RELATIVE_PATH up "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/p")
string(REGEX REPLACE "/$" "" up "${up}")
foreach(package mpc mpc-ranks mpc-compiler)
  configure_file(cmake/${package}.pc.in ${CMAKE_BINARY_DIR}/${package}.pc @ONLY)
endforeach()
install(FILES ${CMAKE_BINARY_DIR}/mpc.pc ${CMAKE_BINARY_DIR}/mpc-ranks.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT runtime)

# ---- compiler

if(MPC_BUILD_COMPILER)
  mpc_install_tools(compiler mpc-compile mpc-opt mpc-lsp-server mpc-reduce)
  set_target_properties(mpcc PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS mpcc EXPORT mpcCompilerTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT compiler)
  install(EXPORT mpcCompilerTargets NAMESPACE mpc:: DESTINATION ${folder} COMPONENT compiler)
  install(FILES include/mpc-c/Compiler.h include/mpc-c/Compiler.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mpc-c COMPONENT compiler)
  install(FILES ${CMAKE_BINARY_DIR}/mpc-compiler.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT compiler)
endif()

# ---- docs

# As they lie here, so that links between them hold.
set(docs ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md LICENSE CHANGELOG.md CONTRIBUTING.md SECURITY.md DESTINATION ${docs} COMPONENT docs)
install(DIRECTORY docs examples DESTINATION ${docs} COMPONENT docs
  PATTERN __pycache__ EXCLUDE)
install(FILES include/mpc/Program/Program.fbs DESTINATION ${docs}/include/mpc/Program COMPONENT docs)
install(FILES docs/policy.schema.json include/mpc/Program/Program.fbs
  DESTINATION ${CMAKE_INSTALL_DATADIR}/mpc COMPONENT docs)
