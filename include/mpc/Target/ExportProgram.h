// From the exec dialect to the program file, in three steps that a tool can
// time apart:
//
//   emitKernels     the loops of every exec.kernel, as functions
//   compileCpuKernels (mpc/Target/Cpu.h)   shared objects
//   exportProgram   states, entries and records; addCode; verifySymbols
#ifndef MPC_TARGET_EXPORTPROGRAM_H
#define MPC_TARGET_EXPORTPROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mpc/Program/Program.h"
#include "mpc/Target/Cpu.h"

namespace mpc::target {

/// A module with one kernel function per exec.kernel of `module`. On failure an
/// error was emitted at the kernel.
FailureOr<mlir::OwningOpRef<ModuleOp>> emitKernels(ModuleOp module);

/// The program of a planned module, without code, for target "cpu". On failure
/// an error was emitted at the op that a program cannot hold.
FailureOr<program::ProgramT> exportProgram(ModuleOp module);

/// Adds one code section per element of `code`.
void addCode(program::ProgramT &program, std::vector<CpuCode> code);

/// Gate of stage program: every kernel of `program` is a symbol of every code
/// section. Emits an error at `location` that names the kernel and the section.
LogicalResult verifySymbols(const program::ProgramT &program,
                            Location location);

} // namespace mpc::target

#endif // MPC_TARGET_EXPORTPROGRAM_H
