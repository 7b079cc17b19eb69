# How every target of the project is built: flags, and the two kinds of room.
#   mpc_library(NAME sources... [PCH header] LINK libs...)  a room of either wing
#   mpc_compiler_library(NAME sources... [PCH header] LINK libs...)  a room on MLIR
#   mpc_tool(NAME sources... LINK libs...)                  an executable in bin/
# PCH: a precompiled header, see MpcPrecompiled.cmake.

add_library(mpc_flags INTERFACE)
# NDEBUG always: Debian's MLIR was built with it, and the size of
# mlir::Pass::Statistic depends on it.
target_compile_definitions(mpc_flags INTERFACE NDEBUG
  $<$<BOOL:${MPC_ENABLE_ASSERTS}>:MPC_ENABLE_ASSERTS>)
target_compile_options(mpc_flags INTERFACE
  "$<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Werror>"
  # GCC 12 sees an overlap in std::string's operator+ (GCC bug 105651).
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
  "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=-Wall,-Wextra,-Werror>")
target_include_directories(mpc_flags INTERFACE ${CMAKE_SOURCE_DIR}/include)
# Generated code is not ours to warn about.
target_include_directories(mpc_flags SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/include)

find_program(MPC_LLD NAMES ld.lld-22 ld.lld)
if(MPC_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_link_options(-fuse-ld=lld)
endif()
find_program(MPC_CCACHE ccache)
if(MPC_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without this ccache takes neither a precompiled header nor what uses one.
  set(launcher ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${MPC_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${launcher})
endif()
if(MPC_ENABLE_SANITIZERS)
  set(flags -fsanitize=${MPC_SANITIZERS} -fno-omit-frame-pointer)
  if(MPC_SANITIZERS MATCHES "undefined")
    # vptr needs type information that Debian's LLVM does not export.
    list(APPEND flags -fno-sanitize=vptr -fno-sanitize-recover=undefined)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      # Looks for a function's type in front of it: there is none in front of a
      # compiled kernel, and no memory where it is the first of its page.
      list(APPEND flags -fno-sanitize=function)
    endif()
  endif()
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:${flags}>")
  add_link_options(-fsanitize=${MPC_SANITIZERS})
  add_library(mpc_sanitizer_options OBJECT cmake/SanitizerOptions.c)
  link_libraries($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:mpc_sanitizer_options>>)
endif()
if(MPC_ENABLE_FUZZING)
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=fuzzer-no-link>")
endif()

include(MpcPrecompiled)

function(mpc_library name)
  cmake_parse_arguments(ARG "" "PCH" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC mpc_flags ${ARG_LINK})
  if(ARG_PCH)
    mpc_use_precompiled(${name} ${ARG_PCH})
  endif()
endfunction()

function(mpc_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE mpc_flags ${ARG_LINK})
  mpc_inherit_precompiled(${name} ${ARG_LINK})
endfunction()

if(MPC_BUILD_COMPILER)
  include(MpcMLIR)
endif()
