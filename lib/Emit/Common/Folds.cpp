// What reductions keep while they fold, as values of a kernel. A reduction of
// several results has as many accumulators, which are folded together.
#include "Maxima.h"
#include "PointEvaluator.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mpc/Dialect/Graph/IR/ElementCast.h"

using namespace mpc;
using namespace mpc::emit;
using mlir::getElementTypeOrSelf;
namespace arith = mlir::arith;
namespace vector = mlir::vector;
using arith::CmpFPredicate;
using arith::CmpIPredicate;
using Accumulators = PointEvaluator::Accumulators;

size_t PointEvaluator::countAccumulators(Reductions reductions) {
  size_t count = 0;
  for (ReductionOpInterface op : reductions)
    count += op->getNumResults();
  return count;
}

void PointEvaluator::forEach(
    Reductions reductions, MutableArrayRef<Value> accumulators,
    function_ref<void(ReductionOpInterface, MutableArrayRef<Value>)> visit) {
  for (ReductionOpInterface op : reductions) {
    visit(op, accumulators.take_front(op->getNumResults()));
    accumulators = accumulators.drop_front(op->getNumResults());
  }
  assert(accumulators.empty() && "expected one accumulator per result");
}

/// The smallest of all numbers of `type`, or the largest.
static mlir::TypedAttr getExtreme(OpBuilder &b, Type type, bool isSmallest) {
  if (auto real = dyn_cast<FloatType>(type))
    return b.getFloatAttr(
        type, llvm::APFloat::getInf(real.getFloatSemantics(), isSmallest));
  unsigned width = type.getIntOrFloatBitWidth();
  return b.getIntegerAttr(type, isSmallest
                                    ? llvm::APInt::getSignedMinValue(width)
                                    : llvm::APInt::getSignedMaxValue(width));
}

/// Of the accumulator of `result`. The index that stands beside no element is
/// larger than any.
Value PointEvaluator::getNeutral(ReductionCombiner combiner, Value result,
                                 bool isVector) {
  Type type = getComputeType(getElementTypeOrSelf(result));
  bool isIndex = cast<mlir::OpResult>(result).getResultNumber() == 1;
  switch (combiner) {
  case ReductionCombiner::Add:
    return splat(b.getZeroAttr(type), isVector);
  case ReductionCombiner::Multiply:
    return splat(b.getOneAttr(type), isVector);
  case ReductionCombiner::Max:
    return splat(getExtreme(b, type, /*isSmallest=*/true), isVector);
  case ReductionCombiner::MaxWithIndex:
    return splat(getExtreme(b, type, /*isSmallest=*/!isIndex), isVector);
  case ReductionCombiner::MinWithIndex:
    return splat(getExtreme(b, type, /*isSmallest=*/false), isVector);
  }
  llvm_unreachable("all combiners are listed");
}

Accumulators PointEvaluator::getNeutrals(Reductions reductions, bool isVector) {
  Accumulators neutrals;
  for (ReductionOpInterface op : reductions)
    for (Value result : op->getResults())
      neutrals.push_back(getNeutral(op.getCombiner(), result, isVector));
  return neutrals;
}

/// Whether `more` replaces `total`: an element and its index each.
static Value buildReplaces(mlir::ImplicitLocOpBuilder &b, bool isMax,
                           ValueRange total, ValueRange more) {
  auto either = [&](Value x, Value y) -> Value {
    return arith::OrIOp::create(b, x, y);
  };
  auto both = [&](Value x, Value y) -> Value {
    return arith::AndIOp::create(b, x, y);
  };
  Value old = total[0], now = more[0], isBeyond, isEqual;
  if (isa<FloatType>(getElementTypeOrSelf(old))) {
    Value isNan = arith::CmpFOp::create(b, CmpFPredicate::UNO, now, now);
    Value wasNumber = arith::CmpFOp::create(b, CmpFPredicate::ORD, old, old);
    Value wasNan = arith::CmpFOp::create(b, CmpFPredicate::UNO, old, old);
    auto beyond = isMax ? CmpFPredicate::OGT : CmpFPredicate::OLT;
    isBeyond = either(arith::CmpFOp::create(b, beyond, now, old),
                      both(isNan, wasNumber));
    isEqual = either(arith::CmpFOp::create(b, CmpFPredicate::OEQ, now, old),
                     both(isNan, wasNan));
  } else {
    auto beyond = isMax ? CmpIPredicate::sgt : CmpIPredicate::slt;
    isBeyond = arith::CmpIOp::create(b, beyond, now, old);
    isEqual = arith::CmpIOp::create(b, CmpIPredicate::eq, now, old);
  }
  Value isEarlier =
      arith::CmpIOp::create(b, CmpIPredicate::slt, more[1], total[1]);
  return either(isBeyond, both(isEqual, isEarlier));
}

