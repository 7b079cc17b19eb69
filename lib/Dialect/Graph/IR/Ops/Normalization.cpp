// Family Normalization: type inference, verifiers.
#include "mpc/Dialect/Graph/IR/Ops/Normalization.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mpc/Dialect/Graph/IR/Expression.h"
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

//===-- Of channels -------------------------------------------------------===//

#define MPC_TYPE_OF_INPUT(Op)                                                  \
  LogicalResult Op::inferReturnTypes(MLIRContext *, std::optional<Location>,   \
                                     Adaptor adaptor,                          \
                                     SmallVectorImpl<Type> &types) {           \
    types.push_back(adaptor.getInput().getType());                             \
    return success();                                                          \
  }
MPC_TYPE_OF_INPUT(GroupNormOp)
MPC_TYPE_OF_INPUT(InstanceNormOp)
MPC_TYPE_OF_INPUT(BatchNormOp)
#undef MPC_TYPE_OF_INPUT

namespace {
/// Operands that have a number for each channel, by name; some are absent.
using OfChannels = ArrayRef<std::pair<Value, StringRef>>;

std::string toText(ArrayRef<int64_t> shape) {
  return shape.empty() ? "a scalar" : toString(shape);
}

/// Whether `type` has channels, and at least `least` dims; else an error.
LogicalResult checkRank(function_ref<InFlightDiagnostic()> emitError,
                        RankedTensorType type, int64_t least) {
  if (type.getRank() >= least && type.getRank() <= 5)
    return success();
  return emitError() << "expected an input of rank " << least
                     << " to 5 (batch, "
                     << "channels and " << (least > 2 ? "one" : "no")
                     << " dim of space to three), but got "
                     << toText(type.getShape());
}

LogicalResult checkOneWidth(Operation *op) {
  Type input = op->getOperand(0).getType();
  bool isDouble = mlir::getElementTypeOrSelf(input).isF64();
  for (Value operand : op->getOperands())
    if (mlir::getElementTypeOrSelf(operand).isF64() != isDouble)
      return op->emitOpError(
                 "expected f64 in all operands or in none, but got ")
             << input << " and " << operand.getType();
  return success();
}

/// What all normalizations of channels ask.
template <typename Op>
LogicalResult verifyChannels(Op op, int64_t leastRank, OfChannels ofChannels) {
  RankedTensorType input = op.getInput().getType();
  auto emitError = [&] { return op.emitOpError(); };
  if (failed(checkRank(emitError, input, leastRank))) // C1
    return failure();
  int64_t channels = countChannels(input, op.getChannelsLast());
  for (auto [value, name] : ofChannels) { // C2
    if (!value)
      continue;
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() != 1 || type.getDimSize(0) != channels)
      return op.emitOpError("expected ")
             << name << " of shape " << channels << ", the channels of "
             << toString(input.getShape()) << ", but got "
             << toText(type.getShape());
  }
  if (failed(checkOneWidth(op))) // C3
    return failure();
  if (!op.getEpsilon().isFinite() || op.getEpsilon().isNegative()) // C4
    return op.emitOpError("expected a finite epsilon >= 0, but got ")
           << op.getEpsilonAttr();
  return success();
}

template <typename Op> LogicalResult checkMomentum(Op op) {
  llvm::APFloat momentum = op.getMomentum();
  if (momentum.isFinite() && !momentum.isNegative() &&
      momentum.convertToDouble() <= 1)
    return success();
  return op.emitOpError("expected a momentum in [0, 1], but got ")
         << op.getMomentumAttr();
}
} // namespace

LogicalResult GroupNormOp::verify() {
  if (failed(verifyChannels(*this, 2,
                            {{getWeight(), "weight"}, {getBias(), "bias"}})))
    return failure();
  int64_t channels = countChannels(getInput().getType(), getChannelsLast());
  auto groups = static_cast<int64_t>(getGroups());
  if (groups >= 1 && channels % groups == 0) // C5
    return success();
  return emitOpError("expected groups that divide the channels, but got ")
         << groups << " groups and " << channels << " channels";
}

LogicalResult InstanceNormOp::verify() {
  return verifyChannels(*this, 3,
                        {{getWeight(), "weight"}, {getBias(), "bias"}});
}

LogicalResult BatchNormOp::verify() {
  if (failed(verifyChannels(*this, 2,
                            {{getWeight(), "weight"},
                             {getBias(), "bias"},
                             {getRunningMean(), "running mean"},
                             {getRunningVariance(), "running variance"}})) ||
      failed(checkMomentum(*this))) // C5
    return failure();
  if (static_cast<bool>(getRunningMean()) !=
      static_cast<bool>(getRunningVariance())) // C6
    return emitOpError("expected a running mean and a running variance, or "
                       "none, but got one of them");
  // Of what is no argument, two equal values may have become one.
  if (getRunningMean() && getRunningMean() == getRunningVariance() &&
      isa<mlir::BlockArgument>(getRunningMean())) // C6
    return emitOpError("expected a running mean and a running variance, but "
                       "got one value as both; each is a state of its own");
  if (getInference() && !getRunningMean())
    return emitOpError("expected running statistics for inference, but got "
                       "none; name them by 'running %mean, %variance'");
  if (getSynchronized() && getInference()) // C7
    return emitOpError("expected 'synchronized' or 'inference', but got both: "
                       "statistics that stay are alike on all ranks");
  if (getSynchronized() && !getRunningMean())
    return emitOpError("expected running statistics beside 'synchronized', but "
                       "got none; without them an evaluation would ask other "
                       "ranks, too");
  return success();
}

