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

# A program for a GPU: the application finds the plug-in beside the library,
# wherever the tree was moved to. `found` receives what it says.
function(ask_for_device)
  execute_process(COMMAND ${folder}/build/train ${CUDA_PROGRAM} 1 RESULT_VARIABLE result
    ERROR_VARIABLE found)
  set(found "${found}" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE library ${folder}/moved/*/libmpcrt.so)
cmake_path(GET library PARENT_PATH library)
ask_for_device()
if(HAS_PLUGIN AND (NOT EXISTS ${library}/libmpcrt_cuda.so OR
    found MATCHES "could not be loaded|expected version"))
  message(FATAL_ERROR "expected the plug-in of the install to be loaded, but got: ${found}")
elseif(NOT HAS_PLUGIN AND NOT found MATCHES
    "plug-in 'libmpcrt_cuda.so': could not be loaded: .* \\(it is not in '${library}/', so")
  message(FATAL_ERROR "expected to hear that there is no plug-in, but got: ${found}")
endif()
file(COPY_FILE ${FAKE_PLUGIN} ${library}/libmpcrt_cuda.so)
ask_for_device()
if(NOT found MATCHES "input 'x': expected 256 bytes for 16x4xf32, but got 128")
  message(FATAL_ERROR "expected the plug-in beside the library to run, but got: ${found}")
endif()

find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  file(GLOB_RECURSE pc ${folder}/moved/*/mpc.pc)
  run(${PKG_CONFIG} --cflags --libs ${pc})
  separate_arguments(flags UNIX_COMMAND "${output}")
  run(c++ -std=c++17 ${EXAMPLE}/Train.cpp -o ${folder}/train ${flags})
  expect_line(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${library} ${folder}/train)
endif()
