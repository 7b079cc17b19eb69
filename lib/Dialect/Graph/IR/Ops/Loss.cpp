// Family Loss: type inference, verifiers.
#include "mpc/Dialect/Graph/IR/Ops/Loss.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"

using namespace mpc;
using namespace mpc::graph;

/// Losses are f32, or f64 for f64 predictions.
static Type lossType(Value prediction) {
  Type element = mlir::getElementTypeOrSelf(prediction);
  if (!element.isF64())
    element = mlir::Float32Type::get(element.getContext());
  return RankedTensorType::get({}, element);
}

LogicalResult CrossEntropyOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location>,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  types.push_back(lossType(adaptor.getLogits()));
  return success();
}

LogicalResult MseOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  types.push_back(lossType(adaptor.getPrediction()));
  return success();
}

LogicalResult
BinaryCrossEntropyOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(lossType(adaptor.getPrediction()));
  return success();
}

LogicalResult CrossEntropyOp::verify() {
  ArrayRef<int64_t> logits = getLogits().getType().getShape();
  ArrayRef<int64_t> labels = getLabels().getType().getShape();
  if (logits.empty()) // C4
    return emitOpError("expected logits of rank 1 or more, but got a scalar");
  if (labels != logits.drop_back()) // C1
    return emitOpError("expected labels of shape ")
           << toString(logits.drop_back()) << ", the logits' "
           << toString(logits) << " without the classes, but got "
           << toString(labels);
  if (getMask() && getMask().getType().getShape() != labels) // C2
    return emitOpError("expected a mask of the labels' shape ")
           << toString(labels) << ", but got "
           << toString(getMask().getType().getShape());
  int64_t ignoreIndex = getIgnoreIndex();
  unsigned width = getLabels().getType().getElementTypeBitWidth();
  if (!llvm::isIntN(width, ignoreIndex)) // C3
    return emitOpError("expected ignore_index to fit the labels' element type ")
           << getLabels().getType().getElementType() << ", but got "
           << ignoreIndex;
  return success();
}

template <typename Op> static LogicalResult verifyOneShape(Op op) {
  ArrayRef<int64_t> prediction = op.getPrediction().getType().getShape();
  ArrayRef<int64_t> target = op.getTarget().getType().getShape();
  if (prediction != target)
    return op.emitOpError(
               "expected prediction and target of one shape, but got ")
           << toString(prediction) << " and " << toString(target);
  return success();
}

LogicalResult MseOp::verify() { return verifyOneShape(*this); } // C1
LogicalResult BinaryCrossEntropyOp::verify() {
  return verifyOneShape(*this);
} // C1

/// With a mask the labels of samples that do not count may be anything.
std::optional<LabelRange> CrossEntropyOp::getLabelRange(unsigned index) {
  if (index != getLabelsMutable().getOperandNumber() || getMask())
    return std::nullopt;
  return LabelRange{getLogits().getType().getShape().back(),
                    int64_t(getIgnoreIndex())};
}

void CrossEntropyOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  setName(getLoss(), "loss");
}
void MseOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  setName(getLoss(), "loss");
}
void BinaryCrossEntropyOp::getAsmResultNames(
    mlir::OpAsmSetValueNameFn setName) {
  setName(getLoss(), "loss");
}
