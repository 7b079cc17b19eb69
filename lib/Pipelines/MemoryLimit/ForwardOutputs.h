// What entries return whole, whatever is made in chunks; and what `forward` can
// do without: outputs that no step returns, since they were dropped from it
// (drop_outputs).
#ifndef MPC_LIB_PIPELINES_MEMORYLIMIT_FORWARDOUTPUTS_H
#define MPC_LIB_PIPELINES_MEMORYLIMIT_FORWARDOUTPUTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc::memory_limit {

struct NamedOutput {
  std::string name;
  int64_t bytes;
};

/// The outputs of `forward` that none of `steps` returns, the largest first.
SmallVector<NamedOutput> findForwardOnly(ArrayRef<mlir::func::FuncOp> steps,
                                         mlir::func::FuncOp forward);

/// Takes `outputs` from `forward`, and what only they needed with them.
void dropOutputs(mlir::func::FuncOp forward, ArrayRef<NamedOutput> outputs);

/// The outputs of `entry` that have a good part of the `bytes` of its work
/// block, each with the option that leaves it out; empty if there is none.
/// Outputs of `forward` are the model's.
std::string describeLargeOutputs(mlir::func::FuncOp entry,
                                 mlir::func::FuncOp forward, int64_t bytes);

} // namespace mpc::memory_limit

#endif // MPC_LIB_PIPELINES_MEMORYLIMIT_FORWARDOUTPUTS_H
