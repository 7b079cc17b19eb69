#include "ReverseSweep.h"
#include "mlir/IR/Matchers.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"
#include "mpc/Dialect/Graph/IR/Expression.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "mpc/Dialect/Graph/IR/Ops/Time/Scan.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"
#include "mpc/Dialect/Graph/IR/Watch.h"
#include "mpc/Text/Phases.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::ImplicitLocOpBuilder;

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Values that can have a derivative.
static bool isDifferentiable(Value value) {
  return isa<FloatType>(mlir::getElementTypeOrSelf(value));
}

static Value castTo(ImplicitLocOpBuilder &b, Value value, Type element,
                    const Twine &reason) {
  return expr::castTo({b, value}, element, b.getStringAttr(reason));
}

/// Whether the rule of `op` computes in f32 whatever the op's storage type is.
static bool computesWide(Operation *op) {
  auto autocast = dyn_cast<AutocastOpInterface>(op);
  if (!autocast)
    return false;
  AutocastPolicy policy = autocast.getAutocastPolicy();
  return policy == AutocastPolicy::Deny || policy == AutocastPolicy::DenyIO;
}

/// The transpose of broadcasting from `shape`: sums over the repeated dims.
/// Null if `value` is no broadcast of that shape.
static Value undoBroadcast(ImplicitLocOpBuilder &b, Value value,
                           ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> from = tensorType(value).getShape();
  if (from.size() < shape.size())
    return nullptr;
  size_t added = from.size() - shape.size();
  SmallVector<int64_t> repeated;
  for (size_t dim = 0; dim < from.size(); ++dim) {
    int64_t target = dim < added ? 1 : shape[dim - added];
    if (dim < added || from[dim] != target)
      repeated.push_back(static_cast<int64_t>(dim));
    if (target != 1 && from[dim] != target)
      return nullptr;
  }
  if (!repeated.empty())
    value = SumOp::create(b, value, repeated, /*keep_dims=*/false,
                          /*dtype=*/mlir::TypeAttr());
  if (tensorType(value).getShape() == shape)
    return value;
  return ReshapeOp::create(b, tensorType(value).clone(shape), value);
}

//===-- What a rule sees -------------------------------------------------===//

class ReverseSweep::OpGradient final : public GradientBuilder {
public:
  OpGradient(ReverseSweep &sweep, Operation &op)
      : sweep(sweep), op(op), isWide(computesWide(&op)),
        b(locationOf(op), sweep.builder) {}

  Value operand(unsigned index) override { return widen(op.getOperand(index)); }
  Value result(unsigned index) override { return widen(op.getResult(index)); }

  Value cotangent(unsigned index) override {
    Value result = op.getResult(index);
    Value &cotangent = sweep.cotangents[result];
    if (!cotangent)
      cotangent = ConstantOp::create(
          b, cast<mlir::ElementsAttr>(b.getZeroAttr(result.getType())));
    return widen(cotangent);
  }

  bool needs(unsigned index) const override {
    return sweep.origin.contains(op.getOperand(index));
  }

  void set(unsigned index, Value cotangent) override {
    if (needs(index) &&
        failed(sweep.accumulate(op.getOpOperand(index), cotangent, b)))
      isFailed = true;
  }

  ImplicitLocOpBuilder &builder() override { return b; }

  bool hasFailed() const { return isFailed; }

private:
  /// "gradient of graph.tanh" at the place of the op, so that dumps explain.
  static Location locationOf(Operation &op) {
    return nameGradient(op.getName().getStringRef(), op.getLoc());
  }

  Value widen(Value value) {
    Type element = mlir::getElementTypeOrSelf(value);
    if (!isWide || !isa<FloatType>(element) ||
        element.getIntOrFloatBitWidth() >= 32)
      return value;
    Value &wide = sweep.widened[value];
    if (!wide)
      wide = castTo(b, value, b.getF32Type(),
                    "gradient of " + op.getName().getStringRef() +
                        " is computed in f32");
    return wide;
  }

  ReverseSweep &sweep;
  Operation &op;
  bool isWide, isFailed = false;
  ImplicitLocOpBuilder b;
};

