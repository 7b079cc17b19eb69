# Tests: GoogleTest binaries, and lit over test/.
#   mpc_test(NAME sources... LINK libs... [SHARDS n])   a GoogleTest binary known to ctest; of a long one, parts of
#                                                       its cases are tests that run beside each other
#   mpc_runs_alone(tests...)                            of tests with deadlines, or that take all processors themselves

find_package(GTest REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(mpc_test name)
  cmake_parse_arguments(ARG "" "SHARDS" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE mpc_flags ${ARG_LINK} GTest::gtest GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/bin)
  if(ARG_SHARDS)
    math(EXPR last "${ARG_SHARDS} - 1")
    foreach(shard RANGE ${last})
      add_test(NAME ${name}_${shard} COMMAND ${name})
      set_tests_properties(${name}_${shard} PROPERTIES
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${shard}")
    endforeach()
  else()
    add_test(NAME ${name} COMMAND ${name})
  endif()
  mpc_inherit_precompiled(${name} ${ARG_LINK})
endfunction()

function(mpc_runs_alone)
  set_tests_properties(${ARGN} PROPERTIES RUN_SERIAL TRUE)
endfunction()
