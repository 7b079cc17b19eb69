// Family Loss: type inference, verifiers.
#include "mpc/Dialect/Graph/IR/Ops/Loss.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mpc;
using namespace mpc::graph;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Losses are f32, or f64 for f64 predictions; of rank 0, or a number for each
/// of `shape` where nothing is reduced.
static Type lossType(Value prediction, ArrayRef<int64_t> shape,
                     LossReduction reduction) {
  Type element = mlir::getElementTypeOrSelf(prediction);
  if (!element.isF64())
    element = mlir::Float32Type::get(element.getContext());
  if (reduction != LossReduction::None)
    shape = {};
  return RankedTensorType::get(shape, element);
}

/// SAMPLES is a value with an element for each loss.
#define MPC_LOSS(OP, PREDICTION, SAMPLES)                                      \
  LogicalResult OP::inferReturnTypes(MLIRContext *, std::optional<Location>,   \
                                     Adaptor adaptor,                          \
                                     SmallVectorImpl<Type> &types) {           \
    types.push_back(lossType(adaptor.PREDICTION(), shapeOf(adaptor.SAMPLES()), \
                             adaptor.getReduction()));                         \
    return success();                                                          \
  }                                                                            \
  void OP::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {              \
    setName(getLoss(), "loss");                                                \
  }
MPC_LOSS(MseOp, getPrediction, getPrediction)
MPC_LOSS(L1Op, getPrediction, getPrediction)
MPC_LOSS(SmoothL1Op, getPrediction, getPrediction)
MPC_LOSS(HuberOp, getPrediction, getPrediction)
MPC_LOSS(KlDivOp, getPrediction, getPrediction)
MPC_LOSS(BinaryCrossEntropyOp, getPrediction, getPrediction)
MPC_LOSS(BinaryCrossEntropyWithLogitsOp, getLogits, getLogits)
MPC_LOSS(CrossEntropyOp, getLogits, getLabels)
MPC_LOSS(NllOp, getLogProbabilities, getLabels)
#undef MPC_LOSS

LogicalResult
SoftCrossEntropyOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                     Adaptor adaptor,
                                     SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> logits = shapeOf(adaptor.getLogits());
  if (logits.empty()) // C1
    return mlir::emitOptionalError(
        loc, "expected logits of rank 1 or more, but got a scalar");
  types.push_back(lossType(adaptor.getLogits(), logits.drop_back(),
                           adaptor.getReduction()));
  return success();
}

void SoftCrossEntropyOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  setName(getLoss(), "loss");
}

//===-- Of elements -------------------------------------------------------===//

static LogicalResult verifyOneShape(Operation *op, StringRef predictions) {
  ArrayRef<int64_t> prediction = shapeOf(op->getOperand(0)),
                    target = shapeOf(op->getOperand(1));
  if (prediction == target)
    return success();
  return op->emitOpError("expected ")
         << predictions << " and target of one shape, but got "
         << toString(prediction) << " and " << toString(target);
}

static LogicalResult verifyReal(Operation *op, StringRef name, double value,
                                bool mayBeZero) {
  if (std::isfinite(value) && (mayBeZero ? value >= 0 : value > 0))
    return success();
  return op->emitOpError("expected ")
         << name << " to be finite and "
         << (mayBeZero ? "not negative" : "greater than 0") << ", but got "
         << value;
}

// C1 of them all.
LogicalResult MseOp::verify() { return verifyOneShape(*this, "prediction"); }
LogicalResult L1Op::verify() { return verifyOneShape(*this, "prediction"); }
LogicalResult KlDivOp::verify() { return verifyOneShape(*this, "prediction"); }
LogicalResult BinaryCrossEntropyOp::verify() {
  return verifyOneShape(*this, "prediction");
}

LogicalResult SmoothL1Op::verify() {
  if (failed(verifyOneShape(*this, "prediction")))
    return failure();
  return verifyReal(*this, "beta", getBeta().convertToDouble(), true); // C3
}

LogicalResult HuberOp::verify() {
  if (failed(verifyOneShape(*this, "prediction")))
    return failure();
  return verifyReal(*this, "delta", getDelta().convertToDouble(), false); // C3
}

