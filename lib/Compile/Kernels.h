// The kernels of a program, compiled for what the command line asks for.
#ifndef MPC_LIB_COMPILE_KERNELS_H
#define MPC_LIB_COMPILE_KERNELS_H

#include "mlir/IR/BuiltinOps.h"
#include "mpc/Compile/Options.h"
#include "mpc/Program/Program.h"
#include "mpc/Target/Cuda.h"

namespace mpc::compile {

/// Compiles the kernels of a planned `module` and adds their code to `program`.
/// Returns how many were compiled, for the progress line; fails after an error.
/// `toolkit` is used for target "cuda" alone.
FailureOr<std::string> addKernels(ModuleOp module, const Options &options,
                                  const target::CudaToolkit &toolkit,
                                  const target::ArtifactCache &cache,
                                  program::ProgramT &program);

} // namespace mpc::compile

#endif // MPC_LIB_COMPILE_KERNELS_H
