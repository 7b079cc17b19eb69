// Where the gradients of a step are read, once they are scaled. Private to this
// room: accumulation and reduction put themselves in front of these places.
#ifndef MPC_LIB_DIALECT_GRAPH_TRANSFORMS_GRADIENTUSES_H
#define MPC_LIB_DIALECT_GRAPH_TRANSFORMS_GRADIENTUSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"

namespace mpc::graph {

/// The operands of every unscale of `func`; without one, those of its return
/// that are marked `graph.gradient`.
SmallVector<mlir::OpOperand *> gradientUses(mlir::func::FuncOp func);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_TRANSFORMS_GRADIENTUSES_H
