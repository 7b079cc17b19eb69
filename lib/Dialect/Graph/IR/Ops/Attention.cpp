// Family Attention: type inference, verifiers.
#include "mpc/Dialect/Graph/IR/Ops/Attention.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"
#include "mpc/Dialect/Graph/Settings/Real.h"
#include <cmath>

using namespace mpc;
using namespace mpc::graph;
using mlir::getElementTypeOrSelf;

namespace {
enum Dim { Batch, Time, Head, Width };

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Of one number per query: batch, head, query, in the type of scores.
RankedTensorType getRowType(Value query) {
  RankedTensorType type = typeOf(query);
  return RankedTensorType::get(
      {type.getDimSize(Batch), type.getDimSize(Head), type.getDimSize(Time)},
      getComputeType(type.getElementType()));
}

/// Like the query, as wide as the values.
RankedTensorType getResultType(Value query, Value value) {
  Shape shape(typeOf(query).getShape());
  shape[Width] = typeOf(value).getDimSize(Width);
  return typeOf(query).clone(shape);
}

/// C1 to C3, which type inference rests on.
LogicalResult checkTensors(std::optional<Location> loc, Value query, Value key,
                           Value value) {
  for (Value tensor : {query, key, value})
    if (typeOf(tensor).getRank() != 4 ||
        getElementTypeOrSelf(tensor) != getElementTypeOrSelf(query)) // C1
      return mlir::emitOptionalError(
          loc,
          "expected query, key and value of one element type with the "
          "dims batch, time, head, width, but got ",
          query.getType(), ", ", key.getType(), " and ", value.getType());
  auto agree = [](Value a, Value b, ArrayRef<Dim> dims) {
    return llvm::all_of(dims, [&](Dim dim) {
      return typeOf(a).getDimSize(dim) == typeOf(b).getDimSize(dim);
    });
  };
  if (!agree(query, key, {Batch, Width}) ||
      !agree(key, value, {Batch, Time})) // C2
    return mlir::emitOptionalError(
        loc,
        "expected query and key of one width, key and value of one time, "
        "and all of one batch, but got ",
        query.getType(), ", ", key.getType(), " and ", value.getType());
  int64_t heads = typeOf(key).getDimSize(Head);
  if (!agree(key, value, {Head}) ||
      typeOf(query).getDimSize(Head) % heads != 0) // C3
    return mlir::emitOptionalError(
        loc,
        "expected as many heads of keys as of values, a divisor of those "
        "of queries, but got ",
        typeOf(query).getDimSize(Head), " of queries, ", heads, " of keys and ",
        typeOf(value).getDimSize(Head), " of values");
  return success();
}

template <typename Op> LogicalResult verifyMask(Op op) {
  if (!op.getMask())
    return success();
  Shape scores = {typeOf(op.getQuery()).getDimSize(Batch),
                  typeOf(op.getQuery()).getDimSize(Head),
                  typeOf(op.getQuery()).getDimSize(Time),
                  typeOf(op.getKey()).getDimSize(Time)};
  FailureOr<Shape> both =
      broadcastShapes({scores, typeOf(op.getMask()).getShape()});
  Type element = mlir::getElementTypeOrSelf(op.getMask());
  if (element.isF64() && !typeOf(op.getQuery()).getElementType().isF64()) // C4
    return op.emitOpError("expected an f64 mask beside f64 only, but got it "
                          "beside ")
           << op.getQuery().getType();
  if (succeeded(both) && *both == scores) // C4
    return success();
  return op.emitOpError("expected a mask that broadcasts to ")
         << toString(scores) << " (batch, head, query, key), but got "
         << op.getMask().getType();
}

/// Whether scores of `type` can be multiplied by `number`.
bool isHeld(std::optional<llvm::APFloat> number, Type type) {
  return !number ||
         isHeldBy(*number, cast<FloatType>(type).getFloatSemantics());
}

template <typename Op> LogicalResult verifyNumbers(Op op) {
  if (op.getWindow() && int64_t(*op.getWindow()) < 1) // C5
    return op.emitOpError("expected a window of 1 or more keys, but got ")
           << int64_t(*op.getWindow());
  Type scores = getRowType(op.getQuery()).getElementType();
  if (!isHeld(op.getScale(), scores))
    return op.emitOpError("expected a scale in the range of ")
           << scores << ", but got " << op.getScaleAttr();
  auto softcap = op.getSoftcap();
  bool isBound =
      !softcap ||
      (softcap->convertToDouble() > 0 &&
       isHeld(std::optional(llvm::APFloat(1 / softcap->convertToDouble())),
              scores));
  if (!isHeld(softcap, scores) || !isBound)
    return op.emitOpError("expected a softcap above 0, which and whose "
                          "reciprocal are in the range of ")
           << scores << ", but got " << op.getSoftcapAttr();
  return success();
}

template <typename Op> LogicalResult verifyDropout(Op op) {
  if (!op.getDropout()) {
    if (op.getStream() || !op.getRandomKey().empty())
      return op.emitOpError("expected `dropout` beside a stream, but got none");
    return success();
  }
  double ratio = op.getDropout()->convertToDouble();
  double leftOut = std::round(ratio * 0x1p16); // of 2^16
  if (!(leftOut >= 1 && leftOut < 0x1p16))     // C6
    return op.emitOpError("expected a dropout between 2^-16 and 1 - 2^-16, but "
                          "got ")
           << ratio << "; leave it out for none";
  return success();
}

template <typename Op> LogicalResult verifyAttention(Op op) {
  return failure(failed(verifyMask(op)) || failed(verifyNumbers(op)) ||
                 failed(verifyDropout(op)));
}

using Effects = SmallVectorImpl<
    mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>;

/// An op that draws from an unknown stream must not be taken for another one.
template <typename Op> void addEffects(Op op, Effects &effects) {
  if (op.draws() && !op.getStream())
    effects.emplace_back(mlir::MemoryEffects::Allocate::get());
}

template <typename Op> void removeDropout(Op op) {
  op.removeDropoutAttr();
  op.removeStreamAttr();
  op.getRandomKeyMutable().clear();
}

template <typename Op> bool mayBeRetyped(Op op, unsigned index) {
  bool isMask =
      op.getMask() && index == op.getMaskMutable().begin()->getOperandNumber();
  Type type = mlir::getElementTypeOrSelf(op->getOperand(index));
  return !isMask && isa<FloatType>(type) && !type.isF64();
}

template <typename Op> double chooseScale(Op op) {
  if (op.getScale())
    return op.getScale()->convertToDouble();
  return 1 / std::sqrt(double(typeOf(op.getQuery()).getDimSize(Width)));
}

template <typename Op> int64_t countShared(Op op) {
  return typeOf(op.getQuery()).getDimSize(Head) /
         typeOf(op.getKey()).getDimSize(Head);
}
} // namespace

LogicalResult ScaledDotProductAttentionOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Value query = adaptor.getQuery(), value = adaptor.getValue();
  if (failed(checkTensors(loc, query, adaptor.getKey(), value)))
    return failure();
  types.append({getResultType(query, value), getRowType(query)});
  return success();
}

LogicalResult ScaledDotProductAttentionOp::verify() {
  return verifyAttention(*this);
}

void ScaledDotProductAttentionOp::getAsmResultNames(
    mlir::OpAsmSetValueNameFn setName) {
  setName(getResult(), "attention");
  setName(getLogsumexp(), "logsumexp");
}

double ScaledDotProductAttentionOp::getScaleOrDefault() {
  return chooseScale(*this);
}
int64_t ScaledDotProductAttentionOp::getGroupSize() {
  return countShared(*this);
}
bool ScaledDotProductAttentionOp::draws() { return getDropout().has_value(); }
void ScaledDotProductAttentionOp::evaluate() { removeDropout(*this); }
void ScaledDotProductAttentionOp::getEffects(Effects &effects) {
  addEffects(*this, effects);
}

LogicalResult ScaledDotProductAttentionBackwardOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Value query = adaptor.getQuery(), key = adaptor.getKey(),
        value = adaptor.getValue();
  if (failed(checkTensors(loc, query, key, value)))
    return failure();
  types.append({query.getType(), key.getType(), value.getType()});
  if (!adaptor.getMaskGradient())
    return success();
  Value mask = adaptor.getMask();
  if (!mask || !isa<FloatType>(getElementTypeOrSelf(mask))) // C2
    return mlir::emitOptionalError(
        loc, "expected `mask_gradient` only beside a mask of floats");
  types.push_back(mask.getType());
  return success();
}

LogicalResult ScaledDotProductAttentionBackwardOp::verify() {
  RankedTensorType result = getResultType(getQuery(), getValue());
  RankedTensorType row = getRowType(getQuery());
  if (getResult().getType() != result || getLogsumexp().getType() != row ||
      getCotangent().getType() != result) // C1
    return emitOpError("expected result and cotangent of type ")
           << result << " and a log-sum-exp of type " << row << ", but got "
           << getResult().getType() << ", " << getCotangent().getType()
           << " and " << getLogsumexp().getType();
  return verifyAttention(*this);
}

double ScaledDotProductAttentionBackwardOp::getScaleOrDefault() {
  return chooseScale(*this);
}
int64_t ScaledDotProductAttentionBackwardOp::getGroupSize() {
  return countShared(*this);
}
bool ScaledDotProductAttentionBackwardOp::draws() {
  return getDropout().has_value();
}
void ScaledDotProductAttentionBackwardOp::evaluate() { removeDropout(*this); }
void ScaledDotProductAttentionBackwardOp::getEffects(Effects &effects) {
  addEffects(*this, effects);
}

bool ScaledDotProductAttentionOp::isRetypeable(unsigned index) {
  return mayBeRetyped(*this, index);
}
bool ScaledDotProductAttentionBackwardOp::isRetypeable(unsigned index) {
  return mayBeRetyped(*this, index);
}

//===-- Rotary embedding --------------------------------------------------===//

int64_t RotaryEmbeddingOp::getRotaryWidthOrAll() {
  return getRotaryWidth().value_or(getInput().getType().getShape().back());
}

LogicalResult
RotaryEmbeddingOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                    Adaptor adaptor,
                                    SmallVectorImpl<Type> &types) {
  RankedTensorType type = typeOf(adaptor.getInput());
  int64_t width = type.getRank() == 0 ? 0 : type.getShape().back();
  int64_t turned = adaptor.getRotaryWidth().value_or(width);
  if (turned < 2 || turned % 2 != 0 || turned > width) // C1
    return mlir::emitOptionalError(
        loc,
        "expected to turn an even number of the elements in the last dim of ",
        toString(type.getShape()), ", but got ", turned);
  if (adaptor.getCos().getType() != adaptor.getSin().getType()) // C2
    return mlir::emitOptionalError(
        loc, "expected cosine and sine of one type, but got ",
        adaptor.getCos().getType(), " and ", adaptor.getSin().getType());
  Shape pairs(type.getShape());
  pairs.back() = turned / 2;
  ArrayRef<int64_t> table = typeOf(adaptor.getCos()).getShape();
  FailureOr<Shape> shape = broadcastShapes({pairs, table});
  if (failed(shape) || *shape != pairs) // C2
    return mlir::emitOptionalError(
        loc, "expected cosine and sine that broadcast to ", toString(pairs),
        ", a number for each pair, but got ", toString(table));
  types.push_back(type);
  return success();
}
