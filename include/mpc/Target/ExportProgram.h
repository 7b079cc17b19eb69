// From the exec dialect to the program file, in three steps that a tool can
// time apart:
//
//   emitKernels, emitGpuKernels    the loops of every exec.kernel
//   compileCpuKernels (mpc/Target/Cpu.h)      shared objects
//   compileCudaKernels (mpc/Target/Cuda.h)    cubins and PTX
//   exportProgram   states, entries and records; addCode; verifySymbols
#ifndef MPC_TARGET_EXPORTPROGRAM_H
#define MPC_TARGET_EXPORTPROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mpc/Program/Program.h"
#include "mpc/Target/Cpu.h"
#include "mpc/Target/Cuda.h"

namespace mpc::target {

/// A module with one kernel function per exec.kernel of `module`. On failure an
/// error was emitted at the kernel.
FailureOr<mlir::OwningOpRef<ModuleOp>> emitKernels(ModuleOp module);

/// The kernels of a program for GPUs of several architectures.
struct GpuKernels {
  mlir::OwningOpRef<ModuleOp> module; ///< holds the modules of `sets`
  std::vector<CudaKernels> sets;      ///< one per architecture
};

/// The same for each of `archs`, which are in knownGpus(). Kernels are numbered
/// as exportProgram numbers them.
FailureOr<GpuKernels> emitGpuKernels(ModuleOp module,
                                     ArrayRef<std::string> archs);

/// The program of a planned module, without code, for target "cpu" or "cuda".
/// On failure an error was emitted at the op that a program cannot hold.
FailureOr<program::ProgramT> exportProgram(ModuleOp module,
                                           StringRef target = "cpu");

/// Adds one code section per element of `code`.
void addCode(program::ProgramT &program, std::vector<CpuCode> code);

/// Adds the cubins of `code`, then its PTX, one section each.
void addCode(program::ProgramT &program, std::vector<CudaCode> code);

/// Gate of stage program: every kernel of `program` is a symbol of every code
/// section, or, for GPUs, each stage of each kernel is one of the sections of
/// every architecture and format, once. Emits an error at `location` that names
/// the kernel and the section.
LogicalResult verifySymbols(const program::ProgramT &program,
                            Location location);

} // namespace mpc::target

#endif // MPC_TARGET_EXPORTPROGRAM_H
