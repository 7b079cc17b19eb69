# What `cpack -G DEB` makes of an install's components, from a build folder:
#   mpc-runtime    libmpcrt, libmpcranks, the plug-in for GPUs, archives and headers, mpc-run
#   mpc-ranks      the plug-ins by which ranks exchange messages
#   mpc-compiler   the tools of the compiler, libmpcc and its header
#   mpc-doc        pages and examples
# Packages need what their files are linked with (dpkg-shlibdeps), and the
# compiler ld.lld.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME mpc)
set(CPACK_PACKAGE_VENDOR "mpc maintainers")
set(CPACK_PACKAGE_CONTACT "mpc maintainers <maintainers@mpc.invalid>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL runtime ranks docs)
if(MPC_BUILD_COMPILER)
  list(APPEND CPACK_COMPONENTS_ALL compiler)
endif()

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME mpc-runtime)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "runtime of the mpc compiler
Trains compiled models in mixed precision: the library libmpcrt for applications
in C and C++, groups of ranks, and the tool mpc-run.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "mpc-ranks (= ${PROJECT_VERSION})")
# Who trains on one processor needs no MPI.
set(CPACK_DEBIAN_RANKS_PACKAGE_NAME mpc-ranks)
set(CPACK_DEBIAN_RANKS_PACKAGE_DEPENDS "mpc-runtime (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_RANKS_DESCRIPTION "several processes for the mpc runtime
Plug-ins by which ranks exchange messages: Gloo (TCP) and Open MPI.")
set(CPACK_DEBIAN_COMPILER_PACKAGE_NAME mpc-compiler)
# The CMake package and Types.h, which Compiler.h includes, are the runtime's.
set(CPACK_DEBIAN_COMPILER_PACKAGE_DEPENDS "lld-22 | lld, mpc-runtime (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_COMPILER_PACKAGE_SECTION devel)
set(CPACK_COMPONENT_COMPILER_DESCRIPTION "compiler for training in mixed precision
Compiles models to programs that mpc-run and applications train: the tools
mpc-compile, mpc-opt, mpc-reduce and mpc-lsp-server, and the library libmpcc.")
set(CPACK_DEBIAN_DOCS_PACKAGE_NAME mpc-doc)
set(CPACK_DEBIAN_DOCS_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOCS_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DOCS_PACKAGE_SECTION doc)
set(CPACK_COMPONENT_DOCS_DESCRIPTION "documentation and examples of the mpc compiler
Pages, examples, the licence, and the schemas of policy and program files.")

include(CPack)
