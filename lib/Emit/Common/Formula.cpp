#include "Formula.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"

using namespace mpc;
using namespace mpc::emit;
using mlir::getElementTypeOrSelf;
namespace arith = mlir::arith;

/// Adds to `known`, nulls too: what is read twice is built once.
static Value build(mlir::ImplicitLocOpBuilder &b, Value value,
                   DenseMap<Value, Value> &known) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  known[value] = Value();
  Operation *op = value.getDefiningOp();
  if (!op || graph::getOpForm(op) != graph::OpForm::Pointwise)
    return Value();
  SmallVector<Value> args;
  for (Value operand : op->getOperands()) {
    args.push_back(build(b, operand, known));
    if (!args.back())
      return Value();
  }
  auto body = dyn_cast<KernelBodyOpInterface>(op);
  if (!body)
    return known[value] = args.front();
  for (auto [result, built] :
       llvm::zip(op->getResults(), body.buildBodies(b, args)))
    known[result] = built;
  return known.lookup(value);
}

Value emit::buildFrom(mlir::ImplicitLocOpBuilder &b, Value value,
                      DenseMap<Value, Value> known) {
  return build(b, value, known);
}

/// Whether `value` is x - max, where `max` folds x. A change of type on the way
/// into a reduction rounds, and so does a reduction of 16-bit numbers: then x
/// may be a little above.
static bool isDifference(Value value, ReductionOpInterface max) {
  Type element = getElementTypeOrSelf(max->getResult(0));
  if (getElementTypeOrSelf(max->getOperand(0)) != element ||
      getComputeType(element) != element)
    return false;
  Block scratch;
  mlir::Location loc = max.getLoc();
  Value x = scratch.addArgument(element, loc);
  Value largest = scratch.addArgument(element, loc);
  mlir::ImplicitLocOpBuilder b(loc, max.getContext());
  b.setInsertionPointToEnd(&scratch);
  Value built = buildFrom(
      b, value, {{max->getOperand(0), x}, {max->getResult(0), largest}});
  auto difference = built ? built.getDefiningOp<arith::SubFOp>() : nullptr;
  return difference && difference.getLhs() == x &&
         difference.getRhs() == largest;
}

bool emit::isBelowMaximum(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<FloatType>(getElementTypeOrSelf(value)))
    return false;
  for (Operation &other : *op->getBlock()) {
    auto max = dyn_cast<ReductionOpInterface>(other);
    if (max && max.getCombiner() == ReductionCombiner::Max &&
        isDifference(value, max))
      return true;
  }
  return false;
}
