// The gradient of a bias: shared by the rules of Contraction and Convolution.
#ifndef MPC_LIB_DIALECT_GRAPH_GRADIENTS_BIAS_H
#define MPC_LIB_DIALECT_GRAPH_GRADIENTS_BIAS_H

#include "Rule.h"
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"

namespace mpc::graph::gradient {

/// Operand 2, `bias`, gets the result's cotangent summed over all dims but
/// `dim`. A bias that is wider than the cotangent gets the sum as wide.
inline void setBiasCotangent(GradientBuilder &g, Value bias, int64_t dim) {
  if (!g.needs(2))
    return;
  Expr dy = cotangent(g);
  SmallVector<int64_t> dims = dimsFrom(0, dy.rank());
  dims.erase(dims.begin() + dim);
  Type element = mlir::getElementTypeOrSelf(bias);
  bool isWider = element.getIntOrFloatBitWidth() >
                 dy.elementType().getIntOrFloatBitWidth();
  g.set(2, SumOp::create(g.builder(), dy, dims, /*keep_dims=*/false,
                         isWider ? mlir::TypeAttr::get(element)
                                 : mlir::TypeAttr()));
}

} // namespace mpc::graph::gradient

#endif // MPC_LIB_DIALECT_GRAPH_GRADIENTS_BIAS_H
