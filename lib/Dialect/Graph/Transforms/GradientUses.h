// Where the gradients of a step are read, once they are scaled. Private to this
// room: accumulation and reduction put themselves in front of these places.
#ifndef MPC_LIB_DIALECT_GRAPH_TRANSFORMS_GRADIENTUSES_H
#define MPC_LIB_DIALECT_GRAPH_TRANSFORMS_GRADIENTUSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"

namespace mpc::graph {

/// The operands of every unscale of `func`; without one, those of its return
/// that are marked `graph.gradient`.
SmallVector<mlir::OpOperand *> gradientUses(mlir::func::FuncOp func);

/// Where a micro-batch is added to the sums of gradients: the operand that is
/// not the sum, of each sum of a parameter's gradients.
SmallVector<mlir::OpOperand *> addedGradients(mlir::func::FuncOp func);

/// Whether these are reduced, instead of the sums.
bool reducesEachMicroBatch(TrainingAttr training);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_TRANSFORMS_GRADIENTUSES_H
