#include "PointEvaluator.h"
#include "Formula.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mpc/Dialect/Graph/Analysis/ComparedValues.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"
#include "mpc/Dialect/Graph/IR/ElementCast.h"
#include "mpc/Emit/KernelAttrs.h"

using namespace mpc;
using namespace mpc::emit;
using mlir::getElementTypeOrSelf;
using mpc::graph::OpForm;
namespace arith = mlir::arith;
namespace vector = mlir::vector;

PointEvaluator::PointEvaluator(mlir::ImplicitLocOpBuilder &builder, Block &body,
                               const graph::KernelShape &shape, Memory &memory,
                               const EvaluatorOptions &options)
    : b(builder), body(body), shape(shape), memory(memory), options(options),
      yields(body.getTerminator()->getOperands()) {
  if (!options.strictRounding)
    approximations.emplace(body, shape);
}

Value PointEvaluator::index(int64_t number) {
  return arith::ConstantOp::create(b,
                                   b.getIntegerAttr(options.indexType, number));
}

Type PointEvaluator::inScope(Type element, bool isVector) const {
  return getLanesType(element, isVector ? options.lanes : 1);
}

void PointEvaluator::start(ValueRange arguments) {
  SmallVector<Value> flat;
  for (Value argument : arguments)
    flat.push_back(flatten(b, argument));
  auto inner = body.getArguments();
  for (auto [argument, view] : llvm::zip(inner, flat))
    memrefs[argument] = view;
  results.assign(flat.begin() + inner.size(),
                 flat.begin() + inner.size() + yields.size());
}

void PointEvaluator::enter(const Scope &scope) {
  if (scope.loop)
    b.setInsertionPoint(scope.loop);
  else if (scope.block->mightHaveTerminator())
    b.setInsertionPoint(scope.block->getTerminator());
  else
    b.setInsertionPointToEnd(scope.block);
}

/// The widest scope that knows the dims that `value` varies along. What waits
/// for a reduction is not known before the item.
Scope *PointEvaluator::findHome(Value value, Scope &scope) const {
  uint64_t varies = shape.varies.lookup(value);
  bool waits = shape.depths.lookup(value) > 0;
  SmallVector<Scope *> seen = scope.getSeen();
  for (Scope *candidate : ArrayRef(seen).drop_front(waits))
    if (candidate->values.contains(value) || !(varies & ~candidate->available))
      return candidate;
  llvm_unreachable("the innermost scope knows all dims");
}

/// A vector only where its elements differ.
Value PointEvaluator::getUnspread(Value value, Scope &scope) {
  Operation *op = value.getDefiningOp();
  if (op && graph::getOpForm(op) == OpForm::Splat)
    return constant(value, /*isVector=*/false);
  Scope *home = findHome(value, scope);
  Value known = home->values.lookup(value);
  if (!known) {
    mlir::OpBuilder::InsertionGuard guard(b);
    enter(*home);
    known = compute(value, *home);
    home->values[value] = known;
  }
  return known;
}

Value PointEvaluator::get(Value value, Scope &scope) {
  Operation *op = value.getDefiningOp();
  if (op && graph::getOpForm(op) == OpForm::Splat)
    return constant(value, scope.isVector);
  Value known = getUnspread(value, scope);
  if (!scope.isVector || options.lanes == 1 ||
      isa<mlir::VectorType>(known.getType()))
    return known;
  Value &splat = scope.splats[value];
  if (!splat)
    splat = spread(known);
  return splat;
}

Value PointEvaluator::spread(Value scalar) {
  return vector::BroadcastOp::create(b, inScope(scalar.getType(), true),
                                     scalar);
}

