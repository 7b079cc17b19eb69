# Installs the runtime, moves the tree, builds examples/embed against it by
# find_package and by pkg-config, and runs both; builds examples/train, and runs
# it beside mpc-run. Then installs everything, and works with what is installed
# alone.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_line)
  run(${ARGN} 300)
  if(NOT output MATCHES "t = 3.000 x \\+ -1.000")
    message(FATAL_ERROR "unexpected output: ${output}")
  endif()
endfunction()

# `found` receives the files of a component, by name.
function(install_component name)
  run(${CMAKE_COMMAND} --install ${BUILD} --component ${name} --prefix ${folder}/${name})
  file(GLOB_RECURSE found RELATIVE ${folder}/${name} ${folder}/${name}/*)
  set(found "${found}" PARENT_SCOPE)
endfunction()

function(expect_files present)
  foreach(file ${ARGN})
    if(present AND NOT file IN_LIST found OR NOT present AND file IN_LIST found)
      message(FATAL_ERROR "expected ${file} to be in the component: ${present}; found ${found}")
    endif()
  endforeach()
endfunction()

set(folder ${BUILD}/test/install)
file(REMOVE_RECURSE ${folder})
install_component(runtime)
expect_files(TRUE bin/mpc-run include/mpc-c/Runtime.h include/mpc-c/Runtime.hpp include/mpc-c/DLPack.hpp include/mpc/Train/Train.h
  include/mpc-c/Ranks.h include/mpc-c/Ranks.hpp
  share/man/man1/mpc-run.1 share/bash-completion/completions/mpc-run)
expect_files(FALSE bin/mpc-compile bin/mpc-opt share/man/man1/mpc-compile.1 include/mpc-c/Compiler.h include/mpc-c/Compiler.hpp)
file(RENAME ${folder}/runtime ${folder}/moved)
file(GLOB_RECURSE library ${folder}/moved/*/libmpcrt.so)
cmake_path(GET library PARENT_PATH library)
if(found MATCHES "libmpcrt_(gloo|mpi)")
  message(FATAL_ERROR "expected no plug-ins that need an MPI in the runtime, but got ${found}")
endif()

# The tool finds its library in the tree that was moved, and in no other.
unset(ENV{LD_LIBRARY_PATH})
unset(ENV{MPC_CUDA_PLUGIN})
run(${CMAKE_COMMAND} -E env LD_DEBUG=libs ${folder}/moved/bin/mpc-run info ${PROGRAM})
string(REGEX MATCH "calling init: ([^\n]*/libmpcrt.so[^\n]*)" place "${output}")
file(REAL_PATH "${CMAKE_MATCH_1}" loaded)
cmake_path(IS_PREFIX library "${loaded}" is_installed)
if(NOT is_installed)
  message(FATAL_ERROR "expected mpc-run to load ${library}/libmpcrt.so, but got: ${output}")
endif()

run(${CMAKE_COMMAND} -S ${EXAMPLES}/embed -B ${folder}/build -DCMAKE_PREFIX_PATH=${folder}/moved
  -DMPC_COMPILE=)
run(${CMAKE_COMMAND} --build ${folder}/build)
expect_line(${folder}/build/train ${PROGRAM})
expect_line(${folder}/build/train-in-c ${PROGRAM})
run(${folder}/build/train-ranks ${PROGRAM} 100 ${folder}/ranks.safetensors)
if(NOT output MATCHES "^1 rank, by no launcher\nstep 100 loss ")
  message(FATAL_ERROR "unexpected output of one rank: ${output}")
endif()

# What mpc-run train does, an application does: the same data in the same order
# give the same file.
set(data ${folder}/data)
file(MAKE_DIRECTORY ${data})
run(${TOY} ${data}/toy.mpcx)
run(${PYTHON} ${MAKE_DATA} ${data})
run(${CMAKE_COMMAND} -S ${EXAMPLES}/train -B ${folder}/build-train -DCMAKE_PREFIX_PATH=${folder}/moved)
run(${CMAKE_COMMAND} --build ${folder}/build-train)
run(${folder}/build-train/train-digits ${data}/toy.mpcx ${data}/x.npy ${data}/label.npy ${data}/ours)
if(NOT output MATCHES "^trained 15 steps in ")
  message(FATAL_ERROR "expected a summary of 15 steps, but got: ${output}")
endif()
run(${folder}/moved/bin/mpc-run train ${data}/toy.mpcx --input x=${data}/x.npy
  --input label=${data}/label.npy --epochs 3 --save ${data}/theirs)
run(${CMAKE_COMMAND} -E compare_files ${data}/ours ${data}/theirs)
execute_process(COMMAND ${folder}/build-train/train-digits ${data}/toy.mpcx ${data}/no.npy
  ${data}/label.npy ${data}/ours RESULT_VARIABLE result ERROR_VARIABLE error)
