# Precompiled headers: two thirds of an object's time in the compiler wing went
# into MLIR's headers. Three of them, each holding the one before or standing alone:
#   program   the standard library and the program file's schema: runtime wing
#   mlir      MLIR's common headers: compiler wing
#   emit      mlir and the dialects of kernels: Emit, Target and their tests
# A library says which one is its own (PCH in mpc_library); a tool or test takes
# the richest of those that it links. -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON, which
# scripts/check builds with, shows includes that a precompiled header hides.

# g++ builds the runtime alone, and gains nothing.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()
# One header for libraries and executables: Clang takes none that was made for -fPIE
# where -fPIC is asked for, and the other way round.
set(CMAKE_CXX_COMPILE_OPTIONS_PIE ${CMAKE_CXX_COMPILE_OPTIONS_PIC})

set(folder ${CMAKE_CURRENT_LIST_DIR}/precompiled)
set(MPC_PCH_SOURCE ${folder}/Empty.cpp)
set(MPC_PCH_program ${folder}/Program.h)
set(MPC_PCH_mlir ${folder}/Mlir.h)
set(MPC_PCH_emit ${folder}/Emit.h)
set(MPC_PCH_ORDER program mlir emit)

# mpc_use_precompiled(TARGET program|mlir|emit)
function(mpc_use_precompiled target pch)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()
  endif()
  if(NOT TARGET mpc_pch_${pch})
    add_library(mpc_pch_${pch} OBJECT ${MPC_PCH_SOURCE})
    target_link_libraries(mpc_pch_${pch} PRIVATE mpc_flags)
    target_precompile_headers(mpc_pch_${pch} PRIVATE ${MPC_PCH_${pch}})
    # By content, so that a compiler cache can hand it from build to build.
    target_compile_options(mpc_pch_${pch} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    if(pch STREQUAL "program")
      add_dependencies(mpc_pch_program MPCProgramSchema)
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM mpc_pch_${pch})
  set_target_properties(${target} PROPERTIES MPC_PCH ${pch})
endfunction()

# The precompiled header of an executable: the richest among those of the libraries in LINK,
# which is at least that of the runtime wing.
function(mpc_inherit_precompiled target)
  set(best 0)
  foreach(library ${ARGN})
    if(TARGET ${library})
      get_target_property(pch ${library} MPC_PCH)
      list(FIND MPC_PCH_ORDER "${pch}" rank)
      if(rank GREATER best)
        set(best ${rank})
      endif()
    endif()
  endforeach()
  list(GET MPC_PCH_ORDER ${best} pch)
  mpc_use_precompiled(${target} ${pch})
endfunction()
