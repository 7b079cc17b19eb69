// Several losses of one model, added up. Private to this room.
#ifndef MPC_LIB_DIALECT_GRAPH_TRANSFORMS_AUTODIFF_LOSSTOTAL_H
#define MPC_LIB_DIALECT_GRAPH_TRANSFORMS_AUTODIFF_LOSSTOTAL_H

#include "mpc/Dialect/Graph/Transforms/Signature.h"

namespace mpc::graph {

/// A result that was marked `graph.loss = "name"`.
struct NamedLoss {
  StringRef name;
  unsigned result;
};

/// Makes the losses of `model` that have names outputs of these names, and adds
/// the result that is the loss: their sum, in the widest of their types.
/// Changes nothing where no loss has a name. Returns those that have.
SmallVector<NamedLoss> addLossTotal(mlir::func::FuncOp model);

/// Whether `graph.training` wants a scale for each loss.
bool hasScalePerLoss(mlir::func::FuncOp func);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_TRANSFORMS_AUTODIFF_LOSSTOTAL_H
