# Finds LLVM/MLIR 22.1 and links it through its two shared libraries only.

# MLIR tells traits apart by the compiler's spelling of their type's name, and
# libMLIR.so was built by Clang: under g++ no pass of the library would know that
# graph.constant is a constant, and canonicalization would not end.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR
    "mpc's compiler needs Clang, as Debian's libMLIR.so was built by it, but got ${CMAKE_CXX_COMPILER_ID} "
    "(${CMAKE_CXX_COMPILER}).\n"
    "Use -DCMAKE_CXX_COMPILER=clang++-22, or build the runtime alone with -DMPC_BUILD_COMPILER=OFF.")
endif()

set(MLIR_DIR /usr/lib/llvm-22/lib/cmake/mlir CACHE PATH "where MLIRConfig.cmake is")
set(_asked ${MLIR_DIR}) # find_package overwrites it
# Only there: another MLIR than the one asked for must not slip in.
find_package(MLIR 22.1 CONFIG QUIET NO_DEFAULT_PATH)
if(NOT MLIR_FOUND)
  set(MLIR_DIR ${_asked} CACHE PATH "where MLIRConfig.cmake is" FORCE)
  set(_found "none")
  if(MLIR_CONSIDERED_VERSIONS)
    set(_found ${MLIR_CONSIDERED_VERSIONS})
  endif()
  message(FATAL_ERROR
    "mpc needs LLVM/MLIR 22.1, found: ${_found} in ${MLIR_DIR}.\n"
    "Install the packages llvm-22-dev libmlir-22-dev mlir-22-tools (scripts/setup does), "
    "set -DMLIR_DIR, or build the runtime alone with -DMPC_BUILD_COMPILER=OFF.")
endif()
if(NOT TARGET MLIR OR NOT TARGET LLVM)
  message(FATAL_ERROR "mpc links MLIR through libMLIR.so and libLLVM.so, which "
    "${MLIR_DIR} does not provide. Install the package libmlir-22-dev.")
endif()

list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# mpc_tablegen(target td out:generator[:flag...] ...): runs mlir-tblgen on `td` of
# this folder once for each output. Declarations of ops lose their comments.
function(mpc_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  foreach(pair ${ARGN})
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 out)
    list(SUBLIST pair 1 -1 flags)
    if(NOT flags MATCHES "-gen-op-(interface-)?decls")
      mlir_tablegen(${out} ${flags})
    else()
      mlir_tablegen(${out}.full ${flags})
      add_custom_command(OUTPUT ${out}
        COMMAND ${CMAKE_COMMAND} -DFROM=${out}.full -DTO=${out} -P ${PROJECT_SOURCE_DIR}/cmake/StripComments.cmake
        DEPENDS ${out}.full ${PROJECT_SOURCE_DIR}/cmake/StripComments.cmake VERBATIM)
      list(APPEND TABLEGEN_OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${out})
    endif()
  endforeach()
  add_public_tablegen_target(${target})
  set_property(GLOBAL APPEND PROPERTY MPC_TABLEGEN_TARGETS ${target})
endfunction()

function(mpc_compiler_library name)
  cmake_parse_arguments(ARG "" "PCH" "" ${ARGN})
  if(NOT ARG_PCH)
    set(ARG_PCH mlir)
  endif()
  mpc_library(${name} ${ARG_UNPARSED_ARGUMENTS} PCH ${ARG_PCH})
  get_property(tablegen GLOBAL PROPERTY MPC_TABLEGEN_TARGETS)
  add_dependencies(${name} ${tablegen})
  target_include_directories(${name} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_link_libraries(${name} PUBLIC MLIR LLVM)
endfunction()

include_directories(${CMAKE_SOURCE_DIR}/include) # for mlir-tblgen
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
add_subdirectory(${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include)
