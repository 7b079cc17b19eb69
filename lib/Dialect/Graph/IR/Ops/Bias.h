// The bias of a product: shared by the ops of Contraction and Convolution.
#ifndef MPC_LIB_DIALECT_GRAPH_IR_OPS_BIAS_H
#define MPC_LIB_DIALECT_GRAPH_IR_OPS_BIAS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc::graph {

/// An error unless `bias`, if there is one, has rank 1 and `count` elements,
/// one for each `what` of the result, and is f64 exactly if `like` is.
inline LogicalResult checkBias(std::optional<Location> loc, Value bias,
                               int64_t count, StringRef what, Value like) {
  if (!bias)
    return success();
  auto type = cast<RankedTensorType>(bias.getType());
  if (type.getRank() != 1 || type.getDimSize(0) != count)
    return mlir::emitOptionalError(loc, "expected a bias of ", count,
                                   " elements, one for each ", what,
                                   " of the result, but got ", type);
  Type element = mlir::getElementTypeOrSelf(like);
  if (type.getElementType().isF64() != element.isF64())
    return mlir::emitOptionalError(
        loc,
        "expected a bias in f64 exactly for f64 operands, but got a bias "
        "in ",
        type.getElementType(), " and operands of ", element);
  return success();
}

/// Whether autocast may change the type of operand `index`, 2 being the bias:
/// that of a bias if it is the operands'.
inline bool isProductOperandRetypeable(Operation *op, unsigned index) {
  Type element = mlir::getElementTypeOrSelf(op->getOperand(index));
  return isa<FloatType>(element) && !element.isF64() &&
         element == mlir::getElementTypeOrSelf(op->getOperand(0));
}

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_IR_OPS_BIAS_H
