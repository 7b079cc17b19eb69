// Family Normalization: type inference, verifiers.
#include "mpc/Dialect/Graph/IR/Ops/Normalization.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"

using namespace mpc;
using namespace mpc::graph;

template <typename Adaptor>
static LogicalResult inferSoftmax(std::optional<Location> loc, Adaptor adaptor,
                                  SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  int64_t dim = adaptor.getDim();
  if (dim < 0 || dim >= type.getRank())
    return mlir::emitOptionalError(loc,
                                   "expected dim to be less than the rank ",
                                   type.getRank(), ", but got ", dim);
  types.push_back(RankedTensorType::get(
      type.getShape(), adaptor.getDtype().value_or(type.getElementType())));
  return success();
}

LogicalResult SoftmaxOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferSoftmax(loc, adaptor, types);
}

LogicalResult LogSoftmaxOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  return inferSoftmax(loc, adaptor, types);
}

LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getInput().getType());
  return success();
}

LogicalResult LayerNormOp::verify() {
  ArrayRef<int64_t> shape = getInput().getType().getShape();
  int64_t first = getFirstDim(), rank = shape.size();
  if (first < 0 || first >= rank) // C1
    return emitOpError("expected first_dim to be less than the rank ")
           << rank << ", but got " << first;
  ArrayRef<int64_t> row = shape.drop_front(first);
  auto verifyRow = [&](Value value, StringRef name) -> LogicalResult { // C2
    if (!value)
      return success();
    ArrayRef<int64_t> found =
        cast<RankedTensorType>(value.getType()).getShape();
    if (found == row)
      return success();
    return emitOpError("expected ")
           << name << " of shape " << toString(row) << ", the dims of "
           << toString(shape) << " from " << first << " on, but got "
           << toString(found);
  };
  if (failed(verifyRow(getWeight(), "weight")) ||
      failed(verifyRow(getBias(), "bias")))
    return failure();
  bool isDouble = getInput().getType().getElementType().isF64();
  for (Value operand : getOperands()) // C3
    if (mlir::getElementTypeOrSelf(operand).isF64() != isDouble)
      return emitOpError("expected f64 in all operands or in none, but got ")
             << getInput().getType() << " and " << operand.getType();
  if (!getEpsilon().isFinite() || getEpsilon().isNegative()) // C4
    return emitOpError("expected a finite epsilon >= 0, but got ")
           << getEpsilonAttr();
  return success();
}