if(NOT result EQUAL 1 OR NOT error MATCHES "^train: .*no.npy")
  message(FATAL_ERROR "expected to hear that there is no no.npy, but got ${result}: ${error}")
endif()

# A program for a GPU: the application finds the plug-in beside the library,
# wherever the tree was moved to. `found` receives what it says.
function(ask_for_device)
  execute_process(COMMAND ${folder}/build/train ${CUDA_PROGRAM} 1 RESULT_VARIABLE result
    ERROR_VARIABLE found)
  set(found "${found}" PARENT_SCOPE)
endfunction()

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
  if(output MATCHES "[^:]//")
    message(FATAL_ERROR "expected paths with single slashes, but got: ${output}")
  endif()
  separate_arguments(flags UNIX_COMMAND "${output}")
  run(c++ -std=c++17 ${EXAMPLES}/embed/Train.cpp -o ${folder}/train ${flags})
  expect_line(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${library} ${folder}/train ${PROGRAM})
  cmake_path(GET pc PARENT_PATH packages)
  run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${packages} ${PKG_CONFIG} --cflags --libs mpc-ranks)
  separate_arguments(flags UNIX_COMMAND "${output}")
  run(c++ -std=c++17 ${EXAMPLES}/embed/TrainRanks.cpp -o ${folder}/train-ranks ${flags})
  expect_line(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${library} ${folder}/train-ranks ${PROGRAM})
endif()

install_component(docs)
expect_files(TRUE share/doc/mpc/README.md share/doc/mpc/LICENSE share/doc/mpc/CHANGELOG.md share/doc/mpc/docs/Ops.md
  share/doc/mpc/examples/digits/data/train-images.npy share/mpc/policy.schema.json
  share/mpc/Program.fbs)
expect_files(FALSE bin/mpc-run)

if(NOT HAS_COMPILER)
  return()
endif()
install_component(compiler)
expect_files(TRUE bin/mpc-compile bin/mpc-opt bin/mpc-lsp-server bin/mpc-reduce include/mpc-c/Compiler.h include/mpc-c/Compiler.hpp
  share/man/man1/mpc-compile.1 share/bash-completion/completions/mpc-opt)
expect_files(FALSE bin/mpc-run share/man/man1/mpc-run.1 share/doc/mpc/README.md)

# All of it, moved: the tools run, and an application compiles its model.
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${folder}/first)
file(RENAME ${folder}/first ${folder}/all)
foreach(tool mpc-opt mpc-lsp-server mpc-reduce mpc-compile)
  run(${folder}/all/bin/${tool} --version)
endforeach()
set(examples ${folder}/all/share/doc/mpc/examples)
run(${CMAKE_COMMAND} -S ${examples}/embed -B ${folder}/build-all
  -DCMAKE_PREFIX_PATH=${folder}/all)
run(${CMAKE_COMMAND} --build ${folder}/build-all)
expect_line(${folder}/build-all/train ${folder}/build-all/line.mpcx)
run(${folder}/build-all/compile-and-train ${examples}/embed/line.mlir 300)
if(NOT output MATCHES "step 300 loss 0.000000")
  message(FATAL_ERROR "expected the line to be learned, but got: ${output}")
endif()
if(PKG_CONFIG)
  file(GLOB_RECURSE pc ${folder}/all/*/mpc-compiler.pc)
  cmake_path(GET pc PARENT_PATH packages)
  run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${packages} ${PKG_CONFIG} --cflags --libs mpc-compiler mpc)
  separate_arguments(flags UNIX_COMMAND "${output}")
  run(cc ${examples}/embed/CompileAndTrain.c -o ${folder}/compile-and-train ${flags})
  cmake_path(GET packages PARENT_PATH library)
  run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${library} ${folder}/compile-and-train ${examples}/embed/line.mlir 1)
endif()
# Two ranks find the plug-in of their engine beside the library.
unset(ENV{MPC_RANKS_PLUGINS})
expect_line(${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/Ranks/Inputs/ranks.py start 2
  ${folder}/build-all/train-ranks-in-cpp ${folder}/build-all/line.mpcx)
run(${folder}/all/bin/mpc-compile ${examples}/digits/digits.mlir -o ${folder}/digits.mpcx)
run(${folder}/all/bin/mpc-run train ${folder}/digits.mpcx --epochs 1
  --input x=${examples}/digits/data/train-images.npy
  --input label=${examples}/digits/data/train-labels.npy)
run(${CMAKE_COMMAND} -S ${examples}/train -B ${folder}/build-train-all -DCMAKE_PREFIX_PATH=${folder}/all)
run(${CMAKE_COMMAND} --build ${folder}/build-train-all)
run(${folder}/build-train-all/train-digits ${folder}/digits.mpcx ${examples}/digits/data/train-images.npy
  ${examples}/digits/data/train-labels.npy ${folder}/digits.safetensors)
