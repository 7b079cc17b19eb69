// Erasing what nobody reads any more.
#ifndef MPC_DIALECT_GRAPH_TRANSFORMS_DEADOPS_H
#define MPC_DIALECT_GRAPH_TRANSFORMS_DEADOPS_H

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc::graph {

/// Erases the ops of `block` without effects whose results nobody uses, the
/// last first, so that what only they used goes, too.
inline void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();
}

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_TRANSFORMS_DEADOPS_H
