// Generated GPU kernels compiled for the CPU, with the steps of the CPU target
// after a rewriting of what only a GPU has. What runs is the same arith, math,
// vector, memref and scf ops that the CUDA target lowers.
//
//   auto object = emulation::compileKernels(module, {});
//   auto code = emulation::EmulatedCode::load(*object, failure);
//   failure = code->run("k_1", {.grid = {8}, .block = {256}}, args);
#ifndef MPC_TEST_EMULATION_EMULATEDMODULE_H
#define MPC_TEST_EMULATION_EMULATEDMODULE_H

#include "EmulatedCode.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc::emulation {

struct CompileOptions {
  /// Instruction set, as of the CPU target.
  std::string target = "x86-64-v3";
  /// Report every access to memory to the launch's MemoryChecker.
  bool checksMemory = true;
};

/// Compiles every gpu.func of `module` to one shared object (EmulatedCode.h).
/// The module is left as it is. On failure a diagnostic was emitted.
FailureOr<std::vector<uint8_t>> compileKernels(mlir::gpu::GPUModuleOp module,
                                               const CompileOptions &options);

/// A kernel as the CPU target takes it, whose last arguments are
///   memref<.. x i8> shared memory, index block, index thread
/// and what it needs.
struct HostKernel {
  std::string name;
  int64_t numArgs = 0;
  int64_t sharedBytes = 0;
};

/// Appends the functions of all kernels to `host`, and declares what they call
/// as functions "emulation.<entry of EmulationTable>".
FailureOr<std::vector<HostKernel>>
lowerKernels(mlir::gpu::GPUModuleOp module, ModuleOp host, bool checksMemory);

} // namespace mpc::emulation

#endif // MPC_TEST_EMULATION_EMULATEDMODULE_H
