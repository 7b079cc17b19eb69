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

LogicalResult RmsNormOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getInput().getType());
  return success();
}

/// What both normalizations of rows ask; `scales` are the operands that have
/// the shape of a row, by name, some of them absent.
template <typename Op>
static LogicalResult verifyRows(Op op,
                                ArrayRef<std::pair<Value, StringRef>> scales) {
  ArrayRef<int64_t> shape = op.getInput().getType().getShape();
  int64_t first = op.getFirstDim(), rank = shape.size();
  if (first < 0 || first >= rank) // C1
    return op.emitOpError("expected first_dim to be less than the rank ")
           << rank << ", but got " << first;
  ArrayRef<int64_t> row = shape.drop_front(first);
  for (auto [value, name] : scales) { // C2
    if (!value)
      continue;
    ArrayRef<int64_t> found =
        cast<RankedTensorType>(value.getType()).getShape();
    if (found != row)
      return op.emitOpError("expected ")
             << name << " of shape " << toString(row) << ", the dims of "
             << toString(shape) << " from " << first << " on, but got "
             << toString(found);
  }
  bool isDouble = op.getInput().getType().getElementType().isF64();
  for (Value operand : op->getOperands()) // C3
    if (mlir::getElementTypeOrSelf(operand).isF64() != isDouble)
      return op.emitOpError("expected f64 in all operands or in none, but got ")
             << op.getInput().getType() << " and " << operand.getType();
  if (!op.getEpsilon().isFinite() || op.getEpsilon().isNegative()) // C4
    return op.emitOpError("expected a finite epsilon >= 0, but got ")
           << op.getEpsilonAttr();
  return success();
}

LogicalResult LayerNormOp::verify() {
  return verifyRows(*this, {{getWeight(), "weight"}, {getBias(), "bias"}});
}

LogicalResult RmsNormOp::verify() {
  return verifyRows(*this, {{getWeight(), "weight"}});
}
