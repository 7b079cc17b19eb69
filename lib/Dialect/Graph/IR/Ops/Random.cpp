// Family Random: type inference, verifiers, effects.
#include "mpc/Dialect/Graph/IR/Ops/Random.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"
#include "mpc/Dialect/Graph/Settings/Real.h"

using namespace mpc;
using namespace mpc::graph;

LogicalResult PhiloxOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  if (failed(inferBroadcast(loc, adaptor.getOperands(),
                            IntegerType::get(context, 32), types)))
    return failure();
  types.append(3, types.front());
  return success();
}

//===-- Effects -----------------------------------------------------------===//

using Effects = SmallVectorImpl<
    mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>;

/// An op without a stream must not be taken for another one.
static void addEffects(std::optional<uint32_t> stream, Effects &effects) {
  if (!stream)
    effects.emplace_back(mlir::MemoryEffects::Allocate::get());
}

void DropoutOp::getEffects(Effects &effects) {
  addEffects(getStream(), effects);
}
void UniformOp::getEffects(Effects &effects) {
  addEffects(getStream(), effects);
}
void NormalOp::getEffects(Effects &effects) {
  addEffects(getStream(), effects);
}
void BernoulliOp::getEffects(Effects &effects) {
  addEffects(getStream(), effects);
}

//===-- Evaluation --------------------------------------------------------===//

void DropoutOp::evaluate() {
  getResult().replaceAllUsesWith(getInput());
  erase();
}

//===-- Verifiers ---------------------------------------------------------===//

/// Whether all of `numbers` are finite and in the range of the result's type.
template <typename Op>
static LogicalResult verifyHeld(Op op, ArrayRef<llvm::APFloat> numbers) {
  auto element = cast<FloatType>(op.getType().getElementType());
  for (const llvm::APFloat &number : numbers)
    if (!number.isFinite() || !isHeldBy(number, element.getFloatSemantics()))
      return op.emitOpError("expected numbers in the range of ")
             << element << ", but got " << number.convertToDouble();
  return success();
}

LogicalResult DropoutOp::verify() {
  double ratio = getRatio().convertToDouble();
  if (!(ratio >= 0 && ratio < 1)) // C1
    return emitOpError("expected a ratio in [0, 1), but got ") << ratio;
  return success();
}

LogicalResult UniformOp::verify() {
  llvm::APFloat span = getHigh() - getLow();
  if (!(getLow().convertToDouble() < getHigh().convertToDouble())) // C1
    return emitOpError("expected low to be less than high, but got ")
           << getLow().convertToDouble() << " and "
           << getHigh().convertToDouble();
  if (failed(verifyHeld(*this, {getLow(), getHigh(), span})))
    return failure();
  return success();
}

LogicalResult NormalOp::verify() {
  if (double deviation = getStddev().convertToDouble(); !(deviation >= 0)) // C1
    return emitOpError("expected a stddev that is not negative, but got ")
           << deviation;
  if (failed(verifyHeld(*this, {getMean(), getStddev()})))
    return failure();
  return success();
}

LogicalResult BernoulliOp::verify() {
  double p = getP().convertToDouble();
  if (!(p >= 0 && p <= 1)) // C1
    return emitOpError("expected a probability in [0, 1], but got ") << p;
  return success();
}
