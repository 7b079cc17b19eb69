// Kernels that differ by sizes alone share their code: a network has the same
// kernel for each of its shapes. Private to the CPU target.
#ifndef MPC_LIB_TARGET_CPU_KERNELSETS_H
#define MPC_LIB_TARGET_CPU_KERNELSETS_H

#include "mpc/Interfaces/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>
#include <vector>

namespace mpc::target {

/// A kernel of a set.
struct KernelEntry {
  mlir::func::FuncOp function;
  /// What of the shared code is its own: one number for each number that the
  /// kernels of the set do not have in common.
  SmallVector<int64_t> numbers;
};

/// Kernels with one code, in the order of their module. Their functions are
/// equal but for the extents of what they are given, and for constants that
/// are added, multiplied, compared, or the end of a loop of many steps:
/// whatever else a number decides (a division, the step of a loop, a loop that
/// is none for one of them) keeps kernels apart.
struct KernelSet {
  SmallVector<KernelEntry> entries;

  mlir::func::FuncOp first() const { return entries[0].function; }
  /// A module with a copy of the first function, which takes the numbers as
  /// more arguments (index) behind its last.
  mlir::OwningOpRef<ModuleOp> buildCode() const;
  /// What the shared code's object is made of, besides that module: the names
  /// of the kernels and their numbers.
  std::string describe() const;

  /// Numbers of the constants, in the order of the function, that its kernels
  /// do not have in common, with the argument that each becomes.
  SmallVector<std::pair<unsigned, unsigned>> replaced;
};

/// The functions of `module`, each in one set.
std::vector<KernelSet> findKernelSets(ModuleOp module);

} // namespace mpc::target

#endif // MPC_LIB_TARGET_CPU_KERNELSETS_H
