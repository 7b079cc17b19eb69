// Family Contraction: formulas.
#include "mpc/Dialect/Graph/IR/Ops/Contraction.h"
#include "Decomposition.h"

using namespace mpc;
using namespace mpc::graph;

/// Libraries yield the operands' type, or the one that they accumulate in.
bool MatmulOp::isComposite() {
  Type operand = mlir::getElementTypeOrSelf(getLhs());
  Type result = mlir::getElementTypeOrSelf(getResult());
  return result != operand && result != getComputeType(operand);
}

/// The product as it is accumulated, rounded.
SmallVector<Value> MatmulOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Type wide = getComputeType(mlir::getElementTypeOrSelf(getLhs()));
  Value product =
      MatmulOp::create(builder, getLhs(), getRhs(), getTransposeLhs(),
                       getTransposeRhs(), mlir::TypeAttr::get(wide));
  return {d.castTo(product, mlir::getElementTypeOrSelf(getResult()))};
}