/// Which zero wins does not matter to a reduction and costs x86 four
/// instructions per maximum; NaN costs it two, and matters but to some.
Value PointEvaluator::buildMax(ReductionOpInterface op, Value x, Value y) {
  if (!isa<FloatType>(getElementTypeOrSelf(x)))
    return arith::MaxSIOp::create(b, x, y);
  if (options.plainMaxima) {
    auto [known, isNew] = passesOverNaN.try_emplace(op);
    if (isNew)
      known->second = mayPassOverNaN(op);
    if (known->second) // As x86 has it: x if one is NaN, which y alone can be.
      return arith::SelectOp::create(
          b, arith::CmpFOp::create(b, CmpFPredicate::OGT, y, x), y, x);
  }
  return arith::MaximumFOp::create(b, x, y, arith::FastMathFlags::nsz);
}

void PointEvaluator::combineOne(ReductionOpInterface op,
                                MutableArrayRef<Value> total, ValueRange more) {
  ReductionCombiner combiner = op.getCombiner();
  Value &x = total.front(), y = more.front();
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(x));
  switch (combiner) {
  case ReductionCombiner::Add:
    x = isFloat ? arith::AddFOp::create(b, x, y).getResult()
                : arith::AddIOp::create(b, x, y).getResult();
    return;
  case ReductionCombiner::Multiply:
    x = isFloat ? arith::MulFOp::create(b, x, y).getResult()
                : arith::MulIOp::create(b, x, y).getResult();
    return;
  case ReductionCombiner::Max:
    x = buildMax(op, x, y);
    return;
  case ReductionCombiner::MaxWithIndex:
  case ReductionCombiner::MinWithIndex: {
    bool isMax = combiner == ReductionCombiner::MaxWithIndex;
    Value replaces = buildReplaces(b, isMax, total, more);
    for (auto [own, other] : llvm::zip_equal(total, more))
      own = arith::SelectOp::create(b, replaces, other, own);
    return;
  }
  }
  llvm_unreachable("all combiners are listed");
}

void PointEvaluator::combine(Reductions reductions,
                             MutableArrayRef<Value> totals, ValueRange more) {
  forEach(reductions, totals,
          [&](ReductionOpInterface op, MutableArrayRef<Value> own) {
            combineOne(op, own, more.take_front(own.size()));
            more = more.drop_front(own.size());
          });
}

Accumulators PointEvaluator::getFolded(Reductions reductions, Scope &scope) {
  Value condition = scope.mask ? scope.mask : scope.predicate;
  Accumulators folded;
  for (ReductionOpInterface op : reductions)
    for (auto [operand, result] :
         llvm::zip_equal(op->getOperands(), op->getResults())) {
      // The type of a sum is applied to what is summed, as in PyTorch.
      Value element = getOperand(op, operand, scope);
      if (getElementTypeOrSelf(operand) != getElementTypeOrSelf(result))
        element =
            graph::buildElementCast(b, element, getElementTypeOrSelf(result));
      if (condition)
        element = arith::SelectOp::create(
            b, condition, element,
            getNeutral(op.getCombiner(), result, scope.isVector));
      folded.push_back(element);
    }
  return folded;
}

void PointEvaluator::storePart(unsigned number, Value total, Scope &scope) {
  const graph::Access &access = shape.results[number];
  memory.write(results[number],
               getPlace(results[number], access, scope).address,
               scope.isVector ? access.strides[shape.axis] : 0, total, scope);
}

void PointEvaluator::beginPart(unsigned number, Scope &scope) {
  Accumulators neutral = getNeutrals(getPartial(number), scope.isVector);
  storePart(number, neutral.front(), scope);
}

void PointEvaluator::addToPart(unsigned number, Scope &scope) {
  ReductionOpInterface op = getPartial(number);
  Accumulators folded = getFolded(op, scope);
  const graph::Access &access = shape.results[number];
  Value total = memory.read(
      results[number], getPlace(results[number], access, scope).address,
      scope.isVector ? access.strides[shape.axis] : 0, scope);
  combine(op, total, folded);
  storePart(number, total, scope);
}

void PointEvaluator::foldLanes(Reductions reductions,
                               MutableArrayRef<Value> accumulators) {
  if (options.lanes == 1)
    return;
  forEach(reductions, accumulators,
          [&](ReductionOpInterface op, MutableArrayRef<Value> own) {
            for (int64_t half = options.lanes / 2; half >= 1; half /= 2) {
              auto low = llvm::to_vector(llvm::seq<int64_t>(0, half));
              auto high = llvm::to_vector(llvm::seq<int64_t>(half, 2 * half));
              Accumulators others;
              for (Value &value : own) {
                Value whole = value;
                value = vector::ShuffleOp::create(b, whole, whole, low);
                others.push_back(
                    vector::ShuffleOp::create(b, whole, whole, high));
              }
              combineOne(op, own, others);
            }
            for (Value &value : own)
              value = vector::ExtractOp::create(b, value, int64_t(0));
          });
}

void PointEvaluator::setResults(Reductions reductions, ValueRange totals,
                                Scope &home) {
  for (ReductionOpInterface op : reductions) {
    for (auto [result, total] : llvm::zip(op->getResults(), totals))
      home.values[result] = round(result, total);
    totals = totals.drop_front(op->getNumResults());
  }
}