LogicalResult BinaryCrossEntropyWithLogitsOp::verify() {
  if (failed(verifyOneShape(*this, "logits")))
    return failure();
  if (!getPosWeight())
    return success();
  ArrayRef<int64_t> logits = shapeOf(getLogits()),
                    weight = shapeOf(getPosWeight());
  FailureOr<Shape> both = broadcastShapes({logits, weight});
  if (failed(both) || *both != logits) // C3
    return emitOpError("expected a pos_weight that broadcasts to the logits' "
                       "shape ")
           << toString(logits) << ", but got " << toString(weight);
  return success();
}

//===-- Of samples --------------------------------------------------------===//

static LogicalResult verifyClassWeight(Operation *op, Value weight,
                                       int64_t classes) {
  if (!weight || shapeOf(weight) == ArrayRef<int64_t>(classes))
    return success();
  return op->emitOpError("expected a weight of shape ")
         << classes << ", the classes, but got " << toString(shapeOf(weight));
}

static LogicalResult verifySmoothing(Operation *op, double smoothing) {
  if (smoothing >= 0 && smoothing <= 1)
    return success();
  return op->emitOpError("expected label_smoothing from 0 to 1, but got ")
         << smoothing;
}

/// `scores` is what the last dim of the first operand is called.
template <typename Op>
static LogicalResult verifyLabelLoss(Op op, StringRef scores) {
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  ArrayRef<int64_t> labels = op.getLabels().getType().getShape();
  if (shape.empty()) // C4
    return op.emitOpError("expected ")
           << scores << " of rank 1 or more, but got a scalar";
  if (labels != shape.drop_back()) // C1
    return op.emitOpError("expected labels of shape ")
           << toString(shape.drop_back()) << ", the " << scores << "' "
           << toString(shape) << " without the classes, but got "
           << toString(labels);
  if (op.getMask() && shapeOf(op.getMask()) != labels) // C2
    return op.emitOpError("expected a mask of the labels' shape ")
           << toString(labels) << ", but got "
           << toString(shapeOf(op.getMask()));
  int64_t ignoreIndex = op.getIgnoreIndex();
  Type label = op.getLabels().getType().getElementType();
  if (!llvm::isIntN(label.getIntOrFloatBitWidth(), ignoreIndex)) // C3
    return op.emitOpError(
               "expected ignore_index to fit the labels' element type ")
           << label << ", but got " << ignoreIndex;
  if (failed(verifyClassWeight(op, op.getWeight(), shape.back()))) // C5
    return failure();
  return verifyReal(op, "epsilon", op.getEpsilon().convertToDouble(),
                    true); // C6
}

LogicalResult CrossEntropyOp::verify() {
  if (failed(verifyLabelLoss(*this, "logits")))
    return failure();
  return verifySmoothing(*this, getLabelSmoothing().convertToDouble()); // C7
}

LogicalResult NllOp::verify() {
  return verifyLabelLoss(*this, "log-probabilities");
}

LogicalResult SoftCrossEntropyOp::verify() {
  if (shapeOf(getLogits()).empty()) // C1
    return emitOpError("expected logits of rank 1 or more, but got a scalar");
  if (failed(verifyOneShape(*this, "logits")) ||
      failed(verifyClassWeight(*this, getWeight(), // C2
                               shapeOf(getLogits()).back())))
    return failure();
  return verifySmoothing(*this, getLabelSmoothing().convertToDouble()); // C3
}

/// With a mask the labels of samples that do not count may be anything.
template <typename Op>
static std::optional<LabelRange> labelRange(Op op, unsigned index) {
  if (index != op.getLabelsMutable().getOperandNumber() || op.getMask())
    return std::nullopt;
  return LabelRange{shapeOf(op->getOperand(0)).back(),
                    int64_t(op.getIgnoreIndex())};
}

std::optional<LabelRange> CrossEntropyOp::getLabelRange(unsigned index) {
  return labelRange(*this, index);
}
std::optional<LabelRange> NllOp::getLabelRange(unsigned index) {
  return labelRange(*this, index);
}