//===-- The sweep --------------------------------------------------------===//

ReverseSweep::ReverseSweep(OpBuilder builder, ValueRange parameters)
    : builder(builder), parameters(parameters) {}

void ReverseSweep::findActive(Block &block) {
  for (Value parameter : parameters)
    if (isDifferentiable(parameter))
      origin[parameter] = parameter;
  graph::findActive(block, origin);
}

LogicalResult ReverseSweep::run(Value loss, Value seed) {
  Block &block = *seed.getDefiningOp()->getBlock();
  findActive(block);
  cotangents[loss] = seed;
  Operation *op = seed.getDefiningOp();
  while ((op = op->getPrevNode()))
    if (failed(differentiate(*op, loss)))
      return failure();
  for (Value argument : block.getArguments())
    watchGradient(argument.getLoc(), 0, cotangents.lookup(argument));
  return success();
}

bool graph::isZeroCotangent(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (getOpForm(op) != OpForm::View)
      break;
    value = op->getOperand(0);
  }
  return mlir::matchPattern(value, mlir::m_AnyZeroFloat());
}

Value ReverseSweep::lookUp(Value value) const {
  Value cotangent = cotangents.lookup(value);
  return cotangent && !isZeroCotangent(cotangent) ? cotangent : Value();
}

LogicalResult ReverseSweep::differentiate(Operation &op, Value loss) {
  for (OpResult result : op.getResults())
    watchGradient(op.getLoc(), result.getResultNumber(),
                  cotangents.lookup(result));
  bool reachesLoss = llvm::any_of(op.getResults(), [&](Value result) {
    return origin.contains(result) && cotangents.contains(result);
  });
  if (!reachesLoss)
    return success();
  if (isa<ScanOp>(op))
    return differentiateScan(op, loss);
  if (llvm::none_of(op.getResults(),
                    [&](Value result) { return lookUp(result); })) {
    ImplicitLocOpBuilder b(op.getLoc(), builder);
    for (Value operand : op.getOperands())
      addZeros(operand, b);
    return success();
  }
  auto rule = dyn_cast<DifferentiableOpInterface>(op);
  if (!rule)
    return reportMissing(op, loss);
  OpGradient gradient(*this, op);
  if (failed(rule.buildVjp(gradient)))
    return failure();
  return failure(gradient.hasFailed());
}

LogicalResult ReverseSweep::reportMissing(Operation &op, Value loss) {
  for (Value operand : op.getOperands())
    if (Value parameter = origin.lookup(operand)) {
      InFlightDiagnostic diagnostic =
          op.emitOpError("has no gradient, but lies between a parameter and "
                         "the loss");
      diagnostic.attachNote(parameter.getLoc()) << "the parameter";
      diagnostic.attachNote(loss.getLoc()) << "the loss";
      return diagnostic;
    }
  return success();
}

LogicalResult ReverseSweep::accumulate(OpOperand &operand, Value contribution,
                                       ImplicitLocOpBuilder &at) {
  Value primal = operand.get();
  RankedTensorType type = tensorType(primal);
  Operation *op = operand.getOwner();
  if (isZeroCotangent(contribution)) {
    addZeros(primal, at);
    return success();
  }
  Value reduced = undoBroadcast(at, contribution, type.getShape());
  if (!reduced)
    return op->emitOpError("has a gradient rule that answers operand ")
           << operand.getOperandNumber() << " of shape "
           << toString(type.getShape()) << " with shape "
           << toString(tensorType(contribution).getShape());
  Value own = castTo(at, reduced, type.getElementType(),
                     "gradient of " + op->getName().getStringRef() +
                         " in the type of its operand");
  Value before = lookUp(primal);
  cotangents[primal] =
      before ? AddOp::create(at, before, own).getResult() : own;
  return success();
}

void ReverseSweep::addZeros(Value primal, ImplicitLocOpBuilder &at) {
  if (!origin.contains(primal))
    return;
  Value &total = cotangents[primal];
  if (!total)
    total = ConstantOp::create(
        at, cast<mlir::ElementsAttr>(at.getZeroAttr(primal.getType())));
}
