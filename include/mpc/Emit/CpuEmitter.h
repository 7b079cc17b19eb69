// Writes the loops of generated CPU kernels.
//
//   func.func @name(memref of each operand, memref of each result,
//                   %lo : index, %hi : index)
//
// computes work items [lo, hi) of the group's parallel extent (KernelShape.h).
// Memrefs have the tensors' static shapes and identity layout; i1 is stored as
// i8 0 or 1. The body uses arith, math, vector, scf and memref only, knows no
// threads and calls nothing.
//
// Numbers. Arithmetic is done in the compute type: f16 and bf16 are extended
// when loaded and rounded when stored. Sums run in an order that depends on the
// shape alone: not on the range, the threads or the machine. No fast-math
// flags.
#ifndef MPC_EMIT_CPUEMITTER_H
#define MPC_EMIT_CPUEMITTER_H

#include "mpc/Dialect/Graph/Analysis/KernelShape.h"
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"

namespace mpc::graph {
class GroupOp;
} // namespace mpc::graph

namespace mpc::emit {

struct CpuEmitOptions {
  /// Bytes of a vector of the compute type. The order of sums depends on it.
  unsigned vectorBytes = 64;
  /// Round each value to its op's result type, not only what is stored.
  bool strictRounding = false;
  /// A result of so many bytes leaves every cache before it is read: what a
  /// kernel only fills goes past them, and nothing is read to be overwritten.
  int64_t streamedBytes = int64_t(64) << 20;
};

/// Appends the kernel of `group` (any kind but library) to the block that
/// `builder` stands in. On failure an error was emitted on the group.
FailureOr<mlir::func::FuncOp> emitCpuKernel(OpBuilder &builder,
                                            graph::GroupOp group,
                                            StringRef name,
                                            const CpuEmitOptions &options);

} // namespace mpc::emit

#endif // MPC_EMIT_CPUEMITTER_H
