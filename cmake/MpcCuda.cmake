# Whether the parts that need the CUDA toolkit are built: MPC_HAVE_CUDA.

set(MPC_BUILD_CUDA AUTO CACHE STRING
  "build the CUDA plug-in of the runtime: ON, OFF, or AUTO (where the toolkit is)")
set_property(CACHE MPC_BUILD_CUDA PROPERTY STRINGS AUTO ON OFF)

set(MPC_HAVE_CUDA OFF)
if(MPC_BUILD_CUDA)
  find_package(CUDAToolkit 13.0 QUIET)
  find_path(MPC_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  find_path(MPC_CUDNN_INCLUDE cudnn_graph.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  find_path(MPC_CUBLASLT_INCLUDE cublasLt.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  if(CUDAToolkit_FOUND AND CUDAToolkit_NVCC_EXECUTABLE AND MPC_NCCL_INCLUDE AND MPC_CUBLASLT_INCLUDE
      AND MPC_CUDNN_INCLUDE)
    set(MPC_HAVE_CUDA ON)
    message(STATUS "CUDA plug-in: with toolkit ${CUDAToolkit_VERSION}")
  elseif(MPC_BUILD_CUDA STREQUAL "AUTO")
    message(STATUS "CUDA plug-in: left out, since the CUDA toolkit (13.0 or newer, with nvcc, cublasLt.h, cudnn_graph.h and nccl.h) was not found")
  else()
    message(FATAL_ERROR "MPC_BUILD_CUDA: expected the CUDA toolkit (13.0 or newer, with nvcc, cublasLt.h, cudnn_graph.h and nccl.h), but it was not found; set CUDAToolkit_ROOT")
  endif()
endif()

if(MPC_HAVE_CUDA)
  set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
  # Of the language check; targets name their own.
  set(CMAKE_CUDA_ARCHITECTURES 80)
  # nvcc refuses a clang++ that is newer than itself.
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CUDA_HOST_COMPILER)
    find_program(MPC_CUDA_HOST_COMPILER NAMES g++)
    if(MPC_CUDA_HOST_COMPILER)
      set(CMAKE_CUDA_HOST_COMPILER ${MPC_CUDA_HOST_COMPILER})
    endif()
  endif()
  enable_language(CUDA)
  set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION) # CMake 3.25 does not know it
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  endif()
endif()