Value PointEvaluator::constant(Value value, bool isVector) {
  mlir::DenseElementsAttr elements;
  mlir::matchPattern(value, mlir::m_Constant(&elements));
  Type storage = elements.getElementType(), type = getComputeType(storage);
  mlir::TypedAttr attr;
  if (isa<FloatType>(storage)) {
    llvm::APFloat number = elements.getSplatValue<llvm::APFloat>();
    bool losesInfo;
    number.convert(cast<FloatType>(type).getFloatSemantics(),
                   llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    attr = b.getFloatAttr(type, number);
  } else {
    attr = b.getIntegerAttr(type, elements.getSplatValue<llvm::APInt>());
  }
  return splat(attr, isVector);
}

Value PointEvaluator::splat(mlir::TypedAttr number, bool isVector) {
  Type type = inScope(number.getType(), isVector);
  if (auto lanes = dyn_cast<mlir::VectorType>(type))
    number = mlir::DenseElementsAttr::get(lanes, Attribute(number));
  return arith::ConstantOp::create(b, number);
}

Value PointEvaluator::compute(Value value, Scope &home) {
  Operation *op = value.getDefiningOp();
  if (op && graph::getOpForm(op) == OpForm::Index)
    return getIndexValue(value, home);
  if (home.isVector && buffers.contains(value))
    return getKept(value, home);
  if (home.isVector && copies.contains(value))
    return getCopied(value, home);
  return computeAnew(value, home);
}

Value PointEvaluator::computeAnew(Value value, Scope &home) {
  return shape.accesses.contains(value)
             ? load(value, home)
             : computeResult(cast<mlir::OpResult>(value), home);
}

/// `operand` as `op` takes it. What is compared, is as if it had been stored.
Value PointEvaluator::getOperand(Operation *op, Value operand, Scope &scope) {
  Value value = get(operand, scope);
  bool isLoaded = shape.accesses.contains(operand);
  return graph::comparesComputedFloats(op) && !isLoaded
             ? roundTo(value, getElementTypeOrSelf(operand))
             : value;
}

/// The other results of an op with several are noted in `home`.
Value PointEvaluator::computeResult(mlir::OpResult value, Scope &home) {
  Operation *op = value.getOwner();
  Type storage = getElementTypeOrSelf(value);
  if (isa<ReductionOpInterface>(op)) { // Folds nothing.
    Value operand = op->getOperand(value.getResultNumber());
    return round(value,
                 graph::buildElementCast(b, get(operand, home), storage));
  }
  auto body = dyn_cast<KernelBodyOpInterface>(op);
  if (!body)
    return get(op->getOperand(0), home);
  SmallVector<Value> args;
  for (Value operand : op->getOperands())
    args.push_back(getOperand(op, operand, home));
  SmallVector<Value> results;
  buildApproximately(b, approximations && approximations->allow(op, home.sweep),
                     [&] { results = body.buildBodies(b, args); });
  for (auto [result, computed] : llvm::zip_equal(op->getResults(), results)) {
    if (options.marksSigns)
      markSign(op, computed);
    computed = round(result, computed);
    // One that is kept is stored when it is asked for.
    if (!buffers.contains(result))
      home.values[result] = computed;
  }
  return results[value.getResultNumber()];
}

/// Tells those who lower it if the exponential that `op` has become cannot
/// overflow.
void PointEvaluator::markSign(Operation *op, Value computed) {
  auto power = computed.getDefiningOp<mlir::math::ExpOp>();
  if (!power || op->getNumOperands() != 1)
    return;
  auto [known, isNew] = isNeverPositive.try_emplace(op);
  if (isNew)
    known->second = isBelowMaximum(op->getOperand(0));
  if (known->second)
    power->setAttr(kNeverPositive, b.getUnitAttr());
}

bool PointEvaluator::isRounded(Value result) const {
  return options.strictRounding || graph::hasSeveralReaders(result);
}

/// What readers of `result` see of what was computed: all of them the same.
Value PointEvaluator::round(Value result, Value computed) {
  Type storage = getElementTypeOrSelf(result);
  return getComputeType(storage) != storage && isRounded(result)
             ? roundTo(computed, storage)
             : computed;
}

Value PointEvaluator::roundTo(Value value, Type storage) {
  if (getComputeType(storage) == storage)
    return value;
  return graph::buildElementCast(b, value, storage);
}

void PointEvaluator::store(unsigned number, Value value, Scope &scope) {
  const graph::Access &access = shape.results[number];
  int64_t stride = scope.isVector ? access.strides[shape.axis] : 0;
  Value address = getPlace(results[number], access, scope).address;
  Type element =
      cast<mlir::MemRefType>(results[number].getType()).getElementType();
  Type type = inScope(element, scope.isVector);
  if (getElementTypeOrSelf(value).isInteger(1))
    value = arith::ExtUIOp::create(b, type, value);
  else if (getElementTypeOrSelf(value) != element)
    value = arith::TruncFOp::create(b, type, value);
  memory.write(results[number], address, stride, value, scope);
}