bool BatchNormOp::isRetypeable(unsigned index) {
  return index == 0 && !getInput().getType().getElementType().isF64();
}

void BatchNormOp::evaluate() {
  if (!getRunningMean())
    return;
  setSynchronized(false);
  setInference(true);
}

SmallVector<mlir::OpOperand *> BatchNormOp::getTracked() {
  if (!usesBatch() || !getRunningMean())
    return {};
  unsigned last = getNumOperands() - 1;
  return {&(*this)->getOpOperand(last - 1), &(*this)->getOpOperand(last)};
}

FailureOr<SmallVector<Value>>
BatchNormOp::buildTracked(mlir::ImplicitLocOpBuilder &builder,
                          ValueRange running) {
  RankedTensorType input = getInput().getType();
  auto count = static_cast<double>(input.getDimSize(0) *
                                   countSpace(input, getChannelsLast()));
  if (count == 1 && !getPopulation() && !getSynchronized())
    return emitOpError("expected two values of a channel or more for its "
                       "unbiased variance, but got ")
           << toString(input.getShape())
           << "; 'population' divides by their number alone";
  auto moments =
      ChannelMomentsOp::create(builder, getInput(), /*per_sample=*/false,
                               getSynchronized(), getChannelsLast());
  Expr variance(builder, moments.getVariance());
  if (!getPopulation() && getSynchronized()) {
    // A single value has the variance 0, however it is divided.
    Expr all = expr::countRanks(builder, variance.elementType()) * count;
    Expr others = all - 1;
    variance = variance * (all / expr::maximum(others, 1));
  } else if (!getPopulation()) {
    variance = variance * (count / (count - 1));
  }
  SmallVector<Value> next;
  for (auto [old, statistic] :
       llvm::zip_equal(running, ValueRange{moments.getMean(), variance}))
    next.push_back(MovingAverageOp::create(builder, old.getType(), old,
                                           statistic, getMomentumAttr(),
                                           getSynchronizedAttr()));
  return next;
}

//===-- Folds of channels -------------------------------------------------===//

namespace {
/// Two results with a number for each channel, of each sample or of all.
template <typename Adaptor>
LogicalResult inferFolds(std::optional<Location> loc, Adaptor adaptor,
                         SmallVectorImpl<Type> &types) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  if (input.getRank() < 2 || input.getRank() > 5) // C1
    return mlir::emitOptionalError(
        loc,
        "expected an input of rank 2 to 5 (batch, channels and no dim of space "
        "to three), but got ",
        toText(input.getShape()));
  Shape shape;
  if (adaptor.getPerSample())
    shape.push_back(input.getDimSize(0));
  shape.push_back(countChannels(input, adaptor.getChannelsLast()));
  Type element = input.getElementType();
  if (!element.isF64())
    element = mlir::Float32Type::get(input.getContext());
  types.append(2, RankedTensorType::get(shape, element));
  return success();
}
} // namespace

LogicalResult ChannelMomentsOp::inferReturnTypes(MLIRContext *,
                                                 std::optional<Location> loc,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  return inferFolds(loc, adaptor, types);
}
LogicalResult ChannelSumsOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  return inferFolds(loc, adaptor, types);
}

LogicalResult ChannelMomentsOp::verify() {
  if (getSynchronized() && getPerSample()) // C2
    return emitOpError("expected 'synchronized' or 'per_sample', but got both: "
                       "a sample lies on one rank");
  return success();
}

LogicalResult ChannelSumsOp::verify() {
  ArrayRef<int64_t> input = getInput().getType().getShape(),
                    cotangent = getCotangent().getType().getShape(),
                    mean = getMean().getType().getShape(),
                    result = getTotal().getType().getShape();
  if (cotangent != input || mean != result) // C2
    return emitOpError("expected a cotangent of shape ")
           << toString(input) << " and a mean of " << toString(result)
           << ", but got " << toString(cotangent) << " and " << toText(mean);
  return checkOneWidth(*this); // C3
}

LogicalResult MovingAverageOp::verify() { return checkMomentum(*this); } // C2

mlir::OpOperand &MovingAverageOp::getMoved() { return getRunningMutable(); }
mlir::OpOperand &MovingAverageOp::getTarget() { return getStatisticMutable(); }
double MovingAverageOp::getKept() {
  return 1 - getMomentum().convertToDouble();
}
bool MovingAverageOp::isSameOnRanks() { return getSynchronized(); }
