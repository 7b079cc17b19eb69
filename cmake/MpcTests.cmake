# Tests: GoogleTest binaries, and lit over test/.
#   mpc_test(NAME sources... LINK libs...)   a GoogleTest binary known to ctest

find_package(GTest REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(mpc_test name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE mpc_flags ${ARG_LINK} GTest::gtest GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/bin)
  add_test(NAME ${name} COMMAND ${name})
  mpc_inherit_precompiled(${name} ${ARG_LINK})
endfunction()
