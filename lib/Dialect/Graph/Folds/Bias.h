// A bias of zeros: shared by the canonical forms of Contraction and
// Convolution.
#ifndef MPC_LIB_DIALECT_GRAPH_FOLDS_BIAS_H
#define MPC_LIB_DIALECT_GRAPH_FOLDS_BIAS_H

#include "ConstantFolding.h"
#include "mlir/IR/Matchers.h"

namespace mpc::graph {

/// Drops the bias of `op` if it is zero everywhere, +0 or -0. Nothing changes
/// but the sign of some zeros: to add -0 is to add nothing, and a sum that is
/// -0 (a negative one that underflows, or rounds to zero in 16 bits) stays so
/// where a bias of +0 would have made it +0.
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
