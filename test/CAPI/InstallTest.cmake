# Installs the runtime, moves the tree, builds examples/embed against it by
# find_package and by pkg-config, and runs both.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_line)
  run(${ARGN} ${PROGRAM} 300)
  if(NOT output MATCHES "t = 3.000 x \\+ -1.000")
    message(FATAL_ERROR "unexpected output: ${output}")
  endif()
endfunction()

set(folder ${BUILD}/test/install)
file(REMOVE_RECURSE ${folder})
run(${CMAKE_COMMAND} --install ${BUILD} --component runtime --prefix ${folder}/first)
file(RENAME ${folder}/first ${folder}/moved)

run(${CMAKE_COMMAND} -S ${EXAMPLE} -B ${folder}/build -DCMAKE_PREFIX_PATH=${folder}/moved)
run(${CMAKE_COMMAND} --build ${folder}/build)
expect_line(${folder}/build/train)

find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  file(GLOB_RECURSE pc ${folder}/moved/*/mpc.pc)
  run(${PKG_CONFIG} --cflags --libs ${pc})
  separate_arguments(flags UNIX_COMMAND "${output}")
  run(c++ -std=c++17 ${EXAMPLE}/Train.cpp -o ${folder}/train ${flags})
  file(GLOB_RECURSE library ${folder}/moved/*/libmpcrt.so)
  cmake_path(GET library PARENT_PATH library)
  expect_line(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${library} ${folder}/train)
endif()
