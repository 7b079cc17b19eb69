// What the gradients of scans need of the forward.
// Private to this room.
#ifndef MPC_LIB_DIALECT_GRAPH_TRANSFORMS_AUTODIFF_SCANGRADIENT_H
#define MPC_LIB_DIALECT_GRAPH_TRANSFORMS_AUTODIFF_SCANGRADIENT_H

#include "mpc/Interfaces/LLVM.h"

namespace mpc::graph {

/// Gives each scan of `block` that depends on `parameters` sequences of all
/// that it carries, before gradients are built.
void keepCarried(Block &block, ValueRange parameters);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_TRANSFORMS_AUTODIFF_SCANGRADIENT_H
