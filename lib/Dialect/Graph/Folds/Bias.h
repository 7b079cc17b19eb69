// A bias of zeros: shared by the canonical forms of Contraction and
// Convolution.
#ifndef MPC_LIB_DIALECT_GRAPH_FOLDS_BIAS_H
#define MPC_LIB_DIALECT_GRAPH_FOLDS_BIAS_H

#include "ConstantFolding.h"
#include "mlir/IR/Matchers.h"

namespace mpc::graph {

/// Drops the bias of `op` if it is zero everywhere, +0 or -0: a sum of products
/// begins at +0, and so is never -0.
template <typename Op>
LogicalResult dropZeroBias(Op op, PatternRewriter &rewriter) {
  Attribute bias;
  if (!op.getBias() || !matchPattern(op.getBias(), mlir::m_Constant(&bias)) ||
      (!isUniform(bias, 0.0) && !isUniform(bias, -0.0)))
    return rewriter.notifyMatchFailure(op, "no bias of zeros");
  rewriter.modifyOpInPlace(op, [&] { op.getBiasMutable().clear(); });
  return success();
}

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_FOLDS_BIAS_H
